"""Threads that write disjoint slices of one storage, natively and by fallback, with every value checked."""

from __future__ import annotations

import random
import threading

import pytest
import torch

import torchfl

pytestmark = [pytest.mark.device, pytest.mark.usefixtures("fixture_chip")]
THREADS, ROUNDS = 8, 60


def run(work) -> None:
    """``work(index)`` in each thread at once; the first failure is raised here."""
    errors: list[BaseException] = []
    start = threading.Barrier(THREADS)

    def body(index: int) -> None:
        try:
            start.wait()
            work(index)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=body, args=(index,)) for index in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


# 8 x 512 floats move whole; 8 x 16384 are big enough for windows.
@pytest.mark.parametrize("columns", [512, 16384])
@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_disjoint_slices(columns: int, layout: str) -> None:
    """Each thread takes kernels and fallbacks in an order of its own and replays it on the CPU."""
    t = torch.zeros(THREADS, columns, device="xpu")
    if layout == "columns":
        t = t.t().contiguous().t()  # interleaved: no two slices have bytes of their own
    one, expected = torch.ones(columns, device="xpu"), torch.zeros(THREADS, columns)

    def work(index: int) -> None:
        choose = random.Random(index)
        mine, same = t[index], expected[index]
        for _ in range(ROUNDS):
            kind = choose.randrange(5)
            if kind == 0:
                mine.add_(one)
                same.add_(1)
            elif kind == 1:
                mine.sub_(-2)
                same.sub_(-2)
            elif kind == 2:
                mine.relu_()
            elif kind == 3:
                mine.copy_(mine.sin().abs())
                same.copy_(same.sin().abs())
            else:
                assert torch.equal(mine.cpu(), same)

    run(work)
    assert torch.equal(t.cpu(), expected)


def test_readers_of_one_storage_and_new_results() -> None:
    cpu = torch.rand(64, 64)
    t = cpu.to("xpu")
    sine, product = cpu.sin(), cpu @ cpu

    def work(index: int) -> None:
        for _ in range(ROUNDS):
            if index % 2:
                assert torch.equal(t.sin().cpu(), sine)
            else:
                torch.testing.assert_close(torch.mm(t, t).cpu(), product, rtol=1e-4, atol=1e-4)

    run(work)


def test_two_storages_taken_in_both_orders_do_not_lock_each_other_out() -> None:
    a, b = torch.zeros(4096, device="xpu"), torch.zeros(4096, device="xpu")

    def work(index: int) -> None:
        x, y = (a, b) if index % 2 else (b, a)
        for step in range(ROUNDS):
            torch.add(x[:1], y[:1])
            if step % 3 == 0:
                x.hypot(y)
            x.data.copy_(y.data) if step % 5 == 0 else None

    run(work)
    assert torch.equal(a.cpu(), b.cpu())


def test_storages_made_and_freed_by_threads_that_did_not_make_them() -> None:
    boxes: list[torch.Tensor | None] = [None] * THREADS
    before = torch.xpu.memory_allocated()

    def work(index: int) -> None:
        choose = random.Random(index)
        for step in range(ROUNDS):
            value = float(index * ROUNDS + step)
            made = torch.full((choose.choice([8, 4096, 70000]),), value, device="xpu")
            boxes[choose.randrange(THREADS)] = torch.relu(made) if step % 2 else made.exp().log()
            assert made[-1].item() == value

    run(work)
    boxes.clear()
    assert torch.xpu.memory_allocated() == before
    torchfl.xpu_empty_cache()
