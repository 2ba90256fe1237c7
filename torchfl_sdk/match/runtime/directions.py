"""Which way a copy goes, by the constants of the argument that says it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from torchfl_sdk.header.model import Enum, HeaderModel, Param
from torchfl_sdk.match.tokens import split, words

_DEVICE = frozenset(words("device dev d card npu gpu chip core board accel accelerator hbm ddr remote target"))
_HOST = frozenset(words("host h cpu system sys local"))
_GLUED = {"htod": "h d", "dtoh": "d h", "dtod": "d d", "htoh": "h h"}
#: One word that says it all, as seen from the host.
_ALONE = {
    "upload": "h2d",
    "download": "d2h",
    "todevice": "h2d",
    "tohost": "d2h",
    "fromdevice": "d2h",
    "fromhost": "h2d",
}
_WITHIN = frozenset(words("on within inside in local on_device internal"))
NAMES = frozenset(words("kind dir direction way"))


def directions(enum: Enum | None) -> dict[str, str]:
    """Direction ("h2d", "d2h", "d2d", "h2h") -> constant for an enum of copy directions; empty for another enum."""
    if enum is None:
        return {}
    named = _directions((c.name, _direction(c.name)) for c in enum.constants)
    return named or _directions((c.name, _explained(c.comment)) for c in enum.constants)


def directions_of(model: HeaderModel, param: Param) -> dict[str, str]:
    """The same for a parameter: by its enum, or for a plain int that is called so by the macros of the header."""
    if param.type.kind == "enum":
        return directions(model.enums.get(param.type.name))
    if param.type.kind == "int" and NAMES & set(split(param.name)):
        named = [n for n in model.constants if {"copy", "memcpy", "dir", "direction", "dma", "xfer"} & set(split(n))]
        return _directions((name, _direction(name)) for name in named)
    return {}


def _directions(told: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Of constants and their ways, "" for none; nothing unless there is one to the device and one back."""
    found: dict[str, str] = {}
    for name, way in told:
        if way:
            found.setdefault(way, name)
    return found if {"h2d", "d2h"} <= set(found) else {}


def _explained(comment: str) -> str:
    """The way that a comment tells, whatever the device is called there: ``host to board``."""
    told = re.search(r"\b([a-z]+)(?: memory)? *(?:to|->|=>) *(?:the )?([a-z]+)\b", comment.lower())
    if told is None:
        return ""
    return "2".join("h" if word in _HOST else "d" for word in told.groups())


def _direction(name: str) -> str:
    said = split(re.sub(r"(?<=[A-Za-z])2(?=[A-Za-z])", "_to_", name.rpartition("::")[2]))
    said = [part for word in said for part in _GLUED.get(word, word).split()]
    sides = [("d" if word in _DEVICE else "h", i) for i, word in enumerate(said) if word in _DEVICE | _HOST]
    if len(sides) >= 2:
        (first, _), (second, at) = sides[-2:]
        if said[at - 1] == "from":  # device_from_host
            first, second = second, first
        return f"{first}2{second}"
    if len(sides) == 1:
        side, at = sides[0]
        before = said[at - 1] if at else ""
        if before in ("to", "into"):
            return "h2d" if side == "d" else "d2h"
        if before == "from":
            return "d2h" if side == "d" else "h2d"
        if before in _WITHIN or said[-1] == "local":
            return f"{side}2{side}"
    return _ALONE.get("".join(said[-2:]), _ALONE.get("".join(said[-1:]), ""))
