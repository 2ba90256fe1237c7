"""Small simulated SDKs in tests/sdks, one per style of vendors' objects: compiled, scaffolded, built and probed."""

from __future__ import annotations

import ctypes
import importlib.util
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from helpers import ROOT, Project, Sdk, make_project, once
from torchfl_sdk.build.tools import find_compiler

#: SDK -> the ops of the catalogue that its header offers, each by a complete kernel.
OPS = {
    "vela": {"add", "conv2d", "elu", "log_softmax", "maximum", "minimum", "mul", "relu", "sigmoid", "softmax", "tanh"},
    "quill": {"add", "bmm", "conv2d", "exp", "mm", "mul", "relu", "softmax", "sub"},
    "talon": {"add", "addmm", "addmv", "addr", "baddbmm", "bmm", "dot", "mm", "mul", "mv", "sub", "vector_norm"},
    "godwit": {"add", "addmm", "addmv", "addr", "bmm", "dot", "mm", "mul", "mv", "sub"},
    "plover": {"abs", "add", "conv2d", "elu", "mul", "softmax", "tanh"},
    "siskin": {"add", "addmm", "amax", "avg_pool2d", "bmm", "cat", "cumsum", "embedding", "gelu", "gt", "layer_norm",
               "masked_fill", "mm", "mul", "permute_copy", "relu", "sum", "triu", "where"},
    "bunting": {"amax", "avg_pool2d", "bmm", "cat", "layer_norm", "max_pool2d", "mean", "mm", "permute_copy", "relu",
                "sigmoid", "sum", "tanh"},
    "pipit": {"add", "amax", "bmm", "cat", "clamp", "conv2d", "exp", "leaky_relu", "lt", "maximum", "mm", "mul",
              "permute_copy", "relu", "softmax", "sum"},
    "ember": {"abs", "avg_pool2d", "conv2d", "floor", "leaky_relu", "mul", "sigmoid", "sub", "tanh"},
}  # fmt: skip


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


def compile_cxx(name: str, out: Path) -> Sdk:
    """Compile ``tests/sdks/NAME.cpp`` into a shared library under ``out``."""
    out.mkdir(parents=True, exist_ok=True)
    library = out / f"lib{name}.so"
    source = ROOT / "tests" / "sdks" / f"{name}.cpp"
    compiler = find_compiler()
    assert compiler is not None, "no compiler"
    flags = ["-std=c++17", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([compiler, *flags, "-o", library, source], check=True)
    return Sdk(source.with_suffix(".hpp"), library)


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


#: Inputs, output or all of them, attributes.
SmallCall = tuple[list[np.ndarray | None], Any, list[Any]]


def small_call(op: str, name: str = "") -> SmallCall:
    """Inputs, output and attributes of a small call of an op."""
    rng = np.random.default_rng(0)

    def made(*shape: int) -> np.ndarray:
        return rng.standard_normal(shape, dtype=np.float32)

    x, y = made(2, 3, 4), made(2, 3, 4)
    if op == "conv2d":
        attrs: list[object] = [[2, 1], [1, 0], [1, 2], False, [0, 0], 2]
        return [made(2, 4, 7, 8), made(6, 2, 3, 2), made(6)], np.zeros((2, 6, 4, 6), np.float32), attrs
    if op == "mm":
        return [made(3, 5), made(5, 4)], np.zeros((3, 4), np.float32), []
    if op in ("mv", "dot", "addmv", "addr", "addmm"):
        a, b, v, w = made(3, 5), made(5, 4), made(5), made(4)
        shape = {"mv": (3,), "dot": (), "addmv": (3,), "addr": (5, 4), "addmm": (3, 4)}[op]
        given = {"mv": [a, v], "dot": [v, made(5)], "addmv": [made(3), a, v], "addr": [made(5, 4), v, w]}
        factors = [1, 2] if op.startswith("add") else []
        return given.get(op, [made(3, 4), a, b]), np.zeros(shape, np.float32), factors
    if op == "avg_pool2d":
        return [made(2, 4, 6, 8)], np.zeros((2, 4, 3, 4), np.float32), [[2, 2], [2, 2], [0, 0], False, True, None]
    if op == "max_pool2d":
        return [made(2, 4, 6, 8)], np.zeros((2, 4, 3, 4), np.float32), [[2, 2], [2, 2], [0, 0], [1, 1], False]
    if op == "vector_norm":
        return [x], np.zeros((), np.float32), [2, None, False, None]
    if op == "lt":
        return [x, y], np.zeros(x.shape, bool), []
    if op == "clamp":
        return [x], np.zeros_like(x), [-0.5, None]
    if op == "gt":
        return [x, made()], np.zeros(x.shape, bool), []
    if op == "where":
        return [x > 0, x, y], np.zeros_like(x), []
    if op == "masked_fill":
        return [x, y > 0], np.zeros_like(x), [2.0]
    if op == "cat":
        return [x, y, made(2, 1, 4)], np.zeros((2, 7, 4), np.float32), [1]
    if op == "embedding":
        return [made(5, 3), np.array([[1, 4], [0, 1]])], np.zeros((2, 2, 3), np.float32), []
    if op == "permute_copy":
        return [x], np.zeros((4, 2, 3), np.float32), [[2, 0, 1]]
    if op in ("cumsum", "triu"):
        return [x], np.zeros_like(x), [1, None] if op == "cumsum" else [1]
    if op == "gelu":
        return [x], np.zeros_like(x), [1]
    if op == "layer_norm":
        outs = (np.zeros_like(x), np.zeros((2, 3, 1), np.float32), np.zeros((2, 3, 1), np.float32))
        return [x, made(4), made(4)], outs if name == "bunting" else outs[0], [[4], 1e-5]
    if op == "mul" and name in ("godwit", "siskin", "talon"):  # by a number
        return [x, made()], np.zeros_like(x), []
    if op == "bmm":
        return [made(2, 3, 5), made(2, 5, 4)], np.zeros((2, 3, 4), np.float32), []
    if op == "div":
        return [x, 1 + np.abs(y)], np.zeros_like(x), []
    if op in ("sum", "mean"):
        return [x], np.zeros((2, 3), np.float32), [[2], False, None]
    if op in ("amax", "amin"):
        return [x], np.zeros((), np.float32), [[], False]
    if op in ("log", "sqrt"):
        return [np.abs(x)], np.zeros_like(x), []
    if op == "baddbmm":
        return [made(2, 3, 4), made(2, 3, 5), made(2, 5, 4)], np.zeros((2, 3, 4), np.float32), [0.5, 2]
    if op in ("add", "sub"):
        return [x, y], np.zeros_like(x), [1]
    if op in ("mul", "maximum", "minimum"):
        return [x, y], np.zeros_like(x), []
    attrs = {"elu": [1.0, 1.0, 1.0], "leaky_relu": [0.01], "softmax": [2, False], "log_softmax": [2, False]}.get(op, [])
    return [x], np.zeros_like(x), attrs


def leaves_nothing(
    module: ModuleType, sim: Sim, calls: Mapping[str, SmallCall], status: str = "UNSUPPORTED", *others: str
) -> set[str]:
    """Every vendor call of every kernel fails once, also those that bring tensors to the device and back: the error
    says so, nothing stays alive, and the kernel works afterwards. ``status``: what every kernel reports for some call;
    ``others`` it may report for others. Returns what failed beside kernels."""
    kernels = {k["op"].removeprefix("aten::"): k["name"] for k in module.kernels()}
    beside = set()
    for op, (inputs, out, attrs) in sorted(calls.items()):

        def run(kernel: str = kernels[op], inputs=inputs, out=out, attrs=attrs) -> None:
            module.run(kernel, inputs, out, attrs)

        run()  # makes the thread's handle, which stays
        before, failures = sim.alive, set()
        count = sim.calls(run)
        assert sim.alive == before, op
        for call in range(1, count + 1):
            with sim.failing(call), pytest.raises(RuntimeError) as failed:
                run()
            found = re.match(r"(\w+): ([A-Z_]+)", str(failed.value))
            assert found, failed.value
            failures.add((found[1], found[2]))
            assert sim.alive == before, f"{op}: its vendor call {call} of {count} ({found[1]}) left an object"
        own = {said for step, said in failures if step == kernels[op]}
        assert status in own, op
        assert own <= {status, "OUT_OF_MEMORY", *others}, op
        beside |= {step for step, _ in failures} - {kernels[op]}
        run()
        for written in out if isinstance(out, tuple) else (out,):
            assert np.isfinite(written).all()
            assert written.any()
    return beside


def header_to_chip(shared: Path, folder: str, name: str, sdk: Sdk) -> Project:
    """The SDK's chip, made by new-chip, built and probed; once for all processes of a test run."""
    parent = shared / folder
    parent.mkdir(exist_ok=True)
    once(parent / name, lambda: make_project(parent, name, sdk))
    return Project(parent / name, f"xpu:{name}", parent / name / f"{name}_device.yaml")
