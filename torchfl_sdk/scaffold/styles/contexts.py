"""Functions over plain pointers that take the library's handle too, or a queue: the pointer style's calls with those.

The matcher's own styles decide what a function computes, as if it had no such argument; the handle is the calling
thread's, as a BLAS has one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from torchfl import catalogue
from torchfl_sdk.header.model import Function
from torchfl_sdk.match.arguments import Parameters
from torchfl_sdk.match.beside import match_beside
from torchfl_sdk.match.matcher import header_prefixes
from torchfl_sdk.match.model import Argument, Binding, Call, OpMatch
from torchfl_sdk.scaffold.binding_plan import plan_binding
from torchfl_sdk.scaffold.gemm import Product
from torchfl_sdk.scaffold.kernel_plan import NotGenerated
from torchfl_sdk.scaffold.styles.ground import Extra, Ground, Lacking
from torchfl_sdk.scaffold.styles.handles import Handles
from torchfl_sdk.scaffold.styles.products import one_by_one
from torchfl_sdk.scaffold.styles.wide import impl_name
from torchfl_sdk.scaffold.wants import wants

_STYLES = ("pointer", "handle", "blas")
#: Roles of a match that carry nothing of the op, and how calls name them.
_ROLES = {"handle": "handle", "ctx": "handle", "stream": "stream"}

_MATRICES = ("aten::mm", "aten::bmm", "aten::matmul")


def plan(ground: Ground) -> Iterator[Extra | Lacking]:
    """A kernel for every op over whole tensors that such functions serve."""
    return Contexts(ground).kernels(matrices=False)


def plan_matrices(ground: Ground) -> Iterator[Extra | Lacking]:
    """Matrix products and their like, which a BLAS of the same header serves better."""
    return Contexts(ground).kernels(matrices=True)


class Contexts:
    """The functions of one header that take a handle or a queue beside pointers; ``plain``: those without, too."""

    def __init__(self, ground: Ground, *, plain: bool = False) -> None:
        self.ground = ground
        self.prefixes = header_prefixes(ground.model)
        self.handles = Handles(ground)
        self.parameters = Parameters(ground.model)
        self.functions: dict[str, Function] = {}
        self.matches: dict[str, list[OpMatch]] = {}
        self.beside: dict[str, dict[int, str]] = {}
        for match, function in ground.open_matches(*_STYLES):
            if function.inline or function.linkage != "c" or self.handles.host_results(function):
                continue
            beside = self._beside(match, function)
            if beside or plain:
                self.functions[function.name] = function
                self.matches.setdefault(function.name, []).append(match)
                self.beside[function.name] = beside

    def _beside(self, match: OpMatch, function: Function) -> dict[int, str]:
        if len(match.arguments) != len(function.params):
            return {}
        found = {}
        for parameter, (_, role) in zip(self.parameters.of(function), match.arguments, strict=True):
            if role in _ROLES and parameter.sort in ("opaque", "stream"):
                found[parameter.index] = _ROLES[role]
        return found

    def kernels(self, *, matrices: bool) -> Iterator[Extra | Lacking]:
        if not self.beside:
            return
        ground = self.ground
        bindings, reasons = match_beside(ground.model, ground.match, catalogue.OPS, self.beside)
        for name in reasons if matrices else ():  # of other functions the styles that follow know more
            yield from (Lacking(m, reasons[name]) for m in self.matches[name] if m.aten in _MATRICES)
        for binding in bindings:
            if binding.op in ground.served or (binding.style == "blas") != matrices:
                continue
            matches = tuple(m for c in binding.calls for m in self._matches_of(c, binding))
            try:
                made = self.kernel(binding, matches)
            except NotGenerated as e:
                yield from (Lacking(m, str(e)) for m in matches)
                continue
            yield made
            if binding.op == "aten::mm" and not {"aten::bmm"} & (ground.served | {b.op for b in bindings}):
                yield one_by_one(made, impl_name(binding.calls[0].function, "aten::bmm", self.prefixes))

    def _matches_of(self, call: Call, binding: Binding) -> Iterator[OpMatch]:
        """A function's matches for the op; of one that computes a single op, whichever it has."""
        op = catalogue.get(binding.op)
        assert op is not None
        found = self.matches[call.function]
        names = {op.name, op.overload, op.reference, *op.overloads}
        yield from [m for m in found if names & {m.aten, *m.alternatives}] or (found if len(found) == 1 else ())

    def kernel(self, binding: Binding, matches: tuple[OpMatch, ...]) -> Extra:
        """The kernel of a binding of these functions, each call with its handle."""
        ground = self.ground
        op = catalogue.get(binding.op)
        assert op is not None
        if binding.int8_zero_point:
            raise NotGenerated("its zero points make it a function of other element types than its own")
        impl = impl_name(binding.calls[0].function, binding.op, self.prefixes)
        support: list[str] = []
        texts: list[str] = []
        calls = tuple(self._filled(c, support, texts) for c in binding.calls)
        filled = replace(binding, calls=calls, impl=impl)
        shared = ground.helpers.copy()
        products: dict[tuple[str, ...], Product] = {(p.name,): p for p in ground.products}
        known = set(products)
        said = wants(ground.model, op, [c.function for c in calls])
        nhwc = bool(said.layout)
        kernel = plan_binding(filled, op, ground.match.status, shared, products, self._place, nhwc=nhwc)
        ground.helpers.dtypes.update(shared.dtypes)
        ground.helpers.structs.update(shared.structs)
        handle = ("the handle is the calling thread's",) if any(self.beside[c.function] for c in calls) else ()
        switches = {a.name for a in op.attrs if a.kind == "bool"}
        return Extra(
            replace(kernel, support=(*kernel.support, *dict.fromkeys(support))),
            binding.dtypes,
            (*binding.evidence, *handle, *(self._place(c) for c in calls)),
            said.layout or binding.layout,
            proved=False,
            constraints=tuple((n, tuple(map(bool, v)) if n in switches else v) for n, v in binding.constraints),
            unverified=binding.unverified,
            inplace=binding.inplace,
            helpers=tuple(dict.fromkeys(texts)),
            products=tuple(p for key, p in products.items() if key not in known),
            matches=matches,
            broadcast=binding.broadcast,
        )

    def _filled(self, call: Call, support: list[str], texts: list[str]) -> Call:
        """The call with its handle made ahead of it."""
        function = self.functions[call.function]
        setup, arguments = list[str](), list[Argument]()
        for i, argument in enumerate(call.arguments):
            role = self.beside[call.function].get(i)
            if role == "handle":
                made = self.handles.argument(function.params[i])
                setup += made.lines
                support += made.support
                texts += made.helpers
                argument = replace(argument, role="constant", value=made.name)
            elif role == "stream":
                argument = replace(
                    argument, role="constant", value=self.handles.makers.queue(function, function.params[i])
                )
            arguments.append(argument)
        return replace(call, arguments=tuple(arguments), setup=tuple(setup))

    def _place(self, call: Call) -> str:
        return f"{call.function}, {call.source.file}:{call.source.line}"
