"""Arguments that stand for a tensor's memory and are no pointers to its elements, or for a number and are pointers.

An address as an integer, an untyped pointer under a name of its own, a buffer object that an offset goes with. The
styles see a pointer in their place, to what the function's name says of its elements.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass, replace

from torchfl_sdk.header.model import CType, Function, HeaderModel
from torchfl_sdk.match.handles import object_key
from torchfl_sdk.match.model import Argument
from torchfl_sdk.match.tokens import DTYPE_WORDS, split

#: Roles of tensors in a match.
TENSORS = frozenset(
    {"input", "input2", "input3", "input4", "weight", "bias", "output", "output2", "inout", "running_mean",
     "running_var", "condition", "mask", "indices"}
)  # fmt: skip
#: Roles of numbers that some pass by their address, with the kind of the number.
_NUMBERS = {"numel": "int", "min": "float", "max": "float", "negative_slope": "float", "eps": "float"}
#: Those of them that the function writes to.
WRITTEN = ("output", "output2", "inout")
_ELEMENTS = {
    "float32": ("float", "float", 32), "float64": ("double", "float", 64), "int32": ("int32_t", "int", 32),
    "int8": ("int8_t", "int", 8), "uint8": ("uint8_t", "int", 8), "int64": ("int64_t", "int", 64),
}  # fmt: skip


@dataclass(frozen=True)
class StandIn:
    """``carries``: "integer", "pointer", "buffer" or "table"; ``written``: whether the function may write to it.
    ``number``: of a number that is passed by its address, which the styles see as it is."""

    carries: str
    written: bool
    number: CType | None = None

    def seen(self, dtype: str) -> Seen:
        """What the styles see instead; ``dtype``: of its elements, "" if nothing says it."""
        if self.number is not None:
            return Seen(self, replace(self.number, const=False))
        spelled, kind, bits = _ELEMENTS.get(dtype, ("void", "void", 0))
        named = spelled if self.written else f"const {spelled}"
        inner = CType(named, named, kind, const=not self.written, bits=bits, signed=not spelled.startswith("u"))
        return Seen(self, CType(f"{named} *", f"{named} *", "pointer", pointee=inner))

    def passed(self, argument: Argument, ctype: str) -> Argument:
        """The argument of a call over what was seen, as the function takes it."""
        if self.number is not None:
            return replace(argument, ctype=ctype)
        if self.carries == "table":
            return replace(argument, ctype=ctype, fields=None, address="table")
        return replace(argument, ctype=ctype, buffer=self.carries == "buffer",
                       address="" if self.carries == "buffer" else self.carries)  # fmt: skip


@dataclass(frozen=True)
class Seen:
    """A pointer that the styles see, and the argument that it stands for."""

    stands: StandIn
    type: CType


def is_address(type_: CType) -> bool:
    """True for an integer that holds an address of the device's memory, by its own type's name: ``acme_devptr_t``."""
    named = type_.aliases[0] if type_.aliases else ""
    said = [w for w in split(named) if w != "t"]
    return type_.kind == "int" and type_.bits == 64 and bool(said) and (
        said[-1].endswith(("addr", "address", "dptr", "devptr", "deviceptr")) or said[-2:] == ["device", "ptr"]
    )  # fmt: skip


def named_twice(function: str) -> str:
    """The element type that a function's name ends with for its input and again for its output, ``relu_if32of32``; ""
    without one, or where they differ."""
    found = re.fullmatch(r".*_i([a-z]{1,2}\d{1,2})o([a-z]{1,2}\d{1,2})", function.lower())
    return DTYPE_WORDS.get(found[1], "") if found is not None and found[1] == found[2] else ""


def untyped(model: HeaderModel) -> frozenset[str]:
    """Names of typedefs of ``void *`` that no function makes an object of: the caller's own memory goes by them."""
    made: set[str] = set()
    taken: set[str] = set()
    for f in model.functions:
        made.add(object_key(f.result))
        for p in f.params:
            inner = p.type.pointee if p.type.kind in ("pointer", "array") else None
            if inner is not None and inner.kind == "pointer":
                made.add(object_key(inner))
            if p.type.kind == "pointer" and inner is not None and inner.kind == "void" and p.type.aliases:
                taken.add(p.type.aliases[0])
    return frozenset(taken - made)


def stand_ins(function: Function, roles: Mapping[int, str], names: Set[str], buffer: str = "") -> dict[int, StandIn]:
    """The places of such arguments. ``roles``: what a match says that they are; ``names``: as :func:`untyped` gives
    them; ``buffer``: the type of the runtime's buffer objects."""
    found: dict[int, StandIn] = {}
    for i, p in enumerate(function.params):
        role, inner = roles.get(i, ""), p.type.pointee
        read = p.type.kind == "pointer" and not p.type.aliases and inner is not None and inner.const
        if read and inner is not None and inner.kind == _NUMBERS.get(role):
            found[i] = StandIn("", written=False, number=inner)
        if role not in TENSORS:
            continue
        written = role in WRITTEN
        if is_address(p.type):
            found[i] = StandIn("integer", written)
        elif buffer and p.type.aliases[:1] == (buffer,):
            found[i] = StandIn("buffer", written)
        elif p.type.kind == "pointer" and p.type.aliases[:1] and p.type.aliases[0] in names:
            found[i] = StandIn("pointer", written)
    return found
