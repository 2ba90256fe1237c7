"""Tensors that are plain numbers: a library keeps a table of them and gives out places in it.

No type tells such a number from an extent. What does is the whole header: functions named after ops take one number
called like an operand for each operand of the op, and one for the result, and no pointer to data.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from torchfl_sdk.header.model import CType, Function
from torchfl_sdk.match.recognise.induction import WRITTEN, Carrier
from torchfl_sdk.match.recognise.objects import CONTEXT
from torchfl_sdk.match.recognise.part import Part
from torchfl_sdk.match.tokens import words
from torchfl_sdk.match.vocabulary.arguments import INPUT, SECOND, SPECIAL

_LEAST = 6  # functions that must agree
_SHARE = 0.7
_RESULTS = frozenset(words("r res result results ret out output dst dest"))
_WEAK_RESULTS = frozenset(words("y z c o"))  # operands too where another is called a result
_OPERANDS = INPUT | SECOND | frozenset(words("a b c x y z t o"))
_RUNS = CONTEXT | frozenset(words("sess hnd dev card inst"))
#: Operands beside the first two, called so whatever the op.
_FURTHER = frozenset(n for role in ("weight", "bias", "running_mean", "running_var", "condition", "mask", "indices")
                     for n in SPECIAL.get(role, ()))  # fmt: skip
_FURTHER |= frozenset(words("w mean var gamma beta slope sel mask"))


def numbered(named: Iterable[tuple[Function, int]]) -> Carrier | None:
    """What carries the tensors of a header in which they are numbers, ``None`` where nothing says that they are.

    ``named``: functions with how many tensors the op of their name reads.
    """
    speak, agree, counts = 0, 0, set()
    for function, operands in named:
        if not operands or any(_holds(p.type) for p in function.params):
            continue
        called = [p.name.lower() for p in function.params if _plain(p.type)]
        results = sum(n in _results(called) for n in called)
        inputs = sum(n in _OPERANDS for n in called if n not in _results(called))
        speak += 1
        if (inputs == operands and results == 1) or (inputs == operands + 1 and not results and len(called) == inputs):
            agree += 1
            counts.add(operands)
    if agree < _LEAST or len(counts) < 2 or agree < _SHARE * speak:
        return None
    return Carrier("number", WRITTEN, agree, speak)


def as_tensors(parts: Sequence[Part], carrier: Carrier) -> tuple[Part, ...]:
    """The numbers of one function that stand for tensors or for what it runs on, made these.

    Those of tensors have one type.
    """
    parts = [replace(p, sort="ints") if p.sort == "data" and not _holds(p.param.type) else p for p in parts]
    if any(p.sort in ("data", "tensor", "list") for p in parts):
        return tuple(parts)
    called = [p for p in parts if p.sort in ("int", "id") and _plain(p.param.type) and p.param.name.lower() in (
        _OPERANDS | _RESULTS | _FURTHER)]  # fmt: skip
    types = {p.param.type.canonical for p in called}
    if len(types) != 1:
        return tuple(parts)
    made = []
    results = _results([p.param.name.lower() for p in called])
    for part in parts:
        name = part.param.name.lower()
        if part in called:
            made.append(replace(part, sort="tensor", written=name in results, carrier=carrier))
        elif part.sort == "int" and name in _RUNS:
            made.append(replace(part, sort="handle", type_words=part.type_words | {"context"}))
        else:
            made.append(part)
    return tuple(made)


def _results(called: Sequence[str]) -> frozenset[str]:
    """What results are called among these names: the clear words for one, else what is one in formulas."""
    return _RESULTS if _RESULTS.intersection(called) else _WEAK_RESULTS


def _plain(type_: CType) -> bool:
    return type_.kind == "int" and type_.bits >= 32


def _holds(type_: CType) -> bool:
    """True for what may hold data: pointers, but for those to constant integers, which are attributes."""
    inner = type_.pointee
    return inner is not None and not (inner.const and inner.kind == "int")
