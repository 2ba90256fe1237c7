"""What a parameter of a template's own type is: its name is all that says what it stands for."""

from __future__ import annotations

from torchfl_sdk.header.model import CType, Param
from torchfl_sdk.match.recognise.objects import CONTEXT, STREAM, TENSOR, is_parameter
from torchfl_sdk.match.recognise.part import Part
from torchfl_sdk.match.tokens import split, words

_APPLIED = frozenset(words("op functor function fn func predicate compare comparator"))
_SIDES = frozenset(words("input output in out"))
_ITERATORS = frozenset(words("iterator iter it range pointer ptr"))
_COUNTED = frozenset(words("num size count offset index idx int length items"))
#: What runs a function or owns the memory: one for all its operands.
_RUNS = CONTEXT | frozenset(words("executor policy space allocator resources"))


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
