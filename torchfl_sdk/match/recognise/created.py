"""Roles of what an op is created from, before it is told its tensors: their sizes, and how its window moves."""

from __future__ import annotations

from collections.abc import Sequence

from torchfl_sdk.match.recognise.part import Part
from torchfl_sdk.match.tokens import words

_TENSORS = {
    "src": "input", "input": "input", "in": "input", "dst": "output", "output": "output", "out": "output",
    "filter": "weight", "weights": "weight", "weight": "weight", "bias": "bias",
}  # fmt: skip
_SIZES = frozenset(words("size sizes dims shape"))
_WINDOW = {"stride": "stride", "strides": "stride", "offset": "padding", "offsets": "padding", "dilation": "dilation"}


def sizes(parts: Sequence[Part], kind: str, roles: list[str]) -> list[str]:
    """``roles`` with those of arrays of sizes and of a window's steps, which no tensor of the call is about."""
    made = list(roles)
    arrays = [p for p in parts if p.sort == "ints" and len(p.words) == 2]
    several = sum(p.words[0] in _TENSORS and p.words[1] in _SIZES for p in arrays) > 1
    for part in arrays:
        about, what = part.words
        if what in _SIZES and about in _TENSORS and (several or _TENSORS[about] != "weight"):
            made[part.index] = f"shape.{_TENSORS[about]}"  # else a filter's size is the window's
        elif kind in ("conv", "pool", "backward") and what in _WINDOW:
            made[part.index] = _WINDOW[what]
    return made
