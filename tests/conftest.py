"""Fixtures that cost seconds, once per session: the simulated SDK, a chip project made from its header, a real SDK.

A test that needs what this machine lacks is skipped with its reason, except in continuous integration
(``CI=true``), where the machine is expected to have it and the test fails instead.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from helpers import Project, Sdk, absent, make_project, once

if TYPE_CHECKING:
    import torch
    from torchfl_sdk.conformance.gate.request import RunResult


@pytest.fixture(scope="session", autouse=True)
def _settled_environment() -> None:
    """Settings of the person who runs the tests must not choose other chips, and CI must not lose its reports."""
    for name in ("TORCHFL_DEVICE_DIR", "TORCHFL_VISIBLE", "TORCHFL_DEBUG", "LIB_PATH"):
        os.environ.pop(name, None)


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all workers of one run share, for what is costly to make; take :func:`once` to fill it."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "shared"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def x1_sdk(shared: Path) -> Sdk:
    """x1's simulated SDK, compiled once."""
    from torchfl_sdk.chips import compile_sdk

    out = shared / "sdk"
    once(out, lambda: compile_sdk("x1", out))
    return Sdk(out / "include" / "x1_runtime.h", out / "lib" / "libx1.so")


@pytest.fixture(scope="session")
def x1_project(x1_sdk: Sdk, shared: Path) -> Project:
    """x1 from its header: scaffolded, built and probed, once. Do not change it; copy it first."""
    once(shared / "x1", lambda: make_project(shared, "x1", x1_sdk))
    return Project(shared / "x1", "xpu:x1", shared / "x1" / "x1_device.yaml")


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., RunResult]:
    """Runs the gate on the fake chip with faults; keyword arguments go to RunRequest."""
    from torchfl_sdk.conformance import RunRequest, run

    import conformance_helpers

    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    monkeypatch.setenv("TORCH_DEVICE_BACKEND_AUTOLOAD", "0")
    fixed = {"search_here": False, "executor": conformance_helpers.EXECUTOR}

    def start(faults: dict[str, str] | None = None, profile: str = "", progress: Any = None, **request) -> RunResult:
        monkeypatch.setenv("TORCHFL_TEST_FAULTS", json.dumps(faults or {}))
        chip = conformance_helpers.fake_chip(tmp_path / "fake", profile or conformance_helpers.PROFILE)
        here = {"out": tmp_path / "report", "chip_dirs": (chip,)}
        return run(RunRequest("xpu:fake", **{**fixed, **here, **request}), progress)

    return start


@pytest.fixture(scope="session")
def device(x1_project: Project) -> Iterator[torch.device]:
    """x1's first device, with torchfl initialised; torchfl is shut down when the session ends.

    A process can load a chip once, so all device tests of a process share it, and each file runs in one process.
    """
    import torchfl

    torchfl.init([x1_project.directory])
    yield torchfl.device(x1_project.selector)
    torchfl.shutdown()


@pytest.fixture(autouse=True)
def _fresh_counters(request: pytest.FixtureRequest) -> None:
    """Each device test counts from zero."""
    if "device" in request.fixturenames:
        request.getfixturevalue("device")
        import torchfl

        torchfl.reset_counters()


@pytest.fixture(scope="session")
def openblas_sdk() -> Sdk:
    """OpenBLAS as the distribution installs it: the header and library that the compiler itself finds."""
    header, library = _installed_header("cblas.h"), _installed_library("libopenblas.so")
    if header is None or library is None:
        absent("OpenBLAS with cblas.h is not installed (Debian: apt-get install libopenblas-pthread-dev)")
    return Sdk(header, library)


@pytest.fixture(scope="session")
def gsl_sdk() -> Sdk:
    """The GNU Scientific Library as the distribution installs it."""
    header, library = _installed_header("gsl/gsl_blas.h"), _installed_library("libgsl.so")
    if header is None or library is None:
        absent("GSL is not installed (Debian: apt-get install libgsl-dev)")
    return Sdk(header, library)


@pytest.fixture(scope="session")
def clblast_sdk() -> Sdk:
    """CLBlast and the OpenCL under it as the distribution installs them, with PoCL as the device."""
    header, runtime, library = (
        _installed_header("clblast_c.h"),
        _installed_header("CL/cl.h"),
        _installed_library("libclblast.so"),
    )
    if header is None or runtime is None or library is None or not list(Path("/etc/OpenCL/vendors").glob("*pocl*")):
        packages = "libclblast-dev ocl-icd-opencl-dev pocl-opencl-icd"
        absent(f"CLBlast with an OpenCL device is not installed (Debian: apt-get install {packages})")
    return Sdk(header, library, (runtime,))


def _installed_header(name: str) -> Path | None:
    """A header where the compiler itself finds it, or None."""
    compiler = shutil.which("g++") or shutil.which("c++") or "c++"
    listed = subprocess.run(
        [compiler, "-x", "c", "-M", "-"], input=f"#include <{name}>\n", capture_output=True, text=True, check=False
    )
    found = [Path(w) for w in listed.stdout.replace("\\\n", " ").split() if w.endswith(name)]
    return found[0].resolve() if found else None


def _installed_library(name: str) -> Path | None:
    """A library where the compiler itself finds it, or None."""
    compiler = shutil.which("g++") or shutil.which("c++") or "c++"
    said = subprocess.run([compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=True).stdout
    return Path(said.strip()).resolve() if Path(said.strip()).is_absolute() else None


@pytest.fixture(scope="session")
def blis_sdk() -> Sdk:
    """BLIS as the distribution installs it."""
    header, library = _installed_header("blis-pthread/blis.h"), _installed_library("blis-pthread/libblis.so.4")
    if header is None or library is None:
        absent("BLIS is not installed (Debian: apt-get install libblis-pthread-dev)")
    return Sdk(header, library)


@pytest.fixture(scope="session")
def onednn2_sdk() -> Sdk:
    """oneDNN 2 as the distribution installs it: descriptions of ops are structs of the caller there."""
    header, library = _installed_header("oneapi/dnnl/dnnl.h"), _installed_library("libdnnl.so.2")
    if header is None or library is None:
        absent("oneDNN 2 is not installed (Debian: apt-get install libdnnl-dev)")
    return Sdk(header, library)


@pytest.fixture(scope="session")
def onednn_sdk() -> Sdk:
    """oneDNN as its packages on PyPI have it: the header of the one and the library of the other."""
    from importlib.metadata import PackageNotFoundError, distribution

    found: dict[str, Path] = {}
    for package, name in (("onednn-devel-cpu-gomp", "dnnl.h"), ("onednn-cpu-gomp", "libdnnl.so.3")):
        try:
            installed = distribution(package)
        except PackageNotFoundError:
            absent(f"{package} is not installed (pip install onednn-devel-cpu-gomp==2023.2.0)")
        files = [Path(installed.locate_file(f)) for f in installed.files or () if f.name == name]
        found[name] = min(files, key=lambda f: len(f.parts)).resolve()
    return Sdk(found["dnnl.h"], found["libdnnl.so.3"])
