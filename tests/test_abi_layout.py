"""The chip ABI's layout is frozen: every published offset, size and value is asserted, and the assertions bite."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

RUNTIME = Path(__file__).parents[1] / "runtime_core"
HEADERS = RUNTIME / "include" / "torchfl"
LAYOUT = RUNTIME / "csrc" / "device" / "abi_layout.c"
CC, CXX = shutil.which("cc") or "cc", shutil.which("c++") or "c++"


def compiles(source: Path, include: Path, *flags: str, compiler: str = CC) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [compiler, "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{include}", *flags, str(source)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_layout_of_version_1_holds() -> None:
    done = compiles(LAYOUT, RUNTIME / "include", "-std=c11")
    assert done.returncode == 0, done.stderr


def test_every_published_member_is_frozen() -> None:
    frozen = set(re.findall(r"\bAT\((tfl_\w+), (\w+), \d+\);", LAYOUT.read_text()))
    published = set()
    for body, name in re.findall(
        r"typedef struct tfl_\w+ \{(.*?)\} (tfl_\w+);", (HEADERS / "chip.h").read_text(), re.S
    ):
        code = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
        published |= {(name, member) for member in re.findall(r"(\w+);", code)}
    entries = re.findall(r"^TFL_ENTRY\(\w+, (\w+),", (HEADERS / "entry_points.def").read_text(), re.M)
    published |= {("tfl_device_api", entry) for entry in entries}
    published.discard(("tfl_device_api", "params"))  # the macro's own parameter
    assert len(entries) >= 29
    assert published == frozen


OWN_INDEX = "  int32_t device;       /* the chip's own"
COUNTS = ("  uint32_t num_inputs;\n", "  uint32_t num_outputs;\n")
INIT = "TFL_ENTRY(REQUIRED, init,"
EDITS = {
    "a member in the middle": ("chip.h", OWN_INDEX, "  int32_t extra;\n" + OWN_INDEX),
    "a wider member": ("chip.h", "  uint32_t flags;\n", "  uint64_t flags;\n"),
    "two members swapped": ("chip.h", COUNTS[0] + COUNTS[1], COUNTS[1] + COUNTS[0]),
    "a device function in the middle": ("entry_points.def", INIT, 'TFL_ENTRY(OPTIONAL, reset, (void), "")\n' + INIT),
    "another status value": ("chip.h", "TFL_NOT_READY = 3,", "TFL_NOT_READY = 9,"),
    "another dtype value": ("chip.h", "TFL_BF16 = 7,", "TFL_BF16 = 13,"),
    "another flag value": ("chip.h", "TFL_KERNEL_STRIDED = 4u,", "TFL_KERNEL_STRIDED = 16u,"),
}


@pytest.mark.parametrize("name", sorted(EDITS))
def test_a_change_of_the_layout_does_not_compile(name: str, tmp_path: Path) -> None:
    file, before, after = EDITS[name]
    shutil.copytree(HEADERS, tmp_path / "torchfl")
    edited = tmp_path / "torchfl" / file
    assert edited.read_text().count(before) == 1
    edited.write_text(edited.read_text().replace(before, after))
    done = compiles(LAYOUT, tmp_path, "-std=c11")
    assert done.returncode != 0
    assert re.search(r"moved|published|shrank", done.stderr)


def test_appending_is_allowed(tmp_path: Path) -> None:
    shutil.copytree(HEADERS, tmp_path / "torchfl")
    header = tmp_path / "torchfl" / "chip.h"
    header.write_text(
        header.read_text().replace("  tfl_symbol* symbols;\n", "  tfl_symbol* symbols;\n  void* later;\n")
    )
    entries = tmp_path / "torchfl" / "entry_points.def"
    entries.write_text(entries.read_text() + 'TFL_ENTRY(OPTIONAL, later, (void), "")\n')
    done = compiles(LAYOUT, tmp_path, "-std=c11")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("standard", ["c99", "c11", "c++17", "c++20"])
def test_the_headers_compile_alone_and_pedantically(standard: str, tmp_path: Path) -> None:
    cxx = standard.startswith("c++")
    source = tmp_path / ("use.cpp" if cxx else "use.c")
    source.write_text(f'#include "torchfl/chip.{"hpp" if cxx else "h"}"\nint main(void) {{ return TFL_OK; }}\n')
    done = compiles(source, RUNTIME / "include", f"-std={standard}", "-pedantic", compiler=CXX if cxx else CC)
    assert done.returncode == 0, done.stderr
