"""Decides what every function of a header is: an op, a runtime function, or neither with a reason."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from torchfl.catalogue import OpSpec
from torchfl_sdk.header.model import CType, Function, HeaderModel
from torchfl_sdk.match.draft import Draft, Refusal
from torchfl_sdk.match.families import bind
from torchfl_sdk.match.finder import Finder
from torchfl_sdk.match.host_objects import tensors_from_host
from torchfl_sdk.match.model import (
    MatchResult,
    RoleMatch,
    RuntimeFunction,
    Source,
    StatusType,
    Unbound,
)
from torchfl_sdk.match.recognise.glued import letters_in_common
from torchfl_sdk.match.recognise.known import Known, by_use, streams
from torchfl_sdk.match.recognise.objects import STREAM
from torchfl_sdk.match.recognise.recogniser import Recogniser
from torchfl_sdk.match.recognise.runtime import runtime_roles
from torchfl_sdk.match.recognise.whole import recognise
from torchfl_sdk.match.runtime.matcher import RuntimeMatcher
from torchfl_sdk.match.status import find_status
from torchfl_sdk.match.tokens import Prefixes, prefixes, split, words

_NEEDED = ("malloc", "free")


def match(model: HeaderModel, ops: Sequence[OpSpec]) -> MatchResult:
    """Which catalogue ops and runtime roles a header's functions serve.

    Every function of ``model`` ends in exactly one of ``bindings``, ``runtime`` and ``unbound``; an unbound one
    has a reason. A function is bound only if its name says the op and every one of its arguments has a meaning.
    """
    prefix = header_prefixes(model)
    status, questions = find_status(model)
    recogniser = Recogniser(model, prefix)
    known = Known(recogniser.tensor_types, recogniser.describing_types, recogniser.computing, status)
    wide = runtime_roles(model, prefix, known)
    reported, more = (status, ()) if status.ctype else _of_runtime(model, wide)
    questions += more
    runtime = RuntimeMatcher(model, prefix, reported, wide)
    roles = _off_the_host(runtime.run(), wide)
    taken = {r.function for r in roles}
    ops_matcher = Finder(model, ops, status, prefix)
    drafts: dict[str, list[tuple[OpSpec, Draft]]] = {}
    reasons: dict[str, str] = {}
    for function in model.functions:
        if function.name in taken:
            continue
        result = ops_matcher.decide(function)
        if isinstance(result, Refusal) and function.linkage == "c":
            result = ops_matcher.recognised(function, recogniser.decide(function).matches, result)
        if isinstance(result, Refusal):
            reasons[function.name] = runtime.reasons.get(function.name, result.reason)
        else:
            drafts[function.name] = result
    bindings, served = bind(drafts, prefix)
    reasons.update(served)
    why: dict[str | tuple[str, str], str] = dict(ops_matcher.refused)
    why.update(reasons)
    found = recognise(recogniser, model, wide, bindings, why, frozenset(taken))
    unbound = [
        Unbound(f.name, found.reason(f.name, reasons[f.name]), _source(model, f))
        for f in model.functions
        if f.name in reasons
    ]
    unbound += [
        Unbound(e.name, found.unresolved(e.name, e.reason), Source(model.short(e.place.file), e.place.line))
        for e in model.excluded
        if e.function
    ]
    managed = {r.function for r in wide}
    unbound += [
        Unbound(
            m.name, found.reason(m.name, f"no catalogue op is called '{m.name.rpartition('::')[2]}'"), _source(model, m)
        )
        for m in model.methods
        if m.linkage == "c" and m.name not in managed  # pointers to functions, in a table or alone
    ]
    answered = {(c.function, a.name) for b in bindings for c in b.calls for a in c.arguments}
    memory, more = _memory(roles, wide, model)
    shared = _is_shared(roles, wide)
    if shared:
        more += (f"nothing copies to what {shared} gives: it is taken for memory that the host reaches too",)
    return MatchResult(
        bindings=tuple(sorted(bindings, key=lambda b: b.op)),
        runtime=tuple(roles),
        status=reported,
        unbound=tuple(sorted(unbound, key=lambda u: (u.source.file, u.source.line))),
        memory=memory,
        shared_memory=bool(shared),
        questions=(*questions, *more),
        matches=by_use(
            model, found.matches, streams((*model.functions, *model.untrusted, *model.methods), known, prefix)
        ),
        roles=found.roles,
        eager=found.eager,
        open_questions=tuple(q for q in found.questions if (q.function, q.argument) not in answered),
    )


def header_prefixes(model: HeaderModel) -> Prefixes:
    """What the function names begin with; with few functions, what the header's other names begin with too.

    Of several headers each has its own: a library's header and the runtime's that it builds on.
    """
    declared = [(f.name, f.place.file) for f in model.functions]
    declared += [(e.name, e.place.file) for e in model.excluded if e.function]
    declared += [(m.name, m.place.file) for m in model.methods if not m.namespace]  # pointers to functions
    names = [name for name, _ in declared]
    if len(names) < 3:
        names += [*model.typedefs, *model.structs, *model.enums, *model.constants]
    found = prefixes(names)
    letters = letters_in_common(names)
    found += ((letters,),) if letters and (letters,) not in found else ()
    for header in model.files if len(model.files) > 1 else ():
        own = [name for name, file in declared if Path(file) == header]
        found += prefixes(own) if len(own) >= 3 else ()
    indexed = {
        p for p in found if len(p) == 1 and p[0][-1:] == "i" and (p[0][:-1],) in found
    }  # AcmeiSmax: of its place
    return tuple(sorted(dict.fromkeys(p for p in found if p not in indexed), key=len, reverse=True))


def _source(model: HeaderModel, function: Function) -> Source:
    return Source(model.short(function.place.file), function.place.line)


def _of_runtime(model: HeaderModel, wide: Sequence[RoleMatch]) -> tuple[StatusType, tuple[str, ...]]:
    """The status of the runtime's functions alone, in a header whose ops return nothing."""
    named = {entry.function for entry in wide}
    return find_status(replace(model, functions=tuple(f for f in model.functions if f.name in named)))


#: Wide roles that only a device of its own has.
_OF_DEVICES = frozenset(
    words("device_count set_device get_device device_sync device_name memory_info memcpy_h2d memcpy_d2h memcpy_d2d "
          "memcpy_async host_malloc stream_create context_create handle_set_stream")
)  # fmt: skip
_OF_MEMORY = ("malloc", "free", "memcpy", "memset")


def _off_the_host(roles: list[RuntimeFunction], wide: Sequence[RoleMatch]) -> list[RuntimeFunction]:
    """The runtime's functions without those that do on the host what the C library's do: nothing speaks of a device,
    and what copies is not told which way."""
    signs = {entry.role for entry in wide} | {r.role for r in roles}
    told = any(a.role in ("kind", "stream", "context", "device") for r in roles for a in r.arguments)
    if "memcpy" not in signs or told or signs & _OF_DEVICES:
        return roles
    return [r for r in roles if r.role not in _OF_MEMORY]


_COPIES = ("memcpy", "memcpy_h2d", "memcpy_d2h")


def _is_shared(roles: Iterable[RuntimeFunction], wide: Sequence[RoleMatch]) -> str:
    """The allocator of an SDK in which nothing looks like a copy to or from its memory, or ""."""
    given = {r.role: r.function for r in roles}
    copies = {*given, *(entry.role for entry in wide)} & {*_COPIES, "memcpy_d2d", "memcpy_async"}
    return "" if copies or "free" not in given else given.get("malloc", "")


def _memory(
    roles: Sequence[RuntimeFunction], wide: Sequence[RoleMatch], model: HeaderModel
) -> tuple[str, tuple[str, ...]]:
    """ "host" for a library that computes on the caller's memory; "device" where anything speaks of a device."""
    found = {r.role for r in roles}
    offered = {entry.role: entry.function for entry in wide}
    if "malloc" in found:
        return "device", tuple(f"no function gives {role} its role" for role in _NEEDED if role not in found)
    device = found & {"device_count", "set_device", "memcpy", "memcpy_h2d", "memcpy_d2h", "free", "memory_info"}
    if device:
        if tensors_from_host(model):
            return "host", ()
        asked = "the header has device functions but no allocator: pass the header that declares it too"
        return "device", (asked,)
    copied = "memcpy" in offered or {"memcpy_h2d", "memcpy_d2h"} <= set(offered)
    if "malloc" in offered and copied and set(offered) & _OF_DEVICES:
        asked = f"{offered['malloc']} gives the device's memory, in a way that no call is generated for yet"
        return "device", (asked,)
    queue = _foreign_queue(model)
    if queue:
        asked = f"its functions take {queue}, which another header makes, as it does the device's memory: pass that too"
        return "device", (asked,)
    return "host", ()


def _foreign_queue(model: HeaderModel) -> str:
    """A type of streams or queues that functions take and none of them makes: a device's, not the host's; or ""."""
    taken: dict[str, None] = {}
    made: set[str] = set()
    for f in model.functions:
        tells = bool({"get", "query"} & set(split(f.name)))  # what a handle was given before
        given = [f.result] + [p.type.pointee for p in f.params if p.type.kind == "pointer" and p.type.pointee]
        made |= {_queue(t) for t in given if not t.const and not tells}
        taken.update({name: None for p in f.params if (name := _queue(p.type)) and not _read_only(p.type)})
    return next((name for name in taken if name not in made), "")


def _read_only(type_: CType) -> bool:
    """Whether it is a handle to ask of, not to work on: what a library makes goes by another name there."""
    return type_.pointee is not None and type_.pointee.const


def _queue(type_: CType) -> str:
    """The name of a handle or struct of a stream or queue, "" for any other type."""
    inner = type_.pointee if type_.kind == "pointer" else type_
    if inner is None or inner.kind not in ("struct", "void"):
        return ""
    return next((a for a in type_.aliases if STREAM & set(split(a))), "")
