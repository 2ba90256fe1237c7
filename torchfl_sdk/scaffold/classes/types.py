"""C++ types as text, taken apart: what a reference is to, a template's arguments."""

from __future__ import annotations

import re
from dataclasses import dataclass

from torchfl_sdk.header.model import CType

#: Integer types of C++ as libclang spells them.
_INTEGERS = frozenset(
    [
        "int",
        "long",
        "long long",
        "short",
        "char",
        "signed char",
        "unsigned char",
        "unsigned short",
        "unsigned int",
        "unsigned long",
        "unsigned long long",
    ]
)
_FLOATS = frozenset(("float", "double"))
#: Lists of the standard library, by the number of their arguments that are types of entries.
_LISTS = {"std::vector": 1, "std::array": 1, "std::pair": 2}


@dataclass(frozen=True)
class Value:
    """A type without references and qualifiers. ``arguments``: of a template, which ``template`` names."""

    text: str
    template: str = ""
    arguments: tuple[Value, ...] = ()
    const: bool = False
    written: bool = False  # a reference through which a function can write

    @property
    def integer(self) -> bool:
        return self.text in _INTEGERS

    @property
    def number(self) -> bool:
        return self.text in _INTEGERS or self.text in _FLOATS

    @property
    def optional(self) -> Value | None:
        """What is in an optional value; None for other types."""
        return self.arguments[0] if self.template == "std::optional" and self.arguments else None

    @property
    def integers(self) -> bool:
        """True for a list of integers."""
        entries = self.arguments[: _LISTS.get(self.template, 0)]
        return bool(entries) and all(e.integer for e in entries)

    @property
    def grows(self) -> bool:
        return self.template == "std::vector"


def value_of(type_: CType) -> Value:
    """A parameter's or a result's type, whether it is a value or a reference to one."""
    text = type_.canonical.strip()
    reference = text.endswith("&")
    value = parse(text.rstrip("& "))
    return Value(value.text, value.template, value.arguments, value.const, reference and not value.const)


def parse(text: str) -> Value:
    """A type's text."""
    text = text.strip()
    const = text.startswith("const ") and not text.endswith("*")
    plain = text.removeprefix("const ").strip() if const else text
    found = re.fullmatch(r"([\w:]+)<(.*)>", plain, re.DOTALL)
    if found is None:
        return Value(plain, const=const)
    return Value(plain, found[1], tuple(parse(a) for a in _split(found[2])), const)


def _split(text: str) -> list[str]:
    """A template's arguments, at the commas that are in no brackets."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "<(") - (c in ">)")
        if c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [*parts, text[start:]]
