"""Arguments that a caller may leave out by NULL: the header's words or its types say so."""

from __future__ import annotations

import re

from torchfl_sdk.header.model import Param
from torchfl_sdk.match.tokens import split

_NULL = r"(?:NULL|nullptr|optional)"


def need_not(param: Param, comment: str) -> bool:
    """True for a pointer that the function's comment calls optional or allows to be NULL, and for the caller's own
    allocator, which nobody has to have."""
    t = param.type
    if t.kind != "pointer" or t.pointee is None:
        return False
    if t.pointee.const and t.pointee.kind == "struct" and {"allocator", "allocators"} & set(split(t.pointee.name)):
        return True
    text = " ".join(comment.split())
    # What is said of this parameter ends where that of the next tag begins.
    said = re.search(rf"\b{re.escape(param.name)}\b[^@\\]*", text) if param.name else None
    allowed = said is not None and re.search(rf"\b{_NULL}\b", said[0]) is not None
    denied = said is not None and re.search(rf"\b(?:not|never|non)\b[ -]*(?:be )?{_NULL}\b", said[0]) is not None
    return allowed and not denied
