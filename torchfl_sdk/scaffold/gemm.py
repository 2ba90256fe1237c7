"""Kernels over a vendor's matrix product: ``aten::mm`` and ``aten::addmm`` share one function that calls it.

PyTorch's matrices are seen row-major (``torchfl::as_matrix``: transposed or not, leading dimension), and so are the
roles of a binding. For a column-major API, which sees every row-major matrix as its transpose, the matcher has already
let operands and extents change places; every flag stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from torchfl_sdk.match.model import Argument, Binding, Call, StatusType
from torchfl_sdk.scaffold import cxx
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

#: op -> (left operand, right operand) in the catalogue's names
OPERANDS = {
    "aten::mm": ("self", "mat2"),
    "aten::addmm": ("mat1", "mat2"),
    "aten::bmm": ("self", "mat2"),
    "aten::baddbmm": ("batch1", "batch2"),
}


@dataclass(frozen=True)
class Product:
    """The shared C++ function: ``c = alpha * a @ b + beta * c``."""

    name: str
    sources: tuple[str, ...]
    checks: tuple[tuple[str, str], ...]
    before: tuple[str, ...]
    cases: tuple[Case, ...]
    streams: bool  # the vendor takes a queue, so the call is passed along
    batched: bool = False  # one call for a batch of products: `batch` and each operand's step are passed along


def is_gemm(binding: Binding) -> bool:
    """True for a binding whose calls take matrix extents."""
    roles = {a.role for c in binding.calls for a in c.arguments}
    return binding.op in OPERANDS and {"m", "n", "k"} <= roles


def plan_gemm(
    binding: Binding,
    status: StatusType,
    helpers: Helpers,
    products: dict[tuple[str, ...], Product],
    place: Callable[[Call], str],
) -> Kernel:
    """The kernel of an mm or addmm binding; its product function is added to ``products`` once per vendor functions."""
    key = tuple(c.function for c in binding.calls)
    roles = {a.role for c in binding.calls for a in c.arguments}
    if key not in products:
        name = "gemm" if not products else f"gemm_{len(products) + 1}"
        products[key] = _product(name, binding, status, helpers, place)
    product = products[key]
    return Kernel(
        impl=binding.impl,
        op=binding.op,
        function=function_name(binding.impl),
        template="bmm" if binding.op in ("aten::bmm", "aten::baddbmm") else "gemm",
        sources=product.sources,
        symbols=key,
        flags=flags(binding),
        product=product.name,
        adds=binding.op in ("aten::addmm", "aten::baddbmm"),
        scales="gemm_beta" in roles,
    )


def _is_batched(binding: Binding) -> bool:
    return any(a.role == "batch" for c in binding.calls for a in c.arguments)


def _product(
    name: str, binding: Binding, status: StatusType, helpers: Helpers, place: Callable[[Call], str]
) -> Product:
    left, right = OPERANDS[binding.op]
    checks: list[tuple[str, str]] = []
    before: list[str] = []
    cases = []
    several = len(binding.calls) > 1
    streams = any(c.setup or any(a.role == "stream" or "call->" in a.value for a in c.arguments) for c in binding.calls)
    for call in binding.calls:
        writer = _Writer(call, left, right, helpers)
        own, arguments = writer.arguments()
        for check in writer.checks:
            if check not in checks:
                checks.append(check)
        has_enum = any(a.role == "dtype" for a in call.arguments)
        label = labels(call) if several or not has_enum else ""
        if not several:
            before += own
            own = []
        if own and label:
            label += " {"
        cases.append(Case(label, tuple(own), result(call, status, call.finish)(arguments, 6 if label else 2)))
    sources = tuple(place(c) for c in binding.calls)
    return Product(name, sources, _joined(checks), tuple(before), tuple(cases), streams, _is_batched(binding))


def _joined(checks: list[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Checks of one reason as one condition."""
    by_reason: dict[str, list[str]] = {}
    for condition, why in checks:
        by_reason.setdefault(why, []).append(condition)
    return tuple((" || ".join(conditions), why) for why, conditions in by_reason.items())


class _Writer:
    """Writes one vendor call of a product, over the C++ variables a, b, c, m, n, k, am, bm, cm, alpha, beta."""

    def __init__(self, call: Call, left: str, right: str, helpers: Helpers) -> None:
        self.call, self.helpers = call, helpers
        self.tensors = {left: "a", right: "b", "out": "c"}
        self.checks: list[tuple[str, str]] = []
        roles = {a.role for a in call.arguments}
        held = {a.role for a in call.arguments if a.role in self.tensors and a.value.startswith("&")}
        for tensor in (left, right):
            v = self.tensors[tensor]
            if f"trans.{tensor}" not in roles and tensor not in held:
                self._check(f"{v}m.transposed", "the vendor's function takes no transposed operand")
        views = {a.role for a in call.arguments if a.role in self.tensors and a.value}
        for tensor in (left, right, "out"):
            v = self.tensors[tensor]
            if f"ld.{tensor}" not in roles | {f"ld.{view}" for view in views}:
                dense = (
                    f"({v}m.transposed ? {v}.sizes[0] : {v}.sizes[1])"
                    if f"trans.{tensor}" in roles
                    else f"{v}.sizes[1]"
                )
                self._check(f"{v}m.leading_dimension != {dense}", "the vendor's function takes dense rows only")
        if "gemm_alpha" not in roles:
            self._check("alpha != 1", "the vendor's function has no alpha")
        if "gemm_beta" not in roles:
            self._check("beta != 0", "the vendor's function has no beta")

    def _check(self, condition: str, why: str) -> None:
        if (condition, why) not in self.checks:
            self.checks.append((condition, why))

    def _fits(self, ctype: str, expression: str) -> None:
        if not cxx.is_wide(ctype):
            self._check(f"!torchfl::fits<{cxx.bare(ctype)}>({expression})", f"an extent beyond {cxx.bare(ctype)}")

    def arguments(self) -> tuple[list[str], list[str]]:
        before: list[str] = list(self.call.setup)
        return before, [self._argument(a, before) for a in self.call.arguments]

    def _argument(self, a: Argument, before: list[str]) -> str:
        role, _, tensor = a.role.partition(".")
        if a.role in self.tensors and a.buffer:
            if f"offset.{a.role}" not in {b.role for b in self.call.arguments}:
                self._check(f"{self.tensors[a.role]}.byte_offset != 0", "the vendor's function takes whole buffers")
            return buffer(a, self.tensors[a.role])
        if role == "offset" and tensor in self.tensors:
            return offset(a, self.tensors[tensor])
        if a.role == "batch" or (role == "stride" and tensor in self.tensors):
            expression = "batch" if a.role == "batch" else f"{self.tensors[tensor]}_step"
            self._fits(a.ctype, expression)
            return cxx.integer(a.ctype, expression)
        if a.role in self.tensors:
            if a.fields is not None or not (a.address or cxx.is_pointer(a.ctype)):
                raise NotGenerated(f"argument {a.name!r} is a matrix but no pointer")
            return self._view(a) if a.value else memory(a, self.tensors[a.role])
        if a.role in ("m", "n", "k"):
            self._fits(a.ctype, a.role)
            return cxx.integer(a.ctype, a.role)
        if role == "ld" and tensor in self.tensors:
            expression = f"{self.tensors[tensor]}m.leading_dimension"
            self._fits(a.ctype, expression)
            return cxx.integer(a.ctype, expression)
        if role == "trans" and tensor in self.tensors:
            values = dict(a.values)
            if tensor == "out" or not {"n", "t"} <= set(values):
                raise NotGenerated(f"the transpose flag {a.name!r} has no constants for yes and no")
            return f"{self.tensors[tensor]}m.transposed ? {values['t']} : {values['n']}"
        if role == "order":
            if "row" not in dict(a.values):
                raise NotGenerated(f"the order {a.name!r} has no constant for row-major")
            return dict(a.values)["row"]
        if role in ("gemm_alpha", "gemm_beta"):
            return self._scalar(a, role.removeprefix("gemm_"), before)
        if role == "dtype":
            before += dtype_variable(self.helpers, a, "c")
            return "dtype"
        if role == "constant":
            return a.value
        if role == "stream":
            return stream(a)
        raise NotGenerated(
            f"argument {a.name!r} of {self.call.function} has the role {a.role!r}, which a product cannot fill"
        )

    def _view(self, a: Argument) -> str:
        """A struct that says itself where its matrix lies and how large it is; ``value`` names what fills one, or is
        the address of one that the call's setup has filled."""
        if a.value.startswith("&"):
            return a.value
        v = self.tensors[a.role]
        rows, columns = (f"{v}.sizes[{v}m.transposed ? {i} : {1 - i}]" for i in (1, 0))
        filled = f"{a.value}(torchfl::data({v}), {rows}, {columns}, {v}m.leading_dimension)"
        return f"torchfl::ByAddress<{cxx.bare(cxx.pointee(a.ctype))}>{{{filled}}}"

    def _scalar(self, a: Argument, name: str, before: list[str]) -> str:
        ctype = cxx.bare(cxx.pointee(a.ctype)) if cxx.is_pointer(a.ctype) else cxx.bare(a.ctype)
        if a.value.startswith("&"):
            return a.value
        if a.value == "bits":
            value = f"torchfl::half_bits({name})"
        elif not cxx.is_float(ctype):
            raise NotGenerated(f"{a.name!r} of {self.call.function} is a {ctype}, which a double does not convert to")
        else:
            value = name if ctype == "double" else f"static_cast<{ctype}>({name})"
        if not cxx.is_pointer(a.ctype):
            return value
        before.append(f"const {ctype} vendor_{name} = {value};")
        return f"&vendor_{name}"
