"""Carriers of tensors that no rule knows, told by counting over a header; and what counting must not take for one."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from header_helpers import cpp, matched
from torchfl_sdk.match import MatchResult

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
from restyle.conventions import ODD
from restyle.writer import write
from restyle_headers import Tally, read, tally

UNARY, BINARY = ("exp", "log", "sqrt", "abs", "transpose"), ("add", "mul", "maximum")


def ops(result: MatchResult) -> set[str]:
    """Names of the matched functions without prefix or namespace."""
    return {m.function.rpartition("::")[2].removeprefix("acme_") for m in result.matches}


def declared(one: str, two: str, result: str = "int", more: str = "") -> str:
    """Functions of one and of two operands, with these parameters, and one that adds up elements."""
    return "\n".join(
        f"{result} acme_{name}({params}{more});" for names, params in ((UNARY, one), (BINARY, two)) for name in names
    )


def evidence(result: MatchResult, function: str) -> tuple[str, ...]:
    return next(m.evidence for m in result.matches if m.function.endswith(function))


def test_odd_carriers_are_found(tmp_path: Path) -> None:
    """Every kind of carrier of which neither name nor fields nor argument names tell, over the whole vocabulary."""
    by: dict[str, Tally] = {kind: Tally() for kind in ODD}
    for seed in range(36):
        style, written = write(seed, odd=True)
        by[style.carrier].add(tally(written, read(written.text, tmp_path)))
    poor = {k: (t.recall, t.precision, t.args_right / t.args) for k, t in by.items()
            if t.recall < 0.95 or t.precision < 0.98 or t.args_right < 0.95 * t.args}  # fmt: skip
    assert all(t.ops > 20 for t in by.values())
    assert poor == {}


ODDLY = {
    "opaque": ("typedef struct lump_s lump;", "lump *, lump *", "lump *, lump *, lump *"),
    "numbered": ("typedef unsigned int lump;", "lump, lump", "lump, lump, lump"),
    "void": ("typedef void *lump;", "lump, lump *", "lump, lump, lump *"),
    "struct": ("struct lump_s { void *q; short r; }; typedef struct lump_s lump;", "lump, lump", "lump, lump, lump"),
}


@pytest.mark.parametrize("kind", ODDLY)
def test_the_evidence_says_what_was_counted(tmp_path: Path, kind: str) -> None:
    types, one, two = ODDLY[kind]
    result = matched(tmp_path, f"{types}\n{declared(one, two)}\n")
    assert ops(result) == {*UNARY, *BINARY}
    said = (
        r"(\d) of \1 functions named after ops take as many lump\w* as their op has operands and write it to one more"
    )
    assert any(re.fullmatch(said, s) for s in evidence(result, "acme_add"))
    assert not any(m.complete for m in result.matches)


def test_results_stand_where_others_of_the_header_show_it(tmp_path: Path) -> None:
    """The first is the result of most, by const; that of the two without const is taken alike."""
    text = "typedef struct lump_s lump;\n" + declared("lump *p, const lump *q", "lump *p, const lump *q, const lump *s")
    result = matched(tmp_path, text + "\nint acme_tan(lump *p, lump *q);\n")
    found = next(dict(m.arguments) for m in result.matches if m.function == "acme_tan")
    assert found == {"p": "output", "q": "input"}


def test_wrapped_and_shared_results(tmp_path: Path) -> None:
    for held in ("std::shared_ptr<Lump>", "std::optional<Lump>", "Try<Lump>"):
        given = "std::shared_ptr<Lump>" if "shared" in held else "const Lump &"
        types = "#include <memory>\n#include <optional>\nnamespace acme {\nclass Lump { void *p; };\n"
        types += "template <typename T> class Try { T held; };\n"
        result = cpp(tmp_path, types + declared(f"{given} a", f"{given} a, {given} b", held, ", int flags = 0") + "}\n")
        assert ops(result) == {*UNARY, *BINARY}, held
        assert any(s.endswith("and return the result") for s in evidence(result, "acme_add"))


NO_CARRIERS = {
    "a number of a type of its own": ("typedef short fix;", "fix a", "fix a, fix b", "fix"),
    "a point": ("typedef struct { float x, y, z; } point;", "point a", "point a, point b", "point"),
    "half precision": ("typedef struct { unsigned short x; } half_s;", "half_s a", "half_s a, half_s b", "half_s"),
    "a context": ("typedef struct ctx_s ctx;", "ctx *a, float b", "ctx *a, float b, float c", "float"),
    "a machine's register": ("#include <immintrin.h>", "__m128 a", "__m128 a, __m128 b", "__m128"),
}


@pytest.mark.parametrize("kind", NO_CARRIERS)
def test_what_is_passed_like_operands_and_is_no_tensor(tmp_path: Path, kind: str) -> None:
    types, one, two, result = NO_CARRIERS[kind]
    assert ops(matched(tmp_path, f"{types}\n{declared(one, two, result)}\n")) == set()


def test_long_numbers_are_no_tensors(tmp_path: Path) -> None:
    """Numbers of any length, polynomials and terms are added and negated like tensors; nothing speaks of elements."""
    one, two = "num r, const num a", "num r, const num a, const num b"
    text = "typedef struct { int room, size; unsigned long *d; } num_s; typedef num_s num[1];\n" + declared(one, two)
    result = matched(tmp_path, text.replace("int acme_transpose(num r, const num a);", ""))
    assert ops(result) == set()
    assert ops(matched(tmp_path, text)) == {*UNARY, *BINARY}


def test_values_of_inline_functions_are_numbers(tmp_path: Path) -> None:
    """Code for use inside a kernel: a class template's objects are a machine's registers."""
    text = "".join(
        f"template <typename T, int N> Lane<T, N> {name}({params}) {{ return Lane<T, N>(); }}\n"
        for names, params in ((UNARY, "Lane<T, N> a"), (BINARY, "Lane<T, N> a, Lane<T, N> b"))
        for name in names
    )
    result = cpp(tmp_path, f"namespace acme {{\ntemplate <typename T, int N> struct Lane {{ T held[N]; }};\n{text}}}\n")
    assert ops(result) == set()


def test_steps_beside_pointers_are_no_tensors(tmp_path: Path) -> None:
    """An integer for each pointer follows the count of operands too; what stands beside data carries none."""
    one, two = (
        "const float *a, step ia, float *c, step ic",
        "const float *a, step ia, const float *b, step ib, float *c, step ic",
    )
    result = matched(tmp_path, "typedef int step;\n" + declared(one, two, "void", ", int n"))
    found = next(dict(m.arguments) for m in result.matches if m.function == "acme_add")
    assert (found["a"], found["ia"], found["c"], found["n"]) == ("input", "inc.input", "output", "numel")


def test_too_few_functions_are_refused_and_it_is_said(tmp_path: Path) -> None:
    """Of ten functions three take as many as operands: the type of a run, which some ops are given twice."""
    text = "typedef struct run_s *lump;\n" + "\n".join(
        f"int acme_{name}(lump l, int id);" for name in ("exp", "log", "sqrt", "abs", "sin", "cos", "tanh")
    )
    text += "\nint acme_add(lump l, lump m, lump n);\nint acme_mul(lump l, lump m, lump n);\n"
    result = matched(tmp_path, text + "int acme_sub(lump l, int id);\nint acme_div(lump l, int id);\n")
    reasons = {u.function: u.reason for u in result.unbound}
    assert ops(result) <= {"add", "mul"}
    assert "acme_exp" in reasons


def test_a_class_of_nodes_with_its_base_serves_no_eager_op(tmp_path: Path) -> None:
    """Nodes follow the count of operands as tensors do; the class that makes them runs them as a whole."""
    methods = "\n".join(
        f"  Node *{name}({params});"
        for names, params in ((UNARY, "Node *a"), (BINARY, "Node *a, Node *b"))
        for name in names
    )
    text = "namespace acme {\nclass Node;\nclass Runner { public: void run(); };\n"
    result = cpp(tmp_path, f"{text}class Factory : public Runner {{\n public:\n{methods}\n  void compile();\n}};\n}}\n")
    assert not result.eager.usable
    assert result.matches == ()


def test_few_functions_called_like_ops_are_so_by_chance(tmp_path: Path) -> None:
    """The value of a setting is converted; among many functions that is no op, unless a type speaks of numbers."""
    stray = "typedef struct value_s value;\nint acme_convert(const value *src, value *dst);\n"
    others = "\n".join(f"int acme_part{i}_open(const char *path);" for i in range(60))
    result = matched(tmp_path, stray + others)
    assert result.matches == ()
    assert matched(tmp_path, stray + others[:400].rpartition("\n")[0]).matches != ()
    data = "int acme_mul(const float *a, const float *b, float *c, int n);\n"
    assert any(m.aten == "aten::mul.Tensor" for m in matched(tmp_path, data + others).matches)


def test_an_optional_result_beside_a_returned_one(tmp_path: Path) -> None:
    """What may be left out is no operand: the count is that of the operands, and the result is given back."""
    types = "#include <optional>\nnamespace acme {\nclass Lump { void *p; };\n"
    more = ", std::optional<Lump *> given = std::nullopt"
    text = declared("const Lump &x", "const Lump &x, const Lump &y", "Lump", more)
    result = cpp(tmp_path, f"{types}{text}\n}}\n")
    assert ops(result) == {*UNARY, *BINARY}
    assert any(s.endswith("and return the result") for s in evidence(result, "acme_add"))


def test_a_result_that_stands_first_and_is_given_back(tmp_path: Path) -> None:
    text = declared("lump *dstl, const lump *p", "lump *dstl, const lump *p, const lump *q", "lump *")
    result = matched(tmp_path, f"typedef struct lump_s lump;\n{text}\nlump *acme_tan(lump *k, lump *l);\n")
    found = next(dict(m.arguments) for m in result.matches if m.function == "acme_tan")
    assert found == {"k": "output", "l": "input"}
