"""Which devices there are, which is current, and what is known of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import torch

from torchfl import _loader
from torchfl.device_api.common import Device, _get_device_index, existing, loaded_core


def is_available() -> bool:
    """Whether there is at least one usable device. Starts the driver; never raises."""
    return device_count() > 0


def device_count() -> int:
    """The number of usable devices of all chips. Starts the driver; 0 in a child forked after its use."""
    core = _loader.loaded()
    return 0 if core is None or core.in_bad_fork() else int(core.device_count())


def is_initialized() -> bool:
    """Whether the driver has been started in this process."""
    core = _loader.loaded()
    return core is not None and bool(core.devices_started())


def init() -> None:
    """Starts the driver."""
    loaded_core().start_devices()


def _lazy_init() -> None:
    """Called by torch when a tensor is made on the device: the core starts the driver itself."""


def _lazy_call(function: Callable[[], Any], **_: Any) -> None:
    function()


def _is_in_bad_fork() -> bool:
    core = _loader.loaded()
    return core is not None and bool(core.in_bad_fork())


def current_device() -> int:
    """The calling thread's current device index."""
    return int(loaded_core().current_device())


def set_device(device: Device) -> None:
    """Makes a device current for the calling thread. A negative index does nothing, as for torch's own devices."""
    if _get_device_index(device) >= 0:
        loaded_core().set_device(existing(device))


def _exchange_device(device: int) -> int:
    before = current_device()
    set_device(device)
    return before


def _maybe_exchange_device(device: int) -> int:  # another object: dynamo tells the two apart by identity
    return _exchange_device(device)


class _DeviceGuard:
    def __init__(self, index: int) -> None:
        self.idx = index
        self.prev_idx = -1

    def __enter__(self) -> None:
        self.prev_idx = _exchange_device(self.idx)

    def __exit__(self, *_: object) -> None:
        _exchange_device(self.prev_idx)


class device(_DeviceGuard):
    """Context manager that changes the current device; None and a negative index change nothing."""

    def __init__(self, device: Device) -> None:
        super().__init__(-1 if device is None else _get_device_index(device))


class device_of(device):
    """Context manager that changes the current device to that of a tensor of ours."""

    def __init__(self, obj: torch.Tensor) -> None:
        super().__init__(obj.get_device() if obj.device.type in ("xpu", "fl") else -1)


def synchronize(device: Device = None) -> None:
    """Waits for all work on a device."""
    loaded_core().synchronize(existing(device))


def can_device_access_peer(device: Device, peer: Device) -> bool:
    """Whether one device reads another's memory: only its own. Tensors of two devices meet by ``.to()``."""
    one, other = existing(device), existing(peer)
    for index in (one, other):
        loaded_core().device_name(index)  # raises for a device that is not there
    return one == other


def get_device_name(device: Device = None) -> str:
    """The name that the driver gives the device."""
    return str(loaded_core().device_name(existing(device)))


@dataclass(frozen=True)
class DeviceProperties:
    """What is known of a device. ``total_memory`` is in bytes, 0 where neither driver nor profile tells."""

    name: str
    total_memory: int
    type: str
    vendor: str
    platform_name: str
    driver_version: str
    has_fp16: bool
    has_fp64: bool
    has_bfloat16: bool


def get_device_properties(device: Device = None) -> DeviceProperties:
    """Name, memory and dtypes, from the driver and the chip's profile."""
    from torchfl import runtime

    index = existing(device)
    name = get_device_name(index)
    profile = runtime.chip_at(index).profile
    try:
        total = loaded_core().memory_info(index)[1]
    except RuntimeError:
        total = 0
    dtypes = {dtype for op in profile.ops for dtype in op.dtype_support}
    return DeviceProperties(
        name=name,
        total_memory=total,
        type="gpu",
        vendor=profile.vendor or "",
        platform_name=profile.chip_model or profile.chip,
        driver_version=str(profile.driver_version or ""),
        has_fp16="float16" in dtypes,
        has_fp64="float64" in dtypes,
        has_bfloat16="bfloat16" in dtypes,
    )


def get_device_capability(device: Device = None) -> dict[str, Any]:
    """The properties as a dictionary."""
    return asdict(get_device_properties(device))


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether bfloat16 works: everywhere by the CPU fallback, natively where the chip has kernels for it."""
    return bool(including_emulation) or get_device_properties().has_bfloat16


def is_tf32_supported() -> bool:
    """Never: products are computed in the dtype that was asked for."""
    return False


def get_amp_supported_dtype() -> list[torch.dtype]:
    """The dtypes that ``torch.autocast("xpu")`` accepts."""
    return [torch.float16, torch.bfloat16]
