"""Functions that take their operands in one struct: read as functions of the struct's fields.

``acme_add(const acme_add_params *p)`` with fields a, b, out, n means what ``acme_add(a, b, out, n)`` would. Structs
that describe one tensor are the matcher's own business, and a struct without any operand stays what it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from torchfl_sdk.header.model import CType, Function, HeaderModel, Packed, Param, Struct
from torchfl_sdk.match.structs import tensor_structs

_PLAIN = ("int", "bool", "float", "enum")
_OWN_SIZE = ("structsize", "sizeofstruct", "cbsize", "ssize", "size")


def unpacked(model: HeaderModel) -> HeaderModel:
    """The model with such functions over fields."""
    tensors = tensor_structs(model)
    functions = tuple(_unpacked(model, f, tensors) for f in model.functions)
    return model if functions == model.functions else replace(model, functions=functions)


def _unpacked(model: HeaderModel, function: Function, tensors: Mapping[str, object]) -> Function:
    if function.linkage != "c" or function.cxx or function.variadic or function.inline:
        return function
    places = [i for i, p in enumerate(function.params) if _struct(model, p.type) is not None]
    if len(places) != 1:
        return function
    position = places[0]
    param = function.params[position]
    struct = _struct(model, param.type)
    assert struct is not None
    assert param.type.pointee is not None
    if param.type.pointee.name in tensors or not _holds_operands(struct):
        return function
    own_size = next((f.name for f in struct.fields[:1] if _says_size(f.name, f.type)), "")
    fields = [f for f in struct.fields if f.name != own_size and "reserved" not in f.name.lower()]
    names = {p.name for i, p in enumerate(function.params) if i != position}
    if any(f.name in names or f.name == "params" for f in fields):
        return function
    inner = tuple(Param(f.name, f.type) for f in fields)
    spelled = param.type.pointee.spelled.removeprefix("const ")
    packed = Packed(spelled, function.params, position, tuple(f.name for f in fields), own_size)
    params = (*function.params[:position], *inner, *function.params[position + 1 :])
    return replace(function, params=params, packed=packed)


def _struct(model: HeaderModel, type_: CType) -> Struct | None:
    """The complete struct that a parameter points to."""
    inner = type_.pointee if type_.kind == "pointer" else None
    if inner is None or inner.kind != "struct":
        return None
    found = model.structs.get(inner.name) or next((s for s in model.structs.values() if inner.name in s.typedefs), None)
    return found if found is not None and found.complete and not found.union and found.fields else None


def _holds_operands(struct: Struct) -> bool:
    """True for two operands and more among plain fields, and nothing that a call could not fill."""
    operands = 0
    for field in struct.fields:
        type_ = field.type
        if not field.name or (type_.kind not in _PLAIN and type_.kind != "pointer"):
            return False
        inner = type_.pointee
        operands += inner is not None and not type_.aliases and inner.kind in ("void", "float", "int", "bool")
    return operands >= 2


def _says_size(name: str, type_: CType) -> bool:
    return type_.kind == "int" and name.lower().replace("_", "") in _OWN_SIZE
