"""Which element types one call serves, and whether the C types prove it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from torchfl.catalogue import OpSpec
from torchfl_sdk.match.arguments import Parameter
from torchfl_sdk.match.draft import Candidate, Evidence, Refusal

COMPLEX = Refusal("complex dtype: torchfl has no complex dtype")

#: Ops whose integer results can leave their type's range, where PyTorch wraps around.
_OVERFLOWS = frozenset(f"aten::{name}" for name in ("abs", "add", "mul", "neg", "sub", "square", "pow", "rsub"))
_SATURATES = re.compile(r"\bsaturat(?:e|es|ed|ing|ion)\b", re.I)
_NEVER = re.compile(r"\b(?:no|not|never|without|non|un)\b[\w\s-]{0,16}\bsaturat|non-?saturat|unsaturat", re.I)


def saturates(op: OpSpec, element: str, comment: str) -> bool:
    """True if a function's comment says that its integers stop at the end of their range."""
    integers = element.removeprefix("u").startswith("int")
    return op.name in _OVERFLOWS and integers and bool(_SATURATES.search(comment)) and not _NEVER.search(comment)


@dataclass(frozen=True)
class Served:
    """``values`` maps dtypes to constants where an enum selects them."""

    dtypes: tuple[str, ...]
    proved: bool
    values: tuple[tuple[str, str], ...] = ()


def served_dtypes(
    candidate: Candidate, tensors: Sequence[Parameter], selector: Parameter | None, evidence: Evidence
) -> Served | Refusal:
    """From the pointers' types where they say it, else from a selecting enum, else from the name."""
    reading, op = candidate.reading, candidate.op
    elements = {t.element for t in tensors}
    if "complex" in elements or reading.dtype == "complex":
        return COMPLEX
    if len(elements) > 1:
        return Refusal(f"mixes element types ({', '.join(sorted(e or 'void' for e in elements))})")
    element = next(iter(elements))
    if selector is not None:
        values = tuple((d, c) for d, c in selector.values if d in op.dtypes and element in ("", d))
        if not values:
            return Refusal(f"no value of {selector.param.type.spelled} is an element type that {op.name} has")
        evidence.say(f"'{selector.name}' ({selector.param.type.spelled}) selects the element type")
        return Served(tuple(d for d, _ in values), False, values)
    if element:
        if reading.dtype and reading.dtype != element:
            return Refusal(f"its name says {reading.dtype}, its pointers are {element}")
        if element not in op.dtypes:
            return Refusal(f"{op.name} has no {element}")
        if saturates(op, element, candidate.function.comment):
            return Refusal(f"saturates: {op.name} wraps around where {element} overflows")
        evidence.say(f"pointers to {element}")
        return Served((element,), True)
    if reading.dtype and not reading.letter:
        if reading.dtype not in op.dtypes:
            return Refusal(f"{op.name} has no {reading.dtype}")
        evidence.say(f"the name says {reading.dtype}, the pointers do not", 0.9)
        return Served((reading.dtype,), False)
    return Refusal("nothing says which element type its pointers have")
