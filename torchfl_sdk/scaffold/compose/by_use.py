"""Objects whose makers have a verb of the vendor's own: who makes one and who ends it, by what functions take and give.

``ferry_launch(ferry **)`` makes what ``ferry_scrap(ferry *)`` ends, whatever the verbs mean elsewhere.
"""

from __future__ import annotations

from functools import cached_property

from torchfl_sdk.header.model import Function, HeaderModel
from torchfl_sdk.match.handles import object_key, out_key
from torchfl_sdk.match.matcher import header_prefixes
from torchfl_sdk.match.recognise.induction import carried
from torchfl_sdk.match.recognise.lifecycles import claims
from torchfl_sdk.match.recognise.uses import Use, uses


class ByUse:
    """The functions of one header as what they take and give; read when the first object needs it."""

    def __init__(self, model: HeaderModel) -> None:
        self._model = model

    @cached_property
    def _uses(self) -> list[Use]:
        return uses(self._model.functions, header_prefixes(self._model))

    def of(self, key: str) -> tuple[Function | None, Function | None]:
        """(what makes an object of this kind, what ends it); None where the header has no such function, or several
        of which no one stands out."""
        held = self._held(key)
        if not held:
            return None, None
        found = {c.role: c.function for c in claims(self._uses, (), (), (), (held,))}
        maker, end = (self._callable(found.get(f"handle_{what}", "")) for what in ("create", "destroy"))
        if maker is not None and key not in (object_key(maker.result), *(out_key(p.type) for p in maker.params)):
            maker = None
        if end is not None and [object_key(p.type) for p in end.params] != [key]:
            end = None
        return maker, end

    def _held(self, key: str) -> str:
        """What the uses call this kind of object."""
        return next(
            (carried(p.type)[0] for f in self._model.functions for p in f.params
             if key in (object_key(p.type), out_key(p.type)) and carried(p.type)), "",
        )  # fmt: skip

    def _callable(self, name: str) -> Function | None:
        function = self._model.function(name)
        return function if function and not (function.variadic or function.inline or function.linkage != "c") else None
