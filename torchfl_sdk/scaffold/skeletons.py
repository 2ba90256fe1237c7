"""Kernels that could not be completed: typed skeletons that fall back and say which argument is undecided, and why.

One for each catalogue op that some function was matched to and that nothing serves. They stand in the seeded kernels
file and in the kernel table, not in the profile: who writes the call adds the entry.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from torchfl import catalogue
from torchfl.catalogue import OpSpec
from torchfl_sdk.header.model import Function, HeaderModel
from torchfl_sdk.match.matcher import header_prefixes
from torchfl_sdk.match.model import MatchResult, OpMatch
from torchfl_sdk.scaffold.kernel_plan import Kernel, function_name
from torchfl_sdk.scaffold.styles.wide import impl_name


def plan_skeletons(model: HeaderModel, match: MatchResult, kernels: Iterable[Kernel]) -> Iterator[Kernel]:
    """A skeleton for each op that only incomplete matches could serve, by its surest match."""
    written = list(kernels)
    served, taken = {k.op for k in written}, {k.function for k in written}
    best: dict[str, OpMatch] = {}
    for found in match.matches:
        for op in catalogue.OPS:
            known = best.get(op.name)
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


def _skeleton(op: OpSpec, impl: str, found: OpMatch, function: Function | None) -> Kernel:
    where = f"{found.function}, {found.source.file}:{found.source.line}"
    return Kernel(
        impl=impl,
        op=op.name,
        function=function_name(impl),
        template="skeleton",
        sources=(where, f"not written: {found.lacking or 'nothing says how it is called'}"),
        symbols=(),
        flags=(),
        inputs=tuple((name, i) for i, name in enumerate(op.inputs)),
        attrs=tuple((a.name, i) for i, a in enumerate(op.attrs)),
        parts=tuple(_arguments(found, function)),
    )


def _arguments(found: OpMatch, function: Function | None) -> Iterator[str]:
    """Each argument of the vendor's function with its type and what it carries."""
    types = [p.type.spelled for p in function.params] if function is not None else []
    constants = dict(found.constants)
    for i, (name, role) in enumerate(found.arguments):
        ctype = types[i] + ("" if types[i].endswith("*") else " ") if i < len(types) else ""
        meaning = f"pass {constants[name]}" if name in constants else role or "UNDECIDED: nothing in the header says"
        yield f"{ctype}{name}: {meaning}"
