"""The ways in which one sample is called: memory layouts, in-place, out=, backward, another device, empty tensors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from torchfl_sdk.conformance.cases.autocast import casts_to
from torchfl_sdk.conformance.cases.dtypes import is_float
from torchfl_sdk.conformance.cases.expectation import broadcast
from torchfl_sdk.conformance.cases.rules import RULES
from torchfl_sdk.conformance.cases.rules.products import ADDING, PRODUCTS, product_output, product_shapes
from torchfl_sdk.conformance.cases.spec import SampleSpec, TensorSpec

from torchfl.catalogue import OpSpec

#: Ops whose gradient is zero wherever it exists: a backward case of theirs cannot fail.
_FLAT = ("aten::floor", "aten::ceil", "aten::round", "aten::trunc", "aten::sign")
_MATRIX_RULES = ("mm", "addmm", "bmm", "mv")


def layouts(op: OpSpec, base: SampleSpec, level: str) -> Iterator[SampleSpec]:
    """``base`` with its operands in other memory layouts: all alike, and each on its own."""
    if op.shape_rule in RULES and RULES[op.shape_rule].contiguous:
        yield base.with_layout("offset")
        return
    names = ["strided", "offset", "transposed", "padded"]
    if op.shape_rule == "conv":
        names.append("channels_last")
    if level == "release":
        names += ["padded_transposed", "expanded"]
    matrix = _two_dimensional(op, base)
    for name in names:
        yield matrix.with_layout(name)
    count = sum(t is not None for t in matrix.inputs)
    if count < 2:
        return
    alone_too = ["transposed", "padded_transposed", "strided"][: 3 if level == "release" else 1]
    if op.shape_rule in _MATRIX_RULES and level == "quick":
        alone_too.append("padded_transposed")
    for name in alone_too:
        for alone in range(count):
            yield matrix.with_layout(*(name if i == alone else "contiguous" for i in range(len(matrix.inputs))))


def _two_dimensional(op: OpSpec, base: SampleSpec) -> SampleSpec:
    """Element-wise ops get a matrix, so that transposing means something; a number beside it stays one."""
    if not op.elementwise:
        return base
    inputs = tuple(t if t is None or t.shape == () else replace(t, shape=(7, 13)) for t in base.inputs)
    return replace(base, inputs=inputs, label="7x13")


def inplace_samples(op: OpSpec, base: SampleSpec, level: str) -> Iterator[SampleSpec]:
    """Samples whose first operand can take the result."""
    matrix = _two_dimensional(op, base)
    yield base
    yield matrix.with_layout("strided", "contiguous")
    if level == "release":
        yield matrix.with_layout("transposed", "contiguous")
        yield matrix.with_layout("offset")
        if op.shape_rule == "broadcast":
            others = tuple(replace(t or TensorSpec(()), shape=(13,)) for t in matrix.inputs[1:])
            yield replace(matrix, inputs=(matrix.inputs[0], *others), label="7x13 x 13")


def takes_result(op: OpSpec, sample: SampleSpec) -> bool:
    """Whether the in-place form exists and the first operand has the result's shape."""
    if not op.inplace or op.output_kinds[0] != "common":
        return False
    if op.elementwise:
        shapes = [t.shape for t in sample.inputs if t is not None]
        return shapes[0] == broadcast(shapes)
    if op.shape_rule in ADDING:
        shapes = [t.shape for t in sample.inputs if t is not None]
        return shapes[0] == product_output(op.shape_rule, shapes)
    return op.shape_rule in ("triangle", "scatter")


def differentiable(op: OpSpec, dtype: str) -> bool:
    """Whether a backward case makes sense."""
    return is_float(dtype) and op.name not in _FLAT and op.output_kinds[0] == "common" and not op.inference_only


def autocast(op: OpSpec, dtype: str) -> bool:
    """Whether autocast makes the op compute in this dtype."""
    return casts_to(op.name, dtype)


def empty(op: OpSpec, base: SampleSpec, level: str) -> Iterator[SampleSpec]:
    """Calls without elements, and contractions over nothing (whose result is zeros, not nothing)."""
    rule = RULES.get(op.shape_rule)
    if rule is not None:
        for values in list(rule.empties(op))[: 1 if level == "quick" else 2]:
            sample = rule.build(op, base.dtype, base.seed, values)
            if sample is not None:
                yield replace(sample, label=f"empty {sample.label}")
        return
    if op.elementwise:
        for shape in ((0,), (0, 3))[: 1 if level == "quick" else 2]:
            inputs = tuple(None if t is None else replace(t, shape=shape) for t in base.inputs)
            yield replace(base, inputs=inputs, label="empty " + "x".join(map(str, shape)))
        return
    for name in (n for n in ("M", "K", "N") if n in op.variables and op.shape_rule in PRODUCTS):
        shapes = product_shapes(op.shape_rule, {"batch": 2, "M": 3, "K": 3, "N": 3} | {name: 0})
        label = "empty " + " x ".join("x".join(map(str, s)) for s in shapes)
        yield replace(base, inputs=tuple(TensorSpec(s) for s in shapes), label=label)
