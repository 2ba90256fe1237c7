"""What a project remembers of the header that it was made from, and how a newer header differs from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from torchfl_sdk.header.model import Function, HeaderModel

#: The words for a change, in the order in which they are listed.
KINDS = ("removed", "renamed", "changed", "added")


@dataclass(frozen=True)
class Change:
    """One difference between two headers. ``what`` is function | constant | struct, ``kind`` one of :data:`KINDS`."""

    what: str
    kind: str
    name: str
    before: str = ""
    after: str = ""

    def __str__(self) -> str:
        arrow = f"{self.before} -> {self.after}" if self.before and self.after else self.before or self.after
        return f"{self.what} {self.kind}: {self.name}" + (f": {arrow}" if arrow else "")


@dataclass(frozen=True)
class HeaderFacts:
    """The declarations of a header that a project's code can depend on, as plain data that JSON holds."""

    functions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    constants: Mapping[str, int] = field(default_factory=dict)
    structs: Mapping[str, list[str]] = field(default_factory=dict)

    def plain(self) -> dict[str, Any]:
        """As JSON's maps and lists."""
        return {
            "functions": {n: dict(f) for n, f in sorted(self.functions.items())},
            "constants": dict(sorted(self.constants.items())),
            "structs": {n: list(f) for n, f in sorted(self.structs.items())},
        }

    @staticmethod
    def of_plain(data: Mapping[str, Any]) -> HeaderFacts:
        """From what :meth:`plain` gave."""
        return HeaderFacts(data.get("functions", {}), data.get("constants", {}), data.get("structs", {}))


def facts(model: HeaderModel) -> HeaderFacts:
    """The facts of a header that was read."""
    structs = {name: s for name, s in model.structs.items() if s.complete}
    return HeaderFacts(
        {f.name: _function(f, structs) for f in model.functions},
        {c.name: c.value for e in model.enums.values() for c in e.constants},
        {name: [f"{f.type.spelled} {f.name}: {f.type.canonical}" for f in s.fields] for name, s in structs.items()},
    )


def _function(function: Function, structs: Mapping[str, object]) -> dict[str, Any]:
    """``signature`` is for people and has the parameters' names: their order is what a wrapper relies on. ``types``
    are resolved, so that a typedef that now means another type shows."""
    types = [function.result, *(p.type for p in function.params)]
    named = [f"{p.type.spelled} {p.name}".strip() for p in function.params]
    return {
        "signature": f"{function.result.spelled} ({', '.join(named) or 'void'})",
        "types": [t.canonical for t in types],
        "structs": sorted({m.name for t in types for m in t.mentions() if m.name in structs}),
    }


def compare(old: HeaderFacts, new: HeaderFacts) -> tuple[Change, ...]:
    """Every difference, functions first. A function that went while one of the same signature came is renamed."""
    changes = [
        *_functions(old, new),
        *_values("constant", old.constants, new.constants),
        *_values("struct", *({n: "{" + "; ".join(_fields(f)) + "}" for n, f in x.structs.items()} for x in (old, new))),
    ]
    order = {"function": 0, "constant": 1, "struct": 2}
    return tuple(sorted(changes, key=lambda c: (order[c.what], KINDS.index(c.kind), c.name)))


def altered(old: HeaderFacts, new: HeaderFacts, function: str) -> bool:
    """True if calls of a function may mean something else now: its signature, or a struct that it takes, changed."""
    before, after = old.functions.get(function), new.functions.get(function)
    if before is None or after is None:
        return before is not after
    if (before["signature"], before["types"]) != (after["signature"], after["types"]):
        return True
    return any(old.structs.get(s) != new.structs.get(s) for s in after["structs"])


def _fields(lines: list[str]) -> list[str]:
    return [line.split(": ")[0] for line in lines]


def _functions(old: HeaderFacts, new: HeaderFacts) -> list[Change]:
    gone = [n for n in old.functions if n not in new.functions]
    come = [n for n in new.functions if n not in old.functions]
    changes = []
    for name in gone:
        same = [n for n in come if _shape(new.functions[n]) == _shape(old.functions[name])]
        rivals = [n for n in gone if _shape(old.functions[n]) == _shape(old.functions[name])]
        if len(same) == 1 and len(rivals) == 1:
            changes.append(Change("function", "renamed", name, name, same[0]))
            come.remove(same[0])
        else:
            changes.append(Change("function", "removed", name, before=old.functions[name]["signature"]))
    changes += [Change("function", "added", n, after=new.functions[n]["signature"]) for n in come]
    for name, after in new.functions.items():
        before = old.functions.get(name)
        if before is not None and (before["signature"], before["types"]) != (after["signature"], after["types"]):
            texts = [f["signature"] for f in (before, after)]
            if texts[0] == texts[1]:  # a typedef behind it changed
                texts = [", ".join(f["types"]) for f in (before, after)]
            changes.append(Change("function", "changed", name, *texts))
    return changes


def _shape(function: Mapping[str, Any]) -> tuple[str, ...]:
    return (function["signature"], *function["types"])


def _values(what: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Change]:
    changes = [Change(what, "removed", n, before=str(old[n])) for n in old if n not in new]
    changes += [Change(what, "added", n, after=str(new[n])) for n in new if n not in old]
    return changes + [
        Change(what, "changed", n, str(old[n]), str(new[n])) for n in new if n in old and old[n] != new[n]
    ]
