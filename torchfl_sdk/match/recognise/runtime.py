"""Which function manages what: device, memory, streams, events, handles, errors; by name pattern and argument shape."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from torchfl_sdk.header.model import Function, HeaderModel
from torchfl_sdk.match.model import RoleMatch, Source
from torchfl_sdk.match.recognise.parts import STREAM, Part, Parts
from torchfl_sdk.match.tokens import DTYPE_WORDS, Prefixes, cores, deeper_prefixes, split
from torchfl_sdk.match.vocabulary.runtime import ROLES, SAME, TOLERATED, RoleWord

_KNOWN = frozenset().union(*(p | r.tolerated for r in ROLES for p in r.patterns)) | TOLERATED
Shape = Callable[[Function, Sequence[Part]], bool]
_CONFIGURES = frozenset({"flags", "properties", "priority", "config", "attributes"})
#: A role that makes sense only where another is taken.
_AFTER = {"free": "malloc", "host_free": "host_malloc", "svm_free": "svm_malloc"}
#: What names of functions that ask for the size of a buffer to work in say, joined.
_ROOM = ("workspace", "workspacesize", "buffersize", "scratchsize", "getsize", "tempsize", "scratchbuf", "bufsize")
_BYTE_TYPES = ("uint8", "int8")


def _pointers(parts: Sequence[Part]) -> list[Part]:
    return [p for p in parts if p.sort in ("data", "tensor", "other") or (p.sort in ("list", "out_handle"))]


def _numbers(parts: Sequence[Part]) -> list[Part]:
    return [p for p in parts if p.sort in ("int", "dtype", "bool", "enum")]


def _sizes(parts: Sequence[Part]) -> list[Part]:
    """Integers passed by value, with those that an anonymous or odd typedef hides."""
    return [p for p in parts if p.sort in ("int", "ints") or p.param.type.kind == "int"]


def _allocates(function: Function, parts: Sequence[Part]) -> bool:
    gives = function.result.kind in ("pointer", "struct") or any(p.written or p.sort == "out_handle" for p in parts)
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
    return sized and (gives or bool(function.result.aliases))


def _memory_only(model: HeaderModel, function: Function) -> bool:
    """False for a function that returns an object of known fields: it makes that object, not plain memory."""
    inner = function.result.pointee
    struct = model.structs.get(inner.name) if inner is not None and inner.kind == "struct" else None
    named = set(split(inner.name)) if inner is not None else set()
    return struct is None or not struct.complete or bool(named & {"mem", "memory", "buffer", "buf", "bo"})


def _frees(function: Function, parts: Sequence[Part]) -> bool:
    del function
    return any(p.sort in ("data", "tensor", "out_handle", "other") for p in parts) and len(parts) <= 3


def _copies(function: Function, parts: Sequence[Part]) -> bool:
    carriers = [
        p for p in parts if p.sort in ("data", "tensor", "list") or (p.param.type.kind == "int" and p.sort == "tensor")
    ]
    scalars = [p for p in parts if p.sort in ("float", "scalar_pointer", "desc")]
    operators = [p for p in parts if "operator" in p.type_words]
    directed = any(SAME.get(t) in ("h2d", "d2h", "d2d") for t in cores(function.name, ())[0])
    return len(carriers) >= 2 and (bool(_sizes(parts)) or directed) and not scalars and not operators


def _copies_objects(function: Function, parts: Sequence[Part]) -> bool:
    objects = [p for p in parts if p.sort == "tensor"]
    named = [t for t in cores(function.name, ())[0] if SAME.get(t) == "d2d" or t in ("device",)]
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
    if any(p.sort in ("text", "dtype", "desc") for p in parts):
        return False
    out = [p for p in parts if p.param.type.kind == "pointer" and p.param.type.pointee is not None
           and p.param.type.pointee.kind == "int" and not p.param.type.pointee.const]  # fmt: skip
    words = {w for p in out for w in p.words}
    if {"count", "num", "number"} & words:
        return True
    return bool({"count", "num"} & {SAME.get(w, w) for w in cores(function.name, ())[0]}) and bool(
        out or function.result.kind == "int" or (not parts and function.result.kind != "void")
    )


def _gets_device(function: Function, parts: Sequence[Part]) -> bool:
    if not parts or (len(parts) == 1 and parts[0].sort == "handle" and function.result.kind == "int"):
        return function.result.kind == "int" and not function.result.aliases
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
    del function
    return bool(parts) and parts[0].sort in ("out_handle", "handle", "data") and len(parts) <= 2 and (
        parts[0].param.type.kind == "pointer"
    )  # fmt: skip


def _destroys_handle(function: Function, parts: Sequence[Part]) -> bool:
    del function
    return len(parts) == 1 and (parts[0].sort == "handle" or bool({"handle", "generator"} & parts[0].type_words))


def _sets_stream(function: Function, parts: Sequence[Part]) -> bool:
    if function.linkage == "c++" and function.namespace and len(parts) == 1:  # of the object itself
        return parts[0].sort == "stream" or bool(parts[0].type_words & STREAM)
    return len(parts) == 2 and parts[0].sort in ("handle", "params") and (
        parts[1].sort == "stream" or bool(parts[1].type_words & STREAM)
    )  # fmt: skip


def _syncs_stream(function: Function, parts: Sequence[Part]) -> bool:
    del function
    return any(p.sort == "stream" or p.type_words & STREAM for p in parts) and not any(
        "event" in p.type_words for p in parts
    )


def _creates_tensor(function: Function, parts: Sequence[Part]) -> bool:
    described = any(p.sort in ("desc", "dtype", "ints") for p in parts)
    return described and (any(p.sort in ("out_handle", "tensor") for p in parts) or function.result.kind == "pointer")


def _asks_workspace(function: Function, parts: Sequence[Part]) -> bool:
    words = cores(function.name, ())[0]
    joined = "".join(words)
    asked = any(word in joined for word in _ROOM if word != "workspace") or ("workspace" in words and "size" in words)
    verbs = {"get", "query", "compute", "calc", "estimate", "size", "getsize"}
    return asked and bool(verbs & set(words)) and bool(parts) and not any(p.sort == "data" for p in parts)


def _executes(function: Function, parts: Sequence[Part]) -> bool:
    del function
    return bool(parts) and any(p.type_words & {"operator", "primitive", "op", "plan", "executor"} for p in parts)


def _texts(function: Function, parts: Sequence[Part]) -> bool:
    text = function.result.kind == "pointer" or any(p.sort == "text" for p in parts)
    return text and len(parts) <= 3


SHAPES: dict[str, Shape] = {
    "any": lambda f, p: True,
    "few": lambda f, p: len(p) <= 1,
    "no_object": lambda f, p: (
        not any(x.written or x.sort in ("out_handle", "tensor", "desc") for x in p) and len(p) <= 3
    ),
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
    "maps": lambda f, p: len(p) >= 2,
    "creates_tensor": _creates_tensor,
    "destroys_tensor": lambda f, p: len(p) == 1 and p[0].sort == "tensor",
    "asks_workspace": _asks_workspace,
    "executes": _executes,
    "texts": _texts,
    "last": lambda f, p: len(p) <= 3,
}


def runtime_roles(model: HeaderModel, prefix: Prefixes) -> list[RoleMatch]:
    """The best function for each role, and other candidates behind it, surest first."""
    parts_of = Parts(model)
    given = _callbacks(model)
    everything = (
        *model.functions,
        *(
            m
            for m in model.methods
            if (m.linkage == "c++" or m.namespace not in given) and "allocator" not in m.namespace.lower()
        ),
    )
    own = {f.name for f in everything if Path(f.place.file) in model.files}
    split_own = [tuple(split(name)) for name in own]
    deeper = [
        p for p in deeper_prefixes(own, prefix)
        if p not in prefix and 2 * sum(parts[: len(p)] == p for parts in split_own) > len(own)
    ]  # fmt: skip
    readings = [(f, _token_sets(f.name, _with_part(f.name, prefix, deeper))) for f in everything if not f.variadic]
    readings = [(f, sets) for f, sets in readings if any(_KNOWN.issuperset(SAME.get(w, w) for w in s) for s in sets)
                or any(w in "".join(sets[0]) for w in _ROOM)]  # fmt: skip
    found: list[RoleMatch] = []
    for role in ROLES:
        if role.role in _AFTER and not any(entry.role == _AFTER[role.role] for entry in found):
            continue
        ranked: list[tuple[float, int, RoleMatch]] = []
        for position, (function, sets) in enumerate(readings):
            points, said = _points(role, function, sets)
            if points <= 0:
                continue
            parts = parts_of.of(function)
            if not SHAPES[role.shape](function, parts):
                continue
            if role.shape == "allocates" and not _memory_only(model, function):
                continue
            points += _preference(role, function, sets)
            points -= 0.0 if Path(function.place.file) in model.files else 0.06  # of an included header
            where = Source(model.short(function.place.file), function.place.line)
            made = RoleMatch(role.role, function.name, said, round(max(min(points, 1.0), 0.0), 3), where)
            ranked.append((-points, position, made))
        found += [entry for _, _, entry in sorted(ranked)[:3]]
    found = _distinct(found)
    if not any(entry.role == "finalize" for entry in found):  # a reset of the device ends what was begun on it
        resets = [entry for entry in found if entry.role == "device_reset"]
        found += [replace(entry, role="finalize", confidence=0.6) for entry in resets[:1]]
    return found


def _with_part(name: str, prefix: Prefixes, deeper: Sequence[tuple[str, ...]]) -> Prefixes:
    """The prefixes for a name; a part of the library that most of the header's names begin with is one too."""
    parts = tuple(split(name))
    fitting = [p for p in deeper if parts[: len(p)] == p]
    return (*fitting, *prefix) if fitting else prefix


def _callbacks(model: HeaderModel) -> set[str]:
    """Structs of functions that the caller gives to the library, which are no functions of the library."""
    types = [p.type.pointee for f in model.functions for p in f.params if p.type.pointee is not None]
    return {t.name for t in types if t.kind == "struct" and t.const}


def _distinct(found: list[RoleMatch]) -> list[RoleMatch]:
    """A function that is the best of one role is not offered for a weaker claim on another."""
    best: dict[str, RoleMatch] = {}
    for entry in found:
        before = best.get(entry.function)
        if before is None or entry.confidence > before.confidence:
            best[entry.function] = entry
    return [entry for entry in found if best[entry.function] is entry]


def _token_sets(name: str, prefix: Prefixes) -> list[list[str]]:
    variants = []
    for words in cores("::".join(name.split("::")[-2:]) if name.count("::") > 1 else name.rsplit("::", 1)[-1], prefix):
        kept = [w for w in words if w not in DTYPE_WORDS]
        kept = [w for i, w in enumerate(kept) if w != "with" or not set(kept[i + 1 :]) & _CONFIGURES]
        merged: list[str] = []
        for word in kept:
            if word == "ds" and merged and merged[-1] == "i":
                merged[-1] = "ids"
                continue
            if word[:3] in ("get", "set") and word[3:] in SAME:
                merged += [word[:3], word[3:]]
                continue
            if word == "queue" and merged and merged[-1] == "command":
                merged.pop()
            merged.append(word)
        variants.append(merged)
    return variants


def _points(role: RoleWord, function: Function, sets: list[list[str]]) -> tuple[float, str]:
    if role.role == "workspace_query":
        joined = "".join(sets[0])
        return (0.7, "its name asks for a workspace size") if any(word in joined for word in _ROOM) else (0.0, "")
    best, said = 0.0, ""
    for words in sets:
        mapped = [SAME.get(w, w) for w in words]
        bag = set(mapped)
        for rank, pattern in enumerate(role.patterns):
            if not pattern or not pattern <= bag:
                continue
            extra = bag - pattern - role.tolerated
            if extra - TOLERATED:
                continue
            if role.role in ("free", "host_free") and pattern == frozenset({"del"}) and "destroy" in words:
                continue
            if role.role == "handle_destroy" and "free" in words and "device" not in mapped:
                continue
            points = 0.95 - 0.01 * rank - 0.03 * len(extra)
            if points > best:
                best, said = points, f"the name reads as {' '.join(mapped)}"
    return (best - 0.4, said) if best and function.deprecated else (best, said)


def _preference(role: RoleWord, function: Function, sets: list[list[str]]) -> float:
    """Small differences among functions that differ in element type or extent."""
    words = sets[0]
    types = [DTYPE_WORDS[w] for w in cores(function.name, ())[0] if w in DTYPE_WORDS]
    points = 0.0
    if role.role in ("memcpy", "memset", "malloc") and types:
        points += 0.0 if types[-1] in _BYTE_TYPES else -0.05
        points -= 0.01 * ("int8" in types)
    if role.role == "workspace_query":
        joined = "".join(words)
        points += (
            0.1 * ("conv" in joined) + 0.1 * ("forward" in joined or "fwd" in joined) - 0.1 * ("backward" in joined)
        )
    if role.role in ("host_malloc", "host_free"):
        points += 0.02 * ("pinned" in words) - 0.1 * ("cpu" in words)
    if role.role == "tensor_desc_set":
        points += 0.05 * ("nd" in words)
    return points
