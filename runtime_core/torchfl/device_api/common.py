"""Which device an argument means; every part of the module asks here."""

from __future__ import annotations

import operator
from typing import Any, TypeAlias

import torch

from torchfl import _loader

#: A device argument: an index, a string (``"xpu:1"``), a torch.device, or None for the current device.
Device: TypeAlias = "int | str | torch.device | None"


def loaded_core() -> Any:
    """The C++ core. Raises RuntimeError where torchfl is not initialised."""
    core = _loader.loaded()
    if core is None:
        raise RuntimeError("torchfl is not initialised: call torchfl.init()")
    return core


def _get_device_index(device: Any = None, optional: bool = False, allow_cpu: bool = False) -> int:
    """The index that ``device`` means; the current one for None or a device without index.

    Raises ValueError for what names no device of ours; an index is given back as it is.
    """
    if isinstance(device, str):
        device = torch.device(device)
    if isinstance(device, torch.device):
        if allow_cpu and device.type == "cpu":
            return -1
        if device.type not in ("xpu", "fl"):
            raise ValueError(f"expected an xpu or fl device, but got: {device}")
        device = device.index
    if device is None:
        return int(loaded_core().current_device())
    try:
        return operator.index(device)
    except TypeError:
        raise ValueError(f"expected a torch.device, its name or an index, but got: {device!r}") from None


def existing(device: Device = None) -> int:
    """The index that ``device`` means, for the core, which refuses one that no device has.

    Raises RuntimeError for a number that no index can be, and what :func:`_get_device_index` raises.
    """
    index = _get_device_index(device)
    if not 0 <= index < 128:  # the core's indices have 8 bits, and a negative one means the current device there
        count = loaded_core().device_count()
        raise RuntimeError(f"device index {index} is out of range: there are {count} device(s)")
    return index
