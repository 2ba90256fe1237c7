"""Classes of C++ with what generated code needs to make and use their objects: constructors, destructor, members."""

from __future__ import annotations

from collections.abc import Callable

import clang.cindex as cx

from torchfl_sdk.header.ctypes_of import TypeReader, kind_of, place_of, tag_name
from torchfl_sdk.header.model import Class, Function, Member, Param, View

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


def read_view(cursor: cx.Cursor, scope: str, types: TypeReader, param: Callable[[cx.Cursor], Param]) -> View | None:
    """A class template whose objects are made from an address and integers; None for any other."""
    children = list(cursor.get_children())
    name = f"{scope}::{cursor.spelling}".removeprefix("::")
    names = tuple(
        c.spelling for c in children if kind_of(c) in (_K.TEMPLATE_TYPE_PARAMETER, _K.TEMPLATE_NON_TYPE_PARAMETER)
    )
    fields = [c for c in children if kind_of(c) == _K.FIELD_DECL]
    begins = [c for c in children if kind_of(c) == _K.CONSTRUCTOR]
    if fields and not begins and all(c.access_specifier == cx.AccessSpecifier.PUBLIC for c in fields):
        made = tuple(Param(c.spelling, types.read(c.type)) for c in fields)
        return View(name, names, made, True) if _is_view(made) else None
    for begin in (c for c in begins if c.access_specifier == cx.AccessSpecifier.PUBLIC):
        made = tuple(param(c) for c in begin.get_children() if kind_of(c) == _K.PARM_DECL)
        if _is_view(made):
            return View(name, names, made, False)
    return None


def _is_view(parts: tuple[Param, ...]) -> bool:
    """True for an address of elements of the template's type, and something that says how many there are."""
    first = parts[0].type if len(parts) > 1 else None
    inner = first.pointee if first is not None and first.kind == "pointer" else None
    return inner is not None and inner.canonical == "type-parameter-0-0"


def _inline(cursor: cx.Cursor) -> bool:
    """True for a function that every translation unit compiles itself: there is no definition in a library alone."""
    return bool(
        cursor.is_definition() or cursor.is_default_method() or cx.conf.lib.clang_Cursor_isFunctionInlined(cursor)
    )
