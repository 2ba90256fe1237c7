"""The layer `decompose`: torch's decomposition on the device, its parts to the chip's kernels."""

from __future__ import annotations

import threading

import pytest
import torch
from torch.nn import functional

import torchfl
from router_helpers import counts, only_router_chip, same

pytestmark = pytest.mark.device

POLICY = """
  default: [decompose, cpu]
  op_specific: {aten::silu: [decompose, error], aten::bmm: error, aten::log_softmax: [cpu], aten::elu: error}
"""


@pytest.fixture(scope="module")
def _chip():
    with only_router_chip(POLICY) as device:
        yield device


@pytest.fixture
def dev(_chip):
    torchfl.reset_counters()
    torch.manual_seed(0)
    return _chip


def decomposed(op: str) -> int:
    return counts(op).get("decomposed", 0)


def reasons(op: str) -> set[str]:
    return {r.reason for r in torchfl.fallback_reasons() if r.op == op}


def test_softmax_runs_as_the_parts_that_the_chip_has(dev):
    a = torch.randn(2, 4)
    x = a.to(dev)
    explained = torchfl.explain("aten::softmax", x, -1)
    assert explained.layer == "decompose"
    assert explained.reason == (
        "the profile does not name the op; decompose: aten::amax (cpu), aten::sub.Tensor (native), aten::exp (native), "
        "aten::sum.dim_IntList (cpu), aten::div.Tensor (native)"
    )
    assert torchfl.counters() == {}  # explain() runs nothing
    same(torch.softmax(x, -1), torch.softmax(a, -1), exact=False)
    assert counts("aten::_softmax") == {"decomposed": 1}
    assert counts("aten::exp") == {"native": 1}
    assert counts("aten::sub.Tensor")["native"] == counts("aten::div.Tensor")["native"] == 1
    assert reasons("aten::_softmax") == {"the profile does not name the op"}


def test_the_order_of_an_op_goes_before_the_default(dev):
    a = torch.randn(2, 4)
    same(torch.log_softmax(a.to(dev), -1), torch.log_softmax(a, -1))
    assert counts("aten::_log_softmax") == {"cpu": 1}
    same(
        torch.bmm(a[None].half().to(dev), a.t()[None].half().contiguous().to(dev)),
        torch.bmm(a[None].half(), a.t()[None].half()),
    )
    assert counts("aten::bmm") == {"native": 1}  # the chip's own kernel comes before every layer


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("aten::native_layer_norm", lambda t: functional.layer_norm(t, (5,), t[0], t[1])),
        ("aten::gelu", functional.gelu),
        ("aten::silu", functional.silu),
        ("aten::mse_loss", lambda t: functional.mse_loss(t, t * 2)),
        ("aten::addmv", lambda t: torch.addmv(t[:, 0], t, t[0], beta=0.5)),
        ("aten::std.correction", lambda t: torch.std(t, 1)),
        ("aten::logit", lambda t: torch.logit(t.sigmoid())),
    ],
)
def test_ops_outside_the_profile(dev, name, call):
    a = torch.randn(3, 5)
    same(call(a.to(dev)), call(a), exact=False)
    assert decomposed(name) == 1
    assert any(row.native for row in torchfl.counters().values())


def test_in_place_and_out_forms_take_the_functional_decomposition(dev):
    a = torch.randn(3, 5)
    x = a.to(dev)
    before = x.data_ptr()
    assert functional.silu(x, inplace=True) is x
    same(x, functional.silu(a), exact=False)
    assert x.data_ptr() == before
    assert decomposed("aten::silu_") == 1
    out = torch.empty(0, device=dev)
    assert torch.softmax(a.to(dev), -1, out=out) is out
    same(out, torch.softmax(a, -1), exact=False)
    assert decomposed("aten::_softmax.out") == 1
    half = torch.empty(3, 5, dtype=torch.float16, device=dev)
    torch.special.expit(a.to(dev), out=half)
    same(half, torch.special.expit(a, out=torch.empty(3, 5, dtype=torch.float16)), exact=False)


def test_gradients_flow_through_decomposed_ops(dev):
    a = torch.randn(4, 6)
    grads = []
    for x in (a.clone().requires_grad_(), a.to(dev).requires_grad_()):
        functional.silu(torch.softmax(x, -1)).square().sum().backward()
        grads.append(x.grad.cpu())
    torch.testing.assert_close(grads[1], grads[0])
    assert decomposed("aten::_softmax_backward_data") == 1


def test_an_op_that_is_its_own_part_ends(dev):
    """torch's table has `exp` as itself: the policy's next layer serves it, and nothing recurses."""
    a = torch.randn(9)  # rt_exp declines 9 elements
    same(torch.exp(a.to(dev)), torch.exp(a))
    assert counts("aten::exp") == {"declined": 1, "cpu": 1}
    assert "layer decompose: torch's decomposition of it is the op itself" in reasons("aten::exp")


def test_a_decomposition_without_a_part_on_the_chip_is_not_worth_it(dev):
    a = torch.arange(12.0).reshape(3, 4)
    explained = torchfl.explain("aten::cumsum", a.to(dev), 0)
    assert explained.layer == "cpu"
    assert "decompose: the chip serves none of its parts: aten::arange" in explained.reason
    same(torch.cumsum(a.to(dev), 0), torch.cumsum(a, 0))
    assert counts("aten::cumsum") == {"cpu": 1}
    assert any("layer decompose: the chip serves none of its parts" in r for r in reasons("aten::cumsum"))


def test_a_part_that_no_layer_serves_leaves_the_op_whole(dev):
    a = torch.randn(2, 3, 3)
    same(torch.baddbmm(a.to(dev), a.to(dev), a.to(dev)), torch.baddbmm(a, a, a))
    assert counts("aten::baddbmm") == {"cpu": 1}
    assert "layer decompose: no layer serves its part aten::bmm" in reasons("aten::baddbmm")


def test_random_ops_keep_the_cpu_s_numbers(dev):
    torch.manual_seed(1)
    x = functional.dropout(torch.ones(64, device=dev), 0.5)
    assert 0 < int((x == 0).sum()) < 64
    assert decomposed("aten::native_dropout") == 0
    assert "random numbers" in torchfl.explain("aten::bernoulli", torch.full((4,), 0.5, device=dev)).reason


def test_wrong_arguments_are_refused_in_torch_s_words(dev):
    a = torch.randn(3, 5)
    with pytest.raises(RuntimeError) as expected:
        torch.native_layer_norm(a, (4,), None, None, 1e-5)
    with pytest.raises(RuntimeError) as raised:
        torch.native_layer_norm(a.to(dev), (4,), None, None, 1e-5)
    assert str(raised.value).splitlines()[0] == str(expected.value).splitlines()[0]


def test_error_after_decompose_names_the_op(dev):
    with pytest.raises(
        torchfl.UnsupportedOpError, match=r"^Op aten::elu not supported on device xpu:rt with dtype int32"
    ):
        functional.elu(torch.ones(3, dtype=torch.int32, device=dev))


def test_threads_decompose_at_the_same_time(dev):
    a = torch.randn(8, 16)
    x, expected, failed = a.to(dev), torch.softmax(a, -1), []

    def work():
        for _ in range(20):
            if not torch.allclose(torch.softmax(x, -1).cpu(), expected, atol=1e-6):
                failed.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failed
    assert decomposed("aten::_softmax") == 80
