"""The shape that a function's arguments must have for each runtime role."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from torchfl_sdk.header.model import Function, HeaderModel
from torchfl_sdk.match.recognise.objects import STREAM
from torchfl_sdk.match.recognise.part import Part
from torchfl_sdk.match.tokens import cores, split
from torchfl_sdk.match.vocabulary.runtime import meaning

Shape = Callable[[Function, Sequence[Part]], bool]
#: What names of functions that ask for the size of a buffer to work in say, joined.
ROOM = ("workspace", "workspacesize", "buffersize", "scratchsize", "getsize", "tempsize", "scratchbuf", "bufsize")


def _sizes(parts: Sequence[Part]) -> list[Part]:
    """Integers passed by value, with those that an anonymous or odd typedef hides."""
    return [p for p in parts if p.sort in ("int", "ints") or p.param.type.kind == "int"]


def _allocates(function: Function, parts: Sequence[Part]) -> bool:
    template = function.result.kind == "other" and "<" in function.result.canonical
    gives = (
        function.result.kind in ("pointer", "struct")
        or template
        or any(p.written or p.sort == "out_handle" for p in parts)
    )
    if len(parts) == 2 and "create" in split(function.name) and any(p.joined == "data" for p in parts):
        return False  # an object about memory that is there
    named = {
        "size",
        "bytes",
        "nbytes",
        "sz",
        "len",
        "length",
        "count",
        "n",
        "num",
        "nelem",
        "elements",
        "numel",
        "nbyte",
    }
    sized = any(set(p.words) & named or not p.name or "size" in p.type_words for p in _sizes(parts))
    described = any(p.type_words & {"info", "desc", "descriptor", "config"} and not p.written for p in parts)
    sized = sized or (described and function.result.kind in ("pointer", "struct") and bool(function.result.aliases))
    return sized and (gives or bool(function.result.aliases))


def memory_only(model: HeaderModel, function: Function) -> bool:
    """False for a function that returns an object of known fields: it makes that object, not plain memory."""
    inner = function.result.pointee
    struct = model.structs.get(inner.name) if inner is not None and inner.kind == "struct" else None
    named = set(split(inner.name)) if inner is not None else set()
    return struct is None or not struct.complete or bool(named & {"mem", "memory", "buffer", "buf", "bo"})


def _frees(function: Function, parts: Sequence[Part]) -> bool:
    del function
    held = any(p.sort in ("data", "tensor", "out_handle", "other") or p.type_words & _MEMORY for p in parts)
    return held and len(parts) <= 3


_MEMORY = frozenset({"buffer", "mem", "memory", "bo"})


def _copies(function: Function, parts: Sequence[Part]) -> bool:
    carriers = [
        p for p in parts if p.sort in ("data", "tensor", "list") or (p.param.type.kind == "int" and p.sort == "tensor")
    ]
    if len(carriers) == 1 and len(parts) == 3:  # memory that only an address stands for
        carriers += [p for p in parts if p.sort == "int" and p.joined in ("addr", "address", "deviceaddress")]
    scalars = [p for p in parts if p.sort in ("float", "scalar_pointer", "desc")]
    operators = [p for p in parts if "operator" in p.type_words]
    names = cores(function.name, ())[0]
    sides = len({p.sort for p in carriers}) > 1  # of the host's memory and the device's
    directed = any(
        meaning(t) in ("h2d", "d2h", "d2d", *(("write", "read") if sides else ())) for t in names
    ) or "devicetodevice" in "".join(names)
    return len(carriers) >= 2 and (bool(_sizes(parts)) or directed) and not scalars and not operators


def _copies_objects(function: Function, parts: Sequence[Part]) -> bool:
    objects = [p for p in parts if p.sort == "tensor"]
    named = [t for t in cores(function.name, ())[0] if meaning(t) == "d2d" or t in ("device",)]
    return _copies(function, parts) and (len(objects) >= 2 or bool(named))


def _plain_copy(function: Function, parts: Sequence[Part]) -> bool:
    if any(p.sort == "data" and p.element not in ("", "int8", "uint8", "uint16") for p in parts):
        return False  # elements, not bytes
    return _copies(function, parts) and len([p for p in parts if p.sort == "tensor" and p.param.type.kind != "int"]) < 2


def _fills(function: Function, parts: Sequence[Part]) -> bool:
    del function
    carriers = [p for p in parts if p.sort in ("data", "tensor")]
    if any(p.sort in ("float", "desc") or p.element not in ("", "int8", "uint8") for p in parts):
        return False
    return 1 <= len(carriers) <= 2 and any(p.written or p.sort == "tensor" for p in carriers) and bool(_sizes(parts))


def _counts(function: Function, parts: Sequence[Part]) -> bool:
    if any(p.sort in ("dtype", "desc") or (p.sort == "text" and p.written) for p in parts):
        return False
    out = [p for p in parts if p.param.type.kind == "pointer" and p.param.type.pointee is not None
           and p.param.type.pointee.kind == "int" and not p.param.type.pointee.const]  # fmt: skip
    words = {"count" if w.endswith("count") else w for p in out for w in p.words}
    if {"count", "num", "number"} & words:
        return True
    if DEVICES & set(split(function.name)) and (
        len(out) == len(parts) == 1 or (not parts and function.result.kind == "int")
    ):
        return True  # acme_devices(int *n), int acme_devices(void)
    return bool({"count", "num"} & {meaning(w) for w in cores(function.name, ())[0]}) and bool(
        out or function.result.kind == "int" or (not parts and function.result.kind != "void")
    )


def _gets_device(function: Function, parts: Sequence[Part]) -> bool:
    if not parts or (len(parts) == 1 and parts[0].sort == "handle" and function.result.kind == "int"):
        return function.result.kind == "int" and not function.result.aliases
    if len(parts) == 2 and all(p.written or p.sort == "enum_out" for p in parts):
        return parts[1].param.type.kind == "pointer" and "count" not in parts[1].words  # the kind of device, and which
    first = parts[0].param.type
    return (
        len(parts) == 1
        and first.kind == "pointer"
        and first.pointee is not None
        and first.pointee.kind == "int"
        and "count" not in parts[0].words
    )


def _sets_device(function: Function, parts: Sequence[Part]) -> bool:
    del function
    return 1 <= len(parts) <= 2 and parts[0].sort in ("int", "handle", "enum")


def _creates(function: Function, parts: Sequence[Part]) -> bool:
    pointer = any(p.param.type.kind == "pointer" and p.param.type.pointee is not None and not p.param.type.pointee.const
                  for p in parts)  # fmt: skip
    return pointer or function.result.kind in ("pointer", "struct", "int")


def _creates_handle(function: Function, parts: Sequence[Part]) -> bool:
    result = function.result
    if len(parts) <= 1 and result.kind == "pointer" and result.aliases and all(p.sort == "int" for p in parts):
        return True  # handle_t create(int device)
    return bool(parts) and parts[0].sort in ("out_handle", "handle", "data") and len(parts) <= 2 and (
        parts[0].param.type.kind == "pointer"
    )  # fmt: skip


def _destroys_handle(function: Function, parts: Sequence[Part]) -> bool:
    if _destroys_operator(function, parts):
        return False
    return len(parts) == 1 and (parts[0].sort == "handle" or bool({"handle", "generator"} & parts[0].type_words))


def _sets_stream(function: Function, parts: Sequence[Part]) -> bool:
    if function.linkage == "c++" and function.namespace and len(parts) == 1:  # of the object itself
        return parts[0].sort == "stream" or bool(parts[0].type_words & STREAM)
    return len(parts) == 2 and parts[0].sort in ("handle", "params") and (
        parts[1].sort == "stream" or bool(parts[1].type_words & STREAM)
    )  # fmt: skip


def _syncs_stream(function: Function, parts: Sequence[Part]) -> bool:
    if not parts and function.linkage == "c++" and STREAM & set(split(function.namespace.rpartition("::")[2])):
        return True  # of the object itself
    return any(p.sort == "stream" or p.type_words & STREAM for p in parts) and not any(
        "event" in p.type_words for p in parts
    )


def _creates_tensor(function: Function, parts: Sequence[Part]) -> bool:
    described = any(p.sort in ("desc", "dtype", "ints") for p in parts)
    return described and (any(p.sort in ("out_handle", "tensor") for p in parts) or function.result.kind == "pointer")


def _asks_workspace(function: Function, parts: Sequence[Part]) -> bool:
    words = cores(function.name, ())[0]
    joined = "".join(words)
    asked = any(word in joined for word in ROOM if word != "workspace") or ("workspace" in words and "size" in words)
    verbs = {"get", "query", "compute", "calc", "estimate", "size", "getsize"}
    return asked and bool(verbs & set(words)) and bool(parts) and not any(p.sort == "data" for p in parts)


def _describes(function: Function, parts: Sequence[Part]) -> bool:
    """A layout is a tensor's where it is made of sizes; pipelines have some too."""
    named = "desc" in {meaning(t) for t in cores(function.name, ())[0]}
    return named or any(p.sort == "ints" for p in parts)


def _destroys_desc(function: Function, parts: Sequence[Part]) -> bool:
    named = "desc" in {meaning(t) for t in cores(function.name, ())[0]}
    return named or (len(parts) == 1 and parts[0].sort == "desc")


def _destroys_operator(function: Function, parts: Sequence[Part]) -> bool:
    """A function that is called "delete" and no more deletes what its argument is."""
    named = "operator" in {meaning(t) for t in cores(function.name, ())[0]}
    return named or (len(parts) == 1 and bool(parts[0].type_words & {"primitive", "operator"}))


def _executes(function: Function, parts: Sequence[Part]) -> bool:
    del function
    return bool(parts) and any(p.type_words & {"operator", "primitive", "op", "plan", "executor"} for p in parts)


#: Words for several devices, which alone ask how many there are.
DEVICES = frozenset({"devices", "cards", "gpus", "npus", "boards", "accelerators"})
#: Parts of a library that stand for all of it.
_WHOLE = ("platform", "runtime", "driver", "system", "library")


def _begins(function: Function, parts: Sequence[Part]) -> bool:
    """A plain word for a start is one of the library's own where it is no class's, and gives no number."""
    if any(p.written or p.sort in ("out_handle", "tensor", "desc") for p in parts) or len(parts) > 3:
        return False
    owner = function.namespace.rpartition("::")[2].lower()
    plain = split(function.name.rpartition("::")[2])[-1:] == ["start"]
    return not plain or (owner in ("", *_WHOLE) and (function.linkage == "c" or function.result.kind == "void"))


def _ends_all(function: Function, parts: Sequence[Part]) -> bool:
    """A plain word for destroying ends the library where there is nothing to destroy."""
    named = "fini" in {meaning(w) for w in cores(function.name, ())[0]}
    owner = function.namespace.rpartition("::")[2].lower()
    return len(parts) <= 1 if named else not parts and owner in ("", *_WHOLE)


def _text_out(part: Part) -> bool:
    """True for ``const char **``: where the text is to be found."""
    inner = part.param.type.pointee
    return bool(inner and inner.pointee and inner.pointee.canonical.removeprefix("const ") == "char")


def _texts(function: Function, parts: Sequence[Part]) -> bool:
    text = function.result.kind == "pointer" or any(p.sort == "text" or _text_out(p) for p in parts)
    return text and len(parts) <= 3


SHAPES: dict[str, Shape] = {
    "any": lambda f, p: True,
    "few": lambda f, p: len(p) <= 1,
    "ends_one": lambda f, p: len([x for x in p if x.sort not in ("int", "enum", "bool")]) <= 1,
    "begins": _begins,
    "ends_all": _ends_all,
    "no_stream": lambda f, p: not any(x.sort == "stream" or x.type_words & STREAM for x in p),
    "counts": _counts,
    "sets_device": _sets_device,
    "gets_device": _gets_device,
    "syncs_device": lambda f, p: len(p) <= 1 and not any(x.sort == "stream" for x in p),
    "allocates": _allocates,
    "frees": _frees,
    "copies": _plain_copy,
    "copies_objects": _copies_objects,
    "fills": _fills,
    "creates": _creates,
    "creates_handle": _creates_handle,
    "destroys_handle": _destroys_handle,
    "sets_stream": _sets_stream,
    "syncs_stream": _syncs_stream,
    "maps": lambda f, p: len(p) >= 2 or (len(p) == 1 and f.result.kind == "pointer"),
    "creates_tensor": _creates_tensor,
    "destroys_tensor": lambda f, p: len(p) == 1 and p[0].sort == "tensor",
    "asks_workspace": _asks_workspace,
    "describes": _describes,
    "destroys_desc": _destroys_desc,
    "destroys_operator": _destroys_operator,
    "executes": _executes,
    "texts": _texts,
    "last": lambda f, p: len(p) <= 3,
}
