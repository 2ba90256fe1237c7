"""Which layer served which op, how often, and why it was not the chip's own kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torchfl import _loader


@dataclass(frozen=True)
class OpCounters:
    """Calls of one overload since the start or the last reset, over all chips or on one.

    ``native`` calls ran the profile's kernel; of them ``adapted`` needed an input cast, expanded, moved or laid out
    anew, or the result copied to its destination. ``op_specific`` ran a kernel of the fallback policy, ``decomposed``
    ran as other ops (which count by themselves), ``onnxruntime`` and ``cpu`` ran on the host. ``declined`` counts
    kernels that said UNSUPPORTED; such a call is counted again where it ended up.
    """

    native: int = 0
    adapted: int = 0
    op_specific: int = 0
    decomposed: int = 0
    onnxruntime: int = 0
    cpu: int = 0
    declined: int = 0


@dataclass(frozen=True)
class FallbackReason:
    """Why calls of an overload did not run on the chip's own kernel, and how many."""

    op: str
    selector: str
    reason: str
    count: int


def counters(selector: str | None = None) -> dict[str, OpCounters]:
    """Counters by overload (``"aten::add.Tensor"``), of one chip or of all; views and empty results count nowhere."""
    total: dict[str, list[int]] = {}
    for op, chip, *counts in _rows():
        if selector is not None and chip != selector:
            continue
        known = total.setdefault(op, [0] * len(counts))
        for i, count in enumerate(counts):
            known[i] += count
    return {op: OpCounters(*counts) for op, counts in total.items()}


def reset_counters() -> None:
    """Sets every counter of ops, reasons and copies to 0."""
    core = _loader.loaded()
    if core is not None:
        core.reset_op_counters()
        core.reset_copy_counters()


def fallback_reasons() -> tuple[FallbackReason, ...]:
    """Every distinct reason since the start or the last reset, by op, the commonest first."""
    core = _loader.loaded()
    rows = [FallbackReason(*row) for row in core.fallback_reasons()] if core is not None else []
    return tuple(sorted(rows, key=lambda row: (row.op, row.selector, -row.count, row.reason)))


def _rows() -> list[Any]:
    core = _loader.loaded()
    return list(core.op_counters()) if core is not None else []
