"""Runtimes that reserve, copy and wait in ways of their own: each goes from its header to a green gate, no hand edit.

The simulated SDK runs what is in a queue only when somebody waits, and turns a bit of every address that the host may
not touch: a wait too few gives wrong numbers, a copy by the host a crash.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from helpers import ROOT, Sdk, make_project, torchfl
from torchfl.profile import load_profile

pytestmark = pytest.mark.device

DATA = ROOT / "tests" / "build_data"
STYLES = {"rooms": 0, "elements": 1, "queued": 2, "reached": 3, "numbered": 4}


@pytest.mark.parametrize("style", STYLES)
def test_header_to_green_gate(style: str, tmp_path: Path) -> None:
    chosen = f"RT_STYLE={STYLES[style]}"
    library = tmp_path / f"lib{style}.so"
    flags = ["-std=c11", f"-D{chosen}", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-pthread"]
    subprocess.run(["cc", *flags, "-o", library, DATA / "runtimes.c"], check=True)
    project = make_project(tmp_path, style, Sdk(DATA / "runtimes.h", library), ("-D", chosen))
    assert [op.name for op in load_profile(project.profile).ops if op.routes] == ["aten::add", "aten::relu"]
    done = torchfl("conformance", "--device", project.selector, "--chip-dir", project.directory, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.strip().splitlines()[-1].startswith("PASS 2/2 ops native")
