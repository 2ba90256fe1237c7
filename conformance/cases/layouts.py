"""How a tensor lies in memory: a flat base with poison everywhere the view does not reach, and the view's geometry.

The base is what travels to the device; the view is taken there. After the op the whole base is compared, so that a
kernel that writes beside a view is caught, and poison (NaN, or 0x55 bytes in integers) gives away one that reads there.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

_GUARD = 5  # elements on both sides; odd, so that vector loads of the view are unaligned


@dataclass(frozen=True, eq=False)
class Laid:
    """``base`` (1-D) and the view's sizes, strides and offset, in elements."""

    base: torch.Tensor
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int

    def view(self, base: torch.Tensor | None = None) -> torch.Tensor:
        """The view of ``base``, or of a copy of it on another device."""
        return (self.base if base is None else base).as_strided(self.sizes, self.strides, self.offset)


def applies(layout: str, shape: tuple[int, ...]) -> bool:
    """Whether a layout means anything for a shape."""
    rank = len(shape)
    return {
        "contiguous": True,
        "offset": rank >= 1,
        "strided": rank >= 1,
        "expanded": rank >= 2 and shape[0] > 1,
        "padded": rank >= 2 and shape[-1] > 1 and shape[-2] > 1,
        "transposed": rank >= 2 and shape[-1] > 1 and shape[-2] > 1,
        "padded_transposed": rank >= 2 and shape[-1] > 1 and shape[-2] > 1,
        "channels_last": rank == 4,
        "strides": True,
    }[layout]


def poison(dtype: torch.dtype) -> float | int | bool:
    """A value that spoils a result that uses it: NaN, or a repeated 0x55 byte."""
    if dtype.is_floating_point:
        return float("nan")
    if dtype == torch.bool:
        return True
    return int.from_bytes(b"\x55" * dtype.itemsize, "little")


def lay_out(values: torch.Tensor, layout: str) -> Laid:
    """Put ``values`` into memory in the given layout; a layout that does not apply to the shape becomes contiguous.

    ``expanded`` repeats the last slice along dimension 0, with stride 0.
    """
    shape = tuple(values.shape)
    if not applies(layout, shape) or layout == "contiguous" or values.numel() == 0:
        return Laid(values.reshape(-1).clone(), shape, tuple(values.stride()), 0)
    if layout == "transposed":
        inner = values.transpose(-1, -2).contiguous()
        return Laid(inner.reshape(-1), shape, tuple(inner.transpose(-1, -2).stride()), 0)
    if layout == "channels_last":
        inner = values.permute(0, 2, 3, 1).contiguous()
        return Laid(inner.reshape(-1), shape, tuple(inner.permute(0, 3, 1, 2).stride()), 0)
    if layout == "expanded":
        return Laid(values[-1].reshape(-1).clone(), shape, (0, *values[-1].stride()), 0)
    strides = list(torch.empty(shape, device="meta").stride())
    offset = _GUARD
    if layout == "strided":
        strides = _spread(shape, 2)
    elif layout == "padded":
        strides = _spread(shape, 1)
    elif layout == "padded_transposed":
        strides = _spread((*shape[:-2], shape[-1], shape[-2]), 1)
        strides[-2:] = strides[:-3:-1]
    extent = 1 + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
    base = torch.full((offset + extent + _GUARD,), poison(values.dtype), dtype=values.dtype)
    laid = Laid(base, shape, tuple(strides), offset)
    laid.view().copy_(values)
    return laid


def surrounded(values: torch.Tensor, strides: tuple[int, ...]) -> Laid:
    """``values`` with these strides (in elements; 0 repeats), and poison wherever no element lies."""
    shape = tuple(values.shape)
    extent = 1 + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
    if values.numel() == 0:
        return Laid(values.reshape(-1).clone(), shape, strides, 0)
    base = torch.full((_GUARD + extent + _GUARD,), poison(values.dtype), dtype=values.dtype)
    laid = Laid(base, shape, strides, _GUARD)
    once = values[tuple(slice(0, 1) if stride == 0 else slice(None) for stride in strides)]
    base.as_strided(once.shape, strides, _GUARD).copy_(once)
    return laid


def _spread(shape: tuple[int, ...], step: int) -> list[int]:
    """Row-major strides with ``step`` inside a row and 3 spare elements after every dimension, so that no two merge."""
    strides = []
    for size in reversed(shape):
        strides.append(step)
        step = step * size + 3
    return strides[::-1]


def flattened(tensor: torch.Tensor) -> torch.Tensor:
    """The elements in order, side by side. A view of one element counts as contiguous whatever its stride is."""
    return tensor.clone(memory_format=torch.contiguous_format).reshape(-1)
