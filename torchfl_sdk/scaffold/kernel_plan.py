"""Decides, for every binding, the C++ text of its kernel's parts; templates put the parts together.

A binding that cannot become a complete kernel raises :class:`NotGenerated` with the reason; the plan then reports
its functions as unbound, and no half kernel is written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from torchfl.catalogue import Attr, OpSpec
from torchfl_sdk.match.model import Argument, Binding, Call, StatusType, StructLayout
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.geometry import absent_value, geometry, implied


class NotGenerated(Exception):
    """Why a binding cannot become a complete kernel."""


@dataclass(frozen=True)
class Case:
    """One vendor call: the dtype labels it stands under ("" if it takes every dtype), lines before it, the call."""

    label: str
    before: tuple[str, ...]
    statement: str


@dataclass(frozen=True)
class Kernel:
    """One C++ kernel function, in parts.

    ``template`` names a file of ``templates/src/kernel``: ``call`` (one vendor call on whole tensors), ``gemm`` (mm
    and addmm over a shared product), ``unwritten`` (arguments only; a person writes the call), and the styles' own.
    ``symbols`` compute the op; ``support`` are the vendor functions beside them (objects made, queries).
    ``parts`` is what a style's template needs beyond these fields.
    """

    impl: str
    op: str
    function: str
    template: str
    sources: tuple[str, ...]
    symbols: tuple[str, ...]
    flags: tuple[str, ...]
    inputs: tuple[tuple[str, int], ...] = ()
    attrs: tuple[tuple[str, int], ...] = ()
    checks: tuple[tuple[str, str], ...] = ()
    before: tuple[str, ...] = ()
    cases: tuple[Case, ...] = ()
    product: str = ""  # gemm: the shared product's function name
    adds: bool = False  # gemm: addmm
    scales: bool = True  # gemm: the vendor takes beta
    support: tuple[str, ...] = ()
    called: tuple[str, ...] = ()  # the functions that say which op it is, where others compute
    parts: object = None
    outputs: tuple[tuple[str, int], ...] = ()  # those behind the first
    uniform: bool = True  # every tensor has the first output's dtype
    subject: str = "out"  # the tensor whose dtype chooses the vendor's function


@dataclass
class Helpers:
    """Helper functions that the kernels share, collected while they are planned."""

    dtypes: dict[str, dict[str, str]] = field(default_factory=dict)
    structs: dict[str, tuple[StructLayout, str]] = field(default_factory=dict)

    def copy(self) -> Helpers:
        """An independent copy, so that a binding that turns out impossible leaves nothing behind."""
        return Helpers({name: dict(known) for name, known in self.dtypes.items()}, dict(self.structs))

    def dtype_function(self, values: tuple[tuple[str, str], ...]) -> str:
        """The name of the function that maps torchfl's dtypes to these vendor constants.

        Subsets of one enum share a function: the profile, not the kernel, says which of them an op serves.
        """
        wanted = {d: c for d, c in values if d in cxx.TFL_DTYPES}
        if not wanted:
            raise NotGenerated("its dtype argument has no constant for a dtype that torchfl knows")
        for name, known in self.dtypes.items():
            common = wanted.keys() & known.keys()
            if common and all(wanted[d] == known[d] for d in common):
                known.update(wanted)
                return name
        name = "vendor_dtype" + (str(len(self.dtypes) + 1) if self.dtypes else "")
        self.dtypes[name] = wanted
        return name

    def struct_function(self, layout: StructLayout) -> str:
        """The name of the function that fills this vendor struct."""
        if not layout.data or not layout.sizes:
            raise NotGenerated(f"{layout.struct} has no field for the data or the sizes")
        if layout.layout and not {"nchw", "nhwc"} & set(dict(layout.layout_values)):
            raise NotGenerated(f"{layout.struct} has no constant for the NCHW or NHWC layout")
        dtype = self.dtype_function(layout.dtype_values) if layout.dtype else ""
        self.structs.setdefault(layout.struct, (layout, dtype))
        return "describe"


def result(call: Call, status: StatusType) -> Callable[[list[str], int], str]:
    """How a call's statement is written: checked, or followed by ``return TFL_OK``."""
    head = f"vendor::{call.function}"
    if call.returns == "status" and status.success:
        return lambda arguments, indent: cxx.call(f"return status({head}", arguments, ");", indent)
    if call.returns == "void":
        return lambda arguments, indent: cxx.call(head, arguments, ";", indent) + f"\n{' ' * indent}return TFL_OK;"
    raise NotGenerated(f"{call.function} returns its result by value")


def labels(call: Call) -> str:
    """The case labels of a call's dtypes; refuses dtypes that the ABI lacks."""
    missing = [d for d in call.dtypes if d not in cxx.TFL_DTYPES]
    if missing or not call.dtypes:
        raise NotGenerated(f"{call.function} serves no dtype that the chip ABI has")
    return " ".join(f"case {cxx.TFL_DTYPES[d]}:" for d in call.dtypes)


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
    parts = _CallParts(binding, op, helpers, nhwc=nhwc)
    subject = _subject(op)
    cases = []
    several = len(binding.calls) > 1
    for call in binding.calls:
        before, arguments = parts.arguments(call)
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
        cases.append(Case(label, own, result(call, status)(arguments, indent)))
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


def _subject(op: OpSpec) -> str:
    """The tensor that has the dtype in which the op computes."""
    if op.output_kinds[0] == "common":
        return "out"
    return next(name for name in op.inputs if op.input_kind(name) == "common")


class _CallParts:
    """Collects what a kernel does before its vendor calls: checks, descriptors, lists, converted scalars."""

    def __init__(self, binding: Binding, op: OpSpec, helpers: Helpers, *, nhwc: bool = False) -> None:
        self.binding, self.op, self.helpers, self.nhwc = binding, op, helpers, nhwc
        self.attr_index = {a.name: i for i, a in enumerate(op.attrs)}
        self.before: list[str] = []
        self.checks: list[tuple[str, str]] = []
        self.used_inputs: set[str] = set()
        self.used_outputs: set[str] = set()
        self.geometry = geometry(op)
        self._set_up = False
        taken = {a.role.split(".")[0] for c in binding.calls for a in c.arguments}
        roles = {a.role for c in binding.calls for a in c.arguments}
        by_extents = roles & {*self.geometry.expressions, *self.geometry.arrays}
        said = implied(op) if by_extents else frozenset()
        for attr in op.attrs:
            untold = attr.name not in taken and attr.name not in said
            if untold and attr.is_variable and attr.kind != "dtype":  # a dtype is the result's own
                self._default_check(attr.name, attr.kind, attr.default)
        for name in op.optional_inputs:
            if name not in taken:
                self.checks.append((f"torchfl::present({name})", f"the vendor's function has no {name}"))
        if op.shape_rule == "conv":
            self.checks.append(("input.rank != 4", "not a batch of images"))
        self._wide_checks: set[str] = set()
        self._offsets: set[str] = set()

    def _default_check(self, name: str, kind: str, default: object) -> None:
        """An attribute that no argument takes must have the value that the vendor computes with."""
        attr = f"call->attrs[{self.attr_index[name]}]"
        proved = dict(self.binding.constraints).get(name)
        value = proved[0] if proved and len(proved) == 1 else default
        why = f"the vendor's function has no {name}"
        if value is None:
            raise NotGenerated(f"no argument takes {name!r}, which has no default")
        if kind == "choice":
            index = next(a for a in self.op.attrs if a.name == name).choices.index(str(value))
            condition = f"torchfl::integer({attr}, {index}) != {index}"
        elif kind == "int_list":
            values = value if isinstance(value, tuple) else (value,)
            if len(set(values)) != 1:
                raise NotGenerated(f"no argument takes {name!r}")
            condition = f"!torchfl::all_equal({attr}, {int(values[0])})"
        elif kind in ("int", "bool"):
            condition = f"torchfl::integer({attr}, {int(value)}) != {int(value)}"  # type: ignore[call-overload]
        else:
            literal = cxx.number(value)
            condition = f"torchfl::number({attr}, {literal}) != {literal}"
        self.checks.append((condition, why))

    def _extent_check(self, ctype: str, expression: str, what: str) -> None:
        if cxx.is_wide(ctype) or expression in self._wide_checks:
            return
        self._wide_checks.add(expression)
        self.checks.append((f"!torchfl::fits<{cxx.bare(ctype)}>({expression})", f"{what} beyond {cxx.bare(ctype)}"))

    def arguments(self, call: Call) -> tuple[list[str], list[str]]:
        """(statements before the call, its arguments in C order)."""
        before: list[str] = list(call.setup)
        described: set[str] = set()
        self._offsets = {a.role.partition(".")[2] for a in call.arguments if a.role.startswith("offset.")}
        return before, [self._argument(call, a, before, described) for a in call.arguments]

    def _argument(self, call: Call, a: Argument, before: list[str], described: set[str]) -> str:
        role, _, index = a.role.partition(".")
        if a.role in self.geometry.expressions or a.role in self.geometry.arrays:
            return self._extent(a, before)
        if role == "list":
            self.used_inputs.add(index)
            return self._list(a, before)
        if role in self.op.outputs[1:]:
            self.used_outputs.add(role)
            return cxx.data(role, a.ctype)
        if role in self.op.inputs or role == "out":
            self.used_inputs.add(role)
            return self._tensor(a, role, before)
        if role == "numel":
            self._extent_check(a.ctype, "out.numel", "an element count")
            return cxx.integer(a.ctype, "out.numel")
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
        if role in self.attr_index:
            return self._attribute(a, role, index, before)
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
        if a.fields is None:
            if not cxx.is_pointer(a.ctype):
                raise NotGenerated(f"argument {a.name!r} is a tensor but no pointer")
            if a.value == "int32" and self.op.input_kind(role) == "index":
                before += [
                    f"torchfl::NarrowIndices {role}_32(device::api, *call);",
                    f"TFL_TRY({role}_32.fill({role}));",
                ]
                return f"{role}_32.data()"
            if optional:
                return f"torchfl::present({role}) ? {cxx.data(role, a.ctype)} : nullptr"
            return cxx.data(role, a.ctype)
        describe, variable = self.helpers.struct_function(a.fields), f"{role}_desc"
        space = "" if a.fields.max_rank else f", &{role}_space"
        # What is no image has no channels to move; what is one has its extents told in the order of memory.
        given = f"torchfl::Stored({role})" if self.nhwc else role
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

    def _buffer(self, a: Argument, role: str) -> str:
        if role not in self._offsets:
            self.checks.append((f"{role}.byte_offset != 0", "the vendor's function takes whole buffers"))
        return buffer(a, role)

    def _extent(self, a: Argument, before: list[str]) -> str:
        """An extent as the vendor's integer, or an array of them."""
        if self.nhwc and a.role == "planes":
            raise NotGenerated("its images are NHWC, and their channels no planes")
        if not self._set_up:  # before the switch over dtypes: every case reads it
            self._set_up = True
            self.before += self.geometry.setup
        fill = self.geometry.arrays.get(a.role)
        if fill is not None:
            name = a.role.replace(".", "_")
            before.append(f"{cxx.bare(cxx.pointee(a.ctype))} {name}[torchfl::ExtentSpace::max_rank];")
            before.append(fill.replace("<name>", name))
            return name
        if a.role in self.geometry.needs and self.geometry.needs[a.role] not in self.checks:
            self.checks.append(self.geometry.needs[a.role])
        expression = self.geometry.expressions[a.role]
        if not cxx.is_wide(a.ctype):
            why = cxx.string(f"an extent beyond {cxx.bare(a.ctype)}")
            line = f"if (!torchfl::fits<{cxx.bare(a.ctype)}>({expression})) return torchfl::unsupported({why});"
            if line not in before:
                before.append(line)
        return cxx.integer(a.ctype, expression)

    def _list(self, a: Argument, before: list[str]) -> str:
        """An array of tensor structs, one for each tensor of the op's list."""
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

    def _attribute(self, a: Argument, name: str, index: str, before: list[str]) -> str:
        spec = self.op.attrs[self.attr_index[name]]
        source = f"call->attrs[{self.attr_index[name]}]"
        too_big = f"return torchfl::unsupported({cxx.string(f'{name} beyond the vendor type')});"
        if spec.kind == "int_list":
            default = spec.default if isinstance(spec.default, int) else 1
            if index:
                variable = f"{name}_{index}"
                before.append(f"{cxx.bare(a.ctype)} {variable};")
                before.append(
                    f"if (!torchfl::assign({variable}, torchfl::at({source}, {int(index)}, {default}))) {too_big}"
                )
                return variable
            if not cxx.is_pointer(a.ctype):
                variable = name
                before.append(
                    f"if (torchfl::at({source}, 0, {default}) != torchfl::at({source}, 1, {default})) "
                    f"return torchfl::unsupported({cxx.string(f'{name} differs between dimensions')});"
                )
                before.append(f"{cxx.bare(a.ctype)} {variable};")
                before.append(f"if (!torchfl::assign({variable}, torchfl::at({source}, 0, {default}))) {too_big}")
                return variable
            before.append(f"{cxx.bare(cxx.pointee(a.ctype))} {name}[2];")
            before.append(f"if (!torchfl::assign_list({name}, {source}, {default})) {too_big}")
            return name
        if cxx.is_pointer(a.ctype):
            value = self._scalar(cxx.pointee(a.ctype), spec, source)
            before.append(f"const {cxx.bare(cxx.pointee(a.ctype))} {name} = {value};")
            return f"&{name}"
        if spec.kind in ("int", "bool") and cxx.bare(a.ctype) not in ("bool", "_Bool"):
            before.append(f"{cxx.bare(a.ctype)} {name};")
            before.append(
                f"if (!torchfl::assign({name}, torchfl::integer({source}, {int(spec.default or 0)}))) {too_big}"  # type: ignore[arg-type]
            )
            return name
        if cxx.bare(a.ctype) in ("bool", "_Bool"):
            return f"torchfl::integer({source}, {int(spec.default or 0)}) != 0"  # type: ignore[arg-type]
        return self._scalar(a.ctype, spec, source)

    def _scalar(self, ctype: str, spec: Attr, source: str) -> str:
        usual = absent_value(self.op, spec.name) or cxx.number(spec.default if spec.default is not None else 0)
        number = f"torchfl::number({source}, {usual})"
        return number if cxx.bare(ctype) == "double" else f"static_cast<{cxx.bare(ctype)}>({number})"


def dtype_variable(helpers: Helpers, a: Argument, tensor: str, variable: str = "dtype") -> tuple[str, str]:
    """C++ lines that set a variable of the vendor's type from a tensor's dtype."""
    function, ctype = helpers.dtype_function(a.values), cxx.bare(a.ctype)
    why = cxx.string(f"no {ctype} for this dtype")
    return f"{ctype} {variable};", f"if (!{function}({tensor}.dtype, &{variable})) return torchfl::unsupported({why});"


def buffer(a: Argument, tensor: str) -> str:
    """The object that holds a tensor."""
    return f"static_cast<{cxx.bare(a.ctype)}>({tensor}.handle)"


def offset(a: Argument, tensor: str) -> str:
    """Where a tensor begins in its buffer object."""
    if a.value == "bytes":
        return cxx.integer(a.ctype, f"{tensor}.byte_offset")
    return cxx.integer(a.ctype, f"torchfl::element_offset({tensor})")


def stream(a: Argument) -> str:
    """The call's queue as the vendor's type; NULL, the default queue, unless the core made one."""
    return f"static_cast<{cxx.bare(a.ctype)}>(call->stream)"


def flags(binding: Binding) -> tuple[str, ...]:
    """The TFL_KERNEL_* flags of a binding."""
    found = []
    if binding.inplace:
        found.append("TFL_KERNEL_INPLACE")
    if binding.layout == "matrix":
        found.append("TFL_KERNEL_MATRIX")
    if binding.first_output:
        found.append("TFL_KERNEL_FIRST_OUTPUT")
    return tuple(found)


def flags_of(entry: Mapping[str, object]) -> tuple[str, ...]:
    """The flags of a kernel that a person writes for this entry of a profile."""
    wanted = {
        "TFL_KERNEL_INPLACE": entry.get("inplace") is True,
        "TFL_KERNEL_BROADCAST": entry.get("broadcast") is True,
        "TFL_KERNEL_STRIDED": entry.get("layout") == "strided",
        "TFL_KERNEL_MATRIX": entry.get("layout") == "matrix",
    }
    return tuple(flag for flag, is_wanted in wanted.items() if is_wanted)


def function_name(impl: str) -> str:
    """The C++ function of a kernel: its impl name, made an identifier."""
    name = "".join(c if c.isalnum() or c == "_" else "_" for c in impl)
    return name if name[:1].isalpha() else f"k_{name}"
