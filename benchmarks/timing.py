"""Timing for ratios on a shared machine: interleaved, in CPU time of the calling thread, medians of rounds."""

from __future__ import annotations

import json
import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).with_name("results")


def interleaved(functions: Sequence[Callable[[], Any]], seconds: float = 0.2, rounds: int = 9) -> list[float]:
    """Median CPU seconds of one call of each function.

    The functions take turns, ``rounds`` times, about ``seconds`` in all for each: what slows the machine down meets
    them alike. Only the calling thread's time counts, so torch must be limited to one thread.
    """
    calls = []
    for function in functions:
        function()
        start = time.thread_time()
        function()
        once = max(time.thread_time() - start, 1e-7)
        calls.append(max(1, min(20_000, int(seconds / rounds / once))))
    samples: list[list[float]] = [[] for _ in functions]
    for _ in range(rounds):
        for function, count, sample in zip(functions, calls, samples, strict=True):
            start = time.thread_time()
            for _ in range(count):
                function()
            sample.append((time.thread_time() - start) / count)
    return [statistics.median(sample) for sample in samples]


def write(name: str, figures: dict[str, Any]) -> Path:
    """Writes ``results/<name>.json`` with the machine it was measured on."""
    import torch

    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    machine = {
        "cpus": os.cpu_count(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "torch": torch.__version__,
    }
    path.write_text(json.dumps({"machine": machine, **figures}, indent=2) + "\n")
    return path
