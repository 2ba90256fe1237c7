"""What a profile promises about one call: read here independently of the router, which must agree.

A call is served by the chip's kernel if an entry that routes has its dtype and every constraint holds, of the padded
sizes where the entry pads. Calls of mixed
dtypes and of empty tensors promise nothing about the layer, only a right result.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from torchfl_sdk.conformance.cases.dtypes import is_integer
from torchfl_sdk.conformance.cases.padding import padded
from torchfl_sdk.conformance.cases.rules import RULES
from torchfl_sdk.conformance.cases.rules.base import Shape, given, stated
from torchfl_sdk.conformance.cases.rules.products import PRODUCTS, product_extents, product_output
from torchfl_sdk.conformance.cases.spec import SampleSpec, TensorSpec

from torchfl import catalogue
from torchfl.catalogue import OpSpec
from torchfl.profile import Constraint, OpEntry, Profile


@dataclass(frozen=True)
class Expectation:
    """``layer``: native | fallback | any. ``reason`` says which part of the profile decides."""

    layer: str
    reason: str


def expectation(profile: Profile, sample: SampleSpec, variant: str = "forward") -> Expectation:
    """Which layer must serve this call on a chip with this profile. ``variant``: how it is called."""
    op = catalogue.get(sample.op)
    if op is None:
        raise ValueError(f"no op {sample.op!r} in the catalogue")
    if any(t is not None and t.numel == 0 for t in sample.inputs):
        return Expectation("any", "an empty tensor needs no kernel")
    if any(t is not None and t.dtype not in ("", "bool", "int64", sample.dtype) for t in sample.inputs):
        return Expectation("any", "operands of different dtypes")
    entry = entry_for(profile, op, variant)
    if entry is None:
        return Expectation("fallback", f"the profile has no entry for {op.name}, {variant}")
    if not entry.routes:
        return Expectation("fallback", f"the entry for {op.name} is unverified")
    if sample.dtype not in entry.dtype_support:
        return Expectation("fallback", f"{sample.dtype} is not in dtype_support")
    to = dict(sample.attrs).get("dtype") if op.output_kinds[0] == "named" else None
    if to == sample.dtype:
        return Expectation("any", "a cast to the dtype that a tensor has is a copy")
    if to is not None and to not in entry.dtype_support:
        return Expectation("fallback", f"{to}, the result's dtype, is not in dtype_support")
    rule = RULES.get(op.shape_rule)
    if rule is not None and sample.inputs[0] is not None and len(sample.inputs[0].shape) < rule.least_rank:
        return Expectation("any", "a tensor without dimensions")
    passed = dict(sample.attrs)
    if is_integer(sample.dtype) and any(a.kind == "scalar" and isinstance(passed.get(a.name), float) for a in op.attrs):
        return Expectation("any", "a fraction beside integers")
    if any(a.kind == "absent" and passed.get(a.name) is not None for a in op.attrs):
        return Expectation("fallback", "an argument that no kernel gets")
    if why := left_out(op, sample):
        return Expectation("fallback", why)
    if any(a.required and a.name in passed and passed[a.name] is None for a in op.attrs):
        return Expectation("fallback", "the absence of an argument, which no value stands for")
    values = variables(op, as_dispatched(op, sample))
    for constraint in entry.constraints:
        value = values.get(constraint.variable)
        if not holds(constraint, value) and not holds(constraint, padded(op, entry, constraint, value, values)):
            return Expectation(
                "fallback", f"{constraint.variable}={values.get(constraint.variable)} is outside its limits"
            )
    if variant == "backward" and entry.first_output and _has_further_results(op, sample):
        return Expectation("fallback", "backward needs results that the kernel does not give")
    if variant == "backward" and any(c.variable == "second_numel" for c in entry.constraints):
        return Expectation("any", "a number's own gradient is the op over two tensors")
    return Expectation("native", f"{entry.impl} serves {sample.dtype}")


def _has_further_results(op: OpSpec, sample: SampleSpec) -> bool:
    """Whether any result but the first has elements; batch norm at inference saves nothing."""
    attrs = {a.name: a.default for a in op.attrs} | dict(sample.attrs)
    shapes = [None if t is None else t.shape for t in sample.inputs]
    return any(0 not in shape for shape in output_shapes(op, shapes, attrs)[1:])


def left_out(op: OpSpec, sample: SampleSpec) -> str:
    """Why no kernel of this op is given such a call, whatever a profile says; "" where it is."""
    rule = RULES.get(op.shape_rule)
    shapes = [None if t is None else t.shape for t in sample.inputs]
    return "" if rule is None else rule.left_out(shapes, dict(sample.attrs))


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


def entries_of(profile: Profile, op: OpSpec) -> tuple[OpEntry, ...]:
    """The profile's entries for an op: one for all of its overloads, or some for one overload each."""
    return tuple(e for e in profile.ops if e.name == op.name)


def entry_for(profile: Profile, op: OpSpec, variant: str = "forward") -> OpEntry | None:
    """The entry that serves an op called in this way: one that names the overload, else one that names none."""
    overload = {"inplace": op.inplace, "out": op.out}.get(variant, op.overload)
    entries = entries_of(profile, op)
    exact = next((e for e in entries if e.overload is not None and overload in _named(op, e)), None)
    return exact or next((e for e in entries if e.overload is None), None)


def _named(op: OpSpec, entry: OpEntry) -> tuple[str, ...]:
    """The overloads that an entry means by the part after its dot. aten::softmax.out is aten::_softmax.out where it
    dispatches; a name that no dispatched overload has (aten::conv2d.default) means all of them."""
    if entry.full_name in op.overloads:
        return (entry.full_name,)
    alike = tuple(o for o in op.overloads if o.partition(".")[2] == entry.overload)
    return alike or op.overloads


def holds(constraint: Constraint, value: Any) -> bool:
    """Whether a variable's value is within a constraint; every entry of a list must be. None (not given) is outside."""
    if value is None:
        return False
    if isinstance(value, str):
        return constraint.allowed is not None and value in constraint.allowed
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
    passed = dict(sample.attrs)
    values: dict[str, Any] = {a.name: passed.get(a.name, a.default) for a in op.attrs}
    values = stated(op, sample.dtype, values)
    shapes = [None if t is None else t.shape for t in sample.inputs]
    out = output_shapes(op, shapes, values)[0]
    present = [t.shape for t in sample.inputs if t is not None] + [out]
    values["rank"] = max(len(shape) for shape in present)
    values["numel"] = max(TensorSpec(shape).numel for shape in present)
    values |= {
        name: any(given) for name in op.optional_inputs for given in [sample.inputs[op.inputs.index(name) :][:1]]
    }
    if op.shape_rule in RULES:
        values |= RULES[op.shape_rule].variables(op, shapes, values)
    elif op.shape_rule == "broadcast":
        values["second_numel"] = TensorSpec(given(shapes, 1)).numel
    elif op.shape_rule == "conv":
        image, weight = given(shapes, 0), given(shapes, 1)
        values |= {"kernel_size": weight[2:], "in_channels": image[1], "out_channels": weight[0]}
    elif op.shape_rule in PRODUCTS:
        values |= product_extents(op.shape_rule, [given(shapes, i) for i in range(len(shapes))])
    return {name: value for name, value in values.items() if name in op.variables}


def output_shapes(op: OpSpec, shapes: list[Shape | None], attrs: dict[str, Any]) -> tuple[Shape, ...]:
    """The results' shapes by the op's shape rule; the inputs (None: absent) are taken to fit."""
    if op.shape_rule in RULES:
        return RULES[op.shape_rule].outputs(op, shapes, attrs)
    if op.shape_rule == "conv":
        image, weight = given(shapes, 0), given(shapes, 1)
        spatial = tuple(
            (size + 2 * pad - dilation * (kernel - 1) - 1) // stride + 1
            for size, kernel, stride, pad, dilation in zip(
                image[2:], weight[2:], attrs["stride"], attrs["padding"], attrs["dilation"], strict=True
            )
        )
        return ((image[0], weight[0], *spatial),)
    present = [shape for shape in shapes if shape is not None]
    return (product_output(op.shape_rule, present) if op.shape_rule in PRODUCTS else broadcast(present),)


def broadcast(shapes: list[tuple[int, ...]]) -> tuple[int, ...]:
    """The common shape of operands, by PyTorch's rule."""
    rank = max(len(s) for s in shapes)
    padded = [(1,) * (rank - len(s)) + s for s in shapes]
    return tuple(next((size for size in column if size != 1), 1) for column in zip(*padded, strict=True))
