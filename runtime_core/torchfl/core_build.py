"""Compiles the C++ core for the torch and Python at hand, once, into a cache.

The core lies in ``$TORCHFL_CACHE/core/<torch>-<python>-<source hash>/_core.so`` (default cache:
``~/.cache/torchfl``), so that a change of torch, Python or sources gives another file and never a stale one. Builds run
under a file lock, in a build tree that is kept per source folder (a second build compiles only what changed),
and appear by an atomic rename. This module never imports torch.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from torchfl.errors import Problem, TorchflError, register

NO_TORCH = register("TFL0601", "torch is not installed, and the core is compiled against it")
NO_COMPILER = register("TFL0602", "a tool that the core's build needs is missing")
BUILD_FAILED = register("TFL0603", "the core did not compile", exit_code=1)
NO_SOURCES = register("TFL0604", "the core's C++ sources are missing from the installation", exit_code=70)

_SOURCE_SUFFIXES = {".c", ".cpp", ".h", ".hpp", ".def", ".txt"}
_PROGRESS = re.compile(r"^\[(\d+)/(\d+)\] (.*)$")
_ERROR = re.compile(r"error:|Error|undefined reference")


@dataclass(frozen=True)
class CoreStatus:
    """What ``torchfl core status`` prints. ``path`` is where the core is, or would be."""

    built: bool
    path: Path
    torch_version: str
    torch_dir: Path
    python_tag: str
    source_hash: str
    csrc: Path
    include: Path
    compiler: str  # "" where none was found


def cache_dir() -> Path:
    """``$TORCHFL_CACHE``, or ``~/.cache/torchfl``."""
    configured = os.environ.get("TORCHFL_CACHE")
    return Path(configured).expanduser().absolute() if configured else Path.home() / ".cache" / "torchfl"


def source_dirs() -> tuple[Path, Path]:
    """The ``csrc`` and ``include`` folders: inside the package in a wheel, beside it in a checkout."""
    import torchfl

    for package in map(Path, torchfl.__path__):
        for base in (package, package.parent):
            if (base / "csrc" / "CMakeLists.txt").is_file() and (base / "include" / "torchfl" / "chip.h").is_file():
                return base / "csrc", base / "include"
    raise TorchflError(
        Problem(
            NO_SOURCES,
            f"no csrc and include folder in or beside {', '.join(torchfl.__path__)}",
            "install flagos-torchfl again",
        )
    )


def torch_location() -> tuple[Path, str]:
    """The folder and version of the installed torch, without importing it."""
    loaded = sys.modules.get("torch")
    spec = getattr(loaded, "__spec__", None) or importlib.util.find_spec("torch")
    if spec is None or not spec.submodule_search_locations:
        raise TorchflError(Problem(NO_TORCH, "torch is not installed", "pip install torch"))
    folder = Path(next(iter(spec.submodule_search_locations)))
    version_file = folder / "version.py"
    found = re.search(r"__version__ = ['\"]([^'\"]+)", version_file.read_text()) if version_file.is_file() else None
    return folder, found.group(1) if found else importlib.metadata.version("torch")


def status() -> CoreStatus:
    """Where the core for this torch, Python and source tree is, and whether it has been built."""
    csrc, include = source_dirs()
    torch_dir, torch_version = torch_location()
    source_hash = _hash_sources(csrc, include)
    tag = sys.implementation.cache_tag
    folder = f"{_safe(torch_version)}-{tag}-{source_hash}"
    core = cache_dir() / "core" / folder / "_core.so"
    return CoreStatus(
        core.is_file(), core, torch_version, torch_dir, tag, source_hash, csrc, include, shutil.which(_compiler()) or ""
    )


def path() -> Path:
    """The built core, or where it would be."""
    return status().path


def build_tree(now: CoreStatus) -> Path:
    """Where the core that ``now`` describes is compiled: one folder per torch, Python and source folder."""
    sources = hashlib.sha256(bytes(now.csrc)).hexdigest()[:8]
    return cache_dir() / "core" / f"tree-{_safe(now.torch_version)}-{now.python_tag}-{sources}"


def build(*, force: bool = False, verbose: bool = False, stream: TextIO | None = None) -> Path:
    """Compiles the core unless it is built already, and returns its path.

    Progress goes to ``stream`` (stderr unless given); ``verbose`` shows the compiler's output too. Raises
    TorchflError: TFL0601 without torch, TFL0602 without compiler, TFL0603 with the log's path when it does not compile.
    """
    from filelock import FileLock

    now = status()
    if now.built and not force:
        return now.path
    out = stream or sys.stderr
    root = cache_dir() / "core"
    root.mkdir(parents=True, exist_ok=True)
    tree = build_tree(now)
    with FileLock(f"{tree}.lock"):
        now = status()  # another process may have built it, or the sources may have changed, while we waited
        if now.built and not force:
            return now.path
        tools = _tools()
        print(f"torchfl: compiling the core for torch {now.torch_version} (once) -> {now.path.parent}", file=out)
        log = root / f"{tree.name}.log"
        with log.open("w") as writer:
            _run(_configure_command(now, tree, tools), tools, writer, None, verbose, out, log)
            _run([tools["cmake"], "--build", str(tree), "-j", str(_jobs())], tools, writer, tree, verbose, out, log)
        _publish(tree / "_core.so", now.path)
    return now.path


def _publish(built: Path, target: Path) -> None:
    """Copies a finished core beside its final place and renames it there, so that no reader sees half a file."""
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix="_core.", suffix=".tmp")
    os.close(handle)
    try:
        shutil.copyfile(built, temporary)
        os.chmod(temporary, 0o755)
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _configure_command(now: CoreStatus, tree: Path, tools: dict[str, str]) -> list[str]:
    command = [
        tools["cmake"], "-S", str(now.csrc), "-B", str(tree), "-G", "Ninja",
        f"-DCMAKE_MAKE_PROGRAM={tools['ninja']}",
        f"-DCMAKE_CXX_COMPILER={tools['c++']}",
        f"-DCMAKE_C_COMPILER={tools['cc']}",
        f"-DTORCHFL_TORCH_DIR={now.torch_dir}",
        f"-DTORCHFL_PYTHON_INCLUDE={sysconfig.get_path('include')}",
        f"-DTORCHFL_INCLUDE={now.include}",
    ]  # fmt: skip
    if "ccache" in tools:
        command += [f"-DCMAKE_{lang}_COMPILER_LAUNCHER={tools['ccache']}" for lang in ("C", "CXX")]
    return command


def _run(
    command: list[str],
    tools: dict[str, str],
    log: TextIO,
    tree: Path | None,
    verbose: bool,
    out: TextIO,
    log_path: Path,
) -> None:
    """Runs one step into the log; with ``tree`` it is the compile step, whose ``[n/m]`` lines are the progress."""
    first_error = ""
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=_environment(), cwd=tree
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            log.write(line)
            if not first_error and _ERROR.search(line):
                first_error = line.strip()
            step = _PROGRESS.match(line)
            if verbose:
                out.write(line)
            elif step and step[1] != "0" and tree is not None:
                print(
                    f"torchfl: [{step[1]}/{step[2]}] {step[3].split('/')[-1].removesuffix('.o')}", file=out, flush=True
                )
    if process.returncode != 0:
        cause = first_error or f"{Path(command[0]).name} ended with status {process.returncode}"
        raise TorchflError(Problem(BUILD_FAILED, cause, f"see {log_path}, then `torchfl core build`"))


def _environment() -> dict[str, str]:
    environment = dict(os.environ)
    environment["NINJA_STATUS"] = "[%f/%t] "
    environment["LC_ALL"] = "C"
    return environment


def _jobs() -> int:
    """``MAX_JOBS``, as for torch's own extensions; else one job per processor that has 2 GB of memory."""
    configured = os.environ.get("MAX_JOBS", "")
    if configured.isdigit() and int(configured) > 0:
        return int(configured)
    processors = len(os.sched_getaffinity(0))
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(1, min(processors, memory // (2 << 30)))


def _compiler() -> str:
    return os.environ.get("CXX") or next((c for c in ("c++", "g++", "clang++") if shutil.which(c)), "c++")


def _tools() -> dict[str, str]:
    """cmake and ninja (the PyPI packages' first), the compilers, and ccache where there is one."""
    problems: list[Problem] = []
    tools: dict[str, str] = {}

    def need(name: str, command: str, fix: str) -> None:
        found = shutil.which(command)
        if found:
            tools[name] = found
        else:
            problems.append(Problem(NO_COMPILER, f"'{command}' was not found", fix))

    for name in ("cmake", "ninja"):
        packaged = _packaged_tool(name)
        if packaged:
            tools[name] = packaged
        else:
            need(name, name, f"pip install {name}")
    need("c++", _compiler(), "install a C++20 compiler (Debian: apt install g++), or set CXX")
    need("cc", os.environ.get("CC") or "cc", "install a C compiler (Debian: apt install gcc), or set CC")
    if not (Path(sysconfig.get_path("include")) / "Python.h").is_file():
        problems.append(
            Problem(
                NO_COMPILER,
                f"Python.h is not in {sysconfig.get_path('include')}",
                "install Python's headers (Debian: apt install python3-dev)",
            )
        )
    if problems:
        raise TorchflError(problems)
    ccache = shutil.which("ccache")
    if ccache and os.environ.get("TORCHFL_CCACHE") != "0":
        tools["ccache"] = ccache
    return tools


def _packaged_tool(name: str) -> str | None:
    """A tool that a PyPI package put into its own folder or beside this interpreter."""
    spec = importlib.util.find_spec(name)
    places = [Path(p) / "data" / "bin" for p in (spec.submodule_search_locations or ())] if spec else []
    places.append(Path(sys.executable).parent)
    for place in places:
        if (place / name).is_file() and os.access(place / name, os.X_OK):
            return str(place / name)
    return None


def _hash_sources(csrc: Path, include: Path) -> str:
    digest = hashlib.sha256()
    for root in (csrc, include):
        for file in sorted(p for p in root.rglob("*") if p.suffix in _SOURCE_SUFFIXES and p.is_file()):
            digest.update(f"{file.relative_to(root)}\0".encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _safe(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9._]", "_", text)
