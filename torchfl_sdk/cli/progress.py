"""How far a long run is: one line on stderr that a terminal rewrites; nothing where stderr is no terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def show() -> Iterator[Callable[[Any, int, int], None] | None]:
    """Gives a callback (result, done, planned), or None without a terminal; clears the line at the end."""
    if not sys.stderr.isatty():
        yield None
        return

    def progress(result: Any, done: int, planned: int) -> None:
        sys.stderr.write(f"\r\x1b[K{done}/{planned} {result.case.sample.op}")
        sys.stderr.flush()

    try:
        yield progress
    finally:
        sys.stderr.write("\r\x1b[K")
