"""Streams and events: names that can be told apart, kept current by thread and device, in the order of one queue."""

from __future__ import annotations

import threading
from typing import Any

import pytest
import torch

pytestmark = [pytest.mark.device, pytest.mark.usefixtures("fixture_chip")]


def test_streams_and_events_keep_the_order_of_one_queue() -> None:
    """Streams share the device's one queue, so that what one computes another reads."""
    stream, other = torch.xpu.Stream(), torch.xpu.Stream("xpu:1")
    start, end = torch.xpu.Event(enable_timing=True), torch.xpu.Event(enable_timing=True)
    assert isinstance(torch.xpu.current_stream(), torch.xpu.Stream)
    assert isinstance(start, torch.xpu.Event)
    assert repr(other) == f"<torch.xpu.Stream device=xpu:1 id={other.stream_id}>"
    start.record()
    x = torch.ones(64, 64, device="xpu")
    with torch.xpu.stream(stream):
        y = x @ x
        y.record_stream(stream)
        assert torch.xpu.current_stream() == stream
    end.record(stream)
    torch.xpu.current_stream().wait_stream(stream)
    torch.xpu.current_stream().wait_event(end)
    end.synchronize()
    assert end.query()
    assert stream.query()
    assert start.elapsed_time(end) > 0
    assert end.elapsed_time(start) < 0
    assert (y + 1)[0, 0].item() == 65
    with torch.xpu.stream(other):
        assert torch.xpu.current_device() == 1
        assert torch.ones(1, device="xpu").device.index == 1
    assert torch.xpu.current_device() == 0
    with pytest.raises(ValueError, match="must be recorded"):
        torch.xpu.Event(enable_timing=True).elapsed_time(end)
    with pytest.raises(ValueError, match="enable_timing=True"):
        _recorded(torch.xpu.Event()).elapsed_time(_recorded(torch.xpu.Event()))


def _recorded(event: Any) -> Any:
    event.record()
    return event


def test_streams_are_told_apart() -> None:
    first, second = torch.xpu.Stream(), torch.xpu.Stream()
    again = torch.xpu.Stream(stream_id=first.stream_id, device_index=first.device_index, device_type=first.device_type)
    assert first == again != second
    assert {first: 1}[again] == 1
    assert first != torch.xpu.current_stream() == torch.xpu.default_stream()
    assert torch.xpu.default_stream(1) == torch.accelerator.current_stream(1) != torch.xpu.default_stream(0)
    assert torch.Stream("xpu:1").device == torch.device("xpu:1")


MAKERS = {
    "torch.xpu.stream": lambda: torch.xpu.stream(torch.xpu.Stream("xpu:1")),
    "torch.xpu.StreamContext": lambda: torch.xpu.StreamContext(torch.Stream("xpu:1")),
    "torch.xpu.Stream": lambda: torch.xpu.Stream("xpu:1"),
    "torch.Stream": lambda: torch.Stream("xpu:1"),
    "torch.Stream of an index": lambda: torch.Stream(1),
}


@pytest.mark.parametrize("name", MAKERS)
def test_a_context_makes_the_stream_and_its_device_current(name: str) -> None:
    context = MAKERS[name]()
    stream = getattr(context, "stream", context)
    with torch.xpu.stream(torch.xpu.Stream("xpu:0")) as outer:
        with context:
            assert torch.xpu.current_device() == torch.accelerator.current_device_index() == 1
            assert torch.xpu.current_stream() == torch.accelerator.current_stream() == stream
            assert torch.xpu.current_stream(0) == outer
        assert torch.xpu.current_device() == 0
        assert torch.xpu.current_stream() == outer
        assert torch.xpu.current_stream(1) == torch.xpu.default_stream(1)
        with pytest.raises(KeyError), context:
            raise KeyError
        assert torch.xpu.current_stream() == outer
    assert torch.xpu.current_stream() == torch.xpu.default_stream()


def test_none_changes_nothing_and_other_things_are_refused() -> None:
    with torch.xpu.stream(None) as stream:
        assert stream is None
        assert torch.xpu.current_stream() == torch.xpu.default_stream()
    torch.xpu.set_stream(None)
    for function in (torch.xpu.set_stream, torch.xpu.stream, torch.xpu.StreamContext):
        for wrong in ("xpu:1", 1, torch.device("xpu")):
            with pytest.raises(TypeError, match=r"^expected a stream of an xpu device, but got: "):
                function(wrong)
    with pytest.raises(TypeError, match="enable_timming"):
        torch.xpu.Event(enable_timming=True)


@pytest.mark.parametrize("module", ["xpu", "accelerator"])
def test_the_current_stream_is_the_threads_own(module: str) -> None:
    mine, seen = torch.xpu.Stream(), []
    set_stream = getattr(torch, module).set_stream
    set_stream(mine)
    thread = threading.Thread(target=lambda: seen.append(torch.xpu.current_stream()))
    thread.start()
    thread.join()
    assert torch.xpu.current_stream() == mine
    assert seen == [torch.xpu.default_stream()]
    set_stream(torch.xpu.default_stream())
    assert torch.xpu.current_stream() == torch.xpu.default_stream() != mine


def test_backward_on_another_stream_than_forward() -> None:
    x = torch.ones(8, device="xpu", requires_grad=True)
    with torch.xpu.stream(torch.xpu.Stream()):
        y = (x * 3).relu().sum()
    y.backward()
    assert x.grad.tolist() == [3.0] * 8


def test_events_of_every_kind() -> None:
    for event in (torch.xpu.Event(), torch.Event("xpu"), torch.Event(), torch.xpu.current_stream().record_event()):
        assert isinstance(event, torch.xpu.Event)
        event.record()
        event.wait()
        event.wait(torch.xpu.Stream())
        event.synchronize()
        assert event.query()
        assert event.device.type == "xpu"
    assert not isinstance(torch.Event("cpu"), torch.xpu.Event)
    assert issubclass(torch.xpu.Event, torch.Event)
