"""Matrix products from a match's wide roles: what buffer objects and handles have in common."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from torchfl import catalogue
from torchfl_sdk.header.model import Function, Param
from torchfl_sdk.match.matcher import header_prefixes
from torchfl_sdk.match.model import Argument, Binding, Call, OpMatch, Source
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.call_plan import plan_call
from torchfl_sdk.scaffold.gemm import OPERANDS, Product, plan_gemm
from torchfl_sdk.scaffold.kernel_plan import Helpers, NotGenerated, function_name
from torchfl_sdk.scaffold.styles.ground import Extra, Ground, Lacking
from torchfl_sdk.scaffold.styles.wide import CLEARED, argument, flag_values, impl_name, in_bytes, paired

#: aten op of a match -> the catalogue's ops that a function with strides and factors can serve
PRODUCTS: Mapping[str, tuple[str, ...]] = {
    "aten::addmm": ("aten::mm", "aten::addmm"),
    "aten::baddbmm": ("aten::bmm", "aten::baddbmm"),
}
_AS_IT_IS = ("m", "n", "k", "numel", "batch")
_OF_TENSOR = ("ld", "inc", "trans", "stride", "offset")


class Translation:
    """One match as a call over the catalogue's roles; ``dtype``: the one element type of the function."""

    style = ""

    def __init__(self, ground: Ground, found: OpMatch, function: Function, op: str) -> None:
        spec = catalogue.get(op)
        assert spec is not None
        self.ground, self.op, self.found, self.function = ground, spec, found, function
        first = OPERANDS.get(op) or (*spec.inputs, *spec.inputs)[:2]
        self.tensors = {"input": first[0], "input2": first[1], "output": "out", "inout": "out"}
        self.extents = {name: name for name in _AS_IT_IS}
        self.dtype = found.dtype
        self.setup: list[str] = []
        self.support: list[str] = []
        self.helpers: list[str] = []
        self.evidence: tuple[str, ...] = ()

    def call(self) -> Call:
        """The call; raises NotGenerated where an argument has no place in it."""
        found, function = self.found, self.function
        if self.dtype not in cxx.TFL_DTYPES:
            raise NotGenerated(f"neither name nor types of {function.name} say its element type")
        if function.inline or function.linkage != "c":
            raise NotGenerated("no symbol of the library can be looked up for it")
        arguments = tuple(self._argument(i, p, role) for i, (p, role) in enumerate(paired(found, function)))
        taken = [a.role for a in arguments]
        if self.op.name not in OPERANDS and "inout" in dict(found.arguments).values():
            raise NotGenerated("it overwrites an operand")
        if len(taken) != len(set(taken) - {"constant"}) + taken.count("constant"):
            raise NotGenerated("two of its arguments mean the same")
        source = Source(self.ground.model.short(function.place.file), function.place.line)
        returns = "void" if function.result.kind == "void" else "status"
        return Call(function.name, arguments, (self.dtype,), False, source, returns, tuple(self.setup))

    def tensor(self, index: int, param: Param, role: str) -> Argument:
        """The argument that carries a tensor."""
        raise NotImplementedError

    def other(self, index: int, param: Param, role: str) -> Argument:
        """An argument that no product has by itself."""
        raise NotGenerated(f"nothing fills its argument {param.name!r} ({role})")

    def _argument(self, index: int, param: Param, role: str) -> Argument:
        head, _, tensor = role.partition(".")
        if role in self.tensors:
            return self.tensor(index, param, role)
        if role == "order" or head == "trans":
            values = flag_values(self.ground.model, param, head)
            return argument(param, f"trans.{self.tensors[tensor]}" if tensor else "order", index, values=values)
        if head in _OF_TENSOR and tensor in self.tensors:
            unit = "bytes" if head == "offset" and in_bytes(param) else ""
            return argument(param, f"{head}.{self.tensors[tensor]}", index, value=unit)
        if role in self.extents:
            return argument(param, self.extents[role], index)
        if role in ("alpha", "beta"):
            return self._factor(index, param, role)
        return self.other(index, param, role)

    def _factor(self, index: int, param: Param, role: str) -> Argument:
        """The factors of a blend: a product's own, else 1 for the result and 0 for what was there before."""
        if self.op.name in OPERANDS:
            return argument(param, f"gemm_{role}", index, value="bits" if self.is_half else "")
        if role == "beta":
            self.setup.append(CLEARED)
        value = "1" if role == "alpha" else "0"
        return argument(param, "constant", index, value=f"torchfl::half_bits({value})" if self.is_half else value)

    @property
    def is_half(self) -> bool:
        return self.dtype == "float16"


Translate = Callable[[OpMatch, Function, str], Translation]


def plan_products(
    ground: Ground,
    matches: Iterable[tuple[OpMatch, Function]],
    translate: Translate,
    ops: Mapping[str, tuple[str, ...]] | Callable[[OpMatch], Iterable[str]],
) -> Iterator[Extra | Lacking]:
    """A kernel for each op of ``ops`` over the matches that serve it, one function per dtype, the first of each."""
    families: dict[str, dict[str, tuple[Call, Translation]]] = defaultdict(dict)
    for found, function in matches:
        for name in ops(found) if callable(ops) else ops.get(found.aten, ()):
            if name in ground.served:
                continue
            translation = translate(found, function, name)
            try:
                call = translation.call()
            except NotGenerated as e:
                yield Lacking(found, str(e))
                continue
            families[name].setdefault(translation.dtype, (call, translation))
    prefixes = header_prefixes(ground.model)
    products: dict[tuple[str, ...], Product] = {(p.name,): p for p in ground.products}
    for name, by_dtype in families.items():
        chosen = [by_dtype[d] for d in sorted(by_dtype)]
        first = chosen[0][1].found
        made = _kernel(ground, name, chosen, products, impl_name(first.function, name, prefixes))
        yield made
        alone = name == "aten::mm" and not {"aten::bmm"} & (ground.served | families.keys())
        if alone and isinstance(made, Extra):
            yield one_by_one(made, impl_name(first.function, "aten::bmm", prefixes))


def _kernel(
    ground: Ground,
    name: str,
    chosen: list[tuple[Call, Translation]],
    products: dict[tuple[str, ...], Product],
    impl: str,
) -> Extra | Lacking:
    op = catalogue.get(name)
    assert op is not None
    calls, translations = tuple(c for c, _ in chosen), [t for _, t in chosen]
    found = translations[0].found
    binding = Binding(
        op=name,
        impl=impl,
        style=translations[0].style,
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
    support = tuple(dict.fromkeys(s for t in translations for s in t.support))
    return Extra(
        replace(kernel, support=(*kernel.support, *support)),
        tuple(dict.fromkeys(d for c in calls for d in c.dtypes)),
        (*found.evidence, *translations[0].evidence, *(_place(c) for c in calls)),
        binding.layout,
        proved=False,
        products=tuple(p for key, p in products.items() if key not in known),
        helpers=tuple(dict.fromkeys(h for t in translations for h in t.helpers)),
        matches=tuple(t.found for t in translations),
    )


def one_by_one(mm: Extra, impl: str) -> Extra:
    """``aten::bmm`` as one matrix product per batch entry, for a vendor of single products."""
    kernel = replace(
        mm.kernel, impl=impl, op="aten::bmm", function=function_name(impl), template="bmm", flags=(), adds=False
    )
    evidence = ("one matrix product for each batch entry", *mm.evidence)
    return replace(mm, kernel=kernel, evidence=evidence, layout="contiguous", products=())


def _place(call: Call) -> str:
    return f"{call.function}, {call.source.file}:{call.source.line}"
