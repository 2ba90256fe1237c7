"""How an op's tensors are described to a vendor: which extents, and by which parameters of a setter."""

from __future__ import annotations

from collections.abc import Sequence

from torchfl.catalogue import OpSpec
from torchfl_sdk.match.recognise.parts import Part
from torchfl_sdk.match.tokens import words
from torchfl_sdk.scaffold.kernel_plan import NotGenerated

_RANK = frozenset(words("nbdims ndims ndim rank numdims numdim dimnum dimcount dimscount viewdimsnum nbdim dimsnum"))
_COUNT = frozenset(words("num nb n len count size number"))
_DIMS = frozenset(words("dims dim dima shape sizes extents lengths dimensions viewdims"))
_STRIDES = frozenset(words("strides stride stridea steps"))
_STORAGE = frozenset(words("storage physical origin allocated"))
_DATA = frozenset(words("data ptr pointer addr address buffer buf handle mem memory tensordata devptr"))
_FOUR = {"n": 0, "batch": 0, "k": 0, "c": 1, "channels": 1, "channel": 1, "h": 2, "height": 2, "w": 3, "width": 3}

#: Rules of shapes that a vendor follows by the extents of the tensors themselves.
_WHOLE = ("along_dim", "cat", "embedding", "gather", "index_select", "permute", "scatter", "triangle")


def described(op: OpSpec, kind: str, tensor: str, *, axis: bool) -> str:
    """C++ for the extents by which ``tensor`` is described. ``axis``: the vendor is told the dimension by number."""
    if kind == "softmax":
        around = f"torchfl::around({tensor}, torchfl::integer(call->attrs[{_attr(op, 'dim')}], -1))"
        return f"torchfl::whole({tensor})" if axis else around
    if op.shape_rule in ("same", "broadcast"):
        return f"torchfl::flat({tensor})"
    if op.output_kinds[0] == "named":
        return f"torchfl::flat({tensor})"
    if op.shape_rule in _WHOLE and (axis or "dim" not in {a.name for a in op.attrs}):
        return f"torchfl::whole({tensor})"
    if kind == "reduce" and not axis and tensor == "out" and "dim" in {a.name for a in op.attrs}:
        return f"torchfl::reduced({op.inputs[0]}, call->attrs[{_attr(op, 'dim')}])"
    if kind == "reduce" and not axis:
        return f"torchfl::whole({tensor})"
    if kind in ("conv", "matmul", "pool"):
        return f"torchfl::whole({tensor})"
    if op.shape_rule == "batch_norm":
        return f"torchfl::whole({tensor})" if tensor in ("input", "out") else "torchfl::shape({input.sizes[1]})"
    if op.shape_rule == "layer_norm":
        return "torchfl::shape({rows, columns})" if tensor in ("input", "out") else "torchfl::shape({columns})"
    raise NotGenerated(f"how the tensors of {op.name} are described to a vendor is not known yet")


def _attr(op: OpSpec, name: str) -> int:
    return next(i for i, a in enumerate(op.attrs) if a.name == name)


def tensor_role(part: Part, parts: Sequence[Part]) -> str:
    """What a parameter of a function that describes a tensor means: rank, sizes, strides, size.0, stride.0, offset,
    storage, storage_rank, data; "" for any other."""
    name = part.words
    joined = part.joined
    bag = set(name)
    if part.sort in ("ints", "data", "list", "int_out") and part.param.type.kind in ("pointer", "array"):
        pointee = part.param.type.pointee
        if pointee is not None and pointee.kind == "int" and pointee.bits >= 32:
            if bag & _STORAGE:
                return "storage"
            if bag & _STRIDES or joined in _STRIDES:
                return "strides"
            if bag & _DIMS or joined in _DIMS:
                return "sizes"
        if part.sort == "data" and part.element == "" and (bag & _DATA or joined in _DATA):
            return "data"
    if part.sort == "handle" and part.param.type.pointee is not None and part.param.type.pointee.kind == "void":
        return "data" if bag & _DATA else ""
    if part.sort == "int":
        counts = joined in _RANK or (bool(bag & _DIMS) and bool(bag & _COUNT)) or joined == "rank"
        if counts:
            return "storage_rank" if bag & _STORAGE else "rank"
        if joined in ("offset", "byteoffset", "storageoffset"):
            return "offset"
        if joined in _FOUR:
            return f"size.{_FOUR[joined]}"
        if len(name) == 2 and name[1] == "stride" and name[0] in _FOUR:
            return f"stride.{_FOUR[name[0]]}"
        if len(joined) == 7 and joined.endswith("stride") and joined[0] in _FOUR:
            return f"stride.{_FOUR[joined[0]]}"
    return ""
