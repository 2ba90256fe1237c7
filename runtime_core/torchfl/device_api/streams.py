"""Streams and events.

Each stream is a name for the device's one queue. That order is stronger than the one that streams promise, so what is
right with several queues is right here; work of two streams does not overlap.
"""

from __future__ import annotations

from typing import Any

import torch

from torchfl.device_api.common import Device, existing
from torchfl.device_api.devices import current_device, set_device


class Stream(torch.Stream):
    """A name for the device's queue: work on all streams runs in the order in which it was submitted."""

    def __new__(cls, device: Device = None, priority: int = 0, **known: Any) -> Stream:
        if known:
            return super().__new__(cls, **known)
        return super().__new__(cls, device=torch.device("fl", existing(device)), priority=priority)

    def __repr__(self) -> str:
        return f"<torch.xpu.Stream device=xpu:{self.device_index} id={self.stream_id}>"


class _EventType(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, torch.Event) and instance.device.type in ("xpu", "fl")


class Event(torch.Event, metaclass=_EventType):
    """A mark in a queue; the time between two is in milliseconds. ``record()`` waits until the work before it is done.

    Makes torch.Event objects: torch's ``elapsed_time`` takes no subclass of them.
    """

    def __new__(cls, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> Any:
        return torch.Event("fl", enable_timing=enable_timing, blocking=blocking, interprocess=interprocess)


def _ours(stream: torch.Stream) -> Stream:
    return Stream(stream_id=stream.stream_id, device_index=stream.device_index, device_type=stream.device_type)


def current_stream(device: Device = None) -> torch.Stream:
    """The calling thread's current stream of a device."""
    return _ours(torch.accelerator.current_stream(existing(device)))


def default_stream(device: Device = None) -> torch.Stream:
    """The stream that is current where no other was made so."""
    now = torch.accelerator.current_stream(existing(device))
    return Stream(stream_id=0, device_index=now.device_index, device_type=now.device_type)


def _checked(stream: Any) -> torch.Stream | None:
    if stream is None or (isinstance(stream, torch.Stream) and stream.device.type in ("xpu", "fl")):
        return stream
    raise TypeError(f"expected a stream of an xpu device, but got: {stream!r}")


def set_stream(stream: torch.Stream | None) -> None:
    """Makes a stream current, and its device; None changes nothing."""
    stream = _checked(stream)
    if stream is not None:
        torch.accelerator.set_stream(stream)


def _set_stream_by_id(stream_id: int, device_index: int, device_type: int) -> None:
    torch.accelerator.set_stream(torch.Stream(stream_id=stream_id, device_index=device_index, device_type=device_type))


class StreamContext:
    """Context manager that makes a stream current, and its device; None changes nothing."""

    def __init__(self, stream: torch.Stream | None) -> None:
        self.stream = _checked(stream)
        self._device = -1
        self._before: torch.Stream | None = None

    def __enter__(self) -> torch.Stream | None:
        if self.stream is not None:
            self._device = current_device()
            self._before = torch.accelerator.current_stream(self.stream.device_index)
            set_stream(self.stream)
        return self.stream

    def __exit__(self, *_: object) -> None:
        set_stream(self._before)
        set_device(self._device)


def stream(stream: torch.Stream | None) -> StreamContext:
    """Context manager that makes a stream current, and its device; None changes nothing."""
    return StreamContext(stream)


def is_current_stream_capturing() -> bool:
    """Never: there are no device graphs."""
    return False
