"""Device memory: what is used and held, limits, and giving it back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torchfl import _loader
from torchfl.device_api.common import Device, existing, loaded_core

_NO_LIMIT = (1 << 64) - 1


def empty_cache() -> None:
    """Gives cached device memory of every device back to the drivers."""
    core = _loader.loaded()
    if core is not None:
        core.empty_cache()


def memory_stats_as_nested_dict(device: Device = None) -> dict[str, Any]:
    """:func:`memory_stats`, with a dictionary for each part of a name."""
    stats = loaded_core().memory_stats(existing(device))
    nothing = dict.fromkeys(("current", "peak", "allocated", "freed"), 0)
    nested: dict[str, Any] = {
        name: {"all": dict(stats[source]), "small_pool": dict(nothing), "large_pool": dict(nothing)}
        for name, source in (
            ("allocated_bytes", "allocated_bytes"),
            ("active_bytes", "allocated_bytes"),
            ("requested_bytes", "allocated_bytes"),
            ("reserved_bytes", "reserved_bytes"),
            ("allocation", "allocation"),
            ("active", "allocation"),
            ("segment", "segment"),
        )
    }
    nested.update(
        num_device_alloc=stats["segment"]["allocated"],
        num_device_free=stats["segment"]["freed"],
        num_alloc_retries=stats["retries"],
        num_ooms=stats["failures"],
        evictions=stats["evictions"],
        evicted_bytes=stats["evicted_bytes"],
        rescues=stats["rescues"],
        rescued_bytes=stats["rescued_bytes"],
    )
    return nested


def _flat(nested: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, int]]:
    for name, value in nested.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def memory_stats(device: Device = None) -> dict[str, int]:
    """Bytes in use and held, now and at peak, and what a full device cost, under torch's names.

    ``allocated``, ``active`` and ``requested`` are one here, and so is the pool: what torch counts apart for small
    and large blocks is 0. A full device gives up sides of tensors that no op uses, those of the longest unused first,
    before it raises torch.OutOfMemoryError. ``evictions`` counts them and their bytes; ``rescues`` those among them
    whose bytes only the device had, so that they moved to the host (as far as ``torchfl.set_host_budget`` allows).
    """
    return dict(sorted(_flat(memory_stats_as_nested_dict(device))))


def memory_allocated(device: Device = None) -> int:
    """Bytes of device memory that live tensors hold."""
    return memory_stats(device)["allocated_bytes.all.current"]


def max_memory_allocated(device: Device = None) -> int:
    """The most bytes that live tensors held since the start or the last reset."""
    return memory_stats(device)["allocated_bytes.all.peak"]


def memory_reserved(device: Device = None) -> int:
    """Bytes taken from the driver, cached ones included."""
    return memory_stats(device)["reserved_bytes.all.current"]


def max_memory_reserved(device: Device = None) -> int:
    """The most bytes taken from the driver since the start or the last reset."""
    return memory_stats(device)["reserved_bytes.all.peak"]


def reset_peak_memory_stats(device: Device = None) -> None:
    """Sets the peaks to the present values."""
    loaded_core().reset_peak_stats(existing(device))


def reset_accumulated_memory_stats(device: Device = None) -> None:
    """Sets to 0 what was counted since the start: everything but the present values and the peaks."""
    loaded_core().reset_accumulated_stats(existing(device))


def mem_get_info(device: Device = None) -> tuple[int, int]:
    """Free and total bytes, as the driver reports them. Raises RuntimeError where it does not."""
    free, total = loaded_core().memory_info(existing(device))
    return int(free), int(total)


def device_memory_used(device: Device = None) -> int:
    """Bytes of the device that are not free, whoever holds them. Raises RuntimeError where the driver does not tell."""
    free, total = mem_get_info(device)
    return total - free


def set_per_process_memory_fraction(fraction: float, device: Device = None) -> None:
    """The part of a device's memory that this process may take from the driver, cached memory included.

    A full part is treated as a full device. Raises TypeError or ValueError for anything but a float from 0 to 1,
    RuntimeError where the driver does not tell how much memory there is.
    """
    if not isinstance(fraction, float):
        raise TypeError("Invalid type for fraction argument, must be `float`")
    if not 0 <= fraction <= 1:
        raise ValueError(f"fraction is {fraction}, but it is a part of the device's memory: 0 to 1")
    index = existing(device)
    total = mem_get_info(index)[1]
    loaded_core().set_memory_limit(index, _NO_LIMIT if fraction == 1 else int(total * fraction))


def get_per_process_memory_fraction(device: Device = None) -> float:
    """What :func:`set_per_process_memory_fraction` set; 1 where it was not called."""
    index = existing(device)
    limit = int(loaded_core().memory_limit(index))
    return 1.0 if limit == _NO_LIMIT else limit / mem_get_info(index)[1]
