"""What a native call costs: the device's add of 64 elements against the CPU's, all checks included.

    python benchmarks/dispatch.py --chip-dir x1

Prints the ratio and writes results/dispatch.json.
"""

from __future__ import annotations

import argparse

import timing
import torch

import torchfl


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chip-dir", required=True)
    options = parser.parse_args()
    torchfl.init([options.chip_dir])
    torch.set_num_threads(1)
    ratios = {}
    for size in (64, 4096):
        a, b = torch.rand(size), torch.rand(size)
        x, y = a.to("xpu"), b.to("xpu")
        torchfl.reset_counters()
        torch.add(x, y)
        if torchfl.counters()["aten::add.Tensor"].native != 1:
            raise SystemExit("this chip does not serve aten::add in float32")
        theirs, ours = timing.interleaved(
            [lambda: torch.add(a, b), lambda: torch.add(x, y)],  # noqa: B023
            seconds=2,
            rounds=21,
        )
        ratios[str(size)] = round(ours / theirs, 3)
        print(f"native add, {size} elements: {ratios[str(size)]:.2f} x CPU ({ours * 1e9:.0f} / {theirs * 1e9:.0f} ns)")
    print(timing.write("dispatch", {"add": ratios}))


if __name__ == "__main__":
    main()
