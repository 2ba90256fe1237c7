"""Finds declarations that only a C++ compiler sees: a second parse is worth its time only where there are some."""

from __future__ import annotations

import re

_DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*(ifdef|ifndef|if|elif|else|endif)\b([^\n]*)", re.M)
_LINKAGE = re.compile(rb'extern\s*"C"(?:\s*\{)?')
_COMMENT = re.compile(rb"/\*.*?\*/|//[^\n]*", re.S)
_DECLARATION = re.compile(rb"\w[\w\s*&]*\([^;{}]*\)\s*;")


def declares(data: bytes) -> bool:
    """True if a part of a header that is for C++ alone declares a function outside of a class."""
    opened: list[tuple[bool, int]] = []  # (this branch is for C++ alone, where it begins)
    for match in _DIRECTIVE.finditer(data):
        word, condition = match[1], match[2]
        if word in (b"ifdef", b"ifndef", b"if"):
            only = b"__cplusplus" in condition and word != b"ifndef" and b"!" not in condition
            opened.append((only, match.end()))
            continue
        if not opened:
            continue
        only, start = opened.pop()
        if only and _has_function(data[start : match.start()]):
            return True
        if word != b"endif":
            opened.append((False, match.end()))
    return False


def _has_function(text: bytes) -> bool:
    text = _LINKAGE.sub(b"", _COMMENT.sub(b" ", text))
    text = b"\n".join(line for line in text.split(b"\n") if not line.lstrip().startswith(b"#"))
    if re.search(rb"\b(?:class|template|namespace)\b", text):
        text = re.split(rb"\b(?:class|template|namespace)\b", text, maxsplit=1)[0]
    return _DECLARATION.search(text) is not None
