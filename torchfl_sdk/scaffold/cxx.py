"""Small pieces of C++ text: types taken apart, calls wrapped to the line width."""

from __future__ import annotations

import re
import textwrap

WIDTH = 112

#: torchfl dtype name -> enumerator of chip.h
TFL_DTYPES = {
    "bool": "TFL_BOOL",
    "uint8": "TFL_U8",
    "int8": "TFL_I8",
    "int16": "TFL_I16",
    "int32": "TFL_I32",
    "int64": "TFL_I64",
    "float16": "TFL_F16",
    "bfloat16": "TFL_BF16",
    "float32": "TFL_F32",
    "float64": "TFL_F64",
}

#: Integer types that hold every extent, so that no check is written.
_WIDE = frozenset({"int64_t", "uint64_t", "size_t", "ssize_t", "ptrdiff_t", "long long", "unsigned long long"})
_FLOATS = frozenset({"float", "double", "long double"})


def bare(ctype: str) -> str:
    """A value type without qualifiers: ``const x1_dtype_t`` -> ``x1_dtype_t``."""
    words = re.sub(r"\b(const|volatile|restrict|__restrict|__restrict__|_Nonnull|_Nullable)\b", " ", ctype)
    return " ".join(words.split())


def is_pointer(ctype: str) -> bool:
    """True for pointers and array parameters."""
    return "*" in ctype or "[" in ctype


def pointee(ctype: str) -> str:
    """What a pointer or array parameter points to, with its qualifiers: ``const float *`` -> ``const float``."""
    if "[" in ctype:
        return " ".join(ctype.split("[", 1)[0].split())
    return " ".join(ctype.rsplit("*", 1)[0].split())


def is_float(ctype: str) -> bool:
    return bare(ctype) in _FLOATS


def is_wide(ctype: str) -> bool:
    """True for integer types that hold every 64-bit extent."""
    return bare(ctype) in _WIDE


def data(tensor: str, ctype: str) -> str:
    """The expression that gives a tensor's memory to a parameter of type ``ctype``."""
    target = pointee(ctype)
    return f"torchfl::data({tensor})" if bare(target) == "void" else f"torchfl::data<{target}>({tensor})"


def integer(ctype: str, expression: str) -> str:
    """An int64 expression as an integer of the vendor's type."""
    return expression if bare(ctype) == "int64_t" else f"static_cast<{bare(ctype)}>({expression})"


def then(first: list[str], second: list[str]) -> list[str]:
    """The body of a device function that does what both do, the second only if the first worked: each ends by
    returning the status of a call, or TFL_OK."""
    *before, last = first
    if last == "return TFL_OK;":
        return [*before, *second]
    ended = last.replace("return status(", "const tfl_status ended = status(", 1)
    assert ended != last, last
    return [*before, ended, "if (ended != TFL_OK) return ended;", *second]


def number(value: object) -> str:
    """A number as C++ writes it."""
    if isinstance(value, float) and abs(value) == float("inf"):
        return ("-" if value < 0 else "") + "std::numeric_limits<double>::infinity()"
    return str(value)


def string(text: str) -> str:
    """A C++ string literal of ASCII text; other characters as octal escapes of their UTF-8 bytes."""
    out = []
    for byte in text.encode():
        char = chr(byte)
        if char in '"\\':
            out.append("\\" + char)
        elif 32 <= byte < 127:
            out.append(char)
        else:
            out.append(f"\\{byte:03o}")
    return '"' + "".join(out) + '"'


def call(head: str, arguments: list[str], tail: str = "", indent: int = 0) -> str:
    """``head(arguments)tail``, on one line if it fits, else with the arguments filled below. Not indented at first."""
    line = f"{head}({', '.join(arguments)}){tail}"
    if indent + len(line) <= WIDTH:
        return line
    rows: list[str] = []
    row = ""
    room = WIDTH - indent - 4
    for i, argument in enumerate(arguments):
        piece = argument + ("," if i < len(arguments) - 1 else f"){tail}")
        if row and len(row) + 1 + len(piece) > room:
            rows.append(row)
            row = piece
        else:
            row = f"{row} {piece}" if row else piece
    rows.append(row)
    return f"{head}(\n" + "\n".join(" " * (indent + 4) + r for r in rows)


def comment(text: str, indent: int = 0) -> str:
    """``//`` comment lines, filled to the line width."""
    return "\n".join(
        " " * indent + "// " + line
        for paragraph in text.splitlines()
        for line in (
            textwrap.wrap(paragraph, WIDTH - indent - 3, break_long_words=False, break_on_hyphens=False) or [""]
        )
    )
