"""A chip library or a vendor library that cannot be used: what is said, once, and that the other chips work."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from core_helpers import compile_library, fixture_dir, run_script
from torchfl import _loader

pytestmark = [pytest.mark.device, pytest.mark.usefixtures("fixture_chip")]

BROKEN = {
    "no export": ("", "", "exports no torchfl_chip_v1"),
    "null": ("", "return nullptr;", "returned NULL"),
    "other major": ("chip.abi_major = 2;", "", r"speaks chip ABI 2, this core speaks 1; build the chip again"),
    "small chip": ("chip.struct_size = 24;", "", "tfl_chip says it has 24 bytes"),
    "no functions": ("chip.device = nullptr;", "", "has no device functions"),
    "small functions": ("api.struct_size = 16;", "", "tfl_device_api says it has 16 bytes"),
    "missing function": (
        "api.alloc = nullptr; api.copy_d2h = nullptr;",
        "",
        "lacks required device functions: alloc, copy_d2h",
    ),
    "no kernel table": ("chip.num_kernels = 1;", "", "counts kernels but has no kernel table"),
    "nameless kernel": ("chip.num_kernels = 1; chip.kernels = &kernel;", "", "kernel 0 lacks a name"),
}


@pytest.mark.parametrize("name", sorted(BROKEN))
def test_a_library_that_breaks_the_abi_is_refused_with_its_fault(name: str, tmp_path: Path) -> None:
    edit, body, message = BROKEN[name]
    source = tmp_path / "bad.cpp"
    entry = "torchfl_chip_v1" if name != "no export" else "another_name"
    source.write_text(
        f"""#include "torchfl/chip.hpp"
static tfl_status yes() {{ return TFL_OK; }}
static tfl_kernel kernel = {{sizeof(tfl_kernel), 0, nullptr, nullptr, nullptr, nullptr, 0}};
extern "C" __attribute__((visibility("default"))) const tfl_chip* {entry}() {{
  {body}
  static tfl_device_api api{{}};
  api.struct_size = sizeof api;
  auto set = [](auto& slot) {{ slot = reinterpret_cast<std::decay_t<decltype(slot)>>(&yes); }};
  set(api.open); set(api.init); set(api.device_count); set(api.alloc); set(api.free);
  set(api.copy_h2d); set(api.copy_d2h);
  static tfl_chip chip{{}};
  chip.struct_size = sizeof chip; chip.abi_major = TFL_ABI_MAJOR; chip.name = "bad"; chip.device = &api;
  {edit}
  (void)kernel;
  return &chip;
}}
"""
    )
    library = tmp_path / "libbad_chip.so"
    compile_library(source, library, "-Wno-cast-function-type", "-Wno-unused-variable")
    with pytest.raises(RuntimeError, match=message) as caught:
        _loader.loaded().load_chip("xpu:bad", str(library), "", "")
    assert str(library) in str(caught.value)


BROKEN_CHIP = """
import os, warnings
import torch, torchfl
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    torchfl.init()
print([str(w.message) for w in seen])
print(torch.xpu.device_count(), [(c.selector, c.error) for c in torchfl.chips()])
for selector in ("xpu:fx", "xpu:broken"):
    try: print(torchfl.device(selector))
    except torchfl.errors.TorchflError as e: print(e)
try: print(torch.ones(1, device="xpu").item())
except RuntimeError as e: print(e)
"""


def broken(tmp_path: Path, runtime_so: str, library: bytes | None) -> Path:
    folder = tmp_path / "broken"
    folder.mkdir()
    text = (
        (fixture_dir() / "fx_device.yaml")
        .read_text()
        .replace("xpu:fx", "xpu:broken")
        .replace("$FX_LIBRARY", runtime_so)
    )
    (folder / "broken_device.yaml").write_text(text)
    if library is not None:
        (folder / "libbroken_chip.so").write_bytes(library)
    return folder


@pytest.mark.parametrize("case", ["unbuilt", "not a library", "unset variable", "no runtime"])
def test_a_broken_chip_costs_one_warning_and_the_others_work(case: str, tmp_path: Path) -> None:
    good = (fixture_dir() / "libfx_chip.so").read_bytes()
    runtime_so, library, text = {
        "unbuilt": ("x.so", None, "has not been built; fix: torchfl-build"),
        "not a library": ("x.so", b"no", "cannot be loaded"),
        "unset variable": ("$NO_SUCH_PATH/x.so", good, "NO_SUCH_PATH"),
        "no runtime": (
            "/nowhere/libnone.so",
            good,
            "failed to load /nowhere/libnone.so: /nowhere/libnone.so: cannot open",
        ),
    }[case]
    folder = broken(tmp_path, runtime_so, library)
    done = run_script(BROKEN_CHIP, TORCHFL_DEVICE_DIR=f"{fixture_dir()}{os.pathsep}{folder}", TORCHFL_AUTOLOAD="0")
    assert done.returncode == 0, done.stderr
    warned, chips, fx, bad, value = done.stdout.splitlines()
    late = case in ("unset variable", "no runtime")  # found out at the first use of the device
    assert (warned == "[]") == late
    assert chips.startswith("2 [('xpu:broken', ")
    assert text in chips + warned
    assert (fx, value) == ("xpu:0", "1.0")
    assert bad.startswith("TFL0610 xpu:broken: ")
    assert text in bad


def test_with_no_usable_device_the_error_says_why(tmp_path: Path) -> None:
    folder = broken(tmp_path, "/nowhere/libnone.so", (fixture_dir() / "libfx_chip.so").read_bytes())
    done = run_script(BROKEN_CHIP, TORCHFL_DEVICE_DIR=str(folder), TORCHFL_AUTOLOAD="0")
    assert "no device is usable" in done.stdout.splitlines()[-2]
    assert "/nowhere/libnone.so" in done.stdout.splitlines()[-1]
