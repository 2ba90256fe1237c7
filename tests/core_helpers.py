"""The unit tests' chip (``device/chip_fixture``): compiling it, loading it alone, and running scripts with it."""

from __future__ import annotations

import ctypes
import functools
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

SOURCE = Path(__file__).parent / "device" / "chip_fixture"
MIB = 1 << 20
INCLUDE = Path(__file__).parents[1] / "runtime_core" / "include"


def compile_library(source: Path, out: Path, *extra: str) -> None:
    """Compiles a C++ chip library against the public headers alone."""
    subprocess.run(
        [os.environ.get("CXX", "c++"), "-std=c++17", "-O1", "-fPIC", "-shared", "-fvisibility=hidden", "-Wall",
         "-Wextra", "-Werror", f"-I{INCLUDE}", *extra, str(source), "-o", str(out)],
        check=True,
    )  # fmt: skip


@functools.cache
def fixture_dir() -> Path:
    """The fixture chip's folder: profile and compiled library, made once per process."""
    folder = Path(tempfile.mkdtemp(prefix="torchfl-fx-"))
    (folder / "fx_device.yaml").write_text((SOURCE / "fx_device.yaml").read_text())
    compile_library(SOURCE / "fx_chip.cpp", folder / "libfx_chip.so")
    return folder


def second_fixture(folder: Path) -> Path:
    """The same chip once more, as ``xpu:gx`` in a folder that is made, with a runtime and memory of its own."""
    folder.mkdir(parents=True)
    library = folder / "libgx_chip.so"
    library.write_bytes((fixture_dir() / "libfx_chip.so").read_bytes())
    text = (fixture_dir() / "fx_device.yaml").read_text().replace("xpu:fx", "xpu:gx")
    (folder / "gx_device.yaml").write_text(text.replace("$FX_LIBRARY", str(library)))
    return folder


def controls() -> ctypes.CDLL:
    """The fixture's own functions: limits, faults, counts. The same library that the core has loaded."""
    library = ctypes.CDLL(str(fixture_dir() / "libfx_chip.so"))
    library.fx_bytes_in_use.restype = ctypes.c_uint64
    library.fx_set_memory_limit.argtypes = library.fx_kernel_needs.argtypes = [ctypes.c_uint64]
    library.fx_hold_relu.argtypes = [ctypes.c_bool]
    library.fx_double.argtypes = [ctypes.c_void_p, ctypes.c_int64]
    return library


@contextmanager
def only_fixture_chip() -> Iterator[None]:
    """torchfl with the fixture chip alone; what was loaded before is loaded again afterwards."""
    import torchfl

    before = [chip.profile.path.parent for chip in torchfl.chips()] if torchfl.is_initialized() else None
    torchfl.shutdown()
    os.environ["FX_LIBRARY"] = str(fixture_dir() / "libfx_chip.so")
    torchfl.init([fixture_dir()])
    try:
        yield
    finally:
        torchfl.shutdown()
        if before is not None:
            torchfl.init(before)


def sides(t: torch.Tensor) -> str:
    """Which sides of the tensor's storage hold its bytes: ``D``evice, ``H``ost."""
    from torchfl import _loader

    return str(_loader.loaded().side_names(t))


def run_script(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs ``code`` in a fresh interpreter that sees the fixture chip's library but activates nothing by itself."""
    settings = {**os.environ, "FX_LIBRARY": str(fixture_dir() / "libfx_chip.so"), "FX_DIR": str(fixture_dir())}
    settings.pop("TORCHFL_DEVICE_DIR", None)
    settings.update(environment)
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=settings,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
