"""The pages: generated blocks are up to date, links and the architecture's paths exist, commands are the real ones."""

from __future__ import annotations

import json
import re
import shutil
import socket
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


RESULTS = sorted((ROOT / "benchmarks" / "results").glob("*.json"))


def test_a_changed_result_makes_the_pages_that_quote_it_stale(tmp_path: Path) -> None:
    """README and performance page read the results files; a figure that is typed over does not stay."""
    for name in ("README.md", "docs", "benchmarks/results"):
        source, target = ROOT / name, tmp_path / name
        target.parent.mkdir(exist_ok=True)
        shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
    command = [sys.executable, str(tmp_path / "docs" / "generate.py")]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    dispatch = tmp_path / "benchmarks" / "results" / "dispatch.json"
    found = json.loads(dispatch.read_text())
    found["mapped"]["add"] = 7.77
    dispatch.write_text(json.dumps(found))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == ["README.md", "docs/performance.md"]
    subprocess.run([*command, "--write"], capture_output=True, check=False)
    assert all("7.77 x CPU" in (tmp_path / page).read_text() for page in ("README.md", "docs/performance.md"))


@pytest.mark.parametrize("path", RESULTS, ids=lambda p: p.stem)
def test_results_say_their_conditions_and_name_no_machine(path: Path) -> None:
    text = path.read_text()
    machine = json.loads(text).get("machine")
    if path.stem != "headers_unseen":  # counts, the same on every machine
        assert {"cpus", "cpu", "machine", "python", "torch", "others", "quiet"} <= machine.keys()
    assert not re.findall(r'(?<![\w.<])/(?:home|root|tmp|opt|usr|var|work|mnt|data)/[^"]*', text)
    assert socket.gethostname() not in text or len(socket.gethostname()) < 4


@pytest.mark.parametrize("page", ["README.md", "docs/getting-started.md", "docs/performance.md"])
def test_figures_are_not_typed_by_hand(page: str) -> None:
    """A measured ratio or share stands in a generated block; what is aimed at may stand in prose."""
    text = re.sub(r"<!-- begin generated.*?<!-- end generated -->", "", (ROOT / page).read_text(), flags=re.DOTALL)
    measured = [
        line for line in text.splitlines() if re.search(r"\d x (the )?CPU|\d\.\d{3}\b|\d (ms|us|seconds)\b", line)
    ]
    assert [line for line in measured if "aim" not in line.lower()] == []


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
