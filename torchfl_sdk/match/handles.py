"""Opaque objects of C headers: what they are called, whatever qualifiers and typedefs they come with."""

from __future__ import annotations

from torchfl_sdk.header.model import CType
from torchfl_sdk.match.tokens import split


def object_key(t: CType) -> str:
    """What an opaque object is called whatever qualifiers and typedefs it comes with; "" for any other type."""
    if t.kind != "pointer" or t.pointee is None:
        return ""
    if t.pointee.kind == "struct":
        return t.pointee.name
    if t.pointee.kind == "void" and t.aliases:
        return t.aliases[0]
    return ""


def out_key(t: CType) -> str:
    """The object that a parameter is a place for."""
    if t.kind not in ("pointer", "array") or t.pointee is None or t.pointee.const:
        return ""
    return object_key(t.pointee)


def is_numbered_queue(t: CType) -> bool:
    """True for a stream that is a number of a type of its own: ``typedef uintptr_t acme_stream_t``."""
    said = [w for w in split(t.aliases[0]) if w != "t"] if t.aliases and t.kind == "int" else []
    return bool(said) and said[-1] in ("stream", "queue")


def variable_type(t: CType) -> str:
    """A type as a variable has it: without the qualifier of the variable itself, but with that of what it points to."""
    if t.aliases:
        return t.aliases[0]
    text = t.spelled.removesuffix("const").strip()
    if t.kind != "pointer":
        text = text.removeprefix("const ")
    return text.replace("struct ", "").replace(" *", "*")
