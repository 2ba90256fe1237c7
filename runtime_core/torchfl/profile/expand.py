"""Environment variables in profile values: ``$NAME`` and ``${NAME}``."""

from __future__ import annotations

import os
import re

_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))")


def expand(text: str) -> tuple[str, tuple[str, ...]]:
    """``text`` with its variables replaced, and the names of those that are unset or empty, in order."""
    unset: list[str] = []

    def value(match: re.Match[str]) -> str:
        name = match.group(1) or match.group(2)
        found = os.environ.get(name, "")
        if not found and name not in unset:
            unset.append(name)
        return found

    return _VARIABLE.sub(value, text), tuple(unset)
