"""Calls in two steps tied by a type: the first gives an object by address, the second takes it and no tensor.

The words by which their names differ are the vendor's own; that many pairs differ by the same ones says that they pair.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Sequence

from torchfl_sdk.header.model import CType, Function, HeaderModel
from torchfl_sdk.match.recognise.carriers import CARRIERS, is_workspace
from torchfl_sdk.match.recognise.part import Part
from torchfl_sdk.match.recognise.parts import Parts
from torchfl_sdk.match.tokens import split

PAIRS = 3  # that must differ by the same words


class Steps:
    """The pairs of calls of one header."""

    def __init__(self, model: HeaderModel, parts: Parts) -> None:
        self._first: dict[str, Function] = {}
        self._runs: dict[str, str] = {}  # second call -> its argument that the first gives
        self._given: dict[str, str] = {}  # first call -> its argument that the second takes
        givers: dict[str, list[tuple[Function, str]]] = defaultdict(list)
        together = _taken_together(model.functions)
        for function in model.functions:
            for param in function.params:
                given = _given(param.type)
                if given and given not in together:
                    givers[given].append((function, param.name))
        if not any(len(g) >= PAIRS for g in givers.values()):
            return
        found: list[tuple[tuple[str, ...], Function, Function, str]] = []
        for function in model.functions:
            taken = {t for p in function.params if (t := _taken(p.type)) and len(givers.get(t, ())) >= PAIRS}
            if not taken or any(_given(p.type) in taken for p in function.params):
                continue
            own = parts.of(function)
            held = [p for p in own if p.sort in CARRIERS and not is_workspace(p) and _taken(p.param.type) not in taken]
            if len(held) > 1 or any(not _is_room(p, own) for p in held):
                continue
            found += _partners(function, [g for t in taken for g in givers[t]])
        common = Counter(words for words, *_ in found)
        for words, function, first, argument in found:
            if common[words] >= PAIRS and common[words] == max(
                common[w] for w, f, *_ in found if f.name == function.name
            ):
                self._first[function.name] = first
                self._given[first.name] = argument
                tied = {_given(p.type) for p in first.params if p.name == argument} - {""}
                self._runs[function.name] = next(p.name for p in function.params if _taken(p.type) in tied)

    def first(self, function: Function) -> Function | None:
        """The call that prepares what ``function`` launches, or None."""
        return self._first.get(function.name)

    def launched(self, function: Function, arguments: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
        """The arguments of a second call: what it runs is a plan, the one other object is what it runs on."""
        plan = self._runs.get(function.name, "")
        others = [name for name, role in arguments if role == "handle" and name != plan]
        on = others[0] if plan and len(others) == 1 else ""
        told = {plan: "plan", on: "stream"} if plan else {}
        for param, size in itertools.pairwise(function.params) if plan else ():
            if param.type.kind == "pointer" and param.type.pointee is not None and param.type.pointee.kind == "void":
                told |= {param.name: "workspace"} | ({size.name: "workspace_size"} if size.type.kind == "int" else {})
        return tuple((n, told.get(n, r if plan else "plan" if r == "handle" else r)) for n, r in arguments)

    def plans(self, function: Function, arguments: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
        """The arguments of a first call, with what it gives to the second called a plan."""
        plan = self._given.get(function.name, "")
        return tuple((name, "plan" if name == plan and plan else role) for name, role in arguments)


def _taken_together(functions: Sequence[Function]) -> set[str]:
    """Types of which some function takes two at once: they carry operands, and are no plan that a call runs."""
    counted = (Counter(t for p in f.params if (t := _taken(p.type))) for f in functions)
    return {t for counts in counted for t, count in counts.items() if count > 1}


def tied_tails(functions: Sequence[Function]) -> frozenset[str]:
    """Last words of functions that give an object to the function called like them without that word."""
    by_name = {f.name: f for f in functions}
    together = _taken_together(functions)
    counts: Counter[str] = Counter()
    for function in functions:
        given = {t for p in function.params if (t := _given(p.type))} - together
        last = split(function.name)[-1] if given else ""
        stem = function.name[: -len(last)].rstrip("_") if last and function.name.lower().endswith(last) else ""
        launch = by_name.get(stem)
        if launch is not None and given & {_taken(p.type) for p in launch.params}:
            counts[last] += 1
    return frozenset(word for word, count in counts.items() if count >= PAIRS)


def _partners(
    function: Function, givers: list[tuple[Function, str]]
) -> list[tuple[tuple[str, ...], Function, Function, str]]:
    """Givers whose name is this function's with other words at its end, and those words."""
    own = split(function.name)
    made: list[tuple[tuple[str, ...], Function, Function, str]] = []
    for first, argument in givers:
        other = split(first.name)
        same = 0
        while same < min(len(own), len(other)) and own[same] == other[same]:
            same += 1
        more, less = tuple(other[same:]), tuple(own[same:])
        if same and (more or less) and len(more) <= 4 and len(less) <= 2:
            made.append((("/".join(more), "/".join(less)), function, first, argument))
    return made


def _is_room(part: Part, parts: Sequence[Part]) -> bool:
    """Memory without a type, with how much of it there is: what else could a launch need."""
    inner = part.param.type.pointee
    following = parts[part.index + 1] if part.index + 1 < len(parts) else None
    return inner is not None and inner.kind == "void" and following is not None and following.sort == "int"


def _given(type_: CType) -> str:
    """The struct of which a pointer is given by address: ``T **``, or a pointer to a handle."""
    inner = type_.pointee if type_.kind == "pointer" else None
    return _taken(inner) if inner is not None and inner.kind == "pointer" and not inner.const else ""


def _taken(type_: CType) -> str:
    inner = type_.pointee if type_.kind == "pointer" else None
    return inner.name if inner is not None and inner.kind == "struct" else ""
