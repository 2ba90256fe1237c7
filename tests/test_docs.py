"""The pages: generated blocks are up to date, links and the architecture's paths exist, commands are the real ones."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from helpers import ROOT, Project, torchfl

PAGES = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_generated_blocks_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "generate.py")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_stale_block_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "generate.py").write_text((ROOT / "docs" / "generate.py").read_text())
    page = tmp_path / "page.md"
    page.write_text("kept\n<!-- begin generated: entry-points -->\nold\n<!-- end generated -->\n")
    command = [sys.executable, str(tmp_path / "generate.py")]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 1
    assert "old" in page.read_text()
    assert subprocess.run([*command, "--write"], capture_output=True, check=False).returncode == 0
    assert "copy_h2d" in page.read_text()
    assert page.read_text().startswith("kept\n")
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_architecture_is_one_screen_and_its_paths_exist() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text()
    assert len(text.splitlines()) <= 50
    rows = [line for line in text.splitlines() if line.startswith("| ") and "`" in line]
    assert len(rows) >= 10
    for row in rows:
        _, change, open_, test, _ = row.split("|")
        for path in re.findall(r"`([^`]+)`", open_ + test):
            assert (ROOT / path).exists(), f"{change.strip()}: {path}"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_relative_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_commands_in_the_pages_exist(page: Path) -> None:
    known = set(re.findall(r"^  ([\w-]+) ", torchfl("--help").stdout.partition("Commands:")[2], re.M))
    assert "new-chip" in known
    for name in re.findall(r"^\s{4}\$? ?torchfl ([\w-]+)", page.read_text(), re.M):
        assert name in known, name


@pytest.mark.parametrize("page", ["README.md", "docs/getting-started.md"])
def test_the_python_example_runs(page: str, x1_project: Project) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", example],
        capture_output=True,
        text=True,
        cwd=x1_project.directory.parent,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "aten::convolution_overrideable" in done.stdout
    assert "native=1" in done.stdout
