"""Names that no vendor's glossary has: plain English, jargon, words without vowels, letters around every name."""

from __future__ import annotations

from pathlib import Path

import pytest

from header_helpers import matched, ops, reason
from torchfl_sdk.match.recognise.abbreviations import abbreviated, habit
from torchfl_sdk.match.recognise.affixes import affixes, between, plainly
from torchfl_sdk.match.vocabulary import BY_NAME, RARE
from torchfl_sdk.match.vocabulary.short import PHRASES

UNARY = "int pl_{}(const float *in, float *out, int n);"
BINARY = "int pl_{}(const float *a, const float *b, float *y, int n);"


@pytest.mark.parametrize(
    ("form", "name", "op"),
    [
        (BINARY, "over", "aten::div.Tensor"),
        (BINARY, "larger_of", "aten::maximum"),
        (BINARY, "lower", "aten::minimum"),
        (BINARY, "raised_to", "aten::pow.Tensor_Tensor"),
        (BINARY, "magnitude", "aten::hypot"),
        (BINARY, "at_most", "aten::le.Tensor"),
        (BINARY, "minus", "aten::sub.Tensor"),
        (UNARY, "minus", "aten::neg"),
        (UNARY, "magnitude", "aten::abs"),
        (UNARY, "inverse", "aten::reciprocal"),
        (UNARY, "e_to_the", "aten::exp"),
        (UNARY, "ln_one_plus", "aten::log1p"),
        (UNARY, "gauss_gate", "aten::gelu"),
        (UNARY, "half_wave_rectify", "aten::relu"),
        (UNARY, "running_total", "aten::cumsum"),
    ],
)
def test_operands_decide_between_the_ops_of_a_word(tmp_path: Path, form: str, name: str, op: str) -> None:
    text = "\n".join((form.format(name), UNARY.format("tanh"), UNARY.format("exp"), BINARY.format("mul")))
    assert ops(matched(tmp_path, text))[f"pl_{name}"] == op


def test_a_word_of_two_ops_that_both_fit_is_neither(tmp_path: Path) -> None:
    result = matched(tmp_path, f"{UNARY.format('exp')} {UNARY.format('mn')} {BINARY.format('mul')}")
    assert "pl_mn" not in ops(result)


def test_what_a_table_has_is_not_repeated() -> None:
    assert not [(name, w.aten) for name, words in RARE.items() for w in words if w in BY_NAME.get(name, ())]


def test_random_numbers_that_are_added_fill_nothing(tmp_path: Path) -> None:
    text = """
    int pl_exp(const float *x, float *y, int n);
    int pl_gauss_noise(float *y, unsigned long seed, int n);  /* adds to what is in y */
    int pl_bell(float *y, unsigned long seed, int n);  /* writes y */
    """
    found = ops(matched(tmp_path, text))
    assert found["pl_bell"] == "aten::normal_"
    assert "pl_gauss_noise" not in found


@pytest.mark.parametrize(
    ("token", "op"),
    [
        ("sgmd", "aten::sigmoid"),
        ("ngt", "aten::neg"),
        ("sbtr", "aten::sub.Tensor"),
        ("dvd", "aten::div.Tensor"),
        ("mltply", "aten::mul.Tensor"),
        ("lnrm", "aten::native_layer_norm"),
        ("gnrm", "aten::native_group_norm"),
        ("trnsps", "aten::permute"),
        ("thrsh", "aten::threshold"),
        ("quot", "aten::div.Tensor"),
        ("embd", "aten::embedding"),
        ("gthr", "aten::index_select"),
    ],
)
def test_words_without_vowels(token: str, op: str) -> None:
    whole = token if token in RARE else abbreviated(token)
    assert op in [w.aten for w in (*BY_NAME.get(whole, ()), *RARE.get(whole, ()))]


@pytest.mark.parametrize("token", ["int", "sum", "kernel", "ab", "lss", "bitw"])
def test_no_abbreviations(token: str) -> None:
    assert abbreviated(token) == ""


def test_every_phrase_is_a_name_of_the_tables() -> None:
    names = [p.replace("_", "") for p in PHRASES.split()]
    assert [n for n in names if n not in BY_NAME and n not in RARE] == []


def test_one_word_without_vowels_is_no_habit(tmp_path: Path) -> None:
    assert not habit({"mltply", "add", "exp"})
    assert habit({"mltply", "dvd", "sbtr"})
    plain = f"{UNARY.format('exp')} {BINARY.format('add')} {BINARY.format('mltply')}"
    assert "pl_mltply" not in ops(matched(tmp_path, plain))
    short = f"{plain} {BINARY.format('dvd')} {BINARY.format('sbtr')}"
    found = ops(matched(tmp_path, short))
    assert found["pl_mltply"] == "aten::mul.Tensor"
    assert found["pl_sbtr"] == "aten::sub.Tensor"


def test_letters_around_every_name(tmp_path: Path) -> None:
    names = {"exp": "exp", "abs": "abs", "neg": "neg", "sqrt": "sqrt", "flr": "floor"}
    text = "\n".join(f"void w{name}w_f(const float *x, float *y, int n);" for name in names)
    text += "void waddw_f(const float *a, const float *b, float *y, int n);"
    text += "void waddt_f(const float *a, float t, float *y, int n);"
    text += "void wmult_f(const float *a, float t, float *y, int n);"
    found = ops(matched(tmp_path, text))
    assert {f: found.get(f"w{f}w_f") for f in names} == {f: f"aten::{op}" for f, op in names.items()}
    assert found["waddw_f"] == "aten::add.Tensor"


def test_a_letter_behind_names_is_a_number_where_one_is_passed(tmp_path: Path) -> None:
    text = "\n".join(f"int pl_{op}g(const float *x, float g, float *y, int n);" for op in ("add", "mul", "sub"))
    text += f"{UNARY.format('exp')} {UNARY.format('tanh')} {BINARY.format('add')}"
    found = ops(matched(tmp_path, text))
    assert [found.get(f"pl_{op}g") for op in ("add", "mul", "sub")] == [
        "aten::add.Scalar",
        "aten::mul.Scalar",
        "aten::sub.Scalar",
    ]


@pytest.mark.parametrize("last", ["n", "number", "imm", "literal"])
def test_words_for_a_number(tmp_path: Path, last: str) -> None:
    text = f"int pl_mul_{last}(const float *x, float v, float *y, int count); {UNARY.format('exp')}"
    assert ops(matched(tmp_path, text))[f"pl_mul_{last}"] == "aten::mul.Scalar"


def test_letters_that_say_rows(tmp_path: Path) -> None:
    text = "\n".join(
        f"int pl_x{op}(const float *x, float *y, int rows, int cols);" for op in ("sum", "mean", "max", "min", "prod")
    )
    found = ops(matched(tmp_path, text))
    assert found["pl_xsum"] == "aten::sum"
    assert found["pl_xmax"] == "aten::max"
    assert len(found) == 5


def test_letters_that_make_another_op_are_no_habit() -> None:
    names = [([f"c{op}"], False) for op in ("exp", "sqrt", "mul", "div", "add")]
    assert affixes(names, plainly) == ()
    found = affixes([([f"w{op}"], False) for op in ("exp", "sqrt", "mul", "div", "add")], plainly)
    assert found == (("w", ""),)
    assert between("wneg", found, plainly) == ("neg", ("w", ""))
    assert between("wonder", found, plainly) is None


def test_an_enum_of_ops_says_what_a_strange_name_does_not(tmp_path: Path) -> None:
    text = """
    typedef enum { PL_J_EQ, PL_J_NE, PL_J_LT, PL_J_GE } pl_judgement;
    int pl_weigh_up(const float *a, const float *b, float *y, pl_judgement how, int n);
    int pl_exp(const float *x, float *y, int n);
    """
    result = matched(tmp_path, text)
    found = {m.aten for m in result.matches if m.function == "pl_weigh_up"}
    assert found == {"aten::eq.Tensor", "aten::ne.Tensor", "aten::lt.Tensor", "aten::ge.Tensor"}


def test_fixed_point_is_no_plain_op_behind_letters(tmp_path: Path) -> None:
    text = "\n".join(
        f"void w{op}w_q15(const short *a, const short *b, short *y, int n);" for op in ("add", "sub", "mul", "max")
    )
    text += "\n".join(f"void w{op}w_f(const float *x, float *y, int n);" for op in ("exp", "abs", "neg", "sqrt"))
    result = matched(tmp_path, text)
    assert "waddw_q15" not in ops(result)
    assert "waddw_q15" in {u.function for u in result.unbound}
    assert reason(result, "waddw_q15")
