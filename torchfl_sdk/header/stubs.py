"""What stands in for the things that no header declares, and what is said of it afterwards."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from torchfl.errors import Place, Problem
from torchfl_sdk.header import errors, library
from torchfl_sdk.header.ctypes_of import STAND_IN


@dataclass
class Stubs:
    """What stands in for the things no header declares; only ever grows, so the fixpoint ends."""

    types: dict[str, Place] = field(default_factory=dict)
    macros: dict[str, Place] = field(default_factory=dict)
    calls: dict[str, tuple[Place, bool]] = field(default_factory=dict)  # name -> place, expands to its arguments
    values: dict[str, Place] = field(default_factory=dict)
    scopes: dict[str, set[str]] = field(default_factory=dict)  # namespace -> types in it
    scoped_values: dict[str, set[str]] = field(default_factory=dict)  # namespace or type -> constants in it
    templates: dict[str, str] = field(default_factory=dict)  # of those types, qualified -> a template's parameters
    integral: set[str] = field(default_factory=set)  # of those types, what has to be a number
    includes: dict[str, Place] = field(default_factory=dict)
    include_dirs: list[Path] = field(default_factory=list)
    given_up: set[str] = field(default_factory=set)
    standard: set[str] = field(default_factory=set)  # C headers whose names are used without being included
    changes: int = 0

    def known(self, name: str) -> bool:
        return any(name in names for names in (self.types, self.macros, self.calls, self.values, self.given_up))

    def declares(self, name: str) -> bool:
        """True if a type of this name has a stand-in, in whatever namespace."""
        return name in self.types or any(name in names for names in self.scopes.values())

    def size(self) -> int:
        """Grows with every new stand-in."""
        return (
            len(self.types)
            + 2 * len(self.macros)
            + 2 * len(self.calls)
            + len(self.values)
            + sum(1 + len(v) for v in self.scopes.values())
            + sum(1 + len(v) for v in self.scoped_values.values())
            + len(self.templates)
            + len(self.integral)
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
        lines += [self._type(name, name) for name in self.types]
        for scope in dict.fromkeys([*self.scopes, *self.scoped_values]):
            if not self._is_type(scope):
                lines.append(f"namespace {scope} {{ {' '.join(self._members(scope))} }}")
        return "\n".join(lines) + "\n"

    def _is_type(self, scope: str) -> bool:
        outer, _, inner = scope.rpartition("::")
        return inner in (self.scopes.get(outer, ()) if outer else self.types)

    def _members(self, scope: str) -> list[str]:
        """What stands in for the names of a namespace or a type."""
        types = sorted(self.scopes.get(scope, ()))
        shared = set() if self._is_type(scope) else {name for name in types if name in self.types}
        return [
            *(f"using ::{name};" if name in shared else self._type(name, f"{scope}::{name}") for name in types),
            *(f"static const int {name} = 1;" for name in sorted(self.scoped_values.get(scope, ()))),
        ]

    def _type(self, name: str, qualified: str) -> str:
        marked = f"{STAND_IN}{name}"
        if name in self.integral:
            return f"typedef enum {marked} {{ {marked}_value }} {name};"
        inside = "".join(f" {member}" for member in self._members(qualified))
        if parameters := self.templates.get(qualified):
            alias = f"template <class... T> using {name} = {marked}<T...>;"
            if parameters != "class...":
                kinds = [f"{kind} T{i}" for i, kind in enumerate(parameters.split(", "))]
                names = ", ".join(f"T{i}" for i in range(len(kinds)))
                alias = f"template <{', '.join(kinds)}> using {name} = {marked}<{names}>;"
            return f"template <{parameters}> struct {marked} {{ int opaque;{inside} }}; {alias}"
        return f"typedef struct {marked} {{ int opaque;{inside} }} {name};"


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
    if added := sorted(stubs.standard - set(library.C_LIBRARY.values())):
        cause = f"names of std:: are used and nothing includes them; read with {', '.join(f'<{n}>' for n in added)}"
        found.append(Problem(errors.LIBRARY_ADDED, cause, "add the folders of the missing includes with -I"))
    for scope, names in stubs.scopes.items():
        cause = f"{', '.join(f'{scope}::{n}' for n in sorted(names))} is not declared by any header"
        found.append(Problem(errors.UNRESOLVED_TYPE, cause, "add the missing header's folder with -I"))
    for scope, names in stubs.scoped_values.items():
        cause = f"{', '.join(f'{scope}::{n}' for n in sorted(names))} is not declared by any header"
        found.append(Problem(errors.UNRESOLVED_VALUE, cause, "add the missing header's folder with -I"))
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
