"""``torchfl-build --name M --sources A.cpp.. --link LIB..``: a module from hand-written sources.

What it becomes follows from what the sources define: a Python extension (``PYBIND11_MODULE(M, m)``), which goes to
``M.<abi>.so``, or a chip library (``torchfl_chip_v1``), which goes to ``libM_chip.so``. Sources that include
``torch/extension.h`` are compiled and linked against the installed torch, with the pybind11 that torch ships.
"""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from torchfl.errors import Place, Problem, TorchflError
from torchfl_sdk.build.cmake import cmake_build
from torchfl_sdk.build.command import BuildResult, place_all
from torchfl_sdk.build.elf import read_dynamic
from torchfl_sdk.build.errors import BAD_SOURCES
from torchfl_sdk.build.paths import BuildPaths, build_paths
from torchfl_sdk.build.tools import find_tools
from torchfl_sdk.build.verify import ENTRY, verify_chip_library

_TORCH_HEADER = re.compile(rb"^\s*#\s*include\s*[<\"](?:torch|ATen|c10)/", re.M)


@dataclass(frozen=True)
class _Torch:
    """What code over torch::Tensor is compiled and linked with."""

    includes: tuple[str, ...]
    libraries: tuple[str, ...]
    folder: str
    cxx11_abi: bool


def build_sources(
    name: str,
    sources: tuple[Path, ...],
    links: tuple[str, ...] = (),
    include_dirs: tuple[Path, ...] = (),
    out: Path = Path(),
    jobs: int = 0,
) -> BuildResult:
    """Build one module from C++ sources into the folder ``out``.

    ``links`` are paths of libraries, which are then also found at run time where they are now, or bare names as for
    ``-l``. Raises TorchflError TFL0502 for missing tools, TFL0504 for compile errors, TFL0506 for bad input.
    """
    start = time.monotonic()
    _check(name, sources, links, include_dirs, out)
    tools, paths = find_tools(), build_paths()
    torch = _torch() if any(_TORCH_HEADER.search(s.read_bytes()) for s in sources) else None
    log = out.resolve() / f"{name}.build.log"
    with tempfile.TemporaryDirectory(prefix="torchfl-build-") as folder:
        work = Path(folder)
        text = _recipe(name, sources, links, include_dirs, paths, torch)
        (work / "CMakeLists.txt").write_text(text, encoding="utf-8")
        cmake_build(work, work / "build", tools, {"CMAKE_BUILD_TYPE": "Release"}, log, jobs)
        built = work / "build" / "module.so"
        exported = read_dynamic(built).exported
        if f"PyInit_{name}" in exported:
            target = out / f"{name}{paths.extension_suffix}"
        elif ENTRY in exported:
            verify_chip_library(built, ())
            target = out / f"lib{name.removesuffix('_chip')}_chip.so"
        else:
            inits = sorted(s.removeprefix("PyInit_") for s in exported if s.startswith("PyInit_"))
            cause = f"defines neither PYBIND11_MODULE({name}, m) nor {ENTRY}()"
            fix = f"--name {inits[0]}" if inits else "add one of them, with default visibility"
            raise TorchflError(Problem(BAD_SOURCES, cause, fix, Place(str(sources[0])), "--sources"))
        made = place_all([(built, target)])
    log.unlink(missing_ok=True)  # it stands in the user's folder, and is of use only after a failure
    return BuildResult(made, time.monotonic() - start, None)


def _check(
    name: str, sources: tuple[Path, ...], links: tuple[str, ...], include_dirs: tuple[Path, ...], out: Path
) -> None:
    problems = []
    if not name.isidentifier() or not name.isascii():
        problems.append(Problem(BAD_SOURCES, f"{name!r} cannot be a module's name", "an identifier", where="--name"))
    if not sources:
        problems.append(Problem(BAD_SOURCES, "no sources given", "--sources A.cpp", where="--sources"))
    for path in sources:
        if not path.is_file():
            problems.append(Problem(BAD_SOURCES, "no such file", place=Place(str(path)), where="--sources"))
    for link in links:
        if ("/" in link or link.endswith(".so") or ".so." in link) and not Path(link).is_file():
            problems.append(Problem(BAD_SOURCES, "no such library", place=Place(link), where="--link"))
    for path in (*include_dirs, out):
        if not path.is_dir():
            problems.append(Problem(BAD_SOURCES, "no such folder", place=Place(str(path)), where="-I or --out"))
    if problems:
        raise TorchflError(problems)


def _torch() -> _Torch:
    try:
        import torch
    except ImportError as e:
        cause = f"the sources include torch's headers, and torch cannot be imported: {e}"
        raise TorchflError(Problem(BAD_SOURCES, cause, "pip install torch", where="--sources")) from e
    root = Path(torch.__file__).parent
    # The same two folders as torch.utils.cpp_extension.include_paths(), whose import costs distutils.
    return _Torch(
        (str(root / "include"), str(root / "include" / "torch" / "csrc" / "api" / "include")),
        ("c10", "torch", "torch_cpu", "torch_python"),
        str(root / "lib"),
        bool(torch.compiled_with_cxx11_abi()),
    )


def _recipe(
    name: str,
    sources: tuple[Path, ...],
    links: tuple[str, ...],
    include_dirs: tuple[Path, ...],
    paths: BuildPaths,
    torch: _Torch | None,
) -> str:
    """The CMake project of one module."""
    includes = [str(p.resolve()) for p in include_dirs] + [str(paths.torchfl)]
    system = [*(torch.includes if torch else (str(paths.pybind11),)), str(paths.python)]
    files = [link for link in links if Path(link).is_file()]
    libraries = [str(Path(link).resolve()) if link in files else link.removeprefix("-l") for link in links]
    rpath = list(dict.fromkeys(str(Path(f).resolve().parent) for f in files))
    if torch:
        libraries += torch.libraries
        rpath.append(torch.folder)
    lines = [
        "cmake_minimum_required(VERSION 3.20)",
        "project(module LANGUAGES CXX)",
        "set(CMAKE_CXX_STANDARD 17)" if not torch else "set(CMAKE_CXX_STANDARD 20)",
        "set(CMAKE_CXX_STANDARD_REQUIRED ON)",
        f"add_library(module MODULE {_words(str(s.resolve()) for s in sources)})",
        f'set_target_properties(module PROPERTIES PREFIX "" BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH {_list(rpath)})',
        f"target_include_directories(module PRIVATE {_words(includes)})",
        f"target_include_directories(module SYSTEM PRIVATE {_words(system)})",
        f"target_compile_definitions(module PRIVATE TORCH_EXTENSION_NAME={name} TORCH_API_INCLUDE_EXTENSION_H)",
    ]
    if torch:
        lines.append(f"target_compile_definitions(module PRIVATE _GLIBCXX_USE_CXX11_ABI={int(torch.cxx11_abi)})")
        lines.append(f"target_link_directories(module PRIVATE {_words([torch.folder])})")
    lines.append(f"target_link_libraries(module PRIVATE {_words(libraries)} ${{CMAKE_DL_LIBS}})")
    return "\n".join(lines) + "\n"


def _quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$").replace(";", "\\;") + '"'


def _words(texts: Iterable[str]) -> str:
    return " ".join(_quote(t) for t in texts)


def _list(texts: list[str]) -> str:
    return '"' + ";".join(t.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$") for t in texts) + '"'
