"""``torchfl-build DIR --wheel``: the wheel of a chip project, which a vendor can publish."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from torchfl.errors import Place, Problem, TorchflError
from torchfl_sdk.build.command import place_all
from torchfl_sdk.build.errors import CANNOT_WRITE, WHEEL_FAILED
from torchfl_sdk.build.project import ChipProject
from torchfl_sdk.build.tools import Tools


def build_wheel(project: ChipProject, tools: Tools) -> Path:
    """Build the wheel into ``dist/`` of the project and return its path; raises TorchflError TFL0507.

    Runs pip without build isolation: the chip library is compiled against the torchfl that runs this, and nothing
    is downloaded.
    """
    missing = [name for name in ("pip", "scikit-build-core") if not _installed(name)]
    if missing:
        cause = f"a wheel needs {' and '.join(missing)}, which this Python lacks"
        raise TorchflError(Problem(WHEEL_FAILED, cause, f"install {' '.join(missing)}", where="--wheel"))
    if not (project.folder / "pyproject.toml").is_file():
        raise TorchflError(Problem(WHEEL_FAILED, "has no pyproject.toml", place=Place(str(project.folder))))
    dist = project.folder / "dist"
    try:
        dist.mkdir(exist_ok=True)
    except OSError as e:
        raise TorchflError(Problem(CANNOT_WRITE, f"{e.strerror}", place=Place(str(e.filename)))) from e
    search = os.pathsep.join({str(Path(t).parent): None for t in (tools.cmake, tools.ninja)})
    environment = {**os.environ, "PATH": search + os.pathsep + os.environ.get("PATH", ""), "CXX": tools.compiler}
    with tempfile.TemporaryDirectory(prefix="torchfl-wheel-") as folder:
        command = [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--no-deps",
            "--no-build-isolation",
            "--disable-pip-version-check",
        ]
        command += ["--no-index", "-w", folder, str(project.folder)]
        done = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env=environment,
            check=False,
        )
        text = done.stdout.decode("utf-8", "replace")
        project.log.write_text("$ " + " ".join(command) + "\n" + text, encoding="utf-8")
        wheels = sorted(Path(folder).glob("*.whl"))
        if done.returncode != 0 or len(wheels) != 1:
            last = [line.strip() for line in text.splitlines() if "error" in line.lower()][:3]
            cause = " | ".join(last) or f"pip wheel exited {done.returncode}"
            raise TorchflError(Problem(WHEEL_FAILED, cause, f"see {project.log}", Place(str(project.folder))))
        return place_all([(wheels[0], dist / wheels[0].name)])[0]


def _installed(name: str) -> bool:
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True
