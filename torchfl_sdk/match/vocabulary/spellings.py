"""Words of ops' names that say the same: the longer forms, and the form that the tables of names have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from torchfl_sdk.match.tokens import words

#: word -> the same word as the tables have it
USUAL: dict[str, str] = {
    other: usual
    for usual, others in {
        "reduce": "reduction reducing",
        "pool": "pooling",
        "pool2d": "pool2 pooling2",
        "conv2d": "conv2",
        "upsample": "upsampling",
        "conv": "convolution convolve convolutional",
        "normalization": "normalisation",
        "normalize": "normalise",
        "avg": "average averaging ave mean",
        "max": "maximum",
        "min": "minimum",
        "cum": "cumulative running",
        "prod": "product",
        "mat": "matrix matrices",
        "mul": "multiply multiplication mult mpy times",
        "add": "addition plus",
        "sub": "subtract subtraction minus",
        "div": "divide division",
        "equal": "equals",
        "inv": "inverse",
        "transpose": "transposed trans",
        "depthwise": "dw",
        "index": "indices indexes idx",
        "abs": "absolute",
        "exp": "exponential exponent",
        "log": "logarithm",
        "group": "grouped",
        "batch": "batched",
        "embedding": "embed",
        "1": "one",
        "2": "two",
    }.items()
    for other in words(others)
}


def respelled(tokens: Sequence[str]) -> Iterator[list[str]]:
    """A name of several words with some of them as the tables have them, the fewest first; a verb without its "s"."""
    places = [i for i, token in enumerate(tokens) if token in USUAL]
    if len(tokens) < 2 or len(places) > 4:
        return
    for count in range(1, len(places) + 1):
        for chosen in combinations(places, count):
            yield [USUAL[t] if i in chosen else t for i, t in enumerate(tokens)]
