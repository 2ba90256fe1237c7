"""Casts between two fixed element types: ``acme_f32_to_f16(in, out, n)``, one function for each pair.

Which two they are the pointers say, or the name where a pointer does not. A profile's entry lists dtypes to cast from
and to, so the pairs that are bound are those of which every combination is served; a way through a third type serves
where nothing is lost on its first half.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import combinations

from torchfl_sdk.match import draft
from torchfl_sdk.match.draft import QUEUE, Candidate, Draft, Evidence, Refusal
from torchfl_sdk.match.dtypes import COMPLEX
from torchfl_sdk.match.model import Call
from torchfl_sdk.match.pointer import find_count, find_output
from torchfl_sdk.match.tokens import DTYPE_WORDS

Pair = tuple[str, str]

_TYPE = "|".join(sorted((w for w in DTYPE_WORDS if len(w) > 1 and w not in ("sp", "dp")), key=len, reverse=True))
_TO = re.compile(rf"(?:^|[^a-z0-9]|(?<=[a-z0-9])(?=[A-Z]))({_TYPE})_*(?:to|2)_*({_TYPE})(?![a-z])", re.I)
_BESIDE = re.compile(rf"(?:^|_|(?<=[a-z0-9])(?=[A-Z]))({_TYPE})_?({_TYPE})(?![a-z])", re.I)
_FROM = re.compile(rf"({_TYPE})_*from_*({_TYPE})(?![a-z])", re.I)

#: dtype -> those that hold each of its values.
_HOLD = {
    "int8": ("int16", "int32", "int64", "float16", "bfloat16", "float32", "float64"),
    "uint8": ("int16", "int32", "int64", "float16", "bfloat16", "float32", "float64"),
    "int16": ("int32", "int64", "float32", "float64"),
    "int32": ("int64", "float64"),
    "float16": ("float32", "float64"),
    "bfloat16": ("float32", "float64"),
    "float32": ("float64",),
}
#: Two casts that are one although the first may round: integers that float32 rounds are beyond float16's largest.
_AS_ONE = {("int32", "float32", "float16"), ("int64", "float32", "float16")}


def match_cast(candidate: Candidate) -> Draft | Refusal:
    """A draft of a cast for a function from one element type to another."""
    parameters = candidate.parameters
    evidence = Evidence()
    if any(p.sort == "stream" for p in parameters):
        return QUEUE
    tensors = [p for p in parameters if p.sort == "tensor"]
    rest = [p for p in parameters if p not in tensors]
    if len(tensors) != 2:
        return Refusal(f"has {len(tensors)} tensors, a cast has 2")
    strange = [p for p in rest if p.sort != "int"]
    if strange:
        return Refusal(f"argument '{strange[0].name}' ({strange[0].param.type.spelled}) has no meaning in a cast")
    output = find_output(tensors, evidence)
    if isinstance(output, Refusal):
        return output
    source = next(t for t in tensors if t is not output)
    count = find_count(candidate, rest, evidence)
    if isinstance(count, Refusal):
        return count
    pair = _types(candidate.function.name, source.element, output.element)
    if isinstance(pair, Refusal):
        return pair
    evidence.say(f"from {pair[0]} to {pair[1]}")
    returned = draft.returns(candidate)
    if isinstance(returned, Refusal):
        return returned
    roles = {source.index: "self", output.index: "out", count.index: "numel"}
    arguments = tuple(candidate.argument(p, roles[p.index]) for p in parameters)
    call = Call(candidate.function.name, arguments, (pair[0],), False, candidate.source, returned, results=(pair[1],))
    return Draft(call, "pointer", evidence.confidence, tuple(evidence.sentences), candidate.reading.stem)


def _types(name: str, source: str, result: str) -> Pair | Refusal:
    """What is cast to what, by the pointers' elements ("": unknown) and the name."""
    if "complex" in (source, result):
        return COMPLEX
    said = named_pair(name)
    if said is not None and (source in ("", said[0])) and (result in ("", said[1])):
        source, result = said
    if not source or not result:
        return Refusal("neither its name nor its pointers say both element types")
    if said is not None and said != (source, result):
        return Refusal(f"its name says {said[0]} to {said[1]}, its pointers are {source} and {result}")
    if source == result or "bool" in (source, result):
        return Refusal(f"from {source} to {result} is no change of numbers that PyTorch casts")
    return source, result


def named_pair(name: str) -> Pair | None:
    """The two element types in a name, in the order of the cast: ``f32_to_f16``, ``CastF32F16``, ``half2float``."""
    for pattern in (_TO, _BESIDE):
        if hit := pattern.search(name):
            return DTYPE_WORDS[hit[1].lower()], DTYPE_WORDS[hit[2].lower()]
    if hit := _FROM.search(name):
        return DTYPE_WORDS[hit[2].lower()], DTYPE_WORDS[hit[1].lower()]
    return None


def pair_of(call: Call) -> Pair:
    """What a call casts to what."""
    return call.dtypes[0], call.results[0]


def every(served: tuple[tuple[str, ...], tuple[str, ...]]) -> list[Pair]:
    """The casts between ``served``, dtypes and those that are cast to."""
    return [(a, b) for a in served[0] for b in served[1] if a != b]


def way(pair: Pair, pairs: Collection[Pair]) -> tuple[Pair, ...] | None:
    """The casts that make one: itself, or two of which the first keeps every value; None where there are none."""
    if pair in pairs:
        return (pair,)
    rounded = [m for a, m, b in _AS_ONE if (a, b) == pair]
    for middle in (*_HOLD.get(pair[0], ()), *rounded):
        if (pair[0], middle) in pairs and (middle, pair[1]) in pairs:
            return (pair[0], middle), (middle, pair[1])
    return None


def combined(pairs: Collection[Pair]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(dtypes, those of them that are cast to) with the most casts, and of these the most by one function, such that
    every dtype is cast to every result."""
    dtypes = sorted({d for pair in pairs for d in pair})
    results = sorted({to for _, to in pairs})
    best: tuple[int, int, tuple[str, ...], tuple[str, ...]] = (0, 0, (), ())
    for size in range(1, len(results) + 1):
        for targets in combinations(results, size):
            if not all(way((a, b), pairs) for a in targets for b in targets if a != b):
                continue
            sources = [d for d in dtypes if d not in targets and all(way((d, t), pairs) for t in targets)]
            served = tuple(sorted([*targets, *sources])), targets
            asked = every(served)
            score = len(asked), sum(pair in pairs for pair in asked)
            if score > best[:2]:
                best = (*score, *served)
    return best[2], best[3]
