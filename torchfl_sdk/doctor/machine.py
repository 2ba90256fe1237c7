"""Checks of the machine: Python, compiler, torch, and the compiled core."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata, util

from torchfl_sdk.doctor.model import ERROR, OK, WARN, Check

OLDEST_PYTHON = (3, 10)


def check_machine() -> Iterator[Check]:
    """Python, compiler, torch and core, in this order. Imports no torch."""
    version = ".".join(str(n) for n in sys.version_info[:3])
    if sys.version_info[:2] < OLDEST_PYTHON:
        yield Check("python", ERROR, f"Python {version} is older than 3.10", "use Python 3.10 or later")
    else:
        yield Check("python", OK, f"Python {version}")
    yield _compiler()
    torch = _torch_version()
    if torch is None:
        yield Check(
            "torch",
            WARN,
            "torch is not installed: new-chip, torchfl-build and profile work, probe and conformance do not",
            "pip install torch",
        )
        return
    yield Check("torch", OK, f"torch {torch}")
    yield _core()


def torch_found() -> bool:
    """True when torch could be imported here; it is not imported."""
    return _torch_version() is not None


def _torch_version() -> str | None:
    if util.find_spec("torch") is None:
        return None
    try:
        return metadata.version("torch")
    except metadata.PackageNotFoundError:
        return "of unknown version"


def _compiler() -> Check:
    fix = "install a C++17 compiler (Debian: apt-get install g++), or name one in CXX"
    wanted = os.environ.get("CXX")
    command = shlex.split(wanted) if wanted else [c for c in ("c++", "g++", "clang++") if shutil.which(c)][:1]
    if not command:
        return Check("compiler", ERROR, "no C++ compiler found (looked for c++, g++, clang++)", fix)
    try:
        done = subprocess.run([*command, "--version"], capture_output=True, text=True, timeout=30, check=True)
        source = "#if __cplusplus < 201703L\n#error older than C++17\n#endif\n#include <cstdint>\n"
        subprocess.run(
            [*command, "-std=c++17", "-fsyntax-only", "-x", "c++", "-"],
            input=source,
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
        )
    except subprocess.CalledProcessError as e:
        why = (e.stderr or "").strip().splitlines()
        return Check("compiler", ERROR, f"{command[0]} does not compile C++17: {why[0] if why else 'it failed'}", fix)
    except (OSError, subprocess.TimeoutExpired) as e:
        return Check("compiler", ERROR, f"{command[0]} does not run: {e}", fix)
    return Check("compiler", OK, done.stdout.splitlines()[0])


def _core() -> Check:
    from torchfl import core_build

    state = core_build.status()
    about = f"for torch {state.torch_version} and {state.python_tag}"
    if state.built:
        return Check("core", OK, f"core built {about}")
    return Check("core", WARN, f"no core is built {about}; the first use compiles it", "torchfl core build")
