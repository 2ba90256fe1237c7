"""Kernels that could not be completed: typed skeletons that fall back and say which argument is undecided, and why.

One for each catalogue op that some function was matched to and that nothing serves. They stand in the seeded kernels
file and in the kernel table, bound to the function that they are for, not in the profile: who writes the call adds the
entry.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from torchfl import catalogue
from torchfl.catalogue import OpSpec
from torchfl_sdk.header.model import Function, HeaderModel
from torchfl_sdk.match.matcher import header_prefixes
from torchfl_sdk.match.model import MatchResult, OpMatch
from torchfl_sdk.scaffold.kernel_plan import Kernel, function_name
from torchfl_sdk.scaffold.styles.ground import Lacking
from torchfl_sdk.scaffold.styles.wide import impl_name


def plan_skeletons(
    model: HeaderModel, match: MatchResult, kernels: Iterable[Kernel], final: Collection[tuple[str, str]] = ()
) -> Iterator[Kernel]:
    """A skeleton for each op that only incomplete matches could serve, by its surest match.

    ``final``: (function, aten op) of matches over which no kernel could compute the op.
    """
    written = list(kernels)
    served, taken = {k.op for k in written}, {k.function for k in written}
    best: dict[str, OpMatch] = {}
    for found in match.matches:
        for op in catalogue.OPS:
            known = best.get(op.name)
            if (found.function, found.aten) in final:
                continue
            if op.name in served or found.complete or op.overload not in (found.aten, *found.alternatives):
                continue
            if known is None or found.confidence > known.confidence:
                best[op.name] = found
    prefixes = header_prefixes(model)
    for name in sorted(best):
        spec = catalogue.get(name)
        assert spec is not None
        impl = impl_name(best[name].function.rsplit("::", 1)[-1], name, prefixes)
        if function_name(impl) not in taken:
            taken.add(function_name(impl))
            yield _skeleton(spec, impl, best[name], model.function(best[name].function))


def with_reasons(
    match: MatchResult, lacking: Sequence[Lacking], completed: set[int], served: frozenset[str]
) -> MatchResult:
    """The matches with what a style made of them: a kernel, or what it found missing instead of the matcher's guess.

    ``completed``: ids of the matches that have a kernel now; ``served``: ops that have one. A match that no style said
    anything about computes an op that another function serves, or that the catalogue does not have.
    """
    why: dict[tuple[str, str], str] = {}
    for x in lacking:  # the first style that looked knows best
        why.setdefault((x.match.function, x.match.aten), x.why)

    def reason(m: OpMatch) -> str:
        if (m.function, m.aten) in why:
            return why[m.function, m.aten]
        ops = [op.name for op in catalogue.OPS if {op.name, *op.overloads} & {m.aten, *m.alternatives}]
        if not ops:
            return f"{m.aten} is not in torchfl's op catalogue"
        return f"another function serves {ops[0]}" if served >= set(ops) else m.lacking

    matches = []
    for m in match.matches:
        if id(m) in completed:
            m = replace(m, complete=True, lacking="")
        elif not m.complete:
            m = replace(m, lacking=reason(m))
        matches.append(m)
    return replace(match, matches=tuple(matches))


def _skeleton(op: OpSpec, impl: str, found: OpMatch, function: Function | None) -> Kernel:
    where = f"{found.function}, {found.source.file}:{found.source.line}"
    return Kernel(
        impl=impl,
        op=op.name,
        function=function_name(impl),
        template="skeleton",
        sources=(where, f"not written: {found.lacking or 'nothing says how it is called'}"),
        symbols=(function.name,) if function is not None and has_symbol(function) else (),
        flags=(),
        inputs=tuple((name, i) for i, name in enumerate(op.inputs)),
        attrs=tuple((a.name, i) for i, a in enumerate(op.attrs)),
        parts=tuple(_arguments(found, function)),
    )


def has_symbol(function: Function) -> bool:
    """Whether generated code can declare a function in the table of symbols, for a person to call it from there."""
    # What a no-op of it returns is a constant: an object of C++ is none.
    of_c = not function.cxx or function.result.kind not in ("struct", "union", "other")
    # libclang does not say in which namespace a template of a class is that depends on the function's own parameter.
    types = (function.result, *(p.type for p in function.params))
    of_c = of_c and not (function.cxx.endswith(">") and any("<" in t.canonical for t in types))
    # A template's body is compiled where somebody calls it: it need not compile for every element type.
    return function.name.isidentifier() and of_c and not (function.variadic or function.inline or function.local)


def _arguments(found: OpMatch, function: Function | None) -> Iterator[str]:
    """Each argument of the vendor's function with its type and what it carries."""
    types = [p.type.spelled for p in function.params] if function is not None else []
    constants = dict(found.constants)
    for i, (name, role) in enumerate(found.arguments):
        ctype = types[i] + ("" if types[i].endswith("*") else " ") if i < len(types) else ""
        meaning = f"pass {constants[name]}" if name in constants else role or "UNDECIDED: nothing in the header says"
        yield f"{ctype}{name}: {meaning}"
