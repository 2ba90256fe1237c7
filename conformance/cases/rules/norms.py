"""Rules of normalisation: over the last dimensions, by channel, by group."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

from torchfl_sdk.conformance.cases.rules.along import EXTENTS
from torchfl_sdk.conformance.cases.rules.base import Rule, Shape, Values, given, label, spec
from torchfl_sdk.conformance.cases.spec import SampleSpec, TensorSpec

from torchfl.catalogue import OpSpec


class LayerNorm(Rule):
    """Over the last dimensions. ``shape`` with ``over`` (how many), or ``rows``, ``cols``."""

    sizes = ("rows", "cols")

    def build(self, op: OpSpec, dtype: str, seed: int, values: Values) -> SampleSpec | None:
        shape: Shape
        if "rank" in values:
            rank = int(values["rank"])
            if not 1 <= rank <= 6:
                return None
            shape = (2, 3, 2, 2, 3, 17)[6 - rank :]
        elif "numel" in values:
            shape = (int(values["numel"]),)
        else:
            shape = tuple(values.get("shape", (int(values.get("rows", 5)), int(values.get("cols", 13)))))
        if (min(shape) < 1 and "shape" not in values) or (shape[-1] == 1 and op.name == "aten::layer_norm"):
            return None  # one element's deviation is zero, so that any result near zero would pass
        normalized = shape[len(shape) - int(values.get("over", 1)) :]
        inputs: list[TensorSpec | None] = [TensorSpec(shape, values.get("fill", "normal"))]
        for name in op.inputs[1:]:
            inputs.append(TensorSpec(normalized, "nonzero") if values.get(name, True) else None)
        return spec(
            op, dtype, seed, label(values, shape), *inputs, normalized_shape=normalized, eps=values.get("eps", 1e-5)
        )

    def grid(self, op: OpSpec, dtype: str, level: str) -> Iterator[dict[str, Any]]:
        yield {}
        if level == "probe":
            return
        yield {"shape": (3, 5, 7), "over": 2}
        yield {"weight": False, "bias": False, "eps": 1e-2}
        if any(a.epsilon for a in op.attrs):
            yield {"shape": (3, 64), "fill": "tiny", "eps": None}
        if level == "quick":
            return
        for shape in ((2, 64), (3, 65), (2, 1031), (2, 3, 127)):
            yield {"shape": shape}
        if "bias" in op.inputs:
            yield {"bias": False}

    def variables(self, op: OpSpec, shapes: list[Shape | None], attrs: Values) -> dict[str, Any]:
        shape, count = given(shapes, 0), len(attrs["normalized_shape"])
        return {"rows": prod(shape[: len(shape) - count]), "cols": prod(shape[len(shape) - count :])}

    def outputs(self, op: OpSpec, shapes: list[Shape | None], attrs: Values) -> tuple[Shape, ...]:
        shape, count = given(shapes, 0), len(attrs["normalized_shape"])
        saved = (*shape[: len(shape) - count], *(1,) * count)
        return (shape, *(saved,) * (len(op.outputs) - 1))

    def candidates(self, op: OpSpec, variable: str) -> list[Any] | None:
        if variable == "rank":
            return [1, 2, 3, 4]
        return [e for e in EXTENTS if e > 1 or variable == "rows"] if variable in self.sizes else None


class BatchNorm(Rule):
    """By channel, in inference. ``shape``, or ``channels``; ``weight`` and ``bias``: given."""

    sizes = ("channels",)

    def build(self, op: OpSpec, dtype: str, seed: int, values: Values) -> SampleSpec | None:
        shape: Shape
        if values.get("training") or "numel" in values:
            return None
        if "rank" in values:
            rank = int(values["rank"])
            if not 2 <= rank <= 5:
                return None
            shape = (2, 3, 5, 7, 2)[:rank]
        else:
            shape = tuple(values.get("shape", (2, int(values.get("channels", 3)), 5, 7)))
        if min(shape) < 1:
            return None
        one = (shape[1],)
        inputs: list[TensorSpec | None] = [TensorSpec(shape)]
        for name in op.inputs[1:]:
            fill = {"running_var": "positive", "running_mean": "levels:2"}.get(name, "nonzero")
            inputs.append(TensorSpec(one, fill) if values.get(name, True) else None)
        return spec(op, dtype, seed, label(values, shape), *inputs, training=False, eps=values.get("eps", 1e-5))

    def grid(self, op: OpSpec, dtype: str, level: str) -> Iterator[dict[str, Any]]:
        yield {}
        if level == "probe":
            return
        yield {"weight": False, "bias": False}
        yield {"shape": (65, 3)}
        if level == "release":
            yield {"shape": (1, 65, 3, 3), "eps": 1e-2}
            yield {"shape": (3, 4, 17)}

    def variables(self, op: OpSpec, shapes: list[Shape | None], attrs: Values) -> dict[str, Any]:
        return {"channels": given(shapes, 0)[1]}

    def outputs(self, op: OpSpec, shapes: list[Shape | None], attrs: Values) -> tuple[Shape, ...]:
        return (given(shapes, 0), *((0,),) * (len(op.outputs) - 1))

    def candidates(self, op: OpSpec, variable: str) -> list[Any] | None:
        return {"channels": [1, 2, 3, 7, 16, 33, 64], "rank": [2, 3, 4, 5]}.get(variable)


class GroupNorm(Rule):
    """By group of channels. ``shape`` and ``group``; ``weight`` and ``bias``: given."""

    contiguous = True

    def build(self, op: OpSpec, dtype: str, seed: int, values: Values) -> SampleSpec | None:
        shape: Shape = tuple(values.get("shape", (2, 6, 3, 5)))
        group = int(values.get("group", 2))
        if {"rank", "numel", "N", "C", "HxW"} & set(values) or group < 1 or shape[1] % group:
            return None
        one = (shape[1],)
        inputs = [TensorSpec(one, "nonzero") if values.get(name, True) else None for name in op.inputs[1:]]
        return spec(
            op, dtype, seed, label(values, shape), TensorSpec(shape), *inputs, N=shape[0], C=shape[1],
            HxW=prod(shape[2:]), group=group, eps=values.get("eps", 1e-5),
        )  # fmt: skip

    def grid(self, op: OpSpec, dtype: str, level: str) -> Iterator[dict[str, Any]]:
        yield {}
        if level == "probe":
            return
        yield {"group": 3, "weight": False, "bias": False}
        if level == "release":
            yield {"shape": (1, 8, 65), "group": 4}

    def outputs(self, op: OpSpec, shapes: list[Shape | None], attrs: Values) -> tuple[Shape, ...]:
        return (given(shapes, 0), *((attrs["N"], attrs["group"]),) * (len(op.outputs) - 1))
