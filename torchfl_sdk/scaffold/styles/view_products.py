"""Matrix products by functions over the caller's structs of matrices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from torchfl_sdk.header.model import Function, Param
from torchfl_sdk.match.model import Argument, Call, OpMatch
from torchfl_sdk.scaffold.compose.makers import Makers
from torchfl_sdk.scaffold.kernel_plan import NotGenerated
from torchfl_sdk.scaffold.styles.filled import filled_of
from torchfl_sdk.scaffold.styles.ground import Extra, Ground, Lacking
from torchfl_sdk.scaffold.styles.products import PRODUCTS, Translation, plan_products
from torchfl_sdk.scaffold.styles.views import view_of
from torchfl_sdk.scaffold.styles.wide import TENSORS, argument


def plan(ground: Ground) -> Iterator[Extra | Lacking]:
    """A kernel for every product whose operands are all such structs."""
    if ground.device.objects is not None:
        return

    def translate(found: OpMatch, function: Function, op: str) -> Translation:
        return _Translation(ground, found, function, op)

    matches = [m for m in ground.open_matches("tensor") if _all_matrices(ground, *m)]
    yield from plan_products(ground, matches, translate, PRODUCTS)
    makers = Makers(ground.model, ground.match.status, host=ground.match.memory == "host")

    def fill(found: OpMatch, function: Function, op: str) -> Translation:
        return _Filling(ground, found, function, op, makers)

    matches = [m for m in ground.open_matches("tensor") if _all_filled(makers, *m)]
    yield from plan_products(ground, matches, fill, PRODUCTS)


def _all_filled(makers: Makers, found: OpMatch, function: Function) -> bool:
    roles = dict(found.arguments)
    return all(filled_of(makers, p.type) for p in function.params if roles.get(p.name) in TENSORS)


def _all_matrices(ground: Ground, found: OpMatch, function: Function) -> bool:
    roles = dict(found.arguments)
    views = [view_of(ground.model, p.type) for p in function.params if roles.get(p.name) in TENSORS]
    return bool(views) and all(v is not None and v.is_matrix for v in views)


class _Translation(Translation):
    """One match over structs of matrices as a call over the catalogue's roles."""

    style = "view"

    def __init__(self, ground: Ground, found: OpMatch, function: Function, op: str) -> None:
        super().__init__(ground, found, function, op)
        roles = dict(found.arguments)
        views = [view_of(ground.model, p.type) for p in function.params if roles.get(p.name) in TENSORS]
        kinds = {v.dtype for v in views if v is not None}
        self.dtype = kinds.pop() if len(kinds) == 1 else ""
        self.evidence = ("its matrices are taken for row-major",)

    def tensor(self, index: int, param: Param, role: str) -> Argument:
        view = view_of(self.ground.model, param.type)
        if view is None or not view.step:
            raise NotGenerated(f"{param.name!r} is a {param.type.spelled}, which says nothing of space between rows")
        if view.narrow:
            raise NotGenerated(f"{param.name!r} counts in {view.narrow}, which does not hold every matrix's extents")
        self.helpers.append(view.helper)
        return argument(param, self.tensors[role], index, value=view.function)


class _Filling(Translation):
    """One match over structs that a function of the header fills in, for every element type that it knows."""

    style = "view"

    def __init__(self, ground: Ground, found: OpMatch, function: Function, op: str, makers: Makers) -> None:
        super().__init__(ground, found, function, op)
        self.makers = makers
        self.evidence = ("its matrices are structs that the header fills in, with steps of rows and of columns",)
        roles = dict(found.arguments)
        first = next(p for p in function.params if roles.get(p.name) in TENSORS)
        one = filled_of(makers, first.type)
        assert one is not None
        self.one = one
        self.dtype = one.dtypes(makers)[0]
        self.variables = {self.tensors["input"]: "a", self.tensors["input2"]: "b", "out": "c"}

    def call(self) -> Call:
        lines, helper = self.one.typed(self.makers, "c")
        self.setup += lines
        self.helpers.append(helper)
        self.support.append(self.one.maker.name)
        return replace(super().call(), dtypes=self.one.dtypes(self.makers))

    def tensor(self, index: int, param: Param, role: str) -> Argument:
        if filled_of(self.makers, param.type) != self.one:
            raise NotGenerated(f"{param.name!r} is a {param.type.spelled}, which another function fills in")
        v = self.variables[self.tensors[role]]
        given = {
            "data": f"torchfl::data({v})", "rows": f"{v}.sizes[0]", "columns": f"{v}.sizes[1]",
            "row_step": f"{v}m.transposed ? 1 : {v}m.leading_dimension",
            "column_step": f"{v}m.transposed ? {v}m.leading_dimension : 1",
        }  # fmt: skip
        self.setup += self.one.made(self.makers, f"{v}_object", given)
        return argument(param, self.tensors[role], index, value=f"&{v}_object")

    def _factor(self, index: int, param: Param, role: str) -> Argument:
        if filled_of(self.makers, param.type) != self.one:
            return super()._factor(index, param, role)
        self.setup += self.one.number(self.makers, f"{role}_object", "c", role)
        return argument(param, f"gemm_{role}", index, value=f"&{role}_object")
