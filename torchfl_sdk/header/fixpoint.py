"""Parses headers whose surroundings are incomplete, without ever believing what the gaps produce.

With an include missing, C gives every unknown type the meaning ``int`` and goes on. So a parse is repeated with
stand-ins for what was missing until it reports nothing new: an empty file for an include, a marked struct for an
unknown type, an empty macro for an unknown decoration. The marks then show which declarations depend on a gap.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import clang.cindex as cx

from torchfl.errors import Place
from torchfl_sdk.header import library, toolchain
from torchfl_sdk.header.paths import searched
from torchfl_sdk.header.repairs import (
    CPP_WORDS,
    DECORATED_CLASS,
    LIBRARY,
    MISSING,
    UNDECLARED,
    UNKNOWN_TYPE,
    UPWARDS,
    VALUE,
    Repairs,
    name_in,
)
from torchfl_sdk.header.spelled import place_of, spelled_at
from torchfl_sdk.header.stubs import Stubs
from torchfl_sdk.header.tables import Distrust

_ROUNDS = 24
_KEEP_GOING = 0x200  # CXTranslationUnit_KeepGoing: a missing include must not hide later errors
_OPTIONS = (
    cx.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD | cx.TranslationUnit.PARSE_SKIP_FUNCTION_BODIES | _KEEP_GOING
)


@dataclass
class Parse:
    """The outcome of one language's fixpoint."""

    unit: cx.TranslationUnit
    language: str
    stubs: Stubs
    distrust: Distrust
    errors: list[tuple[Place, str]]  # what no stand-in could repair
    files: list[Path]  # the headers in the order in which they read best
    unsuitable: bool = False  # C++ words in what was read as C
    standard: int = 17  # of C++


class Fixpoint:
    """Repeats a parse of ``headers`` in one language until nothing new is missing."""

    def __init__(
        self, index: cx.Index, headers: dict[Path, bytes], arguments: list[str], language: str, scratch: Path
    ) -> None:
        self._index = index
        self._headers = headers
        self._arguments = arguments
        self._language = language
        self._scratch = scratch
        self._stub_dir = scratch / "missing" / searched(UPWARDS)
        self._stub_dir.mkdir(parents=True, exist_ok=True)
        self._unsaved = [(str(path), data) for path, data in headers.items()]
        self._distrust = Distrust()
        self._stubs = Stubs()
        self._repairs = Repairs(headers, language, scratch, self._stubs, self._distrust)

    def run(self) -> Parse:
        for _ in range(_ROUNDS):
            unit = self._parse()
            found = [d for d in unit.diagnostics if d.severity >= cx.Diagnostic.Error]
            if self._language == "c" and any(self._says_cpp(d.spelling) for d in found):
                errors = [(place_of(d), d.spelling) for d in found]
                return Parse(unit, "c", self._stubs, self._distrust, errors, self._repairs.order.files, True)
            if not self._improve(found, unit):
                break
        remaining = [(place_of(d), d.spelling) for d in found if not self._of_default(d)]
        for place, text in remaining:
            self._distrust.add(place.file, place.line, f"the line does not parse: {text}")
        for name, place in self._repairs.valued:
            if name in self._stubs.values:
                self._distrust.add(place.file, place.line, f"uses '{name}', which no header declares")
        return Parse(unit, self._language, self._stubs, self._distrust, remaining, self._repairs.order.files)

    def _improve(self, found: list[cx.Diagnostic], unit: cx.TranslationUnit) -> bool:
        """Repairs the first kind of error that anything can be done about: what follows from it may be noise."""
        before = self._stubs.size()
        self._repairs.fresh.clear()
        folders = len(self._stubs.include_dirs)
        for diagnostic in (d for d in found if MISSING.search(d.spelling)):  # what they bring in is not unknown
            self._repairs.repair(diagnostic)
            if len(self._stubs.include_dirs) > folders:
                break  # the folder just found may hold the others too
        if self._stubs.size() != before:
            return True
        # What stands before a class's name hides the class.
        for diagnostic in (d for d in found if DECORATED_CLASS.search(d.spelling)):
            self._repairs.repair(diagnostic)
        if self._stubs.size() != before:
            return True
        if self._language == "c++" and any(LIBRARY.search(d.spelling) for d in found):
            self._stubs.standard |= library.wanted(self._vendor_texts(unit))
        if self._stubs.size() != before:
            return True
        if self._repairs.order.improve([(text, place_of(d)) for d in found if (text := name_in(d.spelling))], unit):
            return True
        for diagnostic in found:  # an unknown decoration makes nonsense of what it stands before
            if match := UNKNOWN_TYPE.search(diagnostic.spelling):
                self._repairs.decorates(next(group for group in match.groups() if group), spelled_at(diagnostic))
        if self._stubs.size() != before:
            return True
        for diagnostic in (d for d in found if UNKNOWN_TYPE.search(d.spelling)):  # without a type what follows is noise
            self._repairs.repair(diagnostic)
        if self._stubs.size() != before:
            return True
        for diagnostic in found:
            self._repairs.repair(diagnostic)
        return self._stubs.size() != before

    def _parse(self) -> cx.TranslationUnit:
        suffix = "c" if self._language == "c" else "cpp"
        prelude = self._scratch / f"prelude.{suffix}.h"
        prelude.write_text(self._stubs.prelude(), encoding="utf-8")
        main = self._scratch / f"headers.{suffix}"
        main.write_text("".join(f'#include "{path}"\n' for path in self._repairs.order.files), encoding="utf-8")
        arguments = ["-include", str(prelude), *self._arguments]
        for folder in self._stubs.include_dirs:
            arguments += ["-I", str(folder)]
        arguments += ["-idirafter", str(self._stub_dir)]
        return self._index.parse(str(main), args=arguments, unsaved_files=self._unsaved, options=_OPTIONS)

    def _of_default(self, diagnostic: cx.Diagnostic) -> bool:
        """True for a parameter's default that has no value without what is missing: the declaration stands."""
        return bool(VALUE.search(diagnostic.spelling)) and self._repairs.texts.in_default(spelled_at(diagnostic))

    def _vendor_texts(self, unit: cx.TranslationUnit) -> list[str]:
        """The headers, and what they include of files that are not the C or the C++ library's."""
        system = [Path(folder) for folder in toolchain.system_include_dirs(self._language)]
        names = [str(path) for path in self._headers]
        for inclusion in unit.get_includes():
            name = inclusion.include.name if inclusion.include is not None else ""
            if name and not any(folder in Path(name).parents for folder in (*system, toolchain.SHIM)):
                names.append(name)
        return ["\n".join(self._repairs.texts.lines(name)) for name in dict.fromkeys(names)]

    @staticmethod
    def _says_cpp(text: str) -> bool:
        match = UNKNOWN_TYPE.search(text) or UNDECLARED.search(text)
        word = next((g for g in match.groups() if g), "") if match else ""
        return word in CPP_WORDS or text.startswith("must use '")
