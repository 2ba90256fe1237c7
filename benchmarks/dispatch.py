"""What a native call costs: small ops on the device against the CPU's, all checks included.

    python benchmarks/dispatch.py --chip-dir x1

Measures a chip with separate memory and the same one with mapped memory, each in a process of its own. Prints the
ratios and writes results/dispatch.json.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import timing
import torch
from mapped_chip import mapped_chip

import torchfl

SIZE, MATRIX, LARGER = 64, 8, 4096
MODES = ("separate", "mapped")
Call = Callable[[], torch.Tensor]


def calls(device: str) -> dict[str, Call]:
    """Small ops of 64 elements and one of 4,096, on tensors of ``device``."""
    torch.manual_seed(0)
    x, y, out = torch.rand(SIZE).to(device), torch.rand(SIZE).to(device), torch.rand(SIZE).to(device)
    a, b = torch.rand(MATRIX, MATRIX).to(device), torch.rand(MATRIX, MATRIX).to(device)
    total = torch.zeros(SIZE).to(device)
    u, v = torch.rand(LARGER).to(device), torch.rand(LARGER).to(device)
    return {
        "add": lambda: torch.add(x, y),
        "add_": lambda: total.add_(y),
        "add out=": lambda: torch.add(x, y, out=out),
        "add 1": lambda: torch.add(x, 1),
        "mul": lambda: torch.mul(x, y),
        "relu": lambda: torch.relu(x),
        "mm": lambda: torch.mm(a, b),
        "add 4096": lambda: torch.add(u, v),
    }


def measure(chip: str) -> dict[str, float]:
    """Ratios by form, of one chip."""
    torchfl.init([chip])
    torch.set_num_threads(1)
    cpu, ours = calls("cpu"), calls("xpu")
    for name, call in ours.items():
        call()
        torchfl.reset_counters()
        call()
        counts = torchfl.counters().values()
        if sum(c.native for c in counts) != 1 or any(c.cpu for c in counts):
            raise SystemExit(f"this chip does not serve {name} in float32")
    functions = [f for name in ours for f in (cpu[name], ours[name])]
    seconds = timing.interleaved(functions, seconds=2, rounds=101)
    ratios = {}
    for i, name in enumerate(ours):
        theirs, mine = seconds[2 * i], seconds[2 * i + 1]
        ratios[name] = round(mine / theirs, 3)
        print(f"  {name:9}{ratios[name]:.2f} x CPU ({mine * 1e9:.0f} / {theirs * 1e9:.0f} ns)", file=sys.stderr)
    return ratios


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chip-dir", required=True, type=Path)
    parser.add_argument("--measure", action="store_true", help="this chip as it is, in this process; prints JSON")
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(str(options.chip_dir))))
        return
    figures: dict[str, dict[str, float]] = {}
    for mode in MODES:
        print(f"native, {SIZE} elements, {mode} memory:", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            chip = mapped_chip(options.chip_dir, Path(folder)) if mode == "mapped" else options.chip_dir
            command = [sys.executable, __file__, "--chip-dir", str(chip), "--measure"]
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
            figures[mode] = json.loads(done.stdout)
    print(timing.write("dispatch", figures))


if __name__ == "__main__":
    main()
