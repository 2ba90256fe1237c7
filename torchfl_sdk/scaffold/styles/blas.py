"""Kernels over the rest of a BLAS: vectors, matrices times vectors, numbers that functions return, ``bmm`` by gemm.

They are made from the matcher's matches, for ops that no binding serves yet; :mod:`blas_forms` says which ops. Typed
pointers prove the dtypes; a buffer object has none, and a function without an order argument is taken for
column-major, as the reference BLAS is: such entries wait for the probe. Enum constants for order and transposition are
those that the header's matrix product has been matched with.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from torchfl_sdk.header.model import Function
from torchfl_sdk.match.matcher import header_prefixes
from torchfl_sdk.match.model import Binding, OpMatch
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.gemm import Product
from torchfl_sdk.scaffold.kernel_plan import Case, Kernel, NotGenerated, function_name
from torchfl_sdk.scaffold.styles.blas_arguments import Arguments, loops
from torchfl_sdk.scaffold.styles.blas_forms import FORMS, NEVER, Form
from torchfl_sdk.scaffold.styles.filled import Filled, filled_of
from torchfl_sdk.scaffold.styles.ground import Extra, Ground, Lacking
from torchfl_sdk.scaffold.styles.handles import Handles
from torchfl_sdk.scaffold.styles.views import View, view_of
from torchfl_sdk.scaffold.styles.wide import (
    TENSORS,
    c_number,
    impl_name,
    letter_dtype,
    paired,
    pointer_dtype,
    scalar_dtype_fits,
)

_DTYPES = ("float16", "float32", "float64")
_COPY_SELF = (
    "// The vendor changes what the result already holds, so self goes there first.",
    "const uint64_t bytes = static_cast<uint64_t>(out.numel) * torchfl::element_size(out.dtype);",
    "const tfl_status copied = device::copy_d2d(call->device, out.handle, out.byte_offset, self.handle,",
    "                                           self.byte_offset, bytes, call->stream);",
    "if (copied != TFL_OK) return copied;",
)
_COPY_SELF_UNLESS_IT_IS_THE_RESULT = (
    "if (!torchfl::same_memory(self, out)) {",
    *(f"  {line}" for line in _COPY_SELF),
    "}",
)
#: A kernel for a part of an op leaves it to a vendor's function for the whole.
_IN_PART = ("aten::mul", "aten::permute_copy")


@dataclass(frozen=True)
class _Typed:
    """One function for one dtype."""

    match: OpMatch
    function: Function
    dtype: str

    @property
    def roles(self) -> set[str]:
        return {role for _, role in self.match.arguments}


#: aten op of a match -> dtype -> functions
Families = dict[str, dict[str, list[_Typed]]]


def plan(ground: Ground) -> Iterator[Extra | Lacking]:
    """Kernels for the BLAS functions that the matcher's bindings leave over, and ``bmm`` over the products."""
    for found, _ in _of_blas(ground, Handles(ground)):
        if found.aten in NEVER:
            yield Lacking(found, NEVER[found.aten], final=True)
    yield from _forms(ground, [form for form in FORMS if form.op not in _IN_PART])
    yield from _batched(ground.bindings, ground.products, ground.served)


def plan_parts(ground: Ground) -> Iterator[Extra | Lacking]:
    """Kernels that serve a part of an op's calls, for ops that no other style serves."""
    yield from _forms(ground, [form for form in FORMS if form.op in _IN_PART])


def _of_blas(ground: Ground, handles: Handles) -> Iterator[tuple[OpMatch, Function]]:
    """The matches over vectors with steps, matrices with an order, or objects that stand for them."""
    for found, function in ground.open_matches("blas", "buffer", "handle", "pointer", "tensor"):
        stepped = any(role.startswith("inc.") or role == "order" for _, role in found.arguments)
        structs = _views(ground, found, function) or _filled(handles, found, function)
        viewed = found.style == "tensor" and structs
        if stepped or found.style == "blas" or viewed or _reduces(found):
            yield found, function


def _reduces(found: OpMatch) -> bool:
    """True for a function over elements side by side that writes one number to where a pointer says."""
    roles = {role for _, role in found.arguments}
    return found.style == "pointer" and {"input", "output"} <= roles and roles <= {"input", "numel", "output", "hint"}


def _views(ground: Ground, found: OpMatch, function: Function) -> list[View]:
    """The structs of vectors and matrices among a match's arguments."""
    roles = dict(found.arguments)
    seen = (view_of(ground.model, p.type) for p in function.params if roles.get(p.name) in TENSORS)
    return [view for view in seen if view is not None]


def _filled(handles: Handles, found: OpMatch, function: Function) -> list[Filled]:
    """The structs among a match's arguments that a function of the header fills in, if all its tensors are such."""
    roles = dict(found.arguments)
    seen = [filled_of(handles.makers, p.type) for p in function.params if roles.get(p.name) in TENSORS]
    return [f for f in seen if f is not None] if None not in seen else []


def _forms(ground: Ground, forms: Sequence[Form]) -> Iterator[Extra | Lacking]:
    handles = Handles(ground)
    families: Families = defaultdict(lambda: defaultdict(list))
    known = {f.aten for form in forms for f in (form, *(form.instead or ())[1:])}
    for found, function in _of_blas(ground, handles):
        if found.aten not in known or (found.style == "buffer" and ground.device.objects is None):
            continue
        filled = _filled(handles, found, function) if found.style == "tensor" and function.linkage == "c" else []
        one = None if filled else _typed(ground, found, function)
        dtypes = filled[0].dtypes(handles.makers) if filled else ()
        typed = [_Typed(found, function, d) for d in dtypes] or ([one] if one is not None else [])
        if not typed:
            yield Lacking(found, "its pointers and numbers do not say one element type that a kernel could have")
        for each in typed:
            families[found.aten][each.dtype].append(each)
    for form in forms:
        if form.op in ground.served:
            continue
        of_dtypes = sorted(families[form.aten].items()) if form.aten in families else []
        calls = [call for _, typed in of_dtypes if (call := _takes(form, typed)) is not None]
        if not calls:
            yield from (
                Lacking(one.match, f"its arguments are not those of {form.op}") for _, t in of_dtypes for one in t
            )
            continue
        try:
            if form.starts_as_self and not ground.copies:
                raise NotGenerated("nothing copies within the device's memory, where the result begins as self")
            yield _Writer(ground, form, handles, families).extra(calls)
        except NotGenerated as e:
            yield from (Lacking(call.match, str(e)) for call in calls)


def _takes(form: Form, typed: Sequence[_Typed]) -> _Typed | None:
    """The first function that has an argument for every tensor of a form, and no other tensor; of several the one that
    takes the fewest handles."""
    wanted = set(form.tensors)
    found = [t for t in typed if wanted <= t.roles and t.roles & TENSORS <= wanted | {"output"}]
    return min(found, key=lambda t: [role for _, role in t.match.arguments].count("handle"), default=None)


def _typed(ground: Ground, match: OpMatch, function: Function) -> _Typed | None:
    """The function with the one real dtype of its pointers and scalars; None where there is none, or several."""
    if function.inline or function.linkage != "c":
        return None
    if match.style == "buffer":
        dtype = letter_dtype(match, ground.match.matches)
        roles = dict(match.arguments)
        scalars = [p for p in function.params if roles.get(p.name) in ("alpha", "beta")]
        fits = dtype in _DTYPES and all(scalar_dtype_fits(p, dtype) for p in scalars)
        return _Typed(match, function, dtype) if fits else None
    views = _views(ground, match, function) if match.style == "tensor" else []
    kinds = {v.dtype for v in views}
    dtype = pointer_dtype(match, function) if not views else kinds.pop() if len(kinds) == 1 else ""
    return _Typed(match, function, dtype) if dtype in ("float32", "float64") else None


class _Writer:
    """Writes the kernel of one form."""

    def __init__(self, ground: Ground, form: Form, handles: Handles, families: Families) -> None:
        self.ground, self.form, self.handles, self.families = ground, form, handles, families
        self.model, self.status = ground.model, ground.match.status
        self.host, self.objects = ground.device.host_memory, ground.device.objects

    def extra(self, calls: Sequence[_Typed]) -> Extra:
        form = self.form
        lines: list[str] = []
        cases: list[Case] = []
        support: list[str] = []
        helpers: list[str] = []
        assumed = dense = False
        single = form.along >= 0 and not all(loops(form, paired(c.match, c.function), host=self.host) for c in calls)
        for call in calls:
            text = ""
            for condition, one, which in self._called(call):
                arguments = Arguments(self.ground, which, self.handles, one.dtype, paired(one.match, one.function))
                written = arguments.written(one.function)
                assumed = assumed or arguments.assumed
                dense = dense or arguments.dense
                lines += arguments.lines
                support += arguments.support
                helpers += [h for h in arguments.helpers if h not in helpers]
                text += f"if ({condition}) {{\n      " if condition else ""
                text += self._statement(one, written) + ("\n      " if condition else "")
            cases.append(Case(f"case {cxx.TFL_DTYPES[call.dtype]}: {{", (), text))
        functions = tuple(dict.fromkeys(one.function.name for c in calls for _, one, _ in reversed(self._called(c))))
        impl = impl_name(functions[0], form.op, header_prefixes(self.model))
        found = [f for f in map(self.model.function, functions) if f is not None]
        places = tuple(f"{f.name}, {self.model.short(f.place.file)}:{f.place.line}" for f in found)
        copy = _COPY_SELF_UNLESS_IT_IS_THE_RESULT if form.inplace else _COPY_SELF
        flags = ["TFL_KERNEL_MATRIX"] if form.matrix else []
        flags += ["TFL_KERNEL_INPLACE"] if form.inplace else []
        flags += ["TFL_KERNEL_BROADCAST"] if self._broadcasts else []
        kernel = Kernel(
            impl=impl,
            op=form.op,
            function=function_name(impl),
            template="body",
            sources=places,
            symbols=functions,
            support=tuple(dict.fromkeys(support)),
            flags=tuple(flags),
            inputs=tuple((name, i) for i, name in enumerate(form.inputs)),
            before=(
                *form.head,
                *(_ONE_RESULT if single else ()),
                *dict.fromkeys(lines),
                *(copy if form.starts_as_self else ()),
            ),
            cases=tuple(cases),
        )
        evidence = tuple(dict.fromkeys([*(e for c in calls for e in c.match.evidence), *places]))
        if assumed:
            evidence += ("no argument says row- or column-major: taken for column-major, as the reference BLAS",)
        # a buffer has no element type, and an order that is assumed may be wrong
        # and what a vendor calls the least of numbers may pass over NaN
        proved = not assumed and not any(c.match.style in ("buffer", "tensor") or _reduces(c.match) for c in calls)
        whole = (("outer", (1,)), ("inner", (1,))) if single else (("inner", (1,)),) if dense else ()
        return Extra(
            kernel, tuple(c.dtype for c in calls), evidence, "matrix" if form.matrix else "contiguous", proved,
            (*form.constraints, *whole), inplace=form.inplace, helpers=tuple(helpers),
            matches=tuple(c.match for c in calls), broadcast=self._broadcasts,
        )  # fmt: skip

    def _called(self, call: _Typed) -> list[tuple[str, _Typed, Form]]:
        """(condition or "", function, form): what a dtype's case calls, the last without a condition."""
        if self.form.instead is None:
            return [("", call, self.form)]
        condition, form = self.form.instead
        other = _takes(form, self.families[form.aten][call.dtype]) if form.aten in self.families else None
        if other is None:
            raise NotGenerated(f"{call.function.name} may give zeros for a factor of 0, and nothing else can help")
        return [(condition, other, form), ("", call, self.form)]

    @property
    def _broadcasts(self) -> bool:
        """An operand that is one number comes as it is, and is not repeated in memory."""
        return any(variable == "second_numel" for variable, _ in self.form.constraints)

    def _statement(self, call: _Typed, arguments: list[str]) -> str:
        head, done = f"vendor::{call.function.name}", "\n      return TFL_OK;\n    }"
        roles = dict(call.match.arguments).values()
        if "output" in roles and loops(self.form, paired(call.match, call.function), host=self.host):
            if call.function.result.kind == "void":
                return f"{_LOOP}\n        {cxx.call(head, arguments, ';', 8)}\n      }}{done}"
            if self.status.of(call.function.result) is not None:
                text = cxx.call(f"const tfl_status done = status({head}", arguments, ");", 8)
                return f"{_LOOP}\n        {text}\n        if (done != TFL_OK) return done;\n      }}{done}"
        if self.form.result == "number" and "output" not in roles:
            return self._returned(call, head, arguments)
        if self.form.result == "number" and self.handles.host_results(call.function):
            c = c_number(call.dtype)
            text = cxx.call(f"if (const tfl_status failed = status({head}", arguments, ");", 6)
            failed = f"{c} value = 0;\n      {text[:-1]}; failed != TFL_OK) return failed;"
            return f"{failed}\n      return {_TO_DEVICE};\n    }}"
        if call.function.result.kind == "void":
            return cxx.call(head, arguments, ";" + done, 6)
        if self.status.of(call.function.result) is None:
            raise NotGenerated(f"{call.function.name} returns {call.function.result.spelled}, which is no status")
        return cxx.call(f"return status({head}", arguments, ");\n    }", 6)

    def _returned(self, call: _Typed, head: str, arguments: list[str]) -> str:
        """A number that is the C result."""
        c = c_number(call.dtype)
        if not self.host:
            text = cxx.call(f"const {c} value = {head}", arguments, ";", 6)
            return f"{text}\n      return {_TO_DEVICE};\n    }}"
        if not loops(self.form, paired(call.match, call.function), host=True):
            return cxx.call(f"*torchfl::data<{c}>(out) = {head}", arguments, ";\n      return TFL_OK;\n    }", 6)
        text = cxx.call(f"torchfl::data<{c}>(out)[i] = {head}", arguments, ";", 8)
        return f"{_LOOP}\n        {text}\n      }}\n      return TFL_OK;\n    }}"


#: Over the places outside of the dimensions that are reduced; ``first``: of the elements of each.
_LOOP = (
    "for (int64_t i = 0; i < over.outer * over.inner; ++i) {\n"
    "        const int64_t first = i / over.inner * over.extent * over.inner + i % over.inner;"
)
#: Results far from the host are written one by one only where there is one.
_ONE_RESULT = ('if (over.outer * over.inner != 1) return torchfl::unsupported("more than one result");',)
_TO_DEVICE = "device::api.copy_h2d(call->device, out.handle, out.byte_offset, &value, sizeof value, call->stream)"


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
