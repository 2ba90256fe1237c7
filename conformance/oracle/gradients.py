"""Bounds for gradients: float64 autograd on the CPU, with the tolerance of the op's tier.

A contraction's gradients are contractions again: |A||B| and K come from the same backward on absolute values and on
ones. Everything else is bounded by the condition of the gradient in the inputs and the incoming gradient, and in the
forward result where the formula uses it: a device saves that result rounded to its dtype.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torchfl_sdk.conformance.cases.calling import call, output_dtype
from torchfl_sdk.conformance.cases.dtypes import mantissa_bits, torch_dtype
from torchfl_sdk.conformance.cases.fills import draw
from torchfl_sdk.conformance.cases.samples import Sample
from torchfl_sdk.conformance.oracle.bounds import Bound, ulp
from torchfl_sdk.conformance.oracle.reference import Array, cast_common
from torchfl_sdk.conformance.oracle.semantics import Semantics

from torchfl.catalogue import OpSpec

_H = 2.0**-20
_Q_CAP = 64.0
_PATTERNS = 4


def incoming(sample: Sample, shape: Sequence[int], dtype: str) -> torch.Tensor:
    """The gradient that a backward case feeds in: the same on the device and in the oracle."""
    seed = int(sample.spec.id, 16) if sample.spec is not None else 0
    return draw("normal", tuple(shape), dtype, seed ^ 0x9E3779B9, 2)


def wanted(op: OpSpec, inputs: Sequence[torch.Tensor | None]) -> list[int]:
    """Indices of the inputs whose gradients are compared."""
    constant = () if op.list_input else tuple(i for i, name in enumerate(op.inputs) if name in op.constants)
    return [i for i, t in enumerate(inputs) if t is not None and t.is_floating_point() and i not in constant]


def backward(
    op: OpSpec, inputs: Sequence[torch.Tensor | None], attrs: dict[str, Any], grad: torch.Tensor, spoil: float = 0.0
) -> list[torch.Tensor]:
    """Gradients of the floating inputs. ``spoil`` multiplies the saved forward result by 1 + spoil first."""
    asked = wanted(op, inputs)
    leaves = [None if t is None else t.detach().requires_grad_(i in asked) for i, t in enumerate(inputs)]
    result = call(op, leaves, attrs)
    if spoil:
        result.data.mul_(1 + spoil)  # .data: the graph's saved tensor changes with it
    chosen = [leaves[i] for i in asked]
    grads = torch.autograd.grad(result, [t for t in chosen if t is not None], grad, allow_unused=True)
    return [torch.zeros_like(t) if g is None else g for g, t in zip(grads, chosen, strict=True) if t is not None]


def gradient_bounds(sample: Sample, semantics: Semantics) -> list[Bound]:
    """One bound per floating input. Float64 gradients are judged against float64 with twice the roundoff."""
    op, attrs = sample.op, sample.attrs
    dtype = output_dtype(op, sample.inputs)
    wide = cast_common(op, sample.inputs, torch.float64)
    shape = call(op, wide, attrs).shape
    grad = incoming(sample, shape, dtype).to(torch.float64)
    reference = [g.numpy() for g in backward(op, wide, attrs, grad)]
    u = semantics.roundoff(dtype) * (2 if dtype == "float64" else 1)
    with np.errstate(all="ignore"):
        if op.tier == "T1":
            spreads = _contraction(
                op, wide, attrs, grad, semantics.truncating, max(u, semantics.product_roundoff(dtype))
            )
        else:
            spreads = _general(sample, wide, grad, reference, dtype, u)
    types = [sample.inputs[i] for i in wanted(op, sample.inputs)]
    found = []
    for r, spread, t in zip(reference, spreads, types, strict=True):
        name = str(t.dtype).removeprefix("torch.") if t is not None else dtype
        tolerance = ulp(r, name) + spread
        if semantics.flush_to_zero:
            tolerance = tolerance + torch.finfo(torch_dtype(name)).smallest_normal
        found.append(Bound(r, np.asarray(tolerance), name, exact=False))
    return found


def _contraction(
    op: OpSpec, wide: list[torch.Tensor | None], attrs: dict[str, Any], grad: torch.Tensor, truncating: bool, u: float
) -> list[Array]:
    absolute = {k: abs(v) if k in ("alpha", "beta") else v for k, v in attrs.items()}
    ones = {k: 1 if k in ("alpha", "beta") else v for k, v in attrs.items()}
    magnitudes = backward(op, [None if t is None else t.abs() for t in wide], absolute, grad.abs())
    counts = backward(op, [None if t is None else torch.ones_like(t) for t in wide], ones, torch.ones_like(grad))
    found = []
    for magnitude, count in zip(magnitudes, counts, strict=True):
        k = np.maximum(count.numpy(), 1)
        found.append((k if truncating else 6 * np.sqrt(k)) * u * magnitude.numpy())
    return found


def _general(
    sample: Sample, wide: list[torch.Tensor | None], grad: torch.Tensor, reference: list[Array], dtype: str, u: float
) -> list[Array]:
    op, attrs = sample.op, sample.attrs
    conditions = [np.zeros(r.shape) for r in reference]
    # What moves or selects is linear in the incoming gradient; its inputs only choose, and they are exact: moving them
    # would make a tie a jump, and the bound as wide as the gradient itself.
    first = len(wide) if op.tier == "T0" else 0
    rng = np.random.Generator(np.random.Philox(key=11))
    for moved in range(first, len(wide) + 1):
        base = grad if moved == len(wide) else wide[moved]
        if base is None or not base.is_floating_point():
            continue
        most = [np.zeros(r.shape) for r in reference]
        for pattern in range(1 + _PATTERNS):
            signs = np.where(rng.random(tuple(base.shape)) < 0.5, -1.0, 1.0) if pattern else np.ones(tuple(base.shape))
            changed = base * (1 + _H * torch.from_numpy(np.asarray(signs)))
            inputs = [changed if i == moved else t for i, t in enumerate(wide)]
            response = backward(op, inputs, attrs, changed if moved == len(wide) else grad)
            most = [
                np.maximum(m, _finite(np.abs(g.numpy() - r) / _H))
                for m, g, r in zip(most, response, reference, strict=True)
            ]
        conditions = [c + m for c, m in zip(conditions, most, strict=True)]
    spoiled = backward(op, wide, attrs, grad, _H)
    saved = [_finite(np.abs(g.numpy() - r) / _H) for g, r in zip(spoiled, reference, strict=True)]
    working = torch.float64 if dtype == "float64" else torch.float32
    plain = backward(op, cast_common(op, wide, working), attrs, grad.to(working))
    stored = 2.0 ** -(mantissa_bits(dtype) + 1)
    found = []
    for r, s, y, p in zip(reference, conditions, saved, plain, strict=True):
        fine = ulp(r, "float64" if dtype == "float64" else "float32") + u * s
        q = min(_Q_CAP, float(_finite(np.abs(p.to(torch.float64).numpy() - r) / fine).max(initial=0.0)))
        a = 3 if dtype in ("float32", "float64") else 0  # the caller adds the first
        found.append(a * ulp(r, dtype) + 8 * u * s + 4 * q * fine + 4 * stored * y)
    return found


def _finite(values: Array) -> Array:
    return np.where(np.isfinite(values), values, 0)
