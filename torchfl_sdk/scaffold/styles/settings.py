"""Contexts that are structs of the caller: room to work in with its size, how many cores may help.

Such a struct is filled for the length of a call, with no room and one core: a function that needs more asks for it by a
function of its own, or says that it has too little. One that has something else is nobody's to fill.
"""

from __future__ import annotations

import re
from collections.abc import Set

from torchfl_sdk.header.model import Field, Function, HeaderModel, Param, Struct
from torchfl_sdk.match.tokens import split, words
from torchfl_sdk.scaffold.kernel_plan import NotGenerated

_HELPERS = frozenset(words("core cores thread threads worker workers nthreads ncores"))
_SIZES = frozenset(words("size len length bytes nbytes cap capacity used offset sz"))
_EMPTY = frozenset(words("flag flags reserved pad padding unused option options user userdata opaque cookie priv rsvd"))
_DEVICES = frozenset(words("device dev card board unit ordinal core index id deviceid devid"))
_QUEUES = frozenset(words("stream queue cmdqueue"))
_CALLED_BACK = frozenset(words("trace log logger callback cb hook hooks progress notify listener handler observer"))
_NULL_WILL_DO = re.compile(r"\b(?:NULL|nullptr|optional)\b")
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
        elif kind == "int" and named and named <= _DEVICES:
            ctype_of = f"decltype({name}.{field.name})"
            lines.append(f"{name}.{field.name} = static_cast<{ctype_of}>(call->device);")
        elif kind == "pointer" and named & _QUEUES and not _NULL_WILL_DO.search(field.comment):
            ctype_of = f"decltype({name}.{field.name})"
            lines.append(f"{name}.{field.name} = static_cast<{ctype_of}>(call->stream);")
        elif not (_may_be_null(field) or named & _EMPTY or _is_room(field, numbers)):
            raise NotGenerated(f"nothing says what {ctype} should have as {field.name!r}")
    return tuple(lines)


def _is_room(field: Field, numbers: Set[str]) -> bool:
    """Room to work in, told by a pointer and a size, or its size."""
    sized = numbers if field.type.kind == "pointer" else set(split(field.name)) if field.type.kind == "int" else set()
    return bool(sized & _SIZES)


def _may_be_null(field: Field) -> bool:
    """A pointer that its comment allows to be NULL, or a function to be told of what goes on."""
    if field.type.kind != "pointer":
        return False
    inner = field.type.pointee
    called = inner is not None and inner.kind == "function" and bool(set(split(field.name)) & _CALLED_BACK)
    return called or _NULL_WILL_DO.search(field.comment) is not None


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
