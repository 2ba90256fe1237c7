"""What one walk over a translation unit found, and what of it is not trusted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import clang.cindex as cx

from torchfl_sdk.header.model import (
    Class,
    Constant,
    CType,
    Enum,
    Excluded,
    Function,
    MacroAlias,
    Struct,
    Typedef,
    View,
)


@dataclass
class Distrust:
    """Source lines that carry an error, or use a name no header declares."""

    lines: dict[str, dict[int, str]] = field(default_factory=dict)  # file -> line -> reason

    def add(self, file: str, line: int, reason: str) -> None:
        self.lines.setdefault(file, {}).setdefault(line, reason)

    def of(self, cursor: cx.Cursor) -> str:
        """Why a declaration is not trusted, or ""."""
        if not self.lines:
            return ""
        start = cursor.extent.start
        bad = self.lines.get(start.file.name) if start.file else None
        if not bad:
            return ""
        first, last = start.line, max(start.line, cursor.extent.end.line)
        return next((reason for line, reason in bad.items() if first <= line <= last), "")


@dataclass
class Tables:
    """What one walk found."""

    functions: dict[str, Function] = field(default_factory=dict)
    methods: dict[str, Function] = field(default_factory=dict)
    classes: dict[str, Class] = field(default_factory=dict)
    views: dict[str, View] = field(default_factory=dict)
    untrusted: dict[str, Function] = field(default_factory=dict)
    structs: dict[str, Struct] = field(default_factory=dict)
    enums: dict[str, Enum] = field(default_factory=dict)
    typedefs: dict[str, Typedef] = field(default_factory=dict)
    constants: dict[str, Constant] = field(default_factory=dict)
    aliases: dict[str, MacroAlias] = field(default_factory=dict)
    excluded: dict[str, Excluded] = field(default_factory=dict)


def exclude_dependents(tables: Tables) -> None:
    """Takes out structs with an untrusted field, the structs that hold those, and the functions that use them."""
    bad = {name: struct.unresolved for name, struct in tables.structs.items() if struct.unresolved}
    again = bool(bad)
    while again:
        again = False
        for name, struct in tables.structs.items():
            if name in bad:
                continue
            culprit = _mentioned(bad, (f.type for f in struct.fields))
            if culprit:
                bad[name] = f"holds '{culprit}'"
                again = True
    for name, reason in bad.items():
        struct = tables.structs.pop(name)
        tables.excluded.setdefault(name, Excluded(name, _as_reason(reason), struct.place))
    if not bad:
        return
    for name, function in list(tables.functions.items()):
        culprit = _mentioned(bad, (function.result, *(p.type for p in function.params)))
        if culprit:
            tables.untrusted.setdefault(name, tables.functions.pop(name))
            why = f"depends on '{culprit}', which is not resolved"
            tables.excluded.setdefault(name, Excluded(name, why, function.place, True))


def _mentioned(bad: dict[str, str], types: Iterator[CType] | tuple[CType, ...]) -> str:
    return next((inner.name for type_ in types for inner in type_.mentions() if inner.name in bad), "")


def _as_reason(reason: str) -> str:
    return reason if " " in reason else f"depends on '{reason}', which is not resolved"
