"""Calling an op through the dispatcher as a user's program does: functional, in-place or with ``out=``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import torch
from torchfl_sdk.conformance.cases.dtypes import dtype_name, is_float, promoted

from torchfl.catalogue import OpSpec


@cache
def overload(name: str) -> Any:
    """The torch.ops object of ``aten::add.Tensor``. Raises ValueError if this torch has none."""
    base, _, suffix = name.removeprefix("aten::").partition(".")
    try:
        return getattr(getattr(torch.ops.aten, base), suffix or "default")
    except AttributeError:
        raise ValueError(f"this torch has no overload {name}") from None


def arguments(op: OpSpec, name: str, inputs: Sequence[Any], attrs: dict[str, Any]) -> dict[str, Any]:
    """The arguments of ``name`` by its schema's names; what is not given keeps the schema's default."""
    given = dict(zip(op.inputs, inputs, strict=True)) | attrs
    keywords: dict[str, Any] = {}
    for argument in overload(name)._schema.arguments:
        if argument.name not in given:
            continue
        value = given[argument.name]
        keywords[argument.name] = list(value) if isinstance(value, tuple) else value
    return keywords


def call(
    op: OpSpec, inputs: Sequence[Any], attrs: dict[str, Any], variant: str = "forward", out: Any = None
) -> torch.Tensor:
    """Run one variant and return its result (for ``inplace`` the first input, for ``out`` the ``out`` tensor).

    Raises what the op raises, and ValueError for a variant that aten lacks.
    """
    name = {"forward": op.reference_overload, "backward": op.reference_overload, "inplace": op.inplace, "out": op.out}[
        variant
    ]
    if not name:
        raise ValueError(f"{op.name} has no {variant} form")
    keywords = arguments(op, name, inputs, attrs)
    if variant == "out":
        keywords["out"] = out
    result: torch.Tensor = overload(name)(**keywords)
    return result


def output_dtype(op: OpSpec, inputs: Sequence[torch.Tensor | None]) -> str:
    """The dtype that torch gives the result, by the catalogue's dtype rule."""
    given = [t for t in inputs if t is not None]
    if op.dtype_rule == "same":
        return dtype_name(given[0].dtype)
    common = promoted(tuple(dtype_name(t.dtype) for t in given[:2]), tuple(t.dim() for t in given[:2]))
    if op.dtype_rule == "promote_float" and not is_float(common):
        return "float32"
    return common
