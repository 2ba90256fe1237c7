"""Functions whose op an enum, a macro or a number chooses: one binding for each op, with the constant to pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from header_helpers import matched, reason
from torchfl_sdk.match.model import MatchResult

KINDS = """
#include <stddef.h>
typedef enum { ACME_OK, ACME_ERROR } acme_rc;
typedef enum { ACME_BIN_ADD, ACME_BIN_SUB, ACME_BIN_MUL, ACME_BIN_LESS } acme_bin;
typedef enum { ACME_ACT_RELU, ACME_ACT_TANH, ACME_ACT_LEAKY_RELU } acme_act;
typedef enum { ACME_RED_SUM, ACME_RED_MEAN } acme_red;
typedef enum { ACME_F32, ACME_F16 } acme_type;
typedef struct { void *data; acme_type type; int rank; long shape[6]; } acme_tensor;
"""


def constants(result: MatchResult) -> dict[str, list[tuple[str, str]]]:
    """op -> the constants that its call passes, each with its argument."""
    return {
        b.op.removeprefix("aten::"): [(a.name, a.value) for a in b.calls[0].arguments if a.role == "constant"]
        for b in result.bindings
    }


@pytest.mark.parametrize(
    "declaration",
    [
        "acme_rc acme_binary_op(acme_bin op, const float *a, const float *b, float *out, size_t n);",
        "acme_rc acme_binary(float *out, const float *a, const float *b, int n, acme_bin op);",
        "acme_rc acme_elementwise2(void *out, const void *a, const void *b, size_t n, acme_bin op, acme_type type);",
        "acme_rc acme_elementwise(acme_bin op, const acme_tensor *a, const acme_tensor *b, acme_tensor *out);",
        "acme_rc acme_tensor_op(acme_bin op, acme_tensor a, acme_tensor b, acme_tensor out);",
    ],
)
def test_an_enum_chooses_among_binary_ops(tmp_path: Path, declaration: str) -> None:
    found = constants(matched(tmp_path, KINDS + declaration))
    expected = {name: [("op", f"ACME_BIN_{name.upper()}")] for name in ("add", "sub", "mul")}
    assert {name: found.get(name) for name in expected} == expected


def test_arguments_keep_their_order_around_the_constant(tmp_path: Path) -> None:
    result = matched(
        tmp_path, KINDS + "acme_rc acme_binary(float *o, const float *a, acme_bin op, const float *b, int n);"
    )
    sub = result.binding("aten::sub")
    assert sub is not None
    assert [(a.name, a.role) for a in sub.calls[0].arguments] == [
        ("o", "out"), ("a", "self"), ("op", "constant"), ("b", "other"), ("n", "numel")
    ]  # fmt: skip
    assert sub.impl == "acme_sub"


def test_a_number_for_other_ops_of_the_function_is_zero(tmp_path: Path) -> None:
    text = "acme_rc acme_activation(acme_act kind, const float *x, float *y, size_t n, float slope);"
    result = matched(tmp_path, KINDS + text)
    assert constants(result) == {
        "relu": [("kind", "ACME_ACT_RELU"), ("slope", "0")],
        "tanh": [("kind", "ACME_ACT_TANH"), ("slope", "0")],
        "leaky_relu": [("kind", "ACME_ACT_LEAKY_RELU")],
    }


def test_a_number_that_no_op_of_the_function_has_is_not_passed_over(tmp_path: Path) -> None:
    text = "acme_rc acme_reduce_rows(acme_red k, const float *x, float *y, size_t rows, size_t cols, float gain);"
    assert not matched(tmp_path, KINDS + text).bindings


def test_reductions_by_rows_go_before_those_of_everything(tmp_path: Path) -> None:
    whole = "acme_rc acme_reduce(acme_red kind, const float *x, float *y, size_t n);"
    rows = "acme_rc acme_reduce_rows(acme_red kind, const float *x, float *y, size_t rows, size_t cols);"
    for text, function in ((whole, "acme_reduce"), (rows, "acme_reduce_rows"), (whole + rows, "acme_reduce_rows")):
        result = matched(tmp_path, KINDS + text)
        assert constants(result) == {"sum": [("kind", "ACME_RED_SUM")], "mean": [("kind", "ACME_RED_MEAN")]}
        assert {c.function for b in result.bindings for c in b.calls} == {function}


@pytest.mark.parametrize(
    ("before", "argument"),
    [
        ("/* op: 0 = exp, 1 = log, 2 = sqrt */\n", "op"),
        ("#define ACME_UN_EXP 0\n#define ACME_UN_LOG 1\n#define ACME_UN_SQRT 2\n", "op"),
        ("/* kind: 0: exp; 1: log; 2: sqrt */\n", "kind"),
    ],
)
def test_a_number_chooses_as_macros_or_a_comment_say(tmp_path: Path, before: str, argument: str) -> None:
    text = f"{KINDS}{before}acme_rc acme_unary(int {argument}, const float *x, float *y, size_t n);"
    values = ["ACME_UN_EXP", "ACME_UN_LOG", "ACME_UN_SQRT"] if "define" in before else ["0", "1", "2"]
    expected = {name: [(argument, value)] for name, value in zip(("exp", "log", "sqrt"), values, strict=True)}
    assert constants(matched(tmp_path, text)) == expected  # not the enum of other functions


def test_element_types_in_the_name_are_one_op(tmp_path: Path) -> None:
    text = """
    acme_rc acme_binary_f32(acme_bin op, const float *a, const float *b, float *out, size_t n);
    acme_rc acme_binary_f64(acme_bin op, const double *a, const double *b, double *out, size_t n);
    """
    add = matched(tmp_path, KINDS + text).binding("aten::add")
    assert add is not None
    assert [c.dtypes for c in add.calls] == [("float32",), ("float64",)]


def test_every_op_of_the_function_has_its_own_reason(tmp_path: Path) -> None:
    text = """
    acme_rc acme_add(const %s *a, const %s *b, %s *out, size_t n);
    acme_rc acme_binary(acme_bin op, const %s *a, const %s *b, %s *out, size_t n);
    """
    lacking = {}
    for element in ("float", "_Bool"):
        result = matched(tmp_path, KINDS + text.replace("%s", element))
        found = [m for m in result.matches if m.function == "acme_binary" and not m.complete]
        lacking[element] = {m.aten: m.lacking for m in found}
    # a mask of floats is made PyTorch's on the host
    assert lacking["float"] == {"aten::add.Tensor": "aten::add is served by acme_add"}
    assert "has no bool" in lacking["_Bool"]["aten::mul.Tensor"]
    assert "has no bool" in lacking["_Bool"]["aten::lt.Tensor"]


def test_two_enums_of_which_one_means_something_else_are_not_guessed(tmp_path: Path) -> None:
    text = "acme_rc acme_binary(acme_bin op, acme_act then, const float *a, const float *b, float *out, size_t n);"
    result = matched(tmp_path, KINDS + text)
    assert not result.bindings
    assert "'then'" in reason(result, "acme_binary")
