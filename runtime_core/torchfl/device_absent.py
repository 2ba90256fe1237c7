"""Functions of torch.xpu that have no meaning for our devices: each refuses in one sentence, where torch's own would
name something missing inside torch._C or ask for Intel's tools.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

_ALLOCATOR = "device memory is handed out by the chip's own functions, and the allocator is not exchanged or divided"
_SENSORS = "the chip ABI has no function that asks a device for it; the vendor's own tool does"
_QUEUES = "a device has one queue here, which belongs to its driver"

_WHY: dict[str, str] = {
    "memory_snapshot": "blocks of device memory are counted, not listed: see torch.xpu.memory_stats()",
    "set_per_process_memory_fraction": _ALLOCATOR,
    "MemPool": _ALLOCATOR,
    "use_mem_pool": _ALLOCATOR,
    "XPUPluggableAllocator": _ALLOCATOR,
    "change_current_allocator": _ALLOCATOR,
    "get_stream_from_external": _QUEUES,
    "clock_rate": _SENSORS,
    "memory_usage": _SENSORS,
    "power_draw": _SENSORS,
    "temperature": _SENSORS,
    "utilization": _SENSORS,
}


def _absent(name: str, why: str) -> Callable[..., NoReturn]:
    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise NotImplementedError(f"torch.xpu.{name}: {why}")

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"Refuses: {why}."
    return refuse


ABSENT: dict[str, Callable[..., NoReturn]] = {name: _absent(name, why) for name, why in _WHY.items()}
