"""Matrix products by functions over the caller's structs of matrices."""

from __future__ import annotations

from collections.abc import Iterator

from torchfl_sdk.header.model import Function, Param
from torchfl_sdk.match.model import Argument, OpMatch
from torchfl_sdk.scaffold.kernel_plan import NotGenerated
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
