"""The value of an object-like macro, where it is a number or another name."""

from __future__ import annotations

import re
from collections.abc import Mapping

_INT = re.compile(r"(0[xX][0-9a-fA-F]+|0[bB][01]+|0[0-7]*|[1-9][0-9]*)[uUlL]*")
_FLOAT = re.compile(r"((?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)[fFlL]?")
_NAME = re.compile(r"[A-Za-z_]\w*")
_SHIFT = re.compile(r"(.+?)<<(.+)", re.S)
_CAST = re.compile(r"^\(\s*(?:const\s+)?[A-Za-z_]\w*(?:\s+[A-Za-z_]\w*)*\s*\)\s*(?=[-+~(\w.])")
_DEPTH = 16


def number(body: str, known: Mapping[str, int | float], depth: int = 0) -> int | float | None:
    """The number a macro body stands for: a literal, a sign, a cast, a shift, an or, or a name in ``known``."""
    body = body.strip()
    if not body or depth > _DEPTH or len(body) > 200:
        return None
    if match := _INT.fullmatch(body):
        digits = match[1]
        if digits[:2] in ("0x", "0X"):
            return int(digits, 16)
        if digits[:2] in ("0b", "0B"):
            return int(digits, 2)
        return int(digits, 8) if digits.startswith("0") else int(digits)
    if match := _FLOAT.fullmatch(body):
        return float(match[1])
    if _NAME.fullmatch(body):
        return known.get(body)
    if _enclosed(body):
        return number(body[1:-1], known, depth + 1)
    if cast := _CAST.match(body):
        return number(body[cast.end() :], known, depth + 1)
    if body[0] in "+-":
        inner = number(body[1:], known, depth + 1)
        return None if inner is None else (-inner if body[0] == "-" else inner)
    return _binary(body, known, depth + 1)


def _binary(body: str, known: Mapping[str, int | float], depth: int) -> int | None:
    if "|" in body:
        parts = [number(part, known, depth) for part in body.split("|")]
        if all(isinstance(part, int) for part in parts):
            result = 0
            for part in parts:
                result |= int(part or 0)
            return result
        return None
    if match := _SHIFT.fullmatch(body):
        left, right = number(match[1], known, depth), number(match[2], known, depth)
        if isinstance(left, int) and isinstance(right, int) and 0 <= right < 64:
            return left << right
    return None


def _enclosed(body: str) -> bool:
    """True if the first parenthesis closes at the very end."""
    if not (body.startswith("(") and body.endswith(")")):
        return False
    open_ = 0
    for position, character in enumerate(body):
        open_ += (character == "(") - (character == ")")
        if open_ == 0:
            return position == len(body) - 1
    return False


def alias(body: str) -> str:
    """The one identifier that a macro body consists of, or ""."""
    body = body.strip()
    return body if _NAME.fullmatch(body) else ""
