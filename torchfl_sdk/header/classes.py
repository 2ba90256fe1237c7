"""Classes of C++ with what generated code needs to make and use their objects: constructors, destructor, members."""

from __future__ import annotations

from collections.abc import Callable

import clang.cindex as cx

from torchfl_sdk.header.ctypes_of import TypeReader, kind_of, place_of, tag_name
from torchfl_sdk.header.model import Class, Function, Member, Param

_K = cx.CursorKind
_LIFE = (_K.CONSTRUCTOR, _K.DESTRUCTOR)
_KINDS = {_K.CONSTRUCTOR: "constructor", _K.DESTRUCTOR: "destructor", _K.CXX_METHOD: "method"}


def read_class(cursor: cx.Cursor, types: TypeReader, param: Callable[[cx.Cursor], Param]) -> Class:
    """A class that is no template. Members whose types are not resolved are left out, as are those of other access."""
    name = tag_name(cursor)
    members, kept_back = list[Member](), list[Member]()
    for child in cursor.get_children():
        kind = kind_of(child)
        template = kind == _K.FUNCTION_TEMPLATE
        if template and child.spelling == name.rpartition("::")[2]:
            continue  # a constructor that is a template
        if not template and kind not in _KINDS:
            continue
        inner = child.access_specifier == cx.AccessSpecifier.PROTECTED and kind in _LIFE
        if child.is_deleted_method() or not (inner or child.access_specifier == cx.AccessSpecifier.PUBLIC):
            continue
        parameters = [c for c in child.get_children() if kind_of(c) == _K.PARM_DECL]
        params = tuple(param(p) for p in parameters)
        result = types.read(child.result_type)
        if any(t.unresolved for t in (result, *(p.type for p in params))):
            continue
        function = Function(
            f"{name}::{child.spelling}", params, result, place_of(child), namespace=name, linkage="c++",
            symbol="" if template else child.mangled_name,
            inline=not template and (child.is_definition() or bool(cx.conf.lib.clang_Cursor_isFunctionInlined(child))),
            template=tuple(c.spelling for c in child.get_children() if kind_of(c) == _K.TEMPLATE_TYPE_PARAMETER),
        )  # fmt: skip
        what = "method" if template or kind is None else _KINDS[kind]
        if what == "method" and child.is_static_method():
            what = "static"
        member = Member(what, function, child.is_const_method(), child.is_virtual_method())
        (kept_back if inner else members).append(member)
    bases = tuple(
        tag_name(c.type.get_declaration())
        for c in cursor.get_children()
        if kind_of(c) == _K.CXX_BASE_SPECIFIER
    )  # fmt: skip
    virtual = [c for c in cursor.get_children() if kind_of(c) in _KINDS and c.is_virtual_method()]
    return Class(
        name, tuple(members), bases, cursor.is_abstract_record(),
        tuple("~" if kind_of(c) == _K.DESTRUCTOR else f"{c.displayname}{' const' * c.is_const_method()}"
              for c in virtual),
        any(not (c.is_pure_virtual_method() or _inline(c)) for c in virtual), tuple(kept_back),
    )  # fmt: skip


def _inline(cursor: cx.Cursor) -> bool:
    """True for a function that every translation unit compiles itself: there is no definition in a library alone."""
    return bool(
        cursor.is_definition() or cursor.is_default_method() or cx.conf.lib.clang_Cursor_isFunctionInlined(cursor)
    )
