"""What x1's partial coverage costs in copies, against the least that the run's own trace allows."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

import torchfl

pytestmark = pytest.mark.device


#: Factories that take a tensor for its shape and read none of its values.
_SHAPE_ONLY = (torch.ops.aten.ones_like.default, torch.ops.aten.zeros_like.default, torch.ops.aten.empty_like.default)


class Trace(TorchDispatchMode):
    """Which storage each op read and wrote, and on which side it ran.

    A version is what one write left in a storage. It exists where the op that wrote it ran; versions from before the
    trace exist on the host. One that is read on the other side has to cross once, whole; that is the minimum. x1's
    element-wise kernels take operands of the result's size: a scalar or a repeated operand crosses at that size.
    """

    def __init__(self) -> None:
        super().__init__()
        self.version: dict[int, int] = defaultdict(int)
        self.made_on: dict[tuple[int, int], str] = {}
        self.crossed: dict[tuple[int, int], int] = {}
        self.directions = {"h2d": 0, "d2h": 0}
        self.alive: list[Any] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        native, cpu = _layers()
        out = func(*args, **kwargs)
        native, cpu = (now - before for now, before in zip(_layers(), (native, cpu), strict=True))
        if native == cpu == 0:
            return out  # a view, or a copy to the user
        side = "device" if native else "host"
        written = {
            id(value)
            for declared, value in zip(func._schema.arguments, [*args, *kwargs.values()], strict=False)
            if declared.alias_info is not None and declared.alias_info.is_write
        }
        inputs = [t for t in tree_leaves((args, kwargs)) if _ours(t)]
        for declared, value in zip(func._schema.arguments, [*args, *kwargs.values()], strict=False):
            if native and declared.name in ("self", "other") and _is_spread(func, value, out):
                self.crossed[-1, len(self.crossed)] = out.nbytes
                self.directions["h2d"] += out.nbytes
                if _ours(value):
                    self.read(value, "host")
            elif _ours(value) and func not in _SHAPE_ONLY:
                self.read(value, side)
        for t in inputs:
            if id(t) in written:
                self.write(t, side)
        known = {t.untyped_storage()._cdata for t in inputs}
        for t in tree_leaves(out):
            if _ours(t) and t.untyped_storage()._cdata not in known:
                self.write(t, side)
        return out

    def read(self, t: torch.Tensor, side: str) -> None:
        storage = t.untyped_storage()
        self.alive.append(storage)
        version = storage._cdata, self.version[storage._cdata]
        if self.made_on.get(version, "host") != side and version not in self.crossed:
            self.crossed[version] = storage.nbytes()
            self.directions["h2d" if side == "device" else "d2h"] += storage.nbytes()

    def write(self, t: torch.Tensor, side: str) -> None:
        storage = t.untyped_storage()
        self.alive.append(storage)
        self.version[storage._cdata] += 1
        self.made_on[storage._cdata, self.version[storage._cdata]] = side


def _is_spread(func: Any, value: Any, out: torch.Tensor) -> bool:
    """Whether an operand of an element-wise kernel has fewer elements in memory than the result."""
    if func in (torch.ops.aten.mm.default, torch.ops.aten.addmm.default):
        return False
    if not isinstance(value, torch.Tensor):
        return isinstance(value, int | float)
    return value.numel() < out.numel() or (value.shape == out.shape and 0 in value.stride())


def _ours(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_fl


def _layers() -> tuple[int, int]:
    counted = torchfl.counters().values()
    return sum(c.native for c in counted), sum(c.cpu for c in counted)


@pytest.fixture
def least(device: torch.device) -> Callable[[Callable[[], Any]], Trace]:
    """Runs a function, compares what moved with the minimum of its trace, and gives the trace."""

    def run(function: Callable[[], Any]) -> Trace:
        torchfl.reset_counters()
        with Trace() as trace:
            function()
        counted = torchfl.copy_counters()
        assert (counted.h2d_bytes, counted.d2h_bytes) == (trace.directions["h2d"], trace.directions["d2h"])
        assert counted.h2d + counted.d2h == len(trace.crossed)
        return trace

    return run


def test_a_chain_of_kernels_and_fallbacks_moves_the_minimum(least: Callable[..., Trace]) -> None:
    x = torch.rand(64, 1024).to("xpu")

    def chain() -> None:
        y = torch.relu(x)  # native
        y = y.sin().cos().tan()  # not x1's
        y = torch.relu(y) + x  # native
        y.mul_(y)  # native, in place
        y.atan_()  # not x1's
        torch.relu(y).erf()

    trace = least(chain)
    tensor = 64 * 1024 * 4
    assert trace.directions == {"h2d": 3 * tensor, "d2h": 3 * tensor}


def test_an_mlp_forward_and_backward_moves_the_minimum(least: Callable[..., Trace]) -> None:
    torch.manual_seed(0)
    widths = (256, 384, 384, 16)
    layers = [nn.Linear(a, b, bias=False) for a, b in itertools.pairwise(widths)]
    model = nn.Sequential(layers[0], nn.ReLU(), layers[1], nn.ReLU(), layers[2])
    expected = [p.detach().clone().requires_grad_() for p in model.parameters()]
    cpu = torch.randn(64, 256)
    model.to("xpu")
    x = cpu.to("xpu")

    def step() -> None:
        nn.functional.gelu(model(x)).square().mean().backward()

    trace = least(step)
    assert trace.directions["h2d"] > 0 < trace.directions["d2h"]
    h = cpu
    for weight in expected[:-1]:
        h = torch.relu(h @ weight.t())
    nn.functional.gelu(h @ expected[-1].t()).square().mean().backward()
    for got, want in zip(model.parameters(), expected, strict=True):
        torch.testing.assert_close(got.grad.cpu(), want.grad, rtol=1e-3, atol=1e-5)
