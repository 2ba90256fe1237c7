"""Results lie in memory as the CPU's do, those of images in every order too; `addr` alone does not (docs/limits.md)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
import torch
from torch.nn import functional

import torchfl
from adapter_helpers import only_adapter_chip
from helpers import ROOT
from router_helpers import counts, same, whole
from whole_chip_helpers import only_whole_chip

pytestmark = pytest.mark.device

LAST = torch.channels_last
SIZES = ((2, 4, 6, 6), (2, 1, 6, 6), (2, 4, 1, 1), (1, 4, 3, 5))

#: The same images in other orders of memory.
ORDERS = {
    "NCHW": lambda t: t.contiguous(),
    "NHWC": lambda t: t.contiguous(memory_format=LAST),
    "NCWH": lambda t: t.transpose(2, 3).contiguous().transpose(2, 3),
    "CHWN": lambda t: t.permute(1, 2, 3, 0).contiguous().permute(3, 0, 1, 2),
    "some channels of NHWC": lambda t: torch.cat([t, t], 1).contiguous(memory_format=LAST)[:, : t.shape[1]],
    "all columns but one": lambda t: torch.cat([t, t[..., :1]], 3)[..., 1:],
}
ONE: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "relu": torch.relu,
    "max_pool2d": lambda a: functional.max_pool2d(a, 1),
    "avg_pool2d": lambda a: functional.avg_pool2d(a, (1, a.shape[3]), 1),
    "adaptive_avg_pool2d": lambda a: functional.adaptive_avg_pool2d(a, (1, a.shape[3])),
    "batch_norm": lambda a: functional.batch_norm(
        a, torch.zeros(a.shape[1], device=a.device), torch.ones(a.shape[1], device=a.device)
    ),
    "group_norm": lambda a: functional.group_norm(a, 1),
    "layer_norm": lambda a: functional.layer_norm(a, a.shape[1:]),
    "softmax": lambda a: torch.softmax(a, 1),
    "amax": lambda a: a.amax(1, keepdim=True),
    "mean": lambda a: a.mean((2, 3), keepdim=True),
    "cumsum": lambda a: a.cumsum(1),
    "interpolate": lambda a: functional.interpolate(a, scale_factor=2),
}
TWO: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "add": torch.add,
    "where": lambda a, b: torch.where(a > 0, a, b),
    "cat of channels": lambda a, b: torch.cat([a, b], 1),
    "cat of images": lambda a, b: torch.cat([a, b], 0),
    "conv2d": lambda a, b: functional.conv2d(a, torch.cat([b, b])[:2, :, :3, :3], padding=1),
}


@pytest.fixture(scope="module", params=["whole", "adapters", "adapters that permute"])
def dev(request: pytest.FixtureRequest) -> Iterator[torch.device]:
    """A chip that computes every op NCHW, one that takes images NHWC alone, and one that also turns them itself."""
    with ExitStack() as stack:
        if request.param == "whole":
            kernels = stack.enter_context(only_whole_chip())
            yield torchfl.device("xpu:wc")
            assert kernels.broken == []
        else:
            yield stack.enter_context(only_adapter_chip(order=request.param != "adapters"))


def placed(t: torch.Tensor, device: torch.device) -> torch.Tensor:
    """The tensor as it lies, on the device."""
    base = t if t._base is None else t._base
    copy = torch.empty_strided(base.shape, base.stride(), device=device).copy_(base)
    return copy.as_strided(t.shape, t.stride(), t.storage_offset())


def lies_as(actual: torch.Tensor, expected: torch.Tensor, *, exact: bool = True) -> None:
    """The same tensor, to the strides of dimensions of one element: by them images of one channel are channels-last."""
    same(actual, expected, exact=exact)
    assert actual.stride() == expected.stride()


@pytest.mark.parametrize("op", ONE.values(), ids=ONE)
def test_images_in_every_order(dev: torch.device, op: Callable[[torch.Tensor], torch.Tensor]) -> None:
    for sizes, order in itertools.product(SIZES, ORDERS.values()):
        x = order(whole(*sizes))
        lies_as(op(placed(x, dev)), op(x), exact=False)


@pytest.mark.parametrize("op", TWO.values(), ids=TWO)
def test_two_images_each_in_every_order(
    dev: torch.device, op: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
) -> None:
    for sizes, first, second in itertools.product(SIZES, ORDERS.values(), ORDERS.values()):
        x, y = first(whole(*sizes)), second(whole(*sizes))
        lies_as(op(placed(x, dev), placed(y, dev)), op(x, y))


@pytest.mark.parametrize("turned", [False, True])
def test_addr_gives_the_cpu_s_numbers_in_rows(turned: bool) -> None:
    """Onto a matrix that lies transposed the CPU's result lies transposed."""
    m, u, v = whole(5, 7), whole(7), whole(5)
    m = m.t() if turned else m.t().contiguous()
    expected = torch.addr(m, u, v)
    assert expected.stride() == ((1, 7) if turned else (5, 1))
    with only_whole_chip():
        device = torchfl.device("xpu:wc")
        torchfl.reset_counters()
        for result in (torch.addr(placed(m, device), u.to(device), v.to(device)),
                       placed(m, device).addr(u.to(device), v.to(device), beta=1)):  # fmt: skip
            assert torch.equal(result.cpu(), expected)
            assert result.stride() == (5, 1)
        assert counts("aten::addr")["native"] == 2
        inplace = placed(m, device)
        lies_as(inplace.addr_(u.to(device), v.to(device)), expected)  # a destination lies as it did
    assert "`addr` onto a matrix that lies transposed gives" in (ROOT / "docs" / "limits.md").read_text()
