"""Everything in a header that can be called: functions, member functions, pointers to functions."""

from __future__ import annotations

import re

import clang.cindex as cx

from torchfl_sdk.header.comments import Comments
from torchfl_sdk.header.ctypes_of import TypeReader, is_nameless, kind_of, kind_of_type, place_of, tag_name
from torchfl_sdk.header.model import Excluded, Function, Param
from torchfl_sdk.header.tables import Distrust, Tables

_K = cx.CursorKind
_TYPED = re.compile(r"(?:_(?:[a-z]{0,4}\d+[a-zA-Z0-9]*|I?Sfs|I|inplace|async))+$|(?<=[a-z])_?\d+[a-z]*$")
#: A struct with so many pointers to functions is a table of them.
_TABLE = 3


class Sources:
    """Text and comments of the vendor's files (absolute names to their bytes)."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files
        self._comments: dict[str, Comments] = {}

    def comment(self, cursor: cx.Cursor) -> str:
        """The comment over or behind a declaration, or ""."""
        found = self._of_file(cursor)
        return found.of(cursor.extent.start.line, cursor.extent.end.line) if found is not None else ""

    def remark(self, cursor: cx.Cursor) -> str:
        """The comment behind a declaration, or ""."""
        found = self._of_file(cursor)
        return found.behind(cursor.extent.end.line) if found is not None else ""

    def _of_file(self, cursor: cx.Cursor) -> Comments | None:
        start = cursor.extent.start
        name = start.file.name if start.file else ""
        if name not in self.files:
            return None
        if name not in self._comments:
            self._comments[name] = Comments(self.files[name])
        return self._comments[name]

    def text(self, cursor: cx.Cursor) -> str:
        """A cursor's source text, or ""."""
        start, end = cursor.extent.start, cursor.extent.end
        if start.file is None or start.file.name not in self.files or end.offset < start.offset:
            return ""
        return self.files[start.file.name][start.offset : end.offset].decode("utf-8", "replace")

    def opens_body(self, cursor: cx.Cursor) -> bool:
        """True if a function's body follows its declarator; the parser skips bodies, and then has none."""
        end = cursor.extent.end
        if end.file is None or end.file.name not in self.files:
            return False
        following = re.search(rb"[{;]", self.files[end.file.name][end.offset :])
        return following is not None and following[0] == b"{"


def _template_parameters(cursor: cx.Cursor) -> tuple[str, ...]:
    kinds = (_K.TEMPLATE_TYPE_PARAMETER, _K.TEMPLATE_NON_TYPE_PARAMETER, _K.TEMPLATE_TEMPLATE_PARAMETER)
    return tuple(c.spelling for c in cursor.get_children() if kind_of(c) in kinds)


def _parameters(cursor: cx.Cursor, *, template: bool) -> list[cx.Cursor]:
    """A function's parameters; of a template the parser does not list them by itself."""
    if not template:
        return list(cursor.get_arguments())
    return [c for c in cursor.get_children() if kind_of(c) == _K.PARM_DECL]


class CallableReader:
    """Reads what can be called into ``tables``."""

    def __init__(self, tables: Tables, types: TypeReader, distrust: Distrust, sources: Sources) -> None:
        self._tables = tables
        self._types = types
        self._distrust = distrust
        self._sources = sources
        self._group = ("", 0, "", "")  # the last function: file, last line, name, comment

    def function(self, cursor: cx.Cursor, scope: str, linkage: str) -> None:
        name, place = cursor.spelling, place_of(cursor)
        key = f"{scope}::{name}" if scope else name
        if not name:
            return
        reason = self._distrust.of(cursor)
        if reason:
            self._tables.excluded.setdefault(key, Excluded(key, reason, place, True))
            return
        result = self._types.read(cursor.result_type)
        template = cursor.kind == _K.FUNCTION_TEMPLATE
        params = tuple(self.param(argument) for argument in _parameters(cursor, template=template))
        symbol = cursor.mangled_name if linkage == "c++" and not template else name
        function = Function(
            key,
            params,
            result,
            place,
            self._group_comment(cursor, name),
            self._sources.remark(cursor),
            variadic=cursor.type.kind == cx.TypeKind.FUNCTIONPROTO and cursor.type.is_function_variadic(),
            inline=not template and has_no_symbol(cursor),
            namespace=scope,
            linkage="c++" if template else linkage,
            symbol=symbol,
            deprecated=cursor.availability == cx.AvailabilityKind.DEPRECATED,
            template=_template_parameters(cursor) if template else (),
            defined=template and self._sources.opens_body(cursor),
        )
        for type_ in (result, *(param.type for param in params)):
            if type_.unresolved:
                why = f"depends on '{type_.unresolved}', which is not resolved"
                self._tables.excluded.setdefault(key, Excluded(key, why, place, True))
                self._tables.untrusted.setdefault(key, function)
                return
        before = self._tables.functions.get(key)
        if before is not None and linkage == "c++" and signature(before) != signature(function):
            key = f"{key}({signature(function)})"  # an overload
            before = self._tables.functions.get(key)
        if before is None or (not before.comment and function.comment):
            self._tables.functions[key] = function

    def members(self, cursor: cx.Cursor) -> None:
        """The public member functions of a class, which a C++ SDK may offer instead of free functions."""
        owner = cursor.spelling if cursor.kind == _K.CLASS_TEMPLATE else tag_name(cursor)
        for child in cursor.get_children():
            template = kind_of(child) == _K.FUNCTION_TEMPLATE
            if not (template or kind_of(child) == _K.CXX_METHOD):
                continue
            if child.access_specifier != cx.AccessSpecifier.PUBLIC or child.spelling == owner.rpartition("::")[2]:
                continue
            if child.spelling.startswith("operator") or self._distrust.of(child):
                continue
            if is_nameless(owner):
                why = "a member of a class that has no name"
                self._tables.excluded.setdefault(child.spelling, Excluded(child.spelling, why, place_of(child), True))
                continue
            result = self._types.read(child.result_type)
            params = tuple(self.param(argument) for argument in _parameters(child, template=template))
            name = f"{owner}::{child.spelling}"
            method = Function(
                name, params, result, place_of(child), self._sources.comment(child),
                self._sources.remark(child), namespace=owner, linkage="c++",
                symbol="" if template else child.mangled_name, inline=not template and has_no_symbol(child),
                template=_template_parameters(child) if template else (),
            )  # fmt: skip
            gap = next((t.unresolved for t in (result, *(p.type for p in params)) if t.unresolved), "")
            if not gap:
                self._tables.methods.setdefault(f"{name}({signature(method)})", method)
            elif name not in self._tables.untrusted:
                why = f"depends on '{gap}', which is not resolved"
                self._tables.excluded.setdefault(name, Excluded(name, why, method.place, True))
                self._tables.untrusted[name] = method

    def pointer(self, cursor: cx.Cursor) -> bool:
        """``extern acme_add_fn acme_add;``: a variable that points to a function is called like one."""
        return self._pointer(cursor, cursor.spelling, "")

    def table(self, cursor: cx.Cursor) -> None:
        """The pointers to functions in a struct that is a table of them; each is a method of that struct."""
        fields = [
            c for c in cursor.get_children() if kind_of(c) == _K.FIELD_DECL and _function_type(c.type) is not None
        ]
        if len(fields) < _TABLE:
            return
        owner = "table" if is_nameless(tag_name(cursor)) else tag_name(cursor)
        for child in fields:
            self._pointer(child, f"{owner}::{child.spelling}", owner)

    def _pointer(self, cursor: cx.Cursor, name: str, owner: str) -> bool:
        type_ = _function_type(cursor.type)
        if type_ is None or self._distrust.of(cursor):
            return False
        names = _parameter_names(cursor)
        types = [self._types.read(inner) for inner in type_.argument_types()]
        result = self._types.read(type_.get_result())
        params = tuple(Param(n, t) for n, t in zip([*names, *[""] * len(types)], types, strict=False))
        if any(t.unresolved for t in (result, *types)):
            return True
        found = Function(
            name, params, result, place_of(cursor), self._sources.comment(cursor), self._sources.remark(cursor),
            namespace=owner, variadic=type_.is_function_variadic(),
        )  # fmt: skip
        self._tables.methods.setdefault(name, found)
        return True

    def param(self, cursor: cx.Cursor) -> Param:
        """A parameter with its default argument."""
        default = ""
        value = next(
            (c for c in cursor.get_children() if (kind := kind_of(c)) is not None and kind.is_expression()), None
        )
        if value is not None:
            text = self._sources.text(cursor)
            default = text.split("=", 1)[1].strip() if "=" in text else _of_macro(value)
        return Param(cursor.spelling, self._types.read(cursor.type), default)

    def _group_comment(self, cursor: cx.Cursor, name: str) -> str:
        """A function's own comment, or that of the lines above it: one comment may stand over a run of variants."""
        comment = self._sources.comment(cursor)
        extent = cursor.extent
        file = extent.start.file.name if extent.start.file else ""
        near = self._group[0] == file and extent.start.line <= self._group[1] + 1
        if not comment and near and _variants(name, self._group[2]):
            comment = self._group[3]
        self._group = (file, extent.end.line, name, comment)
        return comment


def _variants(one: str, other: str) -> bool:
    """True for names that differ only behind a common stem, in an element type: ``sub_8u_I`` and ``sub_32f``."""
    return _TYPED.sub("", one) == _TYPED.sub("", other)


def _function_type(type_: cx.Type) -> cx.Type | None:
    """The function that a type points to, with its parameters; None for another type."""
    canonical = type_.get_canonical()
    if kind_of_type(canonical) != cx.TypeKind.POINTER:
        return None
    inner = canonical.get_pointee()
    return inner if kind_of_type(inner) == cx.TypeKind.FUNCTIONPROTO else None


def _of_macro(value: cx.Cursor) -> str:
    """A default argument that a macro makes, whose text is in no place of its own: the one constant that it names,
    ``{}``, or its first word."""
    used: set[str] = {c.spelling for c in value.walk_preorder() if kind_of(c) == _K.DECL_REF_EXPR}
    if len(used) == 1:
        return used.pop()
    while kind_of(value) != _K.INIT_LIST_EXPR and (inner := next(iter(value.get_children()), None)) is not None:
        value = inner
    token = None if kind_of(value) == _K.INIT_LIST_EXPR else next(iter(value.get_tokens()), None)
    first: str = token.spelling if token is not None else "{}"
    return first


def _parameter_names(cursor: cx.Cursor) -> list[str]:
    """Names of the parameters where the pointer's type is written, or [] where they have none."""
    for _ in range(8):
        names = [c.spelling for c in cursor.get_children() if kind_of(c) == _K.PARM_DECL]
        if names:
            return names
        referred = next((c for c in cursor.get_children() if kind_of(c) == _K.TYPE_REF), None)
        if referred is None or referred.referenced is None:
            return []
        cursor = referred.referenced
    return []


def signature(function: Function) -> str:
    return ", ".join(param.type.canonical for param in function.params)


def has_no_symbol(cursor: cx.Cursor) -> bool:
    """Static and inline functions: the vendor's library need not export them. Bodies are skipped in the parse."""
    static = cursor.storage_class == cx.StorageClass.STATIC
    return static or cursor.is_definition() or bool(cx.conf.lib.clang_Cursor_isFunctionInlined(cursor))
