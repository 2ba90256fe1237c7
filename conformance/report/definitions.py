"""Other definitions under which vendors ship an op of the same name, by catalogue name.

A header that says ``round`` or ``gelu`` leaves open which of several definitions it means. A chip that is asked
answers: where its numbers are another definition's, that is the plain reading of what is "wrong"; where they are
right, every other definition that the same numbers exclude is settled too. Definitions: IEEE 754 (roundings), Hendrycks
and Gimpel 2016 (GELU), C's ``fmod``, ONNX's ``AveragePool`` (``count_include_pad``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torchfl_sdk.conformance.cases.samples import Sample

#: From (inputs in float64 or int64, attributes) to the result.
Definition = Callable[[Sequence[Any], dict[str, Any]], torch.Tensor]


def _half_away(x: Sequence[Any], attrs: dict[str, Any]) -> torch.Tensor:
    return torch.sign(x[0]) * torch.floor(torch.abs(x[0]) + 0.5)


def _half_up(x: Sequence[Any], attrs: dict[str, Any]) -> torch.Tensor:
    return torch.floor(x[0] + 0.5)


def _average_of_inside(x: Sequence[Any], attrs: dict[str, Any]) -> torch.Tensor:
    given = {name: value for name, value in attrs.items() if name != "count_include_pad"}
    include = not attrs.get("count_include_pad", True)
    result: torch.Tensor = torch.ops.aten.avg_pool2d(x[0], **given, count_include_pad=include)
    return result


def _batch_norm_of_deviation(x: Sequence[Any], attrs: dict[str, Any]) -> torch.Tensor:
    """The fifth input is multiplied as 1 / deviation."""
    source, weight, bias, mean, inverse = x[:5]
    shape = [1, -1, *[1] * (source.dim() - 2)]
    scaled: torch.Tensor = (source - mean.reshape(shape)) * inverse.reshape(shape)
    scaled = scaled if weight is None else scaled * weight.reshape(shape)
    return scaled if bias is None else scaled + bias.reshape(shape)


#: Per op: what torch's definition says, then the others.
DEFINITIONS: dict[str, tuple[str, tuple[tuple[str, Definition], ...]]] = {
    "aten::round": (
        "halves are rounded to even",
        (("halves are rounded away from zero", _half_away), ("halves are rounded up", _half_up)),
    ),
    "aten::gelu": (
        "the form that `approximate` names",
        (("the approximation x * sigmoid(1.702 x)", lambda x, attrs: x[0] * torch.sigmoid(1.702 * x[0])),),
    ),
    "aten::remainder": (
        "the result has the divisor's sign",
        (("the result has the dividend's sign, as fmod's", lambda x, attrs: torch.fmod(x[0], x[1])),),
    ),
    "aten::fmod": (
        "the result has the dividend's sign",
        (("the result has the divisor's sign, as remainder's", lambda x, attrs: torch.remainder(x[0], x[1])),),
    ),
    "aten::avg_pool2d": (
        "the divisor counts padding as `count_include_pad` says",
        (("the divisor counts padding the other way round", _average_of_inside),),
    ),
    "aten::batch_norm": (
        "the statistics are given as variance",
        (("the variance is taken to be an inverse deviation", _batch_norm_of_deviation),),
    ),
    "aten::sub": (
        "the first operand less the second",
        (("the operands are exchanged", lambda x, attrs: x[1] - attrs.get("alpha", 1) * x[0]),),
    ),
    "aten::div": (
        "the first operand by the second",
        (
            ("the operands are exchanged", lambda x, attrs: x[1] / x[0]),
            ("the quotient is cut to an integer", lambda x, attrs: torch.trunc(x[0] / x[1])),
        ),
    ),
    "aten::log": (
        "the logarithm is natural",
        (
            ("the logarithm is to base 2", lambda x, attrs: torch.log2(x[0])),
            ("the logarithm is to base 10", lambda x, attrs: torch.log10(x[0])),
        ),
    ),
    "aten::rsqrt": (
        "the reciprocal of the square root",
        (("the square root itself", lambda x, attrs: torch.sqrt(x[0])),),
    ),
}


def others(sample: Sample) -> Iterator[tuple[str, torch.Tensor]]:
    """What each other definition of the sample's op gives, in float64, unless it does not suit these inputs."""
    for statement, definition in DEFINITIONS.get(sample.op.name, ("", ()))[1]:
        wide = [None if t is None else t.to(torch.float64) if t.is_floating_point() else t for t in sample.inputs]
        try:
            yield statement, definition(wide, dict(sample.attrs))
        except (RuntimeError, ValueError, TypeError, IndexError, AttributeError):
            continue
