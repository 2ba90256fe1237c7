"""How far a right result may be from the reference: tiers T0, T1, T2.

T0: nothing. T1 (contractions): ulp_out(r) + 6*sqrt(K)*u_acc*(|A||B| + |beta||C|), with K for sqrt(K) on truncating
accumulators. T2 (the rest): a*ulp_out(r) + 8*u_acc*S + 4*q*(ulp32(r) + u_acc*S) per element, where S is the condition
of the op at the inputs and q how far a plain CPU kernel of the same precision strays, capped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torchfl_sdk.conformance.cases.calling import output_dtypes
from torchfl_sdk.conformance.cases.dtypes import is_float, mantissa_bits, torch_dtype
from torchfl_sdk.conformance.cases.rules import RULES
from torchfl_sdk.conformance.cases.rules.base import stated
from torchfl_sdk.conformance.cases.rules.products import product_extents
from torchfl_sdk.conformance.cases.samples import Sample
from torchfl_sdk.conformance.oracle.reference import (
    Array,
    Function,
    high_precision,
    integer_reference,
    same_precision,
    widen,
)
from torchfl_sdk.conformance.oracle.semantics import Semantics

_H = 2.0**-20  # relative perturbation for the condition sum
_Q_CAP = 64.0
_SIGN_PATTERNS = 4


@dataclass(frozen=True, eq=False)
class Bound:
    """The reference (unrounded, float64 or long double; int64 for integers) and the tolerance per element.

    ``also`` are other values that are right to one ulp: what torch's own CPU kernel gives, where it serves the call.
    """

    reference: Array
    tolerance: Array
    dtype: str
    exact: bool
    sign_of_zero: bool = False  # whether -0.0 and 0.0 differ
    flush_to_zero: bool = False
    also: Array | None = None

    @property
    def rounded(self) -> Array:
        """The reference in the output dtype (as float64, long double or int64 values)."""
        return round_to(self.reference, self.dtype) if is_float(self.dtype) else self.reference


def round_to(values: Array, dtype: str) -> Array:
    """Round to nearest even in ``dtype``, overflow to infinity; the result keeps the wide type."""
    if dtype == "float64":
        with np.errstate(over="ignore"):
            return np.asarray(values.astype(np.float64).astype(values.dtype))
    return np.asarray(torch.from_numpy(np.array(values, order="C")).to(torch_dtype(dtype)).to(torch.float64).numpy())


def ulp(values: Array, dtype: str) -> Array:
    """The spacing of ``dtype`` at each value; that of denormals around zero."""
    info = torch.finfo(torch_dtype(dtype))
    least = int(np.frexp(info.smallest_normal)[1]) - 1
    finite = np.where(np.isfinite(values), values, 0)
    exponent = np.where(finite == 0, least, np.maximum(np.frexp(finite)[1] - 1, least))
    return np.asarray(np.ldexp(np.ones_like(finite), (exponent - mantissa_bits(dtype)).astype(np.int32)))


def bound(sample: Sample, semantics: Semantics, output: int = 0) -> Bound:
    """Reference and tolerance of one result of a sample. Raises what the CPU op raises on these inputs."""
    op, inputs, attrs = sample.op, sample.inputs, stated(sample.op, sample.dtype, sample.attrs)
    dtype = output_dtypes(op, inputs, attrs)[output]
    if not is_float(dtype):
        exact = integer_reference(op, inputs, attrs, semantics, output).to(torch.int64).numpy()
        return Bound(exact, np.zeros(exact.shape), dtype, exact=True)
    f = high_precision(op, attrs, dtype, output)
    wide = widen(op, inputs, dtype)
    r = f(wide)
    if op.tier == "T0" or (sample.exact and op.tier == "T1" and semantics.exact_sums):
        signed = op.name in ("aten::neg", "aten::abs")
        return Bound(r, np.zeros(r.shape), dtype, exact=True, sign_of_zero=signed)
    with np.errstate(all="ignore"):
        tolerance = (
            _contraction(sample, wide, r, dtype, semantics)
            if op.tier == "T1"
            else _general(sample, f, wide, r, dtype, semantics, output)
        )
    if semantics.flush_to_zero:
        tolerance = tolerance + torch.finfo(torch_dtype(dtype)).smallest_normal
    return Bound(r, np.asarray(tolerance), dtype, exact=False, flush_to_zero=semantics.flush_to_zero)


def terms(sample: Sample) -> int:
    """K: how many terms each output element of a contraction or a sum adds up."""
    rule, given = sample.op.shape_rule, [t for t in sample.inputs if t is not None]
    if rule == "conv":
        return int(given[1][0].numel())
    shapes: list[tuple[int, ...] | None] = [tuple(t.shape) for t in given]
    if rule in RULES:
        return int(RULES[rule].variables(sample.op, shapes, sample.attrs)["extent"])
    return product_extents(rule, [tuple(t.shape) for t in given]).get("K", 1)


def _contraction(sample: Sample, wide: list[Array | None], r: Array, dtype: str, semantics: Semantics) -> Array:
    """|A||B| + |beta||C| is the same op on absolute values, attributes included."""
    absolute = {k: abs(v) if k in ("alpha", "beta") else v for k, v in sample.attrs.items()}
    magnitude = high_precision(sample.op, absolute, dtype)([None if x is None else np.abs(x) for x in wide])
    k = max(1, terms(sample))
    growth = k if semantics.truncating else 6 * np.sqrt(k)
    u = semantics.product_roundoff(dtype)
    return np.asarray(ulp(r, dtype) + growth * u * np.where(np.isfinite(magnitude), magnitude, 0))


def _general(
    sample: Sample, f: Function, wide: list[Array | None], r: Array, dtype: str, semantics: Semantics, output: int
) -> Array:
    u = semantics.roundoff(dtype)
    s = condition(f, wide, r, elementwise=sample.op.elementwise)
    working = "float64" if dtype == "float64" else "float32"
    fine = ulp(r, working) + u * s
    ordinary = same_precision(sample.op, sample.inputs, sample.attrs, working, output)
    ratio = np.where(np.isfinite(r) & np.isfinite(ordinary), np.abs(ordinary - r) / fine, 0)
    q = min(_Q_CAP, float(ratio.max(initial=0.0)))
    a = 4.0 if dtype in ("float32", "float64") else 1.0
    return np.asarray(a * ulp(r, dtype) + 8 * u * s + 4 * q * fine)


def condition(f: Function, wide: list[Array | None], r: Array, *, elementwise: bool) -> Array:
    """S = sum over inputs of |f(x + h x) - f(x)| / h. Where an output depends on many elements of an input, also under
    random signs, of which the largest response counts."""
    rng = np.random.Generator(np.random.Philox(key=7))
    total = np.zeros(r.shape, dtype=r.dtype)
    for i, x in enumerate(wide):
        if x is None or not np.issubdtype(x.dtype, np.floating):
            continue
        most = np.zeros(r.shape, dtype=r.dtype)
        for pattern in range(1 if elementwise else 1 + _SIGN_PATTERNS):
            signs = 1.0 if pattern == 0 else np.where(rng.random(x.shape) < 0.5, -1.0, 1.0)
            moved: list[Any] = list(wide)
            moved[i] = x * (1 + _H * signs)
            response = np.abs(f(moved) - r) / _H
            most = np.maximum(most, np.where(np.isfinite(response), response, 0))
        total = total + most
    return total
