"""Adapters: chips that want NHWC images, sizes in multiples, or uint8 for int8, run code that knows nothing of it; on
memory of the chip's own, and on host memory that it uses in place."""

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


@pytest.fixture(scope="module", params=[False, True], ids=["separate", "mapped"])
def mapped(request: pytest.FixtureRequest) -> Iterator[bool]:
    with only_adapter_chip(mapped=request.param):
        yield request.param


@pytest.fixture
def dev(mapped: bool) -> Iterator[torch.device]:
    """The device. Whatever a test does, nothing crosses between the host and a device that uses its memory."""
    torchfl.reset_counters()
    torchfl.reset_copy_counters()
    torch.manual_seed(0)
    yield torchfl.device("xpu:ad")
    assert not mapped or copies() == (0, 0)


def copies() -> tuple[int, int]:
    now = torchfl.copy_counters()
    return now.h2d, now.d2h


def sides(t: torch.Tensor) -> str:
    """ "" of a late tensor."""
    return str(_loader.loaded().side_names(t))


# ---- NHWC


def test_nchw_code_runs_on_a_chip_that_wants_nhwc(dev):
    x, w, b = whole(2, 4, 7, 6), whole(8, 4, 3, 3), whole(8)
    args = (x.to(dev), w.to(dev), b.to(dev))
    explained = torchfl.explain(functional.conv2d, *args, stride=2, padding=1)
    assert (explained.layer, explained.kernel) == ("native", "ad_conv2d")
    assert explained.reason == "after adapters: input to NHWC, weight to NHWC, result to NCHW"
    y = functional.conv2d(*args, stride=2, padding=1)
    equal(y, functional.conv2d(x, w, b, stride=2, padding=1))
    assert counts(CONV) == {"native": 1, "adapted": 1}


def test_a_result_is_late_until_somebody_looks(dev):
    x, w = whole(2, 4, 7, 6), whole(8, 4, 3, 3)
    y = functional.conv2d(x.to(dev), w.to(dev), padding=1)
    z = functional.relu(y)
    assert (sides(y), sides(z)) == ("", "")
    equal(z, functional.relu(functional.conv2d(x, w, padding=1)))
    assert (sides(y), "H" in sides(z)) == ("", True)
    equal(y, functional.conv2d(x, w, padding=1))
    assert counts(CONV) == {"native": 1, "adapted": 1}


def test_consecutive_convolutions_convert_the_image_once(dev, mapped):
    """As in a ResNet: element-wise ops, some in place, pooling and a sum of branches between the convolutions."""
    x = whole(2, 4, 12, 12)
    weights = [whole(4, 4, 3, 3).sign() for _ in range(4)]

    def net(x, weights):
        for i, w in enumerate(weights):
            y = functional.conv2d(functional.avg_pool2d(functional.relu(x, inplace=i % 2 == 1), 1), w, padding=1)
            x = y if i == 0 else functional.relu_(y.add_(x)) if i == 1 else functional.relu(y + x)
        return x

    on_device = [w.to(dev) for w in weights]
    equal(net(x.to(dev), on_device), net(x, weights))
    net(x.to(dev), on_device)  # the second use of the same weights is the last that converts them
    torchfl.reset_counters()
    h2d, d2h = copies()
    crossing = 0 if mapped else 1
    y = net(x.to(dev), on_device)
    assert sides(y) == ""
    assert copies() == (h2d + crossing, d2h)  # the image
    y = y.cpu()
    assert copies() == (h2d + crossing, d2h + crossing)  # the result
    assert torch.equal(y, net(x, weights))
    assert counts(CONV)["native"] == 4
    for op, times in (("aten::relu", 4), ("aten::relu_", 3), ("aten::add.Tensor", 2)):
        assert counts(op) == {"native": times}, op
    assert counts("aten::avg_pool2d") == {"native": 4, "adapted": 4}  # its images say NCHW, and lie NHWC already


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_whoever_looks_at_a_convolution_s_result_sees_the_cpu_s(dev, look):
    x, w = whole(2, 4, 6, 6), whole(4, 4, 3, 3)

    def seen(place):
        y = functional.conv2d(x.to(place), w.to(place), padding=1)
        result = look(y)
        return (result if isinstance(result, torch.Tensor) else torch.tensor(result)), y

    for device, cpu in zip(seen(dev), seen("cpu"), strict=True):
        assert device.stride() == cpu.stride()
        torch.testing.assert_close(device.detach().cpu(), cpu.detach(), rtol=0, atol=0)


def test_what_was_written_since_is_not_taken_for_the_result(dev):
    """A kernel's result is kept beside the bytes that were made of it, until they are written."""
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


def test_threads_that_look_at_one_result(dev):
    x, w = whole(2, 4, 12, 12), whole(4, 4, 3, 3)
    expected, on_device = functional.conv2d(x, w), w.to(dev)
    for _ in range(20):
        y = functional.conv2d(x.to(dev), on_device)
        looks = [
            torch.Tensor.cpu,
            lambda t: functional.relu(t).cpu(),
            lambda t: (t + t).cpu(),
            lambda t: t[1].cpu(),
        ] * 2
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


def test_results_outlive_the_device(dev, mapped):
    """Nobody looks before shutdown(): their bytes are made on the host."""
    script = (
        "import torch, torchfl\n"
        f"chip = {str(adapter_chip_dir(mapped))!r}\n"
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


@pytest.mark.parametrize("mapped", [True], ids=["mapped"], indirect=True)  # the host cannot reach the other's bytes
def test_memory_shared_with_numpy_shows_a_late_result(dev, mapped):
    import numpy

    x, w = whole(2, 4, 6, 6), whole(4, 4, 3, 3)
    y = functional.conv2d(x.to(dev), w.to(dev))
    array = numpy.from_dlpack(y)
    assert array.tolist() == functional.conv2d(x, w).tolist()
    functional.relu_(y)
    assert array.tolist() == functional.relu(functional.conv2d(x, w)).tolist()


def test_a_channels_last_model_converts_nothing(dev):
    conv = torch.nn.Conv2d(4, 8, 3, padding=1)
    x = whole(1, 4, 6, 6).contiguous(memory_format=torch.channels_last)
    with torch.no_grad():
        conv.weight.copy_(whole(8, 4, 3, 3))
        conv.bias.copy_(whole(8))
        expected = conv(x)
    conv = conv.to(memory_format=torch.channels_last).to(dev)
    y = conv(x.to(dev))
    equal(y, expected)
    assert y.stride() == expected.stride()
    assert counts(CONV) == {"native": 1}


def test_what_the_kernel_can_convert_is_left_to_it(dev):
    x = whole(2, 4, 6, 6)
    y = functional.avg_pool2d(x.to(dev), 2)
    equal(y, functional.avg_pool2d(x, 2))
    assert counts("aten::avg_pool2d") == {"native": 1, "adapted": 1}  # the result alone
    strided = whole(2, 4, 6, 12)[..., ::2]
    equal(functional.avg_pool2d(strided.to(dev), 2), functional.avg_pool2d(strided, 2))
    view = whole(2, 4, 6, 12).to(dev)[..., ::2]
    equal(functional.avg_pool2d(view, 2), functional.avg_pool2d(view.cpu(), 2))
    assert counts("aten::avg_pool2d") == {"native": 3, "adapted": 3}


def test_a_user_sees_the_mismatch(dev, mapped):
    script = (
        "import torch, torchfl\n"
        f"torchfl.init([{str(adapter_chip_dir(mapped))!r}])\n"
        "x, w = torch.ones(1, 4, 5, 5).to('xpu'), torch.ones(4, 4, 3, 3).to('xpu')\n"
        "for _ in range(3): torch.nn.functional.conv2d(x, w)\n"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stderr
    assert found.count("INFO: Tensor layout mismatch: expected NHWC, got NCHW") == 1
    assert "aten::conv2d" in found


def test_weights_that_change_are_converted_anew(dev):
    x, w = whole(1, 4, 5, 5), whole(4, 4, 3, 3)
    on_device = w.to(dev)
    for step in range(5):
        equal(functional.conv2d(x.to(dev), on_device), functional.conv2d(x, w))
        if step >= 2:
            for t in (w, on_device):
                t.add_(1) if step % 2 else t[0].neg_()


def test_gradients_through_nhwc_convolutions(dev):
    grads = []
    torch.manual_seed(3)
    x, w = whole(2, 4, 6, 6), whole(4, 4, 3, 3)
    for place in ("cpu", dev):
        a, b = x.clone().to(place).requires_grad_(), w.clone().to(place).requires_grad_()
        functional.relu(functional.conv2d(a, b, padding=1)).square().sum().backward()
        grads.append((a.grad.cpu(), b.grad.cpu()))
    for cpu, device in zip(*grads, strict=True):
        torch.testing.assert_close(device, cpu)


def test_an_out_tensor_of_either_order(dev):
    x = whole(1, 4, 6, 6)
    for form in (torch.contiguous_format, torch.channels_last):
        out = torch.empty(1, 4, 3, 3).to(dev).contiguous(memory_format=form)
        stride = out.stride()
        torch._C._nn.avg_pool2d(x.to(dev), 2, out=out)
        assert torch.equal(out.cpu(), functional.avg_pool2d(x, 2))
        assert out.stride() == stride


# ---- padding


@pytest.mark.parametrize(
    ("m", "k", "n"), [(8, 8, 8), (7, 8, 8), (8, 5, 8), (8, 8, 3), (5, 9, 13), (1, 1, 1), (100, 3, 70)]
)
def test_sizes_are_rounded_up_and_the_result_sliced(dev, m, k, n):
    a, b = whole(m, k), whole(k, n)
    y = a.to(dev) @ b.to(dev)
    equal(y, a @ b)
    assert y.is_contiguous()
    assert y.untyped_storage().nbytes() == m * n * 4
    assert counts("aten::mm")["native"] == 1
    assert ("adapted" in counts("aten::mm")) == any(size % 8 for size in (m, k, n))


def test_explain_names_the_padding(dev):
    explained = torchfl.explain("aten::mm", whole(5, 9).to(dev), whole(9, 8).to(dev))
    assert (explained.layer, explained.kernel) == ("native", "ad_mm")
    assert explained.reason == "after adapters: self padded to [8, 16], mat2 padded to [16, 8], result sliced"


def test_a_limit_that_rounding_breaks_is_still_one(dev):
    a, b = whole(8, 65), whole(65, 8)
    equal(a.to(dev) @ b.to(dev), a @ b)
    assert counts("aten::mm") == {"cpu": 1}
    assert [r.reason for r in torchfl.fallback_reasons()] == ["K = 65, but K must be at most 64 and a multiple of 8"]


def test_addmm_and_linear_pad_their_bias_too(dev):
    x, w, b = whole(5, 9), whole(11, 9), whole(11)
    equal(functional.linear(x.to(dev), w.to(dev), b.to(dev)), functional.linear(x, w, b))
    equal(
        torch.addmm(whole(5, 1).fill_(2).to(dev), x.to(dev), w.t().to(dev), beta=3, alpha=2),
        torch.addmm(whole(5, 1).fill_(2), x, w.t(), beta=3, alpha=2),
    )
    assert counts("aten::addmm") == {"native": 2, "adapted": 2}
    c = whole(5, 11)
    on_device = c.to(dev)
    on_device.addmm_(x.to(dev), w.t().to(dev))
    equal(on_device, c.addmm_(x, w.t()))
    out = torch.empty(0, device=dev)
    torch.mm(x.to(dev), w.t().to(dev), out=out)
    equal(out, x @ w.t())


def test_a_batch_is_padded(dev):
    a, b = whole(3, 5, 9), whole(3, 9, 4)
    equal(torch.bmm(a.to(dev), b.to(dev)), torch.bmm(a, b))
    assert counts("aten::bmm") == {"native": 1, "adapted": 1}


def test_infinities_stay_where_they_are(dev):
    a, b = torch.tensor([[float("inf"), 1.0], [0.0, float("nan")]]), torch.ones(2, 3)
    torch.testing.assert_close((a.to(dev) @ b.to(dev)).cpu(), a @ b, equal_nan=True)


def test_channels_are_padded(dev):
    x, w, b = whole(2, 3, 6, 6), whole(5, 3, 3, 3), whole(5)
    args = (x.to(dev), w.to(dev), b.to(dev))
    assert torchfl.explain(functional.conv2d, *args).reason == (
        "after adapters: input padded to [2, 4, 6, 6], weight padded to [8, 4, 3, 3], bias padded to [8], "
        "result sliced, result to NCHW"
    )
    y = functional.conv2d(*args)
    equal(y, functional.conv2d(x, w, b))
    assert counts(CONV) == {"native": 1, "adapted": 1}
    y = functional.relu(functional.conv2d(*args))
    equal(y, functional.relu(functional.conv2d(x, w, b)))
    assert counts(CONV) == {"native": 2, "adapted": 2}
    w, x = whole(4, 1, 3, 3), whole(1, 2, 5, 5)
    equal(functional.conv2d(x.to(dev), w.to(dev), groups=2), functional.conv2d(x, w, groups=2))
    assert counts(CONV) == {"native": 2, "adapted": 2, "cpu": 1}


def test_elements_are_padded_in_any_order_of_memory(dev):
    for a, b in (
        (whole(3, 5), whole(5)),
        (whole(7, 4).t(), whole(4, 7)),
        (whole(2, 3, 2, 2).contiguous(memory_format=torch.channels_last), whole(1)),
    ):
        y = a.to(dev) + b.to(dev)
        equal(y, a + b)
        assert y.stride() == (a + b).stride()
    x = whole(3, 5)
    on_device = x.to(dev)
    on_device[:, ::2].add_(on_device[:, 1:2])
    equal(on_device, x.index_put((torch.arange(3)[:, None], torch.tensor([0, 2, 4])), x[:, ::2] + x[:, 1:2]))
    assert counts("aten::add.Tensor") == {"native": 3, "adapted": 3}
    assert counts("aten::add_.Tensor") == {"native": 1, "adapted": 1}


@pytest.mark.parametrize(
    "make",
    [
        lambda t: t,
        lambda t: t[1:],  # another offset
        lambda t: t[:, 2:13],  # rows of a wider tensor
        lambda t: t[::2],
        lambda t: t[:1].expand(6, -1),
    ],
    ids=["whole", "offset", "columns", "every other row", "repeated"],
)
def test_what_is_on_the_device_is_padded_there(dev, make):
    a, b = whole(6, 15), torch.eye(15)[:, :5].contiguous()
    on_device, right = functional.relu(a.to(dev)), torch.eye(15, device=dev)[:, :5].contiguous()
    k = make(a).shape[1]
    functional.relu(right)  # uploads it, and that is where it stays
    torchfl.reset_counters()
    h2d, d2h = copies()
    y = make(on_device) @ functional.relu(right[:k])
    assert copies() == (h2d, d2h)
    equal(y, make(functional.relu(a)) @ b[:k])
    assert counts("aten::mm") == {"native": 1, "adapted": 1}


def test_elements_on_the_device_are_padded_there(dev):
    for form in (torch.contiguous_format, torch.channels_last):
        a = whole(2, 3, 2, 3).contiguous(memory_format=form)
        x = functional.relu(a.to(dev))
        before = copies()
        y = x + x
        assert copies() == before
        equal(y, functional.relu(a) * 2)
    assert counts("aten::add.Tensor") == {"native": 2, "adapted": 2}


def test_a_linear_layer_keeps_its_padded_weight(dev):
    layer = torch.nn.Linear(9, 11).to(dev)
    x = torch.randn(8, 9).to(dev)
    with torch.no_grad():
        for _ in range(3):
            layer(x)
        before = torchfl.copy_counters()
        layer(x)
        after = torchfl.copy_counters()
    assert after.h2d == before.h2d  # input, weight and bias are padded already


# ---- alignment


def test_a_view_that_begins_elsewhere_is_copied_within_the_device(dev):
    a = whole(8, 8)
    x = (a.to(dev) @ torch.eye(8, device=dev)).view(-1)
    a = a.view(-1)
    for view in (slice(16, None), slice(3, None), slice(3, 35, 2)):
        before = copies()
        y = x[view].abs()
        assert copies() == before
        equal(y, a[view].abs())
    assert torchfl.explain(torch.abs, x[3:]).reason == "after adapters: self laid out anew"
    assert counts("aten::abs") == {"native": 3, "adapted": 2}
    x[3:].abs_()
    a[3:].abs_()
    equal(x, a)


# ---- int8 on a chip that wants uint8


def test_int8_is_given_as_uint8_with_zero_point_128(dev):
    a = torch.arange(-128, 128).to(torch.int8)
    explained = torchfl.explain("aten::relu", a.to(dev))
    assert explained.reason == "after adapters: self as uint8 with zero point 128, result back to int8"
    equal(functional.relu(a.to(dev)), functional.relu(a))
    b = whole(256, dtype=torch.int8)
    exact = (a.int() * b.int()).clamp(-128, 127).to(torch.int8)  # int8_store: saturate
    equal(a.to(dev) * b.to(dev), exact)
    assert counts("aten::relu") == counts("aten::mul.Tensor") == {"native": 1, "adapted": 1}


@pytest.mark.parametrize("channels", [4, 3])
def test_an_int8_convolution_against_integers(dev, channels):
    x = torch.randint(-128, 128, (2, channels, 6, 6)).to(torch.int8)
    w, b = whole(channels, channels, 3, 3, dtype=torch.int8), whole(channels, dtype=torch.int8)
    exact = functional.conv2d(x.int(), w.int(), b.int(), padding=1).clamp(-128, 127).to(torch.int8)
    y = functional.conv2d(x.to(dev), w.to(dev), b.to(dev), padding=1)
    equal(y, exact)
    assert int((exact == 127).sum()) > 0  # that it saturates was seen
    assert counts(CONV) == {"native": 1, "adapted": 1}


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
    image, weight = x.to(dev), w.to(dev)
    for _ in range(2):
        net(image, weight, functional.conv2d)
    before = copies()
    net(image, weight, functional.conv2d)
    assert copies() == before


def test_uint8_tensors_are_not_the_chip_s_uint8(dev):
    a = torch.tensor([0, 127, 128, 255], dtype=torch.uint8)
    equal(functional.relu(a.to(dev)), a)
    assert counts("aten::relu") == {"cpu": 1}


def test_broadcast_and_mixed_operands_are_made_int8_first(dev):
    a, b = whole(3, 5, dtype=torch.int8), whole(5, dtype=torch.int8)
    equal(a.to(dev) * b.to(dev), a * b)
    equal(a.to(dev) * 3, a * 3)
    assert counts("aten::mul.Tensor")["native"] == 2
