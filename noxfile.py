"""The project's own commands: `nox -s quickstart | tests | lint | docs`.

Each session has an environment of its own and installs the package as a user would: as a wheel, not editable.
Arguments after `--` go to pytest (tests) or replace the chip (quickstart takes none).
"""

from __future__ import annotations

import atexit
import shutil
from pathlib import Path

import nox

nox.needs_version = ">=2024.10.9"
nox.options.sessions = ["lint", "tests"]
nox.options.reuse_existing_virtualenvs = True
nox.options.default_venv_backend = "virtualenv"  # pip's configuration (mirrors, wheels on disk) applies; uv ignores it

ROOT = Path(__file__).parent
CONSTRAINTS = str(ROOT / "constraints.txt")


def install(session: nox.Session, *what: str) -> None:
    """Install with the pinned versions, so that no resolver picks a CUDA build of torch."""
    session.install("--constraint", CONSTRAINTS, *what)


@nox.session
def quickstart(session: nox.Session) -> None:
    """A simulated vendor SDK, from its header to the verdict of the gate, in build/quickstart."""
    install(session, str(ROOT), "torch")
    work = ROOT / "build" / "quickstart"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    session.chdir(work)
    session.run("torchfl", "sdk", "x1", "--out", "sdk")
    session.run("torchfl", "new-chip", "x1", "--header", "sdk/include/x1_runtime.h", "--lib", "sdk/lib/libx1.so")
    session.run("torchfl-build", "x1")
    session.run("torchfl", "core", "build")  # the probe would do it as well; here it has its own lines and its own time
    session.run("torchfl", "probe", "--device", "xpu:x1", "--write")
    verdict = session.run("torchfl", "conformance", "--device", "xpu:x1", "--out", "report", silent=True)
    # nox closes with lines of its own; the verdict is what the reader came for, so it is said last.
    print(verdict, end="")
    atexit.register(print, str(verdict).strip().splitlines()[-1])


@nox.session
def tests(session: nox.Session) -> None:
    """All tests on two workers: those without a device, the device's, ecosystem's, those of real SDKs.

    A process can load a chip once, so each file of the last three stays with one worker, and the files' order is kept:
    the longest come early. Ecosystem's have workers of their own, because PyTorch counts the devices that backward
    can run on once in a process.
    """
    install(session, f"{ROOT}[conformance,ecosystem,onnxruntime,dev]", "torch", "onednn-devel-cpu-gomp")
    # Not from the clone: there, `python -c` in a test would import the source tree instead of what is installed.
    away = ROOT / "build" / "tests"
    away.mkdir(parents=True, exist_ok=True)
    session.chdir(away)
    session.run("torchfl", "core", "build")
    pytest = ("pytest", "--config-file", str(ROOT / "pyproject.toml"), "--rootdir", str(ROOT))
    if session.posargs:
        session.run(*pytest, *(str(ROOT / a) if (ROOT / a.partition("::")[0]).exists() else a for a in session.posargs))
        return
    everything, ecosystem = str(ROOT / "tests"), str(ROOT / "tests" / "ecosystem")
    by_file = ("-n", "2", "--dist", "loadfile", "--no-loadscope-reorder")
    session.run(*pytest, "-m", "not device and not sdk", "-n", "2", everything)
    session.run(*pytest, *by_file, "-m", "device and not sdk", "--ignore", ecosystem, everything)
    session.run(*pytest, *by_file, "-m", "device and not sdk", ecosystem)
    session.run(*pytest, *by_file, "-m", "sdk", everything)


@nox.session
def newest_torch(session: nox.Session) -> None:
    """The identity tests with the newest torch that pip finds. By hand: it may download a CUDA build of gigabytes."""
    session.install("--upgrade", f"{ROOT}[conformance,dev]", "torch")
    away = ROOT / "build" / "newest_torch"
    away.mkdir(parents=True, exist_ok=True)
    session.chdir(away)
    session.run("python", "-c", "import torch; print('torch', torch.__version__)")
    session.run("torchfl", "core", "build")
    rooms = (
        "identity",
        "identity_modes",
        "identity_undone",
        "names",
        "surfaces",
        "compile",
        "life_cycle",
        "exit",
        "sparse",
    )
    files = [str(ROOT / "tests" / "device" / f"test_{room}.py") for room in rooms]
    session.run("pytest", "--config-file", str(ROOT / "pyproject.toml"), "--rootdir", str(ROOT), *files)


@nox.session
def lint(session: nox.Session) -> None:
    """ruff's rules and format, and mypy in strict mode."""
    install(session, f"{ROOT}[conformance,dev]", "torch", "types-PyYAML")
    session.chdir(ROOT)
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("mypy", "-p", "torchfl", "-p", "torchfl_sdk")  # as installed: only there do all import names exist


@nox.session
def docs(session: nox.Session) -> None:
    """Rewrite the generated pages of docs/ from the schema, the entry points and the error codes."""
    install(session, str(ROOT))
    session.run("python", str(ROOT / "docs" / "generate.py"), "--write")
