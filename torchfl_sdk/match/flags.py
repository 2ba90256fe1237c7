"""Flags of matrix functions: which constants say row- or column-major, transposed or not."""

from __future__ import annotations

import re
from collections.abc import Mapping

from torchfl_sdk.header.model import CType, Enum
from torchfl_sdk.match.arguments import Parameter
from torchfl_sdk.match.tokens import split

#: Names of a transpose flag, with the letter of the operand that it is about.
TRANSPOSE = re.compile(
    r"(?:trans(?:pose)?|op|adj)_?([ab12xy]|lhs|rhs|left|right)|([ab]|lhs|rhs|left|right)_?(?:trans(?:pose)?|op|adj)"
)


def transpose_flag(parameter: Parameter, enums: Mapping[str, Enum]) -> str:
    """The C constant with which a transpose flag says that nothing is transposed; "" of what is no such flag."""
    if parameter.sort not in ("int", "enum") or not TRANSPOSE.fullmatch(parameter.joined):
        return ""
    return transpose_values(parameter.param.type, enums.get(parameter.param.type.name)).get("n", "")


def order_values(enum: Enum) -> dict[str, str]:
    """ "row"/"column" -> constant for an enum of matrix orders; empty for another enum."""
    found: dict[str, str] = {}
    for constant in enum.constants:
        words = set(split(constant.name))
        if words & {"row", "rowmajor"}:
            found.setdefault("row", constant.name)
        elif words & {"col", "column", "colmajor", "columnmajor"}:
            found.setdefault("column", constant.name)
    return found if "row" in found else {}


def transpose_values(type_: CType, enum: Enum | None) -> dict[str, str]:
    """ "n"/"t" -> constant of a transpose flag; empty if the type is no such flag."""
    if enum is None:
        if type_.kind not in ("int", "bool"):
            return {}
        if type_.canonical.removeprefix("const ") == "char":
            return {"n": "'N'", "t": "'T'"}
        return {"n": "0", "t": "1"}
    found: dict[str, str] = {}
    asked = any(w.startswith("trans") for name in (enum.name, *enum.typedefs) for w in split(name))
    for constant in enum.constants:
        words = split(constant.name)
        joined = "".join(words)
        if "conj" in joined or "herm" in joined or words[-1] in ("c", "h"):
            continue
        negated = bool({"no", "non", "not", "none", "normal"} & set(words)) or "notrans" in joined or words[-1] == "n"
        if negated:
            found.setdefault("n", constant.name)
        elif "trans" in joined.removesuffix("pose") or words[-1] == "t" or (asked and words[-1] in ("yes", "true")):
            found.setdefault("t", constant.name)
    return found if {"n", "t"} <= set(found) else {}
