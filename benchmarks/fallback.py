"""What an op costs on the device when the CPU serves it, against the CPU op itself.

    python benchmarks/fallback.py --chip-dir x1 [--seed 0] [--ops 20]

20 ops picked by seed from those that the chip does not serve in float32, at 4 sizes, device and CPU interleaved in one
process. The data is on the host side, as it is between two fallbacks: what a migration costs is in resnet.py. Prints
ratios and writes results/fallback.json.
"""

from __future__ import annotations

import argparse
import random
import statistics
from typing import Any

import timing
import torch

import torchfl

SIZES = (64, 4096, 1 << 18, 1 << 22)
UNARY = """sin cos tan asin acos atan sinh cosh asinh atanh erf erfc erfinv exp2 expm1 log2 log10 log1p lgamma digamma
ceil floor round trunc frac sign square reciprocal sigmoid tanh logit""".split()  # noqa: SIM905
BINARY = "atan2 hypot fmod remainder copysign nextafter logaddexp xlogy eq lt ge logical_and heaviside ldexp".split()  # noqa: SIM905
INPLACE = ("mul_", "sub_", "sin_", "square_", "clamp_min_", "div_")
OTHER = ("sum", "cumsum", "argmax", "softmax", "amax", "flip")


def call(name: str, a: torch.Tensor, b: torch.Tensor) -> Any:
    """The named op on one or both of the tensors."""
    if name in BINARY:
        return getattr(torch, name)(a, b)
    if name in ("mul_", "sub_", "div_", "clamp_min_"):
        return getattr(a, name)({"mul_": 1.0, "sub_": 0.0, "div_": 1.0, "clamp_min_": -1e9}[name])
    if name in INPLACE:
        return getattr(a, name)()
    if name in ("cumsum", "softmax", "amax"):
        return getattr(torch, name)(a, 0)
    if name == "flip":
        return torch.flip(a, (0,))
    return getattr(torch, name)(a)


def falls_back(name: str) -> bool:
    """Whether the CPU serves the op, found by running it."""
    a, b = torch.rand(8).to("xpu"), torch.rand(8).to("xpu")
    torchfl.reset_counters()
    call(name, a, b)
    counted = torchfl.counters().values()
    return sum(c.cpu for c in counted) > 0 and sum(c.native for c in counted) == 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chip-dir", required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--ops", type=int, default=20)
    options = parser.parse_args()
    torchfl.init([options.chip_dir])
    torch.set_num_threads(1)
    candidates = [name for name in (*UNARY, *BINARY, *INPLACE, *OTHER) if falls_back(name)]
    names = sorted(random.Random(options.seed).sample(candidates, options.ops))
    ratios: dict[str, dict[str, float]] = {name: {} for name in names}
    for size in SIZES:
        cpu = torch.rand(size) * 0.8 + 0.1, torch.rand(size) * 0.8 + 0.1
        device = tuple(t.clone().to("xpu").mul_(1.0) for t in cpu)
        for name in names:
            theirs, ours = timing.interleaved([lambda: call(name, *cpu), lambda: call(name, *device)])  # noqa: B023
            ratios[name][str(size)] = round(ours / theirs, 3)
    medians = {str(size): round(statistics.median(r[str(size)] for r in ratios.values()), 3) for size in SIZES}
    width = max(map(len, names))
    print(f"{'device fallback / CPU op':{width}}  " + "".join(f"{size:>10}" for size in SIZES))
    for name, row in ratios.items():
        print(f"{name:{width}}  " + "".join(f"{row[str(size)]:>10.2f}" for size in SIZES))
    print(f"{'median':{width}}  " + "".join(f"{medians[str(size)]:>10.2f}" for size in SIZES))
    print(timing.write("fallback", {"seed": options.seed, "median": medians, "ratio": ratios}))


if __name__ == "__main__":
    main()
