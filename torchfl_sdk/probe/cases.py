"""What to ask: values of each variable to try, and a sample in which several variables have given values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import lcm
from typing import Any

from torchfl.catalogue import Attr, OpSpec
from torchfl.profile import OpEntry
from torchfl_sdk.conformance.cases.at_value import spec_with
from torchfl_sdk.conformance.cases.recipes import conv_spec, specs
from torchfl_sdk.conformance.cases.rules import RULES
from torchfl_sdk.conformance.cases.rules.products import product_shapes
from torchfl_sdk.conformance.cases.spec import SampleSpec, TensorSpec
from torchfl_sdk.probe.limits import within

#: Extents around the widths that kernels like, each with its neighbours.
_EXTENTS = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 512, 1024)
_CHANNELS = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 32, 33, 64, 65)
_COUNTS = (1, 2, 3, 7, 8, 15, 16, 17, 63, 64, 65, 127, 128, 1031, 65537)
_MOST_ROWS = 1 << 20

#: Base values in turn, for kernels that refuse the ordinary sample: sizes that are multiples of 16, 64 and 128.
_ROUND = (16, 64, 128)


def attribute_like(op: OpSpec) -> tuple[str, ...]:
    """Variables whose limits a profile states as lists: the attributes, a convolution's kernel size, and whether an
    optional input is given."""
    if op.shape_rule in RULES:
        asked = RULES[op.shape_rule].asked
        return (*(a.name for a in op.attrs if a.name in asked), *op.optional_inputs)
    extra = ("kernel_size",) if op.shape_rule == "conv" else ()
    return (*(a.name for a in op.attrs if a.is_variable), *extra, *op.optional_inputs)


def sizes_of(op: OpSpec) -> tuple[str, ...]:
    """Variables whose limits a profile states as bounds: sizes and ranks that the op's rule leaves open."""
    if op.shape_rule in RULES:
        sizes: tuple[str, ...] = RULES[op.shape_rule].sizes
        return sizes
    if op.shape_rule == "conv":
        return ("in_channels", "out_channels")
    if op.elementwise:
        return ("rank", "numel")
    return tuple(v for v in op.variables if v in ("batch", "M", "N", "K"))


def candidates(op: OpSpec, variable: str, declared: Any = None) -> list[Any]:
    """The values to ask for, those that a constraint in the profile already excludes left out.

    ``declared`` is that constraint as the profile writes it: a list is asked as it stands.
    """
    if isinstance(declared, list):
        return list(declared)
    attr = next((a for a in op.attrs if a.name == variable), None)
    if variable in op.optional_inputs:
        return [value for value in (True, False) if within(declared, value)]
    values: list[Any]
    own = RULES[op.shape_rule].candidates(op, variable) if op.shape_rule in RULES else None
    if own is not None:
        values = own
    elif attr is not None:
        values = _attribute_values(op, attr)
    elif variable == "kernel_size":
        values = [1, 2, 3, 4, 5, 6, 7, 8, 11, 16]
    elif variable == "rank":
        values = list(range(9))
    elif variable == "numel":
        values = list(_COUNTS)
    else:
        values = list(_CHANNELS if variable.endswith("channels") else _EXTENTS)
    return [value for value in values if within(declared, value)]


def _attribute_values(op: OpSpec, attr: Attr) -> list[Any]:
    if attr.choices:
        return list(attr.choices)
    if attr.kind == "bool":
        return [False, True]
    if attr.kind == "int_list" or attr.name == "groups":
        return [*range(0 if attr.name in ("padding", "output_padding") else 1, 9), 16]
    if attr.kind == "int":
        return [0, 1, 2, 3, -1]
    common = [0, 1, 2, -1] if attr.required else [0, 1, 2, -1, 0.5, -1.5]  # an integer tensor takes no 0.5
    if attr.default in (float("inf"), -float("inf")):
        return common  # a bound that is not there is asked by the recipe
    return common if attr.default in (None, *common) else [attr.default, *common]


def bases(op: OpSpec, entry: OpEntry) -> Iterator[dict[str, Any]]:
    """Values to hold the other variables at, the ordinary sample first: the one inside of what the entry limits to one
    value that the ordinary call does not have."""
    usual = {a.name: a.default for a in op.attrs}
    single = {c.variable: c.allowed[0] for c in entry.constraints if c.allowed and len(c.allowed) == 1}
    limited = {v: value for v, value in single.items() if v not in usual or usual[v] != value}
    if limited:
        yield limited
    yield {}
    yield from ({name: False} for name in op.optional_inputs)
    if op.shape_rule == "conv":
        yield {"kernel_size": 1}
        yield {"padding": 1}
        for size in _ROUND:
            yield {"in_channels": size, "out_channels": size}
    elif op.elementwise:
        yield from ({"numel": size} for size in (64, 1024))
    elif op.shape_rule not in RULES:
        for size in _ROUND:
            yield {v: size for v in sizes_of(op) if v != "batch"}


def sample_of(op: OpSpec, dtype: str, values: dict[str, Any], seed: int) -> SampleSpec | None:
    """A small sample in which these variables have these values; None where none can have them.

    For a convolution a value may be a (height, width) pair. The label names the values, and the numbers drawn depend
    on it: no two samples share a result that stale memory could hold.
    """
    if values.get("dtype") == dtype and "dtype" in {a.name for a in op.attrs}:
        return None  # a copy, which needs no kernel: the router asks for none
    rule = RULES.get(op.shape_rule)
    if rule is not None:
        spec = rule.build(op, dtype, seed, rule.around(op, dtype, values))
    else:
        spec = _conv(op, dtype, values, seed) if op.shape_rule == "conv" else _plain(op, dtype, values, seed)
    if spec is None:
        return None
    label = " ".join(f"{k}={'x'.join(map(str, v)) if isinstance(v, tuple) else v}" for k, v in sorted(values.items()))
    return replace(spec, label=label or "ordinary")


def _plain(op: OpSpec, dtype: str, values: dict[str, Any], seed: int) -> SampleSpec | None:
    extents = {v: values[v] for v in values if v in ("batch", "M", "N", "K")}
    shaped = next((v for v in ("rank", "numel", "second_numel") if v in values), "")
    if extents:
        base = _product(op, dtype, extents, seed)
    elif shaped:
        base = spec_with(op, dtype, seed, shaped, values[shaped])
        if base is not None and shaped != "second_numel" and values.get("second_numel") == 1:
            other = spec_with(op, dtype, seed, "second_numel", 1)
            base = None if other is None else replace(base, inputs=(base.inputs[0], other.inputs[1], *base.inputs[2:]))
    else:
        base = next(iter(specs(op, dtype, seed, "probe")))
    if base is None:
        return None
    attrs = dict(base.attrs) | {a.name: values[a.name] for a in op.attrs if a.name in values}
    return replace(base, attrs=tuple((a.name, attrs[a.name]) for a in op.attrs if a.name in attrs))


def _product(op: OpSpec, dtype: str, extents: dict[str, int], seed: int) -> SampleSpec | None:
    if any(size < 1 for size in extents.values()):
        return None
    sizes = {"batch": 2, "M": 5, "K": 7, "N": 3} | extents
    shapes = product_shapes(op.shape_rule, sizes)
    base = next(iter(specs(op, dtype, seed, "probe")))
    return replace(base, inputs=tuple(TensorSpec(shape) for shape in shapes))


def _conv(op: OpSpec, dtype: str, values: dict[str, Any], seed: int) -> SampleSpec | None:
    if values.get("transposed") or any(_pair(values.get("output_padding", 0))) or values.get("rank", 4) != 4:
        return None  # the recipe makes no such sample
    stride, padding, dilation, kernel = (
        _pair(values.get(name, default))
        for name, default in (("stride", 1), ("padding", 0), ("dilation", 1), ("kernel_size", 3))
    )
    groups = int(values.get("groups", 1))
    if min(*stride, *dilation, *kernel, groups) < 1 or min(padding) < 0:
        return None
    channels, out = int(values.get("in_channels", 0)), int(values.get("out_channels", 0))
    if channels % groups or out % groups:
        return None
    reach = max(d * (k - 1) + 1 for d, k in zip(dilation, kernel, strict=True))
    rows = max(9, reach + 2 * max(stride))
    if rows * (rows + 2) * max(channels, 4) > _MOST_ROWS:
        return None
    return conv_spec(
        op,
        dtype,
        seed,
        channels=channels or lcm(4, groups),
        out=out or lcm(4, groups),
        size=(rows, rows + 2),
        kernel=kernel,
        stride=stride,
        padding=padding,
        dilation=dilation,
        groups=groups,
        bias=bool(values.get("bias", True)),
    )


def _pair(value: Any) -> tuple[int, int]:
    return (int(value[0]), int(value[1])) if isinstance(value, tuple) else (int(value), int(value))
