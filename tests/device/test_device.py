"""Chips, device indices, lazy start, and torch.xpu / torch.accelerator."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import torch

import torchfl
from core_helpers import controls, fixture_dir, run_script
from torchfl import _loader, device_module
from torchfl.errors import TorchflError

pytestmark = [pytest.mark.device, pytest.mark.usefixtures("fixture_chip")]


def test_init_makes_no_driver_call_and_the_first_use_does() -> None:
    done = run_script(
        """
import os, torch, torchfl
from torchfl import _loader
torchfl.init([os.environ["FX_DIR"]])
core = _loader.loaded()
torch.manual_seed(3)
torch.randn(3, requires_grad=True).sum()
assert torchfl.is_initialized() and not core.devices_started()
assert torchfl.symbol_calls("xpu:fx")["fx_init"] == 0
(chip,) = torchfl.chips()
assert (chip.selector, chip.num_devices, chip.error) == ("xpu:fx", 0, "")
assert torch.xpu.device_count() == 2
assert core.devices_started() and torchfl.symbol_calls("xpu:fx")["fx_init"] == 1
assert torchfl.chips()[0].num_devices == 2
torch.manual_seed(3)
a = torch.randn(4, device="xpu")
torch.xpu.manual_seed_all(3)
assert torch.equal(a.cpu(), torch.randn(4, device="xpu").cpu())
print("done")
"""
    )
    assert (done.stdout, done.stderr) == ("done\n", "")


@pytest.mark.parametrize("order", ["import torch, torchfl", "import torchfl, torch", "import torchfl"])
def test_init_in_any_order_twice_and_after_the_accelerator_was_asked(order: str) -> None:
    done = run_script(
        f"""
import os
{order}
directory = [os.environ["FX_DIR"]]
if "torch" in globals():
    assert torch.accelerator.is_available() is False
torchfl.init(directory)
torchfl.init(directory)
import torch
assert str(torch.accelerator.current_accelerator()) == "xpu"
assert torch.accelerator.is_available() and torch.accelerator.device_count() == 2
assert not torch.cuda.is_available()
torchfl.shutdown()
torchfl.shutdown()
assert not torchfl.is_initialized() and not torch.accelerator.is_available()
torchfl.init(directory)
assert torch.ones(2, device="xpu").sum().item() == 2
print("done")
"""
    )
    assert (done.stdout, done.stderr) == ("done\n", "")


def test_values_survive_a_shutdown() -> None:
    done = run_script(
        """
import ctypes, os, torch, torchfl
directory = [os.environ["FX_DIR"]]
torchfl.init(directory)
cpu = torch.randn(100)
kept = torch.relu(cpu.to("xpu"))
torchfl.shutdown()
library = ctypes.CDLL(os.environ["FX_LIBRARY"])
assert library.fx_finalize_calls() == 1 and library.fx_bytes_in_use() == 0
assert torch.xpu.is_available() is False
torchfl.init(directory)
assert torch.equal(kept.cpu(), cpu.relu())
assert torch.equal(torch.relu(kept).cpu(), cpu.relu())
print("done")
"""
    )
    assert (done.stdout, done.stderr) == ("done\n", "")


def test_selectors_give_devices_and_errors_say_why() -> None:
    assert torchfl.device("xpu:fx") == torch.device("xpu", 0)
    assert torchfl.device("xpu:fx:1") == torch.device("xpu", 1)
    for selector, code, text in (
        ("xpu:fx:2", "TFL0610", "2 device"),
        ("xpu:fy", "TFL0203", "did you mean xpu:fx?"),
        ("fx", "TFL0205", "family:chip"),
    ):
        with pytest.raises(TorchflError, match=text) as caught:
            torchfl.device(selector)
        assert caught.value.problems[0].code == code
    with pytest.raises(RuntimeError, match=r"device index 5 is out of range: there are 2 device"):
        torch.empty(1, device="xpu:5")
    with pytest.raises(RuntimeError, match="out of range"):
        torch.xpu.set_device(9)


def test_current_device_is_per_thread_and_reaches_the_driver() -> None:
    import threading

    torch.xpu.set_device("xpu:1")
    try:
        assert torch.xpu.current_device() == torch.accelerator.current_device_index() == 1
        assert controls().fx_current_device() == 1
        other: list[int] = []
        thread = threading.Thread(target=lambda: other.append(torch.xpu.current_device()))
        thread.start()
        thread.join()
        assert other == [0]
    finally:
        torch.xpu.set_device(0)
    with torch.xpu.device("xpu:1"):
        assert torch.xpu.current_device() == 1
    with torch.xpu.device_of(torch.ones(1, device="xpu:1")):
        assert torch.xpu.current_device() == 1
    assert torch.xpu.current_device() == 0


def test_torch_xpu_and_accelerator_answer() -> None:
    assert torch.xpu.is_available()
    assert torch.xpu.is_initialized()
    assert torch.xpu.device_count() == torch.accelerator.device_count() == 2
    assert not torch.xpu._is_compiled()
    assert torch.xpu.get_device_name(1) == "Fixture 1"
    properties = torch.xpu.get_device_properties("xpu:1")
    assert (properties.name, properties.vendor, properties.platform_name) == ("Fixture 1", "torchfl", "Fixture")
    assert properties.total_memory == torch.xpu.mem_get_info()[1] == 1 << 40
    assert torch.xpu.get_device_capability()["has_fp16"] is False
    assert torch.xpu.is_bf16_supported()
    assert not torch.xpu.is_bf16_supported(including_emulation=False)
    assert not torch.xpu.is_current_stream_capturing()
    torch.xpu.synchronize()
    torch.accelerator.synchronize()
    assert torch.accelerator.memory_allocated() == torch.xpu.memory_allocated()
    assert torch.xpu.memory_stats()["allocated_bytes.all.current"] == torch.xpu.memory_allocated()
    assert set(device_module.get_amp_supported_dtype()) == {torch.float16, torch.bfloat16}


def test_streams_and_events() -> None:
    stream = torch.xpu.Stream()
    with torch.xpu.stream(stream):
        x = torch.relu(torch.ones(10, device="xpu"))
    stream.synchronize()
    assert stream.query()
    start, end = torch.xpu.Event(enable_timing=True), torch.xpu.Event(enable_timing=True)
    start.record()
    torch.relu(x)
    end.record(stream)
    end.synchronize()
    torch.xpu.current_stream().wait_event(end)
    assert 0 < start.elapsed_time(end) < 60_000
    assert isinstance(end, torch.xpu.Event)
    assert torch.xpu.current_stream(1).device == torch.device("xpu", 1)


def test_symbols_count_and_can_be_made_to_do_nothing() -> None:
    x = torch.full((4,), -3.0).to("xpu")
    before = torchfl.symbol_calls("xpu:fx")["fx_relu"]
    assert torch.relu(x).cpu().tolist() == [0, 0, 0, 0]
    with torchfl.noop_symbols("xpu:fx:0", ["fx_relu"]):
        poisoned = torch.full((4,), 77.0).to("xpu")
        _loader.loaded().move_to(poisoned, True)
        poisoned.relu_()
        assert poisoned.cpu().tolist() == [77] * 4
    assert torch.relu(x).cpu().tolist() == [0, 0, 0, 0]
    assert torchfl.symbol_calls("xpu:fx")["fx_relu"] == before + 3
    with (
        pytest.raises(TorchflError, match="no symbol 'fx_rely'; fix: fx_relu"),
        torchfl.noop_symbols("xpu:fx", ["fx_rely"]),
    ):
        pass
    assert "fx_absent" in _loader.loaded().missing_symbols("xpu:fx")


def test_import_torch_activates_configured_chips() -> None:
    code = "import torch; print(torch.xpu.device_count())"
    done = run_script(code, TORCHFL_DEVICE_DIR=str(fixture_dir()))
    assert (done.stdout, done.stderr) == ("2\n", "")
    done = run_script(code, TORCHFL_DEVICE_DIR=str(fixture_dir()), TORCHFL_AUTOLOAD="0")
    assert done.stdout == "0\n"


def test_import_torch_never_compiles_and_never_fails(tmp_path: Path) -> None:
    code = "import torch; print(torch.ones(2).sum().item())"
    done = run_script(code.replace("import torch;", "import warnings; warnings.simplefilter('always'); import torch;"),
                      TORCHFL_DEVICE_DIR=str(fixture_dir()), TORCHFL_CACHE=str(tmp_path / "cache"))  # fmt: skip
    assert done.stdout == "2.0\n"
    assert "torchfl core build" in done.stderr
    assert not (tmp_path / "cache" / "core").exists()
    done = run_script(
        "import warnings; warnings.simplefilter('always'); " + code, TORCHFL_DEVICE_DIR=str(tmp_path / "none")
    )
    assert done.stdout == "2.0\n"
    assert "none" in done.stderr


def test_import_torch_without_a_chip_loads_nothing_of_ours() -> None:
    done = run_script("import sys, torch; print(sorted(m for m in sys.modules if m.startswith('torchfl')))")
    assert done.stdout in ("['torchfl', 'torchfl.autoload']\n", "[]\n")


def test_two_chips_share_the_indices_in_the_order_of_their_names(tmp_path: Path) -> None:
    folder = tmp_path / "aa"
    folder.mkdir()
    library = folder / "libaa_chip.so"
    library.write_bytes((fixture_dir() / "libfx_chip.so").read_bytes())
    text = (
        (fixture_dir() / "fx_device.yaml").read_text().replace("xpu:fx", "xpu:aa").replace("$FX_LIBRARY", str(library))
    )
    (folder / "aa_device.yaml").write_text(text)
    done = run_script(
        """
import torch, torchfl
torchfl.init()
print(torchfl.device("xpu:aa:1"), torchfl.device("xpu:fx"), torch.xpu.device_count())
print([(c.selector, c.first_device, c.num_devices) for c in torchfl.chips()])
a = torch.relu(torch.arange(-2.0, 3).to(torchfl.device("xpu:aa:1")))
b = torch.relu(a.to(torchfl.device("xpu:fx:1")))
print(a.device, b.device, b.tolist())
print(torchfl.symbol_calls("xpu:aa")["fx_relu"], torchfl.symbol_calls("xpu:fx")["fx_relu"])
try: a + b
except RuntimeError as e: print("same device" in str(e))
print(torch.xpu.memory_allocated("xpu:1"), torch.xpu.memory_allocated("xpu:3"), torch.xpu.memory_allocated("xpu:0"))
""",
        TORCHFL_DEVICE_DIR=f"{fixture_dir()}{os.pathsep}{folder}",
        TORCHFL_AUTOLOAD="0",
    )
    assert done.stdout.splitlines() == [
        "xpu:1 xpu:2 4",
        "[('xpu:aa', 0, 2), ('xpu:fx', 2, 2)]",
        "xpu:1 xpu:3 [0.0, 0.0, 0.0, 1.0, 2.0]",
        "1 1",
        "True",
        "512 512 0",
    ], done.stderr
