"""Ops beyond element by element on x1, as PyTorch's own functions reach them: results, layers, gradients."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
import torch
from torch.nn import functional

import torchfl

pytestmark = pytest.mark.device


def natives(op: str) -> int:
    """Calls of an overload that the chip served since the counters were reset."""
    counted = torchfl.counters().get(op)
    return counted.native if counted else 0


def near(actual: torch.Tensor, expected: torch.Tensor) -> None:
    torch.testing.assert_close(actual.cpu(), expected, rtol=2e-5, atol=2e-6, check_stride=False)


@pytest.mark.parametrize(
    ("overload", "function"),
    [
        ("aten::sum.dim_IntList", lambda x: x.sum()),
        ("aten::sum.dim_IntList", lambda x: x.sum((0, 1), keepdim=True)),
        ("aten::mean.dim", lambda x: x.mean(-1)),
        ("aten::mean.dim", lambda x: functional.adaptive_avg_pool2d(x[None], 1)),
        ("aten::amax", lambda x: x.amax(1)),
        ("aten::argmax", lambda x: x.argmax(dim=2)),
        ("aten::argmax", lambda x: x.argmax()),
        ("aten::_softmax", lambda x: x.softmax(0)),
        ("aten::_log_softmax", lambda x: x.log_softmax(-1)),
        ("aten::native_layer_norm", lambda x: functional.layer_norm(x, (7,))),
        ("aten::_fused_rms_norm", lambda x: functional.rms_norm(x, (5, 7), eps=1e-3)),
        ("aten::native_batch_norm", lambda x: functional.batch_norm(x, x[0, :, 0], x[0, :, 1].square())),
        ("aten::max_pool2d_with_indices", lambda x: functional.max_pool2d(x, 2)),
        ("aten::avg_pool2d", lambda x: functional.avg_pool2d(x[None], 3, 2, 1, count_include_pad=False)),
        ("aten::index_select", lambda x: x.index_select(1, torch.tensor([4, 0, 0], device=x.device))),
        ("aten::gather", lambda x: x.gather(2, x[:, :3].argmax(2, keepdim=True))),
        ("aten::cat", lambda x: torch.cat([x, x[:, :2], -x], 1)),
        ("aten::cat", lambda x: torch.stack([x, -x])),
        ("aten::permute_copy", lambda x: torch.permute_copy(x, (2, 0, 1))),
        ("aten::gt.Tensor", lambda x: x > x.flip(0)),
        ("aten::gt.Scalar", lambda x: x > 0.5),
        ("aten::eq.Scalar", lambda x: x == x[0, 0, 0].item()),
        ("aten::where.self", lambda x: torch.where(x > 0, x, x * 0.5)),
        ("aten::where.self", lambda x: torch.where(x > 0, x, 0.0)),
        ("aten::masked_fill.Scalar", lambda x: x.masked_fill(x < 0, -1)),
        ("aten::gelu", lambda x: functional.gelu(x)),
        ("aten::_to_copy", lambda x: x.half()),
    ],
)  # fmt: skip
def test_torch_s_functions_reach_the_kernel(
    device: torch.device, overload: str, function: Callable[[torch.Tensor], torch.Tensor]
) -> None:
    torch.manual_seed(1)
    x = torch.randn(3, 5, 7)
    on_device = x.to(device)
    torchfl.reset_counters()
    result = function(on_device)
    assert natives(overload) >= 1, torchfl.fallback_reasons()
    expected = function(x)
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    near(result, expected)


def test_what_a_kernel_cannot_take_falls_back_and_says_why(device: torch.device) -> None:
    x = torch.randn(3, 5, 7)
    torchfl.reset_counters()
    near(x.to(device).sum((0, 2)), x.sum((0, 2)))
    near(x.to(device).log_softmax(0), x.log_softmax(0))
    near(functional.gelu(x.to(device), approximate="tanh"), functional.gelu(x, approximate="tanh"))
    near(functional.avg_pool2d(x.to(device), 2, divisor_override=3), functional.avg_pool2d(x, 2, divisor_override=3))
    reasons = {r.op: r.reason for r in torchfl.fallback_reasons()}
    assert reasons["aten::sum.dim_IntList"] == "spans = 2, but spans must be one of [1]"
    assert "inner" in reasons["aten::_log_softmax"]
    assert reasons["aten::gelu"] == "approximate = tanh, but approximate must be one of [none]"
    assert "divisor_override" in reasons["aten::avg_pool2d"]


def test_a_cast_that_the_kernel_refuses_is_outside_the_profile(device: torch.device) -> None:
    """x1 casts to nothing but its floats; the probe states that as a limit of the result's dtype."""
    x = torch.randn(3, 5, 7)
    assert x.to(device).to(torch.int8).cpu().equal(x.to(torch.int8))
    assert torchfl.explain("aten::_to_copy", x.to(device), dtype=torch.float16).layer == "native"
    told = torchfl.explain("aten::_to_copy", x.to(device), dtype=torch.int8)
    assert told.reason == "dtype = int8, but dtype must be one of [float16, float32]"


def test_indices_of_either_integer_type(device: torch.device) -> None:
    table = torch.randn(11, 4)
    for dtype in (torch.int64, torch.int32):
        torchfl.reset_counters()
        ids = torch.tensor([[1, 10, 0], [3, 3, 2]], dtype=dtype)
        near(functional.embedding(ids.to(device), table.to(device)), functional.embedding(ids, table))
        assert natives("aten::embedding") == 1


def test_every_result_of_a_kernel_with_several(device: torch.device) -> None:
    torch.manual_seed(2)
    x = torch.randn(2, 3, 8, 8)
    torchfl.reset_counters()
    for got, want in zip(
        functional.max_pool2d(x.to(device), 2, return_indices=True),
        functional.max_pool2d(x, 2, return_indices=True),
        strict=True,
    ):
        assert torch.equal(got.cpu(), want)
    for got, want in zip(
        torch.native_layer_norm(x.to(device), (8,), None, None, 1e-5),
        torch.native_layer_norm(x, (8,), None, None, 1e-5),
        strict=True,
    ):
        near(got, want)
    assert natives("aten::max_pool2d_with_indices") == natives("aten::native_layer_norm") == 1


def test_padding_beyond_half_a_window_is_no_call_for_a_kernel(device: torch.device) -> None:
    """PyTorch measures the window without its dilation."""
    x = torch.randn(1, 1, 9, 9).to(device)
    run = partial(torchfl.run_kernel, "xpu:x1", "x1_max_pool2d", "aten::max_pool2d", x, [3, 3], [1, 1])
    assert run([2, 2], [2, 2], False).status == "INVALID_ARGUMENT"
    with pytest.raises(RuntimeError, match="half of kernel size"):
        functional.max_pool2d(x, 3, 1, 2, 2)


def gradients(device: str | torch.device, function: Callable[..., torch.Tensor], *shapes: tuple[int, ...]) -> list:
    torch.manual_seed(3)
    leaves = [torch.randn(shape).to(device).requires_grad_() for shape in shapes]
    function(*leaves).square().sum().backward()
    return [leaf.grad.cpu() for leaf in leaves]


@pytest.mark.parametrize(
    ("function", "shapes", "overload", "native"),
    [
        (lambda x, w, b: functional.layer_norm(x, (7,), w, b), ((5, 7), (7,), (7,)), "aten::native_layer_norm", 1),
        (lambda x: functional.max_pool2d(x, 2), ((1, 2, 6, 6),), "aten::max_pool2d_with_indices", 1),
        (lambda x: x.softmax(-1), ((3, 9),), "aten::_softmax", 1),
        (lambda x, y: torch.cat([x, y]), ((2, 3), (4, 3)), "aten::cat", 1),
        # kernels that do not give what backward needs leave the call to the layers behind them
        (lambda x, w: functional.rms_norm(x, (7,), w), ((5, 7), (7,)), "aten::_fused_rms_norm", 0),
        (functional.scaled_dot_product_attention, ((1, 2, 3, 4),) * 3, "torchfl::attention", 0),
    ],
)  # fmt: skip
def test_gradients(
    device: torch.device, function: Callable[..., torch.Tensor], shapes: tuple, overload: str, native: int
) -> None:
    torchfl.reset_counters()
    found = gradients(device, function, *shapes)
    assert natives(overload) == native
    for got, want in zip(found, gradients("cpu", function, *shapes), strict=True):
        near(got, want)


@pytest.mark.parametrize("width", [5, 8, 12])
def test_attention_with_values_of_any_width_and_queries_that_see_nothing(device: torch.device, width: int) -> None:
    """A vendor's function is told one head_dim; it serves values of that width alone."""
    torch.manual_seed(5)
    query, key, value = torch.randn(2, 3, 5, 8), torch.randn(2, 3, 7, 8), torch.randn(2, 3, 7, width)
    mask = torch.randn(5, 7)
    mask[1], mask[3, 2:] = float("-inf"), float("-inf")
    with torch.no_grad():
        expected = functional.scaled_dot_product_attention(query, key, value, mask)
        torchfl.reset_counters()
        result = functional.scaled_dot_product_attention(*(t.to(device) for t in (query, key, value, mask)))
    assert natives("torchfl::attention") == (width == 8)
    near(result, expected)
    assert not expected[:, :, 1].any()


@pytest.mark.parametrize("how", ["plain", "causal", "mask", "bool mask", "half"])
def test_attention_is_one_kernel_in_inference(device: torch.device, how: str) -> None:
    torch.manual_seed(4)
    dtype = torch.float16 if how == "half" else torch.float32
    query, key, value = (torch.randn(2, 3, n, 8, dtype=dtype) for n in (5, 7, 7))
    more: dict = {"is_causal": True} if how == "causal" else {}
    if how.endswith("mask"):
        mask = torch.randn(5, 7)
        more = {"attn_mask": mask > 0 if how == "bool mask" else mask}
        more["attn_mask"][:, 0] = True
    with torch.no_grad():
        expected = functional.scaled_dot_product_attention(query.float(), key.float(), value.float(), **more)
        given = {k: v.to(device) if isinstance(v, torch.Tensor) else v for k, v in more.items()}
        torchfl.reset_counters()
        result = functional.scaled_dot_product_attention(*(t.to(device) for t in (query, key, value)), **given)
    assert natives("torchfl::attention") == 1
    assert result.dtype == dtype
    torch.testing.assert_close(result.cpu().float(), expected, rtol=1e-3 if how == "half" else 2e-5, atol=2e-3)
