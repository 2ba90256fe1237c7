"""Which operand is which: order of two inputs as names and comments document it."""

from __future__ import annotations

import re

_OPERATORS = {"aten::sub": "-", "aten::div": "/"}


def reversed_operands(op: str, comment: str, first: str, second: str) -> bool | None:
    """True if the comment documents ``second - first`` (or ``/``), False for ``first - second``, None if it is silent.

    Vendors who put the subtrahend first say so only in prose.
    """
    if op not in _OPERATORS or not first or not second:
        return None
    a, b, sign = re.escape(first), re.escape(second), re.escape(_OPERATORS[op])
    gap = r"(?:\s*\[[^\]]*\]|\s*\([^)]*\))?\s*"
    patterns = [
        (rf"\b{a}\b{gap}{sign}\s*\*?\b{b}\b", False),
        (rf"\b{b}\b{gap}{sign}\s*\*?\b{a}\b", True),
    ]
    if op == "aten::sub":
        patterns += [
            (rf"subtract\w*\s+(?:\w+\s+){{0,4}}?{b}\b[^.;]*?\bfrom\b[^.;]*?\b{a}\b", False),
            (rf"subtract\w*\s+(?:\w+\s+){{0,4}}?{a}\b[^.;]*?\bfrom\b[^.;]*?\b{b}\b", True),
            (rf"\b{a}\b\s+minus\s+{b}\b", False),
            (rf"\b{b}\b\s+minus\s+{a}\b", True),
        ]
    else:
        patterns += [
            (rf"(?:divid\w*|divis\w*)[^.;]*?\b{a}\b[^.;]*?\bby\b[^.;]*?\b{b}\b", False),
            (rf"(?:divid\w*|divis\w*)[^.;]*?\b{b}\b[^.;]*?\bby\b[^.;]*?\b{a}\b", True),
        ]
    said = {verdict for pattern, verdict in patterns if re.search(pattern, comment, re.I | re.S)}
    return said.pop() if len(said) == 1 else None


def named_roles(first: str, second: str) -> bool | None:
    """The same question answered by the parameters' own names (minuend, divisor...)."""
    left = ("minuend", "dividend", "numerator", "lhs", "left")
    right = ("subtrahend", "divisor", "denominator", "rhs", "right")
    if any(word in first.lower() for word in right) or any(word in second.lower() for word in left):
        return True
    if any(word in first.lower() for word in left) or any(word in second.lower() for word in right):
        return False
    return None
