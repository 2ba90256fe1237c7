"""Runtimes that are opened: ``open(card, &context)``, and every function from then on takes the context.

A context is told from other handles by who takes it: the functions that reserve and copy memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from torchfl_sdk.header.model import Function, HeaderModel, Param
from torchfl_sdk.match.handles import object_key, out_key
from torchfl_sdk.match.idle import need_not
from torchfl_sdk.match.model import Argument, RuntimeFunction, Source
from torchfl_sdk.match.tokens import split, words

_OPENS = frozenset(
    words("open create init initialize initialise new make attach connect acquire start begin setup request")
)
_CLOSES = frozenset(words("close destroy delete free release del dispose deinit finalize shutdown detach disconnect "
                          "uninit fini exit stop end terminate"))  # fmt: skip
_INDEX = frozenset(words("index device dev card board chip core npu gpu unit slot id ordinal devid deviceid cardid num "
                         "no number idx"))  # fmt: skip
_FLAGS = frozenset(words("flag flags option options mode reserved"))


@dataclass(frozen=True)
class Context:
    """A kind of object that stands for an opened device. ``key``: as :func:`object_key` calls it."""

    key: str
    opens: RuntimeFunction
    closes: RuntimeFunction | None

    @property
    def functions(self) -> tuple[str, ...]:
        return tuple(f.function for f in (self.opens, self.closes) if f is not None)


def contexts(model: HeaderModel, returns: Callable[[Function], str]) -> Iterator[Context]:
    """The objects that a device may be opened as, those that most functions take first.

    ``returns``: how a function reports: "status", "void", "pointer" or something else.
    """
    users: dict[str, int] = {}
    for f in model.functions:
        for key in {object_key(p.type) for p in f.params} - {""}:
            users[key] = users.get(key, 0) + 1
    for key in sorted(users, key=lambda k: -users[k]):
        struct = model.structs.get(key)
        if struct is not None and struct.complete:
            continue
        for f in model.functions:
            opened = _opens(model, f, key, returns(f))
            if opened is not None:
                ends = (e for e in (_closes(model, f, key, returns(f)) for f in model.functions) if e)
                yield Context(key, opened, next(ends, None))
                break


def _plain(f: Function) -> bool:
    return f.linkage == "c" and not f.variadic and not f.inline


def _opens(model: HeaderModel, f: Function, key: str, returns: str) -> RuntimeFunction | None:
    made = [p for p in f.params if out_key(p.type) == key]
    returned = returns == "pointer" and object_key(f.result) == key
    if not _plain(f) or not _OPENS & set(split(f.name)) or len(made) + returned != 1:
        return None
    if not returned and returns not in ("status", "void"):
        return None
    arguments = []
    for p in f.params:
        argument = Argument(p.name, p.type.spelled, "context_out") if p in made else _given(f, p)
        if argument is None:
            return None
        arguments.append(argument)
    return RuntimeFunction("context_create", f.name, tuple(arguments), returns, _source(model, f))


def _given(f: Function, p: Param) -> Argument | None:
    """What an opener gets for one of its other parameters: the device's number, no flags, NULL for what is optional."""
    named = set(split(p.name))
    if p.type.kind == "int" and named & _FLAGS:
        return Argument(p.name, p.type.spelled, "constant", "0")
    if p.type.kind == "int" and named <= _INDEX:  # every word: num_threads is no number of a device
        return Argument(p.name, p.type.spelled, "device")
    return Argument(p.name, p.type.spelled, "constant", "nullptr") if need_not(p, f.comment) else None


def _closes(model: HeaderModel, f: Function, key: str, returns: str) -> RuntimeFunction | None:
    if not _plain(f) or len(f.params) != 1 or returns not in ("status", "void") or not _CLOSES & set(split(f.name)):
        return None
    p = f.params[0]
    if object_key(p.type) != key:
        return None
    arguments = (Argument(p.name, p.type.spelled, "context"),)
    return RuntimeFunction("context_destroy", f.name, arguments, returns, _source(model, f))


def _source(model: HeaderModel, f: Function) -> Source:
    return Source(model.short(f.place.file), f.place.line)
