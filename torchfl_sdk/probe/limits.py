"""From single answers to a constraint: the smallest statement that allows what worked and refuses what did not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from math import gcd
from typing import Any

Number = int | float | bool


def allowed_list(accepted: Iterable[Number], refused: Iterable[Number]) -> list[Number] | None:
    """The constraint of an attribute: its accepted values in order, or None where nothing that was asked is refused."""
    if not list(refused):
        return None
    return sorted(accepted)


def extent_limit(accepted: Sequence[int], refused: Sequence[int]) -> dict[str, int] | list[int] | None:
    """The constraint of a size: None where nothing is refused, else bounds and a divisor that separate the two sets.

    A divisor is only believed where at least three accepted values support it. What bounds and a divisor cannot
    separate becomes the list of accepted values: true of what was asked, silent about the rest.
    """
    if not refused:
        return None
    if not accepted:
        return []
    limit: dict[str, int] = {}
    low, high = min(accepted), max(accepted)
    if any(value < low for value in refused):
        limit["min"] = low
    if any(value > high for value in refused):
        limit["max"] = high
    inside = [value for value in refused if low <= value <= high]
    if inside:
        divisor = reduce(gcd, accepted)
        if divisor > 1 and len(set(accepted)) >= 3 and not any(value % divisor == 0 for value in inside):
            limit["multiple_of"] = divisor
            if limit.get("min", divisor) <= divisor:
                limit.pop("min", None)
        else:
            return sorted(set(accepted))
    return limit


def within(limit: Any, value: Any) -> bool:
    """Whether a value satisfies a constraint as a profile writes it (a list, a map, or None for no limit)."""
    if limit is None:
        return True
    if isinstance(limit, list):
        return any(value == item and isinstance(value, bool) == isinstance(item, bool) for item in limit)
    return (
        ("min" not in limit or value >= limit["min"])
        and ("max" not in limit or value <= limit["max"])
        and ("multiple_of" not in limit or value % limit["multiple_of"] == 0)
    )


def pairwise(values: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Few combinations in which every pair of values of two variables occurs together. Deterministic.

    Greedy: each combination starts from a pair not yet seen and takes for every other variable the value that adds
    most new pairs.
    """
    names = [name for name in sorted(values) if values[name]]
    missing = {(a, x, b, y) for i, a in enumerate(names) for b in names[i + 1 :] for x in values[a] for y in values[b]}
    order = sorted(missing, key=repr)
    out = []
    for a, x, b, y in order:
        if (a, x, b, y) not in missing:
            continue
        row = {a: x, b: y}
        for name in names:
            if name in row:
                continue
            row[name] = max(values[name], key=lambda v, n=name: len(_pairs({**row, n: v}) & missing))  # type: ignore[misc]
        missing -= _pairs(row)
        out.append({name: row[name] for name in names})
    return out


def _pairs(row: dict[str, Any]) -> set[tuple[str, Any, str, Any]]:
    names = sorted(row)
    return {(a, row[a], b, row[b]) for i, a in enumerate(names) for b in names[i + 1 :]}
