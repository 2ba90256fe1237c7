"""Ops of types that no header declares, of objects that hold their operands, and of values that may be left out."""

from __future__ import annotations

from pathlib import Path

from header_helpers import cpp, matched
from torchfl_sdk.match import MatchResult

ARRAYS = """
#include "gale/types.hpp"
#define GALE_BINARY(NAME)                                      \\
    Array NAME(const Array& a, const Array& b,                 \\
        const std::optional<const ElementType>& out_type = std::nullopt, \\
        const std::optional<Array>& out = std::nullopt,        \\
        gx::Span<const unary::Then> after = {});               \\
    Array NAME##_(const Array& a, const Array& b, gx::Span<const unary::Then> after = {});
namespace gale {
GALE_BINARY(add)
GALE_BINARY(multiply)
GALE_BINARY(maximum)
Array relu(const Array& x, const std::optional<Array>& out = std::nullopt);
Array exp(const Array& x, const std::optional<Array>& out = std::nullopt);
Array tanh(const Array& x, const std::optional<Array>& out = std::nullopt);
Array fill(const Array& x, float value);
Array& fill_(Array& x, float value);
}
"""


def roles(result: MatchResult) -> dict[str, dict[str, str]]:
    return {m.function.rpartition("::")[2]: dict(m.arguments) for m in result.matches}


def served(result: MatchResult) -> dict[str, str]:
    return {m.function.rpartition("::")[2]: m.aten.removeprefix("aten::") for m in result.matches}


def test_functions_of_types_that_nothing_declares_are_matched_and_not_bound(tmp_path: Path) -> None:
    result = cpp(tmp_path, ARRAYS.replace("ElementType", "DataType"))
    found = roles(result)
    assert {"add", "multiply", "maximum", "relu", "exp", "tanh"} <= set(found)
    assert found["add"] == {"a": "input", "b": "input2", "out_type": "dtype.output", "out": "output", "after": ""}
    assert not result.bindings
    assert {u.function for u in result.unbound} >= {f"gale::{name}" for name in found if not name.endswith("_")}
    assert all("not resolved" in u.reason for u in result.unbound if u.function == "gale::add")


def test_an_underscore_behind_an_ops_name_overwrites_the_first_operand(tmp_path: Path) -> None:
    found = roles(cpp(tmp_path, ARRAYS))
    assert (found["add_"]["a"], found["add_"]["b"]) == ("inout", "input2")
    assert (found["add"]["a"], found["add"]["b"]) == ("input", "input2")
    assert found["fill_"] == {"x": "output", "value": "scalar"}  # what it held before is not read


VALUES = """
#include "missing.h"
namespace tern {
template <class T> class ref { public: T *get() const; private: T *p_; core::count n_; };
class node;
using value = ref<node>;
template <class T> class outcome { public: bool ok() const; private: T v_; core::fault f_; };
outcome<value> relu(value input, value output = nullptr);
outcome<value> sqrt(value input, value output = nullptr);
outcome<value> elu(value input, value alpha, value output = nullptr);
outcome<value> leaky_relu(value input, value alpha, value output = nullptr);
outcome<value> softmax(value input, value axis, value output = nullptr);
outcome<value> where(value cond, value x, value y, value output = nullptr);
outcome<value> mat_mul(value lhs, value rhs, value output = nullptr);
outcome<value> add(value lhs, value rhs, value output = nullptr);
outcome<value> mul(value lhs, value rhs, value output = nullptr);
outcome<value> minimum(value lhs, value rhs, value output = nullptr);
outcome<value> maximum(value lhs, value rhs, value output = nullptr);
outcome<value> transpose(value input, value perm, value output = nullptr);
}
"""


def test_values_that_carry_attributes_too_and_a_result_that_may_be_given(tmp_path: Path) -> None:
    """Counting leaves out what may be left out, and what is called like an attribute."""
    result = cpp(tmp_path, VALUES)
    found = roles(result)
    assert set(served(result).values()) >= {"relu", "sqrt", "elu", "leaky_relu", "_softmax", "maximum", "minimum"}
    assert found["mat_mul"] == {"lhs": "input", "rhs": "input2", "output": "output"}
    assert found["where"] == {"cond": "condition", "x": "input", "y": "input2", "output": "output"}
    assert found["softmax"] == {"input": "input", "axis": "axis", "output": "output"}


NODES = """
typedef struct { int count; int *data; } wisp_list;
typedef struct { wisp_list shape; void *data; } wisp_var;
typedef struct { int num_in; wisp_var **in; int num_out; wisp_var **out; void *config; } wisp_node;
""" + "\n".join(
    f"void alloc_{op}(wisp_node *n);\nvoid free_{op}(wisp_node *n);\nvoid exec_{op}(wisp_node *n);"
    for op in ("relu", "tanh", "convolution", "softmax", "max", "maximum2", "add2", "mul2", "sub2", "pow2",
               "equal_scalar", "logical_or_scalar", "odd_convolution_thing")
)  # fmt: skip


def test_an_object_that_holds_its_operands_is_the_op(tmp_path: Path) -> None:
    result = matched(tmp_path, NODES)
    found = served(result)
    assert found["exec_relu"] == "relu"
    assert found["exec_convolution"] == "convolution"
    assert roles(result)["exec_relu"] == {"n": "op"}
    assert not any(name.startswith(("alloc_", "free_")) for name in found)
    said = next(m for m in result.matches if m.function == "exec_relu")
    assert any("which holds their operands" in line for line in said.evidence)


def test_the_name_alone_says_which_form_such_an_object_is(tmp_path: Path) -> None:
    found = served(matched(tmp_path, NODES))
    assert found["exec_max"] == "max"
    assert found["exec_add2"] == "add.Tensor"
    assert found["exec_pow2"] == "pow.Tensor_Tensor"
    assert found["exec_equal_scalar"] == "eq.Scalar"
    assert "exec_logical_or_scalar" not in found
    assert "exec_odd_convolution_thing" not in found


def test_such_an_object_of_a_type_that_nothing_declares(tmp_path: Path) -> None:
    text = '#include "node.h"\n' + NODES[NODES.index("void alloc_relu") :]
    result = matched(tmp_path, text + "\nint wisp_version(void);\n")
    assert served(result)["exec_tanh"] == "tanh"
    assert not result.bindings


def test_few_functions_of_one_object_say_nothing(tmp_path: Path) -> None:
    text = "typedef struct job job;\nvoid exec_relu(job *j);\nvoid exec_tanh(job *j);\nvoid job_free(job *j);\n"
    assert served(matched(tmp_path, text)) == {}
