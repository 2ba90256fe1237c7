"""Numbers of matrix functions: extents, leading dimensions, steps, transposes, as BLAS names them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from torchfl_sdk.match.recognise.about import tensor_of
from torchfl_sdk.match.recognise.part import Part

_MATRIX_KINDS = (
    "trsm",
    "solve",
    "gemm",
    "gemm_batched",
    "gemv",
    "ger",
    "geam",
    "matmul",
    "linear",
    "transpose",
    "vector_reduce",
    "dot",
)
_WITH_EXTENTS = ("gemm", "gemm_batched", "gemv", "ger", "geam", "matmul", "linear", "trsm", "solve")
#: Ops whose ``ic`` is a number of channels, not the step of a vector called c.
_WITH_CHANNELS = ("pool", "norm", "linear", "resize", "softmax")
_BLAS_KINDS = (*_MATRIX_KINDS, "axpy", "scal", "vcopy", "copy", "reduce", "arg_reduce")


def matrix_role(part: Part, joined: str, kind: str, names: Mapping[str, str]) -> str:
    if match := re.fullmatch(
        r"(?:c|n|f|i)?ld([a-z]\d?)|([a-z])ld|([a-z])(?:leadingdimension|leadingdim|pitch)|leadingdimension([a-z])",
        joined,
    ):
        letter = next(g for g in match.groups() if g)
        return f"ld.{tensor_of(letter, names)}" if tensor_of(letter, names) else "ld"
    if joined == "ld":
        return "ld"
    if match := re.fullmatch(r"inc([a-z]\d?)|([a-z])inc|stride([xy])|([a-z])stride", joined):
        letter = next(g for g in match.groups() if g)
        if (
            joined.startswith("inc")
            or joined.endswith("inc")
            or (part.sort in ("int",) and kind not in ("conv", "pool", "gemm_batched"))
        ):
            return f"inc.{tensor_of(letter, names)}" if tensor_of(letter, names) else "inc"
    if kind in ("gemm_batched", "gemm", "matmul") and (
        match := re.fullmatch(r"(?:batch)?stride([abcd])|([abcd])(?:batch)?stride|([abcd])stridebatch", joined)
    ):
        letter = next(g for g in match.groups() if g)
        return f"stride.{tensor_of(letter, names)}" if tensor_of(letter, names) else "stride"
    if match := re.fullmatch(
        r"(?:is)?(?:trans(?:pose)?|op|tr|t|layouttrans)([abxy12])|(?:is)?([abxw])(?:transpose|trans|transposed)|adj([xyab])",
        joined,
    ):
        letter = next(g for g in match.groups() if g)
        return "trans.input2" if letter in "byw2" else "trans.input"
    if joined != "dtype" and (match := re.fullmatch(r"([abcdxy])type|(?:type|dtype|datatype)([abcdxy])", joined)):
        letter = next(g for g in match.groups() if g)
        return f"dtype.{tensor_of(letter, names)}"
    if kind in _WITH_EXTENTS and part.sort == "int":
        if joined in ("m", "rows", "crows", "nrows", "rowsa", "numrows"):
            return "m"
        if joined in ("n", "cols", "ccols", "ncols", "columns", "colsb", "numcols"):
            return "n"
        if joined in ("k", "inner", "colsa"):
            return "k"
    if (
        kind not in _WITH_CHANNELS
        and (match := re.fullmatch(r"i([a-z])", joined))
        and match[1] in names
        and part.sort == "int"
    ):
        return f"inc.{names[match[1]]}"
    if match := re.fullmatch(r"i([a-dxyz])?", joined):
        about = names.get(match[1] or "a", "") or (names.get("x", "") if not match[1] else "")
        if (
            part.sort == "int"
            and about
            and kind in ("unary", "binary", "ternary", "reduce", "arg_reduce", "fill", "zero")
        ):
            return f"inc.{about}"
    if kind in ("transpose", "geam", "copy", "unary", "shape") and part.sort == "int":
        if joined in ("m", "rows", "crows", "nrows", "numrows"):
            return "m"
        if joined in ("cols", "ccols", "ncols", "columns", "numcols") or (
            joined == "n" and kind in ("transpose", "geam")
        ):
            return "n"
    if kind in ("gemv", "transpose", "ger", "geam") and joined in ("trans", "op", "ctrans", "transpose"):
        return "trans.input"
    if part.sort == "enum" and joined in (
        "order",
        "corder",
        "layout",
        "storage",
        "major",
        "matrixlayout",
        "storageorder",
    ):
        return "order" if kind in _BLAS_KINDS else "layout"
    if joined == "order" or joined == "corder":
        return "order"
    return ""
