"""Rules of ops that work along dimensions of one tensor: softmax, running sums, reductions, triangles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torchfl_sdk.conformance.cases.dtypes import is_float
from torchfl_sdk.conformance.cases.rules.base import (
    EXACT,
    Rule,
    Shape,
    Values,
    along,
    given,
    label,
    shape_along,
    spec,
)
from torchfl_sdk.conformance.cases.spec import SampleSpec, TensorSpec

from torchfl.catalogue import OpSpec

#: Sizes around the widths that kernels like; fewer than for products, whose limits are commoner.
EXTENTS = (1, 2, 3, 7, 16, 33, 64, 65, 128, 1031)


class AlongDim(Rule):
    """Results of the input's shape. Beside the variables: ``shape`` with ``dim``, ``fill``, ``exact``."""

    sizes: tuple[str, ...] = ("outer", "extent", "inner")

    def build(self, op: OpSpec, dtype: str, seed: int, values: Values) -> SampleSpec | None:
        found = shape_along(values)
        if found is None:
            return None
        shape, dim = found
        tensor = TensorSpec(shape, values.get("fill", "normal"))
        return spec(
            op, dtype, seed, label(values, shape), tensor, exact=values.get("exact", False), dim=dim,
            half_to_float=False,
        )  # fmt: skip

    def grid(self, op: OpSpec, dtype: str, level: str) -> Iterator[dict[str, Any]]:
        yield {"shape": (5, 13), "dim": 1}
        if level == "probe":
            return
        yield {"shape": (65,), "dim": 0}
        yield {"shape": (3, 5, 7), "dim": 1}
        if any(a.name == "half_to_float" for a in op.attrs):
            yield {"shape": (3, 91), "dim": 1, "fill": "high"}  # exp of these overflows
        if op.tier == "T1" and is_float(dtype):
            yield {"shape": (5, 33), "dim": 1, "fill": f"odd:{EXACT[dtype][1]}", "exact": True}
        if level == "quick":
            return
        for shape, dim in (
            ((1,), 0), ((5, 13), 0), ((5, 13), -1), ((2, 3, 5, 7), 1), ((2, 3, 5, 7), 3), ((4, 64), 1), ((3, 127), 1),
            ((2, 1031), 1),
        ):  # fmt: skip
            yield {"shape": shape, "dim": dim}
        yield {"shape": (7, 91), "dim": 1, "fill": "special"}

    def variables(self, op: OpSpec, shapes: list[Shape | None], attrs: Values) -> dict[str, Any]:
        return along(given(shapes, 0), attrs.get("dim"))

    def empties(self, op: OpSpec) -> Iterator[dict[str, Any]]:
        yield {"shape": (0,), "dim": 0}
        yield {"shape": (0, 3), "dim": 0}

    def candidates(self, op: OpSpec, variable: str) -> list[Any] | None:
        return list(EXTENTS) if variable in self.sizes else None


_FILLS = {"reduce_index": "ties", "reduce_any": "rare", "reduce_all": "mostly", "reduce_one": "near_one"}


class Reduce(AlongDim):
    """The dimensions gone, or of size 1. ``dim`` may be a tuple of dimensions, or None for all of them."""

    sizes = ("outer", "extent", "inner", "spans")

    def build(self, op: OpSpec, dtype: str, seed: int, values: Values) -> SampleSpec | None:
        attr = next(a for a in op.attrs if a.name == "dim")
        several = attr.kind == "int_list"
        if values.get("spans", 1) > 1:
            if not several or values["spans"] > 3:
                return None
            count = int(values["spans"])
            values = {**values, "shape": (3, 2) * count, "dim": tuple(range(0, 2 * count, 2))}
        found = shape_along(values)
        if found is None:
            return None
        shape, dim = found
        fill = values.get("fill") or _FILLS.get(op.samples, "normal")
        given_dim = attr.default if dim is None else (dim,) if several and isinstance(dim, int) else dim
        attrs = {"dim": given_dim, "keepdim": values.get("keepdim", False)}
        attrs |= {name: values[name] for name in ("ord", "correction") if name in values}
        exact = values.get("exact", False)
        return spec(op, dtype, seed, label(values, shape), TensorSpec(shape, fill), exact=exact, **attrs)

    def grid(self, op: OpSpec, dtype: str, level: str) -> Iterator[dict[str, Any]]:
        dim = next(a for a in op.attrs if a.name == "dim")
        yield {"shape": (5, 13), "dim": 1}
        if level == "probe":
            return
        if dim.optional:
            yield {"shape": (5, 13), "dim": None}
        yield {"shape": (3, 5, 7), "dim": 1, "keepdim": True}
        if dim.kind == "int_list":
            yield {"shape": (3, 5, 7), "dim": (1, 2)}
            yield {"shape": (3, 5, 2, 7), "dim": (0, 2)}
        if op.name == "aten::sum" and is_float(dtype):
            yield {"shape": (5, 65), "dim": 1, "fill": f"odd:{EXACT[dtype][1]}", "exact": True}
        if level == "quick":
            return
        for shape, one in (
            ((65,), 0), ((13, 5), 0), ((5, 13), -1), ((2, 3, 5, 7), 1), ((2, 3, 5, 7), 0), ((4, 64), 1), ((2, 1031), 1),
            ((1031, 2), 0), ((1,), 0),
        ):  # fmt: skip
            yield {"shape": shape, "dim": one}
        if is_float(dtype) and op.tier != "T1" and op.samples not in ("reduce_one", "reduce_any", "reduce_all"):
            yield {"shape": (7, 91), "dim": 1, "fill": "special"}
        for attr, value in (("ord", 1), ("correction", 0)):
            if any(a.name == attr for a in op.attrs):
                yield {"shape": (5, 13), "dim": 1, attr: value}

    def outputs(self, op: OpSpec, shapes: list[Shape | None], attrs: Values) -> tuple[Shape, ...]:
        shape, dim, keep = given(shapes, 0), attrs.get("dim"), bool(attrs.get("keepdim"))
        rank = max(len(shape), 1)
        dims = () if dim is None else (dim,) if isinstance(dim, int) else dim
        among = {d % rank for d in dims} if dims else set(range(rank))
        out = tuple(1 if i in among else n for i, n in enumerate(shape) if keep or i not in among)
        return (out,) * len(op.outputs)

    def empties(self, op: OpSpec) -> Iterator[dict[str, Any]]:
        yield {"shape": (0, 3), "dim": 1}

    def candidates(self, op: OpSpec, variable: str) -> list[Any] | None:
        return [1, 2] if variable == "spans" else super().candidates(op, variable)


class Triangle(Rule):
    """The last two dimensions cut along a diagonal."""

    sizes = ("rows", "cols")
    asked = ("diagonal",)

    def build(self, op: OpSpec, dtype: str, seed: int, values: Values) -> SampleSpec | None:
        shape: Shape
        if "rank" in values:
            rank = int(values["rank"])
            if not 2 <= rank <= 8:
                return None
            shape = (2, 3, 2, 2, 2, 2, 5, 7)[8 - rank :]
        else:
            rows, cols = (7, 9) if op.name == "aten::triu" else (9, 7)  # so that the last element is kept
            shape = tuple(values.get("shape", (int(values.get("rows", rows)), int(values.get("cols", cols)))))
        if min(shape) < 1 and "shape" not in values:
            return None
        diagonal = int(values.get("diagonal", 0))
        return spec(op, dtype, seed, label(values, shape), TensorSpec(shape), diagonal=diagonal)

    def grid(self, op: OpSpec, dtype: str, level: str) -> Iterator[dict[str, Any]]:
        yield {}
        if level == "probe":
            return
        yield {"diagonal": 2}
        yield {"diagonal": -1}
        yield {"shape": (2, 3, 4, 4)}
        if level == "release":
            for lead, more, less in (((), 1, 1), ((), 65, 63), ((3,), 33, 31)):
                yield {"shape": (*lead, *((less, more) if op.name == "aten::triu" else (more, less)))}

    def variables(self, op: OpSpec, shapes: list[Shape | None], attrs: Values) -> dict[str, Any]:
        shape = given(shapes, 0)
        return {"rows": shape[-2], "cols": shape[-1]}

    def empties(self, op: OpSpec) -> Iterator[dict[str, Any]]:
        yield {"shape": (0, 3)}

    def candidates(self, op: OpSpec, variable: str) -> list[Any] | None:
        return [0, 1, 2, -1, -2] if variable == "diagonal" else list(EXTENTS) if variable in self.sizes else None
