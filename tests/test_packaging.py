"""The wheel: what it carries, and that its users need no torch to start."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

from helpers import ROOT


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel, built from this tree by the build backend itself (no network, no isolation)."""
    out = tmp_path_factory.mktemp("wheel")
    code = f"from scikit_build_core.build import build_wheel; print(build_wheel({str(out)!r}))"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True)
    (built,) = out.glob("*.whl")
    return zipfile.ZipFile(built)


@pytest.mark.parametrize(
    ("source", "target", "pattern"),
    [
        ("runtime_core/torchfl", "torchfl", "*.py"),
        ("runtime_core/include", "torchfl/include", "*"),
        ("runtime_core/csrc", "torchfl/csrc", "*"),
        ("torchfl_sdk", "torchfl_sdk", "*"),
        ("conformance", "torchfl_sdk/conformance", "*"),
        ("templates", "torchfl_sdk/templates", "*"),
        ("chips", "torchfl_sdk/chips", "*"),
    ],
)
def test_every_tracked_source_is_in_the_wheel(wheel: zipfile.ZipFile, source: str, target: str, pattern: str) -> None:
    inside = set(wheel.namelist())
    files = [p for p in (ROOT / source).rglob(pattern) if p.is_file() and "__pycache__" not in p.parts]
    files = [p for p in files if p.suffix not in (".so", ".o", ".pyc")]
    assert files, f"{source} holds nothing"
    assert not [p for p in files if f"{target}/{p.relative_to(ROOT / source).as_posix()}" not in inside]


def test_nothing_else_lands_at_the_top_level(wheel: zipfile.ZipFile) -> None:
    top = {name.partition("/")[0] for name in wheel.namelist()}
    assert {name for name in top if not name.endswith(".dist-info")} == {"torchfl", "torchfl_sdk"}


def test_metadata_asks_for_no_torch(wheel: zipfile.ZipFile) -> None:
    (name,) = [n for n in wheel.namelist() if n.endswith(".dist-info/METADATA")]
    metadata = Parser().parsestr(wheel.read(name).decode())
    assert metadata["Name"] == "flagos-torchfl"
    required = [r for r in metadata.get_all("Requires-Dist", []) if "extra ==" not in r]
    assert required
    assert not [r for r in required if r.startswith("torch")]


def test_unpacked_wheel_starts_without_torch(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    wheel.extractall(tmp_path)
    code = (
        "import sys\n"
        "class NoTorch:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] == 'torch': raise ModuleNotFoundError(name)\n"
        "# An editable install's finder would answer before the unpacked wheel does.\n"
        "sys.meta_path[:] = [f for f in sys.meta_path if 'ScikitBuild' not in type(f).__name__]\n"
        "sys.meta_path.insert(0, NoTorch())\n"
        f"sys.path.insert(0, {str(tmp_path)!r})\n"
        "import torchfl, torchfl_sdk.cli\n"
        f"assert torchfl.__file__.startswith({str(tmp_path)!r}), torchfl.__file__\n"
        "print(torchfl.__version__)\n"
        "sys.argv = ['torchfl', '--help']\n"
        "torchfl_sdk.cli.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    assert "new-chip" in done.stdout


def test_ci_runs_the_commands_that_the_readme_prints() -> None:
    commands = re.findall(r"^    (python3 -m venv .*)$", (ROOT / "README.md").read_text(), re.MULTILINE)
    quickstart, tests = commands
    assert quickstart.endswith("nox -s quickstart")
    steps = (ROOT / ".ci" / "run").read_text().splitlines()
    assert steps[-1] == tests
    assert quickstart.rpartition("&& ")[2] in steps
