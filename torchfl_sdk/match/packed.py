"""Functions that take operands or sizes in a struct: read as functions of the struct's fields.

``acme_add(const acme_add_params *p)`` with fields a, b, out, n means what ``acme_add(a, b, out, n)`` would, and
``acme_conv2d(x, w, y, const acme_conv_params *p)`` what it would with strides and extents in the struct's place.
Structs that describe one tensor are the matcher's own business; of the others those without operands are taken apart
only where most of their fields have names of extents and attributes.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace

from torchfl_sdk.header.model import CType, Field, Function, HeaderModel, Packed, Param, Struct
from torchfl_sdk.match.attributes import is_attribute
from torchfl_sdk.match.extents import is_extent
from torchfl_sdk.match.structs import tensor_structs
from torchfl_sdk.match.tokens import split, words

_MOST = 8  # entries of a list that a kernel gives
_PLAIN = ("int", "bool", "float", "enum")
#: Names of fields of convolutions and poolings beside those of attributes: both ends of a padding, how many dimensions.
_OF_WINDOWS = frozenset(
    words("padlo padhi padlow padhigh padbegin padend padbefore padafter transposed nspatial spatialdims spatialrank")
)
_OWN_SIZE = ("structsize", "sizeofstruct", "cbsize", "ssize", "size")


def unpacked(model: HeaderModel) -> HeaderModel:
    """The model with such functions over fields."""
    tensors = tensor_structs(model)
    functions = tuple(_unpacked(model, f, tensors) for f in model.functions)
    return model if functions == model.functions else replace(model, functions=functions)


def _unpacked(model: HeaderModel, function: Function, tensors: Mapping[str, object]) -> Function:
    if function.linkage != "c" or function.cxx or function.variadic or function.inline:
        return function
    described = {i for i, p in enumerate(function.params) if _names_tensor(p.type, tensors)}
    places = [i for i, p in enumerate(function.params) if i not in described and _struct(model, p.type) is not None]
    if described and len(places) > 1:  # one may be a context
        places = [i for i in places if _says(_struct(model, function.params[i].type))]
    if len(places) != 1:
        return function
    position = places[0]
    param = function.params[position]
    struct = _struct(model, param.type)
    assert struct is not None
    passed = param.type.pointee or param.type
    if passed.name in tensors:
        return function
    by_value = param.type.kind == "struct"
    beside = len(described) + sum(_is_operand(p.type) for i, p in enumerate(function.params) if i != position)
    holds = not by_value and len(described) < 2 and _holds_operands(struct)  # else the operands are there already
    says = _says_sizes(struct) or (bool(described) and _is_params(struct) and _says_attributes(struct))
    if not holds and not (beside >= 2 and (by_value or passed.const) and says):
        return function
    own_size = next((f.name for f in struct.fields[:1] if holds and _says_size(f.name, f.type)), "")
    fields = [f for f in struct.fields if f.name != own_size and "reserved" not in f.name.lower()]
    taken = {p.name for i, p in enumerate(function.params) if i != position}
    if holds and any(f.name in taken | {"params"} for f in fields):
        return function
    taken |= {"params"}
    names = tuple(_other_than(f.name, taken) for f in fields)
    inner = tuple(Param(name, _read_only(f.type)) for name, f in zip(names, fields, strict=True))
    spelled = passed.spelled.removeprefix("const ")
    lists = tuple(f.name for f in fields if f.type.kind == "array")
    packed = Packed(
        spelled, function.params, position, tuple(f.name for f in fields), own_size, names, lists, by_value=by_value
    )
    params = (*function.params[:position], *inner, *function.params[position + 1 :])
    return replace(function, params=params, packed=packed)


def _other_than(name: str, taken: Set[str]) -> str:
    """A field's name, with a mark that reads as nothing where a parameter has that name already."""
    while name in taken:
        name += "_"
    return name


def _read_only(type_: CType) -> CType:
    """The type of a field that a call fills in and the function reads."""
    inner = type_.pointee if type_.kind == "array" else None
    return replace(type_, pointee=replace(inner, const=True)) if inner is not None else type_


def _struct(model: HeaderModel, type_: CType) -> Struct | None:
    """The complete struct that a parameter is or points to."""
    inner = type_.pointee if type_.kind == "pointer" else type_
    if inner is None or inner.kind != "struct":
        return None
    found = model.structs.get(inner.name) or next((s for s in model.structs.values() if inner.name in s.typedefs), None)
    return found if found is not None and found.complete and not found.union and found.fields else None


def _holds_operands(struct: Struct) -> bool:
    """True for two operands and more among plain fields, and nothing that a call could not fill."""
    if not all(f.name and (f.type.kind in _PLAIN or f.type.kind == "pointer") for f in struct.fields):
        return False
    return sum(_is_operand(f.type) for f in struct.fields) >= 2


def _is_operand(type_: CType) -> bool:
    inner = type_.pointee if type_.kind == "pointer" else None
    return inner is not None and not type_.aliases and inner.kind in ("void", "float", "int", "bool")


def _names_tensor(type_: CType, tensors: Mapping[str, object]) -> bool:
    """True for a tensor struct, a pointer to one, or a list of them."""
    inner: CType | None = type_
    while inner is not None and inner.kind in ("pointer", "array"):
        inner = inner.pointee
    return inner is not None and inner.kind == "struct" and inner.name in tensors


def _is_params(struct: Struct | None) -> bool:
    """True for a struct that is called parameters, whatever else its name says."""
    names = (struct.name, *struct.typedefs) if struct is not None else ()
    return any({"params", "param", "parameters", "attr", "attrs", "attributes"} & set(split(n)) for n in names)


def _says(struct: Struct | None) -> bool:
    """True for a struct of an op's numbers, by its name or by what most of it is called."""
    return struct is not None and (_is_params(struct) or _says_sizes(struct))


def _says_attributes(struct: Struct) -> bool:
    """True for numbers and arrays of integers, of which most are called like extents and attributes of ops."""
    if not all(f.name and (f.type.kind in _PLAIN or _is_list(f)) for f in struct.fields):
        return False
    known = sum(is_extent(n) or is_attribute(n) or n in _OF_WINDOWS for n in map(_joined, struct.fields))
    return 2 * known >= len(struct.fields) or len(struct.fields) == 1


def _says_sizes(struct: Struct) -> bool:
    """True for numbers and short arrays of integers, most of them called like extents and attributes of ops."""
    if not all(f.name and (f.type.kind in _PLAIN or _is_short_list(f)) for f in struct.fields):
        return False
    known = sum(is_extent(joined) or is_attribute(joined) for joined in map(_joined, struct.fields))
    return known >= 2 and 4 * known >= 3 * len(struct.fields)


def _joined(field: Field) -> str:
    return "".join(split(field.name))


def _is_list(field: Field) -> bool:
    inner, length = field.type.pointee, field.type.extent or 0
    return (
        field.type.kind == "array"
        and length <= _MOST
        and inner is not None
        and inner.kind == "int"
        and inner.bits >= 32
    )


def _is_short_list(field: Field) -> bool:
    return field.type.extent == 2 and _is_list(field)


def _says_size(name: str, type_: CType) -> bool:
    return type_.kind == "int" and name.lower().replace("_", "") in _OWN_SIZE
