"""Parses headers whose surroundings are incomplete, without ever believing what the gaps produce.

With an include missing, C gives every unknown type the meaning ``int`` and goes on. So a parse is repeated with
stand-ins for what was missing until it reports nothing new: an empty file for an include, a marked struct for an
unknown type, an empty macro for an unknown decoration. The marks then show which declarations depend on a gap.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

import clang.cindex as cx

from torchfl.errors import Place
from torchfl_sdk.header.ctypes_of import STAND_IN
from torchfl_sdk.header.extract import read_bytes
from torchfl_sdk.header.order import Order
from torchfl_sdk.header.paths import searched, stand_in
from torchfl_sdk.header.stubs import Stubs
from torchfl_sdk.header.tables import Distrust

_ROUNDS = 24
_UPWARDS = 4  # folders that the name of a missing include may lead upwards
_KEEP_GOING = 0x200  # CXTranslationUnit_KeepGoing: a missing include must not hide later errors
_OPTIONS = (
    cx.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD | cx.TranslationUnit.PARSE_SKIP_FUNCTION_BODIES | _KEEP_GOING
)

_CPP_WORDS = frozenset(
    re.findall(
        r"\w+",
        "class namespace template using public private protected virtual constexpr nullptr typename operator new "
        "delete this explicit friend bool true false noexcept static_cast static_assert inline wchar_t alignas",
    )
)
_UNKNOWN_TYPE = re.compile(r"unknown type name '(\w+)'|no type named '(\w+)'(?: in .*)?|no template named '(\w+)'")
_UNDECLARED = re.compile(r"use of undeclared identifier '(\w+)'")
_NO_MEMBER = re.compile(r"no member named '(\w+)' in namespace 'std'")
_MISSING = re.compile(r"'(.+)' file not found")
_CLASH = re.compile(rf"redefinition.*{STAND_IN}(\w+)|redefinition of '(\w+)'")
#: ``class ACME_API Tensor {`` with the macro unknown declares a variable of a class of its name.
_DECORATED_CLASS = re.compile(r"incomplete type '(?:struct |class |union )?([A-Z][A-Z0-9_]{2,})'")
_EXPECTED = re.compile(r"expected|type specifier|parameter list without types|incomplete type|declaration specifier")
_TYPE_WORD = (
    r"(?:const|unsigned|signed|int|float|double|void|char|short|long|struct|enum|union|extern|static|inline|bool|"
    r"size_t|ssize_t|u?int(?:8|16|32|64)_t|typedef|__attribute__|__declspec)\b"
)

#: Names of the C library that a vendor may use without including them; they mean the same everywhere.
_C_LIBRARY = {
    **dict.fromkeys(("size_t", "ptrdiff_t", "wchar_t"), "stddef.h"),
    **{f"{u}int{n}_t": "stdint.h" for u in ("", "u") for n in (8, 16, 32, 64)},
    **dict.fromkeys(("intptr_t", "uintptr_t"), "stdint.h"),
    "va_list": "stdarg.h",
    "FILE": "stdio.h",
}
#: The same of the C++ library, behind ``std::``: the header that has a name, where it is called otherwise.
_CPP_LIBRARY = {
    **{n: n for n in ("vector", "string", "array", "optional", "complex", "map", "set", "list", "tuple", "deque",
                      "bitset", "variant", "any", "unordered_map", "unordered_set", "exception", "atomic", "mutex",
                      "thread")},
    **dict.fromkeys(("shared_ptr", "unique_ptr", "weak_ptr", "enable_shared_from_this"), "memory"),
    **dict.fromkeys(("pair", "move", "forward"), "utility"),
    **dict.fromkeys(("size_t", "ptrdiff_t", "nullptr_t"), "cstddef"),
    **{f"{u}int{n}_t": "cstdint" for u in ("", "u") for n in (8, 16, 32, 64)},
    **dict.fromkeys(("ostream", "istream", "stringstream"), "sstream"),
    **dict.fromkeys(("enable_if", "enable_if_t", "is_same", "is_same_v", "decay_t", "true_type"), "type_traits"),
    "runtime_error": "stdexcept",
    "function": "functional",
    "initializer_list": "initializer_list",
    "numeric_limits": "limits",
    "string_view": "string_view",
}  # fmt: skip
#: What follows a name that is a parameter's, or a template argument's, type.
_AS_TYPE = re.compile(r"\s*(?:const\b\s*)?(?:[*&]+\s*(?:const\b\s*)?\w*|\w+)?\s*(?:\[\w*\]\s*)?[,)>=]")


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
        self._stub_dir = scratch / "missing" / searched(_UPWARDS)
        self._stub_dir.mkdir(parents=True, exist_ok=True)
        self._text: dict[str, list[str]] = {}
        self._unsaved = [(str(path), data) for path, data in headers.items()]
        self._distrust = Distrust()
        self._stubs = Stubs()
        self._order = Order(headers)
        self._fresh: set[str] = set()  # types stood in for in this round: another use of them says nothing yet

    def run(self) -> Parse:
        for _ in range(_ROUNDS):
            unit = self._parse()
            found = [d for d in unit.diagnostics if d.severity >= cx.Diagnostic.Error]
            if self._language == "c" and any(self._says_cpp(d.spelling) for d in found):
                errors = [(_place(d), d.spelling) for d in found]
                return Parse(unit, "c", self._stubs, self._distrust, errors, self._order.files, True)
            if not self._improve(found, unit):
                break
        remaining = [(_place(d), d.spelling) for d in found]
        for place, text in remaining:
            self._distrust.add(place.file, place.line, f"the line does not parse: {text}")
        return Parse(unit, self._language, self._stubs, self._distrust, remaining, self._order.files)

    def _improve(self, found: list[cx.Diagnostic], unit: cx.TranslationUnit) -> bool:
        """Repairs the first kind of error that anything can be done about: what follows from it may be noise."""
        before = self._stubs.size()
        self._fresh.clear()
        folders = len(self._stubs.include_dirs)
        for diagnostic in (d for d in found if _MISSING.search(d.spelling)):  # what they bring in is not unknown
            self._repair(diagnostic)
            if len(self._stubs.include_dirs) > folders:
                break  # the folder just found may hold the others too
        if self._stubs.size() != before:
            return True
        # What stands before a class's name hides the class.
        for diagnostic in (d for d in found if _DECORATED_CLASS.search(d.spelling)):
            self._repair(diagnostic)
        if self._stubs.size() != before:
            return True
        if self._order.improve([(text, _place(d)) for d in found if (text := _name_in(d.spelling))], unit):
            return True
        for diagnostic in found:  # an unknown decoration makes nonsense of what it stands before
            if match := _UNKNOWN_TYPE.search(diagnostic.spelling):
                self._decorates(next(group for group in match.groups() if group), _place(diagnostic))
        if self._stubs.size() != before:
            return True
        for diagnostic in (
            d for d in found if _UNKNOWN_TYPE.search(d.spelling)
        ):  # without a type what follows is noise
            self._repair(diagnostic)
        if self._stubs.size() != before:
            return True
        for diagnostic in found:
            self._repair(diagnostic)
        return self._stubs.size() != before

    def _parse(self) -> cx.TranslationUnit:
        suffix = "c" if self._language == "c" else "cpp"
        prelude = self._scratch / f"prelude.{suffix}.h"
        prelude.write_text(self._stubs.prelude(), encoding="utf-8")
        main = self._scratch / f"headers.{suffix}"
        main.write_text("".join(f'#include "{path}"\n' for path in self._order.files), encoding="utf-8")
        arguments = ["-include", str(prelude), *self._arguments]
        for folder in self._stubs.include_dirs:
            arguments += ["-I", str(folder)]
        arguments += ["-idirafter", str(self._stub_dir)]
        return self._index.parse(str(main), args=arguments, unsaved_files=self._unsaved, options=_OPTIONS)

    @staticmethod
    def _says_cpp(text: str) -> bool:
        match = _UNKNOWN_TYPE.search(text) or _UNDECLARED.search(text)
        word = next((g for g in match.groups() if g), "") if match else ""
        return word in _CPP_WORDS or text.startswith("must use '")

    def _repair(self, diagnostic: cx.Diagnostic) -> None:
        text, place = diagnostic.spelling, _place(diagnostic)
        if match := _MISSING.search(text):
            self._missing_include(match[1], place)
        elif match := _UNKNOWN_TYPE.search(text):
            name = next(group for group in match.groups() if group)
            self._unknown_name(name, place)
        elif match := _UNDECLARED.search(text):
            self._undeclared(match[1], place)
        elif (match := _NO_MEMBER.search(text)) and match[1] in _CPP_LIBRARY:
            self._stubs.standard.add(_CPP_LIBRARY[match[1]])
        elif (match := _CLASH.search(text)) and (name := match[1] or match[2]) in self._stubs.types:
            self._give_up(name)  # a header declares it after all, further down
        elif "type specifier" in text and self._was_a_type(place):
            return
        elif (match := _DECORATED_CLASS.search(text)) and self._decorates_class(match[1], place):
            self._stubs.macros[match[1]] = place
        elif _EXPECTED.search(text):
            self._decoration(place)

    def _missing_include(self, name: str, place: Place) -> None:
        for header in self._headers:
            for folder in list(header.parents)[:4]:
                if (folder / "stdio.h").exists():
                    break  # the C library's own folder, which is no vendor's
                if folder not in self._stubs.include_dirs and (folder / name).is_file():
                    self._stubs.include_dirs.append(folder)
                    return
        below = stand_in(name, _UPWARDS)
        target = self._scratch / "missing" / below
        if name in self._stubs.includes or os.path.isabs(below) or below.startswith(os.pardir):
            self._distrust.add(place.file, place.line, f"'{name}' was not found")
            return
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text("", encoding="utf-8")
        except OSError:  # a name no file can have
            return
        self._stubs.includes[name] = place

    def _unknown_name(self, name: str, place: Place) -> None:
        stubs = self._stubs
        if name in stubs.given_up or name in _CPP_WORDS or self._standard(name, place):
            return
        if name in stubs.types:  # did not help: perhaps it is a decoration after all
            if name.isupper() and name not in self._fresh:
                self._give_up(name)
                stubs.given_up.discard(name)
                stubs.macros[name] = place
            return
        rest = self._rest(place, len(name))
        if rest.startswith("("):
            stubs.calls.setdefault(name, (place, _keeps_arguments(rest)))
        elif rest.startswith("::"):
            self._undeclared(name, place)
        elif _is_decoration(name, rest):
            stubs.macros.setdefault(name, place)
        else:
            stubs.types.setdefault(name, place)
            self._fresh.add(name)

    def _standard(self, name: str, place: Place) -> bool:
        """True for a name of the C or the C++ library, whose header is included from now on."""
        said = self._before(place).rstrip()
        if self._language == "c++" and said.endswith("std::") and name in _CPP_LIBRARY:
            self._stubs.standard.add(_CPP_LIBRARY[name])
            return True
        if name in _C_LIBRARY:
            self._stubs.standard.add(_C_LIBRARY[name])
            return True
        return False

    def _decorates(self, name: str, place: Place) -> None:
        """Takes an unknown word that is no type for an empty macro."""
        rest = self._rest(place, len(name))
        known = self._stubs.known(name) or name in _CPP_WORDS or name in _C_LIBRARY
        if not known and not rest.startswith(("(", "::")) and _is_decoration(name, rest):
            self._stubs.macros[name] = place

    def _undeclared(self, name: str, place: Place) -> None:
        rest = self._rest(place, len(name))
        if name == "std" and (used := re.match(r"\s*::\s*(\w+)", rest)) and used[1] in _CPP_LIBRARY:
            self._stubs.standard.add(_CPP_LIBRARY[used[1]])
            return
        if self._standard(name, place):
            return
        path = re.match(r"((?:\s*::\s*\w+)+)", rest)
        if path and self._language == "c++":
            parts = [part.strip() for part in path[1].split("::") if part.strip()]
            scope = "::".join([name, *parts[:-1]])
            self._stubs.scopes.setdefault(scope, set()).add(parts[-1])
            return
        if name in _CPP_WORDS or name in self._stubs.given_up:
            return
        if re.match(r"\s*\(", rest) and not self._stubs.known(name):
            self._stubs.calls[name] = (place, _keeps_arguments(rest.lstrip()))
            return
        if self._language == "c++" and self._in_declaration(place) and _AS_TYPE.match(rest):
            if not self._stubs.known(name):
                self._stubs.types[name] = place
            return
        if self._language == "c" or not name.islower():  # a macro so called would rename parameters everywhere
            self._stubs.values.setdefault(name, place)
        self._distrust.add(place.file, place.line, f"uses '{name}', which no header declares")

    def _in_declaration(self, place: Place) -> bool:
        """True where a parameter's type, or a template's argument, begins: behind ``(``, ``,``, ``<`` or ``const``."""
        return bool(re.search(r"(?:[(,<]|\bconst)\s*$", self._before(place)))

    def _before(self, place: Place) -> str:
        """The text before a place, on its line and the one above."""
        lines = self._lines(place.file)
        if not 0 < place.line <= len(lines):
            return ""
        said = lines[place.line - 1].encode()[: place.column - 1].decode("utf-8", "replace")
        return said if said.strip() or place.line < 2 else lines[place.line - 2]

    def _was_a_type(self, place: Place) -> bool:
        """Where a declaration lacks its type, a name on the line that was taken as a decoration was the type."""
        lines = self._lines(place.file)
        if not 0 < place.line <= len(lines):
            return False
        before = "\n".join([*lines[max(0, place.line - 2) : place.line - 1], lines[place.line - 1][: place.column - 1]])
        for name in reversed(re.findall(r"\w+", before)):
            if name in self._stubs.macros and not name.isupper() and name not in self._stubs.given_up:
                self._stubs.types[name] = self._stubs.macros.pop(name)
                self._stubs.changes += 1
                return True
        return False

    def _decoration(self, place: Place) -> None:
        """An unknown macro in a place where no type can stand: behind a declarator, or before the name."""
        lines = self._lines(place.file)
        if not 0 < place.line <= len(lines):
            return
        line = lines[place.line - 1]
        at = place.column - 1
        before = re.search(r"([A-Za-z_]\w*)(\([^()]*\))?\s*$", line[:at])
        here = re.match(r"\s*([A-Za-z_]\w*)(\s*\()?", line[at:])
        for match, start in ((here, at), (before, 0)):
            if match is None or not re.fullmatch(r"[A-Z_][A-Z0-9_]{2,}", match[1]):
                continue
            name = match[1]
            if self._stubs.known(name) or self._defined(name):
                continue
            if match[2]:
                rest = "\n".join([line[start + match.end(1) :].lstrip(), *lines[place.line : place.line + 2]])
                self._stubs.calls[name] = (place, _keeps_arguments(rest))
            else:
                self._stubs.macros[name] = place
            return

    def _decorates_class(self, name: str, place: Place) -> bool:
        """True if the line, or the one before it, reads ``class NAME Other``."""
        lines = self._lines(place.file)
        text = " ".join(lines[max(0, place.line - 2) : place.line])
        return not self._stubs.known(name) and bool(re.search(rf"\b(?:class|struct|union)\s+{name}\s+\w+", text))

    def _defined(self, name: str) -> bool:
        pattern = re.compile(rf"#\s*define\s+{name}\b|\b(?:struct|enum|union)\s+{name}\b|\}}\s*{name}\s*;")
        return any(pattern.search("\n".join(lines)) for lines in self._text.values())

    def _give_up(self, name: str) -> None:
        self._stubs.types.pop(name, None)
        self._stubs.given_up.add(name)

    def _lines(self, file: str) -> list[str]:
        if file not in self._text:
            data = self._headers.get(Path(file))
            self._text[file] = (data if data is not None else read_bytes(file)).decode("utf-8", "replace").split("\n")
        return self._text[file]

    def _rest(self, place: Place, length: int) -> str:
        """The text behind a name, over the next lines too."""
        lines = self._lines(place.file)
        if not 0 < place.line <= len(lines):
            return ""
        first = lines[place.line - 1].encode()[place.column - 1 + length :].decode("utf-8", "replace")
        return "\n".join([first, *lines[place.line : place.line + 4]])


def _name_in(text: str) -> str:
    """The unknown name that a diagnostic speaks of, or ""."""
    match = _UNKNOWN_TYPE.search(text) or _UNDECLARED.search(text)
    return next((group for group in match.groups() if group), "") if match else ""


def _is_decoration(name: str, rest: str) -> bool:
    """True if what follows a name shows that the name is not the declaration's type."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", rest, flags=re.S).lstrip()
    if re.match(_TYPE_WORD, text):
        return not re.match(r"const\s*(?:\*|\w+\s*[,);=\[])", text)
    # NAME type name(...  or  NAME type name;  as against  type name(...  and  type CALL name(...
    match = re.match(r"([A-Za-z_]\w*)(\s*\*+\s*|\s+)[A-Za-z_]\w*", text)
    if match is None:
        return False
    if "*" in match[2] or name.isupper():
        return True
    return not match[1].isupper() and not name.endswith("_t")


def _keeps_arguments(rest: str) -> bool:
    """True for ``DECLARE(type) name(``: the arguments are the type. False for ``DEPRECATED("text") type name(``."""
    match = re.match(r"\(([^()]*)\)\s*(?:[A-Za-z_]\w*\s*\()", rest)
    return bool(match and re.fullmatch(r"[\w\s*]+", match[1]) and match[1].strip())


def _place(diagnostic: cx.Diagnostic) -> Place:
    location = diagnostic.location
    return Place(location.file.name if location.file else "", location.line, location.column)
