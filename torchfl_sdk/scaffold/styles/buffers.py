"""Kernels over opaque buffers: a tensor is an object and an offset into it, and a call goes through a queue.

Products (with strides, in one call for a batch) and elementwise ops; the BLAS's other functions are :mod:`blas`'s.
What the C types cannot say here, the element type, stands in the function's name, so entries wait for the probe.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from torchfl import catalogue
from torchfl.catalogue import OpSpec
from torchfl_sdk.header.model import Function, Param
from torchfl_sdk.match.matcher import header_prefixes
from torchfl_sdk.match.model import Argument, Binding, Call, OpMatch, Source
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.gemm import OPERANDS, Product, plan_gemm
from torchfl_sdk.scaffold.includes import other_includes
from torchfl_sdk.scaffold.kernel_plan import Helpers, NotGenerated, function_name, plan_call
from torchfl_sdk.scaffold.object_calls import object_name
from torchfl_sdk.scaffold.objects import Objects
from torchfl_sdk.scaffold.styles.ground import Extra, Ground, Lacking
from torchfl_sdk.scaffold.styles.wide import (
    CLEARED,
    TENSORS,
    argument,
    flag_values,
    impl_name,
    in_bytes,
    paired,
    queue_argument,
    scalar_dtype_fits,
)

#: aten op of a match -> the catalogue's ops that the function can serve
_PRODUCTS = {"aten::addmm": ("aten::mm", "aten::addmm"), "aten::baddbmm": ("aten::bmm",)}
_AS_IT_IS = ("m", "n", "k", "numel", "batch")
_ELEMENTWISE = ("same", "broadcast")  # shape rules
_OF_TENSOR = ("ld", "inc", "trans", "stride", "offset")


def plan(ground: Ground) -> Iterator[Extra | Lacking]:
    """Kernels for products and elementwise ops on buffer objects."""
    objects = ground.device.objects
    if objects is None:
        yield from _without_runtime(ground)
        return
    families: dict[str, dict[str, Call]] = defaultdict(dict)
    matches: dict[str, OpMatch] = {}
    for found, function in ground.open_matches("buffer", "tensor"):
        for op in _ops(found):
            if op.name in ground.served:
                continue
            try:
                call = _Translation(ground, objects, op, found, function).call()
            except NotGenerated as e:
                yield Lacking(found, str(e))
                continue
            families[op.name].setdefault(found.dtype, call)
            matches.setdefault(op.name, found)
    prefixes = header_prefixes(ground.model)
    products: dict[tuple[str, ...], Product] = {(p.name,): p for p in ground.products}
    for name, by_dtype in families.items():
        found = matches[name]
        calls = tuple(by_dtype[d] for d in sorted(by_dtype))
        made = _kernel(ground, name, calls, found, products, impl_name(found.function, name, prefixes))
        yield made
        alone = name == "aten::mm" and not {"aten::bmm"} & (ground.served | families.keys())
        if alone and isinstance(made, Extra):
            yield _one_by_one(made, impl_name(found.function, "aten::bmm", prefixes))


def _without_runtime(ground: Ground) -> Iterator[Lacking]:
    """Matches on buffer objects that no function of the given headers makes."""
    for found, function in ground.open_matches("buffer"):
        tensors = {p.name: object_name(p.type) for p in function.params}
        kinds = [tensors[name] for name, role in found.arguments if role in TENSORS and tensors.get(name)]
        if not kinds:
            continue
        others = other_includes(ground.model)
        where = f"; the ones given include {', '.join(others)}" if others else ""
        why = f"no function of the given headers makes a {kinds[0]} and moves bytes in and out of it"
        yield Lacking(found, why, f"{why}: pass the header of the runtime that does, with a --header of its own{where}")


def _ops(found: OpMatch) -> list[OpSpec]:
    """The catalogue's ops that a match may serve."""
    names = _PRODUCTS.get(found.aten)
    if names is not None:
        return [op for op in map(catalogue.get, names) if op is not None]
    return [
        op for op in catalogue.OPS if op.overload in (found.aten, *found.alternatives) and op.shape_rule in _ELEMENTWISE
    ]


def _kernel(
    ground: Ground,
    name: str,
    calls: tuple[Call, ...],
    found: OpMatch,
    products: dict[tuple[str, ...], Product],
    impl: str,
) -> Extra | Lacking:
    op = catalogue.get(name)
    assert op is not None
    binding = Binding(
        op=name,
        impl=impl,
        style="buffer",
        calls=calls,
        evidence=found.evidence,
        confidence=found.confidence,
        layout="matrix" if name in ("aten::mm", "aten::addmm") else "contiguous",
    )
    known = set(products)
    try:
        if name in OPERANDS:
            kernel = plan_gemm(binding, ground.match.status, Helpers(), products, _place)
        else:
            kernel = plan_call(binding, op, ground.match.status, Helpers(), _place)
    except NotGenerated as e:
        return Lacking(found, str(e))
    evidence = (*found.evidence, "tensors are buffer objects with offsets", *(_place(c) for c in calls))
    return Extra(
        kernel,
        tuple(dict.fromkeys(d for c in calls for d in c.dtypes)),
        evidence,
        binding.layout,
        proved=False,
        products=tuple(p for key, p in products.items() if key not in known),
    )


def _one_by_one(mm: Extra, impl: str) -> Extra:
    """``aten::bmm`` as one matrix product per batch entry, for a vendor of single products."""
    kernel = replace(
        mm.kernel, impl=impl, op="aten::bmm", function=function_name(impl), template="bmm", flags=(), adds=False
    )
    evidence = ("one matrix product for each batch entry", *mm.evidence)
    return replace(mm, kernel=kernel, evidence=evidence, layout="contiguous", products=())


def _place(call: Call) -> str:
    return f"{call.function}, {call.source.file}:{call.source.line}"


class _Translation:
    """One match as a call over the catalogue's roles."""

    def __init__(self, ground: Ground, objects: Objects, op: OpSpec, found: OpMatch, function: Function) -> None:
        self.ground, self.objects, self.op, self.found, self.function = ground, objects, op, found, function
        first = OPERANDS.get(op.name) or (*op.inputs, *op.inputs)[:2]
        self.tensors = {"input": first[0], "input2": first[1], "output": "out", "inout": "out"}
        self.setup: list[str] = []

    def call(self) -> Call:
        """The call; raises NotGenerated where an argument has no place in it."""
        found, function = self.found, self.function
        if found.dtype not in cxx.TFL_DTYPES:
            raise NotGenerated(f"the name of {function.name} does not say its element type")
        arguments = tuple(self._argument(i, p, role) for i, (p, role) in enumerate(paired(found, function)))
        taken = [a.role for a in arguments]
        if self.op.name not in OPERANDS and "inout" in dict(found.arguments).values():
            raise NotGenerated("it overwrites an operand")
        if len(taken) != len(set(taken) - {"constant"}) + taken.count("constant"):
            raise NotGenerated("two of its arguments mean the same")
        source = Source(self.ground.model.short(function.place.file), function.place.line)
        returns = "void" if function.result.kind == "void" else "status"
        return Call(function.name, arguments, (found.dtype,), False, source, returns, tuple(self.setup))

    def _argument(self, index: int, param: Param, role: str) -> Argument:
        head, _, tensor = role.partition(".")
        if role in self.tensors:
            if object_name(param.type) != self.objects.buffer:
                raise NotGenerated(f"{param.name!r} is a {param.type.spelled}, not a {self.objects.buffer}")
            return argument(param, self.tensors[role], index, buffer=True)
        if role == "order" or head == "trans":
            values = flag_values(self.ground.model, param, head)
            return argument(param, f"trans.{self.tensors[tensor]}" if tensor else "order", index, values=values)
        if head in _OF_TENSOR and tensor in self.tensors:
            unit = "bytes" if head == "offset" and in_bytes(param) else ""
            return argument(param, f"{head}.{self.tensors[tensor]}", index, value=unit)
        if role in _AS_IT_IS:
            return argument(param, role, index)
        if role in ("alpha", "beta"):
            return self._factor(index, param, role)
        if role in ("stream", "queue"):
            lines, value = queue_argument(param, self.objects)
            self.setup += lines
            return argument(param, "constant", index, value=value)
        if role == "event":
            return argument(param, "constant", index, value="nullptr")
        raise NotGenerated(f"nothing fills its argument {param.name!r} ({role})")

    def _factor(self, index: int, param: Param, role: str) -> Argument:
        """The factors of a blend: a product's own, else 1 for the result and 0 for what was there before."""
        if not scalar_dtype_fits(param, self.found.dtype):
            raise NotGenerated(f"{param.name!r} is a {param.type.spelled}, which a double does not convert to")
        if self.op.name in OPERANDS:
            return argument(param, f"gemm_{role}", index)
        if role == "beta":
            self.setup.append(CLEARED)
        return argument(param, "constant", index, value="1" if role == "alpha" else "0")
