"""What stands in for the things that no header declares, and what is said of it afterwards."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from torchfl.errors import Place, Problem
from torchfl_sdk.header import errors
from torchfl_sdk.header.ctypes_of import STAND_IN


@dataclass
class Stubs:
    """What stands in for the things no header declares; only ever grows, so the fixpoint ends."""

    types: dict[str, Place] = field(default_factory=dict)
    macros: dict[str, Place] = field(default_factory=dict)
    calls: dict[str, tuple[Place, bool]] = field(default_factory=dict)  # name -> place, expands to its arguments
    values: dict[str, Place] = field(default_factory=dict)
    scopes: dict[str, set[str]] = field(default_factory=dict)  # namespace -> types in it
    includes: dict[str, Place] = field(default_factory=dict)
    include_dirs: list[Path] = field(default_factory=list)
    given_up: set[str] = field(default_factory=set)
    standard: set[str] = field(default_factory=set)  # C headers whose names are used without being included
    changes: int = 0

    def known(self, name: str) -> bool:
        return any(name in names for names in (self.types, self.macros, self.calls, self.values, self.given_up))

    def size(self) -> int:
        """Grows with every new stand-in."""
        return (
            len(self.types)
            + 2 * len(self.macros)
            + 2 * len(self.calls)
            + len(self.values)
            + sum(1 + len(v) for v in self.scopes.values())
            + len(self.includes)
            + len(self.include_dirs)
            + 3 * len(self.given_up)
            + len(self.standard)
            + 2 * self.changes
        )

    def prelude(self) -> str:
        """The text included before the headers."""
        lines = [f"#include <{name}>" for name in sorted(self.standard)]
        lines += [f"#define {name}" for name in self.macros]
        lines += [f"#define {name}(...) {'__VA_ARGS__' if keeps else ''}" for name, (_, keeps) in self.calls.items()]
        lines += [f"#define {name} 1" for name in self.values]
        lines += [f"typedef struct {STAND_IN}{name} {{ int opaque; }} {name};" for name in self.types]
        for scope, names in self.scopes.items():
            outer, _, inner = scope.rpartition("::")
            if inner in (self.scopes.get(outer, ()) if outer else self.types):
                continue  # a type, whose members nobody knows
            inner = " ".join(f"typedef struct {STAND_IN}{name} {{ int opaque; }} {name};" for name in sorted(names))
            lines.append(f"namespace {scope} {{ {inner} }}")
        return "\n".join(lines) + "\n"


def problems_of(stubs: Stubs, unread: Sequence[tuple[Place, str]], vendor: Container[str]) -> list[Problem]:
    """Everything that was missing, as findings; none is fatal by itself.

    ``unread``: the errors that no stand-in repaired. ``vendor``: the vendor's own files.

    Errors in other files, such as the C library's, matter only through what they leave unresolved.
    """
    found: list[Problem] = []
    for name, place in stubs.includes.items():
        found.append(Problem(errors.MISSING_INCLUDE, f"'{name}' was not found", "add its folder with -I", place))
    for name, place in stubs.types.items():
        cause = f"type '{name}' is not declared by any header; what depends on it is left out"
        found.append(Problem(errors.UNRESOLVED_TYPE, cause, "add the missing header's folder with -I", place))
    for scope, names in stubs.scopes.items():
        cause = f"{', '.join(f'{scope}::{n}' for n in sorted(names))} is not declared by any header"
        found.append(Problem(errors.UNRESOLVED_TYPE, cause, "add the missing header's folder with -I"))
    for name, place in [*stubs.macros.items(), *((n, p) for n, (p, _) in stubs.calls.items())]:
        cause = f"macro '{name}' is not defined; taken as empty"
        found.append(Problem(errors.UNDEFINED_MACRO, cause, f"pass -D {name}=... if it means something", place))
    for name, place in stubs.values.items():
        cause = f"'{name}' is not declared by any header; what depends on it is left out"
        found.append(Problem(errors.UNRESOLVED_VALUE, cause, f"pass -D {name}=... or add its header", place))
    for place, text in unread:
        if place.file not in vendor:
            continue
        found.append(Problem(errors.UNREADABLE_LINE, text, "", place))
    return found
