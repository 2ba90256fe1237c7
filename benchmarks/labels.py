"""Labels of real headers: what people read in them, in one canonical form.

A label file holds ``ops`` (function, aten, alternatives, argument roles), ``runtime`` (role -> function, functions,
null for "the header has none", "@x" for "in another header") and how complete it is. Spellings of roles that mean
the same are made one here, on both sides of every comparison.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_SAME = {
    "stream_ctx": "stream",
    "queue": "stream",
    "rows": "m",
    "cols": "n",
    "in_c_per_group": "in_c",
    "out_c_per_group": "out_c",
    "in_features": "in_c",
    "out_features": "out_c",
    "dilation_minus1": "dilation",
    "trans": "trans.input",
    "trans_a": "trans.input",
    "trans_b": "trans.input2",
    "transpose": "trans.input",
    "context": "ctx",
    "input_size": "shape.input",
    "kernel_size": "kernel",
}
_ABOUT = re.compile(r"(ld|inc|stride|shape|rank|numel|dtype|desc|offset|list|id)\.(\w+)")


@dataclass(frozen=True)
class OpLabel:
    """One labelled function. ``accepted`` are its right answers; empty for a function that is no aten op."""

    function: str
    accepted: frozenset[str]
    arguments: dict[str, str]
    note: str = ""


@dataclass(frozen=True)
class Labels:
    """One label file."""

    name: str
    folder: str
    headers: tuple[str, ...]
    include_dirs: tuple[str, ...]
    defines: tuple[str, ...]
    ops: tuple[OpLabel, ...]
    runtime: dict[str, tuple[str, ...] | None]
    exhaustive: bool
    eager_usable: bool
    status: dict[str, Any] | None = None
    notes: str = field(default="")
    origin: str = field(default="")  # where the header is to be had, for those that fetch_headers.py does not fetch


def load(path: Path) -> Labels:
    """A label file. Raises OSError, ValueError or KeyError for one that is none."""
    data = json.loads(path.read_text(encoding="utf-8"))
    ops = tuple(
        OpLabel(
            op["function"],
            frozenset(a for a in (op["aten"], *(op.get("alt") or ())) if a) if op.get("aten") else frozenset(),
            arguments(op.get("args") or {}),
            op.get("note", ""),
        )
        for op in data["ops"]
    )
    runtime: dict[str, tuple[str, ...] | None] = {}
    for role, value in data["runtime"].items():
        if isinstance(value, str) and value.startswith("@"):
            continue  # in another header
        runtime[role] = None if value is None else (value,) if isinstance(value, str) else tuple(value)
    return Labels(
        path.stem,
        data["dir"],
        tuple(data["headers"]),
        tuple(data.get("include_dirs") or (".",)),
        tuple(data.get("defines") or ()),
        ops,
        runtime,
        bool(data.get("exhaustive", True)),
        bool(data.get("eager_usable", True)),
        data.get("status"),
        data.get("notes") or "",
        data.get("origin") or "",
    )


def arguments(given: dict[str, str]) -> dict[str, str]:
    """Canonical roles of a function's labelled arguments; those that are not labelled are left out."""
    tensors = {name.lower(): role for name, role in given.items() if role and not role.startswith(("ld", "inc", "_"))}
    found = {}
    for name, role in given.items():
        if not role or role in ("_", "-"):
            continue
        if re.fullmatch(r"ld[a-d]|inc|ld", role):
            letter = name.lower()[0] if re.match(r"[a-z]_(?:ld|inc)", name.lower()) else name.lower()[-1]
            named = {n: r.removeprefix("list.") for n, r in tensors.items() if r.removeprefix("list.") in _TENSORS}
            about = next((r for n, r in named.items() if n[0] == letter or n.endswith(letter)), "")
            role = f"{role[:3] if role == 'inc' else 'ld'}{'.' + about if about else ''}"
        found[name] = canonical(role)
    return found


_TENSORS = ("input", "input2", "input3", "output", "inout")


def canonical(role: str) -> str:
    """One spelling for roles that mean the same."""
    role = _SAME.get(role, role)
    if match := _ABOUT.fullmatch(role):
        about = "output" if match[2] == "inout" else match[2]
        if match[1] == "offset":
            return "offset"  # labels do not say of which buffer
        return f"{match[1]}.{about}"
    return role
