"""Tensors whose values are part of the case: recorded from elsewhere instead of drawn from a recipe.

Such a TensorSpec has its bytes in ``fill`` (``given:`` and base85 of the compressed elements in row-major order) and
its memory layout in ``strides``, so that the case's identity covers them like everything else.
"""

from __future__ import annotations

import base64
import zlib
from functools import cache

import torch
from torchfl_sdk.conformance.cases.dtypes import dtype_name, torch_dtype
from torchfl_sdk.conformance.cases.layouts import Laid, flattened, surrounded
from torchfl_sdk.conformance.cases.spec import GIVEN, TensorSpec


def given(tensor: torch.Tensor, dtype: str) -> TensorSpec:
    """A CPU tensor with its values and strides, in a sample of ``dtype``."""
    own = dtype_name(tensor.dtype)
    flat = flattened(tensor.detach())
    raw = flat.view(torch.uint8).numpy().tobytes() if flat.numel() else b""
    text = base64.b85encode(zlib.compress(raw, 9)).decode()
    return TensorSpec(
        tuple(tensor.shape), GIVEN + text, "strides", "" if own == dtype else own, strides=tuple(tensor.stride())
    )


def laid(spec: TensorSpec, dtype: str) -> Laid:
    """The tensor in memory as it was, with poison around its elements and between them."""
    return surrounded(_values(spec.fill, spec.dtype or dtype).reshape(spec.shape), spec.strides or ())


@cache
def _values(fill: str, dtype: str) -> torch.Tensor:
    raw = zlib.decompress(base64.b85decode(fill.removeprefix(GIVEN)))
    return (
        torch.frombuffer(bytearray(raw), dtype=torch_dtype(dtype)) if raw else torch.empty(0, dtype=torch_dtype(dtype))
    )
