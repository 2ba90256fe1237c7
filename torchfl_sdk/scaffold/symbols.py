"""The vendor functions that a chip library calls: how each is looked up, typed, and what a no-op of it returns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from torchfl_sdk.header.model import Function, HeaderModel, Packed
from torchfl_sdk.match.model import MatchResult
from torchfl_sdk.scaffold.assertions import pointer_type
from torchfl_sdk.scaffold.overloads import overloaded


@dataclass(frozen=True)
class VendorSymbol:
    """One function. ``noop`` is the C++ expression of a no-op's result, "" for void.

    ``local``: the expression of a function that the chip library compiles itself, from the vendor's header; it is
    called through the table like the others, so that calls are counted and the gate can make it a no-op.
    """

    name: str  # in generated code
    noop: str
    lookup: str  # for dlsym
    type: str  # the C++ type of a pointer to it
    local: str = ""
    packed: Packed | None = None
    makes: bool = False  # an object of a class, which no no-op can make
    words: int = 0  # of a table that the chip library has a copy of; 0 for a function
    bridge: str = ""  # C++ that defines the vendor's symbol within the chip library, for calls that compilers write


def plan_symbols(
    model: HeaderModel,
    match: MatchResult,
    used: Iterable[str],
    members: Mapping[str, VendorSymbol] = MappingProxyType({}),
) -> tuple[VendorSymbol, ...]:
    """The symbols of these functions. ``members``: those of classes, which no function of the header is."""
    names = tuple(used)
    several = overloaded(model, frozenset(names))
    return tuple(members.get(name) or _symbol(model, match, name, overloads=name in several) for name in names)


def _symbol(model: HeaderModel, match: MatchResult, name: str, *, overloads: bool) -> VendorSymbol:
    function = model.function(name)
    noop = _noop_result(name, match, function)
    if function is None or not function.cxx:
        address = f"&::{name}"
        pointer = pointer_type(function) if function is not None and overloads else ""
        if pointer:  # which of them is meant; that it is there, the compiler sees
            address = f"static_cast<{pointer}>({address})"
        return VendorSymbol(name, noop, name, f"decltype({address})", packed=function.packed if function else None)
    local = f"static_cast<{function.signature}>(&{function.cxx})" if function.local else ""
    makes = function.result.kind in ("struct", "union", "other") and match.status.of(function.result) is None
    symbol = function.symbol or name
    return VendorSymbol(name, "" if makes else noop, symbol, function.signature, local, function.packed, makes)


def _noop_result(name: str, match: MatchResult, function: Function | None) -> str:
    """What a no-op of a vendor function returns, as C++; "" for void."""
    own = match.status.of(function.result) if function is not None else None
    success = (own or match.status).success
    calls = {c.function: c.returns for b in match.bindings for c in b.calls}
    returns = {**{f.function: f.returns for f in match.runtime}, **calls}.get(name)
    if returns is not None:
        return "" if returns == "void" else success if returns == "status" else "{}"
    if function is None or function.result.kind == "void":  # a kernel from a match: the header alone says it
        return ""
    return success if own is not None else "{}"
