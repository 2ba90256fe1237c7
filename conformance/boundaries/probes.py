"""Profile falsification: each declared limit of an entry, asked from both sides.

Inside, the chip's kernel must run and be right; outside, it must not be reached, and the result must still be right.
Outside of a multiple that the entry pads to, the kernel must run and be right, too. An index outside its dimension must
be an error where the entry says that the kernel checks it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from torchfl_sdk.conformance.cases.at_value import spec_with
from torchfl_sdk.conformance.cases.expectation import holds
from torchfl_sdk.conformance.cases.padding import padded
from torchfl_sdk.conformance.cases.recipes import specs
from torchfl_sdk.conformance.cases.spec import SampleSpec

from torchfl import catalogue
from torchfl.catalogue import OpSpec
from torchfl.profile import Constraint, OpEntry

#: How many values inside and outside a limit are tried.
_MOST = {"quick": (4, 2), "release": (64, 4)}


def boundary_samples(entry: OpEntry, seed: int, level: str) -> Iterator[tuple[str, SampleSpec]]:
    """(what is probed, sample) for every constraint of an entry, in each of its dtypes, and for the dtypes it lacks."""
    op = catalogue.get(entry.name)
    if op is None:
        return
    for dtype in entry.dtype_support:
        for constraint in entry.constraints:
            choices = next((a.choices for a in op.attrs if a.name == constraint.variable), ())
            inside, outside = values_around(constraint, *_MOST[level], choices)
            for side, values in (("inside", inside), ("outside", outside)):
                for value in values:
                    sample = spec_with(op, dtype, seed, constraint.variable, value)
                    if sample is not None:
                        rounded = padded(op, entry, constraint, value, dict(sample.attrs))
                        by_padding = side == "outside" and holds(constraint, rounded)
                        yield f"{constraint.variable}={value} {'padded' if by_padding else side}", sample
    for dtype in op.dtypes:
        if dtype not in entry.dtype_support:
            for sample in specs(op, dtype, seed, "probe"):
                yield f"dtype={dtype} outside", sample


#: Fills of an index that is no place in the dimension that it counts.
OUTSIDE = ("beyond", "negative")


def outside_samples(op: OpSpec, base: SampleSpec) -> Iterator[tuple[str, SampleSpec]]:
    """(what is probed, sample) for an op with an index: the call of ``base`` with one value that points outside."""
    kinds = dict(op.input_kinds)
    at = next((i for i, name in enumerate(op.inputs) if kinds.get(name) == "index"), None)
    index = None if at is None else base.inputs[at]
    if at is None or index is None:
        return
    extent = index.fill.split(":")[1]  # index:N or cyclic:N:D
    for form in OUTSIDE:
        changed = replace(index, fill=f"{form}:{extent}")
        inputs = (*base.inputs[:at], changed, *base.inputs[at + 1 :])
        yield f"index={extent if form == 'beyond' else -1} outside", replace(base, inputs=inputs)


def values_around(
    constraint: Constraint, most_inside: int, most_outside: int, choices: tuple[str, ...] = ()
) -> tuple[list[Any], list[Any]]:
    """Values just inside and just outside a constraint, nearest to its edges first; ``choices``: all that it may be."""
    inside: list[Any]
    outside: list[Any]
    if choices:
        inside = [c for c in choices if holds(constraint, c)]
        outside = [c for c in choices if not holds(constraint, c)]
    elif constraint.allowed is not None:
        inside = [v for v in constraint.allowed if holds(constraint, v)]
        outside = _beside(constraint)
    else:
        step = constraint.multiple_of or 1
        low = constraint.min if constraint.min is not None else step
        first = -(-low // step) * step
        inside = [first]
        outside = []
        if constraint.multiple_of is not None:
            inside.append(first + step)
            outside += [first + step - 1, first + 1]
        if constraint.min is not None:
            outside.append(constraint.min - 1)
        if constraint.max is not None:
            inside.append(constraint.max // step * step)
            outside.append(constraint.max + 1)
        outside = [v for v in outside if not holds(constraint, v)]
        inside = [v for v in inside if holds(constraint, v)]
    return list(dict.fromkeys(inside))[:most_inside], list(dict.fromkeys(outside))[:most_outside]


def _beside(constraint: Constraint) -> list[Any]:
    """Neighbours of the allowed values that are not allowed, the gaps between them first; True for a lone False."""
    allowed: list[Any] = sorted(v for v in constraint.allowed or () if not isinstance(v, str))
    if all(isinstance(v, bool) for v in allowed):
        return [v for v in (False, True) if v not in allowed]
    gaps = [v + 1 for v in allowed[:-1] if v + 1 not in allowed]
    return [*gaps, allowed[-1] + 1, allowed[-1] * 2 + 1, allowed[0] - 1] if allowed else []
