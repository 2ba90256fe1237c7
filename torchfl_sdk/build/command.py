"""``torchfl-build DIR``: compiles a chip project and puts the results beside its profile."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from torchfl.errors import Place, Problem, TorchflError
from torchfl_sdk.build.cmake import cmake_build
from torchfl_sdk.build.errors import CANNOT_WRITE
from torchfl_sdk.build.paths import build_paths
from torchfl_sdk.build.project import ChipProject, find_project
from torchfl_sdk.build.tools import Tools, find_tools
from torchfl_sdk.build.verify import verify_chip_library


@dataclass(frozen=True)
class BuildResult:
    """What a build made, and how long configure, compile and checks took together, in seconds."""

    files: tuple[Path, ...]
    seconds: float
    log: Path | None  # kept with a chip project's build; None for single sources

    def to_text(self) -> str:
        """One line per file, the time last."""
        log = f"; log: {self.log}" if self.log else ""
        return "\n".join([*map(str, self.files), f"built in {self.seconds:.1f} s{log}"])


def build_project(directory: Path | str, *, clean: bool = False, jobs: int = 0, wheel: bool = False) -> BuildResult:
    """Build ``libNAME_chip.so`` and ``NAME_wrapper.<abi>.so`` beside the profile in ``directory``.

    ``jobs``: compilers at once, 0: as many as cores. ``wheel`` makes a wheel in ``directory/dist`` instead. The
    results are replaced only after all of them are built and checked. Raises TorchflError TFL05xx.
    """
    start = time.monotonic()
    project = find_project(Path(directory))
    tools = find_tools()
    try:
        project.build_dir.mkdir(exist_ok=True)
    except OSError as e:
        fix = "a project folder that can be written"
        raise TorchflError(Problem(CANNOT_WRITE, e.strerror or str(e), fix, Place(str(project.build_dir)))) from e
    # Two builds of one project take turns.
    with FileLock(project.build_dir / ".lock"):
        if clean:
            _forget(project.build_dir)
        if wheel:
            from torchfl_sdk.build.wheel import build_wheel

            made: tuple[Path, ...] = (build_wheel(project, tools),)
        else:
            made = _build(project, tools, jobs)
    return BuildResult(made, time.monotonic() - start, project.log)


def _build(project: ChipProject, tools: Tools, jobs: int) -> tuple[Path, ...]:
    paths = build_paths()
    variables = {
        "CMAKE_BUILD_TYPE": "Release",
        "TORCHFL_INCLUDE_DIR": str(paths.torchfl),
        "PYBIND11_INCLUDE_DIR": str(paths.pybind11),
        "PYTHON_INCLUDE_DIR": str(paths.python),
        "PYTHON_EXTENSION_SUFFIX": paths.extension_suffix,
    }
    cmake_build(project.folder, project.build_dir, tools, variables, project.log, jobs)
    library = project.build_dir / project.library.name
    wrapper = project.build_dir / f"{project.ident}_wrapper{paths.extension_suffix}"
    verify_chip_library(library, runtime_so_texts(project.profile))
    return place_all([(library, project.library), (wrapper, project.folder / wrapper.name)])


def runtime_so_texts(profile: Path) -> tuple[str, ...]:
    """``runtime_so`` as the profile writes it, environment variables unexpanded."""
    from torchfl.profile import load_profile

    return load_profile(profile).runtime_so_texts


def place_all(moves: list[tuple[Path, Path]]) -> tuple[Path, ...]:
    """Copy each built file to its place, by a rename that a process which has the old one mapped does not notice."""
    staged: list[tuple[Path, Path]] = []
    try:
        for source, target in moves:
            handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
            os.close(handle)
            staged.append((Path(name), target))
            shutil.copy(source, name)
        for temporary, target in staged:
            temporary.replace(target)
    except OSError as e:
        for temporary, _ in staged:
            temporary.unlink(missing_ok=True)
        raise TorchflError(
            Problem(
                CANNOT_WRITE, f"{e.strerror}", "a folder that can be written", Place(str(e.filename or moves[0][1]))
            )
        ) from e
    return tuple(target for _, target in moves)


def _forget(build: Path) -> None:
    """Empty a build folder, but for the lock that this process holds."""
    for path in build.iterdir():
        if path.name == ".lock":
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
