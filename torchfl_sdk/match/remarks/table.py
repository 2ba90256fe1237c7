"""Which op a formula computes: the same numbers at the same points, whatever it is written like."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from torchfl_sdk.match.remarks.expressions import NoFormula, Tree
from torchfl_sdk.match.remarks.values import FUNCTIONS, NAN, sigmoid, value
from torchfl_sdk.match.tokens import words


@dataclass(frozen=True)
class Form:
    """An op element by element: what its operands and numbers are, in the order of the function's arguments."""

    aten: str
    tensors: tuple[str, ...]
    numbers: tuple[str, ...]
    function: Callable[..., float]
    constant: bool = False  # a number stands for the second operand


def _f(aten: str, roles: str, function: Callable[..., float], numbers: str = "", constant: bool = False) -> Form:
    return Form(f"aten::{aten}", tuple(roles.split()), tuple(numbers.split()), function, constant)


def _unary() -> Iterator[Form]:
    for name in words(
        """abs exp exp2 expm1 log log2 log10 log1p sqrt rsqrt square sin cos tan asin acos atan sinh cosh tanh asinh
        acosh atanh erf erfc floor ceil round trunc sign sigmoid relu relu6 softplus reciprocal"""
    ):
        yield _f(name, "input", FUNCTIONS[name])


def _gelu(x: float) -> float:
    return 0.5 * x * (1 + math.erf(x / math.sqrt(2)))


def _gelu_by_tanh(x: float) -> float:
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


_RELATIONS: dict[str, Callable[[float, float], float]] = {
    "eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
}  # fmt: skip


def _two() -> Iterator[Form]:
    plain: tuple[tuple[str, Callable[[float, float], float]], ...] = (
        ("add.Tensor", lambda a, b: a + b), ("sub.Tensor", lambda a, b: a - b), ("mul.Tensor", lambda a, b: a * b),
        ("div.Tensor", lambda a, b: a / b), ("pow.Tensor_Tensor", lambda a, b: a**b), ("maximum", max),
        ("minimum", min), ("fmod.Tensor", math.fmod),
        *((f"{name}.Tensor", function) for name, function in _RELATIONS.items()),
    )  # fmt: skip
    for aten, function in plain:
        yield _f(aten, "input input2", function)
        if aten not in ("add.Tensor", "sub.Tensor"):
            yield _f(aten, "input", function, "scalar", True)
    yield _f("add.Tensor", "input", lambda a, k: a + k, "scalar", True)
    yield _f("sub.Tensor", "input", lambda a, k: a - k, "scalar", True)
    yield _f("atan2", "input input2", math.atan2)
    yield _f("hypot", "input input2", math.hypot)
    yield _f("logical_and", "input input2", lambda a, b: bool(a) and bool(b))
    yield _f("logical_or", "input input2", lambda a, b: bool(a) or bool(b))
    yield _f("_prelu_kernel", "input weight", lambda x, w: x if x > 0 else w * x)


FORMS: tuple[Form, ...] = (
    *_unary(),
    *_two(),
    _f("neg", "input", lambda x: -x),
    _f("logical_not", "input", lambda x: not x),
    _f("silu", "input", lambda x: x * sigmoid(x)),
    _f("mish", "input", lambda x: x * math.tanh(math.log1p(math.exp(x)))),
    _f("hardsigmoid", "input", lambda x: min(max(x + 3, 0), 6) / 6),
    _f("hardswish", "input", lambda x: x * min(max(x + 3, 0), 6) / 6),
    _f("log_sigmoid", "input", lambda x: math.log(sigmoid(x))),
    _f("gelu", "input", _gelu),
    _f("gelu", "input", _gelu_by_tanh),
    _f("logit", "input", lambda x: math.log(x / (1 - x))),
    _f("leaky_relu", "input", lambda x, k: x if x > 0 else k * x, "negative_slope"),
    _f("elu", "input", lambda x: x if x > 0 else math.expm1(x)),
    _f("elu", "input", lambda x, k: x if x > 0 else k * math.expm1(x), "alpha"),
    _f("clamp", "input", lambda x, low, high: min(max(x, low), high), "min max"),
    _f("clamp", "input", lambda x, high: min(max(x, 0), high), "max"),
    _f("threshold", "input", lambda x, t, v: x if x > t else v, "threshold value"),
    _f("add.Tensor", "input input2", lambda a, b, k: a + k * b, "alpha"),
    _f("sub.Tensor", "input input2", lambda a, b, k: a - k * b, "alpha"),
    _f("rsub.Scalar", "input", lambda a, k: k - a, "scalar", True),
    _f("where.self", "condition input input2", lambda c, a, b: a if c else b),
    _f("masked_fill.Scalar", "input mask", lambda x, m, v: v if m else x, "value"),
    _f("addcmul", "input input2 input3", lambda c, a, b: c + a * b),
    _f("addcmul", "input input2 input3", lambda c, a, b, k: c + k * a * b, "value"),
    _f("addcdiv", "input input2 input3", lambda c, a, b: c + a / b),
    _f("addcdiv", "input input2 input3", lambda c, a, b, k: c + k * a / b, "value"),
    _f("lerp.Tensor", "input input2", lambda a, b, k: a + k * (b - a), "weight", True),
    _f("lerp.Tensor", "input input2 weight", lambda a, b, w: a + w * (b - a)),
)

#: Products of matrices by the same numbers, where something says that the operands are matrices.
MATRICES: tuple[Form, ...] = (
    _f("mm", "input input2", lambda a, b: a * b),
    _f("addmm", "bias input input2", lambda c, a, b: c + a * b),
    _f("addmm", "bias input input2", lambda c, a, b, k: c + k * a * b, "alpha"),
    _f("addmm", "bias input input2", lambda c, a, b, k, m: m * c + k * a * b, "alpha beta"),
)

_POINTS = 14


def matching(tree: Tree, tensors: Sequence[str], numbers: Sequence[str], forms: Sequence[Form]) -> Iterator[
    tuple[Form, tuple[str, ...], tuple[str, ...]]
]:  # fmt: skip
    """Forms that give what ``tree`` gives, with which name is which of their tensors and of their numbers."""
    points = list(_points([*tensors, *numbers]))
    try:
        wanted = [value(tree, at) for at in points]
    except (NoFormula, KeyError):
        return
    for form in forms:
        if len(form.tensors) != len(tensors) or len(form.numbers) != len(numbers):
            continue
        for given in itertools.permutations(tensors):
            for more in itertools.permutations(numbers):
                if _same(form, [*given, *more], points, wanted):
                    yield form, given, more


def _points(names: Sequence[str]) -> Iterator[dict[str, float]]:
    """Points on every side of the places where ops change: zero, one, three, six, equal operands."""
    dice = random.Random(7)
    yield {n: 7.3 + 0.9 * k for k, n in enumerate(names)}
    yield {n: -7.1 - 0.7 * k for k, n in enumerate(names)}
    for i in range(_POINTS):
        wide = 9.0 if i % 3 == 0 else 1.6
        at = {n: round(dice.uniform(-wide, wide), 3) for n in names}
        if i % 4 == 1:
            at = {n: abs(v) for n, v in at.items()}
        if i % 5 == 2 and len(names) > 1:
            at[names[0]] = at[names[1]] = 0.5
        if i % 7 == 3 and names:
            at[names[i % len(names)]] = 0.0
        yield at


def _same(form: Form, names: Sequence[str], points: Sequence[dict[str, float]], wanted: Sequence[float]) -> bool:
    fits = 0
    for at, expected in zip(points, wanted, strict=True):
        try:
            found = form.function(*(at[n] for n in names))
            made = NAN if isinstance(found, complex) else float(found)
        except (ValueError, OverflowError, ZeroDivisionError):
            made = NAN
        if math.isnan(made) or math.isnan(expected):
            continue  # one of them has no value here
        if not math.isclose(made, expected, rel_tol=1e-9, abs_tol=1e-12):
            return False
        fits += 1
    return 3 * fits >= len(points)  # log and its kin have values on one side alone
