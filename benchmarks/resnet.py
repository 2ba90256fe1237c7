"""A ResNet18-shaped net on a chip that serves a part of it, three ways.

    python benchmarks/resnet.py --chip-dir x1 [--size 64] [--batch 1]

stock     copies every argument of every fallback to the CPU and every result back, as at::native::cpu_fallback does
separate  two-sided storage on a chip with memory of its own
mapped    the same chip with `memory: {mode: mapped}`: one side

Each way runs in a process of its own. Prints latency as a ratio to the CPU's, copies and bytes of one forward pass, and
writes results/resnet.json.
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
import torch
from mapped_chip import mapped_chip
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map_only

import torchfl

WAYS = ("stock", "separate", "mapped")


class Block(nn.Module):
    """Two 3x3 convolutions and a shortcut."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs))
        self.second = nn.Sequential(nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs))
        self.short = (
            nn.Identity()
            if stride == 1 and inputs == outputs
            else nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.second(torch.relu(self.first(x))) + self.short(x))


def resnet18() -> nn.Sequential:
    """ResNet18's layers with weights from a seed, for inference."""
    torch.manual_seed(0)
    layers: list[nn.Module] = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU()]
    layers.append(nn.MaxPool2d(3, 2, 1))
    inputs = 64
    for outputs, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
        layers += [Block(inputs, outputs, stride), Block(outputs, outputs, 1)]
        inputs = outputs
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000)]
    return nn.Sequential(*layers).eval().requires_grad_(False)


class Stock(TorchDispatchMode):
    """Serves by copies every op that the chip does not serve; which those are is learnt from the first run."""

    def __init__(self) -> None:
        super().__init__()
        self.on_cpu: dict[Any, bool] = {}
        self.copies = self.bytes = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func not in self.on_cpu:
            torchfl.reset_counters()
            out = func(*args, **kwargs)
            self.on_cpu[func] = any(c.cpu for c in torchfl.counters().values())
            return out
        if not self.on_cpu[func]:
            return func(*args, **kwargs)
        args, kwargs = tree_map_only(torch.Tensor, self._down, (args, kwargs))
        return tree_map_only(torch.Tensor, self._up, func(*args, **kwargs))

    def _down(self, t: torch.Tensor) -> torch.Tensor:
        self._count(t)
        return t.cpu()

    def _up(self, t: torch.Tensor) -> torch.Tensor:
        self._count(t)
        return t.to("xpu")

    def _count(self, t: torch.Tensor) -> None:
        self.copies += 1
        self.bytes += t.nbytes


def measure(way: str, chip_dir: str, batch: int, size: int) -> dict[str, float]:
    """One way in this process: seconds, ratio to the CPU, copies and bytes."""
    torchfl.init([chip_dir])
    torch.set_num_threads(1)
    model, image = resnet18(), torch.randn(batch, 3, size, size)
    expected = model(image)
    twin = resnet18().to("xpu")
    x = image.to("xpu")
    mode = Stock() if way == "stock" else None

    def on_device() -> torch.Tensor:
        if mode is None:
            return twin(x)
        with mode:
            return twin(x)

    for _ in range(2):
        y = on_device()
    torch.testing.assert_close(y.cpu(), expected, rtol=1e-2, atol=1e-3)
    torchfl.reset_counters()
    if mode is not None:
        mode.copies = mode.bytes = 0
    on_device()
    counted = torchfl.copy_counters()
    copies, moved = counted.h2d + counted.d2h, counted.h2d_bytes + counted.d2h_bytes
    if mode is not None:
        # The copies that the mode made: small ones wait on the host side, which stock storage does not have.
        copies, moved = mode.copies, mode.bytes
    cpu, ours = timing.interleaved([lambda: model(image), on_device], seconds=3, rounds=7)
    return {"seconds": ours, "ratio": round(ours / cpu, 3), "copies": copies, "bytes": moved}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chip-dir", required=True, type=Path)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--size", type=int, default=64)
    parser.add_argument("--way", choices=WAYS)
    options = parser.parse_args()
    if options.way:
        print(json.dumps(measure(options.way, str(options.chip_dir), options.batch, options.size)))
        return
    figures: dict[str, dict[str, float]] = {}
    for way in WAYS:
        with tempfile.TemporaryDirectory() as folder:
            chip = options.chip_dir.resolve()
            if way == "mapped":
                chip = mapped_chip(chip, Path(folder))
            command = [sys.executable, __file__, "--chip-dir", chip, "--batch", str(options.batch)]
            command += ["--size", str(options.size), "--way", way]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            figures[way] = json.loads(done.stdout)
        row = figures[way]
        print(
            f"{way:9} {row['ratio']:6.2f} x CPU   {row['copies']:4} copies   {row['bytes'] / 1e6:8.2f} MB", flush=True
        )
    print(timing.write("resnet", {"batch": options.batch, "size": options.size, **figures}))


if __name__ == "__main__":
    main()
