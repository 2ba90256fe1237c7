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


BACKENDS = ["eager", "aot_eager", "inductor"]


@pytest.mark.parametrize("backend", BACKENDS)
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


@pytest.mark.parametrize("mode", ["default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs"])
def test_every_mode_runs_the_chips_kernel_once_for_each_call(mode: str) -> None:
    torch._dynamo.reset()
    compiled = torch.compile(lambda a: (a * 2).relu() + 1, mode=mode, fullgraph=True)
    x = torch.ones(3, device="xpu")
    compiled(x)
    torchfl.reset_counters()
    assert compiled(x).tolist() == [3, 3, 3]
    assert torchfl.counters()["aten::relu"].native == 1


@pytest.mark.parametrize("backend", BACKENDS)
def test_graph_breaks_and_changing_sizes(backend: str) -> None:
    torch._dynamo.reset()

    def f(a: torch.Tensor) -> torch.Tensor:
        b = a.relu()
        if b.sum() > 3:  # reads a number in the middle
            return b * 2
        return b - 1

    compiled = torch.compile(f, backend=backend)
    torchfl.reset_counters()
    for n in (2, 3, 5, 9):
        assert compiled(torch.ones(n, device="xpu")).tolist() == [2.0 if n > 3 else 0.0] * n
    assert torchfl.counters()["aten::relu"].native == 4


def test_random_numbers_optimizers_and_changed_inputs() -> None:
    torch._dynamo.reset()
    x = torch.ones(64, device="xpu")
    dropped = torch.compile(lambda a: nn.functional.dropout(a, 0.5), fullgraph=True)
    draws = []
    for function in (nn.functional.dropout, dropped, dropped):
        torch.manual_seed(1)
        draws.append(function(x).cpu())
    assert torch.equal(draws[0], draws[1])
    assert torch.equal(draws[1], draws[2])
    assert not torch.equal(draws[2], dropped(x).cpu())
    torch.compile(lambda a: a.add_(1), fullgraph=True)(x)
    assert x[0].item() == 2
    steps = []
    for compiled in (False, True):
        model = net().to("xpu")
        optimizer = torch.optim.AdamW(model.parameters())
        model(torch.ones(1, 4, device="xpu")).sum().backward()
        step = torch.compile(optimizer.step) if compiled else optimizer.step
        step()
        step()
        steps.append([p.detach().cpu() for p in model.parameters()])
    torch.testing.assert_close(steps[1], steps[0])


STREAMS = """
import os, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # torch's own, where inductor is imported
import torch, torchfl
if {early}:
    import torch._dynamo
    torch.compile(lambda a: a + 1, backend="eager")(torch.ones(1))
torchfl.init([os.environ["FX_DIR"]])
outside, mark = torch.xpu.Stream(), torch.xpu.Event(enable_timing=True)
def inside(a):
    s, e = torch.xpu.Stream(), torch.xpu.Event()
    with torch.xpu.stream(s):
        b = a.relu()
        e.record(s)
    torch.xpu.current_stream().wait_event(e)
    torch.xpu.current_stream().wait_stream(s)
    e.synchronize()
    return b
def given(a):
    with torch.xpu.stream(outside):
        b = a.relu()
    mark.record(outside)
    mark.wait()
    return b
def recorded(a):
    e = torch.xpu.current_stream().record_event()
    torch.xpu.synchronize()
    return a.relu()
def asked(a):
    there = torch.xpu.is_available() and torch.xpu.is_initialized() and torch.accelerator.is_available()
    with torch.xpu.device(0):
        b = a.to(torch.accelerator.current_accelerator()).relu()
    return b + torch.xpu.current_device() if there else b
x = torch.ones(2, device="xpu")
for backend in ("eager", "aot_eager", "inductor"):
    for f in (inside, given, recorded, asked):
        torch._dynamo.reset()
        torchfl.reset_counters()
        assert torch.compile(f, backend=backend, fullgraph=f is not recorded)(x).tolist() == [1, 1], (backend, f)
        assert torchfl.counters()["aten::relu"].native == 1, (backend, f)
torchfl.shutdown()
torch._dynamo.reset()
asked = torch.compile(lambda a: a + torch.xpu.is_available(), backend="eager", fullgraph=True)
assert asked(torch.zeros(1)).item() == 0
from torch._dynamo.variables import ctx_manager, streams, torch as known, user_defined
from torch._dynamo import device_interface
for held in (ctx_manager.XPUDeviceVariable._exchange_fn, streams.XpuStreamVariable._cpython_type,
             *streams._stream_fn_to_variable_cls, *ctx_manager._device_context_manager_map,
             *known.constant_fold_functions, device_interface.XpuInterface.Event):
    assert not held.__module__.startswith("torchfl"), held
print("done")
"""


@pytest.mark.parametrize("early", [True, False])
def test_streams_events_and_questions_inside_a_graph_whenever_dynamo_was_imported(early: bool) -> None:
    done = run_script(STREAMS.format(early=early))
    assert done.stdout == "done\n", done.stderr


AOT = """
import os, sys, tempfile, warnings
warnings.simplefilter("ignore")
import torch, torchfl
if {early}: import torch._inductor.compile_fx
torchfl.init([os.environ["FX_DIR"]])
model, x = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU()), torch.ones(1, 2)
def compiled(where):
    program = torch.export.export(model.to(where), (x.to(where),))
    path = torch._inductor.aoti_compile_and_package(program, package_path=tempfile.mkdtemp() + "/m.pt2")
    return torch._inductor.aoti_load_package(path)
torch.testing.assert_close(compiled("cpu")(x), model(x))
try: compiled("xpu")
except NotImplementedError as error: print(error)
torchfl.shutdown()
assert not torch._inductor.compile_fx.compile_fx_aot.__code__.co_filename.endswith("compiling.py")
"""


@pytest.mark.parametrize("early", [True, False])
def test_aot_inductor_compiles_for_the_cpu_and_refuses_the_device(early: bool) -> None:
    done = run_script(AOT.format(early=early))
    said = "AOTInductor generates no code for a chip: save the program with torch.export.save(), and run its module()"
    assert done.stdout.startswith(said), done.stderr
    assert done.stdout.count("\n") == 1


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
