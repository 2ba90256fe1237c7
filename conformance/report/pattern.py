"""A plain reading of what is wrong with a result: the sentence that a kernel's author needs first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch
from torchfl_sdk.conformance.cases.calling import call
from torchfl_sdk.conformance.cases.samples import Sample
from torchfl_sdk.conformance.oracle.bounds import Bound
from torchfl_sdk.conformance.oracle.compare import excess, values_of
from torchfl_sdk.conformance.oracle.reference import Array, cast_common
from torchfl_sdk.conformance.report.definitions import others


def read_pattern(sample: Sample, limit: Bound, actual: torch.Tensor) -> str:
    """What the wrong elements have in common: what they are, and where; "" where nothing stands out."""
    if tuple(actual.shape) != limit.reference.shape or not actual.numel():
        return ""
    y, r = values_of(actual, limit), limit.rounded
    wrong = excess(limit, y) > 1
    if not wrong.any():
        return ""
    for reading in (_unchanged, _swapped, _defined_otherwise, _scaled):
        found = reading(sample, limit, y, r, wrong)
        if found:
            return found
    return "; ".join(filter(None, (_where(sample, wrong), _what(y, r, wrong))))


def _what(y: Array, r: Array, wrong: Array) -> str:
    if not y[wrong].any():
        return "they are zero: never written, or a sum was dropped"
    if np.isnan(y[wrong]).all() and np.isfinite(r[wrong]).all():
        return "they are NaN: memory outside the tensor was read, or the output was not written"
    if np.isnan(r[wrong]).all():
        return "they should be NaN: the kernel does not pass NaN on"
    return "they have the wrong sign" if (y[wrong] == -r[wrong]).all() else ""


def _unchanged(sample: Sample, limit: Bound, y: Array, r: Array, wrong: Array) -> str:
    for i, t in enumerate(sample.inputs):
        if t is not None and tuple(t.shape) == r.shape and _close(limit, y, t.to(torch.float64).numpy()):
            name = sample.op.inputs[0 if sample.op.list_input else i]
            return f"the result is input {i} ({name}), unchanged"
    return ""


def _swapped(sample: Sample, limit: Bound, y: Array, r: Array, wrong: Array) -> str:
    """Hypotheses: the op computed on operands or attributes misread in one known way."""
    for what, change in _MISREADINGS:
        try:
            inputs = change(sample)
            if inputs is not None and _close(limit, y, _computed(sample, inputs, sample.attrs, r.shape)):
                return what
        except (RuntimeError, ValueError, IndexError):
            continue
    for name, value in _other_attributes(sample):
        try:
            if _close(limit, y, _computed(sample, sample.inputs, sample.attrs | {name: value}, r.shape)):
                return f"{name} was taken to be {value}"
        except (RuntimeError, ValueError, IndexError):
            continue
    return ""


def _defined_otherwise(sample: Sample, limit: Bound, y: Array, r: Array, wrong: Array) -> str:
    """Every other definition that gives these numbers: a sample need not tell one from the next."""
    fitting = [
        statement
        for statement, result in others(sample)
        if tuple(result.shape) == r.shape and _close(limit, y, result.to(torch.float64).numpy())
    ]
    return f"another definition: {', or '.join(fitting)}" if fitting else ""


def _computed(
    sample: Sample, inputs: Sequence[torch.Tensor | None], attrs: dict[str, Any], shape: tuple[int, ...]
) -> Array:
    """The op in float64 on other operands or attributes; a larger result is cut to ``shape``."""
    wide = cast_common(sample.op, inputs, torch.float64)
    result = call(sample.op, wide, attrs)
    if len(result.shape) != len(shape) or any(have < want for have, want in zip(result.shape, shape, strict=True)):
        raise ValueError("another shape")
    return np.asarray(result[tuple(slice(0, size) for size in shape)].numpy())


def _other_attributes(sample: Sample) -> Iterator[tuple[str, Any]]:
    """Each attribute at its default or exchanged between height and width."""
    for attr in sample.op.attrs:
        value = sample.attrs.get(attr.name, attr.default)
        if attr.kind == "int_list" and isinstance(value, tuple):
            default = 1 if attr.name in ("stride", "dilation") else 0
            others: tuple[Any, ...] = ((default,) * len(value), value[::-1])
        else:
            others = (attr.default, 0) if attr.kind == "scalar" else ()
        yield from ((attr.name, other) for other in others if other != value)


def _close(limit: Bound, y: Array, candidate: Array) -> bool:
    """Whether y is the candidate rather than the reference, to the tolerance of the bound."""
    with np.errstate(all="ignore"):
        slack = limit.tolerance + np.abs(candidate) * 2.0**-7 if not limit.exact else np.abs(candidate) * 2.0**-10
        same = (y == candidate) | (np.abs(y - candidate) <= slack) | (np.isnan(y) & np.isnan(candidate))
    return bool(same.all())


def _misread_strides(sample: Sample) -> list[torch.Tensor | None] | None:
    """Operands read as if contiguous from where their views begin."""
    if all(one is None or one.view().is_contiguous() for one in sample.laid):
        return None
    found: list[torch.Tensor | None] = []
    for one in sample.laid:
        if one is None:
            found.append(None)
            continue
        need = int(np.prod(one.sizes, dtype=np.int64))
        flat = one.base[one.offset :]
        flat = torch.cat([flat, flat.new_zeros(max(0, need - flat.numel()))])[:need]
        found.append(flat.reshape(one.sizes))
    return found


def _ignore_offset(sample: Sample) -> list[torch.Tensor | None] | None:
    if all(one is None or one.offset == 0 for one in sample.laid):
        return None
    return [None if one is None else one.base.as_strided(one.sizes, one.strides, 0) for one in sample.laid]


def _transpose(which: int) -> Callable[[Sample], list[torch.Tensor | None] | None]:
    def change(sample: Sample) -> list[torch.Tensor | None] | None:
        t = sample.inputs[which] if which < len(sample.inputs) else None
        if t is None or t.dim() < 2 or t.shape[-1] != t.shape[-2]:
            return None
        return [t.transpose(-1, -2) if i == which else other for i, other in enumerate(sample.inputs)]

    return change


def _exchange(sample: Sample) -> list[torch.Tensor | None] | None:
    if len(sample.inputs) != 2:
        return None
    return [sample.inputs[1], sample.inputs[0]]


def _no_bias(sample: Sample) -> list[torch.Tensor | None] | None:
    return [*sample.inputs[:2], None] if sample.op.shape_rule == "conv" and sample.inputs[2] is not None else None


_MISREADINGS: tuple[tuple[str, Callable[[Sample], list[torch.Tensor | None] | None]], ...] = (
    ("the strides were ignored: the operands were read as if contiguous", _misread_strides),
    ("the storage offset was ignored", _ignore_offset),
    ("the operands are exchanged", _exchange),
    ("operand 0 was read transposed", _transpose(0)),
    ("operand 1 was read transposed", _transpose(1)),
    ("the bias was not added", _no_bias),
)


def _scaled(sample: Sample, limit: Bound, y: Array, r: Array, wrong: Array) -> str:
    usable = wrong & np.isfinite(y) & np.isfinite(r) & (r != 0)
    if usable.sum() < 3 or usable.sum() < 0.9 * wrong.sum():
        return ""
    ratio = y[usable] / r[usable]
    middle = float(np.median(ratio))
    if np.abs(ratio - middle).max() < 2.0**-7 * max(abs(middle), 1e-3) and abs(middle - 1) > 2.0**-9:
        return f"the wrong elements are {middle:.4g} times the expected values"
    error = y[usable] - r[usable]
    if wrong.all() and float(np.abs(error - np.median(error)).max()) < 2.0**-7 * float(np.abs(np.median(error))):
        return f"the result is off by {float(np.median(error)):.4g} everywhere"
    return ""


def _where(sample: Sample, wrong: Array) -> str:
    """Where the wrong elements lie: a tail, one channel, one row, a period."""
    flat = np.flatnonzero(wrong.reshape(-1))
    n = wrong.size
    if len(flat) == n:
        return "every element is wrong"
    if len(flat) == 1 and flat[0] != n - 1:
        return f"one element is wrong: number {int(flat[0])} of {n}"
    if n > 1 and flat[0] + len(flat) == n:
        start = int(flat[0])
        block = next((f", a multiple of {b}" for b in (64, 32, 16, 8, 4) if start and start % b == 0), "")
        return f"the tail: the last {len(flat)} of {n} elements are wrong, right up to {start}{block}"
    for axis in range(wrong.ndim):
        bad = np.flatnonzero(wrong.any(axis=tuple(a for a in range(wrong.ndim) if a != axis)))
        size = wrong.shape[axis]
        if size > 2 and len(bad) * 2 < size and len(bad) <= 4:
            where = "channel" if sample.op.shape_rule == "conv" and axis == 1 else f"dimension {axis} at index"
            tail = ", its end" if bad[-1] == size - 1 else ""
            return f"wrong in {where} {', '.join(map(str, bad))} of {size} only{tail}"
    steps = np.diff(flat)
    if len(steps) > 2 and (steps == steps[0]).all() and steps[0] > 1:
        return f"every {int(steps[0])}th element is wrong, from element {int(flat[0])} on"
    return f"{len(flat)} elements are wrong, without a plain pattern"
