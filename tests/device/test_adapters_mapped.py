"""Late results on a chip that wants NHWC and uses host memory in place: nothing is copied, the bytes are the CPU's."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from torch.nn import functional

import torchfl
from adapter_helpers import LOOKS, adapter_chip_dir, equal, only_adapter_chip
from router_helpers import counts, whole
from torchfl import _loader

pytestmark = pytest.mark.device
CONV = "aten::convolution_overrideable"


@pytest.fixture(scope="module")
def _chip() -> Iterator[torch.device]:
    with only_adapter_chip(mapped=True) as device:
        yield device


@pytest.fixture
def dev(_chip: torch.device) -> Iterator[torch.device]:
    """The device. Whatever a test does, nothing crosses between host and device."""
    torchfl.reset_counters()
    torchfl.reset_copy_counters()
    torch.manual_seed(0)
    yield _chip
    counted = torchfl.copy_counters()
    assert (counted.h2d, counted.d2h) == (0, 0)


def sides(t: torch.Tensor) -> str:
    """ "" of a late tensor."""
    return str(_loader.loaded().side_names(t))


def test_a_result_is_late_until_somebody_looks(dev):
    x, w = whole(2, 4, 7, 6), whole(8, 4, 3, 3)
    y = functional.conv2d(x.to(dev), w.to(dev), padding=1)
    z = functional.relu(y)
    assert (sides(y), sides(z)) == ("", "")
    equal(z, functional.relu(functional.conv2d(x, w, padding=1)))
    assert (sides(y), sides(z)) == ("", "HD")
    equal(y, functional.conv2d(x, w, padding=1))
    assert counts(CONV) == {"native": 1, "adapted": 1}


def test_between_convolutions_nothing_is_converted(dev):
    x, weights = whole(2, 4, 12, 12), [whole(4, 4, 3, 3).sign() for _ in range(4)]

    def net(x, weights):
        for i, w in enumerate(weights):
            y = functional.conv2d(functional.avg_pool2d(functional.relu(x, inplace=i % 2 == 1), 1), w, padding=1)
            x = y if i == 0 else functional.relu_(y.add_(x)) if i == 1 else functional.relu(y + x)
        return x

    y = net(x.to(dev), [w.to(dev) for w in weights])
    assert sides(y) == ""
    equal(y, net(x, weights))
    assert counts(CONV)["native"] == 4
    for op in ("aten::relu", "aten::relu_", "aten::add.Tensor", "aten::add_.Tensor"):
        assert counts(op).keys() <= {"native", "adapted"}, op


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_whoever_looks_at_a_late_result_sees_the_cpu_s(dev, look):
    x, w = whole(2, 4, 6, 6), whole(4, 4, 3, 3)

    def seen(place):
        y = functional.conv2d(x.to(place), w.to(place), padding=1)
        result = look(y)
        return (result if isinstance(result, torch.Tensor) else torch.tensor(result)), y

    for device, cpu in zip(seen(dev), seen("cpu"), strict=True):
        assert device.stride() == cpu.stride()
        torch.testing.assert_close(device.detach().cpu(), cpu.detach(), rtol=0, atol=0)


def test_what_was_written_since_is_not_taken_for_the_result(dev):
    x, w = whole(1, 4, 5, 5), whole(4, 4, 3, 3)

    def net(x, w):
        y = functional.conv2d(x, w, padding=1)
        before = functional.conv2d(y, w).sum() + y.sum()
        y[0, 1] = 3
        between = functional.conv2d(y, w)
        functional.relu_(y)
        return before, between, functional.conv2d(y, w), y

    for device, cpu in zip(net(x.to(dev), w.to(dev)), net(x, w), strict=True):
        equal(device, cpu)


ORDERS = {
    "its bytes": lambda y: y.view(2, -1).relu(),
    "a transpose": lambda y: functional.relu(y.transpose(2, 3)),
    "an image and a weight": lambda y: functional.conv2d(y.clone(), y[:, :, :3, :3].clone()),
    "another order": lambda y: functional.relu(y.clone()).contiguous(memory_format=torch.channels_last),
    "a copy": lambda y: torch.empty_like(y, memory_format=torch.channels_last).copy_(y.clone()),
    "channels": lambda y: torch.cat([y, functional.relu(y.clone())], 1),
}


@pytest.mark.parametrize("use", ORDERS.values(), ids=ORDERS)
def test_the_chip_s_permute_makes_other_orders(dev, use):
    """The host could, but would have to wait for the kernels before."""
    x, w = whole(2, 4, 6, 6), whole(4, 4, 3, 3)
    with only_adapter_chip(mapped=True, order=True) as device:
        late = functional.conv2d(x.to(device), w.to(device), padding=1)
        before = torchfl.symbol_calls("xpu:ad-order")["ad_permute_f32"]
        actual, expected = use(late), use(functional.conv2d(x, w, padding=1))
        assert torchfl.symbol_calls("xpu:ad-order")["ad_permute_f32"] > before
        equal(actual, expected)
        equal(late, functional.conv2d(x, w, padding=1))


def test_threads_that_look_at_a_result_that_the_chip_permutes(dev):
    x, w = whole(2, 4, 12, 12), whole(4, 4, 3, 3)
    expected = functional.conv2d(x, w)
    looks = [torch.Tensor.cpu, lambda t: functional.relu(t.view(2, -1)).cpu(), lambda t: t.amax(1).cpu()] * 2
    with only_adapter_chip(mapped=True, order=True) as device:
        on_device = w.to(device)
        for _ in range(20):
            y = functional.conv2d(x.to(device), on_device)
            with ThreadPoolExecutor(len(looks)) as pool:
                results = list(pool.map(lambda look, y=y: look(y), looks))
            for result, look in zip(results, looks, strict=True):
                assert torch.equal(result, look(expected))


def test_weights_that_change_are_converted_anew(dev):
    x, w = whole(1, 4, 5, 5), whole(4, 4, 3, 3)
    on_device = w.to(dev)
    for step in range(5):
        equal(functional.conv2d(x.to(dev), on_device), functional.conv2d(x, w))
        if step >= 2:
            for t in (w, on_device):
                t.add_(1) if step % 2 else t[0].neg_()


def test_threads_that_look_at_one_result(dev):
    x, w = whole(2, 4, 12, 12), whole(4, 4, 3, 3)
    expected, on_device = functional.conv2d(x, w), w.to(dev)
    looks = [torch.Tensor.cpu, lambda t: functional.relu(t).cpu(), lambda t: (t + t).cpu(), lambda t: t[1].cpu()] * 2
    for _ in range(20):
        y = functional.conv2d(x.to(dev), on_device)
        with ThreadPoolExecutor(len(looks)) as pool:
            results = list(pool.map(lambda look, y=y: look(y), looks))
        for result, look in zip(results, looks, strict=True):
            assert torch.equal(result, look(expected))


def test_a_result_s_memory_goes_with_it(dev):
    x, w = whole(2, 4, 40, 40).to(dev), whole(4, 4, 3, 3).to(dev)
    for _ in range(3):
        functional.relu(functional.conv2d(x, w)).sum()
    gc.collect()
    before = torch.xpu.memory_allocated()
    y = functional.conv2d(x, w)
    y[0].sum()
    functional.relu(functional.conv2d(y, w)).cpu()
    del y
    assert torch.xpu.memory_allocated() == before


def test_late_results_outlive_the_device(dev):
    script = (
        "import torch, torchfl\n"
        f"chip = {str(adapter_chip_dir(mapped=True))!r}\n"
        "torchfl.init([chip])\n"
        "x, w = torch.arange(100.).view(1, 4, 5, 5), torch.ones(4, 4, 3, 3)\n"
        "y = torch.nn.functional.conv2d(x.to('xpu'), w.to('xpu'))\n"
        "z = torch.nn.functional.relu(y)\n"
        "torchfl.shutdown()\n"
        "expected = torch.nn.functional.conv2d(x, w)\n"
        "torchfl.init([chip])\n"
        "assert torch.equal(y.cpu(), expected)\n"
        "again = torch.nn.functional.conv2d(z, w.to('xpu'))\n"
        "assert torch.equal(again.cpu(), torch.nn.functional.conv2d(expected, w))\n"
        "assert torch.equal(z.cpu(), expected)\n"
        "late = torch.nn.functional.conv2d(x.to('xpu'), w.to('xpu'))\n"  # and one that nobody ever looks at
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize(("m", "k", "n"), [(8, 8, 8), (7, 8, 8), (5, 9, 13), (1, 1, 1)])
def test_sizes_are_rounded_up_and_the_result_sliced(dev, m, k, n):
    a, b = whole(m, k), whole(k, n)
    y = a.to(dev) @ b.to(dev)
    equal(y, a @ b)
    assert y.untyped_storage().nbytes() == m * n * 4
    assert counts("aten::mm")["native"] == 1


def test_a_padded_convolution_and_what_follows_it(dev):
    x, w, b = whole(2, 3, 6, 6), whole(5, 3, 3, 3), whole(5)
    y = functional.relu(functional.conv2d(x.to(dev), w.to(dev), b.to(dev)))
    equal(y, functional.relu(functional.conv2d(x, w, b)))
    assert counts(CONV) == {"native": 1, "adapted": 1}


def test_views_that_begin_elsewhere(dev):
    a = whole(64)
    x = a.to(dev)
    for view in (slice(16, None), slice(3, None), slice(3, 35, 2)):
        equal(x[view].abs(), a[view].abs())
    x[3:].abs_()
    a[3:].abs_()
    equal(x, a)


def test_an_int8_model(dev):
    x, w = torch.randint(-20, 20, (1, 4, 8, 8)).to(torch.int8), whole(4, 4, 3, 3, dtype=torch.int8)

    def net(x, w, conv):
        return functional.relu(conv(functional.relu(conv(x, w)), w))

    def exact(x, w):
        return functional.conv2d(x.int(), w.int()).clamp(-128, 127).to(torch.int8)

    y = net(x.to(dev), w.to(dev), functional.conv2d)
    assert sides(y) == ""
    equal(y, net(x, w, exact))
    inplace = x.to(dev)
    functional.relu_(inplace)
    equal(inplace, functional.relu(x))
    assert counts(CONV)["native"] == 2


def test_gradients_through_nhwc_convolutions(dev):
    grads = []
    x, w = whole(2, 4, 6, 6), whole(4, 4, 3, 3)
    for place in ("cpu", dev):
        a, b = x.clone().to(place).requires_grad_(), w.clone().to(place).requires_grad_()
        functional.relu(functional.conv2d(a, b, padding=1)).square().sum().backward()
        grads.append((a.grad.cpu(), b.grad.cpu()))
    for cpu, device in zip(*grads, strict=True):
        torch.testing.assert_close(device, cpu)


def test_memory_shared_with_numpy_shows_a_late_result(dev):
    import numpy

    x, w = whole(2, 4, 6, 6), whole(4, 4, 3, 3)
    y = functional.conv2d(x.to(dev), w.to(dev))
    array = numpy.from_dlpack(y)
    assert array.tolist() == functional.conv2d(x, w).tolist()
    functional.relu_(y)
    assert array.tolist() == functional.relu(functional.conv2d(x, w)).tolist()
