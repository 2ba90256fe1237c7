"""What stands in for what one diagnostic says is missing: an include, a type, a macro, a constant."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import clang.cindex as cx

from torchfl.errors import Place
from torchfl_sdk.header import library
from torchfl_sdk.header.ctypes_of import STAND_IN
from torchfl_sdk.header.order import Order
from torchfl_sdk.header.paths import stand_in
from torchfl_sdk.header.spelled import Texts, place_of, spelled_at
from torchfl_sdk.header.stubs import Stubs
from torchfl_sdk.header.tables import Distrust

UPWARDS = 4  # folders that the name of a missing include may lead upwards

CPP_WORDS = frozenset(
    re.findall(
        r"\w+",
        "class namespace template using public private protected virtual constexpr nullptr typename operator new "
        "delete this explicit friend bool true false noexcept static_cast static_assert inline wchar_t alignas",
    )
)
UNKNOWN_TYPE = re.compile(r"unknown type name '(\w+)'|no type named '(\w+)'(?: in .*)?|no template named '(\w+)'")
UNDECLARED = re.compile(r"use of undeclared identifier '(\w+)'")
_IN_NAMESPACE = re.compile(r"no (?:type|member|template) named '(\w+)' in namespace '([\w:]+)'")
_IN_TYPE = re.compile(rf"no (?:type|member|template) named '(\w+)' in '((?:\w+::)*){STAND_IN}(\w+)'")
#: What is said where the C++ library's names are used without its headers.
LIBRARY = re.compile(r"undeclared identifier 'std'|in namespace 'std'|(?:undefined template|incomplete type) 'std::")
#: What is wrong with a value alone; of a parameter's default it leaves the declaration as it is.
VALUE = re.compile(
    r"no viable conversion|cannot initialize|no member named|no matching|undeclared identifier|implicit instantiation"
    r"|could not bind|drops 'const'"
)
_BIT_FIELD = re.compile(r"bit-field '\w+' has non-integral type '(\w+)'")
MISSING = re.compile(r"'(.+)' file not found")
_CLASH = re.compile(rf"redefinition.*{STAND_IN}(\w+)|redefinition of '(\w+)'")
#: ``class ACME_API Tensor {`` with the macro unknown declares a variable of a class of its name.
DECORATED_CLASS = re.compile(r"incomplete type '(?:struct |class |union )?([A-Z][A-Z0-9_]{2,})'")
_EXPECTED = re.compile(r"expected|type specifier|parameter list without types|incomplete type|declaration specifier")
_TYPE_WORD = (
    r"(?:const|unsigned|signed|int|float|double|void|char|short|long|struct|enum|union|extern|static|inline|bool|"
    r"size_t|ssize_t|u?int(?:8|16|32|64)_t|typedef|__attribute__|__declspec)\b"
)

#: What follows a name that is a parameter's, or a template argument's, type.
_AS_TYPE = re.compile(r"\s*(?:const\b\s*)?(?:[*&]+\s*(?:const\b\s*)?\w*|\w+)?\s*(?:\[\w*\]\s*)?[,)>=]|\s*<(?!<)")


class Repairs:
    """Adds to ``stubs`` what one language's parse of ``headers`` lacks, diagnostic by diagnostic."""

    def __init__(
        self, headers: dict[Path, bytes], language: str, scratch: Path, stubs: Stubs, distrust: Distrust
    ) -> None:
        self._headers = headers
        self._language = language
        self._scratch = scratch
        self._stubs = stubs
        self._distrust = distrust
        self.order = Order(headers)
        self.texts = Texts(headers)
        self.valued: list[tuple[str, Place]] = []  # constants that no header declares, and where they are used
        self.fresh: set[str] = set()  # types stood in for in this round: another use of them says nothing yet

    def repair(self, diagnostic: cx.Diagnostic) -> None:
        text, place = diagnostic.spelling, spelled_at(diagnostic)
        if match := MISSING.search(text):
            self._missing_include(match[1], place)
        elif (match := _IN_NAMESPACE.search(text)) and match[2] != "std":
            self._scoped(match[2], match[1], place)
        elif match := _IN_TYPE.search(text):
            self._scoped(match[2] + match[3], match[1], place)
        elif match := UNKNOWN_TYPE.search(text):
            name = next(group for group in match.groups() if group)
            self._unknown_name(name, place, place_of(diagnostic))
        elif match := UNDECLARED.search(text):
            self._undeclared(match[1], place, place_of(diagnostic))
        elif (match := _IN_NAMESPACE.search(text)) and match[1] in library.CPP_LIBRARY:
            self._stubs.standard.add(library.CPP_LIBRARY[match[1]])
        elif (match := _CLASH.search(text)) and self._stubs.declares(match[1] or match[2]):
            self._clash(match[1] or match[2], place)
        elif (match := _BIT_FIELD.search(text)) and match[1] in self._stubs.types:
            self._stubs.integral.add(match[1])
        elif "type specifier" in text and self._was_a_type(place):
            return
        elif (match := DECORATED_CLASS.search(text)) and self._decorates_class(match[1], place):
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
        below = stand_in(name, UPWARDS)
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

    def _unknown_name(self, name: str, place: Place, used: Place) -> None:
        stubs = self._stubs
        if name in stubs.given_up or name in CPP_WORDS or self._standard(name, place):
            return
        if name in stubs.types:  # did not help: perhaps it is a decoration after all
            if name.isupper() and name not in self.fresh:
                self._give_up(name)
                stubs.given_up.discard(name)
                stubs.macros[name] = place
            return
        rest = self.texts.rest(place, len(name))
        if rest.startswith("("):
            stubs.calls.setdefault(name, (place, _keeps_arguments(rest)))
        elif rest.startswith("::"):
            self._undeclared(name, place, used)
        elif _is_decoration(name, rest):
            stubs.macros.setdefault(name, place)
        else:
            self._type(name, rest, place)
            self.fresh.add(name)

    def _standard(self, name: str, place: Place) -> bool:
        """True for a name of the C or the C++ library, whose header is included from now on."""
        said = self.texts.before(place).rstrip()
        if self._language == "c++" and said.endswith("std::") and name in library.CPP_LIBRARY:
            self._stubs.standard.add(library.CPP_LIBRARY[name])
            return True
        if name in library.C_LIBRARY:
            self._stubs.standard.add(library.C_LIBRARY[name])
            return True
        return False

    def decorates(self, name: str, place: Place) -> None:
        """Takes an unknown word that is no type for an empty macro."""
        rest = self.texts.rest(place, len(name))
        known = self._stubs.known(name) or name in CPP_WORDS or name in library.C_LIBRARY
        if not known and not rest.startswith(("(", "::")) and _is_decoration(name, rest):
            self._stubs.macros[name] = place

    def _type(self, name: str, rest: str, place: Place) -> None:
        """A stand-in for a type, or for a template where arguments follow."""
        stubs = self._stubs
        if stubs.values.pop(name, None):  # what was taken for a constant elsewhere
            stubs.changes += 1
        stubs.types.setdefault(name, place)
        if self._language == "c++" and re.match(r"\s*<(?!<)", rest):
            stubs.templates.setdefault(name, _kinds(rest))

    def _scoped(self, scope: str, name: str, place: Place) -> None:
        """Stands in for ``scope::name``: a type, a template, or a constant where a default is one."""
        rest = self.texts.rest(place, 0)
        behind = re.match(rf"\s*(?:\w+\s*::\s*)*{name}\b(.*)", rest, re.S)
        rest = behind[1] if behind else ""
        if path := re.match(r"((?:\s*::\s*\w+)+)", rest):
            scope, rest = "::".join([scope, name]), rest[path.end() :]
            *inner, name = (part.strip() for part in path[1].split("::") if part.strip())
            scope = "::".join([scope, *inner])
        stubs = self._stubs
        if f"{scope}::{name}" in stubs.given_up:
            return
        if re.match(r"\s*[,)]", rest) and self.texts.in_default(place):
            stubs.scoped_values.setdefault(scope, set()).add(name)
            return
        stubs.scopes.setdefault(scope, set()).add(name)
        if re.match(r"\s*<(?!<)", rest):
            stubs.templates.setdefault(f"{scope}::{name}", _kinds(rest))

    def _clash(self, name: str, place: Place) -> None:
        """A header declares a name after all, further down: it is read first where it is one of those included."""
        if self.order.first(place.file, self._stubs.types.get(name)):
            self._stubs.types.pop(name, None)
            self._stubs.changes += 2
        else:
            self._give_up(name)

    def _undeclared(self, name: str, place: Place, used: Place) -> None:
        rest = self.texts.rest(place, len(name))
        if name == "std" and (said := re.match(r"\s*::\s*(\w+)", rest)) and said[1] in library.CPP_LIBRARY:
            self._stubs.standard.add(library.CPP_LIBRARY[said[1]])
            return
        if self._standard(name, place):
            return
        path = re.match(r"((?:\s*::\s*\w+)+)", rest)
        if path and self._language == "c++":
            first = path[1].split("::")[1].strip()
            self._scoped(name, first, replace(place, column=place.column + len(name.encode()) + rest.index("::") + 2))
            return
        if name in CPP_WORDS or name in self._stubs.given_up:
            return
        if re.match(r"\s*\(", rest) and not self._stubs.known(name):
            self._stubs.calls[name] = (place, _keeps_arguments(rest.lstrip()))
            return
        if self._language == "c++" and self.texts.in_declaration(place) and _AS_TYPE.match(rest):
            if not self._stubs.known(name) or name in self._stubs.values:
                self._type(name, rest, place)
            return
        if self._language == "c" or not name.islower():  # a macro so called would rename parameters everywhere
            self._stubs.values.setdefault(name, place)
        self.valued.append((name, used))

    def _was_a_type(self, place: Place) -> bool:
        """Where a declaration lacks its type, a name on the line that was taken as a decoration was the type."""
        lines = self.texts.lines(place.file)
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
        lines = self.texts.lines(place.file)
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
        lines = self.texts.lines(place.file)
        text = " ".join(lines[max(0, place.line - 2) : place.line])
        return not self._stubs.known(name) and bool(re.search(rf"\b(?:class|struct|union)\s+{name}\s+\w+", text))

    def _defined(self, name: str) -> bool:
        pattern = re.compile(rf"#\s*define\s+{name}\b|\b(?:struct|enum|union)\s+{name}\b|\}}\s*{name}\s*;")
        return any(pattern.search(text) for text in self.texts.read())

    def _give_up(self, name: str) -> None:
        self._stubs.types.pop(name, None)
        self._stubs.given_up.add(name)
        for scope, names in self._stubs.scopes.items():
            if name in names:
                names.discard(name)
                self._stubs.given_up.add(f"{scope}::{name}")


def name_in(text: str) -> str:
    """The unknown name that a diagnostic speaks of, or ""."""
    match = UNKNOWN_TYPE.search(text) or UNDECLARED.search(text)
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


def _kinds(rest: str) -> str:
    """The parameters of a template that is used with these arguments: types, and numbers where numbers stand."""
    text = re.match(r"\s*<([^<>]*)", rest)
    arguments = text[1].split(",") if text else []
    if not any(re.match(r"\s*(?:\d|true\b|false\b)", argument) for argument in arguments):
        return "class..."
    return ", ".join("auto" if re.match(r"\s*(?:\d|true\b|false\b)", argument) else "class" for argument in arguments)
