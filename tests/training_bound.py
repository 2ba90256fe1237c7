"""How far float16 may move the result of a whole computation: the oracle's perturbation bound, for programs.

The program runs on the CPU in float64 on the float16-quantised inputs: that is the reference. It runs again with the
result of every op moved by a random relative error of one float16 rounding; what those runs differ by is what an
honest float16 device may differ by. A sound tolerance needs no run in float16 on any machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

#: Half an ulp at the bottom of a binade: the largest relative error of one rounding to float16, and the largest
#: absolute one among its subnormals.
RELATIVE, ABSOLUTE = 2.0**-11, 2.0**-25

Tensors = Mapping[str, torch.Tensor]


class Rounding(TorchDispatchMode):
    """Moves every floating result by a random rounding error of float16. Views and copies are exact."""

    EXACT = frozenset({"detach", "clone", "_to_copy", "zeros_like", "ones_like", "zero_", "copy_", "fill_"})

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.generator = torch.Generator().manual_seed(seed)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if func.is_view or func.overloadpacket.__name__ in self.EXACT:
            return result
        for tensor in result if isinstance(result, (tuple, list)) else [result]:
            if isinstance(tensor, torch.Tensor) and tensor.is_floating_point():
                error = torch.rand(tensor.shape, generator=self.generator, dtype=tensor.dtype) * 2 - 1
                # Zero is exact: moved, it would count as the active side of a rectifier.
                tensor.add_((tensor.abs() * RELATIVE).clamp(min=ABSOLUTE) * error * (tensor != 0))
        return result


@dataclass(frozen=True)
class ProgramBound:
    """Reference and tolerance of each named result, in float64."""

    reference: dict[str, torch.Tensor]
    tolerance: dict[str, torch.Tensor]

    def worst(self, results: Tensors) -> dict[str, float]:
        """The largest error of each result in units of its tolerance; inf for NaN. At most 1 is right."""
        found = {}
        for name, reference in self.reference.items():
            error = (results[name].detach().cpu().to(torch.float64) - reference).abs() / self.tolerance[name]
            found[name] = float(error.nan_to_num(nan=float("inf")).max())
        return found


def program_bound(program: Callable[[torch.dtype], Tensors], runs: int = 12, spread: float = 6.0) -> ProgramBound:
    """The bound of a program that takes the dtype to compute in and gives named results.

    The tolerance of an element is ``spread`` times its root mean square deviation over ``runs`` perturbed runs, no
    less than ``spread`` times half that of its whole tensor (twelve runs know one element poorly), plus one rounding.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # the tensors are small: more threads only wait for each other
    try:
        return _bound(program, runs, spread)
    finally:
        torch.set_num_threads(threads)


def _bound(program: Callable[[torch.dtype], Tensors], runs: int, spread: float) -> ProgramBound:
    reference = {name: t.detach().clone() for name, t in program(torch.float64).items()}
    squares = {name: torch.zeros_like(t) for name, t in reference.items()}
    for seed in range(runs):
        with Rounding(seed):
            moved = program(torch.float64)
        for name, t in moved.items():
            squares[name] += (t.detach() - reference[name]) ** 2
    tolerance = {}
    for name, square in squares.items():
        deviation = (square / runs).sqrt()
        floor = 0.5 * (square.mean() / runs).sqrt()
        rounding = (reference[name].abs() * 2 * RELATIVE).clamp(min=2 * ABSOLUTE)
        tolerance[name] = spread * torch.maximum(deviation, floor) + rounding
    return ProgramBound(reference, tolerance)
