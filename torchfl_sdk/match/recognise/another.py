"""What makes another function of one whose name and tensors fit an op: its other operands, its result, its mates."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from torchfl_sdk.header.model import Function
from torchfl_sdk.match.recognise.blas_order import Tensors
from torchfl_sdk.match.recognise.marks import is_type, library_word
from torchfl_sdk.match.recognise.names import Naming
from torchfl_sdk.match.recognise.part import Part
from torchfl_sdk.match.tokens import split, words
from torchfl_sdk.match.vocabulary import BY_NAME, FAMILY_BY_NAME, Word
from torchfl_sdk.match.vocabulary.arguments import SPECIAL
from torchfl_sdk.match.vocabulary.families import CALLING, METHODS, NOISE

#: Formats of sparse matrices, alone or run into what works on them; a size of windows.
_SPARSE = re.compile(r"[sdcz]?(?:csr|bsr|gebsr|csc2|coo2)\w*|spm[mv]|spgemm")
_WINDOW = re.compile(r"\d+x\d+|[a-z]+\d+x\d+")
_HALVES = frozenset(words("begin end start finish"))
_NORMS = frozenset(words("1 inf infinity max l1 linf one norm1 norminf l1norm infnorm linfnorm wrms wl2 weighted rms"))
_FACTORS = frozenset(words("scales coeff coeffs coefficients factors alphas"))
_MAKES = frozenset(words("clone dup duplicate"))
_DIAGONALS = ("aten::diag", "aten::diag_embed")
_NO_DIAGONAL = frozenset(words("shift apply add set scale fill mul mult multiply invert"))
_REDUCES = ("reduce", "arg_reduce", "vector_reduce")
_SIDES = re.compile(r"(?:Input|Output|In(?=[A-Z])|Out(?=[A-Z]))+")
_COPIES = ("copy", "vcopy")
_ELEMENTWISE = ("unary", "binary", "ternary")
_MOVES = (*_COPIES, "shape", "unary")


def another(
    function: Function,
    naming: Naming,
    parts: Sequence[Part],
    word: Word,
    tensors_in: Sequence[Part],
    found: Tensors,
    names: Collection[str],
    mates: Collection[tuple[str, ...]] = (),
) -> str:
    """Why the function is no ``word``, or "".

    ``names``: every function of the header; ``mates``: the words of those with the same arguments.
    """
    plain = function.name.partition("(")[0]
    said = split(plain.rpartition("::")[2])
    told = next((w for i, w in enumerate(said[:-1]) if (*said[:i], *said[i + 1 :]) in mates and _strange(w)
                 and w not in naming.key and naming.key in "".join(said[i + 1 :])), "")  # fmt: skip
    if told:
        return f"'{told}' makes another function of one with the same arguments"
    if "to" in said[1:-1] and not _within(said, naming.key) and word.kind not in (*_COPIES, "shape"):
        return "makes something else of what the op gives"
    if said[-1] in _HALVES and any(plain.lower() == f"{n}{e}".lower() or plain.lower() == f"{n}_{e}".lower()
                                   for n in names for e in (said[-1],) if plain.startswith(n)):  # fmt: skip
        return "one of two calls that compute the op together"
    return (
        _of_operands(function, naming, said, parts, word, tensors_in)
        or _of_norm(function, said, parts, word, tensors_in)
        or _of_lists(function, parts, word)
        or _of_moves(function, naming, said, parts, word, tensors_in, found, names)
        or _of_numbers(parts, word)
    )


def _strange(token: str) -> bool:
    """True for a word that nothing explains: no element type, method, part of a library or op."""
    plain = is_type(token) or library_word(token) or token in NOISE or token in METHODS or token in CALLING
    return len(token) > 3 and token.isalpha() and not plain and (token not in BY_NAME and token not in FAMILY_BY_NAME)


def _of_operands(
    function: Function,
    naming: Naming,
    said: Sequence[str],
    parts: Sequence[Part],
    word: Word,
    tensors_in: Sequence[Part],
) -> str:
    """What an operand or a word says that makes another function of it."""
    if any(_SPARSE.fullmatch(w) for w in said):
        return "works on a sparse matrix"
    if word.kind in _REDUCES and any(_WINDOW.fullmatch(w) for w in said):
        return "a filter over windows, not over all elements"
    if word.aten.startswith("aten::linalg_inv") and any(p.base in SPECIAL["pivots"] for p in parts):
        return "inverts what another function has factored"
    if word.kind in _ELEMENTWISE and any(p.sort == "list" for p in tensors_in):
        return "takes a list of tensors"
    left = next((p for p in parts if p.sort == "tensor" and p not in tensors_in), None)
    if word.kind in _ELEMENTWISE and left is not None and all(p.sort == "data" for p in tensors_in):
        return f"'{left.name}' is an operand of another kind than the others"
    if word.kind == "sort" and "by" in said and sum(p.sort == "tensor" for p in tensors_in) > 1:
        return "orders one operand by another"
    told = any(p.sort in ("int_out", "data") and p.written for p in parts)
    if word.kind in ("zero", "fill") and told and any(p.sort == "tensor" for p in parts):
        return "asks or tells something besides"
    tiles = {p.joined for p in parts if p.sort == "int"}
    if word.kind == "list" and {"m", "n"} <= tiles:
        return "joins or splits along two dimensions at once"
    return ""


def _of_norm(
    function: Function, said: Sequence[str], parts: Sequence[Part], word: Word, tensors_in: Sequence[Part]
) -> str:
    norm = word.aten in ("aten::norm", "aten::linalg_vector_norm")
    if norm and any("norm" in w for w in said) and any(p.joined in ("eps", "epsilon") for p in parts):
        return "divides by the norm"  # where a constant chooses among reductions, it is another's number
    if norm and _NORMS & set(said) and not any(p.sort in ("enum", "int") and "norm" in p.joined for p in parts):
        return "a norm of another order than the default"
    objects = [p for p in tensors_in if p.sort == "tensor"]
    if word.kind in _REDUCES and function.result.kind == "float" and len(objects) > len(word.required):
        return f"returns a number, and '{objects[-1].name}' is a further operand"
    return ""


def _of_lists(function: Function, parts: Sequence[Part], word: Word) -> str:
    nested = [p for p in parts if p.param.type.pointee is not None and p.param.type.pointee.kind == "pointer"]
    if "multi" in split(function.name) and nested:
        return "takes many operands at once"
    factor = next((p for p in parts if p.sort in ("ints", "params") and "vector" in p.param.type.canonical
                   and p.words[-1:] and p.words[-1] in _FACTORS), None)  # fmt: skip
    if factor is not None and word.kind in ("binary", "reduce", "scal", "list"):
        return f"'{factor.name}' scales its operands, which no single op does"
    segments = next((p for p in parts if {"segment", "segments"} & set(p.words)), None)
    if segments is not None and word.kind in ("sort", "reduce", "scan", "arg_reduce", "unary"):
        return f"works on segments ('{segments.name}'), which the op does not"
    if word.aten in ("aten::index_put", "aten::scatter.src", "aten::scatter") and any(
        p.joined == "shape" and p.sort in ("tensor", "data", "ints") for p in parts
    ):
        return "makes its result of indices and values alone"
    return ""


def _of_moves(
    function: Function,
    naming: Naming,
    said: Sequence[str],
    parts: Sequence[Part],
    word: Word,
    tensors_in: Sequence[Part],
    found: Tensors,
    names: Collection[str],
) -> str:
    if word.kind in _COPIES and naming.key in _MAKES and _copied_elsewhere(function, naming, names):
        return "makes an object alike; another function copies its values"
    if word.kind in _COPIES and {"task", "thread", "stream", "event"} & {
        w for p in tensors_in for w in split(_object(p))
    }:
        return "copies an object that holds no elements"
    if word.kind in _COPIES and said[-1] in ("ops", "methods", "options") and len(tensors_in) > 1:
        return "copies what an object can do, not its values"
    if word.aten in _DIAGONALS and _NO_DIAGONAL & set(said):
        return "changes or applies a diagonal"
    if word.aten == "aten::view" and tensors_in and all(p.sort == "data" for p in tensors_in) and found.inplace:
        return "moves the elements of what it overwrites, which a view does not"
    types = {found.roles.get(p.index): _object(p) for p in tensors_in if p.sort == "tensor"}
    given, made = types.get("input", ""), types.get("output", "")
    counted = {p.carrier.kinds or p.carrier.name for p in tensors_in if p.carrier is not None and p.sort == "tensor"}
    told = word.kind in _ELEMENTWISE and len(counted) > 1
    if (word.kind in _MOVES or told) and given and made and given != made:
        return f"its result ({made}) is of another type than its operand ({given})"
    ints = [p for p in parts if p.sort == "int"]
    if word.aten.startswith("aten::sub.") and said[-1] in ("vec", "vector", "mat", "matrix", "array", "image") and (
        len(ints) > 1 and len(tensors_in) < 3
    ):  # fmt: skip
        return "takes a part of its operand"
    image = any("image" in split(_object(p)) for p in tensors_in if p.sort == "tensor")
    objects = [p for p in tensors_in if p.sort == "tensor"]
    if word.aten == "aten::reciprocal" and naming.constant:
        return "scales by the inverse of a number"
    if naming.key == "invert" and word.aten == "aten::bitwise_not" and objects and found.inplace:
        return "its operand says which inverse it is"
    if naming.key == "invert" and word.aten == "aten::bitwise_not" and image:
        return "inverts an image, whose elements are not always integers"
    if word.aten == "aten::permute" and found.inplace and any(p.sort == "handle" for p in parts[1:]):
        return "permutes elements by an object, not the dimensions"
    if naming.key == "flatten" and image:
        return "flattens an image's channels, which no view does"
    if naming.key == "identity" and any({"format", "layout"} & set(p.words) for p in parts):
        return "converts the layout, not the elements"
    converts = word.aten == "aten::_to_copy" and not any(p.sort == "dtype" for p in parts)
    if converts and any(p.sort == "enum" and {"format", "layout", "dimensionformat"} & set(split(p.param.type.name)) |
                        ({"format", "layout"} & set(p.words)) for p in parts):  # fmt: skip
        return "converts the layout, not the elements"
    return ""


def _of_numbers(parts: Sequence[Part], word: Word) -> str:
    if word.aten == "aten::count_nonzero" and any("options" in p.type_words for p in parts):
        return "its options say what is counted"
    if word.aten.startswith("aten::clamp") and any(p.sort == "float" and p.joined.startswith("abs") for p in parts):
        return "one number bounds both sides"
    return ""


def _object(part: Part) -> str:
    """The type of an object as the header calls it, without const, reference, pointer and template arguments."""
    type_ = part.param.type
    inner = type_.pointee if type_.pointee is not None else type_
    if inner.kind == "pointer" and inner.pointee is not None:
        inner = inner.pointee
    name = (inner.name or inner.canonical).removeprefix("const ").partition("<")[0].strip(" &*")
    return "" if name.startswith("type-parameter") else _SIDES.sub("", name)  # a proxy's type says the direction


def _copied_elsewhere(function: Function, naming: Naming, names: Collection[str]) -> bool:
    """True if a name that differs in the word alone says "copy"."""
    low = function.name.lower()
    return any(other.lower() == low.replace(naming.key, spelled) for other in names
               for spelled in ("copy", "copyvalues", "copy_values")) or (
        function.linkage == "c" and naming.key == "clone" and function.result.kind == "pointer"
        and any(other.lower() == low.replace("clone", "cloneempty") for other in names)
    )  # fmt: skip


def _within(said: Sequence[str], key: str) -> bool:
    """True if the "to" of a name is a part of the op's own name: round half to even."""
    at = [i for i in range(1, len(said) - 1) if said[i] == "to"]
    return "to" in key or any(f"to{said[i + 1]}" in key.replace("_", "") for i in at)
