"""The figures that the pages quote, each read from `benchmarks/results/NAME.json`: no page has one typed by hand.

A results file says under which conditions it was made (`machine`, written by `benchmarks/timing.py`); a block that
quotes it says them too. Where there is no results file yet, the page says which command makes it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parent.parent / "benchmarks" / "results"

_COMMANDS = {
    "dispatch": "python benchmarks/dispatch.py --chip-dir x1",
    "fallback": "python benchmarks/fallback.py --chip-dir x1",
    "gate": "python benchmarks/gate.py --project x1",
    "headers_unseen": "python benchmarks/headers.py --labels benchmarks/unseen",
    "random_numbers": "python benchmarks/random_numbers.py --chip-dir x1",
    "resnet": "python benchmarks/resnet.py --chip-dir x1",
    "startup": "python benchmarks/startup.py --project x1",
    "tour": "python benchmarks/tour.py",
}


def load(name: str) -> dict[str, Any]:
    """A results file. Raises OSError or ValueError where there is none or it is damaged."""
    content: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return content


def conditions(machine: Mapping[str, Any]) -> str:
    """A sentence: the kind of machine, the versions, and whether others used it meanwhile."""
    share, quiet = machine.get("others"), machine.get("quiet")
    state = "it is not recorded whether the machine was quiet"
    if share is not None:
        busy = f"other processes used {share:.0%} of its cores meanwhile"
        state = f"quiet machine ({busy})" if quiet else f"**not a quiet machine** ({busy}): ratios hold, seconds do not"
    cpu = f"{machine['cpu']}, " if machine.get("cpu") else ""
    kind = f"{machine['cpus']} cores, {cpu}{machine['machine']}"
    return f"Measured on {kind}; Python {machine['python']}, torch {machine['torch']}; {state}."


def _block(name: str, table: Callable[[dict[str, Any]], Sequence[str]]) -> str:
    command = f"`{_COMMANDS[name]}`"
    try:
        found = load(name)
    except FileNotFoundError:
        return f"Not measured yet; {command} does it."
    rows = "\n".join(table(found))
    said = conditions(found["machine"]) if "machine" in found else "Counts, the same on every machine."
    return f"{rows}\n\n{said} By {command}."


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [
        "| " + " | ".join(head) + " |",
        "|---" + "|--:" * (len(head) - 1) + "|",
        *("| " + " | ".join(row) + " |" for row in rows),
    ]


def _size(text: str) -> str:
    return f"{int(text):,}"


def _seconds(cost: Mapping[str, float]) -> list[str]:
    return [f"{cost['wall']:.2f} s", f"{cost['cpu']:.2f} s"]


def dispatch() -> str:
    """The device's own kernels against the CPU's, by form and by the chip's kind of memory."""

    def rows(found: dict[str, Any]) -> list[str]:
        separate, mapped = found["separate"], found["mapped"]
        made = [[f"`{name}`", f"{separate[name]:.2f} x CPU", f"{mapped[name]:.2f} x CPU"] for name in separate]
        return _table(("64 elements (8 x 8 for mm)", "separate memory", "mapped memory"), made)

    return _block("dispatch", rows)


def fallback() -> str:
    """What the CPU serves for the device, against the CPU."""

    def rows(found: dict[str, Any]) -> list[str]:
        every = found["ratio"].values()
        made = []
        for size, median in found["median"].items():
            ratios = sorted(one[size] for one in every)
            made.append([_size(size), f"{median:.2f} x CPU", f"{ratios[0]:.2f}", f"{ratios[-1]:.2f}"])
        head = ("elements", f"median of {len(every)} ops (seed {found['seed']})", "least", "most")
        return _table(head, made)

    return _block("fallback", rows)


def resnet() -> str:
    """A partly served net, by three ways to fall back."""

    def rows(found: dict[str, Any]) -> list[str]:
        names = {
            "stock": "copies for every op that falls back, as PyTorch's own fallback does",
            "separate": "storage with two sides",
            "mapped": "the same, on a chip that maps host memory",
        }
        made = [
            [text, f"{found[way]['ratio']:.2f} x CPU", str(found[way]["copies"]), f"{found[way]['bytes'] / 1e6:.1f} MB"]
            for way, text in names.items()
        ]
        head = (f"ResNet18-shaped, batch {found['batch']}, {found['size']} pixels", "latency", "copies", "moved")
        return _table(head, made)

    return _block("resnet", rows)


def startup() -> str:
    """The command line, imports, init, compile and a large header."""

    def rows(found: dict[str, Any]) -> list[str]:
        imports, init, compiled, header = found["import"], found["init"], found["compile"], found["new_chip"]
        torch, extension = "`import torch`", "the smallest torch extension"
        lines = (
            ("`torchfl --help`, whole process", found["help"], "", ""),
            (torch, imports["torch"], imports["torch"], torch),
            ("`import torchfl`", imports["torchfl"], imports["torchfl"], torch),
            (f"{torch}, with torchfl's entry point", imports["torch_with_entry_point"],
             imports["torch_with_entry_point"], torch),
            ("`torchfl.init()`, first in a process", init["cold"], init["cold"], torch),
            ("`torchfl.init()`, after `shutdown()`", init["warm"], init["warm"], torch),
            ("clean compile: chip library and its module", compiled["chip"], compiled["chip"], extension),
            ("clean compile: the smallest pybind11 module", compiled["pybind11"], compiled["pybind11"], extension),
            (f"clean compile: {extension}", compiled["torch"], compiled["torch"], extension),
            (f"`new-chip`, header of {header['lines']:,} lines, with its compile check", header["checked"], "", ""),
            ("the same without the check", header["plain"], "", ""),
        )  # fmt: skip
        made = [
            [what, *_seconds(cost), f"{ratio['ratio']:.2g} x {to}" if isinstance(ratio, dict) else ""]
            for what, cost, ratio, to in lines
        ]
        return _table(("what", "wall", "CPU", "CPU seconds, as a ratio"), made)

    return _block("startup", rows)


def random_numbers() -> str:
    """Drawing on the device against the CPU."""

    def rows(found: dict[str, Any]) -> list[str]:
        ratios = found["ratio"]
        sizes = list(next(iter(ratios.values())))
        made = [[name, *(f"{row[n]:.2f} x CPU" for n in sizes)] for name, row in ratios.items()]
        return _table(("draw", *(f"{_size(n)} elements" for n in sizes)), made)

    return _block("random_numbers", rows)


def gate() -> str:
    """The gate on the simulated chip, and on wrong ones."""

    def rows(found: dict[str, Any]) -> list[str]:
        made = [
            [f"`conformance --level {level}`", str(found[level]["cases"]), found[level]["verdict"],
             *_seconds(found[level])]
            for level in ("quick", "release")
            if level in found
        ]  # fmt: skip
        if "selftest" in found:
            one = found["selftest"]
            made.append(["`conformance selftest x1 --mutants all`", str(one["chips"]), one["verdict"], *_seconds(one)])
        return _table(("run", "cases or chips", "verdict", "wall", "CPU"), made)

    return _block("gate", rows)


def headers_unseen() -> str:
    """Matcher and reader at first sight, batch by batch."""

    def rows(found: dict[str, Any]) -> list[str]:
        made = []
        for batch in found["batches"]:
            one = batch["first_sight"]
            shares = [f"{one[key]:.3f}" for key in ("ops_recall", "ops_precision", "roles", "arguments")]
            made.append([str(batch["batch"]), str(one["headers"]), str(one["ops"]), *shares])
        return _table(("batch", "headers", "ops", "recall", "precision", "roles", "arguments"), made)

    return _block("headers_unseen", rows)


def tour() -> str:
    """The README's tour as it ran, indented as code."""
    try:
        found = load("tour")
    except FileNotFoundError:
        return f"Not recorded yet; `{_COMMANDS['tour']}` does it."
    parts = ["\n".join(f"    {line}".rstrip() for line in (f"$ {s['command']}", *s["lines"])) for s in found["steps"]]
    return "\n\n".join(parts) + f"\n\n{conditions(found['machine'])}"


def headline() -> str:
    """The README's few figures, with their conditions: ratios and seconds of CPU, which hold on a busy machine too."""
    lines = []
    quoted: tuple[tuple[str, Callable[[Mapping[str, Any]], str]], ...] = (
        ("dispatch", _dispatched),
        ("fallback", _fell_back),
        ("resnet", _moved),
        ("startup", _started),
        ("gate", _gated),
    )
    for name, text in quoted:
        try:
            found = load(name)
        except FileNotFoundError:
            continue
        lines.append(f"- {text(found)}; {_short(found['machine'])}")
    return "\n".join(lines)


def _short(machine: Mapping[str, Any]) -> str:
    quiet = {True: "quiet", False: "**not quiet**", None: "quiet or not: not recorded"}[machine.get("quiet")]
    return f"{machine['cpus']} cores, torch {machine['torch']}, {quiet}"


def _dispatched(found: Mapping[str, Any]) -> str:
    return (
        f"a native call costs {found['mapped']['add']:.2f} x CPU's own `add` of 64 elements on a chip that maps host "
        f"memory and {found['separate']['add']:.2f} x on one with memory of its own, all checks included"
    )


def _fell_back(found: Mapping[str, Any]) -> str:
    median = found["median"]
    small, large = min(median, key=int), max(median, key=int)
    return (
        f"an op that the CPU serves for the device costs {median[small]:.2f} x the CPU op at {_size(small)} elements "
        f"and {median[large]:.2f} x at {_size(large)} (medians)"
    )


def _moved(found: Mapping[str, Any]) -> str:
    stock, own = found["stock"], found["separate"]
    return (
        f"a ResNet18-shaped net that the chip serves in part takes {own['ratio']:.2f} x CPU with {own['copies']} "
        f"copies ({own['bytes'] / 1e6:.1f} MB), where copying for every fallback takes {stock['ratio']:.2f} x with "
        f"{stock['copies']} ({stock['bytes'] / 1e6:.1f} MB)"
    )


def _started(found: Mapping[str, Any]) -> str:
    chip, init = found["compile"]["chip"], found["init"]["cold"]
    return (
        f"a chip compiles from nothing in {chip['cpu']:.1f} s of CPU, {chip['ratio']:.2f} x the smallest torch "
        f"extension; `init()` takes {init['ratio']:.2f} x `import torch`"
    )


def _gated(found: Mapping[str, Any]) -> str:
    release, selftest = found["release"], found.get("selftest")
    said = f"the gate tries {release['cases']:,} cases on the simulated chip in {release['cpu']:.0f} s of CPU"
    return f"{said}; of chips wrong on purpose, and right ones: {selftest['verdict']}" if selftest else said


BLOCKS: dict[str, Callable[[], str]] = {
    "figures-dispatch": dispatch,
    "figures-fallback": fallback,
    "figures-gate": gate,
    "figures-headers-unseen": headers_unseen,
    "figures-headline": headline,
    "figures-random-numbers": random_numbers,
    "figures-resnet": resnet,
    "figures-startup": startup,
    "figures-tour": tour,
}
