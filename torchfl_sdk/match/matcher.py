"""Decides what every function of a header is: an op, a runtime function, or neither with a reason."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from torchfl.catalogue import OpSpec
from torchfl_sdk.header.model import Function, HeaderModel
from torchfl_sdk.match.draft import Draft, Refusal
from torchfl_sdk.match.families import bind
from torchfl_sdk.match.finder import Finder
from torchfl_sdk.match.model import (
    MatchResult,
    Source,
    Unbound,
)
from torchfl_sdk.match.recognise.glued import letters_in_common
from torchfl_sdk.match.recognise.known import Known, by_use, streams
from torchfl_sdk.match.recognise.recogniser import Recogniser
from torchfl_sdk.match.recognise.runtime import runtime_roles
from torchfl_sdk.match.recognise.whole import recognise
from torchfl_sdk.match.runtime import memory
from torchfl_sdk.match.runtime.matcher import RuntimeMatcher
from torchfl_sdk.match.status import find_status
from torchfl_sdk.match.tokens import Prefixes, prefixes


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
    reported, more = (status, ()) if status.ctype else memory.status_of_runtime(model, wide)
    questions += more
    runtime = RuntimeMatcher(model, prefix, reported, wide)
    roles = memory.off_the_host(runtime.run(), wide)
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
    held = memory.tell(roles, wide, model)
    return MatchResult(
        bindings=tuple(sorted(bindings, key=lambda b: b.op)),
        runtime=tuple(roles),
        status=reported,
        unbound=tuple(sorted(unbound, key=lambda u: (u.source.file, u.source.line))),
        memory=held.place,
        shared_memory=held.shared,
        questions=(*questions, *held.questions),
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
