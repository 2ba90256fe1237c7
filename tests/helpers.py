"""What tests share beside fixtures: the command line as a user runs it, and SDKs and chip projects as data."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest
from filelock import FileLock

if TYPE_CHECKING:
    import torch

    from torchfl.profile import OpEntry

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Sdk:
    """A vendor SDK: its header, its shared library, and the headers of the runtime under it."""

    header: Path
    library: Path
    more_headers: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Project:
    """A chip project that is built and probed. ``parent`` is what goes into TORCHFL_DEVICE_DIR's place."""

    directory: Path
    selector: str
    profile: Path


def torchfl(*args: str | Path, cwd: Path | None = None, env: dict[str, str] | None = None, program: str = "torchfl"):
    """Run the command line in a process of its own, as a user does; gives the completed process."""
    entry = {"torchfl": "main", "torchfl-build": "build_main"}[program]
    code = f"import sys; sys.argv[0] = {program!r}; from torchfl_sdk.cli import {entry}; {entry}()"
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, args)],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, **(env or {})},
        stdin=subprocess.DEVNULL,
        check=False,
    )


def succeed(*args: str | Path, **options) -> str:
    """Like :func:`torchfl`, but a failure fails the test with what the command said. Gives stdout."""
    done = torchfl(*args, **options)
    if done.returncode != 0:
        pytest.fail(
            f"{' '.join(map(str, args))} exited {done.returncode}:\n{done.stdout}\n{done.stderr}", pytrace=False
        )
    return done.stdout


def once(target: Path, make: Callable[[], object]) -> None:
    """Run ``make``, which makes ``target``, in the first worker that comes here; the others wait for it."""
    done = target.with_name(f"{target.name}.done")
    with FileLock(f"{target}.lock"):
        if not done.exists():
            make()
            done.touch()


def make_project(
    parent: Path, name: str, sdk: Sdk, new_chip_args: Sequence[str | Path] = (), *, alarms: bool = False
) -> Project:
    """new-chip, torchfl-build and probe --write, with no hand edit. ``alarms``: the probe finds wrong numbers.

    The build compiles what new-chip would otherwise compile to check it.
    """
    parent.mkdir(parents=True, exist_ok=True)
    headers = [word for header in (sdk.header, *sdk.more_headers) for word in ("--header", header)]
    succeed("new-chip", name, *headers, "--lib", sdk.library, "--no-check", *new_chip_args, cwd=parent)
    succeed(parent / name, program="torchfl-build")
    done = torchfl("probe", "--device", f"xpu:{name}", "--write", "--chip-dir", parent / name, cwd=parent)
    assert done.returncode == int(alarms), done.stdout + done.stderr
    return Project(parent / name, f"xpu:{name}", parent / name / f"{name}_device.yaml")


def passes_gate(project: Project, ops: Collection[str]) -> None:
    """The quick gate finds every one of these ops native."""
    said = succeed(
        "conformance", "--device", project.selector, "--chip-dir", project.directory, "--level", "quick",
        cwd=project.directory.parent,
    )  # fmt: skip
    assert said.strip().splitlines()[-1].startswith(f"PASS {len(ops)}/{len(ops)} ops native"), said


def entries(project: Project) -> dict[str, OpEntry]:
    """The entries of the project's profile, each of which sends its op to the chip, by the op's name."""
    from torchfl.profile import load_profile

    found = {op.name: op for op in load_profile(project.profile).ops}
    assert all(op.routes for op in found.values())
    return found


@contextmanager
def as_device(project: Project) -> Iterator[torch.device]:
    """The project's first device, in this process."""
    import torchfl as runtime

    runtime.init([project.directory])
    yield runtime.device(project.selector)
    runtime.shutdown()


def absent(reason: str) -> NoReturn:
    """Skip for want of something on the machine; in continuous integration that is a failure."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{reason}: continuous integration must install it", pytrace=False)
    pytest.skip(reason)


def sums_are_wrong(library: Path) -> bool:
    """Whether this machine's OpenBLAS adds wrongly by itself: 0.3.21 does in single precision with AVX-512."""
    blas = ctypes.CDLL(str(library))
    blas.cblas_ssum.restype = ctypes.c_float
    squares = [float(i * i) for i in range(64)]  # it takes some elements twice, others not at all
    return bool(blas.cblas_ssum(64, (ctypes.c_float * 64)(*squares), 1) != sum(squares))
