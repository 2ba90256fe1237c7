"""Finds the build tools: on PATH, else in the PyPI packages that torchfl depends on."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from torchfl.errors import Problem, TorchflError
from torchfl_sdk.build.errors import NO_TOOL


@dataclass(frozen=True)
class Tools:
    """Absolute paths; ``ccache`` is None where it is not installed."""

    cmake: str
    ninja: str
    compiler: str
    ccache: str | None


def find_tools() -> Tools:
    """Every tool a build needs; raises TorchflError TFL0502 that lists all that are missing."""
    cmake = shutil.which("cmake") or _packaged("cmake", "CMAKE_BIN_DIR")
    ninja = shutil.which("ninja") or _packaged("ninja", "BIN_DIR")
    compiler = find_compiler()
    problems = [
        Problem(
            NO_TOOL, f"{name} is neither on PATH nor an installed Python package", f"pip install {name}", where=name
        )
        for name, found in (("cmake", cmake), ("ninja", ninja))
        if not found
    ]
    if not compiler:
        wanted = os.environ.get("CXX", "")
        cause = (
            f"$CXX names {wanted!r}, which is not found" if wanted else "no C++ compiler on PATH (c++, g++, clang++)"
        )
        problems.append(Problem(NO_TOOL, cause, "apt-get install g++, or set CXX", where="compiler"))
    if problems:
        raise TorchflError(problems)
    return Tools(str(cmake), str(ninja), str(compiler), shutil.which("ccache"))


def find_compiler() -> str | None:
    """The C++ compiler: $CXX, else the first of c++, g++, clang++ on PATH; None if there is none."""
    wanted = os.environ.get("CXX", "").split()
    if wanted:
        # CXX="ccache g++" is common; the compiler is the last word that is no option.
        words = [w for w in wanted if not w.startswith("-")]
        return shutil.which(words[-1]) if words else None
    return next((p for name in ("c++", "g++", "clang++") if (p := shutil.which(name))), None)


def _packaged(module: str, attribute: str) -> str | None:
    try:
        folder = getattr(import_module(module), attribute)
    except (ImportError, AttributeError):
        return None
    path = Path(folder) / module
    return str(path) if os.access(path, os.X_OK) else None
