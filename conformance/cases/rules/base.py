"""What the suite must know of a shape rule: samples with given values, the results' shapes, constraint variables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod
from typing import Any

from torchfl_sdk.conformance.cases.spec import SampleSpec, TensorSpec

from torchfl.catalogue import OpSpec

Shape = tuple[int, ...]
Values = Mapping[str, Any]

#: For exact sums: bits of odd left operands, and of dense ones whose sums over K <= 65 stay exact, per dtype.
EXACT = {"float64": (24, 12), "float32": (12, 12), "float16": (11, 4), "bfloat16": (8, 1)}


def exact_bits(dtype: str) -> int:
    """Bits of odd integers whose sums of products with +-1 stay exact in the accumulator and, mostly, in ``dtype``."""
    return EXACT[dtype][1]


def spec(
    op: OpSpec, dtype: str, seed: int, label: str, *inputs: TensorSpec | None, exact: bool = False, **attrs: Any
) -> SampleSpec:
    """A sample of these inputs; attributes that the op lacks are left out. ``dtype_attr``: the attribute ``dtype``."""
    if "dtype_attr" in attrs:
        attrs["dtype"] = attrs.pop("dtype_attr")
    given = tuple((a.name, attrs[a.name]) for a in op.attrs if a.name in attrs)
    return SampleSpec(op.name, dtype, inputs, given, label, seed, exact)


def stated(op: OpSpec, dtype: str, attrs: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes, with a number for an epsilon that the call leaves to the float that the op computes in: float64,
    or float32 for all others."""
    left = (a.name for a in op.attrs if a.epsilon and a.name in attrs and attrs[a.name] is None)
    return {**attrs, **dict.fromkeys(left, 2.0**-52 if dtype == "float64" else 2.0**-23)}


def label(values: Values, shape: Shape) -> str:
    """The shape, and what is special."""
    said = " ".join(f"{k}={_shown(v)}" for k, v in values.items() if k not in ("shape", "exact"))
    return f"{'x'.join(map(str, shape)) or '0-dim'} {said}".strip()


def _shown(value: Any) -> str:
    return "x".join(map(str, value)) if isinstance(value, tuple) else str(value)


class Rule:
    """One shape rule. ``values`` name constraint variables, attributes and what a rule documents beside them.

    ``sizes``: variables that are limited by bounds; ``asked``: attributes that are limited by lists. Attributes that
    follow from the shapes stand in neither.
    """

    sizes: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    least_rank = 0  # of the first input; a call below it is PyTorch's own affair
    contiguous = False  # PyTorch's own callers give contiguous tensors alone, and its CPU kernel refuses others

    def build(self, op: OpSpec, dtype: str, seed: int, values: Values) -> SampleSpec | None:
        """A small sample in which these values hold, the others being ordinary; None where none can have them."""
        raise NotImplementedError

    def grid(self, op: OpSpec, dtype: str, level: str) -> Iterator[dict[str, Any]]:
        """The values of each sample of a recipe, an ordinary one first. ``level``: probe | quick | release."""
        raise NotImplementedError

    def around(self, op: OpSpec, dtype: str, values: Values) -> dict[str, Any]:
        """``values``, and what an ordinary sample has beside them."""
        ordinary = {} if set(values) & set(self.sizes) else next(self.grid(op, dtype, "probe"))
        return {**ordinary, **values}

    def variables(self, op: OpSpec, shapes: list[Shape | None], attrs: Values) -> dict[str, Any]:
        """The rule's own constraint variables for one call."""
        return {}

    def outputs(self, op: OpSpec, shapes: list[Shape | None], attrs: Values) -> tuple[Shape, ...]:
        """The results' shapes; the inputs are taken to fit."""
        return (_first(shapes),) * len(op.outputs)

    def empties(self, op: OpSpec) -> Iterator[dict[str, Any]]:
        """Values of samples without elements."""
        yield from ()

    def left_out(self, shapes: list[Shape | None], attrs: Values) -> str:
        """Why no kernel is given such a call, which is PyTorch's own affair; "" where it is."""
        return ""

    def candidates(self, op: OpSpec, variable: str) -> list[Any] | None:
        """Values of a variable to ask a chip for; None: those usual for its kind."""
        return None


def _first(shapes: list[Shape | None]) -> Shape:
    first = shapes[0]
    if first is None:
        raise ValueError("the first input is never absent")
    return first


def given(shapes: list[Shape | None], index: int) -> Shape:
    """The shape of an input that is there. Raises ValueError where it is not."""
    shape = shapes[index]
    if shape is None:
        raise ValueError(f"input {index} is absent")
    return shape


def along(shape: Shape, dim: int | tuple[int, ...] | None) -> dict[str, int]:
    """What lies outside, along and inside dimensions, and in how many runs they lie; mirrors extents.hpp."""
    rank = max(len(shape), 1)
    dims = () if dim is None else (dim,) if isinstance(dim, int) else dim
    among = {d % rank for d in dims} if dims else set(range(rank))
    outer = extent = inner = 1
    runs, inside = 0, False
    for i, size in enumerate(shape):
        if i in among:
            extent *= size
            if size != 1:
                runs += not inside
                inside = True
        elif size != 1:
            inside = False
            outer, inner = (outer * size, inner) if runs == 0 else (outer, inner * size)
    return {"outer": outer, "extent": extent, "inner": inner, "spans": max(runs, 1)}


def shape_along(values: Values, ordinary: Shape = (5, 13)) -> tuple[Shape, int] | None:
    """A shape, and the dimension to work along, for one or more of the variables, or for ``shape`` and ``dim``."""
    if "shape" in values:
        dim = values.get("dim", len(values["shape"]) - 1)
        return tuple(values["shape"]), dim
    if isinstance(values.get("dim"), int):
        dim = values["dim"]
        shape = (3, 5, 7, 4)[: max(dim + 1, 2) if dim >= 0 else max(-dim, 2)]
        return (shape, dim) if -len(shape) <= dim < len(shape) else None
    if "rank" in values:
        rank = int(values["rank"])
        shape = (2, 3, 2, 5, 2, 3, 2, 2)[:rank]
        return (shape, -1) if 1 <= rank == len(shape) else None
    if "numel" in values:
        return ((int(values["numel"]),), -1) if values["numel"] > 0 else None
    extents = [int(values.get(name, default)) for name, default in (("outer", 5), ("extent", 13), ("inner", 1))]
    if min(extents) < 1 or prod(extents) > 1 << 22:
        return None
    if "outer" not in values and "extent" not in values and "inner" not in values:
        return ordinary, len(ordinary) - 1
    return (tuple(extents[:2]) if extents[2] == 1 else tuple(extents)), 1
