"""Calling an op through the dispatcher as a user's program does: functional, in-place or with ``out=``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import torch
from torchfl_sdk.conformance.cases.dtypes import dtype_name, is_float, promoted, torch_dtype

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
    tensors = {op.inputs[0]: tuple(inputs)} if op.list_input else dict(zip(op.inputs, inputs, strict=True))
    given = tensors | dict(op.fixed) | attrs
    keywords: dict[str, Any] = {}
    for argument in overload(name)._schema.arguments:
        if argument.name not in given:
            continue
        value = given[argument.name]
        if isinstance(value, str) and argument.name == "dtype":
            value = torch_dtype(value)
        keywords[argument.name] = list(value) if isinstance(value, tuple) else value
    return keywords


def call_all(
    op: OpSpec, inputs: Sequence[Any], attrs: dict[str, Any], variant: str = "forward", out: Any = None
) -> tuple[torch.Tensor, ...]:
    """Run one variant and return its results (for ``inplace`` the first input, for ``out`` the ``out`` tensor); without
    those of an op's further results that a chip's kernel does not give.

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
    result = overload(name)(**keywords)
    if not isinstance(result, (tuple, list)):
        return (result,)
    return tuple(t for t in result[: len(op.outputs)] if t is not None)


def call(
    op: OpSpec, inputs: Sequence[Any], attrs: dict[str, Any], variant: str = "forward", out: Any = None
) -> torch.Tensor:
    """The first of the results of :func:`call_all`."""
    return call_all(op, inputs, attrs, variant, out)[0]


def output_dtypes(op: OpSpec, inputs: Sequence[torch.Tensor | None], attrs: Mapping[str, Any]) -> tuple[str, ...]:
    """The dtype that torch gives each result: the common dtype, bool, int64, or the one that an attribute names."""
    common, named = output_dtype(op, inputs), str(attrs.get("dtype") or "")
    dtypes = {"common": common, "bool": "bool", "index": "int64", "named": named}
    return tuple(dtypes[kind] for kind in op.output_kinds)


def output_dtype(op: OpSpec, inputs: Sequence[torch.Tensor | None]) -> str:
    """The dtype that the op computes in, by the catalogue's dtype rule; inputs of another kind have no say."""
    kinds = ["common"] * len(inputs) if op.list_input else [op.input_kind(name) for name in op.inputs]
    given = [t for t, kind in zip(inputs, kinds, strict=True) if t is not None and kind == "common"]
    if op.dtype_rule == "same":
        return dtype_name(given[0].dtype)
    common = promoted(tuple(dtype_name(t.dtype) for t in given[:2]), tuple(t.dim() for t in given[:2]))
    if op.dtype_rule == "promote_float" and not is_float(common):
        return "float32"
    return common
