"""The vendor's objects: which functions make one, fill it, give it back, and use it.

Most are opaque. Some are structs of the caller that a function of the header fills, and that go to others by address.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from torchfl_sdk.header.model import CType, Function, HeaderModel
from torchfl_sdk.match.handles import object_key, out_key, variable_type
from torchfl_sdk.match.model import StructLayout
from torchfl_sdk.match.structs import tensor_structs
from torchfl_sdk.match.tokens import split, words
from torchfl_sdk.scaffold.compose.by_use import ByUse

_MAKES = frozenset(words("create new make init alloc open build generate setup"))
_FILLS = frozenset(words("set init config configure fill"))
_ENDS = frozenset(words("destroy delete free release del close dispose drop discard"))
#: Words of functions that make an object from another of its own kind, or from a file.
_COPIES = frozenset(words("clone copy dup duplicate blob file serialize from_file cache import"))


@dataclass
class Lifecycle:
    """The functions around one kind of object. ``ctype``: what a variable that holds one is declared as; ``held``: that
    variable is the object itself, a struct that its makers fill, and not a pointer to one; ``layout``: that is a tensor
    by its fields, which a kernel fills itself."""

    key: str
    ctype: str = ""
    held: bool = False
    makers: list[Function] = field(default_factory=list)
    fillers: list[Function] = field(default_factory=list)
    ends: list[Function] = field(default_factory=list)
    users: list[Function] = field(default_factory=list)
    layout: StructLayout | None = None

    @property
    def end(self) -> Function | None:
        return self.ends[0] if self.ends else None


class Lifecycles:
    """The opaque objects of one header, by their keys."""

    def __init__(self, model: HeaderModel) -> None:
        self._model = model
        self._found: dict[str, Lifecycle] = defaultdict(lambda: Lifecycle(""))
        self._given: set[str] = set()  # classes whose objects a function of the vendor's makes
        for function in model.functions:
            if not (function.variadic or function.inline or function.linkage != "c"):
                self._file(function)
        self._settle_held()
        self._by_use = ByUse(model)
        self._settled: set[str] = set()
        self._tensors = {
            key: Lifecycle(key, layout.struct, held=True, layout=layout)
            for key, layout in tensor_structs(model).items()
            if self._of_functions(key) is None
        }

    def key(self, t: CType) -> str:
        """What the object that a parameter takes is called, by address or, of tensors by their fields, by value."""
        return t.name if t.kind == "struct" and t.name in self._tensors else object_key(t)

    def of(self, t: CType) -> Lifecycle | None:
        """The lifecycle of the object that a parameter takes; None for what is no object, or a complete struct."""
        key = object_key(t)
        return self.by_key(key) if key else None

    def by_key(self, key: str) -> Lifecycle | None:
        return self._tensors.get(key) or self._of_functions(key)

    def _of_functions(self, key: str) -> Lifecycle | None:
        life = self._found.get(key)
        if life is None or not (life.held or key in self._given or not self._complete(key)):
            return None
        if key not in self._settled:
            self._settled.add(key)
            self._settle(life)
        return life

    def _settle(self, life: Lifecycle) -> None:
        """A kind of object that no verb of everybody's makes: by what the header's functions take and give."""
        if life.held or life.makers:
            return
        maker, end = self._by_use.of(life.key)
        if maker is None:
            return
        life.makers.append(maker)
        self._type(life.key, maker)
        life.users = [u for u in life.users if u not in (maker, end)]
        if end is not None and not life.ends:
            life.ends.append(end)

    def _complete(self, key: str) -> bool:
        struct = self._model.structs.get(key)
        return struct is not None and struct.complete

    def _file(self, function: Function) -> None:
        tokens = set(split(function.name))
        made = [out_key(p.type) for p in function.params if out_key(p.type)]
        returned = object_key(function.result)
        verbs = tokens & _MAKES and not tokens & _COPIES
        for key in dict.fromkeys([*made, *([returned] if returned else [])]):
            if verbs or (returned == key and not made and tokens & _MAKES):
                self._own(key).makers.append(function)
                self._type(key, function)
        if filled := self._filled(function) if verbs and not made and not returned else "":
            self._own(filled).makers.append(function)
            place = next(p.type.pointee for p in function.params if object_key(p.type) == filled)
            assert place is not None
            self._own(filled).held, self._own(filled).ctype = True, variable_type(place)
            return
        taken = [object_key(p.type) for p in function.params]
        if len(function.params) == 1 and taken[0] and tokens & _ENDS:
            self._own(taken[0]).ends.append(function)
            return
        if taken and taken[0] and tokens & _FILLS and taken[0] not in made and len(function.params) > 1:
            self._own(taken[0]).fillers.append(function)
        for key in dict.fromkeys(k for k in taken if k):
            self._own(key).users.append(function)

    def _filled(self, function: Function) -> str:
        """The struct of the caller's that a function writes to and that nothing else of its kind comes with."""
        structs = [(object_key(p.type), p.type.pointee) for p in function.params if self._complete(object_key(p.type))]
        written = [key for key, inner in structs if inner is not None and not inner.const]
        found = written[0] if len(written) == 1 else ""
        return found if [key for key, _ in structs].count(found) == 1 else ""

    def _settle_held(self) -> None:
        """A kind that some function makes and gives out, to be written to, is the vendor's to make room for."""
        for function in (f for f in self._model.functions if set(split(f.name)) & _MAKES):
            given = [function.result, *(p.type.pointee for p in function.params if p.type.pointee is not None)]
            for t in given:
                if t.pointee is not None and not t.pointee.const and self._complete(key := object_key(t)):
                    self._found[key].held = False
                    if any(m.namespace == key for m in self._model.methods):
                        self._given.add(key)

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
