"""Why a function is not the op that its name says: what its arguments and the rest of its name make of it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from torchfl_sdk.header.model import Function
from torchfl_sdk.match.recognise.blas_order import BLAS, Tensors
from torchfl_sdk.match.recognise.carriers import CARRIERS, has_scalar, strided
from torchfl_sdk.match.recognise.names import Naming
from torchfl_sdk.match.recognise.part import Part
from torchfl_sdk.match.tokens import split, words
from torchfl_sdk.match.vocabulary import Word

_COLLECTIVE = ("comm", "communicator", "root", "peer", "nranks")
_OF_MATRICES = ("aten::div.Tensor", "aten::exp", "aten::log", "aten::sqrt", "aten::pow.Tensor_Tensor")
_EXTREMES = ("aten::maximum", "aten::minimum")
_ALONG = ("axis", "axes", "dimension", "dim", "dims", "keepdim", "keepdims", "reducedims")
#: Ops whose result is true or false, in whatever type a vendor writes it.
_TESTS = ("eq", "ne", "lt", "le", "gt", "ge", "isnan", "isinf", "isfinite", "isposinf",
          "isneginf", "signbit", "isclose", "logical_not", "logical_and", "logical_or", "logical_xor")  # fmt: skip
_ELEMENTS = frozenset(words("element elements elementwise elts hadamard pointwise eltwise scalar elemwise"))
_ADDS = re.compile(r"(?i)\badd(?:s|ed)?\b")
_EACH = re.compile(r"(?i)\b(?:every|each) element|element-?wise|hadamard")
_PRODUCTS = ("mul", "mult", "multiply", "multiplication", "mlt", "prod")
_ROUGH = frozenset(words("est estimate estimates estimated"))  # 1 / x to a few bits
_VALUES = ("input", "input2", "input3", "weight", "output", "inout")


def unfit(function: Function, naming: Naming, parts: Sequence[Part], *, lettered: bool = False) -> str:
    """Why no op is looked for behind a name that says one, or "".

    ``lettered``: other functions of the header show that a letter of their names is the element type.
    """
    conversion = naming.key == "convert" or any(w.aten == "aten::_to_copy" for w in naming.words)
    if "complex" in naming.dtypes and not conversion:
        return "complex dtype: torchfl has no complex dtype"
    if any(p.sort == "complex" or p.element == "complex" or "complex" in p.type_words for p in parts):
        return "complex dtype: torchfl has no complex dtype"
    if naming.letter and naming.letter in "sdh":
        elements = {p.element for p in parts if p.sort in ("data", "list") and p.element}
        if elements and naming.dtypes[0] not in elements and naming.letter == naming.letter[:1]:
            return f"its name says {naming.dtypes[0]}, its pointers are {', '.join(sorted(elements))}"
    proved = any(p.element for p in parts) or (lettered and any(p.carrier is not None for p in parts))
    if naming.letter and not proved and any(w.kind == "unary" for w in naming.words):
        return "nothing says that a letter of its name is an element type"
    if any(p.joined in _COLLECTIVE or p.type_words & {"comm", "communicator"} for p in parts):
        return "a collective over several devices, no op on one"
    objects = [p for p in parts if p.sort in ("tensor", "list")]
    if function.variadic and (len(parts) < 2 or not objects or any(p.sort == "text" for p in parts)):
        # behind objects: arguments by their names
        return "takes a variable number of arguments"
    if "enable" in split(function.name):
        return "switches something on"
    said = set(split(function.name))
    if said & _ROUGH:
        return "gives an estimate of the op's value"
    if ("multi" in said or {"vector", "array"} <= said) and any(p.plural or p.sort == "out_handle" for p in parts):
        return "takes many operands at once"
    if any(p.sort == "function" and "type-parameter" in p.param.type.canonical for p in parts):
        return "applies an operation that its caller passes"
    if not parts:
        return "has no arguments"
    return ""


def misfit(
    function: Function,
    naming: Naming,
    parts: Sequence[Part],
    word: Word,
    tensors_in: Sequence[Part],
    found: Tensors,
    style: str,
) -> str:
    """Why ``word`` is not what the function computes although its tensors fit, or ""."""
    scalar = has_scalar(parts, word)
    if naming.reversed and word.aten not in ("aten::sub.Tensor", "aten::rsub.Scalar"):
        return "its operands are reversed (a number by a tensor), which is no single op"
    if naming.constant and not found.scalar and word.kind == "binary":
        return "its name says a constant operand, its arguments have none"
    if word.kind == "linear" and naming.key == "innerproduct" and style == "pointer" and sum(
        p.sort in ("int", "ints") for p in parts) == 1:  # fmt: skip
        return "a product of two vectors"
    if naming.constant and word.kind in ("reduce", "arg_reduce") and any(p.sort == "float" for p in parts):
        return "its name says a constant operand, which no reduction has"
    if word.aten == "aten::tensordot" and not any(
        p.sort in ("ints", "int") and not p.joined.startswith("n") for p in parts
    ):
        return "nothing says over which dimensions"
    if word.aten == "aten::random_" and not any(p.element.startswith(("int", "uint")) for p in tensors_in):
        return "writes no integers"
    if word.kind == "random" and not any(p.sort in ("handle", "stream", "int") for p in parts):
        return "a generator of random numbers needs a count"
    if word.kind == "random" and _ADDS.search(function.comment):
        return "adds random numbers to what is there"
    whole = any(p.element.startswith(("int", "uint")) for p in tensors_in)
    if "sat" in split(function.name) and whole and word.kind == "binary":
        return "stops at the largest number, where PyTorch's integers wrap around"
    trouble = _of_matrices(function, naming, parts, word)
    if trouble:
        return trouble
    if naming.loose and (len(tensors_in) < 2 or found.inplace or style in ("handle", "graph", "operator")):
        return "its name says too little"
    if word.aten == "aten::trace" and style in ("pointer", "handle"):
        return "nothing says that it adds up a diagonal"
    if word.kind == "fill" and any(p.sort == "int" and p.joined in ("i", "j", "index", "idx") for p in parts):
        return "sets one element"
    counted = any(p.carrier is not None for p in tensors_in)
    if word.aten == "aten::view" and function.result.kind == "struct" and not counted:
        return "makes a view of memory"
    if any({"bias", "shift"} & set(p.words) for p in parts if p.sort in ("float", "scalar_pointer")) and word.kind in (
        "binary",
        "scal",
        "copy",
    ):
        return "scales and shifts, which no single op does"
    first = next((p.base for p in tensors_in if found.roles.get(p.index) == "input"), "")
    scaled = [b for p in parts if p.sort == "float" for b in _scales(p, tensors_in)]
    if word.kind == "binary" and (len(scaled) > 1 or ("sub" in word.aten and scaled == [first])):
        return "scales an operand that no single op scales"
    if word.aten in ("aten::linalg_vector_norm", "aten::norm") and any(p.element.startswith("int") for p in tensors_in):
        return "a norm of integers, which no aten op gives"
    if word.kind == "norm" and any(
        found.roles.get(p.index) in ("save_mean", "save_rstd") and p.sort == "data" and not p.written
        for p in tensors_in
    ):
        return "takes its statistics as operands"
    if word.kind == "norm" and any(
        p.words[:1] == ("input",)
        and len(p.words) == 2
        and len(p.words[1]) == 1
        and found.roles.get(p.index) not in ("input", "input2")
        for p in tensors_in
    ):
        return "which operands of a normalisation they are is not clear"
    if word.kind == "attention" and any({"weight", "weights"} & set(p.words) for p in parts if p.sort in CARRIERS):
        return "fused: it projects its operands too"
    if word.kind == "select" and any({"slice", "slices"} & set(p.words) for p in parts):
        return "moves slices, which no index op does"
    numbers = {p.joined for p in parts if p.sort in ("float", "scalar_pointer")}
    blended = {"alpha", "beta"} <= numbers  # of the result and what was there
    told = numbers & {"alpha", "value", "val", "scalar", "threshold"}
    if word.aten in ("aten::max", "aten::min") and told and not blended:
        return "compares with a number, which no reduction does"
    if word.kind == "unary" and word.aten != "aten::logit" and numbers & {"eps", "epsilon"}:
        return "adds a number before it takes the function"
    if word.kind == "softmax" and numbers & {"max", "maximum", "maxval", "maxvalue"}:
        return "takes the maximum as an operand, which a softmax finds"
    if word.kind == "scal" and len(tensors_in) > 1 and not scalar and "alpha" not in numbers:
        return "nothing says by which number it scales"
    if word.kind == "scal" and {"alpha", "beta"} <= {p.joined for p in parts}:
        return "scales and shifts, which no single op does"
    if word.aten == "aten::sum" and any({"summands", "terms", "coefficients", "coeffs"} & set(p.words) for p in parts):
        return "adds several tensors up"
    if naming.protocol == "create" and word.aten == "aten::_to_copy":
        return "changes how a tensor lies, not its element type"
    if word.aten.endswith("_window") and (found.inplace or naming.inplace):
        return "multiplies its operand by a window"
    if word.aten == "aten::threshold" and style != "descriptor" and not scalar:
        return "nothing says what it compares with"
    if word.kind in ("copy", "vcopy") and any(
        p.sort == "bool" and p.words[:1] in (("add",), ("accumulate",)) for p in parts
    ):
        return "an argument makes it add to what it overwrites"
    partly = any(p.sort == "int" and "count" in p.words and len(p.words) > 1 for p in parts)
    places = [p for p in parts if p.sort == "int" and "offset" in p.words and len(p.words) > 2]
    if word.kind in ("copy", "vcopy") and style in ("tensor", "buffer") and len(places) > 1 and partly:
        return "copies a part of a tensor into a part of another"
    if word.aten == "aten::threshold" and any(p.sort == "enum" for p in parts):
        return "an enum chooses on which side it cuts, which no single op does"
    if word.kind == "conv" and style == "pointer" and not strided(parts, found, word):
        return "a convolution of signals, which flips its kernel; nothing says stride, padding or channels"
    if word.kind == "binary" and (word.inplace or word.aten in _EXTREMES) and any(p.joined in _ALONG for p in parts):
        return "works along an axis, which no elementwise op does"
    if word.aten in ("aten::std", "aten::var") and any(p.sort == "float" and p.joined == "mean" for p in parts):
        return "takes the mean as an operand"
    if naming.key in ("invert", "inv") and word.aten == "aten::bitwise_not" and any(p.sort == "int" and p.joined in (
        "flags", "method", "decomp") for p in parts):  # fmt: skip
        return "its operands say which inverse it is"
    tokens = set(split(function.name))
    if word.kind == "copy" and "to" in tokens and tokens & {"device", "host"}:
        return "moves memory, whose elements nothing tells"
    if naming.key == "remainder" and any(p.sort == "data" and p.element for p in tensors_in):
        return "C's remainder rounds the quotient to the nearest, which no aten op does"
    if naming.key == "reorder" and style in ("pointer", "blas"):
        return "packs its operand for a kernel"
    if any({"fuse", "fused"} & set(p.words) for p in parts):
        return "fused: an argument switches a further op on"
    ints = [p.joined for p in parts if p.sort == "int"]  # beside a count, dim is how wide the rows are
    if word.aten == "aten::embedding" and ("axis" in ints or ints == ["dim"]):
        return "selects along an axis, which an embedding has not"
    if word.kind == "reduce" and word.aten in ("aten::max", "aten::min") and found.inplace:
        return "an elementwise form of another arity"
    if (
        word.kind in ("unary", "copy", "reduce", "arg_reduce")
        and style == "pointer"
        and not any(p.sort in ("int", "ints") for p in parts)
    ):
        return "a single value, not a tensor"
    values = _VALUES if word.kind != "dot" else _VALUES[:4]  # its result may be wider
    mixed = {p.element for p in tensors_in if p.sort == "data" and p.element and found.roles.get(p.index) in values}
    tests = word.aten.split(".")[0].removeprefix("aten::") in _TESTS
    if len(mixed) > 1 and not tests and word.kind in (*BLAS, "unary", "binary", "ternary", "matmul"):
        return f"mixes element types ({', '.join(sorted(mixed))})"
    return ""


def _scales(part: Part, tensors_in: Sequence[Part]) -> list[str]:
    """The operand that a number named ``x_scale`` or ``scale_x`` scales, by its base name."""
    names = set(part.words)
    return [t.base for t in tensors_in if "scale" in names and t.base in names]


def operand_kind(part: Part) -> str:
    """ "matrix" or "vector" where the type of an object says so, else ""."""
    type_ = part.param.type
    inner = type_.pointee if type_.pointee is not None else type_
    name = (inner.name or inner.canonical).removeprefix("const ").partition("<")[0]
    said = set(split(name.rpartition("::")[2]))
    return "matrix" if said & {"mat", "matrix"} else "vector" if said & {"vec", "vector"} else ""


def _factors(parts: Sequence[Part]) -> bool:
    """True for the factors of a product that is added to what it overwrites."""
    return {"alpha", "beta"} <= {p.joined for p in parts}


def _of_matrices(function: Function, naming: Naming, parts: Sequence[Part], word: Word) -> str:
    """Why ``word`` is not meant where the name speaks of matrices or polynomials: their products are others."""
    whole = split(function.name.partition("(")[0])
    matrices = any("matrix" in t or t == "mat" for t in whole)
    elements = bool(_ELEMENTS & set(whole) or _EACH.search(function.comment))
    extents = {p.joined for p in parts if p.sort == "int"}
    kinds = [operand_kind(p) for p in parts if p.sort == "tensor"]
    product = not elements and ({"m", "k"} <= extents or matrices or "matrix" in kinds)
    if any(t.startswith("poly") for t in whole) and word.kind == "binary":
        return "an operation on polynomials"
    if naming.key in _PRODUCTS and word.aten in ("aten::mul.Tensor", "aten::mm", "aten::mv", "aten::prod"):
        scaled = any(p.sort in ("float", "scalar_pointer") for p in parts) and not _factors(parts)
        meant = "aten::mv" if {"matrix", "vector"} <= set(kinds) else "aten::mm"
        if word.aten == "aten::prod":  # of all elements: of one operand
            return "its operands say which product it is" if product and len(kinds) > 2 else ""
        if word.aten in ("aten::mm", "aten::mv") or product:
            fits = word.aten == meant and product and not scaled
            return (
                "" if fits or (word.aten == "aten::mul.Tensor" and scaled) else "its operands say which product it is"
            )
    if naming.key in ("inv", "inverse", "invert"):
        square = matrices or "linalg" in whole or any(
            p.sort in ("int", "enum") and p.joined in ("flags", "method", "decomp", "decomposition") for p in parts
        )  # fmt: skip
        return "" if (word.aten == "aten::linalg_inv") == square else "its operands say which inverse it is"
    if (matrices or "linalg" in whole) and not elements and word.aten in _OF_MATRICES:
        return "a function of a matrix, not of its elements"
    return ""
