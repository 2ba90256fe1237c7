"""Recognises a vendor's tensor struct by its fields: data, element type, rank, sizes, strides, layout."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from torchfl_sdk.header.model import CType, Enum, Field, HeaderModel, Struct
from torchfl_sdk.match.elements import dtype_enums, element_dtype, the_dtypes
from torchfl_sdk.match.model import StructLayout
from torchfl_sdk.match.tokens import split

_DATA = ("data", "ptr", "buffer", "buf", "addr", "address", "base", "mem", "pointer", "storage", "store")
#: What an integer that holds an address is called, in its last word.
_ADDRESS = frozenset(("addr", "address", "ptr", "dptr", "base", "pointer", "devptr", "daddr", "paddr", "vaddr"))
_RANK = (
    "ndim",
    "rank",
    "ndims",
    "dimcount",
    "numdims",
    "nbdims",
    "dimnum",
    "numdim",
    "dimsnum",
    "dim",
    "numdimensions",
    "naxes",
    "numaxes",
    "axes",
    "nd",
    "order",
)
_SIZES = (
    "dims",
    "shape",
    "sizes",
    "size",
    "dim",
    "extents",
    "lengths",
    "dimensions",
    "len",
    "lens",
    "length",
    "extent",
)
_COUNTS = (
    "size",
    "size1",
    "rows",
    "cols",
    "numrows",
    "numcols",
    "length",
    "len",
    "numel",
    "elements",
    "width",
    "nelem",
)
#: Words of the names of structs that hold room to work in or settings, however like a tensor they look.
_NO_TENSOR = frozenset(
    {"context", "ctx", "params", "param", "config", "options", "handle", "workspace", "info", "attr"}
)
_STRIDES = ("strides", "stride", "step", "steps", "pitch", "pitches", "skip", "skips", "jump", "hop")
_LAYOUT = ("layout", "format", "order", "dataformat", "fmt")
_LAYOUT_WORDS = {"nchw": "nchw", "nhwc": "nhwc", "channelslast": "nhwc", "channelsfirst": "nchw", "nd": "nd"}
_TYPES = ("dtype", "datatype", "type", "elemtype", "elem", "kind", "elementtype")


def tensor_structs(model: HeaderModel) -> dict[str, StructLayout]:
    """Every struct of the header that describes a dense tensor completely, by its name in the model."""
    enums = dtype_enums(model)
    found: dict[str, StructLayout] = {}
    for name, struct in model.structs.items():
        layout = _recognise(struct, model, enums)
        if layout is not None:
            found[name] = layout
    return found


def tensor_like(model: HeaderModel) -> frozenset[str]:
    """Names of structs that hold data and its extents in fields that are not all understood.

    Enough to know an argument for a tensor, not to fill one: ``struct vec { size_t size, stride; float *data; ...}``.
    """
    found = set()
    for name, struct in model.structs.items():
        if struct.union or not struct.complete or _NO_TENSOR & {w for n in (name, *struct.typedefs) for w in split(n)}:
            continue
        data = _pick(struct.fields, _DATA, _is_data)
        extents = _pick(struct.fields, _SIZES, _is_extents) or _pick(struct.fields, _COUNTS, lambda t: t.kind == "int")
        if data is not None and _lists_numbers(name, struct, data):
            continue
        data = data or _only_data(struct)
        extents = extents or next(
            (f for f in struct.fields if f.name in ("dim", "m", "rows") and f.type.kind == "int"), None
        )
        if data is not None and (extents is not None or any(f.name in ("n", "h", "w", "c") for f in struct.fields)):
            found.add(name)
    return frozenset(found)


def _only_data(struct: Struct) -> Field | None:
    """The one field that points to floating-point numbers, or to rows of them, whatever it is called."""
    found = []
    for field in struct.fields:
        inner = field.type.pointee if field.type.kind == "pointer" else None
        inner = inner.pointee if inner is not None and inner.kind == "pointer" else inner
        if inner is not None and inner.kind == "float":
            found.append(field)
    return found[0] if 1 <= len(found) <= 2 and len(struct.fields) <= 8 else None


def _lists_numbers(name: str, struct: Struct, data: Field) -> bool:
    """True for ``struct acme_dims { const int64_t *data; int64_t len; }``: an array of sizes."""
    inner = data.type.pointee
    named = {w for n in (name, *struct.typedefs) for w in split(n)}
    return inner is not None and inner.kind == "int" and inner.bits >= 32 and bool(
        named & {"size", "sizes", "shape", "dims", "ints", "int", "array", "list"}
    )  # fmt: skip


def _recognise(struct: Struct, model: HeaderModel, enums: dict[str, dict[str, str]]) -> StructLayout | None:
    if not struct.complete or struct.union or not struct.fields:
        return None
    struct = replace(struct, fields=_flat(struct.fields, model))
    data = _pick(struct.fields, _DATA, _is_data) or _address(struct.fields)
    sizes = _pick(struct.fields, _SIZES, _is_extents)
    if data is None or sizes is None:
        return None
    taken = {data.name, sizes.name}
    integer = data.type.kind == "int"
    strides = _pick(struct.fields, _STRIDES, _is_extents, taken)
    dtype = next((f for f in struct.fields if f.type.kind == "enum" and f.type.name in enums), None)
    values = enums[dtype.type.name] if dtype is not None else {}
    if dtype is None:
        dtype = _pick(struct.fields, _TYPES, lambda t: t.kind == "int" and t.bits <= 32, taken)
        values = the_dtypes(model) if dtype is not None else {}
        dtype = dtype if values else None
    taken |= {dtype.name} if dtype is not None else set()
    rank = _pick(struct.fields, _RANK, lambda t: t.kind == "int", taken)
    layout = next(
        (f for f in struct.fields if f.type.kind == "enum" and layout_values(model.enums.get(f.type.name))), None
    )
    known = {f.name for f in (data, sizes, strides, dtype, rank, layout) if f is not None}
    scales = tuple(f.name for f in struct.fields if f.type.kind == "float" and f.name.lower().endswith("scale"))
    known |= {*scales, *(f.name for f in struct.fields if f.type.kind == "int" and _zero_point(f.name))}
    if any(f.name not in known and not _ignorable(f, model) for f in struct.fields):
        return None  # a field nobody could fill
    if dtype is None and (integer or (data.type.pointee is not None and not element_dtype(data.type.pointee))):
        return None  # void data and nothing that says what it holds
    return StructLayout(
        struct=struct.typedefs[0] if struct.typedefs else struct.name,
        data=data.name,
        dtype=dtype.name if dtype else "",
        rank=rank.name if rank else "",
        sizes=sizes.name,
        strides=strides.name if strides else "",
        layout=layout.name if layout else "",
        layout_values=tuple(layout_values(model.enums.get(layout.type.name)).items()) if layout else (),
        dtype_values=tuple(values.items()),
        max_rank=sizes.type.extent or 0,
        ones=scales,
        integer_address=integer,
        strides_in_bytes=strides is not None and _in_bytes(strides),
    )


def _flat(fields: tuple[Field, ...], model: HeaderModel) -> tuple[Field, ...]:
    """The fields, and in the place of a struct that is one of them its own, as C++ reaches them: ``shape.rank``."""
    found: list[Field] = []
    for field in fields:
        inner = model.structs.get(field.type.name) if field.type.kind == "struct" else None
        if inner is None or inner.union or not inner.complete or not inner.fields:
            found.append(field)
        else:
            found += [replace(f, name=f"{field.name}.{f.name}") for f in inner.fields]
    return tuple(found)


def _address(fields: tuple[Field, ...]) -> Field | None:
    """The integer that holds the address of the tensor's memory."""
    wide = (f for f in fields if f.type.kind == "int" and f.type.bits == 64)
    return next((f for f in wide if split(f.name)[-1:] and split(f.name)[-1] in _ADDRESS), None)


def _in_bytes(strides: Field) -> bool:
    """Whether steps count bytes, as the field's name or comment says."""
    return bool({"byte", "bytes", "b"} & set(split(strides.name)) or re.search(r"\bbytes?\b", strides.comment, re.I))


def _zero_point(name: str) -> bool:
    """True for the number of a quantised tensor that stands for zero, which is 0 in PyTorch's."""
    return "".join(split(name)[-2:]).endswith(("zero", "zeropoint", "zp", "zpoint"))


def layout_values(enum: Enum | None) -> dict[str, str]:
    """ "nchw"/"nhwc" -> constant for an enum of memory layouts; empty for another enum."""
    found: dict[str, str] = {}
    for constant in enum.constants if enum else ():
        words = split(constant.name)
        for word in (*words, "".join(words[-2:])):
            if word in _LAYOUT_WORDS:
                found.setdefault(_LAYOUT_WORDS[word], constant.name)
    return found


def _pick(
    fields: tuple[Field, ...], words: tuple[str, ...], fits: Callable[[CType], bool], taken: set[str] | None = None
) -> Field | None:
    """The field whose name has the best word and whose type fits."""
    for word in words:
        for field in fields:
            name = split(field.name)
            if field.name not in (taken or ()) and ("".join(name) == word or word in name) and fits(field.type):
                return field
    return None


def _is_data(type_: CType) -> bool:
    return type_.kind == "pointer" and type_.pointee is not None and element_dtype(type_.pointee) is not None


def _is_extents(type_: CType) -> bool:
    inner = type_.pointee
    return type_.kind in ("array", "pointer") and inner is not None and inner.kind == "int" and inner.bits >= 32


#: Words of fields that a zeroed struct fills rightly: padding, where data begins behind its pointer, the owner's own.
_IDLE = frozenset(("reserved", "pad", "padding", "unused", "rsvd", "spare"))
_BEHIND = frozenset(("offset", "offsets", "off", "byteoffset"))
_PRIVATE = frozenset(("priv", "private", "opaque", "user", "userdata", "cookie", "internal", "impl"))
_QUANTISED = frozenset(("quant", "qnt", "qtype", "quantization", "quantisation", "quantized", "quantised"))
_NONE = frozenset(("none", "no", "off", "undefined", "disabled", "plain"))
#: "0 = any", "0: default": what a field's comment says of its zero.
_ZERO_WILL_DO = re.compile(
    r"(?<![\w.])0\s*(?:=|:|is|means|->|for|-)\s*(?:the\s+)?(?:any|none|default|no|off|auto|automatic|unused|plain)\b",
    re.I,
)


def _ignorable(field: Field, model: HeaderModel) -> bool:
    """Whether zero is right: padding, no offset, nothing private, no quantisation."""
    named = {*split(field.name), *split(field.name.rpartition(".")[2])}
    if named & _IDLE:
        return True
    if field.type.kind == "int":
        return bool(named & _BEHIND or _ZERO_WILL_DO.search(field.comment))
    if field.type.kind == "pointer" and field.type.pointee is not None and field.type.pointee.kind == "void":
        return bool(named & _PRIVATE)
    enum = model.enums.get(field.type.name) if field.type.kind == "enum" else None
    if enum is None or not (named | set(split(enum.name)) | {w for t in enum.typedefs for w in split(t)}) & _QUANTISED:
        return False
    return any(c.value == 0 and set(split(c.name)) & _NONE for c in enum.constants)
