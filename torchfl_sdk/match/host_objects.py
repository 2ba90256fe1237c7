"""Libraries whose tensors are objects that hold their memory themselves: what goes in and comes out is the host's."""

from __future__ import annotations

from collections.abc import Iterator

from torchfl_sdk.header.model import Function, HeaderModel, Param
from torchfl_sdk.match.tokens import split

_HOSTS = frozenset(("host", "cpu"))


def tensors_from_host(model: HeaderModel) -> bool:
    """True if a function makes objects of a class from numbers of the host's, as its name says, and one reads them."""
    made = {m for f in _named(model) if (m := _class(f.result.canonical, model)) and _addresses(f, const=True)}
    for f in _named(model):
        taken = {_class(p.type.canonical, model) for p in f.params} | {f.namespace}
        if taken & made and _addresses(f, const=False):
            return True
    return False


def _named(model: HeaderModel) -> Iterator[Function]:
    """Functions and members whose names speak of the host."""
    yield from (f for f in (*model.functions, *model.methods) if set(split(f.name)) & _HOSTS)


def _class(text: str, model: HeaderModel) -> str:
    name = text.removesuffix("&").strip().removeprefix("const ").strip()
    return name if name in model.classes else ""


def _addresses(f: Function, *, const: bool) -> bool:
    return sum(_is_address(p, const=const) for p in f.params) == 1


def _is_address(p: Param, *, const: bool) -> bool:
    t = p.type.pointee if p.type.kind == "pointer" else None
    return t is not None and t.kind == "void" and t.const == const
