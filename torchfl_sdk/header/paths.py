"""Absolute paths to where the compiler finds things."""

from __future__ import annotations

import os
from collections.abc import Iterable


def absolute(path: str | os.PathLike[str]) -> str:
    """An absolute path without ``..``. What is above a folder that is a link is above where the link leads, as the
    system has it, and not above its name."""
    flat = os.path.abspath(path)
    real = os.path.realpath(path)
    return flat if os.path.realpath(flat) == real else real


def above(includes: Iterable[str]) -> int:
    """How many folders upwards the names of #includes lead at most."""
    return max((os.path.normpath(name).split(os.sep).count(os.pardir) for name in includes), default=0)


def stand_in(include: str, depth: int) -> str:
    """Where a stand-in for an #include has to lie in a folder of which ``searched(depth)`` is what the compiler
    searches; above that folder, the path begins with ``..``."""
    return os.path.normpath(os.path.join(searched(depth), include))


def searched(depth: int) -> str:
    """A folder in a folder, so deep that an #include may lead ``depth`` folders upwards."""
    return os.path.join(*["up"] * depth) if depth else ""
