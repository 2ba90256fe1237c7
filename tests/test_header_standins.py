"""Stand-ins of C++ headers: the library's names, namespaces, templates and constants that no header declares."""

from __future__ import annotations

from pathlib import Path

from header_helpers import header, read
from torchfl_sdk.header import HeaderModel, read_headers

MACRO_MADE = """
#pragma once
#include "gale/types.hpp"
#define GALE_BINARY(NAME)                                             \\
    Array NAME(                                                       \\
        const Array& a,                                               \\
        const Array& b,                                               \\
        const std::optional<ElementKind>& kind = std::nullopt,        \\
        gx::Span<const unary::Then> after = {},                       \\
        const std::optional<Array>& out = std::nullopt);
namespace gale {
GALE_BINARY(add)
GALE_BINARY(mul)
Array cast(const Array& x, gale::ElementKind kind, ops::unary::Mode mode = ops::unary::Mode::kNearest);
}
"""


def cxx(folder: Path, text: str) -> HeaderModel:
    return read_headers([header(folder, text, "gale.hpp")])


def test_what_a_macro_makes_is_read_where_the_macro_says_it(tmp_path: Path) -> None:
    """libclang places an error in what a macro makes at the macro's use, where the unknown name does not stand."""
    model = cxx(tmp_path, MACRO_MADE)
    found = {f.name: f for f in model.untrusted}
    assert set(found) == {"gale::add", "gale::mul", "gale::cast"}
    assert [p.name for p in found["gale::add"].params] == ["a", "b", "kind", "after", "out"]
    assert [p.default for p in found["gale::add"].params] == ["", "", "nullopt", "{}", "nullopt"]
    assert [p.default for p in found["gale::cast"].params] == ["", "", "ops::unary::Mode::kNearest"]
    assert all(e.reason.startswith("depends on ") for e in model.excluded), model.excluded
    assert not any(p.code == "TFL0307" for p in model.problems)


def test_nothing_that_is_stood_in_for_becomes_a_number(tmp_path: Path) -> None:
    model = cxx(tmp_path, MACRO_MADE)
    assert model.functions == ()
    for function in model.untrusted:
        assert not any(t.kind == "int" for p in function.params for t in p.type.mentions()), function


def test_the_librarys_headers_are_added_and_it_is_said(tmp_path: Path) -> None:
    model = cxx(
        tmp_path,
        """#define LIST(NAME) int NAME(const std::vector<float>& x, std::string name = "all");
namespace gale {
LIST(sum)
int many(std::function<int(int)> done, const std::array<int, 4>& dims, std::tuple<int, int> pair);
}""",
    )
    assert [f.name for f in model.functions] == ["gale::sum", "gale::many"]
    said = [p for p in model.problems if p.code == "TFL0314"]
    assert [p.cause.partition("; ")[2] for p in said] == [
        "read with <array>, <functional>, <string>, <tuple>, <vector>"
    ]
    assert all(f"#include <{name}>" in model.prelude for name in ("array", "functional", "string", "tuple", "vector"))


def test_a_default_that_does_not_fit_leaves_its_declaration(tmp_path: Path) -> None:
    """What an unknown call gives fits no unknown type; of a default that is no reason to read nothing."""
    model = cxx(
        tmp_path,
        """#include "lib.h"
namespace gale {
lib::Store eye(int n, const lib::Kind& kind = lib::real64());
int fill(float *x, int n, int mode = lib::kMode);
}""",
    )
    assert {f.name for f in model.untrusted} == {"gale::eye"}
    assert [f.name for f in model.functions] == ["gale::fill"]


def test_an_error_beside_a_default_is_no_error_of_the_default(tmp_path: Path) -> None:
    model = cxx(tmp_path, "struct Box { int n; };\nint f(int a = 1, Box::Size b[2], int c);\nint g(int n);\n")
    assert [f.name for f in model.functions] == ["g"]


def test_templates_and_members_of_types_that_no_header_declares(tmp_path: Path) -> None:
    model = cxx(
        tmp_path,
        """#include "lib.h"
namespace gale {
void relu(const lib::View<float, 2>& x, lib::View<float, 2>& y);
void scale(lib::Handle<Grid> x, lib::Type::Code code);
}""",
    )
    assert {f.name for f in model.untrusted} == {"gale::relu", "gale::scale"}
    assert not any(p.code == "TFL0307" for p in model.problems), model.problems


def test_a_field_of_some_bits_has_a_type_of_numbers(tmp_path: Path) -> None:
    """Nothing but a number has a width in bits, so an enum stands in; the struct stays untrusted."""
    model = read(
        tmp_path,
        """#include "kinds.h"
typedef struct { kind_t kind : 4; unsigned shift : 4; void *data; } node_t;
int run_relu(node_t *n);
int plain(int n);
""",
    )
    assert [f.name for f in model.functions] == ["plain"]
    assert {f.name for f in model.untrusted} == {"run_relu"}
    assert not any(p.code == "TFL0307" for p in model.problems)


def test_a_half_precision_number_by_value(tmp_path: Path) -> None:
    model = read(
        tmp_path,
        """typedef __fp16 half_t;
int acme_fill(half_t *x, half_t value, int n);
half_t acme_dot(const half_t *x, int n);
""",
    )
    assert [f.name for f in model.functions] == ["acme_fill", "acme_dot"]
    value = model.functions[0].params[1].type
    assert (value.kind, value.bits) == ("float", 16)
    assert model.problems == ()


def test_a_type_that_a_later_include_declares_is_read_first(tmp_path: Path) -> None:
    """Two headers rely on one that only the second includes."""
    header(tmp_path, "#pragma once\ntypedef float real_t;\n", "real.h")
    first = header(tmp_path, "int acme_abs(const real_t *x, real_t *y, int n);\n", "abs.h")
    second = header(tmp_path, '#include "real.h"\nint acme_neg(const real_t *x, real_t *y, int n);\n', "neg.h")
    model = read_headers([first, second])
    assert [f.name for f in model.functions] == ["acme_abs", "acme_neg"]
    assert {p.type.pointee.kind for f in model.functions for p in f.params if p.type.pointee} == {"float"}
