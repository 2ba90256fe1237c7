"""What the host computes for a device is counted and named: copies between tensors, and ops on sparse ones."""

from __future__ import annotations

import pytest
import torch

import torchfl
from adapter_helpers import only_adapter_chip
from router_helpers import counts, whole

pytestmark = [pytest.mark.device, pytest.mark.filterwarnings("ignore:Sparse invariant checks")]

DTYPE = "a copy into another dtype, which the host computes: no kernel casts into a tensor that is there"
ORDER = "a copy into another order of elements, which the chip's permute_copy does not give"


@pytest.fixture(scope="module")
def _chip():
    with only_adapter_chip(order=True) as device:
        yield device


@pytest.fixture
def dev(_chip):
    torchfl.reset_counters()
    return _chip


def reasons(op: str) -> list[tuple[str, int]]:
    return [(r.reason, r.count) for r in torchfl.fallback_reasons() if r.op == op]


COMPUTED = {
    "another dtype": (lambda: torch.empty(3, 4, dtype=torch.float64), lambda: whole(3, 4), DTYPE),
    "another dtype and order": (lambda: torch.empty(4, 3, dtype=torch.int32).t(), lambda: whole(3, 4), DTYPE),
    "broadcast": (lambda: torch.empty(3, 4), lambda: whole(4), ORDER),
    "broadcast and cast": (lambda: torch.empty(3, 4, dtype=torch.float16), lambda: whole(3, 1), DTYPE),
    "every other column": (lambda: torch.empty(3, 8)[:, ::2], lambda: whole(3, 4), ORDER),
    "another order, a dtype that the kernel lacks": (
        lambda: torch.empty(4, 3, dtype=torch.int16).t(), lambda: whole(3, 4, dtype=torch.int16), ORDER,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("target", "source", "why"), COMPUTED.values(), ids=COMPUTED)
def test_a_copy_that_the_host_computes_is_counted(dev, target, source, why):
    torch.manual_seed(0)
    here, src = target(), source()
    here.copy_(src)
    there = _placed(target, dev)
    on_device = src.to(dev)
    explained = torchfl.explain("aten::copy_", there, on_device)
    assert (explained.layer, explained.reason) == ("cpu", why)
    torchfl.reset_counters()
    there.copy_(on_device)
    assert counts("aten::copy_") == {"cpu": 1}
    assert reasons("aten::copy_") == [(why, 1)]
    assert torch.equal(there.cpu(), here)


def test_a_lazily_conjugated_copy_is_counted(dev):
    a = torch.complex(whole(3), whole(3))
    b, conjugated = torch.empty(3, dtype=torch.complex64, device=dev), a.to(dev).conj()
    torchfl.reset_counters()
    b.copy_(conjugated)
    assert reasons("aten::copy_") == [(ORDER, 1)]
    assert torch.equal(b.cpu(), a.conj().resolve_conj())


def _placed(target, dev):
    """A view on the device that lies as the one on the CPU does."""
    view = target()
    base = view._base if view._base is not None else view
    return base.to(dev).as_strided(view.shape, view.stride())


def test_a_copy_of_bytes_is_none_that_is_computed(dev):
    a, b = whole(3, 4).to(dev), torch.empty(3, 4, device=dev)
    torchfl.reset_counters()
    b.copy_(a)
    b[1].copy_(a[2])
    b.copy_(whole(3, 4))
    b.copy_(whole(3, 4).double())  # the user's own CPU tensor: cast on its way
    a.clone(), a.cpu(), a.cpu().double(), a.to(torch.float32)
    assert torchfl.counters().get("aten::copy_") is None
    assert torchfl.explain("aten::copy_", b, a).reason == "bytes are copied as they are: nothing is computed"


def test_an_order_that_the_chip_gives_is_not_the_host_s(dev):
    a = torch.relu(whole(3, 4).to(dev))
    b = torch.empty(4, 3, device=dev).t()
    explained = torchfl.explain("aten::copy_", b, a)
    assert (explained.layer, explained.kernel) == ("native", "ad_permute")
    torchfl.reset_counters()
    b.copy_(a)
    assert counts("aten::copy_") == {}
    assert torch.equal(b.cpu(), torch.relu(a.cpu()))


def test_a_cast_is_counted_once(dev):
    a = whole(3, 4).to(dev)
    torchfl.reset_counters()
    a.to(torch.float64), a.half()
    assert counts("aten::_to_copy") == {"cpu": 2}
    assert counts("aten::copy_") == {}
    a.t().contiguous()
    assert counts("aten::copy_") == {"cpu": 1}  # of bytes that only the host has


def test_ops_on_sparse_tensors_are_counted(dev):
    there = torch.sparse_coo_tensor([[0, 1], [1, 0]], [1.0, 2.0], (3, 3)).to(dev)
    torchfl.reset_counters()
    product = torch.sparse.mm(there, torch.eye(3, device=dev))
    assert reasons("aten::addmm") == [("a tensor is not strided", 1)]
    assert counts("aten::addmm") == {"cpu": 1}
    torch.testing.assert_close(product.cpu(), there.cpu().to_dense())
