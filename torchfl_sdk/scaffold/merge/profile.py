"""Three-way merge of a profile by its structure: hand edits and what the probe found stay, byte for byte.

``supported_ops`` is merged entry by entry and key by key. The probe's answers hold for as long as the vendor's
function is the same; where it is not, the entry goes back to ``unverified`` and the probe has to ask again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from torchfl.profile.tree import parse_tree
from torchfl_sdk.probe.splice import Splice
from torchfl_sdk.scaffold.merge.text import markers, merge_text

#: Keys that the probe, or whoever knows the chip, settles.
SETTLED = ("dtype_support", "constraints", "layout", "alignment", "pad", "inplace", "int8_store")
_OPS = "supported_ops"
_MISSING: Any = object()


@dataclass
class ProfileMerge:
    """The merged text, paths in conflict (markers stand there), entries to probe again, and entries left out."""

    text: str = ""
    conflicts: list[str] = field(default_factory=list)
    unsettled: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class _Text(Splice):
    """A profile under edit, also by whole lines."""

    def plain(self) -> Any:
        """As :meth:`Splice.plain`; an empty file is an empty map."""
        return super().plain() or {}

    def item_lines(self, index: int) -> tuple[int, int]:
        """Where an entry's lines begin and end; (0, 0) if entries do not have lines of their own."""
        return self._lines_of(self._find((_OPS,)), index)

    def key_lines(self, key: str) -> tuple[int, int]:
        """Where a top-level key's lines begin and end."""
        starts = [self._line_start(k.start_mark.index) for k, _ in self._compose().value]
        at = [k.value for k, _ in self._compose().value].index(key)
        return starts[at], starts[at + 1] if at + 1 < len(starts) else len(self.text)

    def preamble(self) -> str:
        """The comments above the first key."""
        tree = self._compose()
        return self.text[: self._line_start(tree.value[0][0].start_mark.index)] if tree and tree.value else self.text

    def indent(self) -> int:
        """The column of the entries' dashes; -1 if they have no lines of their own."""
        if not self.plain().get(_OPS) or self.item_lines(0) == (0, 0):
            return -1
        start, end = self.item_lines(0)
        line = self.text[start:end]
        return len(line) - len(line.lstrip(" "))

    def names(self) -> list[str]:
        return [str(op.get("name")) for op in self.plain().get(_OPS) or []]

    def entries(self) -> dict[str, dict[str, Any]]:
        return {str(op.get("name")): op for op in self.plain().get(_OPS) or []}

    def item(self, name: str) -> str:
        start, end = self.item_lines(self.names().index(name))
        return self.text[start:end]

    def cut(self, start: int, end: int, new: str = "") -> None:
        self._replace(start, end, new)


def merge_profile(base: str, mine: str, theirs: str, altered: frozenset[str], path: str) -> ProfileMerge:
    """What becomes of ``mine`` when the generated ``base`` becomes ``theirs``.

    ``altered`` are the ops whose vendor functions changed. With an empty ``base`` (a profile that a person wrote from
    nothing) ``mine`` wins wherever both say something. Raises TorchflError for a ``mine`` that is no YAML map.
    """
    parse_tree(mine, path)
    out = ProfileMerge()
    old, text, new = _Text(base), _Text(mine), _Text(theirs)
    if text.preamble() != new.preamble():
        merged = merge_text(old.preamble(), text.preamble(), new.preamble())
        text.cut(0, len(text.preamble()), text.preamble() if merged.conflicts else merged.text)
    clash: list[tuple[str, str]] = []  # kind, name
    _keys(old, text, new, clash)
    _entries(old, text, new, altered, clash, out)
    out.conflicts = [f"{_OPS}[{name}]" if kind == "entry" else name for kind, name in clash]
    _mark(text, new, clash)
    out.text = text.text
    return out


def _mark(text: _Text, new: _Text, clash: list[tuple[str, str]]) -> None:
    """Put both versions of what is in conflict between markers; from the end, as the text no longer parses then."""
    places = []
    for kind, name in clash:
        if kind == "entry":
            lines = text.item_lines(text.names().index(name))
            other = new.item(name) if name in new.names() else ""
        else:
            lines = text.key_lines(name)
            other = new.text[slice(*new.key_lines(name))] if name in new.plain() else ""
        places.append((*lines, other))
    for start, end, other in sorted(places, reverse=True):
        text.cut(start, end, markers(text.text[start:end], other))


def _keys(old: _Text, text: _Text, new: _Text, clash: list[tuple[str, str]]) -> None:
    before, after = old.plain(), new.plain()
    for key in dict.fromkeys([*after, *before]):
        if key == _OPS:
            continue
        mine = text.plain()
        if not before and not isinstance(mine.get(key, {}), dict):
            continue  # a person wrote it from nothing
        if not _value(text, (key,), *(x.get(key, _MISSING) for x in (before, mine, after))):
            clash.append(("key", key))


def _value(text: _Text, path: tuple[str | int, ...], base: Any, mine: Any, theirs: Any) -> bool:
    """Merge one value, maps key by key; False on a conflict."""
    if theirs in (base, mine):
        return True
    if isinstance(mine, dict) and isinstance(theirs, dict):
        inner = base if isinstance(base, dict) else {}
        keys = dict.fromkeys([*theirs, *inner])
        done = [_value(text, (*path, k), *(x.get(k, _MISSING) for x in (inner, mine, theirs))) for k in keys]
        return all(done)
    if mine == base:
        if theirs is _MISSING:
            text.remove(path)
        else:
            text.set(path, theirs)
        return True
    return False


def _entries(
    old: _Text,
    text: _Text,
    new: _Text,
    altered: frozenset[str],
    clash: list[tuple[str, str]],
    out: ProfileMerge,
) -> None:
    before, mine, after = old.entries(), text.entries(), new.entries()
    for name, theirs in after.items():
        if name in mine and name in before:
            _entry(text, name, before[name], theirs, name in altered, clash, out)
        elif name not in mine and name not in before:
            _insert(text, new, name)
    for name, base in before.items():
        if name in after or name not in mine:
            continue
        if mine[name].get("impl") != base.get("impl"):
            out.notes.append(f"{name}: kept, it has a kernel of your own")
        elif _by_hand(base, mine[name]) and text.indent() >= 0:
            clash.append(("entry", name))
        else:
            _remove(text, name)
            out.notes.append(f"{name}: taken out, no function of the header serves it any more")


def _by_hand(base: Mapping[str, Any], mine: Mapping[str, Any]) -> bool:
    """True if a person, not only the probe, changed an entry."""
    if mine.get("provenance", "declared") == "declared":
        return True
    probed = {"provenance", "evidence", *SETTLED}
    return any(mine.get(k) != base.get(k) for k in {*base, *mine} - probed)


def _entry(
    text: _Text,
    name: str,
    base: dict[str, Any],
    theirs: dict[str, Any],
    altered: bool,
    clash: list[tuple[str, str]],
    out: ProfileMerge,
) -> None:
    index = text.names().index(name)
    mine = text.plain()[_OPS][index]
    changes: dict[str, Any] = {}
    settled = mine.get("provenance", "declared") not in ("unverified", "header")
    offers = any(base.get(k) != theirs.get(k) for k in ("dtype_support", "constraints"))
    again = altered or (mine.get("provenance") == "probed" and offers)
    if again:
        for key in SETTLED:
            changes[key] = theirs.get(key, _MISSING)
        changes["provenance"] = theirs.get("provenance", "unverified")
        if settled or mine.get("provenance") != changes["provenance"]:
            out.unsettled.append(name)
    special = {"name", "evidence", *changes, *((*SETTLED, "provenance") if settled else ())}
    for key in dict.fromkeys([*theirs, *base]):
        if key in special:
            continue
        b, m, t = (x.get(key, _MISSING) for x in (base, mine, theirs))
        if t in (b, m):
            continue
        if m == b:
            changes[key] = t
        else:
            clash.append(("entry", name))
            break
    added = [e for e in mine.get("evidence", []) if e not in base.get("evidence", [])]
    if again:
        added = [e for e in added if not e.startswith("probe: ")]
    evidence = [*theirs.get("evidence", []), *added]
    if evidence != mine.get("evidence", []):
        changes["evidence"] = evidence
    for key in [k for k, v in changes.items() if v is _MISSING]:
        del changes[key]
        text.remove((_OPS, index, key))
    text.set_items((_OPS,), {index: changes})


def _insert(text: _Text, new: _Text, name: str) -> None:
    """A new entry, after the one that it follows in the generated profile; written as there where lines allow it."""
    entry = new.entries()[name]
    if not text.plain().get(_OPS):
        if _OPS in text.plain():
            text.remove((_OPS,))
        lead = "" if text.text.endswith("\n") or not text.text else "\n"
        text.cut(len(text.text), len(text.text), f"{lead}{_OPS}:\n{new.item(name)}")
        return
    if text.indent() != new.indent():
        text.append((_OPS,), entry)
        return
    order, have = new.names(), text.names()
    earlier = [n for n in order[: order.index(name)] if n in have]
    at = text.item_lines(have.index(earlier[-1]))[1] if earlier else text.item_lines(0)[0]
    lead = "" if at == 0 or text.text[at - 1] == "\n" else "\n"
    text.cut(at, at, lead + new.item(name))


def _remove(text: _Text, name: str) -> None:
    names = text.names()
    start, end = text.item_lines(names.index(name))
    if (start, end) == (0, 0):
        return  # a flow list: the entry is dead, and the loader says that its kernel is missing
    if len(names) == 1:
        start, end = text.key_lines(_OPS)
    text.cut(start, end)
