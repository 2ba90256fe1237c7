"""Samples: the inputs and attributes of one call, made from a recipe or for one value of a constraint variable."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torchfl_sdk.conformance.cases import at_value, given, recipes
from torchfl_sdk.conformance.cases.fills import draw
from torchfl_sdk.conformance.cases.layouts import Laid, lay_out
from torchfl_sdk.conformance.cases.spec import GIVEN, SampleSpec

from torchfl import catalogue
from torchfl.catalogue import OpSpec


@dataclass(frozen=True, eq=False)
class Sample:
    """One call of an op, with its inputs on the CPU.

    ``inputs`` are in the order of ``op.inputs`` (None: an absent optional) and views of ``laid[i].base``; ``attrs``
    maps schema names to values (every attribute that the recipe sets). ``exact`` asks for tolerance zero.
    """

    op: OpSpec
    dtype: str
    inputs: tuple[torch.Tensor | None, ...]
    attrs: dict[str, Any]
    label: str
    exact: bool = False
    laid: tuple[Laid | None, ...] = ()
    spec: SampleSpec | None = None


def materialise(spec: SampleSpec) -> Sample:
    """Draw the values of a sample. The same spec gives the same bits everywhere."""
    op = catalogue.get(spec.op)
    if op is None:
        raise ValueError(f"no op {spec.op!r} in the catalogue")
    laid: list[Laid | None] = []
    for i, t in enumerate(spec.inputs):
        if t is None:
            laid.append(None)
            continue
        if t.fill.startswith(GIVEN):
            laid.append(given.laid(t, spec.dtype))
            continue
        dtype = t.dtype or spec.dtype
        seed = int(spec.id, 16) * 31 + i
        laid.append(lay_out(draw(t.fill, t.shape, dtype, seed, i), t.layout))
    inputs = tuple(None if one is None else one.view() for one in laid)
    return Sample(op, spec.dtype, inputs, dict(spec.attrs), spec.label, spec.exact, tuple(laid), spec)


def samples(op: OpSpec, dtype: str, seed: int = 0, level: str = "release") -> Iterator[Sample]:
    """The samples of an op's recipe, smallest first. ``level``: probe | quick | release. Not for empty tensors.

    Raises ValueError if the catalogue names a recipe that does not exist.
    """
    for spec in recipes.specs(op, dtype, seed, level):
        yield materialise(spec)


def sample_with(op: OpSpec, dtype: str, seed: int, variable: str, value: Any) -> Sample | None:
    """A small discriminating sample in which a constraint variable (``OpSpec.variables``) has this value.

    None where no sample can have it (a groups value that divides nothing, rank 0 of a matrix...).
    """
    spec = at_value.spec_with(op, dtype, seed, variable, value)
    return None if spec is None else materialise(spec)
