"""Rules of indexing and movement."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

from torchfl_sdk.conformance.cases.rules.along import EXTENTS
from torchfl_sdk.conformance.cases.rules.base import Rule, Shape, Values, along, given, label, shape_along, spec
from torchfl_sdk.conformance.cases.spec import SampleSpec, TensorSpec

from torchfl.catalogue import OpSpec


def _index(shape: Shape, fill: str) -> TensorSpec:
    return TensorSpec(shape, fill, dtype="int64")


class Embedding(Rule):
    """``rows`` of the table, ``cols``, and the shape or ``count`` of the indices."""

    sizes = ("rows", "cols", "count")

    def build(self, op: OpSpec, dtype: str, seed: int, values: Values) -> SampleSpec | None:
        rows, cols = int(values.get("rows", 11)), int(values.get("cols", 7))
        indices: Shape = tuple(values.get("indices", (int(values.get("count", 5)),)))
        if "rank" in values:
            if not 2 <= values["rank"] <= 6:
                return None
            indices = (2, 3, 2, 2, 2)[: int(values["rank"]) - 1]
        if "numel" in values or min(rows, cols, *indices, 1 << 30) < (0 if "indices" in values else 1) or rows < 1:
            return None
        return spec(
            op, dtype, seed, label(values, (rows, cols)), TensorSpec((rows, cols)), _index(indices, f"index:{rows}")
        )

    def grid(self, op: OpSpec, dtype: str, level: str) -> Iterator[dict[str, Any]]:
        yield {}
        if level == "probe":
            return
        yield {"indices": (3, 5), "rows": 65}
        if level == "release":
            yield {"rows": 1031, "cols": 65, "count": 127}
            yield {"indices": (), "cols": 64}

    def variables(self, op: OpSpec, shapes: list[Shape | None], attrs: Values) -> dict[str, Any]:
        table = given(shapes, 0)
        return {"rows": table[0], "cols": table[1], "count": prod(given(shapes, 1))}

    def outputs(self, op: OpSpec, shapes: list[Shape | None], attrs: Values) -> tuple[Shape, ...]:
        return ((*given(shapes, 1), given(shapes, 0)[1]),)

    def empties(self, op: OpSpec) -> Iterator[dict[str, Any]]:
        yield {"indices": (0,)}

    def candidates(self, op: OpSpec, variable: str) -> list[Any] | None:
        return list(EXTENTS) if variable in self.sizes else [2, 3, 4] if variable == "rank" else None


class IndexSelect(Rule):
    """``count`` entries along a dimension."""

    sizes = ("outer", "extent", "inner", "count")
    least_rank = 1

    def build(self, op: OpSpec, dtype: str, seed: int, values: Values) -> SampleSpec | None:
        found = shape_along(values, (3, 11, 5))
        count = int(values.get("count", 7))
        if found is None or count < (0 if "shape" in values else 1):
            return None
        shape, dim = found
        if "dim" not in values and len(shape) == 3:
            dim = 1
        return spec(
            op, dtype, seed, label(values, shape), TensorSpec(shape), _index((count,), f"index:{shape[dim]}"), dim=dim
        )

    def grid(self, op: OpSpec, dtype: str, level: str) -> Iterator[dict[str, Any]]:
        yield {}
        if level == "probe":
            return
        yield {"shape": (13, 5), "dim": 0}
        yield {"shape": (5, 13), "dim": -1}
        if level == "release":
            yield {"shape": (65,), "dim": 0, "count": 127}
            yield {"shape": (2, 3, 5, 7), "dim": 2}

    def variables(self, op: OpSpec, shapes: list[Shape | None], attrs: Values) -> dict[str, Any]:
        return along(given(shapes, 0), attrs["dim"]) | {"count": prod(given(shapes, 1))}

    def outputs(self, op: OpSpec, shapes: list[Shape | None], attrs: Values) -> tuple[Shape, ...]:
        out = list(given(shapes, 0))
        out[attrs["dim"]] = prod(given(shapes, 1))
        return (tuple(out),)

    def empties(self, op: OpSpec) -> Iterator[dict[str, Any]]:
        yield {"shape": (3, 5), "dim": 1, "count": 0}

    def candidates(self, op: OpSpec, variable: str) -> list[Any] | None:
        return list(EXTENTS) if variable in self.sizes else [1, 2, 3, 4] if variable == "rank" else None


class Gather(Rule):
    """An index of the tensor's rank; with ``scatter`` a source of the index's shape. ``index``: its shape."""

    sizes = ("rank", "extent")
    least_rank = 1

    def build(self, op: OpSpec, dtype: str, seed: int, values: Values) -> SampleSpec | None:
        found = shape_along(values, (3, 11, 5))
        if found is None:
            return None
        shape, dim = found
        if "dim" not in values and len(shape) == 3:
            dim = 1
        scatters = op.shape_rule == "scatter"
        index: Shape = tuple(values.get("index", shape))
        # no two entries of a lane may scatter to one place: which of them would win is not defined
        fill = f"cyclic:{shape[dim]}:{dim % len(shape)}" if scatters else f"index:{shape[dim]}"
        inputs = [TensorSpec(shape), _index(index, fill), *([TensorSpec(index)] if scatters else [])]
        return spec(op, dtype, seed, label(values, shape), *inputs, dim=dim)

    def grid(self, op: OpSpec, dtype: str, level: str) -> Iterator[dict[str, Any]]:
        yield {}
        if level == "probe":
            return
        yield {"shape": (5, 7), "dim": 0, "index": (3, 4)}
        yield {"shape": (3, 7, 5), "dim": -1, "index": (2, 5, 4)}
        if level == "release":
            yield {"shape": (65,), "dim": 0, "index": (33,)}
            yield {"shape": (2, 3, 5, 7), "dim": 1, "index": (2, 2, 3, 7)}

    def variables(self, op: OpSpec, shapes: list[Shape | None], attrs: Values) -> dict[str, Any]:
        return {"extent": along(given(shapes, 0), attrs["dim"])["extent"]}

    def outputs(self, op: OpSpec, shapes: list[Shape | None], attrs: Values) -> tuple[Shape, ...]:
        return (given(shapes, 0 if op.shape_rule == "scatter" else 1),)

    def candidates(self, op: OpSpec, variable: str) -> list[Any] | None:
        return [1, 2, 3, 4, 5, 6] if variable == "rank" else list(EXTENTS) if variable in self.sizes else None


class Cat(Rule):
    """``count`` tensors of unequal extents along a dimension."""

    sizes = ("rank", "outer", "inner", "count")
    least_rank = 1

    def build(self, op: OpSpec, dtype: str, seed: int, values: Values) -> SampleSpec | None:
        count = int(values.get("count", 2))
        found = shape_along(values, (5, 4, 3))
        if found is None or not 1 <= count <= 16 or "numel" in values:
            return None
        shape, dim = found
        if "dim" not in values and len(shape) == 3:
            dim = 1
        inputs = []
        for i in range(count):
            one = list(shape)
            one[dim] += i % 3
            inputs.append(TensorSpec(tuple(one)))
        return spec(op, dtype, seed, label(values, shape), *inputs, dim=dim)

    def grid(self, op: OpSpec, dtype: str, level: str) -> Iterator[dict[str, Any]]:
        yield {}
        if level == "probe":
            return
        yield {"shape": (5, 7), "dim": 0, "count": 3}
        yield {"shape": (5, 7), "dim": -1, "count": 4}
        if level == "release":
            yield {"shape": (65,), "dim": 0}
            yield {"shape": (2, 3, 5, 7), "dim": 2, "count": 5}

    def variables(self, op: OpSpec, shapes: list[Shape | None], attrs: Values) -> dict[str, Any]:
        found = along(given(shapes, 0), attrs["dim"])
        return {"outer": found["outer"], "inner": found["inner"], "count": len(shapes)}

    def outputs(self, op: OpSpec, shapes: list[Shape | None], attrs: Values) -> tuple[Shape, ...]:
        out = list(given(shapes, 0))
        out[attrs["dim"]] = sum(given(shapes, i)[attrs["dim"]] for i in range(len(shapes)))
        return (tuple(out),)

    def candidates(self, op: OpSpec, variable: str) -> list[Any] | None:
        found = {"count": [1, 2, 3, 4, 8, 16], "rank": [1, 2, 3, 4, 5, 6]}
        return found.get(variable, list(EXTENTS) if variable in self.sizes else None)


class Permute(Rule):
    """``shape`` and ``dims``."""

    sizes = ("rank",)
    least_rank = 1

    def build(self, op: OpSpec, dtype: str, seed: int, values: Values) -> SampleSpec | None:
        shape: Shape = tuple(values.get("shape", (3, 5, 7)))
        if "rank" in values:
            if not 1 <= values["rank"] <= 8:
                return None
            shape = (2, 3, 2, 5, 2, 3, 2, 2)[: int(values["rank"])]
        if "numel" in values:
            shape = (int(values["numel"]),)
        wanted = values.get("dims", range(len(shape))[::-1])
        if isinstance(wanted, int):
            return None
        dims = tuple(wanted)
        if len(dims) != len(shape) or min(shape) < 1:
            return None
        return spec(op, dtype, seed, label(values, shape), TensorSpec(shape), dims=dims)

    def grid(self, op: OpSpec, dtype: str, level: str) -> Iterator[dict[str, Any]]:
        yield {"shape": (3, 5, 7), "dims": (1, 2, 0)}
        if level == "probe":
            return
        yield {"shape": (13, 5), "dims": (-1, 0)}
        yield {"shape": (2, 3, 5, 4), "dims": (0, 2, 3, 1)}
        if level == "release":
            yield {"shape": (64, 65), "dims": (1, 0)}
            yield {"shape": (2, 3, 5, 7), "dims": (3, 0, 2, 1)}

    def outputs(self, op: OpSpec, shapes: list[Shape | None], attrs: Values) -> tuple[Shape, ...]:
        shape = given(shapes, 0)
        return (tuple(shape[d] for d in attrs["dims"]),)

    def candidates(self, op: OpSpec, variable: str) -> list[Any] | None:
        return [1, 2, 3, 4, 5, 6] if variable == "rank" else None
