"""Timing for ratios on a shared machine: interleaved, in CPU time, medians of rounds; and the conditions it met.

Every results file says what it was measured on and how much of the machine others used meanwhile: a ratio survives a
busy machine, seconds do not.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).with_name("results")

#: Below this share of the machine's cores, used by others during a run, the machine counts as quiet.
QUIET = 0.1


@dataclass(frozen=True)
class Cost:
    """One run of a process with all its children: wall and CPU (user and system) seconds, and what it printed."""

    wall: float
    cpu: float
    output: str = ""


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


def processes(
    commands: Mapping[str, Sequence[str]], rounds: int, environment: Mapping[str, str] | None = None
) -> dict[str, Cost]:
    """Median cost of each command as a whole process, by name; the commands take turns, ``rounds`` times.

    ``environment`` is added to this process's own. Raises CalledProcessError, with the output, for one that fails.
    """
    samples: dict[str, list[Cost]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            samples[name].append(process(command, environment))
    return {name: median(found) for name, found in samples.items()}


def process(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Cost:
    """The cost of one run of a command. Raises CalledProcessError, with the output, if it fails."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        command,
        check=True,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        env={**os.environ, **(environment or {})},
    )
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Cost(wall, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, done.stdout)


def median(costs: Sequence[Cost]) -> Cost:
    """Wall and CPU seconds, each the median."""
    return Cost(statistics.median(c.wall for c in costs), statistics.median(c.cpu for c in costs))


def _used() -> tuple[float, float, float]:
    """Seconds since some moment: of the wall, of CPU that all processes used, of CPU used by this one and its children.

    The second is NaN where the kernel does not say.
    """
    own = sum(os.times()[:4])
    try:
        user, nice, system, _idle, _iowait, irq, softirq, *_ = map(int, _cpu_line().split()[1:])
    except (OSError, ValueError):
        return time.monotonic(), float("nan"), own
    return time.monotonic(), (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK"), own


def _cpu_line() -> str:
    with Path("/proc/stat").open() as file:
        return file.readline()


_START = _used()


def others() -> float:
    """The share of the machine's cores that other processes used since this module was imported; NaN if unknown.

    Only children that were waited for count as this process's own.
    """
    wall, used, own = (now - then for now, then in zip(_used(), _START, strict=True))
    return max(0.0, (used - own) / (wall * (os.cpu_count() or 1)))


def conditions() -> dict[str, Any]:
    """The machine's kind, the versions, and whether it was quiet. Nothing that names a machine, a user or a path."""
    share = others()
    known = share == share
    return {
        "cpus": os.cpu_count(),
        "cpu": _cpu_model(),
        "machine": platform.machine(),
        "system": platform.system(),
        "python": platform.python_version(),
        "torch": version("torch"),
        "others": round(share, 2) if known else None,
        "quiet": share < QUIET if known else None,
    }


def _cpu_model() -> str:
    """What the processor calls itself; "" where the system does not say."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")


def write(name: str, figures: Mapping[str, Any]) -> Path:
    """Writes ``results/<name>.json`` with the conditions of the run. Call it once everything is measured."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps({"machine": conditions(), **figures}, indent=2) + "\n")
    return path
