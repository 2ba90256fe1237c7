"""The parts of a kernel in C++ text, which templates put together, and what every planner of kernels shares.

A binding that cannot become a complete kernel raises :class:`NotGenerated` with the reason; the plan then reports
its functions as unbound, and no half kernel is written. ``call_plan`` and ``gemm`` plan the matcher's bindings, the
styles what is left over.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from torchfl_sdk.match.model import Argument, Binding, Call, StatusType, StructLayout
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.names import CXX_RESERVED

#: Why a style that cannot wait behind its call generates nothing.
OWN_QUEUE = "it runs in an object of the thread's that has to be waited for, which this form of the op does not do yet"


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


def result(call: Call, status: StatusType, after: Sequence[str] = ()) -> Callable[[list[str], int], str]:
    """How a call's statement is written: checked, and followed by ``return TFL_OK`` or by steps that have a status."""
    head = f"vendor::{call.function}"
    if call.returns not in ("status", "void") or (call.returns == "status" and not status.success):
        raise NotGenerated(f"{call.function} returns its result by value")

    def statement(arguments: list[str], indent: int) -> str:
        checked = call.returns == "status"
        if checked and not after:
            return cxx.call(f"return status({head}", arguments, ");", indent)
        line = cxx.call(f"TFL_TRY(status({head}", arguments, "));", indent) if checked else ""
        lines = [line or cxx.call(head, arguments, ";", indent), *(f"TFL_TRY({step});" for step in after[:-1])]
        return f"\n{' ' * indent}".join([*lines, f"return {after[-1]};" if after else "return TFL_OK;"])

    return statement


def labels(call: Call) -> str:
    """The case labels of a call's dtypes; refuses dtypes that the ABI lacks."""
    missing = [d for d in call.dtypes if d not in cxx.TFL_DTYPES]
    if missing or not call.dtypes:
        raise NotGenerated(f"{call.function} serves no dtype that the chip ABI has")
    return " ".join(f"case {cxx.TFL_DTYPES[d]}:" for d in call.dtypes)


def dtype_variable(helpers: Helpers, a: Argument, tensor: str, variable: str = "dtype") -> tuple[str, str]:
    """C++ lines that set a variable of the vendor's type from a tensor's dtype."""
    function, ctype = helpers.dtype_function(a.values), cxx.bare(a.ctype)
    why = cxx.string(f"no {ctype} for this dtype")
    return f"{ctype} {variable};", f"if (!{function}({tensor}.dtype, &{variable})) return torchfl::unsupported({why});"


def buffer(a: Argument, tensor: str) -> str:
    """The object that holds a tensor."""
    return f"static_cast<{cxx.bare(a.ctype)}>({tensor}.handle)"


def memory(a: Argument, tensor: str) -> str:
    """The expression that gives a tensor's memory to an argument that takes its address."""
    if a.address == "integer":
        return f"static_cast<{cxx.bare(a.ctype)}>(reinterpret_cast<uintptr_t>(torchfl::data({tensor})))"
    return f"torchfl::data({tensor})" if a.address else cxx.data(tensor, a.ctype)


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
    if binding.broadcast:
        found.append("TFL_KERNEL_BROADCAST")
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
    return name if name[:1].isalpha() and name not in CXX_RESERVED else f"k_{name}"
