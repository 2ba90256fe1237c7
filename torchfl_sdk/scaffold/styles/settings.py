"""Contexts that are structs of the caller: room to work in with its size, how many cores may help.

Such a struct is filled for the length of a call, with no room and one core: a function that needs more asks for it by a
function of its own, or says that it has too little. One that has something else is nobody's to fill.
"""

from __future__ import annotations

from torchfl_sdk.header.model import Function, HeaderModel, Param, Struct
from torchfl_sdk.match.tokens import split, words
from torchfl_sdk.scaffold.kernel_plan import NotGenerated

_HELPERS = frozenset(words("core cores thread threads worker workers nthreads ncores"))
_SIZES = frozenset(words("size len length bytes nbytes cap capacity used offset sz"))
_EMPTY = frozenset(words("flag flags reserved pad padding unused option options user userdata opaque"))
_ROOM = frozenset(words("scratch workspace scratchpad buffer temp tmp work"))


def struct_of(model: HeaderModel, param: Param) -> Struct | None:
    """The complete struct that a parameter points to."""
    inner = param.type.pointee if param.type.kind == "pointer" else None
    if inner is None or inner.kind != "struct":
        return None
    of = model.classes.get(inner.name)
    if of is not None and any(m.kind == "constructor" for m in of.members):
        return None  # an object of a class, which its constructor makes
    found = model.structs.get(inner.name) or next((s for s in model.structs.values() if inner.name in s.typedefs), None)
    return found if found is not None and found.complete and not found.union and found.fields else None


def filled(struct: Struct, name: str) -> tuple[str, ...]:
    """The statements that declare and fill one. Raises NotGenerated for a field that nobody could fill."""
    ctype = struct.typedefs[0] if struct.typedefs else struct.name
    lines = [f"{ctype} {name} = {{}};"]
    numbers = {w for f in struct.fields if f.type.kind == "int" for w in split(f.name)}
    for field in struct.fields:
        named, kind = set(split(field.name)), field.type.kind
        if kind == "int" and named & _HELPERS:
            lines.append(f"{name}.{field.name} = 1;")
        elif not (named & _EMPTY or (kind == "int" and named & _SIZES) or (kind == "pointer" and numbers & _SIZES)):
            raise NotGenerated(f"nothing says what {ctype} should have as {field.name!r}")
    return tuple(lines)


def asks_for_room(model: HeaderModel, function: Function) -> str:
    """The function of the header that says how much room another needs, or ""."""
    about = "".join(split(function.name))
    for other in model.functions:
        said = split(other.name)
        if not (set(said) & _ROOM and set(said) & _SIZES):
            continue
        rest = [w for w in said if w not in _ROOM | _SIZES | {"get", "query", "required"}]
        if len(rest) > 1 and all(w in about for w in rest):
            return other.name
    return ""
