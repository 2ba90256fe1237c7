"""Sample recipes by name (``OpSpec.samples``): shapes that catch tails, value classes, attribute values.

A recipe yields SampleSpecs, smallest first. Sizes go around the usual vector and tile widths (63, 64, 65, 127, 1031)
and through odd primes in several dimensions. ``level`` "probe" is one ordinary sample, "quick" a few, "release" all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from torchfl_sdk.conformance.cases.dtypes import is_float
from torchfl_sdk.conformance.cases.rules import RULES
from torchfl_sdk.conformance.cases.rules.base import EXACT
from torchfl_sdk.conformance.cases.rules.base import spec as _spec
from torchfl_sdk.conformance.cases.spec import SampleSpec, TensorSpec

from torchfl.catalogue import OpSpec

Shape = tuple[int, ...]
LEVELS = ("probe", "quick", "release")

_SHAPES: dict[str, tuple[Shape, ...]] = {
    "probe": ((65,),),
    "quick": ((65,), (5, 7, 3), (1031,)),
    "release": ((), (1,), (63,), (64,), (65,), (127,), (7, 13), (3, 5, 11), (2, 3, 5, 7), (257,), (1031,)),
}


def specs(op: OpSpec, dtype: str, seed: int, level: str) -> Iterator[SampleSpec]:
    """The samples of ``op`` in ``dtype``. Raises ValueError for a recipe or level that does not exist."""
    if level not in LEVELS:
        raise ValueError(f"unknown level {level!r}")
    rule = RULES.get(op.shape_rule)
    if rule is not None:
        for values in rule.grid(op, dtype, level):
            sample = rule.build(op, dtype, seed, values)
            if sample is None:
                raise ValueError(f"{op.name}: its rule makes no sample with {values}")
            yield sample
        return
    recipe = _RECIPES.get(op.samples)
    if recipe is None:
        raise ValueError(f"{op.name}: no sample recipe {op.samples!r}; known: {', '.join(sorted(_RECIPES))}")
    yield from recipe(op, dtype, seed, level)


def _dims(*shapes: Shape) -> str:
    return " x ".join("x".join(map(str, shape)) or "0-dim" for shape in shapes)


def _unary(fill: str, special: str) -> Callable[[OpSpec, str, int, str], Iterator[SampleSpec]]:
    def recipe(op: OpSpec, dtype: str, seed: int, level: str) -> Iterator[SampleSpec]:
        for shape in _SHAPES[level]:
            yield _spec(op, dtype, seed, _dims(shape), TensorSpec(shape, fill))
        if level == "probe":
            return
        if is_float(dtype):
            yield _spec(op, dtype, seed, "special values", TensorSpec((131,), special))
        else:
            yield _spec(op, dtype, seed, "full range", TensorSpec((521,), "special"))
        for name, value in _other_values(op):
            yield _spec(op, dtype, seed, f"65 {name}={value}", TensorSpec((65,), fill), **{name: value})

    return recipe


_OTHER = {"negative_slope": 0.25, "min_val": -0.5, "max_val": 0.75, "threshold": 1}


def _other_values(op: OpSpec) -> list[tuple[str, Any]]:
    """A value away from the default for each scalar attribute, and every choice but the first."""
    found: list[tuple[str, Any]] = [(a.name, _OTHER.get(a.name, 2)) for a in op.attrs if a.kind == "scalar"]
    return found + [(a.name, choice) for a in op.attrs for choice in a.choices[1:]]


def _binary(
    fill: str, *, first: str = "normal", promotes: bool = True, special: bool = True
) -> Callable[[OpSpec, str, int, str], Iterator[SampleSpec]]:
    def recipe(op: OpSpec, dtype: str, seed: int, level: str) -> Iterator[SampleSpec]:
        def pair(label: str, a: Shape, b: Shape, *, fa: str = first, fb: str = fill, **more: Any) -> SampleSpec:
            host, other = more.pop("host", -1), more.pop("other", "")
            left, right = TensorSpec(a, fa, host=host == 0), TensorSpec(b, fb, dtype=other, host=host == 1)
            return _spec(op, dtype, seed, label, left, right, **more)

        for shape in _SHAPES[level]:
            yield pair(_dims(shape), shape, shape)
        if level == "probe":
            return
        if is_float(dtype) and special:
            yield pair("special values", (811,), (811,), fa="special:0", fb="special:1")
        elif not is_float(dtype):
            yield pair("full range", (521,), (521,), fa="special", fb="full_range")
        yield pair("broadcast " + _dims((5, 7), (7,)), (5, 7), (7,))
        yield pair("0-dim CPU other", (65,), (), host=1)
        if level == "quick":
            return
        for a, b in (
            ((3, 1, 5), (1, 4, 5)),
            ((7,), (5, 7)),
            ((5, 1), (5, 13)),
            ((65,), ()),
            ((), (65,)),
            ((1,), (3, 7)),
        ):
            yield pair("broadcast " + _dims(a, b), a, b)
        yield pair("0-dim CPU self", (), (65,), host=0)
        if any(a.name == "alpha" for a in op.attrs):
            yield pair("65 alpha=2", (65,), (65,), alpha=2)
            if is_float(dtype):
                yield pair("65 alpha=-0.5", (65,), (65,), alpha=-0.5)
        for other in ("float32", "int32") if promotes else ():
            if other != dtype:
                yield pair(f"65 promoted with {other}", (65,), (65,), other=other)

    return recipe


def _contraction(
    shapes: dict[str, tuple[Shape, ...]],
    operands: Callable[..., tuple[TensorSpec, ...]],
    extra: Callable[..., Any] | None = None,
) -> Callable[[OpSpec, str, int, str], Iterator[SampleSpec]]:
    """Products over ``shapes``; ``operands(shape, left, right)`` gives the inputs for two fills."""

    def recipe(op: OpSpec, dtype: str, seed: int, level: str) -> Iterator[SampleSpec]:
        for shape in shapes[level]:
            yield _spec(op, dtype, seed, _dims(shape), *operands(shape, "normal", "normal"))
        if level == "probe":
            return
        shape = shapes["exact"][0]
        if is_float(dtype):
            odd, dense = EXACT[dtype]
            fills = [(f"odd:{dense}", "signs", "dense integers")]
            if op.samples in ("mm", "addmm", "bmm"):
                fills.append((f"odd:{odd}", "pick", f"odd {odd}-bit integers"))
            for left, right, label in fills:
                yield _spec(op, dtype, seed, f"exact {label}", *operands(shape, left, right), exact=True)
        if extra is not None:
            for label, inputs, attrs in extra(level):
                yield _spec(op, dtype, seed, label, *inputs, **attrs)

    return recipe


_MM: dict[str, tuple[Shape, ...]] = {
    "probe": ((17, 13, 19),),
    "quick": ((4, 5, 6), (17, 65, 19), (65, 33, 63)),
    "release": (
        (1, 1, 1), (4, 5, 6), (17, 13, 19), (63, 65, 64), (64, 64, 64), (65, 129, 33), (1, 64, 1), (1, 65, 7),
        (64, 1, 65), (5, 257, 3), (7, 1031, 5), (128, 127, 65),
    ),
    "exact": ((17, 65, 19),),
}  # fmt: skip
_MV: dict[str, tuple[Shape, ...]] = {
    "probe": ((17, 13),),
    "quick": ((4, 5), (65, 63)),
    "release": ((1, 1), (4, 5), (17, 13), (63, 65), (65, 127), (1, 65), (257, 1), (5, 1031)),
    "exact": ((17, 65),),
}
_DOT: dict[str, tuple[Shape, ...]] = {
    "probe": ((65,),),
    "quick": ((5,), (65,), (1031,)),
    "release": ((1,), (5,), (63,), (64,), (65,), (127,), (1031,)),
    "exact": ((65,),),
}
_ADDR: dict[str, tuple[Shape, ...]] = {
    "probe": ((17, 13),),
    "quick": ((4, 5), (65, 63)),
    "release": ((1, 1), (4, 5), (17, 13), (63, 65)),
    "exact": ((17, 65),),
}
_BMM: dict[str, tuple[Shape, ...]] = {
    "probe": ((3, 5, 7, 11),),
    "quick": ((1, 4, 5, 6), (3, 17, 65, 19)),
    "release": (
        (1, 1, 1, 1),
        (1, 4, 5, 6),
        (3, 5, 7, 11),
        (2, 17, 65, 19),
        (5, 3, 127, 2),
        (2, 64, 64, 64),
        (7, 1, 33, 1),
    ),
    "exact": ((2, 17, 65, 19),),
}


def _addmm_operands(shape: Shape, left: str, right: str) -> tuple[TensorSpec, ...]:
    m, k, n = shape
    c = "normal" if left == "normal" else "signs"
    return TensorSpec((m, n), c), TensorSpec((m, k), left), TensorSpec((k, n), right)


def _baddbmm_operands(shape: Shape, left: str, right: str) -> tuple[TensorSpec, ...]:
    b, m, k, n = shape
    c = "normal" if left == "normal" else "signs"
    return TensorSpec((b, m, n), c), TensorSpec((b, m, k), left), TensorSpec((b, k, n), right)


def _addmv_operands(shape: Shape, left: str, right: str) -> tuple[TensorSpec, ...]:
    c = "normal" if left == "normal" else "signs"
    return TensorSpec(shape[:1], c), TensorSpec(shape, left), TensorSpec(shape[1:], right)


def _addr_operands(shape: Shape, left: str, right: str) -> tuple[TensorSpec, ...]:
    c = "normal" if left == "normal" else "signs"
    return TensorSpec(shape, c), TensorSpec(shape[:1], left), TensorSpec(shape[1:], right)


def _addmm_extra(level: str) -> Iterator[tuple[str, tuple[TensorSpec, ...], dict[str, Any]]]:
    def inputs(c: Shape, fill: str = "normal") -> tuple[TensorSpec, ...]:
        return TensorSpec(c, fill), TensorSpec((17, 13)), TensorSpec((13, 19))

    yield "bias row 19", inputs((19,)), {}
    yield "beta=0 ignores NaN", inputs((17, 19), "nan"), {"beta": 0}
    yield "beta=0.5 alpha=2", inputs((17, 19)), {"beta": 0.5, "alpha": 2}
    if level == "release":
        yield "bias 1x19", inputs((1, 19)), {}
        yield "bias column 17x1", inputs((17, 1)), {}
        yield "bias 0-dim", inputs(()), {}
        yield "beta=-1 alpha=-1.5", inputs((17, 19)), {"beta": -1, "alpha": -1.5}
        yield "bias row beta=2", inputs((19,)), {"beta": 2}
        yield "beta=0 alpha=0.5", inputs((17, 19)), {"beta": 0, "alpha": 0.5}


def conv_spec(
    op: OpSpec, dtype: str, seed: int, *, batch: int = 2, channels: int = 4, size: Shape = (9, 11), out: int = 4,
    kernel: Shape = (3, 3), stride: Shape = (1, 1), padding: Shape = (0, 0), dilation: Shape = (1, 1), groups: int = 1,
    bias: bool = True, fills: tuple[str, str] = ("normal", "normal"), exact: bool = False,
) -> SampleSpec:  # fmt: skip
    """One 2-d convolution. ``size`` and ``kernel`` are (height, width)."""
    label = f"{batch}x{channels}x{size[0]}x{size[1]} to {out} k{kernel[0]}x{kernel[1]} s{stride[0]}{stride[1]}"
    label += f" p{padding[0]}{padding[1]} d{dilation[0]}{dilation[1]} g{groups}" + ("" if bias else " no bias")
    return _spec(
        op, dtype, seed, ("exact " if exact else "") + label,
        TensorSpec((batch, channels, *size), fills[0]),
        TensorSpec((out, channels // groups, *kernel), fills[1]),
        TensorSpec((out,), "signs" if exact else "normal") if bias else None,
        exact=exact, stride=stride, padding=padding, dilation=dilation, transposed=False, output_padding=(0, 0),
        groups=groups,
    )  # fmt: skip


def _conv2d(op: OpSpec, dtype: str, seed: int, level: str) -> Iterator[SampleSpec]:
    def conv(**how: Any) -> SampleSpec:
        return conv_spec(op, dtype, seed, **how)

    yield conv()
    if level == "probe":
        return
    if is_float(dtype):
        yield conv(channels=3, out=5, fills=(f"odd:{EXACT[dtype][1]}", "signs"), exact=True)
    yield conv(batch=1, channels=3, out=5, size=(8, 7), stride=(2, 2), padding=(1, 1))
    yield conv(stride=(2, 1), padding=(0, 1))
    yield conv(groups=2, bias=False)
    if level == "quick":
        return
    yield conv(kernel=(1, 1), bias=False)
    yield conv(kernel=(1, 1), channels=65, out=3, size=(3, 5))
    yield conv(kernel=(5, 5), padding=(2, 2))
    yield conv(kernel=(1, 3), padding=(0, 1))
    yield conv(kernel=(3, 1), padding=(1, 0))
    yield conv(stride=(1, 2))
    yield conv(stride=(4, 4), size=(13, 17), padding=(1, 1))
    yield conv(padding=(1, 2))
    yield conv(groups=4)
    yield conv(groups=4, out=8, padding=(1, 1))
    yield conv(size=(3, 3), bias=False)
    yield conv(channels=7, out=17, size=(13, 9), padding=(2, 2), stride=(2, 2))
    yield conv(batch=1, channels=1, out=1, size=(5, 5))
    yield conv(dilation=(2, 2))
    yield conv(dilation=(1, 2), padding=(1, 1))
    yield conv(stride=(3, 3))
    yield conv(padding=(3, 3))


def _ternary(second: str) -> Callable[[OpSpec, str, int, str], Iterator[SampleSpec]]:
    def recipe(op: OpSpec, dtype: str, seed: int, level: str) -> Iterator[SampleSpec]:
        def three(label: str, *shapes: Shape, **attrs: Any) -> SampleSpec:
            fills = ("normal", "normal", second)
            return _spec(op, dtype, seed, label, *map(TensorSpec, shapes, fills), **attrs)

        for shape in _SHAPES[level]:
            yield three(_dims(shape), shape, shape, shape, value=1)
        if level == "release":
            yield three("broadcast", (5, 7), (7,), (5, 1), value=1)
            yield three("65 value=-0.5", (65,), (65,), (65,), value=-0.5)

    return recipe


def _where(op: OpSpec, dtype: str, seed: int, level: str) -> Iterator[SampleSpec]:
    def three(label: str, *shapes: Shape, special: bool = False) -> SampleSpec:
        fills = ("mask", "special:0", "special:1") if special and is_float(dtype) else ("mask", "normal", "normal")
        mask, left, right = (TensorSpec(s, f) for s, f in zip(shapes, fills, strict=True))
        return _spec(op, dtype, seed, label, replace(mask, dtype="bool"), left, right)

    for shape in _SHAPES[level]:
        yield three(_dims(shape), shape, shape, shape)
    if level == "probe":
        return
    yield three("special values", (811,), (811,), (811,), special=True)
    yield three("broadcast", (5, 1), (7,), (5, 7))
    if level == "release":
        yield three("0-dim other", (65,), (65,), ())


def _masked_fill(op: OpSpec, dtype: str, seed: int, level: str) -> Iterator[SampleSpec]:
    def filled(label: str, shape: Shape, mask: Shape, value: Any) -> SampleSpec:
        return _spec(op, dtype, seed, label, TensorSpec(shape), TensorSpec(mask, "mask", dtype="bool"), value=value)

    for shape in _SHAPES[level]:
        yield filled(_dims(shape), shape, shape, 3)
    if level == "probe":
        return
    if is_float(dtype):
        yield filled("65 value=-inf", (65,), (65,), float("-inf"))
    yield filled("broadcast", (5, 7), (7,), -2)


_LEVELS = (-2.0, 0.0, 1.0, 3.0)  # as the fill draws them
#: The last elements' places among the levels, so that each comparison is true there.
_LAST_LEVELS = {
    "aten::eq": (3, 3), "aten::le": (3, 3), "aten::ge": (3, 3), "aten::ne": (3, 1), "aten::gt": (3, 1),
    "aten::lt": (1, 3), "aten::logical_and": (3, 2), "aten::logical_or": (3, 1), "aten::logical_xor": (3, 1),
}  # fmt: skip


def _compare(op: OpSpec, dtype: str, seed: int, level: str) -> Iterator[SampleSpec]:
    left, right = (f"levels:{last}" for last in _LAST_LEVELS[op.name])

    def pair(label: str, a: Shape, b: Shape, fills: tuple[str, str] = (left, right), host: bool = False) -> SampleSpec:
        return _spec(op, dtype, seed, label, TensorSpec(a, fills[0]), TensorSpec(b, fills[1], host=host))

    for shape in _SHAPES[level]:
        yield pair(_dims(shape), shape, shape)
    if level == "probe":
        return
    if is_float(dtype):
        lasts = [_LEVELS[level] for level in _LAST_LEVELS[op.name]]
        yield pair("special values", (811,), (811,), (f"special:0:{lasts[0]}", f"special:1:{lasts[1]}"))
    yield pair("broadcast " + _dims((5, 7), (7,)), (5, 7), (7,))
    if level == "release":
        yield pair("0-dim CPU other", (65,), (), host=True)


#: What each dtype is cast to.
_CASTS = {"float32": "float16", "float16": "float32", "int8": "float32", "uint8": "float32"}


def _cast(op: OpSpec, dtype: str, seed: int, level: str) -> Iterator[SampleSpec]:
    to = _CASTS.get(dtype, "float32" if dtype != "float32" else "float16")
    for shape in _SHAPES[level]:
        yield _spec(op, dtype, seed, f"{_dims(shape)} to {to}", TensorSpec(shape), dtype_attr=to)
    if level != "probe":
        fill = "special" if is_float(dtype) else "full_range"
        yield _spec(op, dtype, seed, f"special values to {to}", TensorSpec((131,), fill), dtype_attr=to)


def _clamp(op: OpSpec, dtype: str, seed: int, level: str) -> Iterator[SampleSpec]:
    for shape in _SHAPES[level]:
        yield _spec(op, dtype, seed, _dims(shape), TensorSpec(shape), min=-1, max=2)
    if level == "probe":
        return
    yield _spec(op, dtype, seed, "special values", TensorSpec((131,), "special"), min=-1, max=2)
    yield _spec(op, dtype, seed, "65 without max", TensorSpec((65,)), min=0.5, max=None)


_RECIPES: dict[str, Callable[[OpSpec, str, int, str], Iterator[SampleSpec]]] = {
    "unary": _unary("normal", "special"),
    "unary_positive": _unary("positive", "special_positive"),
    "unary_unit": _unary("unit", "special"),
    "unary_above_one": _unary("above_one", "special_positive"),
    "binary": _binary("normal"),
    "binary_nonzero": _binary("nonzero"),
    "mm": _contraction(_MM, lambda s, a, b: (TensorSpec(s[:2], a), TensorSpec(s[1:], b))),
    "addmm": _contraction(_MM, _addmm_operands, _addmm_extra),
    "bmm": _contraction(_BMM, lambda s, a, b: (TensorSpec(s[:3], a), TensorSpec((s[0], *s[2:]), b))),
    "mv": _contraction(_MV, lambda s, a, b: (TensorSpec(s, a), TensorSpec(s[1:], b))),
    "dot": _contraction(_DOT, lambda s, a, b: (TensorSpec(s, a), TensorSpec(s, b))),
    "conv2d": _conv2d,
    "baddbmm": _contraction(_BMM, _baddbmm_operands),
    "addmv": _contraction(_MV, _addmv_operands),
    "addr": _contraction(_ADDR, _addr_operands),
    "unary_finite": _unary("normal", "special_finite"),  # CPU's own kernels differ at infinity
    "unary_integer": _unary("normal", "special"),
    "binary_positive": _binary("normal", first="positive"),
    "binary_remainder": _binary("nonzero", special=False),  # CPU's own kernels differ at denormal divisors
    "binary_integer": _binary("normal", promotes=False),
    "ternary": _ternary("normal"),
    "ternary_nonzero": _ternary("nonzero"),
    "where": _where,
    "masked_fill": _masked_fill,
    "compare": _compare,
    "logical_not": _unary("levels:1", "special:0:0"),
    "clamp": _clamp,
    "cast": _cast,
}
