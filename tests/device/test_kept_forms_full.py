"""A full device on which storages keep padded and reordered forms: those go first, and are made again."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import pytest
import torch
from torch.nn import functional

import torchfl
from adapter_helpers import memory_limit, only_adapter_chip
from router_helpers import whole
from torchfl import _loader

pytestmark = pytest.mark.device
MIB = 1 << 20


@pytest.fixture(scope="module", params=[False, True], ids=["separate", "mapped"])
def mapped(request: pytest.FixtureRequest) -> Iterator[bool]:
    with only_adapter_chip(mapped=request.param):
        yield request.param


@pytest.fixture(autouse=True)
def _twelve_mib(mapped: bool) -> Iterator[None]:
    """A device of 12 MiB, with nothing in it."""
    gc.collect()
    torchfl.xpu_empty_cache()
    assert torch.xpu.memory_allocated() == 0
    torchfl.reset_counters()
    with memory_limit(12 * MIB):
        yield
    torchfl.xpu_empty_cache()


def on_device(cpu: torch.Tensor) -> torch.Tensor:
    """On the device alone, where that has memory of its own."""
    made = functional.relu(cpu.to("xpu"))
    torchfl.xpu_empty_cache()
    return made


def mib(value: float) -> torch.Tensor:
    return on_device(torch.full((MIB // 4,), value))


def padded_weights(count: int) -> tuple[list[torch.Tensor], list[torch.Tensor], torch.Tensor]:
    """Weights of almost 1 MiB whose padded forms, of 2 MiB, are kept; the same on the CPU; what multiplies them."""
    cpu, x = [whole(60, 4360) for _ in range(count)], whole(8, 60)
    weights, at = [on_device(w.abs()) for w in cpu], x.to("xpu")
    for w in weights:
        for _ in range(2):
            at @ w
    torchfl.xpu_empty_cache()
    return weights, [w.abs() for w in cpu], x


def test_forms_go_before_anything_moves_to_the_host(mapped: bool) -> None:
    weights, cpu, x = padded_weights(2)
    held = torch.xpu.memory_allocated()
    assert held >= 6 * MIB  # two weights, two forms
    before = torchfl.copy_counters().d2h, torch.xpu.memory_stats()
    more = [mib(float(i)) for i in range(8)]  # with the weights 10, and one in the making
    after = torch.xpu.memory_stats()
    assert torchfl.copy_counters().d2h == before[0]
    assert after["rescues"] == before[1]["rescues"]
    assert after["evictions"] > before[1]["evictions"]
    del more[4:]
    torchfl.xpu_empty_cache()
    for w, same in zip(weights, cpu, strict=True):
        assert torch.equal((x.to("xpu") @ w).cpu(), x @ same)
    assert [t[-1].item() for t in more] == [0, 1, 2, 3]


@pytest.mark.parametrize("mapped", [False], ids=["separate"], indirect=True)  # what a chip maps has no age
def test_the_form_that_was_not_used_for_the_longest_time_goes_first(mapped: bool) -> None:
    weights, _, x = padded_weights(2)
    at = x.to("xpu")
    for _ in range(10):  # the first is the younger one from here on
        at @ weights[0]
    more = [mib(float(i)) for i in range(5)]
    made = torchfl.copy_counters().d2d
    at @ weights[0]
    assert torchfl.copy_counters().d2d - made <= 8 + 60  # no weight was padded: the rows of `x`, and of the result
    del more


def test_late_results_keep_their_form(mapped: bool) -> None:
    """They have nothing else: on a device that is full their bytes are as safe as any other's."""
    x, w = whole(1, 4, 128, 128), whole(4, 4, 3, 3)
    y = functional.conv2d(x.to("xpu"), w.to("xpu"))
    assert _loader.loaded().side_names(y) == ""
    torchfl.xpu_empty_cache()
    more = []
    for i in range(20):
        try:
            more.append(mib(float(i)))
        except torch.OutOfMemoryError:
            assert mapped  # nothing else is there to be given up
            break
    more.clear()
    assert _loader.loaded().side_names(y) == ""
    assert torch.equal(y.cpu(), functional.conv2d(x, w))


@pytest.mark.parametrize("mapped", [False], ids=["separate"], indirect=True)  # what a chip maps cannot be taken away
def test_threads_that_keep_forms_on_a_device_that_is_full(mapped: bool) -> None:
    threads, rounds = 4, 30
    cpu, x = [whole(60, 4360) for _ in range(threads)], whole(8, 60)
    shared = [w.to("xpu") for w in cpu]
    errors: list[BaseException] = []

    def work(index: int) -> None:
        try:
            mine = whole(60, 4360)
            there = mine.to("xpu")
            for step in range(rounds):
                i = (index + step) % threads
                assert torch.equal((x.to("xpu") @ shared[i]).cpu(), x @ cpu[i])
                if step % 3 == 0:
                    there.add_(there)
                    mine.add_(mine).remainder_(8.0)
                    there.remainder_(8.0)
                assert torch.equal((x.to("xpu") @ there).cpu(), x @ mine)
        except BaseException as error:
            errors.append(error)

    running = [threading.Thread(target=work, args=(index,)) for index in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    if errors:
        raise errors[0]
