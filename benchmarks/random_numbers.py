"""What random numbers cost on the device, against the CPU's: drawn by the CPU from a generator of each call's own.

    python benchmarks/random_numbers.py --chip-dir x1

Seeding that generator is most of what a small draw costs beyond an op that falls back. Device and CPU are interleaved
in one process; prints ratios and writes results/random_numbers.json.
"""

from __future__ import annotations

import argparse

import timing
import torch

import torchfl

SIZES = (64, 4096, 1 << 18)
DRAWS = {
    "rand": lambda n, d: torch.rand(n, device=d),
    "randn": lambda n, d: torch.randn(n, device=d),
    "dropout": lambda n, d: torch.nn.functional.dropout(torch.empty(n, device=d)),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chip-dir", required=True)
    torchfl.init([parser.parse_args().chip_dir])
    torch.set_num_threads(1)
    ratios: dict[str, dict[str, float]] = {}
    for name, draw in DRAWS.items():
        for n in SIZES:
            there, here = timing.interleaved([lambda d=d, n=n, draw=draw: draw(n, d) for d in ("xpu", "cpu")])
            ratios.setdefault(name, {})[str(n)] = round(there / here, 2)
        print(name, ratios[name])
    print(timing.write("random_numbers", {"ratio": ratios}))


if __name__ == "__main__":
    main()
