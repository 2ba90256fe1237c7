"""C functions whose names mean several functions to a C++ compiler: headers add templates and overloads to them."""

from __future__ import annotations

import re
from pathlib import Path

from torchfl_sdk.header.model import HeaderModel

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
#: What stands before a name in a declaration: a word of its type or a sign that ends one; elsewhere it is a call.
_DECLARED = r"(?:\b(?!(?:return|else|case|throw|do|new|delete)\b)[A-Za-z_]\w*\s+|[*&>]\s*)(%s)\s*\("


def overloaded(model: HeaderModel, names: frozenset[str]) -> frozenset[str]:
    """Those of ``names`` that the vendor's own files declare more than once, or for C++ in another way too.

    Their address alone is ambiguous. A function that is merely declared twice is among them, which does no harm.
    """
    if not names:
        return frozenset()
    declared = re.compile(_DECLARED % "|".join(map(re.escape, sorted(names))))
    seen: set[str] = set()
    again: set[str] = set()
    files = dict.fromkeys(Path(f) for f in (*model.files, *model.vendor_files))
    for file in (f for f in files if f.is_file()):  # what stood in for a missing one is gone
        for name in declared.findall(_COMMENT.sub(" ", file.read_text(encoding="utf-8", errors="replace"))):
            (again if name in seen else seen).add(name)
    return frozenset(again)
