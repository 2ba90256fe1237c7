"""Where a chip project finds headers: torchfl's, pybind11's and Python's.

``python -m torchfl_sdk.build.paths`` prints them as one CMake list, for builds that CMake starts by itself.
"""

from __future__ import annotations

import sysconfig
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class BuildPaths:
    """Include folders, and the file name ending of Python extension modules."""

    torchfl: Path
    pybind11: Path
    python: Path
    extension_suffix: str


def build_paths() -> BuildPaths:
    """The paths of the running Python. Imports no torch."""
    import pybind11

    import torchfl

    include = next(
        (Path(p) / "include" for p in torchfl.__path__ if (Path(p) / "include" / "torchfl" / "chip.h").is_file()), None
    )
    if include is None:
        raise AssertionError("torchfl is installed without its include folder")
    return BuildPaths(
        torchfl=include,
        pybind11=Path(pybind11.get_include()),
        python=Path(sysconfig.get_path("include")),
        extension_suffix=str(sysconfig.get_config_var("EXT_SUFFIX")),
    )


if __name__ == "__main__":
    paths = build_paths()
    print(f"{paths.torchfl};{paths.pybind11};{paths.python};{paths.extension_suffix}")
