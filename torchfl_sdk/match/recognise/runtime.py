"""Which function manages what: device, memory, streams, events, handles, errors; by name pattern and argument shape."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from torchfl_sdk.header.model import CType, Function, HeaderModel
from torchfl_sdk.match.model import RoleMatch, Source
from torchfl_sdk.match.recognise import kinds as kinds_of
from torchfl_sdk.match.recognise import lifecycles, memory_use, upkeep
from torchfl_sdk.match.recognise.glued import unglued_runtime
from torchfl_sdk.match.recognise.induction import carried, depth
from torchfl_sdk.match.recognise.known import Known
from torchfl_sdk.match.recognise.known import kinds as kinds_by_use
from torchfl_sdk.match.recognise.part import Part
from torchfl_sdk.match.recognise.parts import Parts
from torchfl_sdk.match.recognise.runtime_shapes import DEVICES, ROOM, SHAPES, memory_only
from torchfl_sdk.match.recognise.uses import Use, uses
from torchfl_sdk.match.tokens import DTYPE_WORDS, Prefixes, cores, deeper_prefixes, split
from torchfl_sdk.match.vocabulary.runtime import ROLES, SAME, TOLERATED, RoleWord, meaning

_KNOWN = frozenset().union(*(p | r.tolerated for r in ROLES for p in r.patterns)) | TOLERATED
_CONFIGURES = frozenset({"flags", "properties", "priority", "config", "attributes"})
#: A role that makes sense only where another is taken.
_AFTER = {"free": "malloc", "host_free": "host_malloc", "svm_free": "svm_malloc"}
_OBJECTS = frozenset({"context", "stream", "event"}) | {"data", "mem"}
#: What names of objects say that run something, and are no handle of the library.
_RUNNING = frozenset({"run", "task", "job", "kernel", "thread", "launch"})
#: Classes whose methods are the runtime's: of a device, or of all of them.
_OWNERS = frozenset({"device", "manager", "runtime", "driver", "platform"})
_BYTE_TYPES = ("uint8", "int8")


def runtime_roles(model: HeaderModel, prefix: Prefixes, known: Known) -> list[RoleMatch]:
    """The best function for each role, and other candidates behind it, surest first."""
    tensors = known.tensors
    parts_of = Parts(model)
    given = _callbacks(model)
    everything = (
        *model.functions,
        *model.untrusted,
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
        if p not in prefix and (2 * sum(parts[: len(p)] == p for parts in split_own) > len(own) or (
            _names_a_part(p) and 8 * sum(parts[: len(p)] == p for parts in split_own) > len(own)))
    ]  # fmt: skip
    every = uses(everything, prefix)
    kinds = kinds_by_use(everything, every, known, prefix)
    readings = [
        (f, _by_kind(_token_sets(f.name, _with_part(f.name, prefix, deeper)), kinds.nouns))
        for f in everything
        if not f.variadic
    ]
    told = {f.name for f in everything if f.name in kinds.roles or _of_tensors(f, tensors)}
    readings = [(f, sets) for f, sets in readings if any(_KNOWN.issuperset(meaning(w) for w in s) for s in sets)
                or any(w in "".join(sets[0]) for w in ROOM) or f.name in told]  # fmt: skip
    found: list[RoleMatch] = []
    memory: set[str] = set()  # types of what an allocator gives
    for role in ROLES:
        if role.role in _AFTER and not any(entry.role == _AFTER[role.role] for entry in found):
            continue
        ranked: list[tuple[float, int, RoleMatch]] = []
        for position, (function, sets) in enumerate(readings):
            points, said = _points(role, function, sets)
            structure = _structure(role, function, kinds, tensors)
            if points <= 0 and not structure:
                continue
            parts = [_of_kind(p, memory, kinds) for p in parts_of.of(function)]
            if points <= 0 or not SHAPES[role.shape](function, parts):
                further = min(len(words) for words in sets) if sets else 0
                points, said = (_BY_STRUCTURE - 0.02 * further, structure) if structure else (0.0, "")
            if not said:
                continue
            if role.shape == "allocates" and not memory_only(model, function):
                continue
            points += _preference(role, function, sets)
            points -= 0.0 if Path(function.place.file) in model.files else 0.06  # of an included header
            where = Source(model.short(function.place.file), function.place.line)
            made = RoleMatch(role.role, function.name, said, round(max(min(points, 1.0), 0.0), 3), where)
            ranked.append((-points, position, made))
        found += [entry for _, _, entry in sorted(ranked)[:3]]
        if role.role == "malloc":
            memory = {
                _given(f.result) for f, _ in readings for e in found if e.role == "malloc" and e.function == f.name
            }
    found = [
        e
        for e in _distinct(found)
        if not any(u.name == e.function and memory_use.contradicts(e.role, u) for u in every)
    ]
    shaped = _by_shape(model, every, known, kinds, found)
    found = _within(found, shaped, every) + shaped
    if not any(entry.role == "finalize" for entry in found):  # a reset of the device ends what was begun on it
        resets = [entry for entry in found if entry.role == "device_reset"]
        found += [replace(entry, role="finalize", confidence=0.6) for entry in resets[:1]]
    return found


def _within(found: list[RoleMatch], shaped: Sequence[RoleMatch], every: Sequence[Use]) -> list[RoleMatch]:
    """A copy that is told no direction, beside ones to and from the host, is one within the device."""
    ways = {e.role for e in (*found, *shaped)} & {"memcpy_h2d", "memcpy_d2h", "memcpy_d2d"}
    twice = {u.name for u in every if len(u.held) - len(set(u.held)) == 1 and not u.memory and not u.others}
    plain = twice | {u.name for u in every if len(u.memory) == 2 and not u.others and len(u.integers) == 1}
    if ways != {"memcpy_h2d", "memcpy_d2h"}:
        return found
    return [replace(e, role="memcpy_d2d") if e.role == "memcpy" and e.function in plain else e for e in found]


def _by_shape(
    model: HeaderModel, every: Sequence[Use], known: Known, kinds: kinds_of.Kinds, found: Sequence[RoleMatch]
) -> list[RoleMatch]:
    """Functions for the roles that no name gave, told by what they take and give."""
    streams, events = kinds.streams, kinds.events
    handles = lifecycles.handles_of(every, known.computing, streams | events | known.tensors | known.describing)
    opened = _contexts(every, streams | events | known.tensors | known.describing)
    contexts = handles | opened
    mothers = lifecycles.makers_of_others(every)
    handles = handles or {t for t in opened if t in mothers}
    claims = [
        *upkeep.library_claims(every, known.status),
        *upkeep.device_claims(every, contexts),
        *memory_use.memory_claims(every, contexts, streams, known.computing),
        *upkeep.workspace_claims(every),
        *lifecycles.claims(every, streams, events, known.describing, handles),
    ]
    roles, taken = {entry.role for entry in found}, {entry.function: entry.role for entry in found}
    open_claims = (c for c in claims if c.role not in roles)
    places = {u.name: u.function.place for u in every}
    return [
        RoleMatch(c.role, c.function, c.evidence, _BY_STRUCTURE - 0.05, Source(
            model.short(places[c.function].file), places[c.function].line))
        for c in lifecycles.first_of_each(open_claims, taken)
        if Path(places[c.function].file) in model.files
    ]  # fmt: skip


def _contexts(every: Sequence[Use], others: Collection[str]) -> set[str]:
    """Types that are opened by a number or a name, or by nothing, and that several functions take."""
    opened = {t for u in every for t in u.given if not u.held and not u.memory and len(u.given) == 1}
    taken = Counter(h for u in every for h in set(u.held))
    return {t for t in opened if taken[t] > 2 and t not in others}


_BY_STRUCTURE = 0.75  # below what a name says


def _structure(role: RoleWord, function: Function, kinds: kinds_of.Kinds, tensors: frozenset[str]) -> str:
    """Why the arguments alone give a function a role, or ""."""
    if role.role in ("tensor_create", "tensor_destroy"):
        return "it makes or ends what carries tensors" if _of_tensors(function, tensors) == role.role else ""
    name, said = kinds.roles.get(function.name, ("", ""))
    return said if name == role.role else ""


_MAKERS = frozenset({"create", "malloc"})


def _of_tensors(function: Function, tensors: frozenset[str]) -> str:
    """Whether a function makes a tensor object out of extents, or ends one: the role, or ""."""
    if not tensors:
        return ""
    said = [meaning(w) for w in split(function.name.rpartition("::")[2])]
    held = [p for p in function.params if tensors.intersection(carried(p.type)[:1])]
    if "del" in said and len(function.params) == len(held) == 1:
        return "tensor_destroy"
    given = bool(tensors.intersection(carried(function.result)[:1]))
    extents = any(p.type.kind == "int" for p in function.params)
    made = _MAKERS.intersection(said) or (
        given and "get" in said and all(p.type.kind == "int" for p in function.params)
    )
    placed = not given and len(held) == 1 and held[0].type.kind == "pointer" and depth(held[0].type) > 0
    return "tensor_create" if made and extents and ((given and not held) or placed) else ""


def _by_kind(sets: list[list[str]], nouns: Mapping[str, str]) -> list[list[str]]:
    """The readings of a name with the library's own nouns for streams and events made everybody's."""
    return [[nouns.get(w, w) for w in words] for words in sets] if nouns else sets


def _of_kind(part: Part, memory: set[str], kinds: kinds_of.Kinds) -> Part:
    """A parameter as what other functions of the header say that its type is."""
    if _of_type(part, memory):
        return replace(part, sort="tensor")
    kind = kinds.of(part.param.type) if part.sort in ("handle", "other") else ""
    return (
        replace(part, sort=kind if kind == "stream" else part.sort, type_words=part.type_words | {kind})
        if kind
        else part
    )


def _names_a_part(prefix: tuple[str, ...]) -> bool:
    """True for a longer prefix whose last word says nothing about a runtime: the name of a part of the library."""
    last = prefix[-1]
    return len(prefix) == 2 and last not in SAME and last not in _KNOWN and len(unglued_runtime([last])) == 1


def _given(result: CType) -> str:
    """The type of a struct that a function returns a pointer to, or ""."""
    return result.pointee.name if result.pointee is not None and result.pointee.kind == "struct" else ""


def _of_type(part: Part, memory: set[str]) -> bool:
    inner = part.param.type.pointee
    return part.sort == "handle" and inner is not None and inner.kind == "struct" and inner.name in memory - {""}


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


def _runs_into(name: str, head: str) -> bool:
    """True for ``ACMEmalloc_device`` behind ``acme``: where capitals end, a word would begin one letter early."""
    return (
        name.lower().startswith(head) and name[len(head) - 1 : len(head)].isupper() and name[len(head) :][:1].islower()
    )


def _token_sets(name: str, prefix: Prefixes) -> list[list[str]]:
    variants = []
    glued = [split(name[len("".join(p)) :]) for p in prefix if len("".join(p)) >= 3 and _runs_into(name, "".join(p))]
    for words in [
        *glued,
        *cores("::".join(name.split("::")[-2:]) if name.count("::") > 1 else name.rsplit("::", 1)[-1], prefix),
    ]:
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
            if word == "down" and merged and merged[-1] == "shut":
                merged[-1] = "shutdown"
                continue
            merged.append(word)
        if len(merged) > 1 and merged[-1] == "runtime":
            merged[-1] = "context"  # create_runtime: an object, not a part of the library
        variants.append(merged)
    whole = unglued_runtime(split(name.rsplit("::", 1)[-1])[:1])
    of = _OBJECTS & {meaning(w) for w in whole} if len(whole) > 1 else set()
    if of:  # gpucontext_init: the prefix says of what
        variants = [*(variants if of <= {"data", "mem"} else []), *([*whole, *v] for v in variants)]
    owner, _, method = name.rpartition("::")
    if owner and {SAME.get(w, w) for w in split(owner.rpartition("::")[2])} <= _OWNERS:
        variants.append(split(method))  # Device::CreateStream, DeviceManager::GetDeviceCount
    if method.lower() in ("read", "write") and {"device", "driver"} & set(split(owner.rpartition("::")[2])[-1:]):
        variants.append(split(method))  # BlockDevice::write
    if split(name)[0] in ("tensor", "array"):
        variants.append(split(name))  # a prefix of what the functions are about
    variants += [
        [*v, "count"] for v in variants if v[-1:] and v[-1] in DEVICES and TOLERATED.issuperset(v[:-1])
    ]  # int acme_devices(void)
    return [*variants, *(apart for v in variants if (apart := unglued_runtime(v)) != v)]


def _points(role: RoleWord, function: Function, sets: list[list[str]]) -> tuple[float, str]:
    if role.role == "workspace_query":
        joined = "".join(sets[0])
        return (0.7, "its name asks for a workspace size") if any(word in joined for word in ROOM) else (0.0, "")
    best, said = 0.0, ""
    for words in sets:
        mapped = [meaning(w) for w in words]
        bag = set(mapped)
        for rank, pattern in enumerate(role.patterns):
            if not pattern or not pattern <= bag:
                continue
            extra = bag - pattern - role.tolerated
            if extra - TOLERATED:
                continue
            if role.role.startswith("memset") and "select" in words:
                continue
            if role.role in ("free", "host_free") and pattern == frozenset({"del"}) and "destroy" in words:
                continue
            if role.role == "handle_destroy" and "free" in words and "device" not in mapped:
                continue
            points = 0.95 + 0.004 * len(pattern) - 0.01 * rank - 0.03 * len(extra - {"v2", "v3"})
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
    if role.role == "handle_create":
        points -= 0.05 * bool(_RUNNING & set(split(function.name)))
    if role.role == "tensor_desc_set":
        points += 0.05 * ("nd" in words)
    return points
