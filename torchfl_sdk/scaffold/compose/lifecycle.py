"""The vendor's opaque objects: which functions make one, fill it, give it back, and use it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from torchfl_sdk.header.model import CType, Function, HeaderModel
from torchfl_sdk.match.handles import object_key, out_key, variable_type
from torchfl_sdk.match.tokens import split, words

_MAKES = frozenset(words("create new make init alloc open build generate setup"))
_FILLS = frozenset(words("set init config configure fill"))
_ENDS = frozenset(words("destroy delete free release del close dispose"))
#: Words of functions that make an object from another of its own kind, or from a file.
_COPIES = frozenset(words("clone copy dup duplicate blob file serialize from_file cache import"))


@dataclass
class Lifecycle:
    """The functions around one kind of object. ``ctype``: what a variable that holds one is declared as."""

    key: str
    ctype: str = ""
    makers: list[Function] = field(default_factory=list)
    fillers: list[Function] = field(default_factory=list)
    ends: list[Function] = field(default_factory=list)
    users: list[Function] = field(default_factory=list)

    @property
    def end(self) -> Function | None:
        return self.ends[0] if self.ends else None


class Lifecycles:
    """The opaque objects of one header, by their keys."""

    def __init__(self, model: HeaderModel) -> None:
        self._model = model
        self._found: dict[str, Lifecycle] = defaultdict(lambda: Lifecycle(""))
        for function in model.functions:
            if not (function.variadic or function.inline or function.linkage != "c"):
                self._file(function)

    def of(self, t: CType) -> Lifecycle | None:
        """The lifecycle of the object that a parameter takes; None for what is no object, or a complete struct."""
        key = object_key(t)
        return self.by_key(key) if key else None

    def by_key(self, key: str) -> Lifecycle | None:
        struct = self._model.structs.get(key)
        if struct is not None and struct.complete:
            return None
        return self._found.get(key)

    def _file(self, function: Function) -> None:
        tokens = set(split(function.name))
        made = [out_key(p.type) for p in function.params if out_key(p.type)]
        returned = object_key(function.result)
        verbs = tokens & _MAKES and not tokens & _COPIES
        for key in dict.fromkeys([*made, *([returned] if returned else [])]):
            if verbs or (returned == key and not made and tokens & _MAKES):
                self._own(key).makers.append(function)
                self._type(key, function)
        taken = [object_key(p.type) for p in function.params]
        if len(function.params) == 1 and taken[0] and tokens & _ENDS:
            self._own(taken[0]).ends.append(function)
            return
        if taken and taken[0] and tokens & _FILLS and taken[0] not in made and len(function.params) > 1:
            self._own(taken[0]).fillers.append(function)
        for key in dict.fromkeys(k for k in taken if k):
            self._own(key).users.append(function)

    def _own(self, key: str) -> Lifecycle:
        self._found[key].key = key
        return self._found[key]

    def _type(self, key: str, function: Function) -> None:
        """The C++ type of a variable, from a place for one or from what is returned."""
        own = self._own(key)
        if own.ctype:
            return
        place = next((p.type.pointee for p in function.params if out_key(p.type) == key), None)
        own.ctype = variable_type(place if place is not None else function.result)
