"""Kernels over the rest of a BLAS: ``dot`` (the result is a C return value), ``mv`` and ``addmv`` by gemv, ``addr`` by
ger, ``add`` by axpy, ``bmm`` by gemm.

They are made from the matcher's matches, for ops that no binding serves yet, and only from typed pointers: then the
signature proves the dtypes, and nothing has to be asked. Enum constants for order and transposition are those that the
header's matrix product has been matched with.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from torchfl_sdk.header.model import CType, Function, Param
from torchfl_sdk.match.elements import element_dtype
from torchfl_sdk.match.matcher import header_prefixes
from torchfl_sdk.match.model import Binding, OpMatch, Source, StatusType
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.gemm import Product
from torchfl_sdk.scaffold.kernel_plan import Case, Kernel, NotGenerated, buffer, function_name, offset
from torchfl_sdk.scaffold.object_calls import object_name
from torchfl_sdk.scaffold.objects import Objects
from torchfl_sdk.scaffold.styles.ground import Extra, Ground
from torchfl_sdk.scaffold.styles.wide import (
    CLEARED,
    argument,
    flag_values,
    impl_name,
    in_bytes,
    paired,
    queue_argument,
    scalar_dtype_fits,
)

#: (aten op of a match, catalogue op that it serves, the tensors that a call must take)
_SERVES = (
    ("aten::dot", "aten::dot", {"input": "self", "input2": "tensor"}),  # and "output": "out" where it is an argument
    ("aten::addmv", "aten::mv", {"input": "self", "input2": "vec", "inout": "out"}),
    ("aten::addmv", "aten::addmv", {"input": "mat", "input2": "vec", "inout": "out"}),
    ("aten::addr", "aten::addr", {"input": "vec1", "input2": "vec2", "inout": "out"}),
    ("aten::add_.Tensor", "aten::add", {"input": "other", "inout": "out"}),
)

#: Ops whose result begins as a copy of ``self``, to which the vendor's function adds.
_ADDS = ("aten::add", "aten::addmv", "aten::addr")


@dataclass(frozen=True)
class _Typed:
    """One function for one dtype."""

    match: OpMatch
    function: Function
    dtype: str


def plan(ground: Ground) -> Iterator[Extra]:
    """Kernels for the BLAS functions that the matcher's bindings leave over, and ``bmm`` over the products."""
    families: dict[str, dict[str, _Typed]] = defaultdict(dict)
    for found, function in ground.open_matches("blas", "buffer"):
        if any(found.aten == aten for aten, _, _ in _SERVES):
            typed = _typed(found, function, ground.device.objects)
            if typed is not None:
                families[found.aten].setdefault(typed.dtype, typed)
    writer = _Writer(ground)
    for aten, op, tensors in _SERVES:
        by_dtype = families.get(aten)
        if not by_dtype or op in ground.served or (op in _ADDS and not ground.copies):
            continue
        calls = [by_dtype[d] for d in sorted(by_dtype)]
        try:
            yield writer.extra(op, tensors, calls)
        except NotGenerated:
            continue  # the match stays what it was, with the matcher's reason
    yield from _batched(ground.bindings, ground.products, ground.served)


def _typed(match: OpMatch, function: Function, objects: Objects | None) -> _Typed | None:
    """The function with the one real dtype of its pointers and scalars; None where there is none, or several."""
    if function.inline or function.linkage != "c":
        return None
    roles = dict(match.arguments)
    if match.style == "buffer":
        known = objects is not None and match.dtype in ("float32", "float64")
        scalars = [p for p in function.params if roles.get(p.name) in ("alpha", "beta")]
        fits = known and all(scalar_dtype_fits(p, match.dtype) for p in scalars)
        return _Typed(match, function, match.dtype) if fits else None
    types = [p.type for p in function.params if roles.get(p.name) in ("input", "input2", "inout", "output")]
    types = [t.pointee for t in types if t.pointee is not None]
    types += [p.type for p in function.params if roles.get(p.name) in ("alpha", "beta")]
    if "inout" not in roles.values() and "output" not in roles.values():
        types.append(function.result)  # the result is returned
    dtypes = {element_dtype(t) for t in types}
    dtype = dtypes.pop() if len(dtypes) == 1 else None
    return _Typed(match, function, dtype) if dtype in ("float32", "float64") else None


class _Writer:
    """Writes kernels whose arguments come from wide roles."""

    def __init__(self, ground: Ground) -> None:
        self.model, self.status = ground.model, ground.match.status
        self.host, self.objects = ground.device.host_memory, ground.device.objects
        self.prefixes = header_prefixes(ground.model)
        #: C type of an order or transpose argument -> its constants, as the matrix product has them
        self.flags = {
            cxx.bare(a.ctype): dict(a.values)
            for b in ground.bindings
            for c in b.calls
            for a in c.arguments
            if a.role == "order" or a.role.startswith("trans.")
        }

    def extra(self, op: str, tensors: dict[str, str], calls: list[_Typed]) -> Extra:
        lines: list[str] = []
        cases = []
        for call in calls:
            arguments = self._arguments(op, tensors, call, lines)
            cases.append(Case(f"case {cxx.TFL_DTYPES[call.dtype]}: {{", (), self._statement(op, call, arguments)))
        head = _HEADS[op]
        functions = tuple(c.function.name for c in calls)
        impl = impl_name(functions[0], op, self.prefixes)
        source = [Source(self.model.short(c.function.place.file), c.function.place.line) for c in calls]
        places = tuple(f"{f}, {s.file}:{s.line}" for f, s in zip(functions, source, strict=True))
        kernel = Kernel(
            impl=impl,
            op=op,
            function=function_name(impl),
            template="body",
            sources=places,
            symbols=functions,
            flags=("TFL_KERNEL_MATRIX",) if op in _WITH_MATRIX else (),
            inputs=tuple((name, i) for i, name in enumerate(_INPUTS[op])),
            before=(*head, *dict.fromkeys(lines), *(_COPY_SELF if op in _ADDS else ())),
            cases=tuple(cases),
        )
        evidence = tuple(dict.fromkeys([*(e for c in calls for e in c.match.evidence), *places]))
        dtypes = tuple(c.dtype for c in calls)
        proved = not any(c.match.style == "buffer" for c in calls)  # a buffer has no element type
        layout = "matrix" if op in _WITH_MATRIX else "contiguous"
        return Extra(kernel, dtypes, evidence, layout, proved, _CONSTRAINTS.get(op, ()))

    def _statement(self, op: str, call: _Typed, arguments: list[str]) -> str:
        head, c = f"vendor::{call.function.name}", "float" if call.dtype == "float32" else "double"
        if op == "aten::dot" and "output" not in dict(call.match.arguments).values():
            if self.host:
                return cxx.call(f"*torchfl::data<{c}>(out) = {head}", arguments, ";\n      return TFL_OK;\n    }", 6)
            copy = "device::api.copy_h2d(call->device, out.handle, out.byte_offset, &value, sizeof value, call->stream)"
            text = cxx.call(f"const {c} value = {head}", arguments, ";", 6)
            return f"{text}\n      return {copy};\n    }}"
        if call.function.result.kind == "void":
            return cxx.call(head, arguments, ";\n      return TFL_OK;\n    }", 6)
        if not _is_status(call.function.result, self.status):
            raise NotGenerated(f"{call.function.name} returns {call.function.result.spelled}")
        return cxx.call(f"return status({head}", arguments, ");\n    }", 6)

    def _arguments(self, op: str, tensors: dict[str, str], call: _Typed, lines: list[str]) -> list[str]:
        pairs = paired(call.match, call.function)
        roles = {role for _, role in pairs}
        if set(tensors) - roles:
            raise NotGenerated(f"{call.function.name} lacks an argument")
        if op in ("aten::mv", "aten::addmv", "aten::addr") and "order" not in roles:
            raise NotGenerated(f"{call.function.name} does not say whether its matrix is row- or column-major")
        if "output" in roles:
            tensors = {**tensors, "output": "out"}
        if self.objects is not None:
            whole = [name for role, name in tensors.items() if role in roles and f"offset.{role}" not in roles]
            why = cxx.string("the vendor's function takes whole buffers")
            lines += [CLEARED] if op == "aten::mv" and "beta" in roles else []
            lines += [f"if ({name}.byte_offset != 0) return torchfl::unsupported({why});" for name in whole]
        return [self._argument(op, tensors, role, p, lines) for p, role in pairs]

    def _argument(self, op: str, tensors: dict[str, str], role: str, param: Param, lines: list[str]) -> str:
        ctype = param.type.spelled
        head, _, tensor = role.partition(".")
        if role in tensors:
            return self._tensor(tensors[role], role, param)
        if head == "offset" and tensor in tensors:
            return offset(argument(param, role, 0, value="bytes" if in_bytes(param) else ""), tensors[tensor])
        if role in ("stream", "queue") and self.objects is not None:
            setup, value = queue_argument(param, self.objects)
            lines += setup
            return value
        if role == "event":
            return "nullptr"
        if role == "order":
            return self._flag(param, "order", "row")
        if role == "trans.input":
            return f"am.transposed ? {self._flag(param, 'trans', 't')} : {self._flag(param, 'trans', 'n')}"
        if role.startswith("inc."):
            return "1"
        extent = _EXTENTS[op].get(role)
        if extent is not None:
            if not cxx.is_wide(ctype):
                why = cxx.string(f"an extent beyond {cxx.bare(ctype)}")
                lines.append(f"if (!torchfl::fits<{cxx.bare(ctype)}>({extent})) return torchfl::unsupported({why});")
            return cxx.integer(ctype, extent)
        scalar = _SCALARS[op].get(role)
        if scalar is not None and not cxx.is_pointer(ctype):
            return scalar if scalar.isdigit() else f"static_cast<{cxx.bare(ctype)}>({scalar})"
        raise NotGenerated(f"an argument of the role {role!r}, which nothing fills")

    def _tensor(self, name: str, role: str, param: Param) -> str:
        if self.objects is None:
            return cxx.data(name, param.type.spelled)
        if object_name(param.type) != self.objects.buffer:
            raise NotGenerated(f"{param.name!r} is a {param.type.spelled}, not a {self.objects.buffer}")
        return buffer(argument(param, role, 0), name)

    def _flag(self, param: Param, role: str, key: str) -> str:
        ctype = param.type.spelled
        value = (self.flags.get(cxx.bare(ctype)) or dict(flag_values(self.model, param, role))).get(key)
        if value is None:
            raise NotGenerated(f"{ctype} has no constant for {key!r}")
        return value


#: Ops with a matrix operand, which may lie row- or column-major with space between its rows.
_WITH_MATRIX = {"aten::mv": "self", "aten::addmv": "mat"}

_INPUTS = {
    "aten::dot": ("self", "tensor"),
    "aten::mv": ("self", "vec"),
    "aten::addmv": ("self", "mat", "vec"),
    "aten::addr": ("self", "vec1", "vec2"),
    "aten::add": ("self", "other"),
}
_OF_MATRIX = {"m": "rows", "n": "columns", "ld.input": "am.leading_dimension"}
_EXTENTS = {
    "aten::dot": {"numel": "self.numel"},
    "aten::mv": _OF_MATRIX,
    "aten::addmv": _OF_MATRIX,
    "aten::addr": {"m": "vec1.numel", "n": "vec2.numel", "ld.inout": "vec2.numel"},
    "aten::add": {"numel": "out.numel"},
}
_BETA, _ALPHA = "torchfl::number(call->attrs[0], 1)", "torchfl::number(call->attrs[1], 1)"
_SCALARS: dict[str, dict[str, str]] = {
    "aten::dot": {},
    "aten::mv": {"alpha": "1", "beta": "0"},
    "aten::addmv": {"alpha": _ALPHA, "beta": _BETA},
    "aten::addr": {"alpha": _ALPHA},
    "aten::add": {"alpha": "torchfl::number(call->attrs[0], 1)"},
}
#: What the function cannot do by itself: a rank-1 update takes the matrix as it is.
_CONSTRAINTS: dict[str, tuple[tuple[str, tuple[int | float | str, ...]], ...]] = {"aten::addr": (("beta", (1,)),)}


def _matrix_head(name: str) -> tuple[str, ...]:
    return (
        f'if ({name}.rank != 2 || {name}.sizes[1] == 0) return torchfl::unsupported("an empty sum");',
        "torchfl::Matrix am;",
        f'if (!torchfl::as_matrix({name}, &am)) return torchfl::unsupported("a matrix without unit stride");',
        f"const int64_t rows = {name}.sizes[am.transposed ? 1 : 0], columns = {name}.sizes[am.transposed ? 0 : 1];",
    )


_HEADS: dict[str, tuple[str, ...]] = {
    "aten::dot": (),
    "aten::mv": _matrix_head("self"),
    "aten::addmv": _matrix_head("mat"),
    "aten::addr": (f'if ({_BETA} != 1) return torchfl::unsupported("the vendor adds to the matrix as it is");',),
    "aten::add": (
        "// With a factor of 0 a BLAS may leave the result alone, where 0 * inf has to become NaN.",
        'if (torchfl::number(call->attrs[0], 1) == 0) return torchfl::unsupported("alpha is 0");',
    ),
}
_COPY_SELF = (
    "// The vendor adds to what the result already holds, so self goes there first.",
    "const uint64_t bytes = static_cast<uint64_t>(out.numel) * torchfl::element_size(out.dtype);",
    "const tfl_status copied = device::copy_d2d(call->device, out.handle, out.byte_offset, self.handle,",
    "                                           self.byte_offset, bytes, call->stream);",
    "if (copied != TFL_OK) return copied;",
)


def _is_status(result: CType, status: StatusType) -> bool:
    return bool(status.ctype) and (status.ctype in result.aliases or status.ctype == result.canonical)


def _batched(bindings: Sequence[Binding], products: Sequence[Product], served: frozenset[str]) -> list[Extra]:
    """``aten::bmm`` as one matrix product per batch entry, where the vendor has products only."""
    mm = next((b for b in bindings if b.op == "aten::mm"), None)
    if mm is None or "aten::bmm" in served:
        return []
    functions = tuple(c.function for c in mm.calls)
    product = next((p for p in products if all(any(f in s for s in p.sources) for f in functions)), None)
    if product is None:
        return []
    impl = f"{mm.impl.removesuffix('_mm')}_bmm"
    kernel = Kernel(
        impl=impl,
        op="aten::bmm",
        function=function_name(impl),
        template="bmm",
        sources=product.sources,
        symbols=functions,
        flags=(),
        product=product.name,
    )
    dtypes = tuple(dict.fromkeys(d for c in mm.calls for d in c.dtypes))
    proved = all(c.dtypes_proved for c in mm.calls)
    return [Extra(kernel, dtypes, ("one matrix product for each batch entry", *mm.evidence), proved=proved)]
