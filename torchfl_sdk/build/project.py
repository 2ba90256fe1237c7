"""Recognises a chip project on the disk."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from torchfl.errors import Place, Problem, TorchflError
from torchfl_sdk.build.errors import NO_PROJECT


@dataclass(frozen=True)
class ChipProject:
    """A chip project's folder, its chip's name, and the identifier made from it."""

    folder: Path
    name: str
    ident: str

    @property
    def profile(self) -> Path:
        return self.folder / f"{self.name}_device.yaml"

    @property
    def library(self) -> Path:
        """Where the chip library goes."""
        return self.folder / f"lib{self.name}_chip.so"

    @property
    def build_dir(self) -> Path:
        return self.folder / "build"

    @property
    def log(self) -> Path:
        return self.build_dir / "torchfl-build.log"


def find_project(folder: Path) -> ChipProject:
    """The chip project in ``folder``; raises TorchflError TFL0501 that says what is missing."""
    place = Place(str(folder))
    if not folder.is_dir():
        cause = "is no folder" if folder.exists() else "no such folder"
        raise TorchflError(Problem(NO_PROJECT, cause, "torchfl new-chip makes a chip project", place))
    if not (folder / "CMakeLists.txt").is_file():
        fix = "torchfl new-chip makes a chip project; for single sources: torchfl-build --name M --sources A.cpp"
        raise TorchflError(Problem(NO_PROJECT, "has no CMakeLists.txt", fix, place))
    profiles = sorted(folder.glob("*_device.yaml"))
    names = [p.name.removesuffix("_device.yaml") for p in profiles]
    with_kernels = [n for n in names if (folder / "src" / f"{n}_kernels.cpp").is_file()]
    if len(with_kernels) != 1:
        found = ", ".join(p.name for p in profiles) or "none"
        cause = f"needs one NAME_device.yaml with its src/NAME_kernels.cpp; profiles found: {found}"
        raise TorchflError(Problem(NO_PROJECT, cause, "torchfl new-chip makes a chip project", place))
    name = with_kernels[0]
    return ChipProject(folder.resolve(), name, name.replace("-", "_"))
