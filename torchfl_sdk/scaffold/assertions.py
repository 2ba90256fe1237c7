"""What the generated project asserts about the vendor's header when it is compiled again.

A newer header may move a field, renumber an enum or change a signature; each is then a compile error that names
the command to run, not a wrong result on the board.
"""

from __future__ import annotations

from dataclasses import dataclass

from torchfl_sdk.header.model import CType, Function, HeaderModel
from torchfl_sdk.match.model import MatchResult
from torchfl_sdk.scaffold.overloads import overloaded


@dataclass(frozen=True)
class Assertions:
    """Constants with their values, struct fields with their types, functions with their types."""

    constants: tuple[tuple[str, int], ...]
    fields: tuple[tuple[str, str, str], ...]  # struct, field, its C++ type
    functions: tuple[tuple[str, str], ...]  # expression of a function's address, its C++ pointer type
    layouts: tuple[tuple[str, int, tuple[tuple[str, int], ...]], ...]  # struct, its bytes, each field's place


def plan_assertions(model: HeaderModel, match: MatchResult, used: frozenset[str]) -> Assertions:
    """Assertions for the constants, structs and functions that the generated code uses."""
    names = _constants(match)
    values = {c.name: c.value for e in model.enums.values() for c in e.constants}
    structs = {a.fields.struct for b in match.bindings for c in b.calls for a in c.arguments if a.fields is not None}
    fields = []
    layouts = []
    for name in sorted(structs):
        struct = model.structs.get(name) or next((s for s in model.structs.values() if name in s.typedefs), None)
        if struct is not None and struct.size > 0:
            places = tuple((f.name, f.offset) for f in struct.fields if f.name and f.offset >= 0)
            layouts.append((name, struct.size, places))
        for field in struct.fields if struct else ():
            text = cxx_type(field.type)
            if text and field.name:
                fields.append((name, field.name, text))
    functions = []
    several = overloaded(model, used)
    for function in model.functions:
        if function.name in used and not function.variadic and function.linkage == "c":
            if function.cxx:  # a mismatch does not compile
                functions.append((f"static_cast<{function.signature}>(&{function.cxx})", function.signature))
                continue
            pointer = pointer_type(function)
            if pointer:
                address = f"&::{function.name}"
                functions.append(
                    (f"static_cast<{pointer}>({address})" if function.name in several else address, pointer)
                )
    return Assertions(
        tuple(sorted((n, values[n]) for n in names if n in values)),
        tuple(fields),
        tuple(sorted(functions)),
        tuple(layouts),
    )


def pointer_type(function: Function) -> str:
    """The C++ type of a pointer to a C function; "" where a type in it has no such form."""
    params = function.packed.params if function.packed is not None else function.params
    parts = [cxx_type(function.result), *(cxx_type(p.type) for p in params)]
    return f"{parts[0]} (*)({', '.join(parts[1:])})" if all(parts) else ""


def _constants(match: MatchResult) -> set[str]:
    """Every vendor constant that generated code may name."""
    statuses = (match.status, *match.status.others)
    names = {s.success for s in statuses} | {c for s in statuses for c, _ in s.values}
    arguments = [a for b in match.bindings for c in b.calls for a in c.arguments]
    arguments += [a for f in match.runtime for a in f.arguments]
    for a in arguments:
        names |= {a.value, *(c for _, c in a.values)}
        if a.fields:
            names |= {c for _, c in (*a.fields.dtype_values, *a.fields.layout_values)}
    return names


def cxx_type(t: CType) -> str:
    """A C type as C++ writes it without a declarator, by its spelling; "" for what has no such form (functions)."""
    if t.unresolved or t.kind in ("function", "other", "complex"):
        return ""
    if t.kind in ("pointer", "array") and t.pointee is not None and not t.aliases:
        inner = cxx_type(t.pointee)
        if not inner:
            return ""
        if t.kind == "array":
            # In a struct an array is itself; as a parameter the caller's type decays (see the template).
            return f"{inner}[{t.extent}]" if t.extent else f"{inner}*"
        return f"{inner}*" + (" const" if t.const else "")
    text = t.spelled
    return text.replace("_Bool", "bool")
