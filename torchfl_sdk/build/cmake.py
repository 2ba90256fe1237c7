"""Runs CMake and ninja on a source folder, keeps a log, and turns compiler output into findings."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from torchfl.errors import Place, Problem, TorchflError
from torchfl_sdk.build.errors import CANNOT_WRITE, COMPILE_FAILED, CONFIGURE_FAILED
from torchfl_sdk.build.tools import Tools

#: Findings of one failed build that are shown; the log has all.
SHOWN = 8

_DIAGNOSTIC = re.compile(
    r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+)(?::(?P<column>\d+))?: (?:fatal )?error: (?P<text>.+)$", re.M
)
_LINKER = re.compile(
    r"^(?:.*/)?(?:ld|collect2|ld\.lld|mold)[^:]*: (?:error: )?(?P<text>.*(?:undefined|cannot find|error).*)$", re.M
)
_VENDOR = re.compile(
    r"'(?P<name>\w+)' is not a member of '\w+_chip::vendor'|"
    r"no member named '(?P<also>\w+)' in namespace '\w+_chip::vendor'"
)
_CMAKE = re.compile(r"^CMake Error(?: at (?P<file>[^:]+):(?P<line>\d+)[^\n]*)?:?\s*\n?(?P<text>(?:.+\n?)+)", re.M)


def cmake_build(
    source: Path,
    build: Path,
    tools: Tools,
    variables: Mapping[str, str],
    log: Path,
    jobs: int = 0,
) -> None:
    """Configure and compile ``source`` in ``build``; all output goes to ``log``.

    Raises TorchflError TFL0503 or TFL0504 with the file and line of each finding and the log's path. A compiler
    cache that cannot work here (a read-only home) is left out.
    """
    try:
        build.mkdir(parents=True, exist_ok=True)
        _forget_if_moved(source, build)
        log.write_text("", encoding="utf-8")
    except OSError as e:
        raise TorchflError(Problem(CANNOT_WRITE, f"{e.strerror}", place=Place(str(e.filename or build)))) from e
    failed, text = _attempt(source, build, tools, variables, log, jobs)
    if failed and tools.ccache and re.search(r"^ccache: error:", text, re.M):
        failed, text = _attempt(source, build, replace(tools, ccache=None), variables, log, jobs)
    if failed == "configure":
        raise TorchflError(_problems(CONFIGURE_FAILED, text, _CMAKE, log, source))
    if failed == "compile":
        raise TorchflError(_problems(COMPILE_FAILED, text, _DIAGNOSTIC, log, build))


def _attempt(
    source: Path, build: Path, tools: Tools, variables: Mapping[str, str], log: Path, jobs: int
) -> tuple[str, str]:
    """Configure, and compile if that worked: the step that failed ("" for none), and its output."""
    configure = [tools.cmake, "-S", str(source), "-B", str(build), "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={tools.ninja}"]
    configure.append(f"-DCMAKE_CXX_COMPILER={tools.compiler}")
    configure.append(f"-DCMAKE_CXX_COMPILER_LAUNCHER={tools.ccache or ''}")
    configure += [f"-D{name}={value}" for name, value in variables.items()]
    code, text = _run(configure, log)
    if code != 0:
        return "configure", text
    code, text = _run([tools.ninja, "-C", str(build)] + (["-j", str(jobs)] if jobs else []), log)
    return "compile" if code != 0 else "", text


def _forget_if_moved(source: Path, build: Path) -> None:
    """CMake refuses a build folder whose project was moved or copied: start it anew."""
    cache = build / "CMakeCache.txt"
    if not cache.is_file():
        return
    text = cache.read_text(encoding="utf-8", errors="replace")
    home = re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", text, re.M)
    folder = re.search(r"^CMAKE_CACHEFILE_DIR:INTERNAL=(.*)$", text, re.M)
    if (home and Path(home[1]) != source) or (folder and Path(folder[1]) != build):
        cache.unlink()
        shutil.rmtree(build / "CMakeFiles", ignore_errors=True)


def _run(command: list[str], log: Path) -> tuple[int, str]:
    """Run a command in the C locale; returns its exit code and output, which also goes to the log."""
    environment = {**os.environ, "LC_ALL": "C", "NINJA_STATUS": "[%f/%t] ", "CLICOLOR_FORCE": "0", "GCC_COLORS": ""}
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        env=environment,
        check=False,
    )
    text = done.stdout.decode("utf-8", "replace")
    with log.open("a", encoding="utf-8") as out:
        out.write("$ " + " ".join(command) + "\n" + text)
    return done.returncode, text


def _problems(code: str, text: str, pattern: re.Pattern[str], log: Path, base: Path) -> list[Problem]:
    found: list[Problem] = []
    for m in pattern.finditer(text):
        groups = m.groupdict()
        file = groups.get("file") or ""
        if file and not os.path.isabs(file):
            file = os.path.normpath(base / file)
        cause = " ".join(m["text"].split())
        place = Place(_short(file), int(groups.get("line") or 0), int(groups.get("column") or 0))
        cause, fix = _unlisted(cause)
        problem = Problem(code, cause, fix, place)
        if problem not in found:
            found.append(problem)
    if not found:
        found = [Problem(code, " ".join(m["text"].split())) for m in _LINKER.finditer(text)]
    if not found:
        last = [line for line in text.splitlines() if line.strip()][-3:]
        found = [Problem(code, " | ".join(last) or "the tool said nothing")]
    more = f"{len(found) - SHOWN} more; " if len(found) > SHOWN else ""
    first = found[:SHOWN]
    last_shown = first[-1]
    fix = "; ".join(x for x in (last_shown.fix, f"{more}see {_short(str(log))}") if x)
    first[-1] = Problem(code, last_shown.cause, fix, last_shown.place, last_shown.where)
    return first


def _unlisted(cause: str) -> tuple[str, str]:
    """A call of a vendor function that the generated table lacks: the cause without a guess at it, and the fix."""
    lacks = _VENDOR.search(cause)
    if lacks is None:
        return cause, ""
    fix = "torchfl new-chip NAME --on-conflict merge lists what the kernels call, where the header declares it"
    return f"{lacks['name'] or lacks['also']} is not among the vendor functions of src/*_symbols.gen.h", fix


def _short(file: str) -> str:
    """A path below the current directory as people write it."""
    if not file:
        return ""
    relative = os.path.relpath(file)
    return file if relative.startswith("..") else relative
