"""torch.compile, fake tensors and tracing: CPU code as before, device graphs through the router."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from torch import nn

import torchfl
from core_helpers import only_fixture_chip, run_script

# Tracing uses torch.jit's decorators inside torch.
pytestmark = [pytest.mark.device, pytest.mark.filterwarnings("ignore::DeprecationWarning")]


@pytest.fixture(scope="module", autouse=True)
def _chip() -> Iterator[None]:
    with only_fixture_chip():
        yield
    torch._dynamo.reset()


def net() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
def test_a_compiled_training_step_equals_the_cpu_and_runs_the_chips_kernel(backend: str) -> None:
    torch._dynamo.reset()
    x = torch.randn(3, 4)
    cpu, there = net(), net().to("xpu")
    cpu(x).square().sum().backward()
    compiled = torch.compile(there, backend=backend, fullgraph=True)
    before = torchfl.counters().get("aten::relu")
    out = compiled(x.to("xpu"))
    assert out.device == torch.device("xpu", 0)
    out.square().sum().backward()
    assert torchfl.counters()["aten::relu"].native > (before.native if before else 0)
    for a, b in zip(cpu.parameters(), there.parameters(), strict=True):
        torch.testing.assert_close(b.grad.cpu(), a.grad)


def test_factories_autocast_and_devices_inside_a_graph() -> None:
    torch._dynamo.reset()

    def f(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        if a.device.type != "xpu" or not a.is_xpu:
            return a, a
        with torch.autocast("xpu", dtype=torch.bfloat16):
            product = a @ a
        return a + torch.ones(2, 2, device="xpu") + torch.ones(2, 2, device=a.device), product

    sums, product = torch.compile(f, backend="aot_eager", fullgraph=True)(torch.ones(2, 2, device="xpu"))
    assert sums.tolist() == [[3, 3], [3, 3]]
    assert product.dtype == torch.bfloat16
    assert product.device == sums.device == torch.device("xpu:0")


def test_fake_tensors_and_traced_graphs_have_one_device() -> None:
    from torch._subclasses import FakeTensorMode
    from torch.fx.experimental.proxy_tensor import make_fx

    with FakeTensorMode() as mode:
        a, b = torch.ones(2, 3, device="xpu"), torch.ones(3, 2, device="xpu:0")
        assert (a @ b).device == torch.device("xpu", 0)
        assert (a.to("xpu:0") + mode.from_tensor(torch.ones(2, 3)).to("xpu")).is_xpu
    moved = torch.ones(2, device="xpu")
    graph = make_fx(lambda t: t.relu() + torch.zeros(2, device="xpu"))(moved)
    assert graph(moved).tolist() == [1, 1]
    graph = make_fx(lambda t: t.relu() + torch.zeros(2, device="xpu"), tracing_mode="fake")(moved)
    assert graph(moved).tolist() == [1, 1]


def test_export_keeps_the_device() -> None:
    program = torch.export.export(net().to("xpu"), (torch.ones(3, 4, device="xpu"),))
    out = program.module()(torch.ones(3, 4, device="xpu"))
    assert str(out.device) == "xpu:0"


def test_cpu_graphs_are_inductors_as_before() -> None:
    done = run_script(
        """
import os, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # torch's own, where inductor is imported
import torch, torchfl
from torchfl.identity import compiling
torchfl.init([os.environ["FX_DIR"]])
def refuse(*_): raise AssertionError("a CPU graph came to torchfl")
compiling.backend = refuse
seen = []
import torch._inductor.compile_fx as fx
original = fx.compile_fx
def spy(gm, inputs, **k): seen.append(1); return gm.forward
fx.compile_fx = spy
assert torch.compile(lambda a: a.sin() + 1)(torch.zeros(2)).tolist() == [1, 1] and seen == [1]
print("done")
"""
    )
    assert done.stdout == "done\n", done.stderr


FLEX = """
import os, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # torch's own, where inductor is imported
import torch, torchfl
from torch.nn.attention.flex_attention import flex_attention
if {early}: import torch._inductor.kernel.flex.flex_cpu
torchfl.init([os.environ["FX_DIR"]])
from torch._inductor.kernel.flex import flex_cpu
asked = flex_cpu.check_cpu_supported()
torchfl.shutdown()
assert asked == flex_cpu.check_cpu_supported()  # what torch says without a device
if not {early} and asked:
    torchfl.init([os.environ["FX_DIR"]])
    q = torch.randn(1, 1, 64, 16)
    expected = torch.nn.functional.scaled_dot_product_attention(q, q, q)
    torch.testing.assert_close(torch.compile(flex_attention)(q, q, q), expected)
print("done")
"""


@pytest.mark.parametrize("early", [True, False])
def test_flex_attention_on_the_cpu_is_inductors_as_before(early: bool) -> None:
    done = run_script(FLEX.format(early=early))
    assert done.stdout == "done\n", done.stderr


@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")
def test_flex_attention_on_the_device_equals_the_cpu() -> None:
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    q, k, v = torch.randn(3, 1, 2, 128, 16)
    expected = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    mask = create_block_mask(causal, None, None, 128, 128, device="xpu")
    for attention in (flex_attention, torch.compile(flex_attention)):
        out = attention(q.to("xpu"), k.to("xpu"), v.to("xpu"), block_mask=mask)
        assert out.device == torch.device("xpu", 0)
        torch.testing.assert_close(out.cpu(), expected)


def causal(batch: int, head: int, query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
    return query >= key
