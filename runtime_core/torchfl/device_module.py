"""The device's Python module: this file is ``torch.fl``, and its functions also answer for ``torch.xpu``.

Signatures follow ``torch.xpu``. A device argument is an index, a string (``"xpu:1"``), a torch.device, or None for the
current one. Imported only by :mod:`torchfl.runtime`, after torch and the core are loaded.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import torch

from torchfl import _loader
from torchfl.device_absent import ABSENT

Device: TypeAlias = "int | str | torch.device | None"


def _core() -> Any:
    core = _loader.loaded()
    if core is None:
        raise RuntimeError("torchfl is not initialised: call torchfl.init()")
    return core


def _get_device_index(device: Any = None, optional: bool = False, allow_cpu: bool = False) -> int:
    """The index that ``device`` means; the current one for None or a device without index."""
    if isinstance(device, str):
        device = torch.device(device)
    if isinstance(device, torch.device):
        if allow_cpu and device.type == "cpu":
            return -1
        if device.type not in ("xpu", "fl"):
            raise ValueError(f"expected an xpu or fl device, but got: {device}")
        device = device.index
    if device is None:
        return current_device()
    index = int(device)
    return index if index >= 0 else current_device()


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
    _core().start_devices()


def _lazy_init() -> None:
    """Called by torch when a tensor is made on the device: the core starts the driver itself."""


def _lazy_call(function: Callable[[], Any], **_: Any) -> None:
    function()


def _is_in_bad_fork() -> bool:
    core = _loader.loaded()
    return core is not None and bool(core.in_bad_fork())


def current_device() -> int:
    """The calling thread's current device index."""
    return int(_core().current_device())


def set_device(device: Device) -> None:
    """Makes a device current for the calling thread. A negative index does nothing, as for torch's own devices."""
    if isinstance(device, int) and device < 0:
        return
    _core().set_device(_get_device_index(device))


def _exchange_device(device: int) -> int:
    before = current_device()
    if device >= 0:
        _core().set_device(device)
    return before


_maybe_exchange_device = _exchange_device


class _DeviceGuard:
    def __init__(self, index: int) -> None:
        self.idx = index
        self.prev_idx = -1

    def __enter__(self) -> None:
        self.prev_idx = _exchange_device(self.idx)

    def __exit__(self, *_: object) -> None:
        _exchange_device(self.prev_idx)


class device(_DeviceGuard):
    """Context manager that changes the current device."""

    def __init__(self, device: Device) -> None:
        super().__init__(-1 if device is None else _get_device_index(device))


class device_of(_DeviceGuard):
    """Context manager that changes the current device to that of a tensor of ours."""

    def __init__(self, obj: torch.Tensor) -> None:
        super().__init__(obj.get_device() if obj.device.type in ("xpu", "fl") else -1)


def can_device_access_peer(device: Device, peer: Device) -> bool:
    """Whether one device reads another's memory: only its own. Tensors of two devices meet by ``.to()``."""
    return _get_device_index(device) == _get_device_index(peer)


def synchronize(device: Device = None) -> None:
    """Waits for all work on a device."""
    _core().synchronize(_get_device_index(device))


def get_device_name(device: Device = None) -> str:
    """The name that the driver gives the device."""
    return str(_core().device_name(_get_device_index(device)))


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

    index = _get_device_index(device)
    profile = runtime.chip_at(index).profile
    try:
        total = mem_get_info(index)[1]
    except RuntimeError:
        total = 0
    dtypes = {dtype for op in profile.ops for dtype in op.dtype_support}
    return DeviceProperties(
        name=get_device_name(index),
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
    return including_emulation or get_device_properties().has_bfloat16


def is_tf32_supported() -> bool:
    """Never: products are computed in the dtype that was asked for."""
    return False


def is_current_stream_capturing() -> bool:
    """Never: there are no device graphs."""
    return False


def get_amp_supported_dtype() -> list[torch.dtype]:
    """The dtypes that ``torch.autocast("xpu")`` accepts."""
    return [torch.float16, torch.bfloat16]


# Memory


def empty_cache() -> None:
    """Gives cached device memory of every device back to the drivers."""
    core = _loader.loaded()
    if core is not None:
        core.empty_cache()


def memory_stats(device: Device = None) -> dict[str, int]:
    """Bytes in use and held, now and at peak, and what a full device cost, under torch's names.

    A full device gives up sides of tensors that no op uses, those of the longest unused first, before it raises
    torch.OutOfMemoryError. ``evictions`` counts them and their bytes; ``rescues`` those among them whose bytes only the
    device had, so that they moved to the host (as far as ``torchfl.set_host_budget`` allows).
    """
    stats = _core().memory_stats(_get_device_index(device))
    return {
        "allocated_bytes.all.current": stats["allocated"],
        "allocated_bytes.all.peak": stats["peak_allocated"],
        "reserved_bytes.all.current": stats["reserved"],
        "reserved_bytes.all.peak": stats["peak_reserved"],
        "num_device_alloc": stats["driver_allocations"],
        "num_alloc_retries": stats["retries"],
        "num_ooms": stats["failures"],
        "evictions": stats["evictions"],
        "evicted_bytes": stats["evicted_bytes"],
        "rescues": stats["rescues"],
        "rescued_bytes": stats["rescued_bytes"],
    }


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
    _core().reset_peak_stats(_get_device_index(device))


def memory_stats_as_nested_dict(device: Device = None) -> dict[str, Any]:
    """:func:`memory_stats` with a dictionary for each part of a name before a point."""
    nested: dict[str, Any] = {}
    for name, value in memory_stats(device).items():
        *path, last = name.split(".")
        level = nested
        for part in path:
            level = level.setdefault(part, {})
        level[last] = value
    return nested


def get_per_process_memory_fraction(device: Device = None) -> float:
    """The share of the device's memory that this process may take: all of it."""
    _get_device_index(device)
    return 1.0


def device_memory_used(device: Device = None) -> int:
    """Bytes of the device's memory in use by whatever process, as the driver reports them. Raises as mem_get_info()."""
    free, total = mem_get_info(device)
    return total - free


def reset_accumulated_memory_stats(device: Device = None) -> None:
    """Sets the counts of :func:`memory_stats` to 0; bytes and their peaks stay."""
    _core().reset_event_counts(_get_device_index(device))


def mem_get_info(device: Device = None) -> tuple[int, int]:
    """Free and total bytes, as the driver reports them. Raises RuntimeError where it does not."""
    free, total = _core().memory_info(_get_device_index(device))
    return int(free), int(total)


# Random numbers


def _generator(device: Device = None) -> torch.Generator:
    generator: torch.Generator = _core().default_generator(_get_device_index(device))
    return generator


def manual_seed(seed: int) -> None:
    """Seeds the current device's generator."""
    _generator().manual_seed(int(seed))


def manual_seed_all(seed: int) -> None:
    """Seeds every device's generator. Does not start the driver."""
    _core().seed_all(int(seed) % (1 << 64))


def seed() -> int:
    """Seeds the current device's generator with a random number, and returns it."""
    return int(_generator().seed())


def seed_all() -> None:
    """Seeds every device's generator with one random number."""
    manual_seed_all(seed())


def initial_seed() -> int:
    """The current device's last seed."""
    return int(_generator().initial_seed())


def get_rng_state(device: Device = "xpu") -> torch.Tensor:
    """The generator's state: 16 bytes (seed, offset; each a native 64-bit integer) as a uint8 CPU tensor."""
    return _generator(device).get_state()


def set_rng_state(new_state: torch.Tensor, device: Device = "xpu") -> None:
    """Sets what :func:`get_rng_state` returned."""
    _generator(device).set_state(new_state)


def get_rng_state_all() -> list[torch.Tensor]:
    """The state of every device's generator."""
    return [get_rng_state(i) for i in range(device_count())]


def set_rng_state_all(new_states: Sequence[torch.Tensor]) -> None:
    """Sets what :func:`get_rng_state_all` returned."""
    for i, state in enumerate(new_states):
        set_rng_state(state, i)


class _Generators(Sequence[torch.Generator]):
    """``default_generators``: counts devices only when it is looked at."""

    def __len__(self) -> int:
        return device_count()

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        return _generator(index % len(self))

    def __iter__(self) -> Iterator[torch.Generator]:
        return (_generator(i) for i in range(len(self)))


default_generators: Sequence[torch.Generator] = _Generators()


# Streams: each is a name for the device's one queue. That order is stronger than the one that streams promise, so what
# is right with several queues is right here; work of two streams does not overlap.


class Stream(torch.Stream):
    """A name for the device's queue: work on all streams runs in the order in which it was submitted."""

    def __new__(cls, device: Device = None, priority: int = 0, **known: Any) -> Stream:
        if known:
            return super().__new__(cls, **known)
        return super().__new__(cls, device=torch.device("fl", _get_device_index(device)), priority=priority)

    def __repr__(self) -> str:
        return f"<torch.xpu.Stream device=xpu:{self.device_index}>"


class _EventType(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, torch.Event) and instance.device.type in ("xpu", "fl")


class Event(metaclass=_EventType):
    """A mark in a queue; the time between two is in milliseconds. ``record()`` waits until the work before it is done.

    Makes torch.Event objects: torch's ``elapsed_time`` takes no subclass of them.
    """

    def __new__(cls, enable_timing: bool = False, **_: Any) -> Any:
        return torch.Event("fl", enable_timing=enable_timing)


def current_stream(device: Device = None) -> torch.Stream:
    """The calling thread's current queue."""
    now = torch.accelerator.current_stream(_get_device_index(device))
    return Stream(stream_id=now.stream_id, device_index=now.device_index, device_type=now.device_type)


default_stream = current_stream


def set_stream(stream: torch.Stream | None) -> None:
    """Makes the stream's device current."""
    if stream is not None:
        set_device(stream.device.index)


def _set_stream_by_id(stream_id: int, device_index: int, device_type: int) -> None:
    set_device(device_index)


class StreamContext:
    """Context manager that makes a stream current."""

    def __init__(self, stream: torch.Stream | None) -> None:
        self.stream = stream
        self._guard = _DeviceGuard(-1 if stream is None else int(stream.device.index))

    def __enter__(self) -> torch.Stream | None:
        self._guard.__enter__()
        return self.stream

    def __exit__(self, *_: object) -> None:
        self._guard.__exit__()


def stream(stream: torch.Stream | None) -> StreamContext:
    """Context manager that makes a stream current."""
    return StreamContext(stream)


globals().update(ABSENT)

#: Every name of this module that torch.xpu gets too.
EXPORTS: tuple[str, ...] = tuple(
    name
    for name, value in vars(sys.modules[__name__]).items()
    if name in ("default_generators", "default_stream", "_maybe_exchange_device", *ABSENT)
    or (getattr(value, "__module__", None) == __name__ and name not in ("_core", "_generator", "_Generators"))
)
