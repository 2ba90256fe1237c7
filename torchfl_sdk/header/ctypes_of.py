"""Turns libclang types into :class:`CType`, following typedefs by hand so that no poisoned one is trusted."""

from __future__ import annotations

from collections.abc import Callable

import clang.cindex as cx

from torchfl.errors import Place
from torchfl_sdk.header.model import CType

#: Prefix of the structs that stand in for types no header declares.
STAND_IN = "torchfl_unresolved_"
_DEPTH = 24

_T = cx.TypeKind
_SIGNED = {_T.CHAR_S, _T.SCHAR, _T.SHORT, _T.INT, _T.LONG, _T.LONGLONG, _T.INT128}
_UNSIGNED = {
    _T.CHAR_U,
    _T.UCHAR,
    _T.USHORT,
    _T.UINT,
    _T.ULONG,
    _T.ULONGLONG,
    _T.UINT128,
    _T.WCHAR,
    _T.CHAR16,
    _T.CHAR32,
}
_FLOATS = {_T.FLOAT, _T.DOUBLE, _T.LONGDOUBLE, _T.HALF, _T.FLOAT128}
_REFERENCES = {_T.LVALUEREFERENCE, _T.RVALUEREFERENCE}
_ARRAYS = {_T.CONSTANTARRAY, _T.INCOMPLETEARRAY, _T.VARIABLEARRAY, _T.DEPENDENTSIZEDARRAY}


class TypeReader:
    """Converts types of one translation unit. ``distrust(cursor)`` gives why a declaration is not trusted, or ""."""

    def __init__(self, distrust: Callable[[cx.Cursor], str]) -> None:
        self._distrust = distrust
        self._cache: dict[tuple[str, str], CType] = {}

    def read(self, type_: cx.Type, depth: int = 0) -> CType:
        """The CType of a libclang type; ``unresolved`` is set where any part of it cannot be trusted."""
        spelled, canonical = type_.spelling, type_.get_canonical().spelling
        key = (spelled, canonical)
        found = self._cache.get(key)
        if found is None:
            if depth > _DEPTH:
                return CType(spelled, canonical, "other", unresolved="a type nested too deeply")
            found = self._read(type_, spelled, canonical, depth)
            self._cache[key] = found
        return found

    def _read(self, type_: cx.Type, spelled: str, canonical: str, depth: int) -> CType:
        const, restrict = type_.is_const_qualified(), type_.is_restrict_qualified()
        aliases: list[str] = []
        unresolved = ""
        while (kind := kind_of_type(type_)) in (_T.TYPEDEF, _T.ELABORATED):
            if kind == _T.TYPEDEF:
                declaration = type_.get_declaration()
                aliases.append(declaration.spelling)
                if not unresolved and self._distrust(declaration):
                    unresolved = declaration.spelling
                type_ = declaration.underlying_typedef_type
            else:
                type_ = type_.get_named_type()
            const = const or type_.is_const_qualified()
            restrict = restrict or type_.is_restrict_qualified()
        if kind == _T.UNEXPOSED and kind_of_type(type_.get_canonical()) not in (None, _T.UNEXPOSED):
            type_ = type_.get_canonical()  # a C++ template's specialisation
            kind = kind_of_type(type_)
        common = {"const": const, "restrict": restrict, "aliases": tuple(aliases)}
        if kind in (_T.POINTER, *_REFERENCES, *_ARRAYS):
            inner = self.read(type_.element_type if kind in _ARRAYS else type_.get_pointee(), depth + 1)
            extent = type_.element_count if kind == _T.CONSTANTARRAY else None
            name = "array" if kind in _ARRAYS else "pointer" if kind == _T.POINTER else "other"
            return CType(
                spelled,
                canonical,
                name,
                pointee=inner,
                extent=extent,
                unresolved=unresolved or inner.unresolved,
                **common,
            )
        if kind in (_T.FUNCTIONPROTO, _T.FUNCTIONNOPROTO):
            result = self.read(type_.get_result(), depth + 1)
            inner_types = type_.argument_types() if kind == _T.FUNCTIONPROTO else ()
            params = tuple(self.read(inner, depth + 1) for inner in inner_types)
            bad = next((t.unresolved for t in (result, *params) if t.unresolved), "")
            return CType(
                spelled, canonical, "function", result=result, params=params, unresolved=unresolved or bad, **common
            )
        if kind in (_T.RECORD, _T.ENUM):
            return self._tagged(type_, spelled, canonical, unresolved, common)
        simple, bits, signed = _scalar(type_)
        return CType(spelled, canonical, simple, bits=bits, signed=signed, unresolved=unresolved, **common)

    def _tagged(
        self, type_: cx.Type, spelled: str, canonical: str, unresolved: str, common: dict[str, object]
    ) -> CType:
        declaration = type_.get_declaration()
        name = tag_name(declaration)
        if STAND_IN in name:
            unresolved = unresolved or name.replace(STAND_IN, "")
        elif not unresolved and self._distrust(declaration):
            unresolved = name
        if kind_of_type(type_) == _T.ENUM:
            underlying = declaration.enum_type.get_canonical()
            _, bits, signed = _scalar(underlying)
            kind = "enum"
        else:
            kind = "union" if declaration.kind == cx.CursorKind.UNION_DECL else "struct"
            bits, signed = 0, False
        return CType(spelled, canonical, kind, name, bits=bits, signed=signed, unresolved=unresolved, **common)  # type: ignore[arg-type]


def tag_name(declaration: cx.Cursor) -> str:
    """The name of a struct, union or enum: its qualified tag, or the typedef that names it."""
    name: str = declaration.type.get_canonical().spelling
    for word in ("const ", "volatile ", "enum ", "struct ", "union ", "class "):
        name = name.removeprefix(word)
    return name


def is_nameless(tag: str) -> bool:
    """Whether libclang made the name up: "(unnamed struct at acme.h:3:9)"."""
    return "(unnamed" in tag or "(anonymous" in tag


def kind_of(cursor: cx.Cursor) -> cx.CursorKind | None:
    """The kind of a cursor; None for one that the Python bindings do not know."""
    try:
        return cursor.kind
    except ValueError:
        return None


def place_of(cursor: cx.Cursor) -> Place:
    """Where a cursor stands."""
    location = cursor.location
    return Place(location.file.name if location.file else "", location.line, location.column)


def kind_of_type(type_: cx.Type) -> cx.TypeKind | None:
    """The kind of a type; None for one that libclang knows and its Python bindings do not (_Float16, _Atomic...)."""
    try:
        return type_.kind
    except ValueError:
        return None


def _scalar(type_: cx.Type) -> tuple[str, int, bool]:
    kind = kind_of_type(type_)
    size = max(type_.get_size(), 0) * 8
    if kind == _T.VOID:
        return "void", 0, False
    if kind == _T.BOOL:
        return "bool", size, False
    if kind in _SIGNED or kind in _UNSIGNED:
        return "int", size, kind in _SIGNED
    if kind in _FLOATS or type_.spelling.split()[-1:] in (["_Float16"], ["__bf16"], ["__fp16"]):
        return "float", size, True
    if kind == _T.COMPLEX:
        return "complex", size, False
    return "other", size, False
