"""What padding lets a kernel serve beyond its limits, read here independently of the router."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torchfl.catalogue import OpSpec
from torchfl.profile import Constraint, OpEntry

#: Sizes that zeros can round up: what they add to a result is sliced off again, or is zero times something.
_SIZES: dict[str, tuple[str, ...]] = {
    "mm": ("M", "N", "K"),
    "addmm": ("M", "N", "K"),
    "bmm": ("batch", "M", "N", "K"),
    "baddbmm": ("batch", "M", "N", "K"),
    "mv": ("M", "K"),
    "addmv": ("M", "K"),
    "addr": ("M", "N"),
    "dot": ("K",),
    "conv": ("in_channels", "out_channels"),
    "broadcast": ("numel",),
    "same": ("numel",),
}


def padded(op: OpSpec, entry: OpEntry, constraint: Constraint, value: Any, attrs: Mapping[str, Any]) -> Any:
    """The value that the kernel is given instead of ``value``, or ``value`` itself where it cannot be padded."""
    step = constraint.multiple_of
    if not entry.pad or step is None or not isinstance(value, int):
        return value
    if constraint.variable not in _SIZES.get(op.shape_rule, ()):
        return value
    if op.shape_rule == "conv" and (attrs.get("groups", 1) != 1 or attrs.get("transposed")):
        return value  # a group's channels lie together
    return -(-value // step) * step
