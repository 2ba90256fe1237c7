"""What a formula's tree gives for numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from torchfl_sdk.match.remarks.expressions import NoFormula, Tree

NAN = float("nan")


def _guarded(function: Callable[..., float]) -> Callable[..., float]:
    """The function, with NaN where it has no value."""

    def call(*arguments: float) -> float:
        try:
            made = function(*arguments)
        except (ValueError, OverflowError, ZeroDivisionError):
            return NAN
        return NAN if isinstance(made, complex) else float(made)

    return call


def _sign(x: float) -> float:
    return float((x > 0) - (x < 0))


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def _clamp(x: float, low: float, high: float) -> float:
    return min(max(x, low), high)


#: Functions of formulas by the names that comments give them.
FUNCTIONS: dict[str, Callable[..., float]] = {
    name: _guarded(function)
    for names, function in (
        ("abs fabs", abs), ("exp", math.exp), ("exp2", lambda x: 2.0**x), ("expm1", math.expm1),
        ("log ln loge", math.log), ("log2", math.log2), ("log10", math.log10), ("log1p", math.log1p),
        ("sqrt", math.sqrt), ("rsqrt", lambda x: 1 / math.sqrt(x)), ("square sqr", lambda x: x * x),
        ("sin", math.sin), ("cos", math.cos), ("tan", math.tan), ("asin", math.asin), ("acos", math.acos),
        ("atan", math.atan), ("sinh", math.sinh), ("cosh", math.cosh), ("tanh", math.tanh), ("asinh", math.asinh),
        ("acosh", math.acosh), ("atanh", math.atanh), ("erf", math.erf), ("erfc", math.erfc),
        ("floor", math.floor), ("ceil", math.ceil), ("round rint", round), ("trunc", math.trunc),
        ("sign sgn signum", _sign), ("sigmoid sigm logistic", sigmoid), ("relu", lambda x: max(x, 0.0)),
        ("relu6", lambda x: _clamp(x, 0, 6)), ("softplus", lambda x: math.log1p(math.exp(x))),
        ("max fmax maximum", max), ("min fmin minimum", min), ("pow power", lambda x, y: x**y),
        ("atan2", math.atan2), ("hypot", math.hypot), ("fmod", math.fmod), ("clamp clip", _clamp),
        ("recip reciprocal", lambda x: 1 / x),
    )
    for name in names.split()
}  # fmt: skip
#: Functions of a whole operand, which no single number has.
WHOLE = frozenset(("sum", "total", "mean", "avg", "average", "prod", "norm", "dot"))
KNOWN = frozenset(FUNCTIONS) | WHOLE | frozenset(("transpose", "trans"))

_OPERATORS: dict[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "@": lambda a, b: a * b,
    "/": lambda a, b: a / b, "%": math.fmod, "^": lambda a, b: a**b, "**": lambda a, b: a**b,
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b, ">=": lambda a, b: a >= b, "&&": lambda a, b: bool(a) and bool(b),
    "||": lambda a, b: bool(a) or bool(b), "u-": lambda a: -a, "u!": lambda a: not a,
}  # fmt: skip
_OPERATORS = {name: _guarded(function) for name, function in _OPERATORS.items()}


def value(tree: Tree, at: Mapping[str, float]) -> float:
    """The value of a tree where its names have these; NaN where it has none. Raises ``NoFormula`` for what only
    integers or whole operands have."""
    head = tree[0]
    if head == "number":
        return float(tree[1])
    if head == "name":
        return at[tree[1]]
    if head == "?":
        condition = value(tree[1], at)
        return NAN if math.isnan(condition) else value(tree[2] if condition else tree[3], at)
    if head == "call":
        function = FUNCTIONS.get(tree[1])
        if function is None:
            raise NoFormula
        given = [value(t, at) for t in tree[2:]]
    else:
        function = _OPERATORS.get(head)
        if function is None:
            raise NoFormula
        given = [value(t, at) for t in tree[1:]]
    if any(math.isnan(g) for g in given):
        return NAN
    try:
        return function(*given)
    except TypeError:
        raise NoFormula from None  # another number of arguments


def names_of(tree: Tree) -> list[str]:
    """The names in a tree in their order."""
    if tree[0] == "name":
        return [tree[1]]
    found = [n for t in tree[1:] if isinstance(t, tuple) for n in names_of(t)]
    return list(dict.fromkeys(found))


def calls(tree: Tree) -> bool:
    """Whether it computes anything at all."""
    return tree[0] not in ("name", "number")
