"""A device that is full: unused sides make room, the longest unused first, and come back when they are wanted."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import torch

import torchfl
from core_helpers import MIB, controls, sides
from torchfl import _loader

pytestmark = [pytest.mark.device, pytest.mark.usefixtures("fixture_chip")]


@pytest.fixture(autouse=True)
def _eight_mib() -> Iterator[None]:
    """A device of 8 MiB, with nothing in it."""
    torchfl.xpu_empty_cache()
    assert controls().fx_bytes_in_use() == 0
    controls().fx_set_memory_limit(8 * MIB)
    torchfl.reset_copy_counters()
    budget = torchfl.host_budget()
    yield
    torchfl.set_host_budget(budget)
    controls().fx_set_memory_limit(1 << 40)


def mib(value: float, size: int = 1) -> torch.Tensor:
    """A tensor of ``size`` MiB on the device alone, whose elements are ``value``."""
    made = torch.relu(torch.full((size * MIB // 4,), float(value)).to("xpu"))
    torchfl.xpu_empty_cache()
    assert sides(made) == "D"
    return made


def stats() -> dict[str, int]:
    return torch.xpu.memory_stats()


def gained(before: dict[str, int]) -> dict[str, int]:
    now = stats()
    return {name: now[name] - before[name] for name in ("evictions", "evicted_bytes", "rescues", "rescued_bytes")}


def test_what_the_host_has_too_goes_without_a_copy() -> None:
    held = [mib(i) for i in range(6)]
    for t in held:
        t.cos()
        assert sides(t) == "HD"
    torchfl.reset_copy_counters()
    before = stats()
    more = [mib(10 + i) for i in range(4)]
    assert torchfl.copy_counters().d2h == 0
    assert [sides(t) for t in more] == ["D"] * 4
    assert {sides(t) for t in held} == {"H", "HD"}
    found = gained(before)
    assert found["evictions"] == sum(sides(t) == "H" for t in held)
    assert found["evicted_bytes"] == found["evictions"] * MIB
    assert found["rescues"] == 0
    for i, t in enumerate(held):
        assert torch.relu(t)[-1].item() == i


def test_what_the_device_alone_has_moves_to_the_host_oldest_use_first() -> None:
    held = [mib(i) for i in range(7)]
    for _ in range(4):  # the first is used again, some allocations later than the others
        for _ in range(4):
            torch.relu(held[0][:8])
    before = stats()
    more = [mib(10 + i) for i in range(3)]
    assert sides(held[0]) == "D"
    assert "H" in [sides(t) for t in held]
    found = gained(before)
    assert found["rescues"] == found["evictions"] == sum(sides(t) == "H" for t in held)
    assert found["rescued_bytes"] == found["rescues"] * MIB
    assert _loader.loaded().moved_out_bytes() == found["rescued_bytes"]
    for i, t in enumerate(held + more):
        assert t.cpu().eq(i if i < 7 else i + 3).all()
    del held, more, t
    assert _loader.loaded().moved_out_bytes() == 0


def test_stale_sides_go_first() -> None:
    stale, alone = mib(1), mib(2)
    stale.sin_()
    assert sides(stale) == "H"
    before = stats()
    kept = [mib(i) for i in range(6)]
    assert sides(alone) == "D"
    assert gained(before) == {"evictions": 1, "evicted_bytes": MIB, "rescues": 0, "rescued_bytes": 0}
    del kept


def test_the_host_budget_bounds_what_may_move_and_the_error_says_what_was_tried() -> None:
    torchfl.set_host_budget(2 * MIB)
    before = stats()
    held = [mib(i) for i in range(9)]  # each is made of one more, for a moment
    with pytest.raises(torch.OutOfMemoryError, match=r"after \d+ evictions\) failed: OUT_OF_MEMORY"):
        mib(9)
    assert gained(before)["rescued_bytes"] == 2 * MIB
    assert stats()["num_ooms"] == before["num_ooms"] + 1
    torchfl.set_host_budget(64 * MIB)
    for i, t in enumerate(held):
        assert t.cpu().eq(i).all()
        assert torch.relu(t).cpu().eq(i).all()


def test_an_op_never_evicts_its_own_tensors() -> None:
    a, b = mib(1, 2), mib(2, 2)
    c = mib(3, 2)
    assert (a + b).cpu().eq(3).all()  # 8 MiB are full with it
    assert (b + c).cpu().eq(5).all()
    with pytest.raises(torch.OutOfMemoryError):
        mib(1, 4).add_(torch.ones(MIB, device="xpu")).add(torch.ones(MIB, device="xpu"))  # three of 4 MiB at once


def test_a_kernel_that_runs_out_gets_room_and_a_second_try() -> None:
    held = [mib(i) for i in range(6)]
    controls().fx_kernel_needs(4 * MIB)
    try:
        x = torch.ones(8).to("xpu")
        before = stats()
        assert torch.relu(x).tolist() == [1] * 8
        assert gained(before)["evictions"] >= 2
        controls().fx_kernel_needs(16 * MIB)
        with pytest.raises(torch.OutOfMemoryError):
            torch.relu(x)
    finally:
        controls().fx_kernel_needs(0)
    for i, t in enumerate(held):
        assert t.cpu().eq(i).all()


@contextmanager
def relu_held_over(size: int) -> Iterator[None]:
    """Another thread's relu uses two blocks of ``size`` MiB until the context ends or lets it go."""
    x = mib(3, size)
    results: list[torch.Tensor] = []
    controls().fx_hold_relu(True)
    other = threading.Thread(target=lambda: results.append(torch.relu(x)))
    other.start()
    try:
        while controls().fx_held() == 0:
            time.sleep(0.001)
        yield
    finally:
        controls().fx_hold_relu(False)
        other.join()
    assert results[0].cpu().eq(3).all()


def test_an_allocation_waits_for_the_op_that_uses_what_it_needs() -> None:
    y = torch.full((MIB // 2,), 2.0).to("xpu")  # 2 MiB, as much again for a result
    with relu_held_over(3):
        soon = threading.Timer(0.2, lambda: controls().fx_hold_relu(False))
        soon.start()
        assert (y + y).cpu().eq(4).all()
        soon.join()
    with relu_held_over(3):  # and not for one that does not end
        started = time.monotonic()
        with pytest.raises(torch.OutOfMemoryError, match="fixture limit reached"):
            y + y
        assert controls().fx_held() == 1
        assert time.monotonic() - started < 30
    assert (y + y).cpu().eq(4).all()


def test_threads_over_more_than_the_device_holds() -> None:
    """Each thread goes round tensors of its own and shared ones, of 24 MiB in all, natively and by fallback."""
    threads, rounds = 6, 25
    shared = [torch.full((MIB // 8,), float(i)).to("xpu") for i in range(8)]
    errors: list[BaseException] = []
    start = threading.Barrier(threads)

    def work(index: int) -> None:
        try:
            mine = [torch.full((MIB // 8,), float(index + i)) for i in range(7)]
            there = [t.to("xpu") for t in mine]
            start.wait()
            for step in range(rounds):
                i, j = step % 7, (step * 3 + 1) % 7
                there[i].add_(shared[j])
                mine[i].add_(float(j))
                if step % 4 == 0:
                    there[j].abs_()
                assert torch.equal(torch.relu(there[i]).cpu(), mine[i])
                assert (shared[i] + there[j])[-1].item() == i + mine[j][-1].item()
            for ours, same in zip(there, mine, strict=True):
                assert torch.equal(ours.cpu(), same)
        except BaseException as error:
            errors.append(error)

    before = stats()
    running = [threading.Thread(target=work, args=(index,)) for index in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    if errors:
        raise errors[0]
    assert gained(before)["rescues"] > 0
    for i, t in enumerate(shared):
        assert t.cpu().eq(i).all()


def test_training_with_more_than_the_device_holds_equals_the_cpu() -> None:
    def train(where: str) -> list[torch.Tensor]:
        torch.manual_seed(0)
        layers = [torch.nn.Linear(512, 512) for _ in range(8)]  # 8 MiB of weights, as much again of momentum
        model = torch.nn.Sequential(*(m for layer in layers for m in (layer, torch.nn.ReLU()))).to(where)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
        data = torch.randn(4, 32, 512)
        for batch in data:
            optimizer.zero_grad()
            model(batch.to(where)).square().mean().backward()
            optimizer.step()
        return [p.detach().cpu() for p in model.parameters()]

    torchfl.reset_counters()
    before = stats()
    there = train("xpu")
    assert gained(before)["evictions"] > 10
    assert torchfl.counters()["aten::relu"].native == 32
    for ours, cpu in zip(there, train("cpu"), strict=True):
        torch.testing.assert_close(ours, cpu, rtol=1e-4, atol=1e-6)
