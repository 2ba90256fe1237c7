"""Numbers that are about one tensor: its shape, its step, where it begins, how it is scaled."""

from __future__ import annotations

import re
from collections.abc import Mapping

from torchfl_sdk.match.recognise.part import Part

_OF_QUANTISED = {
    "offset": "zero_point", "zeropoint": "zero_point", "zp": "zero_point", "mult": "multiplier", "shift": "shift",
    "multiplier": "multiplier", "scale": "scale",
}  # fmt: skip


def quantised_role(part: Part, names: Mapping[str, str]) -> str:
    """``input_1_mult``, ``out_shift``: how a quantised tensor's numbers are scaled."""
    if part.sort != "int" or len(part.words) < 2 or part.words[-1] not in _OF_QUANTISED:
        return "shift" if part.joined in ("leftshift", "outshift", "rightshift") else ""
    about = "".join(part.words[:-1])
    for base, role in names.items():
        if base and (base.startswith(about) or about.startswith(base)):
            return f"{_OF_QUANTISED[part.words[-1]]}.{role}"
    return "shift" if part.joined in ("leftshift", "outshift", "rightshift") else ""


_ABOUT = (
    (("shape", "dims", "dim", "sizes", "size"), "shape"),
    (("numdims", "ndim", "rank", "ndims", "dimscount", "nbdims"), "rank"),
    (("strides", "stride", "pixelstride", "channelstride"), "ld"),
    (("offset", "off"), "offset"),
    (("ld", "leadingdim", "leadingdimension", "step", "pitch", "rowbytes"), "ld"),
    (("inc",), "inc"),
    (("dtype", "datatype", "type"), "dtype"),
    (("numel", "count", "len", "length", "numelements"), "numel"),
    (("zeropoint",), "zero_point"),
    (("scale",), "scale"),
    (("layout", "format"), "layout"),
)


def number_about(part: Part, names: Mapping[str, str]) -> str:
    """``input1_shape``, ``num_input1_dims``, ``a_offset``: a number about a tensor; ``rank.input``..."""
    if part.sort not in ("int", "ints", "dtype", "enum", "float", "int_out"):
        return ""
    lettered = _by_letter(part, names)
    if lettered:
        return lettered
    spelled = (
        part.joined,
        part.base,
        "".join(part.words[1:]) if len(part.words[:1]) == len("".join(part.words[:1])) else "",
    )  # d_in_offset
    return next((found for name in spelled if name and (found := _of_tensor(part, name, names))), "")


def _of_tensor(part: Part, joined: str, names: Mapping[str, str]) -> str:
    for base, role in sorted(names.items(), key=lambda item: -len(item[0])):
        if not base or (len(base) == 1 and part.words[:1] != (base,) and not joined.startswith(base)):
            continue
        if joined == f"num{base}dims" or joined == f"n{base}dims":
            return f"rank.{role}"
        if joined in (f"num{base}", f"n{base}") and len(base) > 1:
            return f"numel.{role}"
        if not joined.startswith(base) and not joined.endswith(base):
            continue
        rest = joined.removeprefix(base) if joined.startswith(base) else joined.removesuffix(base)
        for endings, what in _ABOUT:
            if rest in endings:
                counts = what == "shape" and part.sort == "int" and rest in ("dims", "dim")
                return f"{'rank' if counts else what}.{role}"
    if match := re.fullmatch(r"(x|input|output|filter|kernel|weight|bias)s?(?:dims|shape)", joined):
        about = {"filter": "weight", "kernel": "weight", "x": "input"}.get(match[1], match[1])
        return f"shape.{about}" if about in names.values() or match[1] == "x" else "kernel" if about == "weight" else ""
    if match := re.fullmatch(r"(input|output|src|dst)(?:channel|pixel)?stride", joined):
        return "ld.input" if match[1] in ("input", "src") else "ld.output"
    return ""


_OF_LETTER = {"shape": "shape", "dims": "rank", "trans": "trans", "transpose": "trans", "stride": "ld", "ld": "ld"}


def _by_letter(part: Part, names: Mapping[str, str]) -> str:
    """``L_shape``, ``R_dims``: about the only tensor whose name begins with the letter."""
    if len(part.words) != 2 or len(part.words[0]) != 1 or part.words[1] not in _OF_LETTER:
        return ""
    fitting = [role for base, role in names.items() if len(base) > 1 and base.startswith(part.words[0])]
    what = _OF_LETTER[part.words[1]]
    if len(fitting) != 1 or (what == "rank" and part.sort != "int"):
        return ""
    return f"{what}.{fitting[0]}"


def tensor_of(letter: str, names: Mapping[str, str]) -> str:
    """The role of the tensor whose name is, or starts or ends with, a letter."""
    if letter in names:
        return names[letter]
    for base, role in names.items():
        if base.startswith(letter) or base.endswith(letter):
            return role
    return {"a": "input", "b": "input2", "c": "output", "d": "output", "x": "input", "y": "output"}.get(letter[:1], "")
