"""Where the C library's headers are: a system compiler's folders, and our own freestanding shim behind them.

The libclang wheel ships no headers at all, not even stddef.h. A compiler's own are better where there is one;
without any compiler the shim in ``shim/`` is enough to read a vendor's header.
"""

from __future__ import annotations

import functools
import os
import shlex
import shutil
import subprocess
from pathlib import Path

SHIM = Path(__file__).with_name("shim")
_COMPILERS = {"c": ("cc", "gcc", "clang"), "c++": ("c++", "g++", "clang++")}
_VARIABLE = {"c": "CC", "c++": "CXX"}


def system_include_dirs(language: str) -> tuple[str, ...]:
    """Header folders of the first compiler that answers, in its search order; empty without one."""
    return _search_dirs(language, os.environ.get(_VARIABLE[language], ""), os.environ.get("PATH", ""))


@functools.lru_cache(maxsize=16)
def _search_dirs(language: str, chosen: str, path: str) -> tuple[str, ...]:
    try:
        first = [shlex.split(chosen)] if chosen.strip() else []
    except ValueError:  # unbalanced quotes in CC
        first = []
    for command in [*first, *([name] for name in _COMPILERS[language])]:
        if not command or shutil.which(command[0], path=path) is None:
            continue
        dirs = _ask(command, language)
        if dirs:
            return dirs
    return ()


def _ask(command: list[str], language: str) -> tuple[str, ...]:
    try:
        done = subprocess.run(
            [*command, "-E", "-v", "-x", language, os.devnull],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=20,
            check=False,
            env={**os.environ, "LC_ALL": "C"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    dirs: list[str] = []
    inside = False
    for line in done.stderr.splitlines():
        if line.startswith("#include <"):
            inside = True
        elif line.startswith("End of search list"):
            break
        elif inside and not line.endswith("(framework directory)") and Path(line.strip()).is_dir():
            dirs.append(os.path.normpath(line.strip()))
    return tuple(dirs)


def include_arguments(language: str) -> list[str]:
    """libclang arguments that make the C library's headers visible, and nothing of libclang's guesses."""
    arguments = ["-nostdinc", *(["-nostdinc++"] if language == "c++" else [])]
    for folder in system_include_dirs(language):
        arguments += ["-isystem", folder]
    return [*arguments, "-idirafter", str(SHIM)]
