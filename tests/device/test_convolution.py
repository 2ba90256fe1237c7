"""Convolution dispatches at convolution_overrideable: forward and backward, on the chip and on the host."""

from __future__ import annotations

import itertools

import pytest
import torch
from torch.nn import functional

import torchfl
from router_helpers import counts, same

pytestmark = [pytest.mark.device, pytest.mark.usefixtures("dev")]
OP = "aten::convolution_overrideable"


def whole(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randint(-2, 3, shape).to(dtype)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize(
    ("stride", "padding", "groups", "bias"),
    [(1, 0, 1, True), (2, 1, 1, False), ((1, 2), (2, 0), 2, True), (2, 2, 2, False)],
)
def test_conv2d_inside_the_constraints_is_native(dev, dtype, stride, padding, groups, bias):
    x, w = whole(2, 4, 7, 6, dtype=dtype), whole(6, 4 // groups, 3, 2, dtype=dtype)
    b = whole(6, dtype=dtype) if bias else None
    options = {"stride": stride, "padding": padding, "groups": groups}
    on_device = [t.to(dev) if t is not None else None for t in (x, w, b)]
    explained = torchfl.explain(functional.conv2d, *on_device, **options)
    assert (explained.op, explained.layer, explained.kernel) == (OP, "native", "rt_conv2d")
    same(functional.conv2d(*on_device, **options), functional.conv2d(x, w, b, **options))
    assert counts(OP) == {"native": 1}


def test_dilation_and_an_input_without_a_batch(dev):
    x, w = whole(4, 9, 9), whole(3, 4, 3, 3)
    same(functional.conv2d(x.to(dev), w.to(dev), dilation=2), functional.conv2d(x, w, dilation=2))
    assert counts(OP) == {"native": 1}


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"stride": 3}, "stride = 3, but stride must be one of [1, 2]"),
        ({"stride": (1, 3)}, "stride = 3, but stride must be one of [1, 2]"),
        ({"padding": 3}, "padding = 3, but padding must be one of [0, 1, 2]"),
        ({"groups": 4}, "groups = 4, but groups must be one of [1, 2]"),
    ],
)
def test_conv2d_outside_the_constraints_never_reaches_the_kernel(dev, options, reason):
    x, w = whole(2, 4, 7, 7), whole(8, 4 // options.get("groups", 1), 3, 3)
    before = torchfl.symbol_calls("xpu:rt")["rt_launch"]
    same(functional.conv2d(x.to(dev), w.to(dev), **options), functional.conv2d(x, w, **options))
    assert torchfl.symbol_calls("xpu:rt")["rt_launch"] == before
    assert counts(OP) == {"cpu": 1}
    assert [r.reason for r in torchfl.fallback_reasons() if r.op == OP] == [reason]


def test_a_kernel_size_beyond_the_constraint(dev):
    x, w = whole(1, 1, 9, 9), whole(1, 1, 3, 6)
    same(functional.conv2d(x.to(dev), w.to(dev)), functional.conv2d(x, w))
    assert [r.reason for r in torchfl.fallback_reasons()] == ["kernel_size = 6, but kernel_size must be at most 5"]


def test_what_the_name_conv2d_does_not_cover_stays_on_the_host(dev):
    """Transposed and 3-D convolutions dispatch at the same overload; the entry aten::conv2d must not take them."""
    x, w = whole(2, 4, 5, 5), whole(4, 3, 3, 3)
    same(functional.conv_transpose2d(x.to(dev), w.to(dev)), functional.conv_transpose2d(x, w))
    x, w = whole(1, 2, 4, 4, 4), whole(3, 2, 2, 2, 2)
    same(functional.conv3d(x.to(dev), w.to(dev)), functional.conv3d(x, w))
    assert counts(OP) == {"cpu": 2}
    reasons = {r.reason for r in torchfl.fallback_reasons()}
    assert reasons == {"transposed = 1, but transposed must be one of [0]", "rank = 5, but rank must be one of [4]"}


def test_conv1d_is_a_conv2d_of_height_one(dev):
    x, w, b = whole(2, 4, 9), whole(6, 4, 3), whole(6)
    same(functional.conv1d(x.to(dev), w.to(dev), b.to(dev), padding=1), functional.conv1d(x, w, b, padding=1))
    assert counts(OP) == {"native": 1}


@pytest.mark.parametrize("which", ["input", "weight", "both"])
def test_channels_last_images_give_channels_last_results(dev, which):
    """On a chip that takes and gives NCHW, as on the CPU."""
    x, w = whole(2, 4, 6, 6), whole(3, 4, 3, 3)
    x = x.contiguous(memory_format=torch.channels_last) if which != "weight" else x
    w = w.contiguous(memory_format=torch.channels_last) if which != "input" else w
    explained = torchfl.explain(functional.conv2d, x.to(dev), w.to(dev))
    assert explained.reason.endswith(" laid out anew, result to NHWC")
    same(functional.conv2d(x.to(dev), w.to(dev)), functional.conv2d(x, w))
    assert counts(OP) == {"native": 1, "adapted": 1}


def test_int8_runs_on_the_chip(dev):
    x, w = whole(1, 2, 5, 5, dtype=torch.int8), whole(2, 2, 3, 3, dtype=torch.int8)
    same(functional.conv2d(x.to(dev), w.to(dev)), functional.conv2d(x, w))
    assert counts(OP) == {"native": 1}


def test_a_dtype_that_neither_chip_nor_cpu_has_is_unsupported(dev):
    x, w = whole(1, 2, 5, 5).bool(), whole(2, 2, 3, 3).bool()
    with pytest.raises(RuntimeError, match="not implemented for 'Bool'"):
        functional.conv2d(x, w)
    with pytest.raises(torchfl.UnsupportedOpError) as raised:
        functional.conv2d(x.to(dev), w.to(dev))
    assert str(raised.value) == (
        "Op aten::conv2d not supported on device xpu:rt with dtype bool. Available dtypes: [int8, float16, float32]. "
        "Suggested fix: cast input to torch.int8."
    )


@pytest.mark.parametrize("batch", [0, 2])
def test_an_empty_batch_runs_no_kernel(dev, batch):
    x, w = whole(batch, 4, 6, 6), whole(3, 4, 3, 3)
    same(functional.conv2d(x.to(dev), w.to(dev)), functional.conv2d(x, w))
    assert counts(OP) == ({"native": 1} if batch else {})


@pytest.mark.parametrize(
    ("stride", "bias", "frozen"), [*itertools.product([1, 3], [True, False], [None]), (1, True, "x"), (1, True, "w")]
)
def test_backward(dev, stride, bias, frozen):
    """Gradients of input, weight and bias, natively in front (stride 1) and on the host behind, each mask."""
    tensors = {"x": torch.randn(2, 4, 7, 7), "w": torch.randn(6, 4, 3, 3)} | ({"b": torch.randn(6)} if bias else {})
    cpu = {k: t.clone().requires_grad_(k != frozen) for k, t in tensors.items()}
    device = {k: t.to(dev).requires_grad_(k != frozen) for k, t in tensors.items()}
    for at in (cpu, device):
        functional.conv2d(at["x"], at["w"], at.get("b"), stride=stride).square().sum().backward()
    for name in tensors:
        if name == frozen:
            assert device[name].grad is None
            continue
        assert device[name].grad.device.type == "xpu"
        torch.testing.assert_close(device[name].grad.cpu(), cpu[name].grad, rtol=1e-4, atol=1e-4)
    assert counts(OP) == ({"native": 1} if stride == 1 else {"cpu": 1})
    assert counts("aten::convolution_backward") == {"cpu": 1}


def test_a_conv_net_trains_under_autocast_with_native_convolutions(dev):
    def net():
        torch.manual_seed(1)
        return torch.nn.Sequential(
            torch.nn.Conv2d(3, 4, 3, stride=2), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(4 * 9, 2)
        )

    x, y = torch.randn(4, 3, 8, 8), torch.randn(4, 2)
    results = []
    for device, autocast in (("cpu", False), (dev, False), (dev, True)):
        model = net().to(device)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
        torchfl.reset_counters()
        for _ in range(3):
            optimizer.zero_grad()
            with torch.autocast("xpu", dtype=torch.float16, enabled=autocast):
                out = model(x.to(device))
                assert out.dtype == (torch.float16 if autocast else torch.float32)
            functional.mse_loss(out.float(), y.to(device)).backward()
            optimizer.step()
        if device != "cpu":
            assert counts(OP) == {"native": 3}
        results.append([p.detach().cpu() for p in model.parameters()])
    for r, full, mixed in zip(*results, strict=True):
        torch.testing.assert_close(full, r, rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(mixed, r, rtol=0, atol=3e-3)
