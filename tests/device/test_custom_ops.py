"""Kernels that Python code registers for xpu through torch.library run for the device's tensors."""

from __future__ import annotations

import importlib

import pytest
import torch

import torchfl
from core_helpers import run_script

pytestmark = [pytest.mark.device, pytest.mark.usefixtures("fixture_chip")]


def test_a_custom_op_of_the_device_alone() -> None:
    @torch.library.custom_op("tfl_test::scaled", mutates_args=(), device_types="xpu")
    def scaled(a: torch.Tensor) -> torch.Tensor:
        return a.relu() * 3

    x = torch.ones(2, device="xpu")
    torchfl.reset_counters()
    assert scaled(x).tolist() == [3, 3]
    assert torchfl.counters()["aten::relu"].native == 1
    with pytest.raises(NotImplementedError):
        scaled(torch.ones(2))


def test_a_kernel_for_xpu_beside_the_one_for_every_device() -> None:
    """Without the device's key the other implementation would answer, and nobody would know."""

    @torch.library.custom_op("tfl_test::which", mutates_args=())
    def which(a: torch.Tensor) -> torch.Tensor:
        return a + 1

    which.register_kernel("xpu")(lambda a: a + 5)
    which.register_fake(torch.empty_like)
    which.register_autograd(lambda _, grad: grad * 7)
    assert which(torch.zeros(2)).tolist() == [1, 1]
    x = torch.zeros(2, device="xpu", requires_grad=True)
    assert which(x).tolist() == [5, 5]
    which(x).sum().backward()
    assert x.grad.tolist() == [7, 7]
    compiled = torch.compile(lambda a: which(a) * 2, backend="aot_eager", fullgraph=True)
    assert compiled(torch.zeros(2, device="xpu")).tolist() == [10, 10]


@pytest.mark.parametrize("form", ["key", "library", "device type"])
def test_a_kernel_by_library(form: str) -> None:
    name = f"of_{form.replace(' ', '_')}"
    made = torch.library.Library("tfl_test", "FRAGMENT")
    made.define(f"{name}(Tensor a) -> Tensor")
    made.impl(name, lambda a: a - 1, "CPU")
    if form == "key":
        made.impl(name, lambda a: a + 7, "XPU")
    elif form == "library":
        other = torch.library.Library("tfl_test", "IMPL", "XPU")
        other.impl(name, lambda a: a + 7)
    else:
        torch.library.impl(f"tfl_test::{name}", "xpu")(lambda a: a + 7)
    op = getattr(torch.ops.tfl_test, name)
    assert op(torch.zeros(1, device="xpu")).tolist() == [7]
    assert op(torch.zeros(1)).tolist() == [-1]


def test_a_kernel_for_our_own_key_is_not_in_the_way_of_one_for_xpu() -> None:
    """As torch itself registers FSDP's ops, for every backend one after another."""
    for order in (("XPU", "PrivateUse1"), ("PrivateUse1", "XPU")):
        with torch.library._scoped_library("tfl_twice", "FRAGMENT") as made:
            made.define("op(Tensor a) -> Tensor")
            for key in order:
                made.impl("op", lambda a, key=key: a + len(key), key)
            assert torch.ops.tfl_twice.op(torch.zeros(1, device="xpu")).tolist() == [len("PrivateUse1")]
        with torch.library._scoped_library("tfl_twice", "FRAGMENT") as made:  # the first one's twin is gone
            made.define("op(Tensor a) -> Tensor")
            made.impl("op", lambda a: a + 1, "XPU")
            assert torch.ops.tfl_twice.op(torch.zeros(1, device="xpu")).tolist() == [1]
    importlib.import_module("torch.distributed.fsdp")


EARLY = """
import os, torch, torchfl
@torch.library.custom_op("tfl_test::early", mutates_args=())
def early(a: torch.Tensor) -> torch.Tensor:
    return a + 1
early.register_kernel("xpu")(lambda a: a + 5)
made = torch.library.Library("tfl_test", "FRAGMENT")
made.define("plain.of_two(Tensor a, Tensor b) -> Tensor")
made.impl("plain.of_two", lambda a, b: a + b + 7, "XPU")
impl = torch.library.Library.impl
torchfl.init([os.environ["FX_DIR"]])
x = torch.zeros(1, device="xpu")
print(early(x).item(), early(torch.zeros(1)).item(), torch.ops.tfl_test.plain.of_two(x, b=x).item())
torchfl.shutdown()
assert torch.library.Library.impl is impl
"""


def test_kernels_registered_before_init() -> None:
    done = run_script(EARLY)
    assert done.stdout == "5.0 1.0 7.0\n", done.stderr
