"""Functions over plain pointers that take the library's handle too, or a queue: the pointer style's calls with those.

The matcher's own styles decide what a function computes, as if it had no such argument; the handle is the calling
thread's, as a BLAS has one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from torchfl import catalogue
from torchfl_sdk.header.model import Function, Param
from torchfl_sdk.match.arguments import Parameters
from torchfl_sdk.match.beside import match_beside
from torchfl_sdk.match.handles import object_key
from torchfl_sdk.match.matcher import header_prefixes
from torchfl_sdk.match.model import Argument, Binding, Call, OpMatch
from torchfl_sdk.match.standins import Seen, named_twice, stand_ins, untyped
from torchfl_sdk.scaffold.binding_plan import plan_binding
from torchfl_sdk.scaffold.gemm import Product
from torchfl_sdk.scaffold.kernel_plan import NotGenerated
from torchfl_sdk.scaffold.styles.ground import Extra, Ground, Lacking
from torchfl_sdk.scaffold.styles.handles import Handles
from torchfl_sdk.scaffold.styles.products import one_by_one
from torchfl_sdk.scaffold.styles.settings import asks_for_room, filled, struct_of
from torchfl_sdk.scaffold.styles.tables import numbered, table_of
from torchfl_sdk.scaffold.styles.wide import (
    LENGTH_VALUES,
    impl_name,
    in_bytes,
    length_role,
    letter_dtype,
    queue_argument,
)
from torchfl_sdk.scaffold.wants import wants

_STYLES = ("pointer", "handle", "blas", "tensor", "buffer")
#: Roles of a match that carry nothing of the op, and how calls name them.
_ROLES = {"handle": "handle", "ctx": "handle", "stream": "stream"}
#: Integers of bits that say how a call is done, of which none has to be set.
_FLAGS = frozenset(("fl", "flag", "flags", "options", "opts"))
#: Said where neither name nor arguments of a function say it.
_GUESS = "nothing says the element type: float32 is tried"

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
        self.stands: dict[str, dict[int, Seen]] = {}
        self.guessed: set[str] = set()
        self.products: tuple[Product, ...] = ()
        self.untyped = untyped(ground.model)
        self.table = table_of(ground.model) if ground.match.memory == "host" else None
        self.model = self.table.struct(ground.model) if self.table is not None else ground.model
        for match, function in ground.open_matches(*_STYLES):
            if function.inline or function.linkage != "c" or self.handles.host_results(function):
                continue
            stands = self._stands(match, function)
            carried = any(s.stands.carries for s in stands.values())
            described = match.style == "tensor" and any(p.sort == "struct" for p in self.parameters.of(function))
            if match.style in ("tensor", "buffer") and not carried and not described:
                continue
            beside = self._beside(match, function, stands)
            if beside or stands or plain:
                self.functions[function.name] = function
                self.matches.setdefault(function.name, []).append(match)
                self.beside[function.name] = beside
                self.stands[function.name] = stands

    def _stands(self, match: OpMatch, function: Function) -> dict[int, Seen]:
        """The arguments that stand for a tensor's memory, as pointers to the elements that the function's name says."""
        if len(match.arguments) != len(function.params):
            return {}
        roles = {i: role for i, (_, role) in enumerate(match.arguments)}
        listed = numbered(self.table, match, function) if self.table is not None else {}
        if listed:
            return listed
        objects = self.ground.device.objects
        found = stand_ins(function, roles, self.untyped, objects.buffer if objects is not None else "")
        selected = any(p.sort == "dtype" for p in self.parameters.of(function))
        dtype = "" if selected else letter_dtype(match, self.ground.match.matches) or named_twice(function.name)
        if any(s.carries for s in found.values()) and not selected and not dtype:
            self.guessed.add(function.name)
            dtype = "float32"
        return {i: one.seen(dtype) for i, one in found.items()}

    def _beside(self, match: OpMatch, function: Function, stands: Mapping[int, Seen]) -> dict[int, str]:
        if len(match.arguments) != len(function.params):
            return {}
        found: dict[int, str] = {}
        tensor = -1
        for parameter, (_, role) in zip(self.parameters.of(function), match.arguments, strict=True):
            i, type_ = parameter.index, parameter.param.type
            tensor = i if i in stands else tensor
            if i in stands:
                continue
            if i == 0 and self.table is not None and self.table.session and role in _ROLES and type_.kind == "int":
                found[i] = "session"
            elif any(s.stands.carries == "buffer" for s in stands.values()):
                role = role or length_role(parameter.param)
                if role.partition(".")[0] == "offset" and tensor >= 0:
                    found[i] = f"offset@{tensor}"
                elif role in (*LENGTH_VALUES, "event", "stream"):
                    found[i] = role
            elif parameter.sort == "int" and parameter.joined in _FLAGS:
                found[i] = "flags"
            elif role.startswith("inc.") and parameter.sort == "int" and match.style == "pointer":
                found[i] = "step"
            elif stands and role in _ROLES and type_.aliases[:1] and type_.aliases[0] in self.untyped:
                found[i] = "nothing"
            elif role in _ROLES and parameter.sort in ("opaque", "stream"):
                found[i] = _ROLES[role]
        return found

    def kernels(self, *, matrices: bool) -> Iterator[Extra | Lacking]:
        if not self.beside and not self.stands:
            return
        ground = self.ground
        bindings, reasons = match_beside(self.model, ground.match, catalogue.OPS, self.beside, self.stands)
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
            if (
                binding.op == "aten::mm"
                and made.kernel.product
                and not {"aten::bmm"} & (ground.served | {b.op for b in bindings})
            ):
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
        products: dict[tuple[str, ...], Product] = {(p.name,): p for p in (*ground.products, *self.products)}
        known = set(products)
        said = wants(ground.model, op, [c.function for c in calls])
        nhwc = bool(said.layout)
        kernel = plan_binding(filled, op, ground.match.status, shared, products, self._place, nhwc=nhwc)
        ground.helpers.dtypes.update(shared.dtypes)
        ground.helpers.structs.update(shared.structs)
        handle = ("the handle is the calling thread's",) if any(self.beside[c.function] for c in calls) else ()
        guess = (_GUESS,) if any(c.function in self.guessed for c in calls) else ()
        made_products = tuple(p for key, p in products.items() if key not in known)
        self.products += made_products  # the next one gets a name of its own
        switches = {a.name for a in op.attrs if a.kind == "bool"}
        members = self.handles.makers.members.symbols
        return Extra(
            replace(kernel, support=(*kernel.support, *dict.fromkeys(support))),
            binding.dtypes,
            (*binding.evidence, *handle, *guess, *(self._place(c) for c in calls)),
            said.layout or binding.layout,
            proved=False,
            constraints=tuple((n, tuple(map(bool, v)) if n in switches else v) for n, v in binding.constraints),
            unverified=binding.unverified,
            inplace=binding.inplace,
            helpers=tuple(dict.fromkeys(texts)),
            products=made_products,
            matches=matches,
            broadcast=binding.broadcast,
            members=tuple(members[u] for u in dict.fromkeys(support) if u in members),
        )

    def _filled(self, call: Call, support: list[str], texts: list[str]) -> Call:
        """The call with its handle made ahead of it."""
        function, ground = self.functions[call.function], self.ground
        setup, finish, arguments = list[str](), list[str](), list[Argument]()
        for i, argument in enumerate(call.arguments):
            role = self.beside[call.function].get(i)
            if role == "session" and self.table is not None:
                setup += [f"{self.table.session} session = -1;", "TFL_TRY(table_session(call, &session));"]
                argument = replace(argument, role="constant", value="session")
            context = struct_of(ground.model, function.params[i]) if role == "handle" else None
            if context is not None:
                asks = asks_for_room(ground.model, function)
                if asks:
                    raise NotGenerated(f"{asks} says how much room it needs, which is not asked yet")
                setup += filled(context, "own_context")
                argument = replace(argument, role="constant", value="&own_context")
            elif role == "handle" or (role == "stream" and self._waits_alone(function.params[i])):
                made = self.handles.argument(function.params[i])
                setup += made.lines
                support += made.support
                texts += made.helpers
                finish += made.finish
                argument = replace(argument, role="constant", value=made.name)
            elif role == "step":
                argument = replace(argument, role="constant", value="1")
            elif role == "flags":
                argument = replace(argument, role="constant", value="0")
            elif role == "nothing":
                argument = replace(argument, role="constant", value="nullptr")
            elif role in LENGTH_VALUES or role == "event":
                argument = replace(argument, role="constant", value=LENGTH_VALUES.get(role, "nullptr"))
            elif role is not None and role.startswith("offset@"):
                unit = "bytes" if in_bytes(function.params[i]) else ""
                carried = call.arguments[int(role.partition("@")[2])].role
                argument = replace(argument, role=f"offset.{carried}", value=unit)
            elif role == "stream" and ground.device.objects is not None:
                lines, value = queue_argument(function.params[i], ground.device.objects)
                setup += lines
                argument = replace(argument, role="constant", value=value)
            elif role == "stream":
                argument = replace(
                    argument, role="constant", value=self.handles.makers.queue(function, function.params[i])
                )
            arguments.append(argument)
        if self.table is not None and any(a.address == "table" for a in arguments):
            support += self.table.symbols
            texts.append(self.table.helper())
        return replace(call, arguments=tuple(arguments), setup=tuple(setup), finish=tuple(finish))

    def _waits_alone(self, param: Param) -> bool:
        """Whether nothing but a wait for a queue of the caller's tells when work is done: without a device to wait for,
        NULL would be no queue, or one that nobody could wait for."""
        if self.ground.device.objects is not None or any(r.role == "synchronize" for r in self.ground.match.runtime):
            return False
        return bool(object_key(param.type)) and self.handles.makers.waiting(object_key(param.type)) is not None

    def _place(self, call: Call) -> str:
        return f"{call.function}, {call.source.file}:{call.source.line}"
