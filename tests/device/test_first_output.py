"""Kernels that give the first of several results alone: what the caller gets is whole all the same."""

from __future__ import annotations

import pytest
import torch

import torchfl
from router_helpers import counts, same, whole

pytestmark = pytest.mark.device

WHY = "the kernel 'rt_max_values' gives the first result alone, and the caller of aten::max.dim gets every one"


@pytest.mark.parametrize("dim", [0, 1, -1])
@pytest.mark.parametrize("keepdim", [False, True])
def test_the_indices_come_from_where_the_values_do(dev: torch.device, dim: int, keepdim: bool) -> None:
    x = torch.randn(3, 5, 4)
    explained = torchfl.explain("aten::max.dim", x.to(dev), dim, keepdim)
    assert (explained.layer, explained.reason) == ("cpu", WHY)
    values, indices = torch.max(x.to(dev), dim, keepdim)
    expected = torch.max(x, dim, keepdim)
    same(values, expected.values)
    same(indices, expected.indices)
    assert counts("aten::max.dim") == {"cpu": 1}
    assert [r.reason for r in torchfl.fallback_reasons() if r.op == "aten::max.dim"] == [WHY]


def test_a_place_is_found_by_autograd_too(dev: torch.device) -> None:
    x = whole(3, 5)
    here, there = x.clone().requires_grad_(), x.to(dev).requires_grad_()
    torch.max(here, 1).values.sum().backward()
    torch.max(there, 1).values.sum().backward()
    same(there.grad, here.grad)


def test_out_gets_both(dev: torch.device) -> None:
    x = torch.randn(4, 6)
    values, indices = torch.empty(4, device=dev), torch.empty(4, dtype=torch.int64, device=dev)
    torch.max(x.to(dev), 1, out=(values, indices))
    assert torch.equal(values.cpu(), x.max(1).values)
    assert torch.equal(indices.cpu(), x.max(1).indices)


def test_the_kernel_is_not_asked_either(dev: torch.device) -> None:
    """As the probe asks: without the profile's limits."""
    result = torchfl.run_kernel(
        "xpu:rt", "rt_max_values", "aten::max.dim", torch.randn(2, 3).to(dev), dim=1, keepdim=False
    )
    assert (result.status, result.error) == ("INVALID_ARGUMENT", WHY)
