"""What the device functions do beyond the calls of the vendor's: optional arguments, bytes behind buffers."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from helpers import ROOT, absent
from torchfl_sdk.build.tools import find_compiler
from torchfl_sdk.scaffold import NewChipRequest, new_chip

STATUS = "#include <stddef.h>\ntypedef enum acme_status { ACME_OK = 0, ACME_BAD = 1 } acme_status;\n"
OWN = """
acme_status acme_malloc(void **ptr, size_t size);
acme_status acme_free(void *ptr);
acme_status acme_memcpy_h2d(void *dst, const void *src, size_t bytes);
acme_status acme_memcpy_d2h(void *dst, const void *src, size_t bytes);
"""
ADD = "acme_status acme_add_f32(const float *a, const float *b, float *out, size_t n);\n"


def project(tmp_path: Path, header: str) -> tuple[str, str]:
    """The device functions and the profile of a header's project, which compiles."""
    (tmp_path / "acme.h").write_text(STATUS + header + ADD)
    result = new_chip(NewChipRequest("acme", (tmp_path / "acme.h",), out=tmp_path, check=True))
    assert result.check.startswith("compiles against the header"), result.check
    made = tmp_path / "acme"
    return (made / "src" / "acme_device.gen.cpp").read_text(), (made / "acme_device.yaml").read_text()


ALLOCATOR = "struct acme_allocator { void *context; void *(*allocate)(void *, size_t); };\n"
CONFIG = "typedef struct acme_config { int threads; } acme_config;\n"


@pytest.mark.parametrize(
    ("declared", "call"),
    [
        (ALLOCATOR + "acme_status acme_initialize(const struct acme_allocator *allocator);", "nullptr"),
        (CONFIG + "/* config may be NULL: all cores. */\nacme_status acme_init(acme_config *config);", "nullptr"),
        ("/** @param flags none yet. @param path optional file of settings. */\n"
         "acme_status acme_init(int flags, const char *path);", "0, nullptr"),
        (CONFIG + "/* config must not be NULL. */\nacme_status acme_init(acme_config *config);", ""),
        (CONFIG + "/** @param config what to use. @return NULL never. */\n"
         "acme_status acme_init(acme_config *config);", ""),
        (CONFIG + "acme_status acme_init(acme_config *config);", ""),
    ],
)  # fmt: skip
def test_an_initialiser_gets_null_for_what_it_need_not_have(tmp_path: Path, declared: str, call: str) -> None:
    device, _ = project(tmp_path, declared + "\n" + OWN)
    init = device[device.index("tfl_status init()") :].split("}", 1)[0]
    name = "acme_initialize" if "allocator" in declared else "acme_init"
    assert (f"return status(vendor::{name}({call}));" if call else "return TFL_OK;") in init


def test_buffers_have_bytes_behind_them_where_functions_read_past_the_end(tmp_path: Path) -> None:
    device, profile = project(tmp_path, "#define ACME_EXTRA_BYTES 16\n")
    alloc = device[device.index("tfl_status alloc(") :].split("\n}", 1)[0]
    assert "slack = ACME_EXTRA_BYTES;" in alloc
    assert "bytes += slack;" in alloc
    assert "map_host(" not in device  # memory of others ends where it ends
    assert "mode: separate" in profile
    own = tmp_path / "own"
    own.mkdir()
    device, _ = project(own, "/* Reads at most 32 bytes past the end of x. */\nvoid acme_prefetch(void *x);\n" + OWN)
    alloc = device[device.index("tfl_status alloc(") :].split("\n}", 1)[0]
    assert "bytes += 32;" in alloc
    assert alloc.index("bytes += 32;") < alloc.index("acme_malloc(")


def test_buffers_are_as_long_as_asked_where_no_function_reads_past_the_end(tmp_path: Path) -> None:
    device, profile = project(tmp_path, "#define ACME_EXTRA_LANES 16\n#define ACME_MAX_BYTES 16\n")
    assert "slack" not in device
    assert "tfl_status map_host(" in device
    assert "mode: mapped" in profile


LOADER = r"""
#include <cassert>
#include <string>
#include "torchfl/chip.hpp"

int main(int, char** argv) {
  const std::string ops = argv[1], rt = argv[2];
  tfl_symbol table[] = {{sizeof(tfl_symbol), TFL_SYMBOL_REAL, "acme_add", nullptr, 0},
                        {sizeof(tfl_symbol), TFL_SYMBOL_REAL, "acme_malloc", nullptr, 0},
                        {sizeof(tfl_symbol), TFL_SYMBOL_REAL, "acme_none", nullptr, 0}};
  const auto which = [&table](int i) { return reinterpret_cast<int (*)()>(table[i].address)(); };
  void* library = nullptr;
  assert(torchfl::open_library((ops + "\n" + rt).c_str(), &library, table, 3) == TFL_OK && library != nullptr);
  assert(which(0) == 1 && which(1) == 2 && table[2].address == nullptr);  // the first that has it
  assert(torchfl::open_library((rt + "\n" + ops).c_str(), &library, table, 3) == TFL_OK && which(0) == 2);
  assert(torchfl::open_library(ops.c_str(), &library, table, 3) == TFL_OK && table[1].address == nullptr);
  assert(torchfl::open_library((ops + "\n/nowhere/librt.so").c_str(), &library, table, 3) == TFL_NO_DRIVER);
  assert(torchfl::error_text().find("/nowhere/librt.so") != std::string::npos);  // names the one that failed
}
"""


def test_functions_are_looked_up_in_all_of_the_vendors_libraries(tmp_path: Path) -> None:
    compiler = find_compiler()
    if compiler is None:
        absent("no C++ compiler")
    sources = {
        "ops": "int acme_add() { return 1; }",
        "rt": "int acme_add() { return 2; } int acme_malloc() { return 2; }",
    }
    for name, text in sources.items():
        source = tmp_path / f"{name}.cpp"
        source.write_text(f'extern "C" {{ {text} }}')
        subprocess.run([compiler, "-shared", "-fPIC", source, "-o", tmp_path / f"lib{name}.so"], check=True)
    (tmp_path / "main.cpp").write_text(LOADER)
    include = ROOT / "runtime_core" / "include"
    command = [compiler, "-std=c++17", "-Wall", "-Wextra", "-Werror", "-I", include, tmp_path / "main.cpp"]
    subprocess.run([*command, "-o", tmp_path / "main", "-ldl"], check=True)
    subprocess.run([tmp_path / "main", tmp_path / "libops.so", tmp_path / "librt.so"], check=True)


def test_integers_that_may_outgrow_their_type_wait_for_the_probe(tmp_path: Path) -> None:
    """PyTorch's wrap around, a signal library's saturate; its types look the same."""
    two = "(const short *a, const short *b, short *out, size_t n);\n"
    declared = f"acme_status acme_add_i16{two}acme_status acme_maximum_i16{two}"
    declared += "acme_status acme_mul_f32(const float *a, const float *b, float *out, size_t n);\n"
    (tmp_path / "acme.h").write_text(STATUS + OWN + declared)
    result = new_chip(NewChipRequest("acme", (tmp_path / "acme.h",), out=tmp_path))
    assert {b.op: b.provenance for b in result.bound} == {
        "aten::add": "unverified", "aten::maximum": "header", "aten::mul": "header"
    }  # fmt: skip
    assert "whether int16 wraps around or saturates" in (tmp_path / "acme" / "acme_device.yaml").read_text()


BY_CONTEXT = """
acme_status acme_alloc(acme_dev dev, size_t size, void **ptr);
acme_status acme_free(acme_dev dev, void *ptr);
acme_status acme_upload(acme_dev dev, void *dst, const void *src, size_t bytes);
acme_status acme_download(acme_dev dev, void *dst, const void *src, size_t bytes);
acme_status acme_sub_f32(acme_dev dev, const float *a, const float *b, float *out, size_t n);
"""


@pytest.mark.parametrize(
    ("declared", "opened", "closed"),
    [
        ("typedef struct acme_device *acme_dev;\nacme_status acme_open(int card, acme_dev *dev);\n"
         "acme_status acme_close(acme_dev dev);\n", "vendor::acme_open(device, &made)", "vendor::acme_close(made);"),
        ("typedef struct acme_device *acme_dev;\nacme_dev acme_dev_create(unsigned index, int flags);\n"
         "void acme_dev_destroy(acme_dev dev);\n",
         "made = vendor::acme_dev_create(static_cast<unsigned int>(device), 0);", "vendor::acme_dev_destroy(made);"),
        ("typedef void *acme_dev;\n/** @param name optional */\n"
         "acme_status acme_init(acme_dev *dev, const char *name);\nacme_status acme_exit(acme_dev dev);\n",
         "vendor::acme_init(&made, nullptr)", "vendor::acme_exit(made);"),
    ],
)  # fmt: skip
def test_devices_that_are_opened(tmp_path: Path, declared: str, opened: str, closed: str) -> None:
    device, profile = project(tmp_path, declared + BY_CONTEXT)
    assert opened in device
    assert closed in device
    assert "return status(vendor::acme_alloc(opened.get(), static_cast<size_t>(bytes), handle));" in device
    assert "context_create: acme_" in profile
    kernels = (tmp_path / "acme" / "src" / "acme_kernels.cpp").read_text()
    assert re.search(r"vendor::acme_sub_f32\(\s*opened\.get\(\),", kernels)


@pytest.mark.parametrize(
    "declared",
    [
        "typedef struct acme_device *acme_dev;\nacme_status acme_open(const char *path, acme_dev *dev);\n",
        "typedef struct acme_device *acme_dev;\nacme_status acme_pick(int card, acme_dev *dev);\n",
        "typedef struct acme_device *acme_dev;\nacme_status acme_open(int num_threads, acme_dev *dev);\n",
    ],
)  # fmt: skip
def test_a_device_that_nothing_says_how_to_open_is_not_opened(tmp_path: Path, declared: str) -> None:
    device, profile = project(tmp_path, declared + BY_CONTEXT)
    assert "OpenDevice" not in device
    assert "context_create" not in profile
