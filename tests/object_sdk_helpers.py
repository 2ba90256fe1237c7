"""Small simulated SDKs in tests/sdks, one per style of vendors' objects: compiled, scaffolded, built and probed."""

from __future__ import annotations

import ctypes
import importlib.util
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from helpers import ROOT, Project, Sdk
from torchfl_sdk.build.tools import find_compiler

#: SDK -> the ops of the catalogue that its header offers, each by a complete kernel.
OPS = {
    "vela": {"add", "conv2d", "elu", "log_softmax", "maximum", "minimum", "mul", "relu", "sigmoid", "softmax", "tanh"},
    "quill": {"add", "bmm", "conv2d", "exp", "mm", "mul", "relu", "softmax", "sub"},
    "talon": {"add", "addmm", "addmv", "addr", "bmm", "dot", "mm", "mul", "mv", "sub", "vector_norm"},
    "ember": {"abs", "avg_pool2d", "conv2d", "floor", "leaky_relu", "mul", "sigmoid", "sub", "tanh"},
}


def compile_sdk(name: str, out: Path, change: Callable[[str], str] | None = None) -> Sdk:
    """Compile ``tests/sdks/NAME.c`` into a shared library under ``out``; the header stays where it is.

    ``change`` makes another SDK of it, whose header and source are written to ``out`` as well.
    """
    out.mkdir(parents=True, exist_ok=True)
    library = out / f"lib{name}.so"
    source = ROOT / "tests" / "sdks" / f"{name}.c"
    if change is not None:
        for part in (source, source.with_suffix(".h")):
            (out / part.name).write_text(change(part.read_text()))
        (out / "sim.h").write_text(source.with_name("sim.h").read_text())
        source = out / source.name
    compiler = find_compiler()
    assert compiler is not None, "no compiler"
    subprocess.run(
        [compiler, "-x", "c", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o", library, source, "-lm"],
        check=True,
    )
    return Sdk(source.with_suffix(".h"), library)


def wrapper(project: Project, name: str, sdk: Sdk) -> ModuleType:
    """The Python module over the chip library, opened on the SDK."""
    path = next(project.directory.glob(f"{name}_wrapper*.so"))
    spec = importlib.util.spec_from_file_location(f"{name}_wrapper", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.open(str(sdk.library))
    return module


class Sim:
    """What the SDK's library tells tests: how many objects are alive, and which call is to fail."""

    def __init__(self, sdk: Sdk) -> None:
        self._library = ctypes.CDLL(str(sdk.library))
        self._library.sim_alive.restype = self._library.sim_calls.restype = ctypes.c_long
        self._library.sim_fail_at.argtypes = [ctypes.c_long]

    @property
    def alive(self) -> int:
        return self._library.sim_alive()

    def calls(self, run) -> int:
        """How many vendor calls ``run`` makes that could fail."""
        self._library.sim_fail_at(0)
        run()
        return self._library.sim_calls()

    @contextmanager
    def failing(self, call: int) -> Iterator[None]:
        """The ``call``-th vendor call from here on fails."""
        self._library.sim_fail_at(call)
        try:
            yield
        finally:
            self._library.sim_fail_at(0)
