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

from helpers import Project, Sdk, absent, make_project


@pytest.fixture(scope="session", autouse=True)
def _settled_environment() -> None:
    """Settings of the person who runs the tests must not choose other chips, and CI must not lose its reports."""
    for name in ("TORCHFL_DEVICE_DIR", "TORCHFL_VISIBLE", "TORCHFL_DEBUG", "LIB_PATH"):
        os.environ.pop(name, None)


@pytest.fixture(scope="session")
def x1_sdk(tmp_path_factory: pytest.TempPathFactory) -> Sdk:
    """x1's simulated SDK, compiled once."""
    from torchfl_sdk.chips import compile_sdk

    out = tmp_path_factory.mktemp("x1-sdk") / "sdk"
    compile_sdk("x1", out)
    return Sdk(out / "include" / "x1_runtime.h", out / "lib" / "libx1.so")


@pytest.fixture(scope="session")
def x1_project(x1_sdk: Sdk, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """x1 from its header: scaffolded, built and probed, once. Do not change it; copy it first."""
    return make_project(tmp_path_factory.mktemp("chips"), "x1", x1_sdk)


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
