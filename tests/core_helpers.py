"""The unit tests' chip (``device/chip_fixture``): compiling it, loading it alone, and running scripts with it."""

from __future__ import annotations

import ctypes
import functools
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
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


def script_environment(**environment: str) -> dict[str, str]:
    """The environment of a script that sees the fixture chip's library but activates nothing by itself."""
    settings = {**os.environ, "FX_LIBRARY": str(fixture_dir() / "libfx_chip.so"), "FX_DIR": str(fixture_dir())}
    settings.pop("TORCHFL_DEVICE_DIR", None)
    return {**settings, **environment}


def run_script(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs ``code`` in a fresh interpreter; see :func:`script_environment`."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=script_environment(**environment),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


#: Imports torch and ours, which takes most of a short script's time, and forks before anything of ours has begun.
_FORKS = """
import json, os, sys, torch, torchfl
def run(script):
    for stream, file in ((1, script["out"]), (2, script["err"])):
        os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT), stream)
    os.environ.update(script["environment"])
    exec(compile(script["code"], "<script>", "exec"), {"__name__": "__main__"})
    sys.exit(0)
for script in json.load(sys.stdin):
    child = os.fork()
    if child == 0: run(script)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


def run_scripts(scripts: Mapping[str, tuple[str, Mapping[str, str]]]) -> dict[str, subprocess.CompletedProcess[str]]:
    """Runs scripts, each code with its environment, one after another in a process of its own.

    The processes are forks of one interpreter that has imported torch and torchfl and done nothing with either: for
    scripts that would begin so, and are about neither the start nor the end of an interpreter.
    """
    with tempfile.TemporaryDirectory() as name:
        files = {script: (Path(name) / f"{i}.out", Path(name) / f"{i}.err") for i, script in enumerate(scripts)}
        given = [
            {"code": code, "environment": dict(environment), "out": str(files[i][0]), "err": str(files[i][1])}
            for i, (code, environment) in scripts.items()
        ]
        command = [sys.executable, "-W", "error", "-c", _FORKS]
        done = subprocess.run(
            command, env=script_environment(), input=json.dumps(given), capture_output=True, text=True,
            timeout=60 + 60 * len(given), check=True,
        )  # fmt: skip
        codes = list(map(int, done.stdout.split()))
        return {
            script: subprocess.CompletedProcess(command, code, *(file.read_text() for file in files[script]))
            for script, code in zip(scripts, codes, strict=True)
        }
