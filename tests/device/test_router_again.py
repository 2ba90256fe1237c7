"""Calls like one that a kernel served before: what was decided then holds for those that are alike in all points."""

from __future__ import annotations

import threading

import pytest
import torch
from torch.nn import functional

import torchfl
from router_helpers import counts, router_chip_dir, same, whole

pytestmark = [pytest.mark.device, pytest.mark.usefixtures("dev")]


def test_each_attribute_value_is_judged_by_its_own(dev):
    """negative_slope may be 0 to 0.5. More values than are remembered, good and bad ones in turns, several times."""
    x = whole(4, 5)
    there = x.to(dev)
    slopes = [0.25, 0.75, 0, 1, 0.5, -0.25, 0.125, 0.0, 2, 0.375, 0.0625]
    for _ in range(3):
        for slope in slopes:
            torchfl.reset_counters()
            same(functional.leaky_relu(there, slope), functional.leaky_relu(x, slope))
            assert counts("aten::leaky_relu") == ({"native": 1} if 0 <= slope <= 0.5 else {"cpu": 1}), slope


def test_each_value_reaches_the_kernel(dev):
    x, y = whole(6), whole(6)
    a, b = x.to(dev), y.to(dev)
    for alpha in [1, 2, 1.0, 2.5, -1, 3, 0, 1e30, 2, 1]:
        same(torch.add(a, b, alpha=alpha), torch.add(x, y, alpha=alpha))
    assert counts("aten::add.Tensor") == {"native": 10}


def test_each_dtype_is_judged_by_its_own(dev):
    for _ in range(3):
        for dtype, layer in [
            (torch.float32, "native"),
            (torch.float64, "cpu"),
            (torch.int32, "native"),
            (torch.int64, "cpu"),
        ]:
            a, b = whole(3, 4, dtype=dtype), whole(3, 4, dtype=dtype)
            torchfl.reset_counters()
            same(a.to(dev) + b.to(dev), a + b)
            assert counts("aten::add.Tensor") == {layer: 1}, dtype
    a, b = whole(4, dtype=torch.int32), whole(4, dtype=torch.int32)
    torchfl.reset_counters()
    for alpha in (2, 2.5):  # the CPU refuses the second
        for place in (dev, "cpu"):
            if alpha == 2:
                torch.add(a.to(place), b.to(place), alpha=alpha)
            else:
                with pytest.raises(RuntimeError, match="alpha"):
                    torch.add(a.to(place), b.to(place), alpha=alpha)
    assert counts("aten::add.Tensor")["native"] == 1


def test_limits_on_sizes_are_looked_at_each_time(dev):
    for _ in range(3):
        for size, layer in [(1000, "native"), (1001, "cpu"), (8, "native")]:
            x = whole(size)
            torchfl.reset_counters()
            same(-x.to(dev), -x)
            assert counts("aten::neg") == {layer: 1}, size
        for rank, layer in [(3, "native"), (4, "cpu")]:
            x, y = whole(*[2] * rank), whole(*[2] * rank).abs() + 1
            torchfl.reset_counters()
            same(x.to(dev) / y.to(dev), x / y)
            assert counts("aten::div.Tensor") == {layer: 1}, rank


def test_the_destination_is_looked_at_each_time(dev):
    x, y = whole(4, 4), whole(4, 4)
    a, b = x.to(dev), y.to(dev)
    for _ in range(3):
        for make in (
            lambda t: torch.empty(4, 4, device=t.device),
            lambda t: torch.empty(4, 8, device=t.device)[:, ::2],
            lambda t: torch.empty(4, 4, device=t.device).t(),
            lambda t: torch.empty(4, 4, device=t.device, dtype=torch.float64),
            lambda t: torch.empty(0, device=t.device),
            lambda t: t.clone(),
        ):
            out, expected = make(a), make(x)
            same(torch.add(a, b, out=out), torch.add(x, y, out=expected))
        for base, other in ((whole(20), y), (whole(20).to(dev), b)):
            with pytest.raises(RuntimeError, match="single memory location"):
                torch.add(base[:16].view(4, 4), other, out=base[1:17].view(4, 4))


def test_threads_that_are_the_first_to_call(dev):
    """Each with values of its own, all at once, after the chip was loaded anew."""
    x = whole(64)
    errors: list[BaseException] = []
    for _ in range(5):
        torchfl.shutdown()
        torchfl.init([router_chip_dir()])
        there, start = x.to(dev), threading.Barrier(6)

        def work(index: int, there: torch.Tensor = there, start: threading.Barrier = start) -> None:
            try:
                start.wait()
                for step in range(40):
                    alpha = (index * 7 + step) % 5 + 0.5 * (step % 2)
                    assert torch.equal(torch.add(there, there, alpha=alpha).cpu(), torch.add(x, x, alpha=alpha))
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=work, args=(index,)) for index in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if errors:
            raise errors[0]
