"""The chip ABI from Python, and doctor on a chip library written by hand: no scaffold, no torch, broken on purpose."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from torchfl_sdk import abi
from torchfl_sdk.doctor import Check, chips

SOURCE = r"""
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "torchfl/chip.h"

static tfl_symbol symbols[] = {{sizeof(tfl_symbol), 0, "v_there", 0, 0}, {sizeof(tfl_symbol), 0, "v_gone", 0, 0}};
static const uint32_t used[] = {1};
static tfl_status run(const tfl_call *call) { (void)call; return TFL_OK; }
static const tfl_kernel kernels[] = {{sizeof(tfl_kernel), 0, "v_relu", "aten::relu", run, used, 1}};

static tfl_status v_open(const char *path) { (void)path; symbols[0].address = (void *)run; return TFL_OK; }
static tfl_status v_init(void) {
#ifdef HANG
  for (;;) sleep(1);
#endif
  return TFL_OK;
}
static tfl_status v_count(int32_t *count) { *count = DEVICES; return TFL_OK; }
static tfl_status v_alloc(int32_t device, uint64_t bytes, void **handle) {
  (void)device;
  *handle = malloc(bytes);
  return *handle ? TFL_OK : TFL_OUT_OF_MEMORY;
}
static tfl_status v_free(int32_t device, void *handle) { (void)device; free(handle); return TFL_OK; }
static tfl_status v_h2d(int32_t device, void *dst, uint64_t offset, const void *src, uint64_t bytes, void *stream) {
  (void)device; (void)stream;
  memcpy((char *)dst + offset, src, bytes - LOST);
  return TFL_OK;
}
static tfl_status v_d2h(int32_t device, void *dst, const void *src, uint64_t offset, uint64_t bytes, void *stream) {
  (void)device; (void)stream;
  memcpy(dst, (const char *)src + offset, bytes);
  return TFL_OK;
}
static tfl_status v_error(char *text, uint64_t size) { strncpy(text, "all is well", size); return TFL_OK; }

static const tfl_device_api device = {
  .struct_size = SIZE, .open = v_open, .init = v_init, .device_count = v_count, .alloc = ALLOC, .free = v_free,
  .copy_h2d = v_h2d, .copy_d2h = v_d2h, .last_error = v_error};
static const tfl_chip chip = {sizeof(tfl_chip), MAJOR, 0, 1, 2, "acme", "", &device, kernels, symbols};
const tfl_chip *torchfl_chip_v1(void) { return &chip; }
"""
DEFAULTS = {"DEVICES": "1", "LOST": "0", "SIZE": "sizeof(tfl_device_api)", "ALLOC": "v_alloc", "MAJOR": "1"}


@pytest.fixture
def build(tmp_path: Path) -> Callable[..., Path]:
    """Compile the library with some of its macros changed, beside a profile."""

    def compile_(**macros: str) -> Path:
        library = tmp_path / "libacme_chip.so"
        defines = [f"-D{name}={value}" for name, value in {**DEFAULTS, **macros}.items()]
        command = ["cc", "-shared", "-fPIC", f"-I{abi.include_dir()}", *defines, "-x", "c", "-", "-o", str(library)]
        subprocess.run(command, input=SOURCE, text=True, check=True)
        (tmp_path / "acme_device.yaml").write_text(
            "device_type: xpu:acme\nruntime_so: libc.so.6\n"
            "supported_ops:\n  - {name: aten::relu, impl: v_relu, dtype_support: [float32], provenance: unverified}\n"
        )
        return library

    return compile_


def checks_of(folder: Path) -> dict[str, Check]:
    return {c.name: c for c in chips.check_chips("xpu:acme", (folder,)) if c.name != "provenance"}


def test_the_mirror_reads_and_calls_a_library(build: Callable[..., Path]) -> None:
    library = abi.ChipLibrary(build(DEVICES="3"))
    assert library.abi == (1, 0)
    slots = library.slots()
    assert {name for name, address in slots.items() if address} == {
        "open", "init", "device_count", "alloc", "free", "copy_h2d", "copy_d2h", "last_error",
    }  # fmt: skip
    assert library.symbols() == {"v_there": False, "v_gone": False}
    assert library.call("open", b"x") == abi.OK
    assert library.symbols() == {"v_there": True, "v_gone": False}
    assert library.kernels() == (abi.Kernel("v_relu", "aten::relu", ("v_gone",)),)
    assert library.error() == "all is well"
    count = ctypes.c_int32()
    assert library.call("device_count", ctypes.byref(count)) == abi.OK
    assert count.value == 3
    with pytest.raises(KeyError):
        library.call("fill", 0, None, 0, 0, 0, None)


def test_a_table_of_the_first_release_has_no_later_slots(build: Callable[..., Path]) -> None:
    first_release = "__builtin_offsetof(tfl_device_api,fill)"
    slots = abi.ChipLibrary(build(SIZE=first_release)).slots()
    assert slots["copy_d2h"]
    assert not slots["last_error"]  # set in memory, but outside the size that the library states


def test_another_major_version_is_refused(build: Callable[..., Path]) -> None:
    with pytest.raises(OSError, match="speaks chip ABI 2, this torchfl speaks 1"):
        abi.ChipLibrary(build(MAJOR="2"))


def test_a_library_without_the_entry_is_refused(tmp_path: Path) -> None:
    library = tmp_path / "libplain.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "/dev/null", "-o", str(library)], check=True)
    with pytest.raises(OSError, match="does not export torchfl_chip_v1"):
        abi.ChipLibrary(library)


def test_doctor_says_the_round_trip_and_the_symbol_that_is_missing(build: Callable[..., Path]) -> None:
    found = checks_of(build().parent)
    assert found["round trip"].level == "OK"
    assert found["symbols"].level == "WARN"
    assert "no symbol v_gone: aten::relu will not run" in found["symbols"].text
    assert found["native op"].level == "WARN"
    assert "probe" in found["native op"].fix


def test_doctor_notices_a_lost_byte(build: Callable[..., Path]) -> None:
    found = checks_of(build(LOST="1").parent)
    assert found["round trip"].level == "ERROR"
    assert "1 of 4103 bytes came back changed" in found["round trip"].text
    assert "native op" not in found


def test_doctor_names_a_required_function_that_is_absent(build: Callable[..., Path]) -> None:
    found = checks_of(build(ALLOC="0").parent)
    assert found["entry points"].level == "ERROR"
    assert "lacks alloc" in found["entry points"].text


def test_doctor_without_devices_exits_3(build: Callable[..., Path]) -> None:
    found = checks_of(build(DEVICES="0").parent)
    assert (found["devices"].level, found["devices"].exit_code) == ("ERROR", 3)


def test_doctor_outlives_a_driver_that_hangs(build: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(chips.STAGE_SECONDS, "library", 2)
    found = checks_of(build(HANG="1").parent)
    assert found["library"].level == "ERROR"
    assert "hangs while initialising the driver" in found["library"].text
