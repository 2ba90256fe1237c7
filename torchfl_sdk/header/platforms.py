"""Headers that stop with ``#error`` until a platform macro is defined: which macros they ask for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import clang.cindex as cx

from torchfl_sdk.header.extract import read_bytes

_MACRO = re.compile(r"\b_*[A-Z][A-Z0-9]*_[A-Z0-9_]+\b")
_OPENS = re.compile(r"\s*#\s*if(?:def|ndef)?\b(.*)")
_ELSE = re.compile(r"\s*#\s*(?:elif|else)\b(.*)")
_ENDS = re.compile(r"\s*#\s*endif\b")
_MOST = 8


def wanted(unit: cx.TranslationUnit, contents: Mapping[Path, bytes], defines: Sequence[str]) -> tuple[list[str], str]:
    """Macros of which a header asks for one with ``#error``, and its words; empty where no header does."""
    given = {define.split("=")[0] for define in defines}
    for diagnostic in unit.diagnostics:
        if diagnostic.category_name != "User-Defined Issue" or diagnostic.severity < cx.Diagnostic.Error:
            continue
        location = diagnostic.location
        if location.file is None:
            continue
        data = contents.get(Path(location.file.name))
        lines = (data if data is not None else read_bytes(location.file.name)).decode("utf-8", "replace").split("\n")
        text = diagnostic.spelling + " " + " ".join(_conditions(lines, location.line - 1))
        names = [n for n in dict.fromkeys(_MACRO.findall(text)) if n not in given]
        if names:
            return names[:_MOST], diagnostic.spelling.strip(' ()"')
    return [], ""


def _conditions(lines: Sequence[str], at: int) -> list[str]:
    """The conditions of the chain of #if and #elif in which a line stands, the nearest first."""
    found: list[str] = []
    depth = 0
    for line in reversed(lines[:at]):
        if _ENDS.match(line):
            depth += 1
        elif match := _OPENS.match(line):
            if depth == 0:
                return [match[1], *found]
            depth -= 1
        elif (match := _ELSE.match(line)) and depth == 0:
            found.append(match[1])
    return found
