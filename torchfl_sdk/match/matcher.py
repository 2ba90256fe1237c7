"""Decides what every function of a header is: an op, a runtime function, or neither with a reason."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from torchfl.catalogue import OpSpec
from torchfl_sdk.header.model import CType, Function, HeaderModel
from torchfl_sdk.match.arguments import Parameter, Parameters
from torchfl_sdk.match.blas import match_blas
from torchfl_sdk.match.casts import match_cast
from torchfl_sdk.match.chosen import chosen
from torchfl_sdk.match.draft import Candidate, Draft, Refusal
from torchfl_sdk.match.families import bind
from torchfl_sdk.match.model import (
    Argument,
    Binding,
    MatchResult,
    OpMatch,
    RuntimeFunction,
    Source,
    StatusType,
    Unbound,
)
from torchfl_sdk.match.parts import part_ops
from torchfl_sdk.match.pointer import match_pointer
from torchfl_sdk.match.recognise.glued import letters_in_common
from torchfl_sdk.match.recognise.recogniser import Recogniser
from torchfl_sdk.match.recognise.runtime import runtime_roles
from torchfl_sdk.match.recognise.whole import recognise
from torchfl_sdk.match.runtime_roles import RuntimeMatcher
from torchfl_sdk.match.status import find_status
from torchfl_sdk.match.tensor_struct import match_tensor_struct
from torchfl_sdk.match.tokens import Prefixes, Reading, cores, prefixes, readings, split

#: Below this a binding is not offered: somebody would have to check it by hand anyway.
CERTAIN = 0.6
_NEEDED = ("malloc", "free")
_UNKNOWN = "no catalogue op is called"


def match(model: HeaderModel, ops: Sequence[OpSpec]) -> MatchResult:
    """Which catalogue ops and runtime roles a header's functions serve.

    Every function of ``model`` ends in exactly one of ``bindings``, ``runtime`` and ``unbound``; an unbound one
    has a reason. A function is bound only if its name says the op and every one of its arguments has a meaning.
    """
    prefix = header_prefixes(model)
    status, questions = find_status(model)
    recogniser = Recogniser(model, prefix)
    wide = runtime_roles(model, prefix, recogniser.tensor_types)
    runtime = RuntimeMatcher(model, prefix, status, wide)
    roles = runtime.run()
    taken = {r.function for r in roles}
    ops_matcher = _Ops(model, ops, status, prefix)
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
    answered = {(c.function, a.name) for b in bindings for c in b.calls for a in c.arguments}
    memory, more = _memory(roles, model)
    return MatchResult(
        bindings=tuple(sorted(bindings, key=lambda b: b.op)),
        runtime=tuple(roles),
        status=status,
        unbound=tuple(sorted(unbound, key=lambda u: (u.source.file, u.source.line))),
        memory=memory,
        questions=(*questions, *more),
        matches=found.matches,
        roles=found.roles,
        eager=found.eager,
        open_questions=tuple(q for q in found.questions if (q.function, q.argument) not in answered),
    )


def match_beside(
    model: HeaderModel, result: MatchResult, ops: Sequence[OpSpec], beside: Mapping[str, Mapping[int, str]]
) -> tuple[list[Binding], dict[str, str]]:
    """Bindings of functions some of whose arguments carry nothing of an op, and why each other function has none.

    ``beside``: function -> the places of those arguments, with the roles that they get in the calls. The styles see
    the function without them.
    """
    prefix = header_prefixes(model)
    finder = _Ops(model, ops, result.status, prefix)
    drafts: dict[str, list[tuple[OpSpec, Draft]]] = {}
    reasons: dict[str, str] = {}
    for function in model.functions:
        roles = beside.get(function.name)
        if not roles:
            continue
        plain = replace(function, params=tuple(p for i, p in enumerate(function.params) if i not in roles))
        found = finder.decide(plain)
        if isinstance(found, Refusal):
            found = finder.recognised(plain, [m for m in result.matches if m.function == function.name], found)
        if isinstance(found, Refusal):
            reasons[function.name] = found.reason
        else:
            drafts[function.name] = [(op, _with_arguments(draft, function, roles)) for op, draft in found]
    bindings, served = bind(drafts, prefix)
    return bindings, reasons | served


def match_parts_beside(
    model: HeaderModel,
    result: MatchResult,
    matches: Mapping[str, Sequence[OpMatch]],
    beside: Mapping[str, Mapping[int, str]],
) -> tuple[list[Binding], dict[str, str]]:
    """The same for functions that serve a part of an op's calls; ``matches``: function -> what it computes."""
    prefix = header_prefixes(model)
    parameters = Parameters(model)
    drafts: dict[str, list[tuple[OpSpec, Draft]]] = {}
    reasons: dict[str, str] = {}
    for function in model.functions:
        roles = beside.get(function.name, {})
        plain = replace(function, params=tuple(p for i, p in enumerate(function.params) if i not in roles))
        named = list(readings(function.name, prefix))
        reading = next((r for r in named if r.dtype and not r.letter), named[0])
        for found in matches.get(function.name, ()):
            for op, style in part_ops(found) if found.confidence >= CERTAIN else ():
                drafted = style(Candidate(model, result.status, plain, op, reading, parameters.of(plain)))
                if isinstance(drafted, Refusal):
                    reasons.setdefault(function.name, drafted.reason)
                elif drafted.confidence >= CERTAIN:
                    drafts.setdefault(function.name, []).append((op, _with_arguments(drafted, function, roles)))
    bindings, served = bind(drafts, prefix)
    reasons = {name: reason for name, reason in reasons.items() if name not in drafts}
    return bindings, reasons | served


def _with_arguments(draft: Draft, function: Function, roles: Mapping[int, str]) -> Draft:
    arguments = list(draft.call.arguments)
    for i in sorted(roles):
        param = function.params[i]
        arguments.insert(i, Argument(param.name or f"arg{i}", param.type.spelled, roles[i]))
    return replace(draft, call=replace(draft.call, arguments=tuple(arguments)))


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


def _memory(roles: Iterable[RuntimeFunction], model: HeaderModel) -> tuple[str, tuple[str, ...]]:
    """ "host" for a library that computes on the caller's memory; "device" where anything speaks of a device."""
    found = {r.role for r in roles}
    if "malloc" in found:
        return "device", tuple(f"no function gives {role} its role" for role in _NEEDED if role not in found)
    device = found & {"device_count", "set_device", "memcpy", "memcpy_h2d", "memcpy_d2h", "free", "memory_info"}
    if device:
        asked = "the header has device functions but no allocator: pass the header that declares it too"
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
    return next((a for a in type_.aliases if {"stream", "queue"} & set(split(a))), "")


class _Ops:
    """Finds the ops that one function may serve."""

    def __init__(self, model: HeaderModel, ops: Sequence[OpSpec], status: StatusType, prefix: Prefixes) -> None:
        self._model = model
        self._status = status
        self._prefix = prefix
        self._parameters = Parameters(model)
        #: function -> the public name that a macro gives it (``#define acmeAdd acmeAdd_v2``)
        self._public = {a.target: a.name for a in model.aliases.values()}
        #: (function, op) -> why it is not served, of functions whose op an argument chooses
        self.refused: dict[tuple[str, str], str] = {}
        self._by_name: dict[str, list[OpSpec]] = defaultdict(list)
        for op in ops:
            for name in op.vendor_names:
                self._by_name[name.replace("_", "")].append(op)

    def decide(self, function: Function) -> list[tuple[OpSpec, Draft]] | Refusal:
        """The ops it serves with a draft each, or why it serves none."""
        refusals: list[Refusal] = []
        names = [function.name, *([self._public[function.name]] if function.name in self._public else [])]
        found = [reading for name in names for reading in readings(name, self._prefix)]
        hits = [(reading, self._by_name[reading.core]) for reading in found if reading.core in self._by_name]
        if not hits:
            return self._no_name(function)
        unreachable = _unreachable(function)
        if unreachable:
            return Refusal(unreachable)
        parameters = self._parameters.of(function)
        for reading, ops in hits:
            drafts: list[tuple[OpSpec, Draft]] = []
            for op in ops:
                result = self._try(function, op, reading, parameters)
                if isinstance(result, Refusal):
                    refusals.append(result)
                elif result.confidence < CERTAIN:
                    refusals.append(Refusal(f"too unsure that it is {op.name} ({result.confidence:.2f})"))
                else:
                    drafts.append((op, result))
            if drafts:
                return drafts
        return refusals[0]

    def recognised(
        self, function: Function, matches: Sequence[OpMatch], refusal: Refusal
    ) -> list[tuple[OpSpec, Draft]] | Refusal:
        """The ops that the recogniser found in a name of its wider vocabulary, or among which an argument chooses; or
        why there are none, in the words of ``refusal`` unless that knows the name no better."""
        matches = [m for m in matches if m.confidence >= CERTAIN]
        if not matches or _unreachable(function):
            return refusal
        parameters = self._parameters.of(function)
        named = list(readings(function.name, self._prefix))
        reading = next((r for r in named if r.dtype and not r.letter), named[0])

        def candidate(op: OpSpec) -> Candidate:
            return Candidate(self._model, self._status, function, op, reading, parameters)

        drafts: list[tuple[OpSpec, Draft]] = []
        reason: Refusal | None = None
        for op, result in chosen(matches, candidate, _style):
            if isinstance(result, Refusal):
                self.refused[function.name, op.name] = result.reason
                reason = reason or result
            elif result.confidence >= CERTAIN and op not in [known for known, _ in drafts]:
                drafts.append((op, result))
        better = any(m.constants for m in matches) or refusal.reason.startswith(_UNKNOWN)
        return drafts or (reason if better and reason is not None else refusal)

    def _try(
        self, function: Function, op: OpSpec, reading: Reading, parameters: tuple[Parameter, ...]
    ) -> Draft | Refusal:
        return _style(Candidate(self._model, self._status, function, op, reading, parameters))

    def _no_name(self, function: Function) -> Refusal:
        words = cores(function.name, self._prefix)[0]
        types = [function.result, *(p.type for p in function.params)]
        if any(inner.kind == "complex" for type_ in types for inner in type_.mentions()):
            return Refusal("complex dtype: torchfl has no complex dtype")
        parts = [w for w in words if w in self._by_name]
        if len(parts) > 1:
            return Refusal("fused: its name holds " + " and ".join(f"'{w}'" for w in parts))
        return Refusal(f"{_UNKNOWN} '{'_'.join(words)}'")


def _style(candidate: Candidate) -> Draft | Refusal:
    if any(p.sort == "struct" for p in candidate.parameters):
        return match_tensor_struct(candidate)
    if candidate.op.output_kinds == ("named",) and not any(p.sort == "dtype" for p in candidate.parameters):
        return match_cast(candidate)
    if candidate.op.shape_rule in ("mm", "addmm", "mv", "dot"):
        return match_blas(candidate)
    return match_pointer(candidate)


def _unreachable(function: Function) -> str:
    """Why a function cannot be called through a symbol table, or ""."""
    if function.inline:
        return "defined in the header: the library exports no symbol for it"
    if function.linkage != "c":
        return "C++ linkage: its symbol depends on the vendor's compiler"
    if function.variadic:
        return "takes a variable number of arguments"
    return ""
