"""Indices and masks in a vendor's elements: which are PyTorch's own, which are made of them for a call's length."""

from __future__ import annotations

from collections.abc import Mapping

from torchfl.catalogue import OpSpec
from torchfl_sdk.match.arguments import Parameter

#: Elements that a tensor of each kind may have as it is ("": void).
_OWN: Mapping[str, tuple[str, ...]] = {"bool": ("bool", "uint8", "int8", ""), "index": ("int64", "uint64")}
#: Elements that are converted on the host. A mask of numbers is 0 or not.
_CONVERTED: Mapping[str, tuple[str, ...]] = {
    "bool": ("int16", "int32", "uint32", "int64", "float32", "float64"),
    "index": ("int32", "uint32", "int16"),
}


def kind_of(op: OpSpec, role: str) -> str:
    """How the dtype of an input or result follows: one of the catalogue's TENSOR_KINDS."""
    if role == "out":
        return op.output_kinds[0]
    if role in op.outputs:
        return op.output_kinds[op.outputs.index(role)]
    return op.input_kind(role)


def converted(op: OpSpec, role: str, tensor: Parameter) -> str:
    """The function's element type for an index or a mask that PyTorch has in another, "" where it is PyTorch's."""
    return tensor.element if tensor.element in _CONVERTED.get(kind_of(op, role), ()) else ""


def misfit(op: OpSpec, role: str, tensor: Parameter) -> str:
    """Why a tensor's elements cannot be what its role has, or ""."""
    kind = kind_of(op, role)
    if kind not in _OWN or tensor.element in (*_OWN[kind], *_CONVERTED[kind]):
        return ""
    return f"'{tensor.name}' points to {tensor.element or 'void'}, where {op.name} has {kind} elements"
