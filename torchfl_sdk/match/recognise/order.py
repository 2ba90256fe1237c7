"""Operands that the prose of a header exchanges: ``Sub(X,Y,Z): Z = Y - X``, "signal1 is subtracted from signal2"."""

from __future__ import annotations

import re

from torchfl_sdk.header.model import Function
from torchfl_sdk.match.operands import reversed_operands
from torchfl_sdk.match.recognise.blas_order import Tensors

_FORMULA = re.compile(
    r"(\w+)\s*\(\s*([\w\s,*&\[\]]+?)\)\s*:?\s*(\w+)\s*(?:\[[^\]]*\]|\([^)]*\))?\s*:?=\s*"
    r"(\w+)\s*(?:\[[^\]]*\]|\([^)]*\))?\s*([-/])\s*(\w+)"
)
_LEFT = {"-": ("minuend",), "/": ("dividend", "numerator")}
_RIGHT = {"-": ("subtrahend",), "/": ("divisor", "denominator")}
_SIGNS = {"aten::sub.Tensor": "-", "aten::div.Tensor": "/"}


def in_order(function: Function, aten: str, operands: int, found: Tensors) -> None:
    """Puts the two operands of a match into the order that the function's comment tells; ``operands``: all it has."""
    by_role = {role: index for index, role in found.roles.items()}
    if not {"input", "input2"} <= set(by_role):
        return
    first, second = sorted((by_role["input"], by_role["input2"]))
    names = [function.params[i].name for i in (first, second)]
    said = exchanged(aten, function.name, function.comment, names[0], names[1], operands)
    if said is None:
        return
    found.evidence.append(f"its comment says the order of '{names[0]}' and '{names[1]}'")
    found.roles[first], found.roles[second] = ("input2", "input") if said else ("input", "input2")


def exchanged(aten: str, function: str, comment: str, first: str, second: str, operands: int = 3) -> bool | None:
    """True if the comment says that the result is ``second - first`` (or ``/``), False for the opposite, else None.

    ``operands``: how many tensors the function has, for formulas that name them by position.
    """
    sign = _SIGNS.get(aten)
    if sign is None or not comment:
        return None
    first, second = first.strip("_"), second.strip("_")  # prose names them without the marks of a reserved name
    said = reversed_operands(aten.split(".")[0], comment, first, second)
    if said is not None:
        return said
    for name, given, result, left, operator, right in _FORMULA.findall(comment):
        names = [n.strip(" *&[]") for n in given.split(",")]
        if operator != sign or name.lower() not in function.lower() or len(names) != operands:
            continue
        if left in names and right in names and result in names:
            return names.index(right) < names.index(left)
    said = _prose(sign, comment)
    return _described(sign, comment, first, second) if said is None else said


def _described(sign: str, comment: str, first: str, second: str) -> bool | None:
    """Each argument's line of the comment says what it is: divisor, dividend, minuend, subtrahend."""
    left, right = _LEFT[sign], _RIGHT[sign]

    def line(name: str) -> str:
        match = re.search(rf"\b{re.escape(name)}\b[ \t]*[:\-]?[ \t]*([^\n]{{0,90}})", comment) if name else None
        return match[1].lower() if match else ""

    one, two = line(first), line(second)
    if any(w in one for w in right) and not any(w in one for w in left):
        return True
    if any(w in one for w in left) and not any(w in one for w in right):
        return False
    if any(w in two for w in left) and not any(w in two for w in right):
        return True
    return None


def _prose(sign: str, comment: str) -> bool | None:
    """Numbered operands: "signal1 elements to be subtracted from signal2 elements"."""
    if sign == "-":
        patterns = (
            (r"([A-Za-z]+)[ _]?([12])\b[^.;]{0,60}?\bsubtracted\s+from\b[^.;]{0,40}?\b\1[ _]?([12])\b", True),
            (
                r"\bsubtract\w*\s+(?:the\s+)?([A-Za-z]+)[ _]?([12])\b[^.;]{0,60}?\bfrom\b[^.;]{0,40}?\b\1[ _]?([12])\b",
                True,
            ),
            (r"([A-Za-z]+)[ _]?([12])\b[^.;]{0,20}?(?:\bminus\b|-)\s*(?:the\s+)?\b\1[ _]?([12])\b", False),
        )
    else:
        patterns = (
            (r"([A-Za-z]+)[ _]?([12])\b[^.;]{0,60}?\bdivisors?\b[^.;]{0,60}?\b\1[ _]?([12])\b", True),
            (r"([A-Za-z]+)[ _]?([12])\b[^.;]{0,40}?\b(?:to be\s+)?divided\s+into\b[^.;]{0,40}?\b\1[ _]?([12])\b", True),
            (r"([A-Za-z]+)[ _]?([12])\b[^.;]{0,60}?(?:\bdivided\s+by\b|/)[^.;]{0,40}?\b\1[ _]?([12])\b", False),
        )
    said = set()
    for pattern, right_first in patterns:
        for _, one, two in re.findall(pattern, comment, re.I | re.S):
            if one != two:
                said.add((one == "1") == right_first)
    return said.pop() if len(said) == 1 else None
