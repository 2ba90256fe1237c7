"""Reference values: the op on the CPU in float64 (float64 itself: in long double; integers: exactly).

Nothing here touches a device. The inputs are the quantised ones: a device is not blamed for what the cast to its
dtype lost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torchfl_sdk.conformance.cases.calling import call_all, output_dtypes
from torchfl_sdk.conformance.cases.dtypes import torch_dtype
from torchfl_sdk.conformance.oracle import extended
from torchfl_sdk.conformance.oracle.semantics import Semantics

from torchfl.catalogue import OpSpec

Array = np.ndarray[Any, np.dtype[Any]]
Function = Callable[[Sequence[Array | None]], Array]


def high_precision(op: OpSpec, attrs: dict[str, Any], dtype: str, output: int = 0) -> Function:
    """One result of the op as a function of numpy arrays: float64 through torch's CPU kernels; long double for float64
    results, where there is a formula for the op."""
    if dtype == "float64" and output == 0 and extended.known(op.name):
        return lambda inputs: extended.evaluate(op.name, inputs, attrs)

    def in_float64(inputs: Sequence[Array | None]) -> Array:
        tensors = [None if x is None else torch.from_numpy(_narrow(x)) for x in inputs]
        result = call_all(op, tensors, attrs)[output]
        return np.asarray((result.to(torch.float64) if result.is_floating_point() else result).numpy())

    return in_float64


def _narrow(x: Array) -> Array:
    """As torch takes it: long double, which numpy alone has, in float64."""
    return np.array(x, order="C", dtype=np.float64 if x.dtype == np.longdouble else x.dtype)


def kinds(op: OpSpec, inputs: Sequence[Any]) -> tuple[str, ...]:
    """What each input is: "common", "bool" or "index"."""
    return ("common",) * len(inputs) if op.list_input else tuple(op.input_kind(name) for name in op.inputs)


def widen(op: OpSpec, inputs: Sequence[torch.Tensor | None], dtype: str) -> list[Array | None]:
    """Inputs as float64 arrays, or long double where the result is float64: exact. Masks and indices stay."""
    wide = np.longdouble if dtype == "float64" else np.float64
    return [
        None if t is None else t.numpy() if kind != "common" else t.detach().to(torch.float64).numpy().astype(wide)
        for t, kind in zip(inputs, kinds(op, inputs), strict=True)
    ]


def cast_common(op: OpSpec, inputs: Sequence[torch.Tensor | None], dtype: torch.dtype) -> list[torch.Tensor | None]:
    """The inputs in another dtype, those of another kind as they are."""
    return [
        t if t is None or kind != "common" else t.detach().to(dtype)
        for t, kind in zip(inputs, kinds(op, inputs), strict=True)
    ]


def same_precision(
    op: OpSpec, inputs: Sequence[torch.Tensor | None], attrs: dict[str, Any], dtype: str, output: int
) -> Array:
    """The op on the CPU in ``dtype`` for all floating inputs: how far an ordinary kernel of that precision is off."""
    result = call_all(op, cast_common(op, inputs, torch_dtype(dtype)), attrs)[output]
    return np.asarray(result.to(torch.float64).numpy())


def integer_reference(
    op: OpSpec, inputs: Sequence[torch.Tensor | None], attrs: dict[str, Any], semantics: Semantics, output: int = 0
) -> torch.Tensor:
    """Exact result in an output dtype that is no float; int8 stores as the chip states, other types wrap as in PyTorch.

    Masks and indices come from the inputs in their own dtype: every comparison of them is exact. Contractions go
    through float64, exact while sums stay below 2**53.
    """
    out = output_dtypes(op, inputs, attrs)[output]
    if op.output_kinds[output] != "common" or out == "bool":
        return call_all(op, inputs, attrs)[output]
    wide = torch.float64 if op.tier == "T1" else torch.int64
    whole = call_all(op, cast_common(op, inputs, wide), attrs)[output].to(torch.int64)
    if out == "int8" and semantics.int8_store == "saturate":
        whole = whole.clamp(-128, 127)
    return whole.to(torch_dtype(out))
