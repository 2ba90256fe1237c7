"""Decides, for every binding over whole tensors, the C++ text of its kernel's parts: one vendor call for each dtype."""

from __future__ import annotations

from collections.abc import Callable

from torchfl.catalogue import OpSpec
from torchfl_sdk.match.model import Argument, Binding, Call, StatusType
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.call_attributes import Attributes
from torchfl_sdk.scaffold.geometry import geometry, implied
from torchfl_sdk.scaffold.kernel_plan import (
    Case,
    Helpers,
    Kernel,
    NotGenerated,
    buffer,
    dtype_variable,
    flags,
    function_name,
    labels,
    memory,
    offset,
    result,
    stream,
)
from torchfl_sdk.scaffold.list_arguments import addresses, width, widths
from torchfl_sdk.scaffold.shapes import Shapes, shapes


def plan_call(
    binding: Binding,
    op: OpSpec,
    status: StatusType,
    helpers: Helpers,
    place: Callable[[Call], str],
    *,
    nhwc: bool = False,
) -> Kernel:
    """A kernel that passes whole tensors to one vendor call, by pointer or by tensor struct.

    ``nhwc``: the vendor's images have their channels innermost; the kernel's flag tells the router to give them so.
    """
    parts = CallParts(binding, op, helpers, nhwc=nhwc)
    subject = _subject(op)
    cases = []
    several = len(binding.calls) > 1
    for call in binding.calls:
        before, arguments, after = parts.arguments(call)
        own = tuple(before) if several else ()
        if not several:
            parts.before += before
        needs_label = several or not any(
            a.role.split(".")[0] == "dtype" or (a.fields and a.fields.dtype) for a in call.arguments
        )
        label = labels(call) if needs_label else ""
        indent = 6 if label else 2
        if own and label:
            label += " {"
        cases.append(Case(label, own, result(call, status, after)(arguments, indent)))
    missing = [i for i in op.inputs if i not in parts.used_inputs and i not in op.optional_inputs]
    if missing:
        raise NotGenerated(f"no argument takes the tensor {missing[0]!r}")
    return Kernel(
        impl=binding.impl,
        op=binding.op,
        function=function_name(binding.impl),
        template="call",
        sources=tuple(place(c) for c in binding.calls),
        symbols=tuple(c.function for c in binding.calls),
        flags=(*flags(binding), *(("TFL_KERNEL_NHWC",) if nhwc else ())),
        inputs=()
        if op.list_input
        else tuple(
            (name, i) for i, name in enumerate(op.inputs) if name in parts.used_inputs or name in op.optional_inputs
        ),
        checks=tuple(parts.checks),
        before=tuple(parts.before),
        cases=tuple(cases),
        outputs=tuple((name, i) for i, name in enumerate(op.outputs) if i and name in parts.used_outputs),
        uniform=not op.input_kinds and set(op.output_kinds) == {"common"},
        subject=subject,
    )


def _truths(ctype: str) -> tuple[str, str]:
    return ("true", "false") if cxx.bare(ctype) in ("bool", "_Bool") else ("1", "0")


def _subject(op: OpSpec) -> str:
    """The tensor that has the dtype in which the op computes."""
    if op.output_kinds[0] == "common":
        return "out"
    return next(name for name in op.inputs if op.input_kind(name) == "common")


_INNERMOST = 'return torchfl::unsupported("over the last dimension only");'


class CallParts:
    """Collects what a kernel does before its vendor calls: checks, descriptors, lists, converted scalars."""

    def __init__(self, binding: Binding, op: OpSpec, helpers: Helpers, *, nhwc: bool = False) -> None:
        self.binding, self.op, self.helpers, self.nhwc = binding, op, helpers, nhwc
        self.attributes = Attributes(op)
        self.before: list[str] = []
        self.checks: list[tuple[str, str]] = []
        self.used_inputs: set[str] = set()
        self.used_outputs: set[str] = set()
        self.geometry = geometry(op)
        taken = {a.role.split(".")[0] for c in binding.calls for a in c.arguments}
        roles = {a.role for c in binding.calls for a in c.arguments}
        by_extents = roles & {*self.geometry.expressions, *self.geometry.arrays} or taken & {"width", "widths"}
        described = binding.style == "tensor_struct"  # shapes, and so what follows from them
        said = implied(op) if by_extents or described else frozenset()
        self.shapes = shapes(op, roles, nhwc=nhwc) if described else Shapes()
        self.before += self.shapes.setup
        self.checks += self.shapes.checks
        if described and ("inner", (1,)) in binding.constraints:
            self.before += [*self.geometry.setup, f"if (along.inner != 1) {_INNERMOST}"]
        for attr in op.attrs:
            untold = attr.name not in taken and attr.name not in said
            scaled = attr.name == "alpha" and "number" in taken
            if untold and not scaled and attr.is_variable and attr.kind != "dtype":  # a dtype is the result's own
                self.checks.append(self.attributes.default_check(attr, dict(binding.constraints).get(attr.name, ())))
        for name in op.optional_inputs:
            if name not in taken:
                self.checks.append((f"torchfl::present({name})", f"the vendor's function has no {name}"))
        if op.shape_rule == "conv":
            self.checks.append(("input.rank != 4", "not a batch of images"))
        self._wide_checks: set[str] = set()
        self._offsets: set[str] = set()

    def _extent_check(self, ctype: str, expression: str, what: str) -> None:
        if cxx.is_wide(ctype) or expression in self._wide_checks:
            return
        self._wide_checks.add(expression)
        self.checks.append((f"!torchfl::fits<{cxx.bare(ctype)}>({expression})", f"{what} beyond {cxx.bare(ctype)}"))

    def arguments(self, call: Call) -> tuple[list[str], list[str], list[str]]:
        """(statements before the call, its arguments in C order, steps after it that can fail)."""
        before: list[str] = list(call.setup)
        described: set[str] = set()
        self._offsets = {a.role.partition(".")[2] for a in call.arguments if a.role.startswith("offset.")}
        self._after: list[str] = list(call.finish)
        return before, [self._argument(call, a, before, described) for a in call.arguments], self._after

    def _argument(self, call: Call, a: Argument, before: list[str], described: set[str]) -> str:
        role, _, index = a.role.partition(".")
        if a.role in {*self.geometry.expressions, *self.geometry.arrays, *self.shapes.expressions}:
            return self._extent(a, before)
        if role == "inout":
            first = self.op.inputs[0]
            self.used_inputs.add(first)
            before.append(f"TFL_TRY(torchfl::begin_as(device::api, *call, {first}, out));")
            return memory(a, "out")
        if role == "number":
            self.used_inputs.add(index)
            return self._number(a, index, before)
        if role in ("item", "width", "widths"):
            return self._of_list(a, role, index, before)
        if role == "list":
            self.used_inputs.add(index)
            return self._list(a, before)
        if role in self.op.outputs[1:]:
            self.used_outputs.add(role)
            return self._recast(a, role, before) if a.value else memory(a, role)
        if role in self.op.inputs or role == "out":
            self.used_inputs.add(role)
            return self._tensor(a, role, before)
        if role == "has":
            given, (yes, no) = f"torchfl::present({index})", _truths(a.ctype)
            return f"{given} ? {yes} : {no}"
        if role == "numel":
            ctype = cxx.pointee(a.ctype) if cxx.is_pointer(a.ctype) else a.ctype
            self._extent_check(ctype, "out.numel", "an element count")
            count = cxx.integer(ctype, "out.numel")
            return f"torchfl::ByAddress<{cxx.bare(ctype)}>{{{count}}}" if ctype != a.ctype else count
        if role == "dtype":
            before += dtype_variable(self.helpers, a, index or _subject(self.op), f"{index}_dtype".lstrip("_"))
            return f"{index}_dtype".lstrip("_")
        if role == "inc":
            return "1"
        if role == "offset":
            return offset(a, index)
        if role == "constant":
            return a.value
        if role == "stream":
            return stream(a)
        if role in self.attributes.places:
            return self.attributes.argument(a, role, index, before)
        if role == "ctx":
            raise NotGenerated(
                f"no function of the header makes the {a.ctype} that {call.function} takes as {a.name!r}"
            )
        raise NotGenerated(f"argument {a.name!r} of {call.function} has the role {a.role!r}, which nothing fills")

    def _tensor(self, a: Argument, role: str, before: list[str]) -> str:
        optional = role in self.op.optional_inputs and a.nullable
        if role in self.op.optional_inputs and not a.nullable:
            why = f"no comment of the header allows {a.name} to be NULL"
            before.append(f"if (!torchfl::present({role})) return torchfl::unsupported({cxx.string(why)});")
        if a.buffer:
            if optional:
                raise NotGenerated(f"the optional {role!r} is a buffer object")
            return self._buffer(a, role)
        if a.address == "table":
            return self._entry(role, before)
        if a.fields is None:
            if not a.address and not cxx.is_pointer(a.ctype):
                raise NotGenerated(f"argument {a.name!r} is a tensor but no pointer")
            if a.value:
                return self._recast(a, role, before)
            if optional:
                return f"torchfl::present({role}) ? {memory(a, role)} : {'0' if a.address == 'integer' else 'nullptr'}"
            return memory(a, role)
        describe, variable = self.helpers.struct_function(a.fields), f"{role}_desc"
        space = "" if a.fields.max_rank else f", &{role}_space"
        # What is no image has no channels to move; what is one has its extents told in the order of memory.
        seen = self.shapes.seen.get(role, role)
        given = f"torchfl::Stored({seen})" if self.nhwc else seen
        condition = f"!{describe}({given}, &{variable}{space})"
        if optional:
            condition = f"torchfl::present({role}) && {condition}"
        before.append(f"{a.fields.struct} {variable};")
        if space:
            before.append(f"torchfl::ExtentSpace {role}_space;")
        before.append(
            f"if ({condition}) return torchfl::unsupported({cxx.string(f'{role}: not for {a.fields.struct}')});"
        )
        if a.fields.by_value:
            return variable
        return f"torchfl::present({role}) ? &{variable} : nullptr" if optional else f"&{variable}"

    def _entry(self, role: str, before: list[str]) -> str:
        """The number of a tensor of the vendor's table, which is made for the call."""
        given = role == "out" or role in self.op.outputs[1:]
        before += [
            f"TableTensor {role}_entry;",
            f"TFL_TRY({role}_entry.make(call, {self.shapes.seen.get(role, role)}, {'false' if given else 'true'}));",
        ]
        if given:
            self._after.append(f"{role}_entry.give({role})")
        return f"{role}_entry.id()"

    def _prepare(self, lines: tuple[str, ...], role: str) -> None:
        """Lines ahead of the switch over dtypes, once: every case reads what they set."""
        for line in (*lines, *self.geometry.lines.get(role, ())):
            if line not in self.before:
                self.before.append(line)

    def _of_list(self, a: Argument, role: str, index: str, before: list[str]) -> str:
        """What a function over plain pointers takes of a list: a tensor, its share of a run, or all shares."""
        if role == "item":
            self.used_inputs.add(self.op.inputs[0])
            both = ("call->num_inputs != 2", "the vendor's function joins two")
            self.checks += [both] if both not in self.checks else []
            return cxx.data(f"call->inputs[{index}]", a.ctype)
        self._prepare((), role)
        if role == "widths":
            return widths(a, before)
        expression = width(a, index)
        self._fit(a, expression, before)
        return cxx.integer(a.ctype, expression)

    def _number(self, a: Argument, role: str, before: list[str]) -> str:
        """The operand of one element; what it is multiplied by, too."""
        before.append("double number = 0;")
        read = f"torchfl::first_number(device::api, *call, {role}, &number)"
        before.append(f"if (const tfl_status read = {read}; read != TFL_OK) return read;")
        if "alpha" in self.attributes.places:
            before.append(f"number *= torchfl::number({self.attributes.source('alpha')}, 1);")
        ctype = cxx.bare(a.ctype)
        if cxx.is_float(ctype):
            return "number" if ctype == "double" else f"static_cast<{ctype}>(number)"
        why = cxx.string(f"a number beyond {ctype}")
        before.append(f"if (!torchfl::holds<{ctype}>(number)) return torchfl::unsupported({why});")
        return f"static_cast<{ctype}>(number)"

    def _recast(self, a: Argument, role: str, before: list[str]) -> str:
        """An index or a mask in the vendor's elements."""
        variable, is_result = f"{role}_recast", role in ("out", *self.op.outputs)
        before += [
            f"torchfl::Recast<{cxx.bare(cxx.pointee(a.ctype))}> {variable}(device::api, *call);",
            f"TFL_TRY({variable}.{'reserve' if is_result else 'fill'}({role}));",
        ]
        if is_result:
            self._after.append(f"{variable}.give({role})")
        return f"{variable}.data()"

    def _buffer(self, a: Argument, role: str) -> str:
        if role not in self._offsets:
            self.checks.append((f"{role}.byte_offset != 0", "the vendor's function takes whole buffers"))
        return buffer(a, role)

    def _extent(self, a: Argument, before: list[str]) -> str:
        """An extent as the vendor's integer, or an array of them."""
        if self.nhwc and a.role == "planes":
            raise NotGenerated("its images are NHWC, and their channels no planes")
        seen = self.shapes.expressions.get(a.role)
        if seen is not None:
            self._fit(a, seen, before)
            return cxx.integer(a.ctype, seen)
        self._prepare(() if a.role in self.geometry.whole else self.geometry.setup, a.role)
        self.before += [line for line in self.shapes.lines.get(a.role, ()) if line not in self.before]
        fill = self.geometry.arrays.get(a.role)
        if fill is not None:
            name = a.role.replace(".", "_")
            before.append(f"{cxx.bare(cxx.pointee(a.ctype))} {name}[torchfl::ExtentSpace::max_rank] = {{}};")
            before.append(fill.replace("<name>", name))
            return name
        if a.role in self.geometry.needs and self.geometry.needs[a.role] not in self.checks:
            self.checks.append(self.geometry.needs[a.role])
        expression = self.geometry.expressions[a.role]
        self._fit(a, expression, before)
        return cxx.integer(a.ctype, expression)

    def _fit(self, a: Argument, expression: str, before: list[str]) -> None:
        """A call whose extent the vendor's integer does not hold is refused."""
        if cxx.is_wide(a.ctype):
            return
        why = cxx.string(f"an extent beyond {cxx.bare(a.ctype)}")
        line = f"if (!torchfl::fits<{cxx.bare(a.ctype)}>({expression})) return torchfl::unsupported({why});"
        if line not in before:
            before.append(line)

    def _list(self, a: Argument, before: list[str]) -> str:
        """An array of tensor structs, one for each tensor of the op's list."""
        if a.fields is None and "*" in cxx.pointee(a.ctype):
            return addresses(a, before)
        if a.fields is None or not a.fields.max_rank:
            raise NotGenerated(f"argument {a.name!r} is no array of tensor structs with sizes in them")
        describe = self.helpers.struct_function(a.fields)
        why = cxx.string(f"a tensor that {a.fields.struct} cannot describe, or too many")
        before.append(f"{a.fields.struct} list_desc[16];")
        before.append(f"if (call->num_inputs > 16) return torchfl::unsupported({why});")
        before.append("for (uint32_t i = 0; i < call->num_inputs; ++i) {")
        before.append(f"  if (!{describe}(call->inputs[i], &list_desc[i])) return torchfl::unsupported({why});")
        before.append("}")
        return "list_desc"
