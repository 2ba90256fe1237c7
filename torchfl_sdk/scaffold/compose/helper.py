"""One C++ function that several kernels share, with what must stand before it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from torchfl_sdk.match.tokens import split


@dataclass(frozen=True)
class Helper:
    """A C++ function: its name, its text, what must stand before it, the vendor functions in it. ``borrows``: what
    it fills points to the tensor's memory."""

    name: str
    text: str
    before: tuple[str, ...] = ()
    used: tuple[str, ...] = ()
    ctype: str = ""
    borrows: bool = False

    @property
    def texts(self) -> tuple[str, ...]:
        return (*self.before, self.text)


def add_texts(to: list[str], helper: Helper) -> None:
    to += [text for text in helper.texts if text not in to]


def plain(ctype: str) -> str:
    return re.sub(r"\W+", "_", ctype).strip("_").removeprefix("const_")


def short(ctype: str) -> str:
    """A variable's name from the last word of a type: ``vlQueue_t`` -> queue."""
    found = [w for w in split(plain(ctype)) if w not in ("t", "st", "ptr")]
    return found[-1] if found else "object"
