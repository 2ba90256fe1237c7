"""Adapters on a chip that can permute, join and go along dimensions: between its kernels nothing visits the host."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from torch.nn import functional

import torchfl
from adapter_helpers import LOOKS, equal, only_adapter_chip
from router_helpers import counts, whole

pytestmark = pytest.mark.device


@pytest.fixture(scope="module")
def _chip():
    with only_adapter_chip(order=True) as device:
        yield device


@pytest.fixture
def dev(_chip):
    torchfl.reset_counters()
    torch.manual_seed(0)
    return _chip


def late(device: torch.device | str, channels: int = 4, n: int = 2) -> torch.Tensor:
    """What a convolution gave: NHWC where the chip computed it, and nobody has looked."""
    torch.manual_seed(channels)
    x, w = whole(n, 4, 6, 6), whole(channels, 4, 3, 3).sign()
    return functional.conv2d(x.to(device), w.to(device), padding=1)


def moved(function: Callable[[], torch.Tensor]) -> tuple[torch.Tensor, tuple[int, int, int, int]]:
    """A function's result, and what went to and from the device: copies and bytes each way."""
    before = torchfl.copy_counters()
    result = function()
    after = torchfl.copy_counters()
    return result, tuple(
        getattr(after, name) - getattr(before, name) for name in ("h2d", "h2d_bytes", "d2h", "d2h_bytes")
    )


STAYS = {
    "a product of its rows": lambda y: y.reshape(8, -1) @ functional.relu(torch.eye(36, device=y.device)[:, :8]),
    "flattened": lambda y: functional.relu(y.flatten(1)),
    "joined by channels": lambda y: torch.cat([y, functional.relu(y)], 1),
    "joined by images": lambda y: torch.cat([y, y], 0),
    "joined by columns": lambda y: torch.cat([y, y, y], -1),
    "softmax over channels": lambda y: torch.softmax(y, 1),
    "softmax over columns": lambda y: torch.softmax(y, -1),
    "the most of each channel": lambda y: y.amax((2, 3)),
    "the most of each channel, kept": lambda y: y.amax((2, 3), keepdim=True),
    "the most of each place": lambda y: y.amax(1),
    "the most of each column": lambda y: y.amax(2),
    "all of it": lambda y: y.amax(),
    "contiguous, and another order": lambda y: y.contiguous(memory_format=torch.channels_last),
    "a clone": torch.clone,
    "a transpose": lambda y: functional.relu(y.transpose(2, 3)),
    "a slice": lambda y: functional.relu(y[1]),
    "the next convolution": lambda y: functional.conv2d(functional.relu(torch.cat([y, y], 1)[:, :4]), y[:, :, :3, :3]),
}  # fmt: skip


@pytest.mark.parametrize("use", STAYS.values(), ids=STAYS)
def test_a_late_image_stays_on_the_device(dev, use):
    expected = use(late("cpu"))
    upload = 36 * 8 * 4 if "rows" in next(name for name, u in STAYS.items() if u is use) else 0
    y = late(dev)
    result, traffic = moved(lambda: use(y))
    assert traffic == ((1, upload, 0, 0) if upload else (0, 0, 0, 0))
    assert result.stride() == expected.stride()
    torch.testing.assert_close(result.cpu(), expected, rtol=1e-6, atol=0)
    equal(y, late("cpu"))


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_whoever_looks_sees_the_cpu_s(dev, look):
    def seen(place):
        y = late(place)
        result = look(y)
        return (result if isinstance(result, torch.Tensor) else torch.tensor(result)), y

    for device, cpu in zip(seen(dev), seen("cpu"), strict=True):
        assert device.stride() == cpu.stride()
        torch.testing.assert_close(device.detach().cpu(), cpu.detach(), rtol=0, atol=0)


@pytest.mark.parametrize("channels", [4, 3, 1])
@pytest.mark.parametrize("n", [1, 3])
def test_images_are_converted_on_the_device(dev, channels, n):
    """Padded channels too: more room first, then the other order; and back."""
    x, w = whole(n, channels, 6, 5), whole(5, channels, 3, 3).sign()
    expected = functional.relu(functional.conv2d(functional.relu(x), w))
    image, weight = functional.relu(x.to(dev)), w.to(dev)
    functional.conv2d(image, weight), functional.conv2d(image, weight)  # the weight's form is kept from now on
    image = functional.relu(x.to(dev))
    result, traffic = moved(lambda: functional.relu(functional.conv2d(image, weight)))
    assert traffic == (0, 0, 0, 0)
    equal(result, expected)
    assert counts("aten::permute_copy") == {}  # the chip's kernel, but no op of the user's


@pytest.mark.parametrize("sizes", [(2, 4, 3, 3), (1, 4, 1, 3), (3, 1, 4, 5), (4, 4, 4, 4)])
@pytest.mark.parametrize("dim", [0, 1, 2, 3, (0, 1), (1, 2), (2, 3), (0, 2, 3), (1, 2, 3), -3, (-1, -2)])
@pytest.mark.parametrize("keep", [True, False])
def test_dimensions_are_counted_as_the_image_says(dev, sizes, dim, keep):
    x = torch.randn(sizes)

    def late_one(place):
        return functional.avg_pool2d(functional.relu(x.to(place)), 1)

    equal(late_one(dev).amax(dim, keepdim=keep), late_one("cpu").amax(dim, keepdim=keep))
    if isinstance(dim, int):
        a, b = late_one(dev), late_one("cpu")
        equal(torch.cat([a, functional.relu(a), x.to(dev)], dim), torch.cat([b, functional.relu(b), x], dim))
        y = torch.softmax(a, dim)
        assert y.stride() == torch.softmax(b, dim).stride()
        torch.testing.assert_close(y.cpu(), torch.softmax(b, dim), rtol=1e-6, atol=0)


def test_a_dtype_or_rank_that_the_kernel_does_not_take_goes_by_the_host(dev):
    a = torch.randint(-20, 20, (2, 4, 6, 6)).to(torch.int8)
    w = whole(4, 4, 3, 3, dtype=torch.int8)
    y = functional.conv2d(a.to(dev), w.to(dev))
    torch.testing.assert_close(y.cpu(), functional.conv2d(a.int(), w.int()).clamp(-128, 127).to(torch.int8))
    x = whole(2, 3, 2, 3, 2).permute(4, 2, 0, 3, 1)  # five axes, none beside the one before
    z = functional.relu(x.contiguous().to(dev)).permute(2, 4, 1, 3, 0).contiguous()
    equal(z, functional.relu(x.contiguous()).permute(2, 4, 1, 3, 0).contiguous())


def test_a_copy_into_another_order_stays_on_the_device(dev):
    x = whole(2, 4, 5, 6)
    source = functional.relu(x.to(dev))
    target = torch.empty(2, 4, 5, 6, device=dev).contiguous(memory_format=torch.channels_last)
    _, traffic = moved(lambda: target.copy_(source))
    assert traffic == (0, 0, 0, 0)
    assert torch.equal(target.cpu(), functional.relu(x))
    whole_one = functional.relu(torch.zeros(4, 4, 5, 6, device=dev))
    _, traffic = moved(lambda: whole_one[1:3].copy_(target))
    assert traffic == (0, 0, 0, 0)
    assert torch.equal(whole_one[1:3].cpu(), functional.relu(x))
    assert whole_one[0].sum() == whole_one[3].sum() == 0


def test_threads_that_settle_one_result(dev):
    expected = late("cpu")
    looks = [
        torch.Tensor.cpu,
        lambda t: functional.relu(t.view(2, -1)).cpu(),
        lambda t: t.amax(1).cpu(),
        torch.clone,
    ] * 2
    for _ in range(20):
        y = late(dev)
        with ThreadPoolExecutor(len(looks)) as pool:
            results = list(pool.map(lambda look, y=y: look(y), looks))
        for result, look in zip(results, looks, strict=True):
            assert torch.equal(result.cpu(), look(expected))


def test_a_settled_result_s_memory_goes_with_it(dev):
    late(dev).view(2, -1).relu()
    before = torch.xpu.memory_allocated()
    y = late(dev)
    functional.relu(y.view(2, -1))
    late(dev).cpu()
    del y
    assert torch.xpu.memory_allocated() == before


#: What reads a result in an order of elements of its own.
ORDERS = {
    "its bytes": lambda y: y.view(2, -1).relu(),
    "a transpose": lambda y: functional.relu(y.transpose(2, 3)),
    "an image and a weight": lambda y: functional.conv2d(y.clone(), y[:, :, :3, :3].clone()),
    "another order": lambda y: functional.relu(y.clone()).contiguous(memory_format=torch.channels_last),
    "a copy": lambda y: torch.empty_like(y, memory_format=torch.channels_last).copy_(y.clone()),
    "channels": lambda y: torch.cat([y, functional.relu(y.clone())], 1),
}


@pytest.mark.usefixtures("_chip")
@pytest.mark.parametrize("use", ORDERS.values(), ids=ORDERS)
def test_on_a_chip_that_maps_host_memory_its_permute_makes_other_orders(use):
    """The host could, but would have to wait for the kernels before."""
    x, w = whole(2, 4, 6, 6), whole(4, 4, 3, 3)
    with only_adapter_chip(mapped=True, order=True) as device:
        late = functional.conv2d(x.to(device), w.to(device), padding=1)
        before = torchfl.symbol_calls("xpu:ad-order")["ad_permute_f32"]
        actual, expected = use(late), use(functional.conv2d(x, w, padding=1))
        assert torchfl.symbol_calls("xpu:ad-order")["ad_permute_f32"] > before
        equal(actual, expected)
        equal(late, functional.conv2d(x, w, padding=1))


@pytest.mark.usefixtures("_chip")
def test_threads_that_look_at_a_result_that_such_a_chip_permutes():
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
