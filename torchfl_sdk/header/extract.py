"""From a parsed translation unit to the model's tables: walks the top level of the vendor's own files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import clang.cindex as cx

from torchfl.errors import Place
from torchfl_sdk.header import macros
from torchfl_sdk.header.comments import Comments
from torchfl_sdk.header.ctypes_of import STAND_IN, TypeReader, tag_name
from torchfl_sdk.header.model import (
    Constant,
    CType,
    Enum,
    Enumerator,
    Excluded,
    Field,
    Function,
    MacroAlias,
    Param,
    Struct,
    Typedef,
)

_K = cx.CursorKind
_TYPED = re.compile(r"(?:_(?:[a-z]{0,4}\d+\w*|I?Sfs|I|inplace|async))+$|(?<=[a-z])_?\d+[a-z]*$")
_SCOPES = {_K.NAMESPACE, _K.LINKAGE_SPEC, _K.UNEXPOSED_DECL}
_RECORDS = {_K.STRUCT_DECL, _K.UNION_DECL, _K.CLASS_DECL}


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
    untrusted: dict[str, Function] = field(default_factory=dict)
    structs: dict[str, Struct] = field(default_factory=dict)
    enums: dict[str, Enum] = field(default_factory=dict)
    typedefs: dict[str, Typedef] = field(default_factory=dict)
    constants: dict[str, Constant] = field(default_factory=dict)
    aliases: dict[str, MacroAlias] = field(default_factory=dict)
    excluded: dict[str, Excluded] = field(default_factory=dict)


class Extractor:
    """Reads the declarations in ``vendor_files`` (absolute names to their bytes) of one translation unit."""

    def __init__(self, unit: cx.TranslationUnit, vendor_files: dict[str, bytes], distrust: Distrust) -> None:
        self._unit = unit
        self._files = vendor_files
        self._distrust = distrust
        self._types = TypeReader(distrust.of)
        self._comments: dict[str, Comments] = {}
        self._group = ("", 0, "", "")  # the last function: file, last line, name, comment
        self.tables = Tables()

    def run(self) -> Tables:
        definitions: list[tuple[str, str, Place]] = []
        for cursor, scope, linkage in self._walk(self._unit.cursor, "", "c++" if self._is_cpp() else "c"):
            kind = _kind(cursor)
            if kind in (_K.FUNCTION_DECL, _K.FUNCTION_TEMPLATE):
                self._function(cursor, scope, linkage)
            elif kind == _K.CLASS_TEMPLATE:
                self._members(cursor)
            elif kind in _RECORDS:
                self._record(cursor)
            elif kind == _K.ENUM_DECL:
                self._enum(cursor)
            elif kind in (_K.TYPEDEF_DECL, _K.TYPE_ALIAS_DECL):
                self._typedef(cursor)
            elif kind == _K.VAR_DECL:
                self._constant(cursor)
            elif kind == _K.MACRO_DEFINITION:
                definitions.append(self._macro(cursor))
        self._macros(definitions)
        _exclude_dependents(self.tables)
        return self.tables

    def _is_cpp(self) -> bool:
        return any(d in self._unit.spelling for d in (".hpp", ".cpp"))

    def _walk(self, parent: cx.Cursor, scope: str, linkage: str) -> Iterator[tuple[cx.Cursor, str, str]]:
        for cursor in parent.get_children():
            file = cursor.location.file
            if file is None or file.name not in self._files:
                continue
            kind = _kind(cursor)
            if kind in _SCOPES:
                inner = f"{scope}::{cursor.spelling}".removeprefix("::") if kind == _K.NAMESPACE else scope
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
        inner = next((c for c in cursor.get_children() if _kind(c) == _K.FUNCTION_DECL), None)
        return inner is not None and inner.mangled_name.lstrip("_") == inner.spelling.lstrip("_")

    def _place(self, cursor: cx.Cursor) -> Place:
        location = cursor.location
        return Place(location.file.name if location.file else "", location.line, location.column)

    def _comment(self, cursor: cx.Cursor) -> str:
        extent = cursor.extent
        name = extent.start.file.name if extent.start.file else ""
        if name not in self._files:
            return ""
        if name not in self._comments:
            self._comments[name] = Comments(self._files[name])
        return self._comments[name].of(extent.start.line, extent.end.line)

    def _group_comment(self, cursor: cx.Cursor, name: str) -> str:
        """A function's own comment, or that of the lines above it: one comment may stand over a run of variants."""
        comment = self._comment(cursor)
        extent = cursor.extent
        file = extent.start.file.name if extent.start.file else ""
        near = self._group[0] == file and extent.start.line <= self._group[1] + 1
        if not comment and near and _variants(name, self._group[2]):
            comment = self._group[3]
        self._group = (file, extent.end.line, name, comment)
        return comment

    def _function(self, cursor: cx.Cursor, scope: str, linkage: str) -> None:
        name, place = cursor.spelling, self._place(cursor)
        key = f"{scope}::{name}" if scope else name
        if not name:
            return
        reason = self._distrust.of(cursor)
        if reason:
            self.tables.excluded.setdefault(key, Excluded(key, reason, place, True))
            return
        result = self._types.read(cursor.result_type)
        template = cursor.kind == _K.FUNCTION_TEMPLATE
        declared = (
            [c for c in cursor.get_children() if _kind(c) == _K.PARM_DECL] if template else cursor.get_arguments()
        )
        params = tuple(self._param(argument) for argument in declared)
        symbol = cursor.mangled_name if linkage == "c++" and not template else name
        function = Function(
            key,
            params,
            result,
            place,
            self._group_comment(cursor, name),
            variadic=cursor.type.kind == cx.TypeKind.FUNCTIONPROTO and cursor.type.is_function_variadic(),
            inline=not template and _has_no_symbol(cursor),
            namespace=scope,
            linkage="c++" if template else linkage,
            symbol=symbol,
            deprecated=cursor.availability == cx.AvailabilityKind.DEPRECATED,
        )
        for type_ in (result, *(param.type for param in params)):
            if type_.unresolved:
                why = f"depends on '{type_.unresolved}', which is not resolved"
                self.tables.excluded.setdefault(key, Excluded(key, why, place, True))
                self.tables.untrusted.setdefault(key, function)
                return
        before = self.tables.functions.get(key)
        if before is not None and linkage == "c++" and _signature(before) != _signature(function):
            key = f"{key}({_signature(function)})"  # an overload
            before = self.tables.functions.get(key)
        if before is None or (not before.comment and function.comment):
            self.tables.functions[key] = function

    def _members(self, cursor: cx.Cursor) -> None:
        """The public member functions of a class, which a C++ SDK may offer instead of free functions."""
        owner = cursor.spelling if cursor.kind == _K.CLASS_TEMPLATE else tag_name(cursor)
        for child in cursor.get_children():
            if _kind(child) != _K.CXX_METHOD or child.access_specifier != cx.AccessSpecifier.PUBLIC:
                continue
            if child.spelling.startswith("operator") or self._distrust.of(child):
                continue
            result = self._types.read(child.result_type)
            params = tuple(self._param(argument) for argument in child.get_arguments())
            name = f"{owner}::{child.spelling}"
            method = Function(
                name, params, result, self._place(child), self._comment(child), namespace=owner, linkage="c++",
                symbol=child.mangled_name, inline=_has_no_symbol(child),
            )  # fmt: skip
            if not any(t.unresolved for t in (result, *(p.type for p in params))):
                self.tables.methods.setdefault(f"{name}({_signature(method)})", method)

    def _param(self, cursor: cx.Cursor) -> Param:
        default = ""
        kinds = [_kind(child) for child in cursor.get_children()]
        if any(kind is not None and kind.is_expression() for kind in kinds):
            text = self._text(cursor)
            default = text.split("=", 1)[1].strip() if "=" in text else ""
        return Param(cursor.spelling, self._types.read(cursor.type), default)

    def _text(self, cursor: cx.Cursor) -> str:
        start, end = cursor.extent.start, cursor.extent.end
        if start.file is None or start.file.name not in self._files or end.offset < start.offset:
            return ""
        return self._files[start.file.name][start.offset : end.offset].decode("utf-8", "replace")

    def _record(self, cursor: cx.Cursor) -> None:
        name = tag_name(cursor)
        if STAND_IN in name:
            return
        known = self.tables.structs.get(name)
        if known is not None and (known.complete or not cursor.is_definition()):
            return
        fields = tuple(
            Field(child.spelling, self._types.read(child.type), _offset(child))
            for child in cursor.get_children()
            if _kind(child) == _K.FIELD_DECL
        )
        self.tables.structs[name] = Struct(
            name,
            fields,
            self._place(cursor),
            self._comment(cursor),
            complete=cursor.is_definition(),
            union=cursor.kind == _K.UNION_DECL,
            typedefs=known.typedefs if known else (),
            unresolved=self._distrust.of(cursor) or next((f.type.unresolved for f in fields if f.type.unresolved), ""),
            size=max(cursor.type.get_size(), 0) if cursor.is_definition() else 0,
        )
        if self._is_cpp():
            self._members(cursor)
        for child in cursor.get_children():
            if _kind(child) in _RECORDS and child.is_definition():
                self._record(child)
            elif _kind(child) == _K.ENUM_DECL:
                self._enum(child)

    def _enum(self, cursor: cx.Cursor) -> None:
        if not cursor.is_definition():
            return
        name = tag_name(cursor)
        constants = tuple(
            Enumerator(child.spelling, child.enum_value, self._comment_behind(child))
            for child in cursor.get_children()
            if _kind(child) == _K.ENUM_CONSTANT_DECL and not self._distrust.of(child)
        )
        nameless = "(unnamed" in name or "(anonymous" in name
        key = name if not nameless else f"{self._place(cursor)}"
        self.tables.enums[key] = Enum("" if nameless else name, constants, self._place(cursor), self._comment(cursor))

    def _comment_behind(self, cursor: cx.Cursor) -> str:
        return self._comment(cursor)

    def _typedef(self, cursor: cx.Cursor) -> None:
        name = cursor.spelling
        type_ = self._types.read(cursor.underlying_typedef_type)
        reason = self._distrust.of(cursor)
        if reason or type_.unresolved:
            why = reason or f"depends on '{type_.unresolved}', which is not resolved"
            self.tables.excluded.setdefault(name, Excluded(name, why, self._place(cursor)))
            return
        self.tables.typedefs[name] = Typedef(name, type_, self._place(cursor))
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
        text = self._text(cursor)
        value = macros.number(text.split("=", 1)[1], known) if "=" in text else None
        if value is not None:
            self.tables.constants[cursor.spelling] = Constant(cursor.spelling, value, self._place(cursor))

    def _macro(self, cursor: cx.Cursor) -> tuple[str, str, Place]:
        text = self._text(cursor)
        name = cursor.spelling
        body = text[len(name) :]
        body = "" if body.startswith("(") else body.split("//")[0].split("/*")[0].replace("\\\n", " ").strip()
        return name, body, self._place(cursor)

    def _macros(self, definitions: list[tuple[str, str, Place]]) -> None:
        known: dict[str, int | float] = {c.name: c.value for e in self.tables.enums.values() for c in e.constants}
        for name, body, place in definitions:
            value = macros.number(body, known)
            if value is not None:
                known[name] = value
                self.tables.constants[name] = Constant(name, value, place)
            elif target := macros.alias(body):
                self.tables.aliases[name] = MacroAlias(name, target, place)


def _variants(one: str, other: str) -> bool:
    """True for names that differ only behind a common stem, in an element type: ``sub_8u_I`` and ``sub_32f``."""
    return _TYPED.sub("", one) == _TYPED.sub("", other)


def _kind(cursor: cx.Cursor) -> cx.CursorKind | None:
    """The kind of a cursor; None for one that the Python bindings do not know."""
    try:
        return cursor.kind
    except ValueError:
        return None


def _signature(function: Function) -> str:
    return ", ".join(param.type.canonical for param in function.params)


def _has_no_symbol(cursor: cx.Cursor) -> bool:
    """Static and inline functions: the vendor's library need not export them. Bodies are skipped in the parse."""
    static = cursor.storage_class == cx.StorageClass.STATIC
    return static or cursor.is_definition() or bool(cx.conf.lib.clang_Cursor_isFunctionInlined(cursor))


def _exclude_dependents(tables: Tables) -> None:
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
            del tables.functions[name]
            why = f"depends on '{culprit}', which is not resolved"
            tables.excluded.setdefault(name, Excluded(name, why, function.place, True))


def _mentioned(bad: dict[str, str], types: Iterator[CType] | tuple[CType, ...]) -> str:
    return next((inner.name for type_ in types for inner in type_.mentions() if inner.name in bad), "")


def _as_reason(reason: str) -> str:
    return reason if " " in reason else f"depends on '{reason}', which is not resolved"


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
