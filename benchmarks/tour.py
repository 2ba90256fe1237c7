"""The README's tour, run in an empty folder: what each command prints and how long it takes.

    python benchmarks/tour.py

Writes results/tour.json, which the README quotes through docs/generate.py. Long outputs are cut where KEEP says; a cut
is shown as "...". The folder's path is left out of the lines.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import timing

#: Command, and which of its lines the README shows: (how many first ones, how many last ones), and a pattern for more.
_NEW_CHIP = "torchfl new-chip x1 --header sdk/include/x1_runtime.h --lib sdk/lib/libx1.so"
KEEP = (
    (_NEW_CHIP, 1, 0, r"^bound |aten::(_to_copy|abs|add|addmm) |^not bound|^check"),
    ("torchfl-build x1", 0, 3, ""),
    ("torchfl probe --device xpu:x1 --write", 1, 1, r"^  aten::(add|addmm|conv2d) "),
    ("torchfl conformance --device xpu:x1", 0, 6, ""),
)  # fmt: skip
_WIDEST = 118


def shown(lines: list[str], first: int, last: int, pattern: str) -> list[str]:
    """The lines that are kept, with "..." for each gap."""
    kept: list[str] = []
    gap = False
    for number, line in enumerate(lines):
        wanted = number < first or number >= len(lines) - last or (pattern and re.search(pattern, line))
        if wanted:
            kept += ["..."] if gap else []
            kept.append(line if len(line) <= _WIDEST else line[: _WIDEST - 4] + " ...")
        gap = not wanted
    return [*kept, "..."] if gap else kept


def main() -> None:
    if not shutil.which("torchfl"):
        raise SystemExit("torchfl is not on PATH: activate the environment that it is installed in")
    steps = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        subprocess.run(["torchfl", "sdk", "x1", "--out", "sdk"], cwd=folder, check=True, capture_output=True)
        subprocess.run(["torchfl", "core", "build"], cwd=folder, check=True, capture_output=True)
        for command, first, last, pattern in KEEP:
            started = time.perf_counter()
            done = subprocess.run(
                command.split(), cwd=folder, text=True, check=False, stdout=subprocess.PIPE, stderr=sys.stderr,
                stdin=subprocess.DEVNULL, env={**os.environ, "CCACHE_DISABLE": "1", "NO_COLOR": "1"},
            )  # fmt: skip
            if done.returncode:
                raise SystemExit(f"{command}: exit code {done.returncode}\n{done.stdout}")
            seconds = round(time.perf_counter() - started, 2)
            lines = done.stdout.replace(f"{folder}/", "").splitlines()
            steps.append({"command": command, "seconds": seconds, "lines": shown(lines, first, last, pattern)})
            print(f"{seconds:6.1f} s  {command}", flush=True)
    print(timing.write("tour", {"steps": steps}))


if __name__ == "__main__":
    main()
