"""Which arguments carry the tensors of an op, and in which calling style."""

from __future__ import annotations

import re
from collections.abc import Sequence

from torchfl_sdk.header.model import CType, Function
from torchfl_sdk.match.recognise import scalars, tensors
from torchfl_sdk.match.recognise.blas_order import BLAS, Tensors
from torchfl_sdk.match.recognise.induction import RETURNED, carried
from torchfl_sdk.match.recognise.names import Naming
from torchfl_sdk.match.recognise.part import Part
from torchfl_sdk.match.tokens import split, words
from torchfl_sdk.match.vocabulary import Word
from torchfl_sdk.match.vocabulary.arguments import ATTRIBUTES, SPECIAL

CARRIERS = ("data", "tensor", "list")
#: First calls of two: what creates or describes an op, and what asks how much room it needs.
PREPARES = frozenset(words("create setup define reshape prepare make build init plan"))
_WORKSPACE = frozenset(words("workspace workbuffer scratch scratchpad reservespace ws tempstorage work"))
#: Ops whose result may be a plain number beside tensor objects.
_TO_ONE = ("dot", "vector_reduce", "reduce", "arg_reduce")
#: Room that a function needs beside its result, where it writes two things.
STATE = ("state", "temp", "tmp", "work", "scratch", "aux")
_SCALES = ("maxptr", "max", "scale", "scales", "zp", "zeropoint", "amax", "scaleptr")
#: How results of small integers are scaled back: numbers per channel, in wider integers or in floating point.
_RESCALES = frozenset(
    words("k kappa lambda lamda mult multiplier multipliers shift shifts outmult outshift outputmult outputshift scale "
          "scales outputmultiplier outscale outputscale requantscale requantshift quantmult chan zp zeropoint")
)  # fmt: skip
_SHIFTS = ("shift", "bits", "amount", "nbits", "shiftbits", "shiftamount", "count")
_SMALL, _WIDE = ("int8", "uint8", "int16"), ("int16", "int32", "int64", "uint32", "uint64", "float32", "")
#: What room to work in is called where nothing else says it.
_ROOM = frozenset(
    words("tmpbuffer buffertmp tmp tmpbuf im2colbuffer savearea workarea scratchbuffer tempbuffer ptmp buffer temp")
)
#: Where a function of linear algebra says whether it succeeded.
_REPORTS = ("info", "devinfo", "infoarray", "dinfo")
#: Attributes that interchange formats, and libraries after them, pass as tensors.
_AS_TENSORS = frozenset(
    words("""shape newshape outshape outputshape targetshape dims newdims axis axes dim perm permutation
    paddings padding pads pad multiples repeats reps begin begins start starts end ends stop strides strided steps step
    size sizes outputsize k depth constantvalue padvalue paddingvalue scales factors""")
)
#: What an object is called that holds several results.
_SEVERAL = frozenset(words("seq sequence list tuple pair array vector vec tensors values"))
_PLACES = frozenset(words("output out result dst"))
_NOTHING = ("nullptr", "NULL", "{}", "std::nullopt", "nullopt")
_PRESENT = ("...",)  # a default that nothing was read of


def asks_size(naming: Naming) -> bool:
    """True for a name that asks for the size of a buffer."""
    return naming.protocol.endswith("_size")


def carriers(word: Word, naming: Naming, parts: Sequence[Part], *, gives: bool = False) -> tuple[list[Part], str]:
    """The arguments that carry the op's tensors, and the calling style that this shows.

    ``gives``: the function may return its result, so that no argument need hold it.
    """
    data = [p for p in parts if p.sort in CARRIERS and not is_workspace(p)]
    data = [p for p in data if not is_scratch(p, data)]
    data = [p for p in data if not _of_another(p, data)]
    if any(p.element in _SMALL for p in data):
        data = [p for p in data if not (p.element in _WIDE and p.base in _RESCALES)]
    if word.kind in ("matmul", "conv", "sort") and sum(p.written for p in data if p.sort in ("data", "tensor")) > 1:
        data = [p for p in data if p.base not in STATE]
    if word.kind == "sort" and sum(_places(p) for p in data) > 1:  # where the values were before is no operand
        data = [p for p in data if not (_places(p) and p.words[0] in ("in", "input", "src", "source"))]
    if word.kind == "conv":
        data = [p for p in data if p.base not in ("im2col", "col", "im2colbuffer", "im2coldata")]
    data = [p for p in data if not is_room(p, data)]
    if word.kind == "select":  # a table needs no step beside its indices
        data = sorted([*data, *(p for p in parts if p.sort == "scalar_pointer")], key=lambda p: p.index)
    if "info" not in word.all_outputs:
        data = [p for p in data if p.base not in _REPORTS]
    given = 1 if not gives else 0
    written = len({p.written for p in data}) > 1  # types tell what is written
    spare = [p for p in data if p.sort == "tensor" and not (written and p.written) and p.joined in _AS_TENSORS]
    spare = [p for p in spare if p.joined != "k" or word.kind == "sort"]
    if spare and word.kind not in ("list", "select", "rnn", "attention", "loss", "backward", "random"):
        rest = [p for p in data if p not in spare]
        data = rest if len(rest) >= len(word.required) + given else data
    needed = [p for p in data if not p.param.default or p.param.default in _PRESENT]
    needed = [p for p in needed if not (gives and optional_result(p))]
    if len(needed) >= len(word.required) + (0 if gives else 1):
        optional = {name.removesuffix("?") for name in (*word.inputs, *word.outputs) if name.endswith("?")}
        data = [p for p in data if p in needed or p.base in optional or tensors.special(p, optional, word)]
    if sum(p.carrier is not None and p.carrier.convention == RETURNED for p in data) > len(word.required):
        data = [
            p
            for p in data
            if p.carrier is None or p.base not in ATTRIBUTES or tensors.special(p, word.all_inputs, word)
        ]
    if any(p.joined == "alpha" for p in parts):
        data = [p for p in data if not (p.base == "gamma" and not p.written)]
    data = [p for p in data if not _factor(p, parts)]
    objects = [p for p in data if p.sort == "tensor"]
    ids = [p for p in parts if p.sort == "id"]
    descs = [p for p in parts if p.sort == "desc"]
    if any(p.sort == "handle" and scalars.handle_role(p) == "graph" for p in parts):
        return (ids or data), "graph"
    if word.kind == "norm" and not any(p.joined.startswith("alpha") for p in parts):
        beta = [p for p in parts if p.sort == "scalar_pointer" and p.base == "beta"]
        data = sorted([*data, *beta], key=lambda p: p.index)
    own = [p for p in data if tensors.special(p, ("weight", "bias"), word)]
    if word.kind == "norm" and not own:
        shift = [p for p in parts if p.sort == "scalar_pointer" and p.written and p.joined in ("alpha", "beta")]
        data = sorted([*data, *(shift if len(shift) == 2 else [])], key=lambda p: p.index)
    mixed = any(p.sort == "data" for p in data) and objects and len(objects) < len(data)
    if mixed and word.kind not in _TO_ONE and not (word.kind == "matmul" and len(data) == 3):
        data = [p for p in data if p.sort != "tensor"] or data
    if data:
        return data, _style(word, parts, data, objects, descs)
    if naming.protocol and descs:
        return [p for p in descs if not own_desc(p)], "descriptor"
    return [], "two_phase" if not descs else "descriptor"


def optional_result(part: Part) -> bool:
    """True for a place for the result that a caller may leave out: ``std::optional<Tensor> output``."""
    spared = "optional" in part.type_words or part.param.default in _NOTHING
    return spared and part.sort == "tensor" and bool(_PLACES & set(part.words))


def _factor(part: Part, parts: Sequence[Part]) -> bool:
    """A pointer called like a scale that alone has no descriptor: how the numbers of the others are scaled."""
    described = {p.base for p in parts if p.sort == "desc"}
    pointers = [p for p in parts if p.sort == "data" and not is_workspace(p) and p.base not in STATE]
    others = [p for p in pointers if p.words[-1:] not in (("scale",), ("scales",))]
    single = part in pointers and part not in others and part.base not in described
    return single and len(others) > 1 and all(p.base in described for p in others)


def _places(part: Part) -> bool:
    return part.words[-1:] in (("index",), ("idx",), ("indices",)) and len(part.words) > 1


def _of_another(part: Part, data: Sequence[Part]) -> bool:
    """``x_maxptr`` beside ``x``: how another tensor is scaled."""
    if part.sort != "data" or len(part.words) < 2:
        return False
    if part.words[0] in ("max", "scale", "absmax", "amax") and any(
        p is not part and p.base == "".join(part.words[1:]) for p in data
    ):
        return True  # max_w: the largest number in w
    if part.words[-1] not in _SCALES:
        return False
    about = "".join(part.words[:-1])
    others = [p for p in data if p is not part]
    twin = part.words[-1] in ("maxptr", "amax") and any(p.words[-1:] == part.words[-1:] for p in others)
    return twin or any(p.base == about for p in others)


def _style(
    word: Word, parts: Sequence[Part], data: Sequence[Part], objects: Sequence[Part], descs: Sequence[Part]
) -> str:
    if descs:
        return "descriptor"
    if any(p.sort == "handle" and "operator" in p.type_words for p in parts):
        return "operator"
    if any(p.joined.endswith("offset") or _offset_of(p, objects) for p in parts) and objects:
        return "buffer"
    if any(p.sort == "handle" for p in parts):
        return "handle"
    if objects:
        return "tensor"
    return "blas" if word.kind in BLAS else "pointer"


def _offset_of(part: Part, objects: Sequence[Part]) -> bool:
    """True for ``offA`` beside ``A``."""
    return part.sort == "int" and part.joined.startswith("off") and any(
        part.joined.removeprefix("off") == p.joined for p in objects
    )  # fmt: skip


def own_desc(part: Part) -> bool:
    """The descriptor that the function fills: one that it may write."""
    type_ = part.param.type
    return part.written and type_.kind == "pointer" and not type_.aliases


def is_workspace(part: Part) -> bool:
    """True for room to work in, and for its size."""
    names = set(part.words)
    return bool(
        names & _WORKSPACE
        or {"reserve", "space"} <= names
        or {"temp", "storage"} <= names
        or "workspace" in part.joined
        or (part.joined == "tempbuffer" and part.sort == "tensor")
        or (part.joined in ("tmpbuffer", "buffertmp", *_ROOM)
        and part.sort in ("data", "int") and part.element in ("", "int8", "uint8"))
    )  # fmt: skip


def is_scratch(part: Part, data: Sequence[Part]) -> bool:
    """A buffer of bytes beside tensors of another type: room for the function to work in."""
    others = {p.element for p in data if p is not part and p.sort == "data"}
    named = part.words[-1:] == ("buffer",) and part.base not in ("in", "out", "input", "output", "src", "dst")
    return part.sort == "data" and named and part.written and part.element in ("uint8", "int8", "") and bool(
        others - {part.element}
    )  # fmt: skip


def is_room(part: Part, data: Sequence[Part]) -> bool:
    """``bufferA`` beside a result that is called otherwise: room for the function to work in."""
    buffer = part.sort == "data" and part.written and bool({"buffer", "buf", "bufs"} & set(part.words))
    return buffer and part.base not in ("in", "out", "input", "output", "src", "dst", "result") and any(
        p is not part and p.sort == "data" and p.written and not {"buffer", "buf", "bufs"} & set(p.words) for p in data
    )  # fmt: skip


def creates(parts: Sequence[Part]) -> bool:
    """True if a new operator, plan or executor is among the results."""
    objects = {"operator", "op", "primitive", "plan", "executor", "exec", "pd"}
    return any(p.sort == "out_handle" and (p.type_words | set(p.words)) & objects for p in parts)


def returns_result(function: Function, word: Word, found: Sequence[Part]) -> bool:
    """True if the function returns the op's result: a number, or a tensor object."""
    result = function.result
    if word.kind in ("dot", "vector_reduce", "reduce", "arg_reduce"):
        if result.kind == "float" or "type-parameter" in result.canonical or _is_scalar(result):
            return True
        if _returns_object(function, found):
            return True
        status = any(p.sort == "tensor" for p in found) and len(found) > len(word.required)
        places = SPECIAL["indices"]
        return (
            result.kind == "int"
            and not status
            and not any(p.written and p.sort == "data" and p.base not in places for p in found)
        )
    if word.aten in ("aten::_linalg_det", "aten::trace") and (result.kind == "float" or _is_scalar(result)):
        return True
    return _returns_object(function, found)


def _is_scalar(type_: CType) -> bool:
    """True for a struct of one number, whatever its type: ``Scalar_<double>``."""
    return type_.kind == "struct" and "scalar" in split(type_.name or type_.canonical)


def _returns_object(function: Function, found: Sequence[Part]) -> bool:
    """True if the result is a tensor object of the type of an operand, or of a list of them."""
    result = function.result
    if any(p.carrier is not None and p.carrier.name in carried(result) for p in found):
        return True
    several = any(_SEVERAL & set(split(name)) for name in carried(result))
    if several and any(p.carrier is not None and p.carrier.convention == RETURNED for p in found):
        return True
    if result.kind == "other" and "<" in result.canonical and found and all(p.sort == "tensor" for p in found):
        given = {_bare(p.param.type.canonical).partition("<")[0] for p in found}  # an expression of its operands
        return bool({"expression", "expr"} & set(split(result.canonical.partition("<")[0]))) and any(
            name and name in result.canonical for name in given
        )
    if result.kind not in ("pointer", "struct") or not found or not all(p.sort in ("tensor", "list") for p in found):
        return False
    made = _bare(result.canonical)
    given = set(re.findall(r"[\w:]+", made)) if "<" in made else {made}
    named = {_bare(p.param.type.canonical) for p in found} | {_listed(p) for p in found}
    return made in named or bool(given & named - {""})


def _bare(canonical: str) -> str:
    """A type without const and reference: ``const array &`` is passed where ``array`` is returned."""
    return canonical.removeprefix("const ").removesuffix("&").strip()


def _listed(part: Part) -> str:
    """The type of the elements of a ``std::vector`` or an array of objects, or ""."""
    if match := re.search(r"(?:vector|span|initializer_list)<(.+?)[,>]", _bare(part.param.type.canonical)):
        return _bare(match[1])
    return ""


def strided(parts: Sequence[Part], found: Tensors, word: Word) -> bool:
    """True if some argument is one that only a network's convolution has."""
    names = {p.base: found.roles[p.index] for p in parts if p.index in found.roles}
    roles = {scalars.scalar_role(p, word.kind, names) for p in parts if p.index not in found.roles}
    known = ("stride", "pad", "dilation", "kernel", "groups", "in_c", "out_c", "batch")
    described = any(p.sort in ("params", "desc") for p in parts)
    return described or any(role.startswith(known) for role in roles if "." not in role)


def has_scalar(parts: Sequence[Part], word: Word) -> bool:
    """True if a number is an operand."""
    named = any(
        p.sort in ("float", "scalar_pointer", "int", "bool") and scalars.scalar_role(p, word.kind, {}) == "scalar"
        for p in parts
    )
    if "shift" in word.aten and any(p.sort == "int" and p.joined in _SHIFTS for p in parts):
        return True
    return named or any(
        p.sort in ("float", "scalar_pointer") and p.joined not in ("alpha", "beta", "eps") for p in parts
    )
