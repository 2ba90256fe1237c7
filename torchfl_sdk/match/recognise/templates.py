"""What a parameter of a template's own type is: its name is all that says what it stands for."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

from torchfl_sdk.header.model import CType, Function, Param
from torchfl_sdk.match.recognise.objects import CONTEXT, STREAM, TENSOR, is_parameter
from torchfl_sdk.match.recognise.part import Part
from torchfl_sdk.match.tokens import split, words

_APPLIED = frozenset(words("op functor function fn func predicate compare comparator"))
_SIDES = frozenset(words("input output in out"))
_ITERATORS = frozenset(words("iterator iter it range pointer ptr"))
_COUNTED = frozenset(words("num size count offset index idx int length items"))
#: What runs a function or owns the memory: one for all its operands.
_RUNS = CONTEXT | frozenset(words("executor policy space allocator resources"))
#: What a number is called beside views: a factor, or what to fill with.
_FACTORS = frozenset(words("a alpha beta gamma val value scalar"))
_ELEMENT = re.compile(r"(?:const |typename )*type-parameter-\d+-\d+::\w*(?:value|scalar|element)_?type", re.I)


def by_itself(index: int, param: Param, type_words: frozenset[str]) -> Part:
    """A parameter of the type itself: an iterator over elements, how many there are, or a number."""
    said = type_words | set(split(param.type.spelled))
    if said & _APPLIED:
        return Part(index, param, "function", type_words=type_words)
    if said & _ITERATORS:
        written = bool(said & {"output", "out", "result", "dest", "dst"}) or "out" in split(param.name)
        return Part(index, param, "data", written, "", type_words)
    if (
        {"type", "t"} & said
        and len(said & (_SIDES | {"input", "output"})) == 1
        and split(param.name)[:1]
        and (split(param.name)[0].rstrip("0123456789") in _SIDES)
    ):  # any view: InType in, OutType out
        return Part(index, param, "tensor", bool(said & {"out", "output"}), "", type_words)
    return Part(index, param, "int" if said & _COUNTED else "float", type_words=type_words)


def runs(type_: CType) -> tuple[str, frozenset[str]]:
    """The sort of what a template is told to run with (``Context *``, ``const Device &``), and the words of its name;
    "" for any other parameter."""
    inner = type_.pointee if type_.pointee is not None else type_
    if not is_parameter(inner):
        return "", frozenset()
    said = frozenset(split(inner.spelled.removeprefix("const ")))
    if said & (_ITERATORS | TENSOR):
        return "", said  # a DeviceIterator, a tensor of a device
    if said & STREAM:
        return "stream", said
    return ("handle", said) if said & _RUNS else ("", said)


def is_number(type_: CType) -> bool:
    """True for one element of what another parameter holds: ``typename View::const_value_type &``."""
    inner = type_.pointee if type_.kind == "other" and type_.pointee is not None else type_
    return inner.kind == "other" and _ELEMENT.fullmatch(inner.canonical) is not None


_RANGES = {("first", "last"), ("begin", "end"), ("first1", "last1"), ("first2", "last2"), ("start", "end")}


def ranges(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """With one operand for each pair of iterators of one type: its first element; where it ends is a number."""
    ends = {
        second.index
        for first, second in pairwise(parts)
        if (first.param.name, second.param.name) in _RANGES
        and first.sort == second.sort == "data"
        and first.param.type.canonical == second.param.type.canonical
    }
    alone = not any(p.sort in ("data", "tensor") and p.index not in ends and p.index + 1 not in ends for p in parts)
    made = []
    for part in parts:
        if part.index in ends:
            made.append(replace(part, sort="int"))
        elif part.index + 1 in ends:
            made.append(replace(part, written=alone))  # nothing else can hold a result
        else:
            made.append(replace(part, written=True) if _place(part) and ends else part)
    return tuple(made) if ends else parts


def _place(part: Part) -> bool:
    return part.sort == "data" and part.param.name in ("result", "output", "out", "dest", "d_first", "result_begin")


def views(function: Function, parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """With tensors where a template returns nothing and takes all by constant reference: it writes through views."""
    by_reference = [p for p in parts if p.sort == "data" and _refers(p.param.type)]
    written = any(p.written and p not in by_reference for p in parts)
    if function.result.kind != "void" or written or not by_reference:
        return parts
    factors = [p for p in by_reference if p.param.name in _FACTORS]
    return tuple(
        replace(p, sort="scalar_pointer" if p in factors else "tensor", written=p not in factors)
        if p in by_reference
        else p
        for p in parts
    )


def _refers(type_: CType) -> bool:
    return type_.kind == "other" and type_.pointee is not None and type_.pointee.const and is_parameter(type_.pointee)
