"""Comparing a device's result with its bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torchfl_sdk.conformance.cases.dtypes import dtype_name, is_float, torch_dtype
from torchfl_sdk.conformance.cases.samples import Sample
from torchfl_sdk.conformance.oracle.bounds import Bound, bound, ulp
from torchfl_sdk.conformance.oracle.reference import Array
from torchfl_sdk.conformance.oracle.semantics import semantics_of

from torchfl.catalogue import OpSpec


@dataclass(frozen=True)
class Judgement:
    """``worst`` is the largest error in units of its tolerance (0 where all elements are exact, inf for a wrong NaN,
    infinity, shape or dtype)."""

    ok: bool
    reason: str
    worst: float


def judge(op: OpSpec, sample: Sample, actual: torch.Tensor, numerics: Any = None) -> Judgement:
    """Whether ``actual`` (on any device) is a right result of ``op`` on ``sample``.

    ``numerics`` is the profile's (None: nothing declared). Raises what the CPU op raises on these inputs.
    """
    if op is not sample.op:
        raise ValueError(f"the sample is one of {sample.op.name}, not of {op.name}")
    return judge_against(bound(sample, semantics_of(numerics)), actual)


def judge_against(limit: Bound, actual: torch.Tensor) -> Judgement:
    """Compare with a bound that was computed before."""
    if tuple(actual.shape) != limit.reference.shape:
        return Judgement(False, f"shape {tuple(actual.shape)}, expected {limit.reference.shape}", float("inf"))
    if dtype_name(actual.dtype) != limit.dtype:
        return Judgement(False, f"dtype {dtype_name(actual.dtype)}, expected {limit.dtype}", float("inf"))
    y = values_of(actual, limit)
    error = excess(limit, y)
    wrong = error > 1
    worst = float(error.max(initial=0.0))
    if not wrong.any():
        return Judgement(True, "", worst)
    first = np.unravel_index(int(np.argmax(wrong)), wrong.shape) if wrong.shape else ()
    place = f"[{', '.join(map(str, first))}]"
    got, want = y[first], limit.rounded[first]
    reason = (
        f"{int(wrong.sum())} of {wrong.size} elements wrong, first at {place}: got {_show(got)}, expected {_show(want)}"
    )
    if not limit.exact and np.isfinite(error[first]):
        reason += f" within {float(limit.tolerance[first]):.3g}"
    return Judgement(False, reason, worst)


def values_of(actual: torch.Tensor, limit: Bound) -> Array:
    """A result as an array of the reference's type."""
    cpu = actual.detach().cpu()
    if not is_float(limit.dtype):
        return np.asarray(cpu.to(torch.int64).numpy())
    return np.asarray(cpu.to(torch.float64).numpy().astype(limit.reference.dtype))


def excess(limit: Bound, y: Array) -> Array:
    """Error of each element in units of its tolerance; above 1 is wrong, and inf where no tolerance applies."""
    r = limit.reference
    if not is_float(limit.dtype):
        return np.where(y == r, 0.0, np.inf)
    with np.errstate(all="ignore"):
        rounded = limit.rounded
        if limit.exact:
            same = (y == rounded) | (np.isnan(y) & np.isnan(rounded))
            if limit.sign_of_zero:
                same &= np.isnan(rounded) | (np.signbit(y) == np.signbit(rounded))
            return np.where(same, 0.0, np.inf)
        error = np.abs(y - r) / limit.tolerance
        top = float(torch.finfo(torch_dtype(limit.dtype)).max)
        may_overflow = np.abs(r) + limit.tolerance >= top
        infinite = np.isinf(y) | np.isinf(rounded)
        both = np.isinf(y) & (np.isinf(rounded) | may_overflow) & (np.signbit(y) == np.signbit(r))
        nearly = np.isfinite(y) & np.isfinite(r) & np.isinf(rounded) & (error <= 1)
        error = np.where(infinite, np.where(both | nearly, 0.0, np.inf), error)
        if limit.also is not None:
            like_cpu = np.abs(y - limit.also) / ulp(limit.also, limit.dtype)
            error = np.fmin(error, np.where((y == limit.also), 0.0, like_cpu))
        either_nan = np.isnan(y) | np.isnan(r)
        both_nan = np.isnan(y) & (np.isnan(r) if limit.also is None else np.isnan(r) | np.isnan(limit.also))
        return np.asarray(np.where(either_nan, np.where(both_nan, 0.0, np.inf), error), dtype=np.float64)


def _show(value: Any) -> str:
    return str(int(value)) if isinstance(value, np.integer) else f"{float(value):.9g}"
