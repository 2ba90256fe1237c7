"""What the words of a type's name say an object is: a tensor, a stream, a descriptor, a handle."""

from __future__ import annotations

import re

from torchfl_sdk.header.model import CType, HeaderModel
from torchfl_sdk.match.tokens import split, words

STREAM = frozenset(words("stream queue cmdqueue commandqueue cmdq streams track lane belt strand"))
POOL = frozenset(words("threadpool pthreadpool"))
_COMMANDS = frozenset(words("command commands cmd"))
DESC = frozenset(words("desc descriptor descs descriptors dsc info"))
TENSOR = frozenset(words("tensor tensors memory mem buffer buf blob ndarray array mat matrix image variable var value"))
CONTEXT = frozenset(words("ctx context handle handler engine session device lib library env"))
OPERATOR = frozenset(words("op operator primitive plan executor exec kernel layer node operation"))
GRAPH = frozenset(words("graph subgraph network model builder program net"))
_PAIRS = ({"x", "y"}, {"re", "im"}, {"real", "imag"}, {"r", "i"}, {"s0", "s1"})
_NUMBERS = frozenset(words("value val factor coefficient coef coeff scalar"))
_MANY = frozenset(words("values key query in out input output src dst data array list vec vector in0 in1 a b x y"))
SCALARS = frozenset(words("alpha beta scalar value val valueptr alpha1 alpha2 alpha3 fillvalue pattern constant"))
_PARAMETER = re.compile(r"(?:const )?type-parameter-\d+-\d+")


def is_parameter(type_: CType) -> bool:
    """True for a type that is a parameter of the template."""
    return type_.kind == "other" and _PARAMETER.fullmatch(type_.canonical) is not None


def is_memory(alias: str) -> bool:
    """True for the name of a struct that stands for a piece of memory, and describes none."""
    named = set(split(alias))
    return bool(named & {"mem", "memory", "buffer"}) and not named & DESC


def by_pointer(type_: CType, names: frozenset[str], written: bool) -> bool:
    """True for a number that is passed by pointer, by its name."""
    plain = names - {"ptr", "p", "data"}
    if not written and type_.kind == "pointer" and len(names) > 1 and names & _NUMBERS and not names & _MANY:
        return True  # clipping_value
    scaled = type_.kind == "pointer" and any(n.startswith(("alpha", "beta")) for n in names)
    exact = type_.kind == "pointer" and names <= {"alpha", "beta"} and bool(names)
    return exact or (not written and bool((plain and plain <= SCALARS) or scaled))


def complex_pair(model: HeaderModel, type_: CType) -> bool:
    struct = model.structs.get(type_.name)
    if struct is None or len(struct.fields) != 2:
        return False
    return {f.name.lower() for f in struct.fields} in _PAIRS and all(f.type.kind == "float" for f in struct.fields)


def object_sort(words: frozenset[str], names: frozenset[str]) -> str:
    """What an opaque object is, by the words of its type and, where those say nothing, of its name."""
    if words & {"dptr", "devicepointer", "devmem"} or any(w.endswith(("deviceptr", "devptr")) for w in words):
        return "tensor"
    for found in (words, names):
        if found & POOL or found & STREAM or (found & _COMMANDS and found & {"buffer", "buf", "list", "encoder"}):
            return "stream"
        if found & DESC and "primitive" not in found:
            return "desc"
        if "scalar" in found or ("value" in found and not found & {"tensor", "array"} and names & SCALARS):
            return "scalar_pointer"
        if found & {"array", "list"} and found & {"int", "bool", "ints", "int64", "dim", "size"}:
            return "ints"
        if "list" in found and found & TENSOR:
            return "list"
        if found & GRAPH or found & OPERATOR:
            return "handle"
        if any(w.endswith("view") and 4 < len(w) < 7 for w in found) and not found & DESC:
            return "tensor"  # vview, mview: a vector or matrix in a block of memory
        if found & TENSOR and not found & {"handle", "context", "ctx"}:
            return "tensor"
        if found & CONTEXT:
            return "handle"
    return ""


def type_words(type_: CType) -> frozenset[str]:
    """Words of the type names in a parameter's type."""
    found: set[str] = set()
    for inner in (type_, *([type_.pointee] if type_.pointee is not None else [])):
        for name in (*inner.aliases, inner.name):
            found |= set(split(name.removesuffix("_t").removesuffix("_st")))
    if type_.pointee is not None and type_.pointee.pointee is not None:
        for name in (*type_.pointee.pointee.aliases, type_.pointee.pointee.name):
            found |= set(split(name.removesuffix("_t").removesuffix("_st")))
    return frozenset(found - {""})


_OPERANDS = frozenset(words("src srcs source sources input inputs operand operands parent parents arg args"))
_WHICH_THREAD = ("ith", "tid", "threadid", "threadindex", "threadidx", "workerid", "workerindex")


def is_node(model: HeaderModel, type_: CType) -> bool:
    """True for a tensor that holds the tensors it is computed from: ``struct tensor { struct tensor *src[8]; ...}``."""
    inner = type_.pointee if type_.kind == "pointer" else type_
    struct = model.structs.get(inner.name) if inner is not None else None
    if struct is None or not struct.complete:
        return False
    held = [
        f.type.pointee for f in struct.fields if f.type.kind in ("array", "pointer") and _OPERANDS & set(split(f.name))
    ]
    return any(
        t is not None and t.kind == "pointer" and t.pointee is not None and t.pointee.name == struct.name for t in held
    )


def is_run(model: HeaderModel, type_: CType) -> bool:
    """True for a struct that says which thread is called: a context of the call, no attributes of an op."""
    inner = type_.pointee if type_.kind == "pointer" else type_
    struct = model.structs.get(inner.name) if inner is not None else None
    return struct is not None and any("".join(split(f.name)) in _WHICH_THREAD for f in struct.fields)
