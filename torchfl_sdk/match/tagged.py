"""Numbers that come in a struct beside their type: a union of what they may be, and an enum that says which it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from torchfl_sdk.header.model import CType, HeaderModel
from torchfl_sdk.match.handles import variable_type

_NUMBERS = ("int", "bool", "float")


@dataclass(frozen=True)
class Tagged:
    """A struct that holds one number in a union and says in another field of which type that is."""

    ctype: str
    tag: CType
    tag_field: str
    members: tuple[tuple[str, CType], ...]  # as C++ reaches them


def tagged(model: HeaderModel, t: CType, dtypes: Mapping[str, Mapping[str, str]]) -> Tagged | None:
    """The struct of a number that a parameter is or points to; None for any other type."""
    inner = t.pointee if t.kind == "pointer" else t
    struct = model.structs.get(inner.name) if inner is not None and inner.kind == "struct" else None
    if inner is None or struct is None or not struct.complete or struct.union or len(struct.fields) != 2:
        return None
    tag = next((f for f in struct.fields if f.type.kind == "enum" and f.type.name in dtypes), None)
    held = next((f for f in struct.fields if f.type.kind == "union"), None)
    union = model.structs.get(held.type.name) if held is not None else None
    if tag is None or held is None or union is None or any(f.type.kind not in _NUMBERS for f in union.fields):
        return None
    members = tuple((f"{held.name}.{f.name}", f.type) for f in union.fields)
    return Tagged(variable_type(inner), tag.type, tag.name, members)
