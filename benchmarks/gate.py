"""What the gate takes on the simulated chip: levels quick and release, and with --selftest all wrong and right chips.

    python benchmarks/gate.py --project x1 [--selftest]

Writes results/gate.json. A run that does not pass ends this one without writing.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import timing

_TORCHFL = (sys.executable, "-m", "torchfl_sdk.cli")


def passed(command: list[str]) -> timing.Cost:
    """The cost of a command that must exit 0; else ends this program with its output."""
    try:
        return timing.process(command)
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"{' '.join(command)}: exit code {error.returncode}\n{error.stdout}") from error


def seconds(cost: timing.Cost) -> dict[str, float]:
    """As the results file has it."""
    return {"wall": round(cost.wall, 1), "cpu": round(cost.cpu, 1)}


def level(name: str, project: Path, selector: str, folder: Path) -> dict[str, Any]:
    """One run of the gate."""
    out = folder / name
    command = [*_TORCHFL, "conformance", "--device", selector, "--level", name, "--chip-dir", str(project)]
    cost = passed([*command, "--out", str(out)])
    summary = json.loads((out / "summary.json").read_text())
    native = f"{len(summary['ops']['native'])}/{len(summary['ops']['declared'])} ops native"
    return {
        "cases": summary["cases"]["executed"],
        "verdict": f"{summary['outcome']}, {native}",
        "verdicts": summary["verdicts"],
        **seconds(cost),
    }


def selftest(project: Path) -> dict[str, Any]:
    """Every chip that is wrong on purpose, and the right ones beside them."""
    command = [*_TORCHFL, "conformance", "selftest", str(project), "--mutants", "all"]
    cost = passed(command)
    lines = cost.output.splitlines()
    chips = sum(line.startswith(("ok    ", "WRONG ")) for line in lines)
    return {"chips": chips, "verdict": lines[-1], **seconds(cost)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--project", required=True, type=Path, help="x1 as new-chip wrote it, built and probed")
    parser.add_argument("--selftest", action="store_true")
    options = parser.parse_args()
    project = options.project.resolve()
    (profile,) = project.glob("*_device.yaml")
    selector = f"xpu:{profile.name.removesuffix('_device.yaml')}"
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in ("quick", "release"):
            figures[name] = level(name, project, selector, Path(folder))
            print(name, figures[name], flush=True)
    if options.selftest:
        figures["selftest"] = selftest(project)
        print("selftest", figures["selftest"], flush=True)
    print(timing.write("gate", figures))


if __name__ == "__main__":
    main()
