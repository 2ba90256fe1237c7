"""Element types: what a C pointer's type says about the data behind it, and which enum selects it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from torchfl_sdk.header.model import CType, Enum, HeaderModel
from torchfl_sdk.match.tokens import DTYPE_WORDS, common_prefix, split

_INTS = {(8, True): "int8", (8, False): "uint8", (16, True): "int16", (32, True): "int32", (64, True): "int64"}
_INTS |= {(32, False): "uint32", (64, False): "uint64"}  # of indices and sizes
#: Words of element types, whether or not torch has them.
_OTHER = re.compile(r"(?:u?int|b?float|bf|fp)\d+")
#: What stands between a library's name and an element type in the names of constants.
_SELECTORS = frozenset(("type", "dtype", "datatype", "kind", "elemtype"))
#: Words of truth values in the names of constants beside those of other element types.
_TRUTH = frozenset(("flag", "truth", "logical"))
_FLOATS = {16: "float16", 32: "float32", 64: "float64"}


def element_dtype(type_: CType) -> str | None:
    """Torch's name of an element type; "" for what says nothing; "complex"; None for what is no number.

    void says nothing, and neither does uint16_t, in which vendors pass half precision. A typedef's name counts
    (``typedef uint16_t acme_half``); plain ``char`` is text.
    """
    named = _by_name(type_.aliases) if type_.kind in ("int", "struct", "float") else ""
    if type_.kind == "struct":
        return named or _by_name((type_.name,)) or None
    if type_.kind == "void":
        return ""
    if type_.kind == "complex":
        return "complex"
    if type_.kind == "bool":
        return "bool"
    if type_.kind == "float":
        return "bfloat16" if type_.canonical.endswith("__bf16") else _FLOATS.get(type_.bits)
    if type_.kind == "int":
        if named and not _standard(type_.aliases):
            return named
        if type_.canonical.removeprefix("const ") == "char":
            return None
        if (type_.bits, type_.signed) == (16, False):
            return ""
        return _INTS.get((type_.bits, type_.signed))
    return None


def _standard(aliases: tuple[str, ...]) -> bool:
    """True if the outermost typedef is the C library's own (int8_t says what the C type says anyway)."""
    return aliases[0].endswith("_t") and aliases[0].removesuffix("_t").lstrip("u").startswith("int")


def _by_name(names: tuple[str, ...]) -> str:
    """The half-precision or complex type that a typedef's name states, or ""."""
    for name in names:
        for word in split(name.removesuffix("_t")):
            dtype = DTYPE_WORDS.get(word, "")
            if dtype in ("float16", "bfloat16", "complex"):
                return dtype
    return ""


def dtype_enum(enum: Enum) -> dict[str, str]:
    """dtype -> constant for an enum whose constants are mostly element types; empty for any other enum.

    A constant that repeats the value of an earlier one, as the first and the last of a range do, does not count.
    """
    own = [constant.name.rpartition("::")[2] for constant in enum.constants]  # within its enum
    prefix = common_prefix(own)
    found: dict[str, str] = {}
    hits = repeated = 0
    for position, constant in enumerate(enum.constants):
        words = split(own[position])
        for word in prefix:
            if len(words) > 1 and words[0] == word:
                words = words[1:]
        joined = "".join(words)
        dtype = DTYPE_WORDS.get(joined) or (DTYPE_WORDS.get(words[-1]) if len(words) <= 2 else None)
        if dtype is None and len(found) > 1 and len(words) == 1 and words[0] in _TRUTH:
            dtype = "bool"
        if dtype is None and len(found) > 1 and any(_OTHER.fullmatch(word) for word in words):
            hits += 1  # an element type that torch has no name of, beside others that it knows
            continue
        if dtype is None:
            repeated += any(c.value == constant.value for c in enum.constants[:position])
            continue
        hits += 1
        if dtype != "complex":
            found.setdefault(dtype, constant.name)
    return found if 2 * hits >= len(enum.constants) - repeated and hits else {}


def the_dtypes(model: HeaderModel) -> dict[str, str]:
    """dtype -> constant of a header that lists its element types once, for integers that select one: of its only enum
    of them, or of macros that are called nothing else."""
    enums = list(dtype_enums(model).values())
    if enums:
        return enums[0] if len(enums) == 1 else {}
    found = named_dtypes(model.constants)
    return found if "float32" in found else {}


def named_dtypes(names: Iterable[str]) -> dict[str, str]:
    """dtype -> the constant whose name is nothing else behind the library's own: ``ACME_F32``, ``ACME_TYPE_F32``."""
    found: dict[str, str] = {}
    for name in names:
        rest = split(name)[1:]
        dtype = DTYPE_WORDS.get("".join(rest)) or (
            DTYPE_WORDS.get(rest[-1]) if len(rest) == 2 and rest[0] in _SELECTORS else None
        )
        if dtype is not None and dtype != "complex":
            found.setdefault(dtype, name)
    return found


def dtype_enums(model: HeaderModel) -> dict[str, dict[str, str]]:
    """Every enum of the header that selects an element type, by name."""
    found = {name: dtype_enum(enum) for name, enum in model.enums.items()}
    return {name: values for name, values in found.items() if values}
