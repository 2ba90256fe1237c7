"""Replacing attributes of torch's modules and classes, and putting them back."""

from __future__ import annotations

from typing import Any

_ABSENT = object()


class Replacements:
    """The attributes that one patch has replaced."""

    def __init__(self) -> None:
        self._saved: list[tuple[Any, str, Any]] = []

    def __bool__(self) -> bool:
        return bool(self._saved)

    def put(self, owner: Any, name: str, value: Any) -> None:
        """Sets ``owner.name``, and remembers what was there."""
        self._saved.append((owner, name, vars(owner).get(name, _ABSENT)))
        setattr(owner, name, value)

    def pairs(self) -> list[tuple[Any, Any]]:
        """What was there before, and what is there now; without attributes that were not there."""
        return [(old, vars(owner)[name]) for owner, name, old in self._saved if old is not _ABSENT]

    def undo(self) -> None:
        """Puts everything back, the last first."""
        while self._saved:
            owner, name, before = self._saved.pop()
            if before is _ABSENT:
                delattr(owner, name)
            else:
                setattr(owner, name, before)
