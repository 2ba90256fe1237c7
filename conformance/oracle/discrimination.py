"""Whether a case can fail at all: would plainly wrong kernels be rejected?

A case counts only if a zero result, a copy of an input and a stale last element are rejected, and at least 90% of its
finite non-zero elements each reject a change of 1%. This holds for exact ops too: relu of positive values is a copy.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torchfl_sdk.conformance.cases.dtypes import is_float, is_integer
from torchfl_sdk.conformance.oracle.bounds import Bound
from torchfl_sdk.conformance.oracle.compare import excess
from torchfl_sdk.conformance.oracle.reference import Array

_SCALE = 0.01
_SHARE = 0.9


def is_identity(op: str, dtype: str) -> bool:
    """Whether the op maps every value of this dtype to itself, so that a copy (in the result's dtype) is right."""
    if op == "aten::_to_copy":
        return True
    if op in ("aten::floor", "aten::ceil", "aten::round", "aten::trunc"):
        return is_integer(dtype)
    return op in ("aten::abs", "aten::relu") and dtype == "uint8"


def weakness(limit: Bound, inputs: Sequence[torch.Tensor | None], *, identity: bool = False) -> str:
    """Why a case with this bound proves nothing; "" if it counts. ``identity``: see :func:`is_identity`."""
    r = limit.rounded
    if r.size == 0:
        return "the result has no elements"
    if _accepts(limit, np.zeros_like(r)):
        return "a result of zeros would pass"
    for i, tensor in enumerate(() if identity else inputs):
        copied = _copy(tensor, r)
        if copied is not None and _accepts(limit, copied):
            return f"a copy of input {i} would pass"
    stale = r.copy()
    stale.reshape(-1)[-1] = 0
    if _accepts(limit, stale):
        return "an unwritten last element would pass"
    return _insensitive(limit, r)


def gradient_weakness(limits: Sequence[Bound]) -> str:
    """The same of a backward case. A gradient may well be a copy (that of an addition), so that copies say nothing."""
    counted = [np.isfinite(limit.rounded) & (limit.rounded != 0) for limit in limits]
    if not any(c.any() for c in counted):
        return "every gradient is zero"
    refused = total = 0
    for i, (limit, some) in enumerate(zip(limits, counted, strict=True)):
        r = limit.rounded
        if some.any() and _accepts(limit, np.zeros_like(r)):
            return f"zeros would pass for gradient {i}"
        refused += int((excess(limit, np.where(some, r * (1 + _SCALE), r)) > 1)[some].sum())
        total += int(some.sum())
    return "" if refused >= _SHARE * total else _share(refused / total)


def _share(share: float) -> str:
    return f"only {share:.0%} of the elements would reject an error of 1%"


def _accepts(limit: Bound, y: Array) -> bool:
    return not bool((excess(limit, y) > 1).any())


def _copy(tensor: torch.Tensor | None, r: Array) -> Array | None:
    """An input in the shape of the result, if it can be seen as such."""
    if tensor is None:
        return None
    try:
        with np.errstate(invalid="ignore"):  # a NaN seen as an integer is some integer
            return np.broadcast_to(tensor.to(torch.float64).numpy(), r.shape).astype(r.dtype)
    except ValueError:
        return None


def _insensitive(limit: Bound, r: Array) -> str:
    counted = np.isfinite(r) & (r != 0)
    if not counted.any():
        return "no element is finite and non-zero"
    if limit.exact or not is_float(limit.dtype):
        return ""  # any change of any element is rejected
    moved = np.where(counted, r * (1 + _SCALE), r)
    share = float((excess(limit, moved) > 1)[counted].mean())
    return "" if share >= _SHARE else _share(share)
