"""Indices that point outside: what PyTorch refuses does not reach a kernel, unless the profile says that it checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

import torchfl
from router_helpers import counts
from whole_chip_helpers import Kernels, only_whole_chip

pytestmark = pytest.mark.device

ROWS = 5
TABLE = torch.arange(ROWS * 3, dtype=torch.float32).reshape(ROWS, 3)
Call = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
CALLS: dict[str, Call] = {
    "aten::embedding": lambda table, index: torch.embedding(table, index),
    "aten::index_select": lambda table, index: table.index_select(0, index),
    "aten::gather": lambda table, index: table.gather(-2, index[:, None]),
    "aten::scatter.src": lambda table, index: table.scatter(0, index[:, None], torch.ones(3, 1, device=table.device)),
    "aten::scatter_.src": lambda table, index: table.clone().scatter_(
        0, index[:, None], torch.ones(3, 1, device=table.device)
    ),
}


@pytest.fixture(scope="module")
def kernels() -> Iterator[Kernels]:
    with only_whole_chip() as found:
        yield found


def raised(call: Callable[[], Any]) -> tuple[type[Exception], str]:
    with pytest.raises((IndexError, RuntimeError)) as caught:
        call()
    return type(caught.value), str(caught.value).splitlines()[0]


@pytest.mark.parametrize("outside", [ROWS, -1, 1 << 40])
@pytest.mark.parametrize("op", CALLS)
def test_pytorch_s_own_error_comes_before_the_kernel(kernels: Kernels, op: str, outside: int) -> None:
    index, device = torch.tensor([0, outside, 2]), torchfl.device("xpu:wc")
    expected = raised(lambda: CALLS[op](TABLE, index))
    kernels.broken.clear()
    torchfl.reset_counters()
    assert raised(lambda: CALLS[op](TABLE.to(device), index.to(device))) == expected
    assert kernels.broken == []
    assert counts(op) == {"cpu": 1}
    assert [r.reason for r in torchfl.fallback_reasons() if r.op == op] == [
        "an index is outside the dimension that it indexes"
    ]


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
@pytest.mark.parametrize("op", ["aten::embedding", "aten::index_select"])
def test_an_index_that_only_the_device_has_is_looked_at(kernels: Kernels, op: str, dtype: torch.dtype) -> None:
    device = torchfl.device("xpu:wc")
    index = torch.tensor([0, ROWS - 1, 2], dtype=dtype).to(device)
    torchfl.reset_counters()
    inside, outside = index.maximum(index), index.add(1)  # by the chip's kernels
    assert counts("aten::maximum")["native"] == counts("aten::add.Tensor")["native"] == 1
    assert torch.equal(CALLS[op](TABLE.to(device), inside).cpu(), CALLS[op](TABLE, torch.tensor([0, ROWS - 1, 2])))
    assert (counts(op)["native"], counts(op).get("cpu", 0)) == (1, 0)
    assert raised(lambda: CALLS[op](TABLE.to(device), outside)) == raised(
        lambda: CALLS[op](TABLE, torch.tensor([1, ROWS, 3], dtype=dtype))
    )
    assert (counts(op)["native"], counts(op)["cpu"]) == (1, 1)
    assert kernels.broken == []


@pytest.mark.parametrize(
    "view", [lambda i: i[::2], lambda i: i[0].expand(3), lambda i: i[1:4]], ids=["strided", "expanded", "offset"]
)
def test_only_the_index_s_own_values_count(kernels: Kernels, view: Callable[[torch.Tensor], torch.Tensor]) -> None:
    index, device = torch.tensor([0, 2, 1, 3, 4]), torchfl.device("xpu:wc")
    around = torch.full((12,), 99)
    around[2:12:2] = index
    placed = around.to(device)[2:12:2]
    torchfl.reset_counters()
    assert torch.equal(TABLE.to(device).index_select(0, view(placed)).cpu(), TABLE.index_select(0, view(index)))
    assert (counts("aten::index_select")["native"], counts("aten::index_select").get("cpu", 0)) == (1, 0)


def test_no_layer_of_the_policy_is_asked_about_a_wrong_index() -> None:
    with only_whole_chip(policy="error") as kernels:
        device = torchfl.device("xpu:wc")
        index = torch.tensor([ROWS])
        expected = raised(lambda: TABLE.index_select(0, index))
        assert raised(lambda: TABLE.to(device).index_select(0, index.to(device))) == expected
        assert kernels.broken == []


@pytest.mark.parametrize("op", CALLS)
def test_a_kernel_of_which_the_profile_says_that_it_checks_gets_the_call(op: str) -> None:
    with only_whole_chip(checks_index=True) as kernels:
        device = torchfl.device("xpu:wc")
        index = torch.tensor([0, ROWS, 2])
        raised(lambda: CALLS[op](TABLE.to(device), index.to(device)))
        assert [text.split(": ")[1] in ("IndexError", "RuntimeError") for text in kernels.broken] == [True]
        assert counts(op)["declined"] == 1
