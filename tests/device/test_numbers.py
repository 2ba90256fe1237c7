"""A number beside a tensor: the kernel gets it as a tensor, which is made once for the same number and given back."""

from __future__ import annotations

import threading

import pytest
import torch

import torchfl
from router_helpers import counts, same, whole

pytestmark = [pytest.mark.device, pytest.mark.usefixtures("dev")]
ADD = "aten::add.Tensor"


def uploads() -> int:
    return torchfl.copy_counters().h2d


def test_the_same_number_is_uploaded_until_it_is_known_and_not_again(dev):
    a = whole(3, 5)
    x = torch.relu(a.to(dev)).add(whole(3, 5).to(dev))  # on the device alone
    expected = x.cpu() + 3
    for _ in range(2):
        same(x + 3, expected)
    before = uploads()
    for _ in range(4):
        same(x + 3, expected)
    assert uploads() == before
    assert counts(ADD)["native"] == counts(ADD)["adapted"] + 1 == 7


@pytest.mark.parametrize("others", [(4, -4), (2.0, 2), (0.0, -0.0), (True, 1), (1, 1.5)])
def test_numbers_that_differ_in_value_or_type_are_not_taken_for_each_other(dev, others):
    a = whole(4, 4)
    x = a.to(dev)
    for _ in range(3):
        for number in others:
            same(x * number, a * number)
            same(torch.add(x, torch.tensor(number)), a + torch.tensor(number))
    zeros = torch.zeros(4).to(dev)
    for _ in range(3):
        assert [torch.signbit((zeros * n).cpu()).all().item() for n in (1.0, -1.0)] == [False, True]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int32])
def test_shapes_and_dtypes_have_their_own(dev, dtype):
    for shape in [(6,), (2, 3), (3, 2), (1, 6), (6, 1), (2, 1, 3), (1,), (1, 1, 1, 1, 6)] * 3:
        a = whole(*shape, dtype=dtype)
        same(a.to(dev) + 2, a + 2)
        t = whole(6, 2, dtype=dtype).t()
        same(t.to(dev) + 2, t + 2)


def test_in_place_and_into_a_destination_leave_the_number_as_it_was(dev):
    a = whole(2, 7)
    x, out = a.to(dev), torch.empty(2, 7, device=dev)
    total = a.clone()
    for _ in range(5):
        x.add_(2)
        total.add_(2)
        same(torch.add(x, 2, out=out), total + 2)
        out.fill_(100)
        same(x, total)
    view = torch.zeros(3, 7).to(dev)
    for _ in range(3):
        view[1:].add_(2)
    same(view, torch.tensor([0.0, 6.0, 6.0])[:, None].expand(3, 7).contiguous())


def test_more_numbers_than_are_kept(dev):
    a = whole(3, 3)
    x = a.to(dev)
    for _ in range(3):
        for number in range(40):
            same(x + number, a + number)


def test_what_is_kept_goes_back_to_the_chip(dev):
    torch.xpu.empty_cache()
    start = torch.xpu.memory_allocated()
    x = whole(9).to(dev)
    for _ in range(3):
        x = x + 5
    del x
    assert torch.xpu.memory_allocated() > start
    torch.xpu.empty_cache()
    assert torch.xpu.memory_allocated() == start


def test_threads_that_use_the_same_and_other_numbers(dev):
    wrong = []

    def work(seed: int) -> None:
        a = torch.full((11,), float(seed))
        x = a.to(dev)
        for i in range(200):
            number = i % 5 if i % 2 else (seed * 31 + i) % 23
            if not torch.equal((x + number).cpu(), a + number):
                wrong.append((seed, i))
            if i % 50 == 49:
                torch.xpu.empty_cache()

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_gradients_through_a_number(dev):
    a = whole(5).requires_grad_()
    x = a.detach().to(dev).requires_grad_()
    for _ in range(3):
        for t in (a, x):
            t.grad = None
            ((t + 3) * 2).sum().backward()
        same(x.grad, a.grad)
