"""A whole header: every function's op, the runtime roles, whether anything can run eagerly, and what stays open."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from torchfl_sdk.header.model import HeaderModel
from torchfl_sdk.match.chosen import spec_of
from torchfl_sdk.match.model import Binding, Eager, OpMatch, Question, RoleMatch, Source
from torchfl_sdk.match.recognise.eager import verdict
from torchfl_sdk.match.recognise.questions import ask
from torchfl_sdk.match.recognise.recogniser import CERTAIN, QUANTISED, Recogniser
from torchfl_sdk.match.tokens import split

#: Reasons that say less than the recogniser's.
_VAGUE = ("no catalogue op", "C++ linkage", "fused: its name holds")


@dataclass(frozen=True)
class Recognised:
    """What a header offers, in matches of any style."""

    matches: tuple[OpMatch, ...] = ()
    roles: tuple[RoleMatch, ...] = ()
    eager: Eager = field(default_factory=lambda: Eager(True))
    questions: tuple[Question, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)
    by_function: Mapping[str, OpMatch] = field(default_factory=dict)

    def unresolved(self, function: str, reason: str) -> str:
        """The same for a function of which a type is not resolved."""
        match = self.by_function.get(function)
        if match:
            return f"matched {match.aten}; not trusted: {reason}"
        refused = self.refused.get(function, "")
        return f"not trusted: {reason}" + (f"; {refused}" if refused else "")

    def reason(self, function: str, otherwise: str) -> str:
        """Why a function becomes no kernel: its match, the reason against one, or what the styles said."""
        if function in self.by_function:
            match = self.by_function[function]
            return f"matched {match.aten}; {match.lacking}"
        vague = otherwise.startswith(_VAGUE) or otherwise.endswith(("not generated yet", "are is not clear"))
        return (self.refused.get(function, "") or otherwise) if vague else otherwise


def recognise(
    recogniser: Recogniser,
    model: HeaderModel,
    roles: Sequence[RoleMatch],
    bindings: Sequence[Binding],
    reasons: Mapping[str | tuple[str, str], str],
    taken: frozenset[str],
) -> Recognised:
    """Everything that ``model`` offers. ``roles`` are its runtime's, ``bindings`` the complete kernels, ``reasons`` why
    others are none, by function or by function and op."""
    served = {(c.function, b.op): b for b in bindings for c in b.calls}
    functions = {c.function for b in bindings for c in b.calls}
    found: list[OpMatch] = []
    refused: dict[str, str] = {}
    unresolved = {e.name: e.reason for e in model.excluded if e.function}
    for function in (*model.functions, *model.methods, *model.untrusted):
        if function.name in taken:
            continue
        outcome = recogniser.decide(function)
        kept = [m for m in outcome.matches if m.confidence >= CERTAIN]
        if not kept:
            if outcome.reason:
                refused[function.name] = outcome.reason
            continue
        why = reasons.get(function.name, "") or unresolved.get(function.name, "")
        for m in kept:
            op = spec_of(m) if m.constants else None  # of a function with many ops, each by itself
            complete = (function.name, op.name) in served if op is not None else function.name in functions
            own = why if op is None else reasons.get((function.name, op.name)) or _by_another(op.name, bindings)
            found.append(replace(m, complete=complete, lacking="" if complete else _lacking(m, own)))
    matched = {m.function for m in found}
    for (function_name, _), binding in served.items():
        if function_name not in matched:
            found.append(_from_binding(model, function_name, binding))
            matched.add(function_name)
    moved = {r.function for r in roles if r.role.startswith(("mem", "host_")) and r.confidence >= 0.85}
    found = [m for m in found if not (m.aten in _MOVES and _moves_bytes(model, m, moved))]
    stray = _stray(model, found, recogniser.evident)
    if stray:
        together = _together(model, found, recogniser.evident)
        refused |= {m.function: stray for m in found if m.function not in together}
        found = [m for m in found if m.function in together]
    eager = verdict(model, found, roles)
    if not eager.usable:
        refused |= {m.function: eager.reason for m in found}
        found = []
    order = {f.name: i for i, f in enumerate((*model.functions, *model.methods, *model.untrusted))}
    found.sort(key=lambda m: order.get(m.function, 0))
    return Recognised(
        tuple(found), tuple(roles), eager, tuple(ask(model, found)), refused, {m.function: m for m in found}
    )


_FEW = 20  # functions for each that is called like an op
_RARE = 200  # so many that even a type of numbers says nothing: of a library that the header includes


def _stray(model: HeaderModel, found: Sequence[OpMatch], evident: Set[str]) -> str:
    """Why the few functions of a header that are called like ops are called so by chance, or ""."""
    called = {m.function for m in found}
    every = {f.name for f in (*model.functions, *model.methods, *model.untrusted)}
    if not called or _FEW * len(called) > len(every) or (called & evident and _RARE * len(called) > len(every)):
        return ""
    said = f"{len(called)} of {len(every)} functions are called like ops"
    return (
        f"{said}, of which so few say nothing" if called & evident else f"{said}, and no type of theirs holds numbers"
    )


_DENSE = 8  # functions for each op in a file, namespace or part of a library that is about ops
_SEVERAL = 4  # ops that stand together there


def _together(model: HeaderModel, found: Sequence[OpMatch], evident: Set[str]) -> set[str]:
    """The functions called like ops that stand together: a large library may have its few kernels in one place.

    A place is a file, a namespace or class, or names with the same first words.
    """
    ops: dict[tuple[str, ...], set[str]] = defaultdict(set)
    members: dict[tuple[str, ...], set[str]] = defaultdict(set)
    sizes: Counter[tuple[str, ...]] = Counter()
    by_name = {m.function: m for m in found if m.function in evident}
    for function in (*model.functions, *model.methods, *model.untrusted):
        names = split(function.name.partition("(")[0])
        places = {("file", function.place.file), ("namespace", function.namespace or ""), ("words", *names[:2])}
        for place in places:
            sizes[place] += 1
            if function.name in by_name:
                members[place].add(function.name)
                ops[place].add(by_name[function.name].aten)
    dense = [p for p, own in ops.items() if len(own) >= _SEVERAL and len(members[p]) * _DENSE >= sizes[p]]
    return {name for place in dense for name in members[place]}


def _by_another(op: str, bindings: Sequence[Binding]) -> str:
    return next((f"{op} is served by {b.calls[0].function}" for b in bindings if b.op == op), "")


_BYTES = frozenset({"size", "bytes", "nbytes", "sz", "len", "nbyte", "byte", "numbytes", "bytecount"})
_MOVES = ("aten::copy_", "aten::fill_.Scalar", "aten::zero_")


def _moves_bytes(model: HeaderModel, match: OpMatch, moved: set[str]) -> bool:
    """True for a function over untyped memory: of the runtime, or one whose arguments say nothing of elements."""
    if match.style in ("operator", "two_phase"):
        return False
    sized = any(_BYTES & set(split(name)) for name, _ in match.arguments)
    told = not sized or any(
        role.startswith(("desc", "dtype", "inc")) or (role == "numel" and not _BYTES & set(split(name)))
        for name, role in match.arguments
    )
    return _on_bytes(model, match.function) and (match.function in moved or not told)


def _on_bytes(model: HeaderModel, function: str) -> bool:
    """True for a function over untyped memory: it moves bytes for the runtime, it is no op on elements."""
    found = model.function(function)
    pointees = [p.type.pointee for p in found.params if p.type.pointee is not None] if found else []
    typed = any(t.kind in ("float", "complex") or (t.kind == "int" and t.bits > 8 and "size" not in p.name)
                for p in (found.params if found else ()) if (t := p.type.pointee) is not None)  # fmt: skip
    objects = [model.structs.get(t.name) for t in pointees if t.kind == "struct"]
    addresses = any(t.kind == "int" and t.aliases and t.aliases[0].lower().endswith("ptr")
                    for p in (found.params if found else ()) for t in (p.type,))  # fmt: skip
    return (bool(pointees) or addresses) and not typed and not any(s is not None and s.complete for s in objects)


def _lacking(match: OpMatch, why: str) -> str:
    styles = {
        "descriptor": "descriptors",
        "operator": "operator objects that are created, set up and run",
        "buffer": "opaque buffers with offsets",
        "graph": "a graph builder, which runs nothing by itself",
        "two_phase": "a workspace query before the launch",
        "handle": "a handle that other functions create",
        "tensor": "tensor objects",
    }
    if QUANTISED in match.evidence:
        return f"a quantised form ({QUANTISED.partition(': ')[2]})"
    if why and not why.startswith("no catalogue op"):
        return why
    if match.style in styles:
        return f"its style ({styles[match.style]}) is not generated yet"
    return "this form of the op is not generated yet"


def _from_binding(model: HeaderModel, function: str, binding: Binding) -> OpMatch:
    call = next(c for c in binding.calls if c.function == function)
    arguments = tuple((a.name, _WIDE.get(a.role, a.role)) for a in call.arguments)
    where: Source = call.source
    del model
    return OpMatch(
        function, binding.op, (), binding.style, arguments, (), binding.evidence, binding.confidence, where, True
    )


_WIDE = {"self": "input", "other": "input2", "out": "output", "mat2": "input2", "mat1": "input"}
