"""A sample in which one constraint variable has a given value: what the probe and the boundary cases ask with."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from torchfl_sdk.conformance.cases.dtypes import is_float
from torchfl_sdk.conformance.cases.expectation import variables
from torchfl_sdk.conformance.cases.recipes import conv_spec, specs
from torchfl_sdk.conformance.cases.rules import RULES
from torchfl_sdk.conformance.cases.rules.base import exact_bits
from torchfl_sdk.conformance.cases.rules.products import product_shapes
from torchfl_sdk.conformance.cases.spec import SampleSpec, TensorSpec

from torchfl.catalogue import OpSpec

_SPATIAL = ("stride", "padding", "dilation", "kernel_size", "output_padding")
_LONG_SUM = 256  # terms
_LARGEST_EXTENT = 1 << 22  # elements of a boundary sample; a limit beyond it is not reached


def spec_with(op: OpSpec, dtype: str, seed: int, variable: str, value: Any) -> SampleSpec | None:
    """The smallest ordinary sample of ``op`` in which ``variable`` is ``value``; None where there is none.

    Raises ValueError if the op has no such variable.
    """
    if variable not in op.variables:
        raise ValueError(f"{op.name} has no variable {variable!r}; it has {', '.join(op.variables)}")
    if variable in op.optional_inputs and not isinstance(value, bool):
        return None
    rule = RULES.get(op.shape_rule)
    if rule is not None:
        found = rule.build(op, dtype, seed, {variable: value})
        if found is not None and variables(op, found)[variable] not in (value, (value, value)):
            return None  # the rule makes no sample in which this varies
    elif op.shape_rule == "conv":
        found = _conv(op, dtype, seed, variable, value)
    elif variable in ("rank", "numel"):
        found = _elementwise_size(op, dtype, seed, variable, int(value))
    elif variable == "second_numel":
        found = _second_operand(op, dtype, seed, int(value))
    elif variable in [a.name for a in op.attrs]:
        found = _attribute(op, dtype, seed, variable, value)
    else:
        found = _extent(op, dtype, seed, variable, int(value))
    if found is None or found.numel > _LARGEST_EXTENT:
        return None
    return replace(found, label=f"{found.label} {variable}={value}")


def _base(op: OpSpec, dtype: str, seed: int) -> SampleSpec:
    return next(iter(specs(op, dtype, seed, "probe")))


def _attribute(op: OpSpec, dtype: str, seed: int, variable: str, value: Any) -> SampleSpec | None:
    base = _base(op, dtype, seed)
    if value not in next(a.choices for a in op.attrs if a.name == variable) and any(
        a.choices for a in op.attrs if a.name == variable
    ):
        return None
    if variable == "dtype" and value == dtype:
        return None  # a copy, which needs no kernel
    values = dict(base.attrs) | {variable: value}
    return replace(base, attrs=tuple((a.name, values[a.name]) for a in op.attrs if a.name in values))


def _elementwise_size(op: OpSpec, dtype: str, seed: int, variable: str, value: int) -> SampleSpec | None:
    if not op.elementwise or value < 0:
        return None
    shape = (value,) if variable == "numel" else (2, 3, 2, 5, 2, 3, 2, 2)[:value]
    if variable == "rank" and len(shape) != value:
        return None
    base = _base(op, dtype, seed)
    inputs = tuple(None if t is None else replace(t, shape=shape) for t in base.inputs)
    return replace(base, inputs=inputs, label="")


def _second_operand(op: OpSpec, dtype: str, seed: int, value: int) -> SampleSpec | None:
    """A second operand of so many elements, repeated along the first: a number for one."""
    if value < 1:
        return None
    base = _base(op, dtype, seed)
    full, second = ((65,), ()) if value == 1 else ((5, value), (value,))
    inputs = tuple(t and replace(t, shape=second if i == 1 else full) for i, t in enumerate(base.inputs))
    return replace(base, inputs=inputs, label="")


def _extent(op: OpSpec, dtype: str, seed: int, variable: str, value: int) -> SampleSpec | None:
    if value < 1:
        return None
    extents = {"batch": 2, "M": 5, "K": 7, "N": 3} | {variable: value}
    m, k, n = (extents[v] for v in ("M", "K", "N"))
    shapes = product_shapes(op.shape_rule, extents)
    base = replace(_base(op, dtype, seed), label=f"M{m} K{k} N{n}")
    if k <= _LONG_SUM or not is_float(dtype):
        return replace(base, inputs=tuple(TensorSpec(shape) for shape in shapes))
    # the rounding bound of a long sum is wide, so that little would be rejected: integers make it exact
    fills = ("signs",) * (len(shapes) - 2) + (f"odd:{exact_bits(dtype)}", "signs")
    inputs = tuple(TensorSpec(shape, fill) for shape, fill in zip(shapes, fills, strict=True))
    return replace(base, inputs=inputs, exact=True)


def _conv(op: OpSpec, dtype: str, seed: int, variable: str, value: Any) -> SampleSpec | None:
    if variable == "bias":
        return conv_spec(op, dtype, seed, bias=bool(value))
    if variable == "transposed":
        return None if value else conv_spec(op, dtype, seed)
    number = int(value[0] if isinstance(value, (list, tuple)) else value)
    if variable in _SPATIAL:
        if variable == "output_padding":
            return conv_spec(op, dtype, seed) if number == 0 else None
        if number < (0 if variable == "padding" else 1):
            return None
        pair = tuple(int(v) for v in value) if isinstance(value, (list, tuple)) else (number, number)
        reach = 2 * max(pair) + 3 if variable in ("dilation", "kernel_size") else 3 * max(pair) + 3
        size = (max(9, reach), max(11, reach + 2))
        how: dict[str, Any] = {"kernel" if variable == "kernel_size" else variable: pair}
        return conv_spec(op, dtype, seed, size=size, **how)
    if number < 1:
        return None
    if variable == "groups":
        return conv_spec(
            op,
            dtype,
            seed,
            channels=max(4, number) if 4 % number == 0 else number,
            out=_multiple(number),
            groups=number,
        )
    if variable == "in_channels":
        return conv_spec(op, dtype, seed, channels=number)
    if variable == "out_channels":
        return conv_spec(op, dtype, seed, out=number)
    if variable == "rank":
        return conv_spec(op, dtype, seed) if number == 4 else None
    return _conv_numel(op, dtype, seed, number)


def _multiple(groups: int) -> int:
    return 4 if 4 % groups == 0 else groups


def _conv_numel(op: OpSpec, dtype: str, seed: int, numel: int) -> SampleSpec | None:
    """A convolution whose largest tensor has ``numel`` elements: one row of pixels through a 1x1 kernel."""
    return conv_spec(op, dtype, seed, batch=1, channels=1, out=1, size=(1, numel), kernel=(1, 1))
