"""Extents that a vendor takes as integers: rows and channels, element steps, shapes as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torchfl.catalogue import OpSpec
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.kernel_plan import NotGenerated

#: Roles of the matcher, up to the dot, that are extents.
EXTENTS = frozenset(
    (
        "numel",
        "batch",
        "channels",
        "ld",
        "inc",
        "shape",
        "rank",
        "in_c",
        "out_c",
        "in_h",
        "in_w",
        "out_h",
        "out_w",
        "m",
        "n",
        "k",
    )
)
#: Marks of channels that lie innermost.
_CHANNELS_LAST = frozenset(("nhwc", "nwc", "ndhwc", "hwc"))


@dataclass(frozen=True)
class Extent:
    """C++ expressions, one or one per dimension; lines that must stand before them, and the names those declare."""

    values: tuple[str, ...]
    before: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    covers: tuple[str, ...] = ()
    constraints: tuple[tuple[str, tuple[int, ...]], ...] = ()
    channels_last: bool = False  # the function's images have their channels innermost


def extent(op: OpSpec, kind: str, role: str, function: Sequence[str]) -> Extent:
    """What an extent's role means for an op. ``function``: the words of the vendor function's name."""
    about = role.partition(".")[0]
    if op.shape_rule in ("same", "broadcast") and kind in ("unary", "binary", "ternary"):
        return Extent(("1",) if about in ("batch", "rank", "inc") else ("out.numel",))
    if kind == "softmax" and about in ("batch", "channels", "ld", "numel"):
        return _rows(op, about)
    if kind in ("conv", "pool"):
        last = bool(set(function) & _CHANNELS_LAST)
        return Extent((_images(op, kind, role, channels_last=last),), channels_last=last)
    if op.shape_rule == "bmm" and role in _PRODUCT:
        return Extent((_PRODUCT[role].format(*op.inputs),))
    raise NotGenerated(f"nothing says how {op.name} fills the role {role!r}")


#: The extents of a batch of products, of the first operand and the second.
_PRODUCT = {"batch": "{0}.sizes[0]", "m": "{0}.sizes[1]", "k": "{0}.sizes[2]", "n": "{1}.sizes[2]"}


def _rows(op: OpSpec, about: str) -> Extent:
    """The last dimension as channels, everything before it as rows."""
    index = next(i for i, a in enumerate(op.attrs) if a.name == "dim")
    why = cxx.string("the vendor's function works along the last dimension only")
    before = (
        "const int64_t channels = self.rank == 0 ? 1 : self.sizes[self.rank - 1];",
        f"if (torchfl::from_front(self, torchfl::integer(call->attrs[{index}], -1)) != (self.rank == 0 ? 0 : "
        f"self.rank - 1)) return torchfl::unsupported({why});",
    )
    value = {"batch": "out.numel / channels", "numel": "out.numel"}.get(about, "channels")
    return Extent((value,), before, ("channels",), ("dim",), (("dim", (-1,)),))


def _images(op: OpSpec, kind: str, role: str, *, channels_last: bool) -> str:
    values = {
        "batch": "input.sizes[0]", "in_h": "input.sizes[2]", "in_w": "input.sizes[3]",
        "out_h": "out.sizes[2]", "out_w": "out.sizes[3]",
    }  # fmt: skip
    if kind == "pool":
        values = {role: text.replace("input", op.inputs[0]) for role, text in values.items()}
        values |= dict.fromkeys(("channels", "in_c", "out_c"), f"{op.inputs[0]}.sizes[1]")
    else:
        groups = next(i for i, a in enumerate(op.attrs) if a.name == "groups")
        values |= {
            "in_c": f"input.sizes[1] / torchfl::integer(call->attrs[{groups}], 1)",
            "out_c": f"out.sizes[1] / torchfl::integer(call->attrs[{groups}], 1)",
        }
    if channels_last or kind == "conv":  # from one pixel to the next, or from one image to the next in channels
        values |= {"ld.input": f"{op.inputs[0]}.sizes[1]", "ld.output": "out.sizes[1]"}
    if role not in values:
        raise NotGenerated(f"nothing says how {op.name} fills the role {role!r}")
    return values[role]
