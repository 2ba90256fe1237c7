"""The layer `onnxruntime`: an op as a graph of one node on the host sides. Where CI lacks the extra, it fails."""

from __future__ import annotations

import os
import re

import pytest
import torch
from torch.nn import functional

import torchfl
from router_helpers import counts, only_router_chip, same
from torchfl.layers.onnx_runtime import missing_package
from torchfl.layers.onnx_table import TABLE

pytestmark = [
    pytest.mark.device,
    pytest.mark.skipif(
        bool(missing_package()) and not os.environ.get("CI"), reason="needs the extra flagos-torchfl[onnxruntime]"
    ),
]

A = torch.tensor([[0.5, -1.5, 2.5, 3.0], [1.0, 0.25, -0.75, 2.0]])
MASK = A > 0
IMAGE, KERNEL = torch.arange(72.0).reshape(1, 2, 6, 6) % 5, torch.arange(36.0).reshape(2, 2, 3, 3) % 3 - 1
INDEX = torch.tensor([[1, 0, 0, 1], [0, 1, 1, 0]])

#: A call for every row of the table that is not a plain unary function of one tensor.
CALLS = {
    "aten::eq.Tensor": lambda d: d(A) == d(A.flip(0)),
    "aten::lt.Tensor": lambda d: d(A) < d(A.flip(0)),
    "aten::le.Tensor": lambda d: d(A) <= d(A.flip(0)),
    "aten::gt.Tensor": lambda d: d(A) > d(A.flip(0)),
    "aten::ge.Tensor": lambda d: d(A) >= d(A.flip(0)),
    "aten::eq.Scalar": lambda d: d(A) == 1,
    "aten::lt.Scalar": lambda d: d(A) < 1.5,
    "aten::le.Scalar": lambda d: d(A) <= 1,
    "aten::gt.Scalar": lambda d: d(A) > 1,
    "aten::ge.Scalar": lambda d: d(A) >= 1,
    "aten::add.Tensor": lambda d: d(A.double()) + d(A.double()),
    "aten::sub.Tensor": lambda d: d(A.double()) - 1.5,
    "aten::mul.Tensor": lambda d: d(A.double()) * d(A[0].double()),
    "aten::div.Tensor": lambda d: d(A.double()) / d(A.double()),
    "aten::pow.Tensor_Tensor": lambda d: d(A.abs()) ** d(A),
    "aten::pow.Tensor_Scalar": lambda d: d(A) ** 3,
    "aten::fmod.Tensor": lambda d: torch.fmod(d(A), d(A.flip(0))),
    "aten::logical_and": lambda d: torch.logical_and(d(MASK), d(MASK.flip(0))),
    "aten::logical_or": lambda d: torch.logical_or(d(MASK), d(MASK.flip(0))),
    "aten::logical_xor": lambda d: torch.logical_xor(d(MASK), d(MASK.flip(0))),
    "aten::leaky_relu": lambda d: functional.leaky_relu(d(A), 0.75),
    "aten::elu": lambda d: functional.elu(d(A), 0.5),
    "aten::softplus": lambda d: functional.softplus(d(A)),
    "aten::gelu": lambda d: functional.gelu(d(A), approximate="tanh"),
    "aten::where.self": lambda d: torch.where(d(MASK), d(A), d(A.flip(0))),
    "aten::mm": lambda d: d(A.double()) @ d(A.double().t()),
    "aten::bmm": lambda d: torch.bmm(d(A[None]), d(A.t()[None])),
    "aten::mv": lambda d: torch.mv(d(A.double()), d(A[0].double())),
    "aten::dot": lambda d: torch.dot(d(A[0].double()), d(A[1].double())),
    "aten::addmm": lambda d: torch.addmm(d(A[:, 0].double()), d(A.double()), d(A.double().t()), beta=0.5, alpha=2),
    "aten::convolution": lambda d: functional.conv2d(d(IMAGE), d(KERNEL), d(KERNEL[:, 0, 0, 0]), stride=3, padding=1),
    "aten::sum.dim_IntList": lambda d: d(A).sum(1),
    "aten::mean.dim": lambda d: d(A).mean((0, 1), keepdim=True),
    "aten::prod.dim_int": lambda d: d(A).prod(-1),
    "aten::cumsum": lambda d: d(A).cumsum(1),
    "aten::_softmax": lambda d: torch.softmax(d(A), -1),
    "aten::_log_softmax": lambda d: torch.log_softmax(d(A), 0),
    "aten::native_layer_norm": lambda d: functional.layer_norm(d(A), (4,), d(A[0]), d(A[1])),
    "aten::avg_pool2d": lambda d: functional.avg_pool2d(d(IMAGE), 3, 2, 1, count_include_pad=False),
    "aten::cat": lambda d: torch.cat([d(A), d(A.flip(1))], 1),
    "aten::index_select": lambda d: torch.index_select(d(A), 1, d(INDEX[0])),
    "aten::gather": lambda d: torch.gather(d(A), 1, d(INDEX)),
}
UNARY = sorted(set(TABLE) - set(CALLS))


@pytest.fixture(scope="module")
def _chip():
    with only_router_chip("{default: [onnxruntime, cpu], op_specific: {aten::gelu: [onnxruntime, error]}}") as device:
        yield device


@pytest.fixture
def dev(_chip):
    torchfl.reset_counters()
    torch.manual_seed(0)
    return _chip


def served() -> dict[str, int]:
    return {op: row.onnxruntime for op, row in torchfl.counters().items() if row.onnxruntime}


@pytest.mark.parametrize("op", sorted(CALLS))
def test_each_lowering_means_what_torch_means(dev, op):
    result = CALLS[op](lambda t: t.to(dev))
    same(result, CALLS[op](lambda t: t), exact=False)
    name = {"aten::convolution": "aten::convolution_overrideable"}.get(op, op)
    assert list(served().values()) == [1]
    assert next(iter(served())) in (name, f"{name}.out")  # logical_and is logical_and.out where it dispatches


@pytest.mark.parametrize("op", UNARY)
def test_unary_functions_with_nan_and_infinities(dev, op):
    function = getattr(torch.ops.aten, op.removeprefix("aten::")).default
    values = torch.tensor([float("nan"), float("inf"), -float("inf"), -0.0, 0.5, 1.5, 2.5, -2.5, 100.0])
    for dtype in (torch.float64, torch.float32) + (
        () if op == "aten::hardswish" else (torch.int32,)
    ):  # those that are not ONNX's go to the CPU
        same(
            function(values.nan_to_num(1, 7, -7).to(dtype).to(dev)),
            function(values.nan_to_num(1, 7, -7).to(dtype)),
            exact=False,
        )
    torchfl.reset_counters()
    same(function(values.to(dev)), function(values), exact=False)
    assert served() in ({op: 1}, {f"{op}.out": 1}) or counts(op).get("native")  # the chip has some of them


def test_no_byte_moves_that_need_not(dev):
    a = torch.randn(64, 64)
    x = a.to(dev)
    before = torchfl.copy_counters()
    y = torch.erf(torch.cos(x)).tanh()
    assert torchfl.copy_counters() == before  # host side to host side: nothing went to the device, nothing was copied
    same(y, torch.erf(torch.cos(a)).tanh(), exact=False)
    assert served() == {"aten::cos": 1, "aten::erf": 1, "aten::tanh": 1}


def test_in_place_and_out_forms(dev):
    x = A.to(dev)
    x.cos_()
    same(x, A.cos(), exact=False)
    out = torch.empty(0, device=dev)
    torch.erf(A.to(dev), out=out)
    same(out, torch.erf(A), exact=False)
    assert served() == {"aten::cos_": 1, "aten::erf.out": 1}


def test_strided_operands_and_numbers_as_tensors(dev):
    a = torch.randn(4, 6, dtype=torch.float64)
    same(a.to(dev).t() + 2, a.t() + 2, exact=False)
    same(1.5 - a.to(dev)[1:, ::2], 1.5 - a[1:, ::2], exact=False)
    half = torch.tensor(2.0, dtype=torch.float64)
    same(a.float().to(dev).double() * half, a.float().double() * half, exact=False)


def test_explain_names_the_node_or_why_there_is_none(dev):
    x = A.to(dev)
    z = x.to(torch.complex64)  # a cast, which is counted
    torchfl.reset_counters()
    explained = torchfl.explain("aten::softmax", x, -1)
    assert explained.layer == "onnxruntime"
    assert explained.reason == "the profile does not name the op; onnxruntime: as Softmax"
    explained = torchfl.explain("aten::erfinv", x)
    assert explained.layer == "cpu"
    assert explained.reason.endswith("; onnxruntime: this release has no ONNX graph of it")
    assert torchfl.explain("aten::cos", z).layer == "cpu"
    assert torchfl.counters() == {}


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda t: torch.cos(t.to(torch.int32)), "Cos takes no torch.int32"),
        (lambda t: torch.sum(t, 1, dtype=torch.float64), "the result has another dtype"),
        (lambda t: functional.softplus(t, beta=2), "beta is not 1, or the threshold is low"),
        (lambda t: torch.cumsum(t[:, :0], 1), "a tensor without elements"),
        (lambda t: torch.cos(t.to(torch.bfloat16)), "ONNX Runtime does not take it"),
    ],
)
def test_what_it_does_not_take_goes_to_the_next_layer(dev, call, why):
    same(call(A.to(dev)), call(A), exact=False)
    assert not served()
    assert any(why in r.reason for r in torchfl.fallback_reasons())


def test_wrong_arguments_are_refused_in_torch_s_words(dev):
    with pytest.raises(IndexError, match="Dimension out of range"):
        torch.cumsum(A.to(dev), 7)
    with pytest.raises(
        torchfl.UnsupportedOpError, match="Op aten::gelu not supported on device xpu:rt with dtype int32"
    ):
        functional.gelu(torch.ones(3, dtype=torch.int32, device=dev))
    assert counts("aten::gelu") == {}


def test_gradients(dev):
    a, grads = torch.randn(3, 4), []
    for x in (a.clone().requires_grad_(), a.to(dev).requires_grad_()):
        (torch.softmax(x, -1) * torch.cos(x)).sum().backward()
        grads.append(x.grad.cpu())
    torch.testing.assert_close(grads[1], grads[0])


@pytest.mark.parametrize("outside", [-1, -2, 99])
@pytest.mark.parametrize(
    "call",
    [lambda t, index: t.index_select(0, index), lambda t, index: t.gather(0, index[:, None])],
    ids=["index_select", "gather"],
)
def test_an_index_that_pytorch_refuses_is_refused(dev, call, outside):
    index = torch.tensor([0, outside])
    with pytest.raises((IndexError, RuntimeError)) as expected:
        call(A, index)
    with pytest.raises(type(expected.value), match=re.escape(str(expected.value).splitlines()[0])):
        call(A.to(dev), index.to(dev))
    assert served() == {}
