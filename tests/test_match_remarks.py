"""Comments as evidence: formulas over a function's own arguments, and definitions in plain words."""

from __future__ import annotations

from pathlib import Path

import pytest

from header_helpers import arguments, matched, ops
from torchfl_sdk.match.remarks.expressions import NoFormula, Parser
from torchfl_sdk.match.remarks.prose import definition
from torchfl_sdk.match.remarks.table import FORMS, matching
from torchfl_sdk.match.remarks.values import KNOWN, names_of

TWO = "const float *a, const float *b, float *c, int n"
ONE = "const float *x, float *y, int n"


def _found(tmp_path: Path, declaration: str, comment: str) -> dict[str, str]:
    return ops(matched(tmp_path, f"int qu_reset(int board);\n\n\n\n\n\n\n\n/* {comment} */\nint {declaration};\n"))


def test_formulas_are_compared_by_their_values() -> None:
    def meant(text: str, numbers: tuple[str, ...] = ()) -> set[str]:
        parser = Parser(text, lambda name: len(name) == 1, KNOWN)
        tree = parser.parse()
        tensors = [n for n in names_of(tree) if n not in numbers]
        return {form.aten for form, given, _ in matching(tree, tensors, numbers, FORMS) if given == tuple(tensors)}

    assert meant("1 / (1 + exp(-x))") == {"aten::sigmoid"}
    assert meant("x * 1/(1+exp(-x))") == {"aten::silu"}
    assert meant("x < 0 ? 0 : x") == {"aten::relu"}
    assert meant("x if x > 0, else k * x", ("k",)) == {"aten::leaky_relu"}
    assert meant("sqrt(a*a + b*b)") == {"aten::hypot"}
    assert meant("a^(-1/2)") == {"aten::rsqrt"}
    assert meant("|a|") == {"aten::abs"}
    assert meant("a >= b") == {"aten::ge.Tensor"}
    assert meant("min(max(x, l), h)", ("l", "h")) == {"aten::clamp"}
    assert meant("0.5 * x * (1 + erf(x / sqrt(2)))") == {"aten::gelu"}


@pytest.mark.parametrize("text", ["Tag(a[i], b[i])", "= 3", ") b", ""])
def test_what_is_no_formula(text: str) -> None:
    with pytest.raises(NoFormula):
        Parser(text, lambda name: name == "b", KNOWN).parse()


@pytest.mark.parametrize(
    ("declaration", "comment", "aten"),
    [
        (f"qu_k17({TWO})", "c = a + b", "aten::add.Tensor"),
        (f"qu_k17({TWO})", "C[n] = A[n] - B[n]", "aten::sub.Tensor"),
        (f"qu_k17({TWO})", "c[i] = a[i] > b[i]", "aten::gt.Tensor"),
        (f"qu_k17({ONE})", "1 / (1 + exp(-x))", "aten::sigmoid"),
        (f"qu_k17({ONE})", "y = x > 0 ? x : 0", "aten::relu"),
        ("qu_k17(const float *x, float k, float *y, int n)", "y = x > 0 ? x : k * x", "aten::leaky_relu"),
        ("qu_k17(const unsigned char *sel, const float *a, const float *b, float *c, int n)", "sel ? a : b",
         "aten::where.self"),
        ("qu_k17(const float *c, const float *a, const float *b, float k, float *d, int n)", "d = c + k * a * b",
         "aten::addcmul"),
        (f"qu_k17({ONE})", "running sum along each row", "aten::cumsum"),
        (f"qu_k17({ONE})", "@brief Computes the hyperbolic tangent of each element.", "aten::tanh"),
        (f"qu_k17({TWO})", "Element-wise addition.", "aten::add.Tensor"),
        (f"qu_k17({TWO})", "the larger of each two", "aten::maximum"),
        (f"qu_k17({ONE})", "drops the fraction", "aten::trunc"),
    ],
)  # fmt: skip
def test_a_comment_says_the_op(tmp_path: Path, declaration: str, comment: str, aten: str) -> None:
    found = _found(tmp_path, declaration, comment)
    assert found.get("qu_k17") == aten


@pytest.mark.parametrize(
    ("declaration", "comment"),
    [
        (f"qu_k17({TWO})", "c = a + b, then relu"),
        (f"qu_k17({TWO})", "c = a + b, quantised"),
        (f"qu_k17({TWO})", "c = a op b"),
        (f"qu_k17({TWO})", "c[i] = a[i] + c[i-1]"),
        (f"qu_k17({TWO})", "a = b; c = rms_norm(a)"),
        (f"qu_k17({TWO})", "see qu_reset: c = b - a"),
        (f"qu_k17({ONE})", "vector and scalar"),
        (f"qu_k17({ONE})", "reductions, selection, sort"),
        (f"qu_k17({ONE})", "arithmetic operations"),
        ("qu_k17(int board)", "Element-wise addition."),
        (f"qu_k17({ONE})", "the larger of each two"),
    ],
)
def test_what_a_comment_does_not_say(tmp_path: Path, declaration: str, comment: str) -> None:
    assert "qu_k17" not in _found(tmp_path, declaration, comment)


def test_a_heading_over_several_functions_is_no_evidence(tmp_path: Path) -> None:
    found = ops(matched(tmp_path, f"/* Running sums. */\nint qu_k17({ONE});\nint qu_zap({ONE});\nint qu_b({ONE});\n"))
    assert not found


def test_a_formula_corrects_a_name_and_gives_the_roles(tmp_path: Path) -> None:
    text = f"""
        int qu_invert({ONE});  /* y = 1 / x */


        int qu_k2({TWO});      /* c = b - a */
        int qu_k3(const float *lhs, const float *rhs, float k, float *to, int n);  // to = lhs + k * rhs
    """
    result = matched(tmp_path, text)
    assert ops(result) == {
        "qu_invert": "aten::reciprocal", "qu_k2": "aten::sub.Tensor", "qu_k3": "aten::add.Tensor"
    }  # fmt: skip
    assert {n: arguments(result, "qu_k2")[n] for n in "abc"} == {"a": "input2", "b": "input", "c": "output"}
    assert arguments(result, "qu_k3")["k"] == "alpha"


def test_products_of_matrices_are_told_from_those_of_elements(tmp_path: Path) -> None:
    text = """
        int qu_k4(int m, int n, int k, const float *a, const float *b, float *c);  // c = a * b
        int qu_k5(int n, const float *a, const float *b, float *c);                // c = a * b
        // y = x * transpose(w) + bias
        int qu_k6(const float *x, const float *w, const float *bias, float *y, int rows, int nin, int nout);
    """
    found = ops(matched(tmp_path, text))
    assert found["qu_k4"] in ("aten::mm", "aten::matmul")
    assert found["qu_k5"] == "aten::mul.Tensor"
    assert found["qu_k6"] == "aten::linear"


@pytest.mark.parametrize(
    ("sentence", "aten"),
    [
        ("Rounds down to the next integer below", ""),
        ("to the integer below", "aten::floor"),
        ("absolute value of each element", "aten::abs"),
        ("position of the largest along one size", "aten::argmax"),
        ("matrix transpose, out of place", "aten::permute"),
        ("ones' complement", "aten::bitwise_not"),
        ("a to the power of b", "aten::pow.Tensor_Tensor"),
        ("number of elements", ""),
        ("in place", ""),
        ("log(1 + exp(x))", ""),
    ],
)
def test_definitions(sentence: str, aten: str) -> None:
    found = definition(sentence)
    assert (found[0][0].aten if found else "") == aten
