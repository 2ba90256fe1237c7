"""Fixtures that cost seconds, once per session: the simulated SDK, a chip project made from its header, a real SDK.

A test that needs what this machine lacks is skipped with its reason, except in continuous integration
(``CI=true``), where the machine is expected to have it and the test fails instead.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from helpers import Project, Sdk, absent, make_project, once


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


@pytest.fixture(scope="session")
def openblas_sdk() -> Sdk:
    """OpenBLAS as the distribution installs it: the header and library that the compiler itself finds."""
    compiler = shutil.which("g++") or shutil.which("c++") or "c++"
    listed = subprocess.run(
        [compiler, "-x", "c", "-M", "-"], input="#include <cblas.h>\n", capture_output=True, text=True, check=False
    )
    headers = [Path(w) for w in listed.stdout.replace("\\\n", " ").split() if w.endswith("cblas.h")]
    library = subprocess.run(
        [compiler, "-print-file-name=libopenblas.so"], capture_output=True, text=True, check=True
    ).stdout.strip()
    if not headers or not Path(library).is_absolute():
        absent("OpenBLAS with cblas.h is not installed (Debian: apt-get install libopenblas-pthread-dev)")
    return Sdk(headers[0].resolve(), Path(library).resolve())
