"""Reference values: the op on the CPU in float64 (float64 itself: in long double; integers: exactly).

Nothing here touches a device. The inputs are the quantised ones: a device is not blamed for what the cast to its
dtype lost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torchfl_sdk.conformance.cases.calling import call, output_dtype
from torchfl_sdk.conformance.cases.dtypes import is_float, torch_dtype
from torchfl_sdk.conformance.oracle import extended
from torchfl_sdk.conformance.oracle.semantics import Semantics

from torchfl.catalogue import OpSpec

Array = np.ndarray[Any, np.dtype[Any]]
Function = Callable[[Sequence[Array | None]], Array]


def high_precision(op: OpSpec, attrs: dict[str, Any], dtype: str) -> Function:
    """The op as a function of numpy arrays: float64 through torch's CPU kernels, long double for float64 results."""
    if dtype == "float64":
        return lambda inputs: extended.evaluate(op.name, inputs, attrs)

    def in_float64(inputs: Sequence[Array | None]) -> Array:
        tensors = [None if x is None else torch.from_numpy(np.array(x, order="C")) for x in inputs]
        return np.asarray(call(op, tensors, attrs).numpy())

    return in_float64


def widen(inputs: Sequence[torch.Tensor | None], dtype: str) -> list[Array | None]:
    """Inputs as float64 arrays, or long double where the result is float64. Exact."""
    wide = np.longdouble if dtype == "float64" else np.float64
    return [None if t is None else t.detach().to(torch.float64).numpy().astype(wide) for t in inputs]


def same_precision(op: OpSpec, inputs: Sequence[torch.Tensor | None], attrs: dict[str, Any], dtype: str) -> Array:
    """The op on the CPU in ``dtype`` for all floating inputs: how far an ordinary kernel of that precision is off."""
    tensors = [None if t is None else t.detach().to(torch_dtype(dtype)) for t in inputs]
    return np.asarray(call(op, tensors, attrs).to(torch.float64).numpy())


def integer_reference(
    op: OpSpec, inputs: Sequence[torch.Tensor | None], attrs: dict[str, Any], semantics: Semantics
) -> torch.Tensor:
    """Exact integer result in the output dtype; int8 stores as the chip states, other types wrap as in PyTorch.

    Contractions go through float64, exact while sums stay below 2**53.
    """
    out = output_dtype(op, inputs)
    wide = torch.float64 if op.tier == "T1" else torch.int64
    whole = call(op, [None if t is None else t.to(wide) for t in inputs], attrs).to(torch.int64)
    if out == "int8" and semantics.int8_store == "saturate":
        whole = whole.clamp(-128, 127)
    return whole.to(torch_dtype(out))


def result_dtype(op: OpSpec, inputs: Sequence[torch.Tensor | None]) -> str:
    """The output's dtype name; ValueError where neither arithmetic applies (bool)."""
    out = output_dtype(op, inputs)
    if not is_float(out) and out == "bool":
        raise ValueError(f"{op.name}: the oracle has no rule for bool results")
    return out
