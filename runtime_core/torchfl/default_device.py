"""The device that new tensors are on, named as PyTorch or as a profile names it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchfl import runtime

if TYPE_CHECKING:
    import torch


def set_default_device(device: str | int | torch.device | None) -> None:
    """Makes a device the one of tensors that are made without a device, and the current one, for the calling thread.

    ``device`` is a selector (``"xpu:x1"``, ``"xpu:x1:1"``), a name or index as PyTorch takes it, or None: then new
    tensors are on the CPU again. The current device, which ``"xpu"`` without an index means, stays as it is where the
    new one is the CPU.

    Raises what :func:`torchfl.device` raises, and RuntimeError for an index that no chip has.
    """
    import torch

    if device is None:
        torch.set_default_device(None)
        return
    place = runtime.device(device) if isinstance(device, str) and _is_selector(device) else torch.device(device)
    if place.type in ("xpu", runtime.BACKEND):
        module = torch.get_device_module(runtime.BACKEND)
        module.set_device(place.index if place.index is not None else module.current_device())
        place = torch.device(runtime.BACKEND, module.current_device())
    torch.set_default_device(place)


def _is_selector(text: str) -> bool:
    """PyTorch's own names have nothing or a number after the colon."""
    rest = text.partition(":")[2]
    return bool(rest) and not rest.isdecimal()
