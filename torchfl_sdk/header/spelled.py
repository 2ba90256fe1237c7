"""The text around a diagnostic: what stands before and behind a name, inside a macro's definition too."""

from __future__ import annotations

import re
from pathlib import Path

import clang.cindex as cx

from torchfl.errors import Place
from torchfl_sdk.header.extract import read_bytes

_FROM_MACRO = "expanded from macro"
_REACH = 40  # lines over which a declaration may begin before one of its parameters


def place_of(diagnostic: cx.Diagnostic) -> Place:
    """Where a declaration has the error: of one that a macro makes, where the macro is used."""
    return _place(diagnostic.location)


def spelled_at(diagnostic: cx.Diagnostic) -> Place:
    """Where the text is written that a diagnostic speaks of: in a macro's definition, if a macro says it."""
    written = diagnostic.location
    for note in diagnostic.children:
        if not note.spelling.startswith(_FROM_MACRO):
            break
        written = note.location
    return _place(written)


class Texts:
    """Lines of files, some of them given, by the name libclang uses."""

    def __init__(self, given: dict[Path, bytes]) -> None:
        self._given = given
        self._lines: dict[str, list[str]] = {}

    def lines(self, file: str) -> list[str]:
        if file not in self._lines:
            data = self._given.get(Path(file))
            self._lines[file] = (data if data is not None else read_bytes(file)).decode("utf-8", "replace").split("\n")
        return self._lines[file]

    def read(self) -> list[str]:
        """The whole texts of the files looked at so far."""
        return ["\n".join(lines) for lines in self._lines.values()]

    def rest(self, place: Place, length: int) -> str:
        """The text behind a name, over the next lines too."""
        lines = self.lines(place.file)
        if not 0 < place.line <= len(lines):
            return ""
        first = lines[place.line - 1].encode()[place.column - 1 + length :].decode("utf-8", "replace")
        return "\n".join([first, *lines[place.line : place.line + 4]])

    def before(self, place: Place) -> str:
        """The text before a place, on its line and the one above."""
        lines = self.lines(place.file)
        if not 0 < place.line <= len(lines):
            return ""
        said = lines[place.line - 1].encode()[: place.column - 1].decode("utf-8", "replace")
        return said if said.strip() or place.line < 2 else lines[place.line - 2].rstrip("\\ \t")

    def in_declaration(self, place: Place) -> bool:
        """True where a parameter's type, or a template's argument, begins: behind ``(``, ``,``, ``<`` or ``const``."""
        return bool(re.search(r"(?:[(,<]|\bconst)\s*$", self.before(place)))

    def in_default(self, place: Place) -> bool:
        """True within the default of a parameter, behind ``=``, and at the name of a parameter that has one."""
        lines = self.lines(place.file)
        if not 0 < place.line <= len(lines):
            return False
        here = lines[place.line - 1].encode()[: place.column - 1].decode("utf-8", "replace")
        depth, at_name = 0, re.match(r"\w*\s*=(?!=)", self.rest(place, 0)) is not None
        said = re.sub(r"[=!<>]=|->", " ", " ".join([*lines[max(0, place.line - _REACH) : place.line - 1], here]))
        for letter in reversed(said):
            depth += (letter in ")>]}") - (letter in "(<[{")
            if letter == "=" and depth <= 0:
                return True
            if (depth < 0 and letter == "(") or (depth == 0 and letter == ","):
                return at_name
            if letter == ";":
                return False
        return False


def _place(location: cx.SourceLocation) -> Place:
    return Place(location.file.name if location.file else "", location.line, location.column)
