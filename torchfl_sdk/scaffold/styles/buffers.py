"""Kernels over opaque buffers: a tensor is an object and an offset into it, and a call goes through a queue.

Products (with strides, in one call for a batch) and elementwise ops; the BLAS's other functions are :mod:`blas`'s.
What the C types cannot say here, the element type, stands in the function's name, so entries wait for the probe.
"""

from __future__ import annotations

from collections.abc import Iterator

from torchfl import catalogue
from torchfl_sdk.header.model import Function, Param
from torchfl_sdk.match.model import Argument, OpMatch
from torchfl_sdk.scaffold.includes import other_includes
from torchfl_sdk.scaffold.kernel_plan import NotGenerated
from torchfl_sdk.scaffold.object_calls import object_name
from torchfl_sdk.scaffold.objects import Objects
from torchfl_sdk.scaffold.styles.ground import Extra, Ground, Lacking
from torchfl_sdk.scaffold.styles.products import PRODUCTS, Translation, plan_products
from torchfl_sdk.scaffold.styles.wide import (
    LENGTH_VALUES,
    TENSORS,
    argument,
    letter_dtype,
    queue_argument,
    scalar_dtype_fits,
)

_ELEMENTWISE = ("same", "broadcast")  # shape rules


def plan(ground: Ground) -> Iterator[Extra | Lacking]:
    """Kernels for products and elementwise ops on buffer objects."""
    objects = ground.device.objects
    if objects is None:
        yield from _without_runtime(ground)
        return

    for found, _ in ground.open_matches("buffer"):
        if found.aten == "aten::convolution" and "bias" not in dict(found.arguments).values():
            yield Lacking(found, "it takes no bias, and no profile can say that calls with one run elsewhere")

    def translate(found: OpMatch, function: Function, op: str) -> Translation:
        return _Translation(ground, found, function, op, objects)

    yield from plan_products(ground, ground.open_matches("buffer", "tensor"), translate, _ops)


def _without_runtime(ground: Ground) -> Iterator[Lacking]:
    """Matches on buffer objects that no function of the given headers makes."""
    for found, function in ground.open_matches("buffer"):
        tensors = {p.name: object_name(p.type) for p in function.params}
        kinds = [tensors[name] for name, role in found.arguments if role in TENSORS and tensors.get(name)]
        if not kinds:
            continue
        others = other_includes(ground.model)
        where = f"; the ones given include {', '.join(others)}" if others else ""
        why = f"no function of the given headers makes a {kinds[0]} and moves bytes in and out of it"
        yield Lacking(found, why, f"{why}: pass the header of the runtime that does, with a --header of its own{where}")


def _ops(found: OpMatch) -> list[str]:
    """The catalogue's ops that a match may serve."""
    if found.aten in PRODUCTS:
        return list(PRODUCTS[found.aten])
    names = (found.aten, *found.alternatives)
    return [op.name for op in catalogue.OPS if op.overload in names and op.shape_rule in _ELEMENTWISE]


class _Translation(Translation):
    """One match over buffer objects as a call over the catalogue's roles."""

    style = "buffer"

    def __init__(self, ground: Ground, found: OpMatch, function: Function, op: str, objects: Objects) -> None:
        super().__init__(ground, found, function, op)
        self.objects = objects
        self.dtype = letter_dtype(found, ground.match.matches)
        self.evidence = ("tensors are buffer objects with offsets",)

    def tensor(self, index: int, param: Param, role: str) -> Argument:
        if object_name(param.type) != self.objects.buffer:
            raise NotGenerated(f"{param.name!r} is a {param.type.spelled}, not a {self.objects.buffer}")
        return argument(param, self.tensors[role], index, buffer=True)

    def other(self, index: int, param: Param, role: str) -> Argument:
        if role in ("stream", "queue"):
            lines, value = queue_argument(param, self.objects)
            self.setup += lines
            return argument(param, "constant", index, value=value)
        if role == "event":
            return argument(param, "constant", index, value="nullptr")
        if role in LENGTH_VALUES:
            return argument(param, "constant", index, value=LENGTH_VALUES[role])
        return super().other(index, param, role)

    def _factor(self, index: int, param: Param, role: str) -> Argument:
        if not scalar_dtype_fits(param, self.dtype):
            raise NotGenerated(f"{param.name!r} is a {param.type.spelled}, which a double does not convert to")
        return super()._factor(index, param, role)
