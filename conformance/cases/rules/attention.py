"""The rule of scaled dot-product attention."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torchfl_sdk.conformance.cases.rules.base import Rule, Shape, Values, given, label, spec
from torchfl_sdk.conformance.cases.spec import SampleSpec, TensorSpec

from torchfl.catalogue import OpSpec

_EXTENTS = {"batch": 2, "heads": 3, "length": 5, "kv_length": 7, "head_dim": 8}


class Attention(Rule):
    """Queries, keys and values by the five variables. ``mask``: the rank of what is added to the scores, ``fill``: its
    values; ``value_dim``: of values that are wider or narrower than keys."""

    sizes = tuple(_EXTENTS)
    asked = ("is_causal",)

    def build(self, op: OpSpec, dtype: str, seed: int, values: Values) -> SampleSpec | None:
        b, h, length, kv, d = (int(values.get(name, usual)) for name, usual in _EXTENTS.items())
        if min(b, h, length, kv, d) < 1 or values.get("rank", 4) != 4 or "numel" in values:
            return None
        mask = values.get("mask", 4 if values.get("attn_mask") else None)
        if mask is not None and values.get("is_causal"):
            return None
        inputs = (
            TensorSpec((b, h, length, d)),
            TensorSpec((b, h, kv, d)),
            TensorSpec((b, h, kv, int(values.get("value_dim", d)))),
            None if mask is None else TensorSpec((b, h, length, kv)[4 - mask :], values.get("fill", "normal")),
        )
        attrs: dict[str, Any] = {"is_causal": bool(values.get("is_causal", False)), "scale": values.get("scale")}
        return spec(op, dtype, seed, label(values, (b, h, length, d)), *inputs, dropout_p=0.0, **attrs)

    def grid(self, op: OpSpec, dtype: str, level: str) -> Iterator[dict[str, Any]]:
        yield {}
        if level == "probe":
            return
        yield {"is_causal": True, "kv_length": 5}
        yield {"mask": 4}
        yield {"mask": 4, "fill": "holes"}
        yield {"value_dim": 5}
        if level == "release":
            yield {"mask": 2, "scale": 0.25}
            yield {"batch": 1, "heads": 1, "length": 65, "kv_length": 33, "head_dim": 64}
            yield {"length": 1, "kv_length": 17}

    def variables(self, op: OpSpec, shapes: list[Shape | None], attrs: Values) -> dict[str, Any]:
        query, key = given(shapes, 0), given(shapes, 1)
        return dict(zip(_EXTENTS, (*query[:3], key[2], query[3]), strict=True))

    def outputs(self, op: OpSpec, shapes: list[Shape | None], attrs: Values) -> tuple[Shape, ...]:
        return ((*given(shapes, 0)[:3], given(shapes, 2)[3]),)

    def left_out(self, shapes: list[Shape | None], attrs: Values) -> str:
        return "values of another width than keys" if given(shapes, 1)[-1] != given(shapes, 2)[-1] else ""

    def candidates(self, op: OpSpec, variable: str) -> list[Any] | None:
        found: dict[str, list[Any]] = {"is_causal": [False, True], "attn_mask": [False, True], "rank": [4]}
        return found.get(variable, [1, 2, 3, 8, 16, 33, 64] if variable in self.sizes else None)
