"""Kernels over linear layers, ``y = x w + bias``: a product of dense matrices to whose every row one row is added."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from torchfl.catalogue import OpSpec
from torchfl_sdk.match.model import Argument, Binding, Call, StatusType
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.call_attributes import Attributes
from torchfl_sdk.scaffold.kernel_plan import (
    Case,
    Helpers,
    Kernel,
    NotGenerated,
    dtype_variable,
    flags,
    function_name,
    labels,
    stream,
)

_SIZES = {"M": "rows", "N": "n", "K": "k"}


def is_linear(binding: Binding) -> bool:
    """True for a binding of such functions."""
    return binding.style == "linear"


def plan_linear(
    binding: Binding, op: OpSpec, status: StatusType, helpers: Helpers, place: Callable[[Call], str]
) -> Kernel:
    """The kernel of ``aten::addmm`` or ``aten::mm``: where the addend is no single row, one call for each row."""
    left, right = op.inputs[-2:]
    roles = {a.role: a for a in binding.calls[0].arguments}
    turned = "true" if roles[right].value == "turned" else "false"
    attributes, limits = Attributes(op), dict(binding.constraints)
    checks = tuple(attributes.default_check(attr, limits.get(attr.name, ())) for attr in op.attrs)
    before = [
        *(f"if ({condition}) return torchfl::unsupported({cxx.string(why)});" for condition, why in checks),
        f"const int64_t m = out.sizes[0], n = out.sizes[1], k = {left}.sizes[1];",
        "torchfl::DenseMatrix a(device::api, *call), b(device::api, *call);",
        f"TFL_TRY(a.fill({left}, false));",
        f"TFL_TRY(b.fill({right}, {turned}));",
    ]
    adds = "row.self" if "row.self" in roles else "zeros" if "zeros" in roles else ""
    if adds:
        before.append("torchfl::AddedRows added(device::api, *call);")
        before.append("TFL_TRY(added.fill(self, out));" if adds == "row.self" else "TFL_TRY(added.zeros(out));")
    before.append(f"const int64_t rows = {'added.rows(m)' if adds else 'm'};")
    before += dict.fromkeys(
        f"if (!torchfl::fits<{cxx.bare(a.ctype)}>({_SIZES[a.role]})) "
        f"return torchfl::unsupported({cxx.string(f'an extent beyond {cxx.bare(a.ctype)}')});"
        for call in binding.calls
        for a in call.arguments
        if a.role in _SIZES and not cxx.is_wide(a.ctype)
    )
    cases = tuple(_case(call, left, right, status, helpers) for call in binding.calls)
    return Kernel(
        impl=binding.impl,
        op=binding.op,
        function=function_name(binding.impl),
        template="body",
        sources=tuple(place(c) for c in binding.calls),
        symbols=tuple(c.function for c in binding.calls),
        flags=flags(binding),
        inputs=tuple((name, i) for i, name in enumerate(op.inputs)),
        before=tuple(before),
        cases=cases,
    )


def _case(call: Call, left: str, right: str, status: StatusType, helpers: Helpers) -> Case:
    if call.returns not in ("status", "void") or (call.returns == "status" and not status.success):
        raise NotGenerated(f"{call.function} returns its result by value")
    lines = list(call.setup)
    arguments = [_argument(a, left, right, helpers, lines) for a in call.arguments]
    head = f"vendor::{call.function}"
    called = (
        cxx.call(f"TFL_TRY(status({head}", arguments, "));", 8)
        if call.returns == "status"
        else cxx.call(head, arguments, ";", 8)
    )
    text = "".join(f"{line}\n      " for line in lines)
    waits = "".join(f"TFL_TRY({step});\n      " for step in call.finish)
    loop = f"for (int64_t row = 0; row < m; row += rows) {{\n        {called}\n      }}\n      "
    loop += f"{waits}return TFL_OK;\n    }}"
    return Case(f"{labels(call)} {{", (), text + loop)


def _argument(a: Argument, left: str, right: str, helpers: Helpers, lines: list[str]) -> str:
    if a.role in _SIZES:
        return cxx.integer(a.ctype, _SIZES[a.role])
    if a.role == "constant":
        return a.value
    if a.role == "stream":
        return stream(a)
    if a.role == "dtype":
        lines += dtype_variable(helpers, a, "out")
        return "dtype"
    if a.buffer:
        raise NotGenerated(f"{a.name!r} is a buffer object, and its rows are given one by one")
    if a.address == "integer":
        inner = _argument(replace(a, ctype="void *", address=""), left, right, helpers, lines)
        return f"static_cast<{cxx.bare(a.ctype)}>(reinterpret_cast<uintptr_t>({inner}))"
    target = "void" if a.address else cxx.pointee(a.ctype)
    is_void = cxx.bare(target) == "void"
    element = ("const char" if "const" in target.split() else "char") if is_void else target
    size = " * static_cast<int64_t>(torchfl::element_size(out.dtype))" if is_void else ""
    if a.role == "out":
        return f"torchfl::data<{element}>(out) + row * n{size}"
    if a.role == left:
        return f"a.data<{element}>() + row * k{size}"
    if a.role == right:
        return f"b.data<{element}>()"
    if a.role in ("row.self", "zeros"):
        return f"added.row<{element}>(row{size})"
    raise NotGenerated(f"argument {a.name!r} has the role {a.role!r}, which nothing fills")
