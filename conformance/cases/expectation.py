"""What a profile promises about one call: read here independently of the router, which must agree.

A call is served by the chip's kernel if an entry that routes has its dtype and every constraint holds. Calls of mixed
dtypes and of empty tensors promise nothing about the layer, only a right result.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from torchfl_sdk.conformance.cases.spec import SampleSpec, TensorSpec

from torchfl import catalogue
from torchfl.catalogue import OpSpec
from torchfl.profile import Constraint, OpEntry, Profile


@dataclass(frozen=True)
class Expectation:
    """``layer``: native | fallback | any. ``reason`` says which part of the profile decides."""

    layer: str
    reason: str


def expectation(profile: Profile, sample: SampleSpec) -> Expectation:
    """Which layer must serve this call on a chip with this profile."""
    op = catalogue.get(sample.op)
    if op is None:
        raise ValueError(f"no op {sample.op!r} in the catalogue")
    if any(t is not None and t.numel == 0 for t in sample.inputs):
        return Expectation("any", "an empty tensor needs no kernel")
    if any(t is not None and t.dtype not in ("", sample.dtype) for t in sample.inputs):
        return Expectation("any", "operands of different dtypes")
    entry = entry_for(profile, op)
    if entry is None:
        return Expectation("fallback", f"the profile has no entry for {op.name}")
    if not entry.routes:
        return Expectation("fallback", f"the entry for {op.name} is unverified")
    if sample.dtype not in entry.dtype_support:
        return Expectation("fallback", f"{sample.dtype} is not in dtype_support")
    values = variables(op, as_dispatched(op, sample))
    for constraint in entry.constraints:
        if not holds(constraint, values.get(constraint.variable)):
            return Expectation(
                "fallback", f"{constraint.variable}={values.get(constraint.variable)} is outside its limits"
            )
    return Expectation("native", f"{entry.impl} serves {sample.dtype}")


def as_dispatched(op: OpSpec, sample: SampleSpec) -> SampleSpec:
    """A convolution over one dimension as PyTorch hands it to a backend: over two, the first of extent 1."""
    if op.shape_rule != "conv" or sample.inputs[0] is None or len(sample.inputs[0].shape) != 3:
        return sample
    one = {"stride": 1, "padding": 0, "dilation": 1, "output_padding": 0}
    inputs = tuple(
        t if t is None or len(t.shape) != 3 else replace(t, shape=(*t.shape[:2], 1, t.shape[2])) for t in sample.inputs
    )
    attrs = tuple((k, (one[k], *v) if k in one and isinstance(v, tuple) else v) for k, v in sample.attrs)
    return replace(sample, inputs=inputs, attrs=attrs)


def entry_for(profile: Profile, op: OpSpec) -> OpEntry | None:
    """The profile's entry that serves an op, whatever overload it names."""
    return next((e for e in profile.ops if e.name == op.name), None)


def holds(constraint: Constraint, value: Any) -> bool:
    """Whether a variable's value is within a constraint; every entry of a list must be. None (not given) is outside."""
    if value is None:
        return False
    if isinstance(value, (tuple, list)):
        return all(holds(constraint, one) for one in value)
    return (
        (constraint.allowed is None or value in constraint.allowed)
        and (constraint.min is None or value >= constraint.min)
        and (constraint.max is None or value <= constraint.max)
        and (constraint.multiple_of is None or value % constraint.multiple_of == 0)
    )


def variables(op: OpSpec, sample: SampleSpec) -> dict[str, Any]:
    """Every constraint variable of the call; ``rank`` and ``numel`` are the largest of all its tensors, output too."""
    given = dict(sample.attrs)
    values: dict[str, Any] = {a.name: given.get(a.name, a.default) for a in op.attrs}
    shapes = [() if t is None else t.shape for t in sample.inputs]
    out = output_shape(op, shapes, values)
    present = [t.shape for t in sample.inputs if t is not None] + [out]
    values["rank"] = max(len(shape) for shape in present)
    values["numel"] = max(TensorSpec(shape).numel for shape in present)
    if op.shape_rule == "conv":
        values |= {"kernel_size": shapes[1][2:], "in_channels": shapes[0][1], "out_channels": shapes[1][0]}
    elif op.shape_rule in ("mm", "bmm", "addmm"):
        left, right = shapes[-2:]
        values |= {"M": left[-2], "K": left[-1], "N": right[-1], "batch": left[0]}
    elif op.shape_rule == "mv":
        values |= {"M": shapes[0][0], "K": shapes[0][1]}
    elif op.shape_rule == "dot":
        values["K"] = shapes[0][0]
    return {name: value for name, value in values.items() if name in op.variables}


def output_shape(op: OpSpec, shapes: list[tuple[int, ...]], attrs: dict[str, Any]) -> tuple[int, ...]:
    """The result's shape by the op's shape rule; the inputs are taken to fit."""
    if op.shape_rule == "conv":
        image, weight = shapes[0], shapes[1]
        spatial = tuple(
            (size + 2 * pad - dilation * (kernel - 1) - 1) // stride + 1
            for size, kernel, stride, pad, dilation in zip(
                image[2:], weight[2:], attrs["stride"], attrs["padding"], attrs["dilation"], strict=True
            )
        )
        return (image[0], weight[0], *spatial)
    if op.shape_rule in ("mm", "bmm", "addmm"):
        return (*shapes[-2][:-1], shapes[-1][-1])
    if op.shape_rule == "mv":
        return shapes[0][:1]
    if op.shape_rule == "dot":
        return ()
    return broadcast(shapes)


def broadcast(shapes: list[tuple[int, ...]]) -> tuple[int, ...]:
    """The common shape of operands, by PyTorch's rule."""
    rank = max(len(s) for s in shapes)
    padded = [(1,) * (rank - len(s)) + s for s in shapes]
    return tuple(next((size for size in column if size != 1), 1) for column in zip(*padded, strict=True))
