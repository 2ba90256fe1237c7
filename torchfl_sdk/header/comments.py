"""Comments of a header and the declarations they belong to.

libclang attaches documentation comments only; vendors write plain ones, above a declaration or behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# Strings and characters are matched so that comment marks inside them do not count.
_TOKENS = re.compile(
    rb'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|(?P<comment>/\*.*?\*/|//[^\n]*(?:\\\n[^\n]*)*)', re.S
)
_DECORATION = re.compile(r"^\s*(?:/\*+<?!?|//[/!]*<?|\*+(?!/))?\s?|\s*\*+/\s*$")
_RULER = re.compile(r"[-=*#_~]{3,}")


class Comments:
    """The comments of one file, found by line."""

    def __init__(self, data: bytes) -> None:
        self._behind: dict[int, str] = {}  # line -> comment that follows code on it
        self._above: dict[int, tuple[int, str]] = {}  # last line -> first line and text of a comment on its own
        line, position = 1, 0
        for match in _TOKENS.finditer(data):
            if match["comment"] is None:
                continue
            line += data.count(b"\n", position, match.start())
            position = match.start()
            last = line + data.count(b"\n", match.start(), match.end())
            start_of_line = data.rfind(b"\n", 0, match.start()) + 1
            text = _clean(match["comment"].decode("utf-8", "replace"))
            if data[start_of_line : match.start()].strip():
                self._behind[line] = text
            else:
                self._above[last] = (line, text)

    def behind(self, last: int) -> str:
        """The comment that follows code on a line, or ""."""
        return self._behind.get(last, "")

    def of(self, first: int, last: int) -> str:
        """The comment of a declaration on these lines: what stands directly above it and behind its end."""
        parts: list[str] = []
        line = first if first in self._above else first - 1
        while line in self._above:
            start, text = self._above[line]
            parts.insert(0, text)
            line = start - 1
        if last in self._behind:
            parts.append(self._behind[last])
        return "\n".join(part for part in parts if part)


def texts(data: bytes) -> Iterator[str]:
    """Every comment of a file; lines of comments that follow each other are one."""
    run, end = "", 0
    for match in _TOKENS.finditer(data):
        if match["comment"] is None:
            continue
        text = _clean(match["comment"].decode("utf-8", "replace"))
        if run and data[end : match.start()].strip():
            yield run
            run = ""
        run, end = f"{run}\n{text}".strip(), match.end()
    if run:
        yield run


def _clean(comment: str) -> str:
    lines = [_RULER.sub(" ", _DECORATION.sub("", line)).strip() for line in comment.splitlines()]
    return "\n".join(lines).strip().removesuffix("*/").strip()
