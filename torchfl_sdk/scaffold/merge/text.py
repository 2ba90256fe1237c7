"""Three-way merge of text by lines: a change of one side is taken, changes of both in one place are a conflict.

Written here because the library for it (merge3) is GPL, and git need not be on a vendor's build machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

#: Conflict markers, as git writes them; a file that holds a line that begins so is not merged again.
MINE, MIDDLE, THEIRS = "<<<<<<< yours", "=======", ">>>>>>> from the header"


@dataclass(frozen=True)
class Merged:
    """The merged text; ``conflicts`` are the lines (from 1) at which a conflict's first marker stands."""

    text: str
    conflicts: tuple[int, ...] = ()


def merge_text(base: str, mine: str, theirs: str) -> Merged:
    """What becomes of ``mine`` when ``base``, from which it was edited, becomes ``theirs``."""
    if theirs in (base, mine):
        return Merged(mine)
    if mine == base:
        return Merged(theirs)
    a, b, c = (t.splitlines(keepends=True) for t in (base, mine, theirs))
    out: list[str] = []
    conflicts: list[int] = []
    base_at = mine_at = theirs_at = 0
    for start, end, in_mine, in_theirs in _common(a, b, c):
        old, ours, new = a[base_at:start], b[mine_at:in_mine], c[theirs_at:in_theirs]
        if ours == new or new == old:
            out += ours
        elif ours == old:
            out += new
        else:
            _conflict(ours, new, out, conflicts)
        out += a[start:end]
        base_at, mine_at, theirs_at = end, in_mine + end - start, in_theirs + end - start
    return Merged("".join(out), tuple(conflicts))


def markers(mine: str, theirs: str) -> str:
    """Both versions between conflict markers."""
    return "".join(f"{line}\n" for line in (MINE, *mine.splitlines(), MIDDLE, *theirs.splitlines(), THEIRS))


def marker_lines(text: str) -> tuple[int, ...]:
    """Lines (from 1) at which an unresolved conflict begins."""
    return tuple(i for i, line in enumerate(text.splitlines(), 1) if line.startswith(MINE[:8]))


def _conflict(ours: list[str], new: list[str], out: list[str], conflicts: list[int]) -> None:
    """What both sides begin and end with alike stays outside the markers."""
    head = 0
    while head < min(len(ours), len(new)) and ours[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(ours), len(new)) - head and ours[-1 - tail] == new[-1 - tail]:
        tail += 1
    out += ours[:head]
    conflicts.append(sum(line.count("\n") for line in out) + 1)
    out.append(markers("".join(ours[head : len(ours) - tail]), "".join(new[head : len(new) - tail])))
    out += ours[len(ours) - tail :]


def _common(base: Sequence[str], mine: Sequence[str], theirs: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """Ranges of ``base`` that both others have too: (start, end, place in mine, place in theirs); the last is empty."""
    left = SequenceMatcher(None, base, mine, autojunk=False).get_matching_blocks()
    right = SequenceMatcher(None, base, theirs, autojunk=False).get_matching_blocks()
    i = j = 0
    while i < len(left) and j < len(right):
        a, b = left[i], right[j]
        start, end = max(a.a, b.a), min(a.a + a.size, b.a + b.size)
        if start < end:
            yield start, end, a.b + start - a.a, b.b + start - b.a
        if a.a + a.size < b.a + b.size:
            i += 1
        else:
            j += 1
    yield len(base), len(base), len(mine), len(theirs)
