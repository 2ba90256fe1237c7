"""x1 with `memory: {mode: mapped}`: one side, nothing is copied, and the vendor's own call counts prove it."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from torch import nn

import torchfl
from core_helpers import MIB, sides
from helpers import Project
from helpers import torchfl as command
from torchfl import _loader
from torchfl.profile import load_profile

pytestmark = pytest.mark.device


@pytest.fixture(scope="module")
def mapped(x1_project: Project, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A chip folder whose profile is x1's with another memory mode; the chip library is x1's."""
    folder = tmp_path_factory.mktemp("mapped") / "x1"
    folder.mkdir()
    (folder / "x1_device.yaml").write_text(f"extends: {x1_project.profile}\nmemory: {{mode: mapped}}\n")
    return folder


@pytest.fixture(scope="module")
def device(mapped: Path) -> Iterator[torch.device]:
    before = [chip.profile.path.parent for chip in torchfl.chips()] if torchfl.is_initialized() else None
    torchfl.shutdown()
    torchfl.init([mapped])
    yield torchfl.device("xpu:x1")
    torchfl.shutdown()
    if before is not None:
        torchfl.init(before)


def vendor_copies() -> int:
    return torchfl.symbol_calls("xpu:x1")["x1_memcpy"]


@pytest.fixture(autouse=True)
def _nothing_crosses(device: torch.device) -> Iterator[None]:
    """In every test of this file: no copy between host and device, by our count and by the vendor's."""
    before = vendor_copies()
    yield
    counted = torchfl.copy_counters()
    assert (counted.h2d, counted.d2h) == (0, 0)
    assert vendor_copies() - before == counted.d2d


def test_the_profile_says_mapped_and_the_core_follows(mapped: Path) -> None:
    assert load_profile(mapped / "x1_device.yaml").memory.mode == "mapped"
    (info,) = _loader.loaded().chips()
    assert info["mapped"]


def test_a_chain_of_kernels_and_fallbacks_copies_only_what_the_user_moves(device: torch.device) -> None:
    cpu = torch.rand(64, 1000)
    x = cpu.to("xpu")
    assert torchfl.copy_counters().host_bytes == x.nbytes
    y = torch.relu(x)
    z = (y.sin().cos() + x).mul_(x)
    z[3].atan_()
    z[4].add_(x[5])
    w = torch.relu(z)
    assert {sides(t) for t in (x, y, z, w)} == {"HD"}
    assert (torchfl.copy_counters().host, torchfl.copy_counters().d2d) == (1, 0)
    counted = torchfl.counters()
    assert counted["aten::relu"].native == 2
    assert counted["aten::sin"].cpu == 1
    expected = (cpu.relu().sin().cos() + cpu).mul_(cpu)
    expected[3].atan_()
    expected[4].add_(cpu[5])
    assert torch.equal(w.cpu(), expected.relu())


def test_a_model_trains_without_a_copy(device: torch.device) -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 128, bias=False), nn.ReLU(), nn.Linear(128, 8, bias=False))
    twin = nn.Sequential(nn.Linear(64, 128, bias=False), nn.ReLU(), nn.Linear(128, 8, bias=False))
    twin.load_state_dict(model.state_dict())
    cpu = torch.randn(32, 64)
    model.to("xpu")
    x = cpu.to("xpu")
    torchfl.reset_counters()
    for net, data in ((model, x), (twin, cpu)):
        optimizer = torch.optim.SGD(net.parameters(), 0.05, momentum=0.9)
        for _ in range(3):
            optimizer.zero_grad()
            nn.functional.gelu(net(data)).square().mean().backward()
            optimizer.step()
    assert torchfl.counters()["aten::mm"].native > 0
    assert torchfl.counters()["aten::relu"].native > 0
    assert torchfl.copy_counters().host == 0
    for ours, theirs in zip(model.parameters(), twin.parameters(), strict=True):
        torch.testing.assert_close(ours.detach().cpu(), theirs.detach(), rtol=1e-3, atol=1e-5)


def test_results_of_cpu_kernels_lie_in_mapped_memory_and_go_back_to_the_pool(device: torch.device) -> None:
    gc.collect()
    torch.xpu.empty_cache()
    maps = torchfl.symbol_calls("xpu:x1")["x1_mem_map"]
    start = torch.xpu.memory_allocated()
    x = torch.rand(MIB).to("xpu")
    for _ in range(5):
        torch.relu(x.sin())
    assert torch.xpu.memory_allocated() - start == 4 * MIB
    assert torchfl.symbol_calls("xpu:x1")["x1_mem_map"] - maps <= 4
    del x
    torch.xpu.empty_cache()
    calls = torchfl.symbol_calls("xpu:x1")
    assert torch.xpu.memory_allocated() == start
    assert calls["x1_mem_map"] - calls["x1_mem_unmap"] == torchfl_live_blocks(start)


def torchfl_live_blocks(allocated: int) -> int:
    """Blocks that earlier tests left alive: none, or this file leaks."""
    assert allocated == 0
    return 0


def test_resizing_views_and_failures_keep_the_bytes(device: torch.device) -> None:
    t = torch.arange(8.0).to("xpu")
    t.resize_(5000)
    t[8:].fill_(2)
    assert torch.relu(t)[:9].cpu().tolist() == [*range(8), 2]
    out = torch.empty(0, device="xpu")
    torch.sin(t, out=out)
    assert torch.equal(torch.relu(out).cpu(), t.cpu().sin().relu())
    with pytest.raises(RuntimeError):
        t.view(100, 50).cholesky_inverse()
    assert torch.relu(t)[:9].cpu().tolist() == [*range(8), 2]
    assert torch.zeros(3, device="xpu").numpy(force=True).tolist() == [0, 0, 0]


def test_a_cpu_tensor_of_the_user_is_common_memory(device: torch.device) -> None:
    before = torch.xpu.memory_allocated()
    host = torch.randn(1000)
    assert torch.xpu.memory_allocated() == before
    back = host.to("xpu").cpu()
    assert torch.xpu.memory_allocated() == before
    assert torch.equal(back, host)


def test_values_survive_a_shutdown_and_work_afterwards(mapped: Path, device: torch.device) -> None:
    cpu = torch.rand(3000)
    t = torch.relu(cpu.to("xpu"))
    kept = t.sin()
    torchfl.shutdown()
    assert torch.equal(cpu.clone(), cpu)  # torch has its own allocator back
    torchfl.init([mapped])
    torchfl.reset_counters()
    assert torch.equal(torch.relu(kept).cpu(), cpu.sin())
    assert torch.equal(torch.relu(t).cpu(), cpu)


@pytest.mark.parametrize("arguments", [("probe",), ("conformance", "--level", "quick")], ids=["probe", "gate"])
def test_probe_and_gate_pass(mapped: Path, arguments: tuple[str, ...], tmp_path: Path) -> None:
    name, *options = arguments
    done = command(name, *options, "--device", "xpu:x1", "--chip-dir", mapped, cwd=tmp_path)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def test_a_chip_that_cannot_map_is_refused(x1_project: Project, tmp_path: Path) -> None:
    from core_helpers import SOURCE, fixture_dir

    folder = tmp_path / "fx"
    folder.mkdir()
    text = (SOURCE / "fx_device.yaml").read_text()
    (folder / "fx_device.yaml").write_text(
        text + f"memory: {{mode: mapped}}\nchip_library: {fixture_dir() / 'libfx_chip.so'}\n"
    )
    done = command(
        "doctor", "--chip-dir", folder, "--device", "xpu:fx", env={"FX_LIBRARY": str(fixture_dir() / "libfx_chip.so")}
    )
    assert "map_host" in done.stdout + done.stderr


def test_libraries_that_take_raw_memory_from_the_cpu_allocator(device: torch.device) -> None:
    a = torch.rand(17, 13).bfloat16()
    assert torch.equal(torch.mm(a.to("xpu"), a.t().to("xpu")).cpu(), torch.mm(a, a.t()))  # oneDNN's scratchpad


def test_dlpack_both_ways_shares_memory(device: torch.device) -> None:
    import numpy

    t = torch.arange(6.0).reshape(2, 3).to(device)
    for tensor in (t, t.relu(), t.t()[1:]):
        array = numpy.from_dlpack(tensor)
        assert array.tolist() == tensor.tolist()
        twin = torch.from_dlpack(tensor)
        assert twin.device.type == "cpu"
        assert twin.data_ptr() == array.__array_interface__["data"][0]
    array = numpy.from_dlpack(t)
    t.add_(t)  # the chip's kernel, after the export
    assert torchfl.counters()["aten::add_.Tensor"].native == 1
    torch.xpu.synchronize()
    assert array.tolist() == [[0, 2, 4], [6, 8, 10]]
    torch.from_dlpack(t).fill_(1)  # the host's write is the chip's next read
    assert (t + t).tolist() == [[2] * 3] * 2
    assert torch.utils.dlpack.to_dlpack(t) is not None
    assert torch.from_dlpack(numpy.ones(3, dtype="float32"), device="xpu").device == device
