"""From a parsed translation unit to the model's tables: walks the top level of the vendor's own files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import clang.cindex as cx

from torchfl.errors import Place
from torchfl_sdk.header import macros
from torchfl_sdk.header.callables import CallableReader, Sources
from torchfl_sdk.header.classes import read_class, read_view
from torchfl_sdk.header.ctypes_of import STAND_IN, TypeReader, is_nameless, kind_of, place_of, tag_name
from torchfl_sdk.header.model import (
    Constant,
    Enum,
    Enumerator,
    Excluded,
    Field,
    MacroAlias,
    Struct,
    Typedef,
)
from torchfl_sdk.header.tables import Distrust, Tables, exclude_dependents

_K = cx.CursorKind
_SCOPES = {_K.NAMESPACE, _K.LINKAGE_SPEC, _K.UNEXPOSED_DECL}
_RECORDS = {_K.STRUCT_DECL, _K.UNION_DECL, _K.CLASS_DECL}


def _is_inline(namespace: cx.Cursor) -> bool:
    """True for ``inline namespace v3``, without which users write the names in it; one with a name of its own
    (``column_major``) is kept."""
    version = re.fullmatch(r"_*[vV]?\d\w*", namespace.spelling)
    return version is not None and bool(cx.conf.lib.clang_Cursor_isInlineNamespace(namespace))


class Extractor:
    """Reads the declarations in ``vendor_files`` (absolute names to their bytes) of one translation unit."""

    def __init__(self, unit: cx.TranslationUnit, vendor_files: dict[str, bytes], distrust: Distrust) -> None:
        self._unit = unit
        self._files = vendor_files
        self._distrust = distrust
        self._types = TypeReader(distrust.of)
        self._sources = Sources(vendor_files)
        self.tables = Tables()
        self._callables = CallableReader(self.tables, self._types, distrust, self._sources)

    def run(self) -> Tables:
        definitions: list[tuple[str, str, Place]] = []
        for cursor, scope, linkage in self._walk(self._unit.cursor, "", "c++" if self._is_cpp() else "c"):
            kind = kind_of(cursor)
            if kind in (_K.FUNCTION_DECL, _K.FUNCTION_TEMPLATE):
                self._callables.function(cursor, scope, linkage)
            elif kind == _K.CLASS_TEMPLATE:
                self._callables.members(cursor)
                view = read_view(cursor, scope, self._types, self._callables.param) if cursor.is_definition() else None
                if view is not None:
                    self.tables.views[view.name] = view
            elif kind in _RECORDS:
                self._record(cursor)
            elif kind == _K.ENUM_DECL:
                self._enum(cursor)
            elif kind in (_K.TYPEDEF_DECL, _K.TYPE_ALIAS_DECL):
                self._typedef(cursor)
            elif kind == _K.VAR_DECL and not self._callables.pointer(cursor):
                self._constant(cursor)
            elif kind == _K.MACRO_DEFINITION:
                definitions.append(self._macro(cursor))
        self._macros(definitions)
        exclude_dependents(self.tables)
        return self.tables

    def _is_cpp(self) -> bool:
        return any(d in self._unit.spelling for d in (".hpp", ".cpp"))

    def _walk(self, parent: cx.Cursor, scope: str, linkage: str) -> Iterator[tuple[cx.Cursor, str, str]]:
        for cursor in parent.get_children():
            file = cursor.location.file
            if file is None or file.name not in self._files:
                continue
            kind = kind_of(cursor)
            if kind in _SCOPES:
                named = kind == _K.NAMESPACE and not _is_inline(cursor)
                inner = f"{scope}::{cursor.spelling}".removeprefix("::") if named else scope
                # extern "C" is a LINKAGE_SPEC; extern "C++" is rare enough to be told by its text
                c = kind != _K.NAMESPACE and self._opens_c(cursor)
                yield from self._walk(cursor, inner, "c" if c else linkage)
            else:
                yield cursor, scope, linkage

    def _opens_c(self, cursor: cx.Cursor) -> bool:
        start = cursor.extent.start
        data = self._files.get(start.file.name, b"") if start.file else b""
        return b'"C"' in data[start.offset : start.offset + 40] or self._macro_opens_c(cursor)

    @staticmethod
    def _macro_opens_c(cursor: cx.Cursor) -> bool:
        """``ACME_BEGIN_DECLS``: the text is in a macro, so ask a function inside for its symbol."""
        inner = next((c for c in cursor.get_children() if kind_of(c) == _K.FUNCTION_DECL), None)
        return inner is not None and inner.mangled_name.lstrip("_") == inner.spelling.lstrip("_")

    def _record(self, cursor: cx.Cursor) -> None:
        name = tag_name(cursor)
        if STAND_IN in name:
            return
        known = self.tables.structs.get(name)
        if known is not None and (known.complete or not cursor.is_definition()):
            return
        fields = tuple(
            Field(child.spelling, self._types.read(child.type), _offset(child), self._sources.comment(child))
            for child in cursor.get_children()
            if kind_of(child) == _K.FIELD_DECL
        )
        self.tables.structs[name] = Struct(
            name,
            fields,
            place_of(cursor),
            self._sources.comment(cursor),
            complete=cursor.is_definition(),
            union=cursor.kind == _K.UNION_DECL,
            typedefs=known.typedefs if known else (),
            unresolved=self._distrust.of(cursor) or next((f.type.unresolved for f in fields if f.type.unresolved), ""),
            size=max(cursor.type.get_size(), 0) if cursor.is_definition() else 0,
        )
        if self._is_cpp():
            self._callables.members(cursor)
            if cursor.is_definition() and not is_nameless(name):
                self.tables.classes[name] = read_class(cursor, self._types, self._callables.param)
        self._callables.table(cursor)
        for child in cursor.get_children():
            if kind_of(child) in _RECORDS and child.is_definition():
                self._record(child)
            elif kind_of(child) == _K.ENUM_DECL:
                self._enum(child)

    def _enum(self, cursor: cx.Cursor) -> None:
        if not cursor.is_definition():
            return
        name = tag_name(cursor)
        constants = tuple(
            Enumerator(child.spelling, child.enum_value, self._sources.comment(child))
            for child in cursor.get_children()
            if kind_of(child) == _K.ENUM_CONSTANT_DECL and not self._distrust.of(child)
        )
        nameless = is_nameless(name)
        key = name if not nameless else f"{place_of(cursor)}"
        self.tables.enums[key] = Enum(
            "" if nameless else name, constants, place_of(cursor), self._sources.comment(cursor),
            scoped=cursor.is_scoped_enum(),
        )  # fmt: skip

    def _typedef(self, cursor: cx.Cursor) -> None:
        name = cursor.spelling
        type_ = self._types.read(cursor.underlying_typedef_type)
        reason = self._distrust.of(cursor)
        if reason or type_.unresolved:
            why = reason or f"depends on '{type_.unresolved}', which is not resolved"
            self.tables.excluded.setdefault(name, Excluded(name, why, place_of(cursor)))
            return
        self.tables.typedefs[name] = Typedef(name, type_, place_of(cursor))
        table: dict[str, Struct] | dict[str, Enum]
        for table in (self.tables.structs, self.tables.enums):
            entry = table.get(type_.name)
            if type_.name and entry is not None and type_.kind in ("struct", "union", "enum"):
                entry.__dict__["typedefs"] = (*entry.typedefs, name)

    def _constant(self, cursor: cx.Cursor) -> None:
        """``static const int ACME_OK = 0;``"""
        if not cursor.type.is_const_qualified() or self._distrust.of(cursor):
            return
        known: dict[str, int | float] = {c.name: c.value for c in self.tables.constants.values()}
        text = self._sources.text(cursor)
        value = macros.number(text.split("=", 1)[1], known) if "=" in text else None
        if value is not None:
            self.tables.constants[cursor.spelling] = Constant(cursor.spelling, value, place_of(cursor))

    def _macro(self, cursor: cx.Cursor) -> tuple[str, str, Place]:
        text = self._sources.text(cursor)
        name = cursor.spelling
        body = text[len(name) :]
        body = "" if body.startswith("(") else body.split("//")[0].split("/*")[0].replace("\\\n", " ").strip()
        return name, body, place_of(cursor)

    def _macros(self, definitions: list[tuple[str, str, Place]]) -> None:
        known: dict[str, int | float] = {c.name: c.value for e in self.tables.enums.values() for c in e.constants}
        for name, body, place in definitions:
            value = macros.number(body, known)
            if value is not None:
                known[name] = value
                self.tables.constants[name] = Constant(name, value, place)
            elif target := macros.alias(body):
                self.tables.aliases[name] = MacroAlias(name, target, place)


def read_bytes(path: str) -> bytes:
    """A vendor file's content, or nothing if it vanished meanwhile."""
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


def _offset(field: cx.Cursor) -> int:
    """Bytes before a field; -1 for a bit field, and in a struct whose layout libclang does not know."""
    bits = -1 if field.is_bitfield() else field.get_field_offsetof()
    return bits // 8 if bits >= 0 and bits % 8 == 0 else -1
