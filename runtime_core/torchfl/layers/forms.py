"""In-place and out= forms by way of the functional one: what a Python layer computes, and where the result goes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any


@dataclass(frozen=True)
class Form:
    """An overload as a layer sees it. ``functional`` computes; ``destinations`` names the arguments that receive the
    results, none for a functional overload. ``seeded``: the result depends on random numbers."""

    functional: Any
    destinations: tuple[str, ...]
    inplace: bool
    seeded: bool


@lru_cache(maxsize=4096)
def form_of(overload: str) -> Form | None:
    """None for an overload that writes arguments in a way that no functional one tells."""
    import torch

    op = _resolve(overload)
    seeded = torch.Tag.nondeterministic_seeded in op.tags
    written = [a for a in op._schema.arguments if a.alias_info is not None and a.alias_info.is_write]
    if not written:
        return Form(op, (), False, seeded)
    packet = op._schema.name.rpartition("::")[2]
    inplace = len(written) == 1 and written[0] is op._schema.arguments[0] and packet.endswith("_")
    if not inplace and not all(a.is_out for a in written):
        return None
    kept = [_signature(a) for a in op._schema.arguments if inplace or a not in written]
    functional = _find(overload, packet[:-1] if inplace else packet, kept)
    names = tuple(a.name for a in written)
    return None if functional is None else Form(functional, names, inplace, seeded)


def _resolve(overload: str) -> Any:
    import torch

    base, _, name = overload.partition(".")
    namespace, _, short = base.partition("::")
    return getattr(getattr(getattr(torch.ops, namespace), short), name or "default")


def _find(overload: str, short: str, arguments: list[tuple[str, str]]) -> Any:
    """The overload of a name that takes just these arguments and writes none."""
    import torch

    packet = getattr(getattr(torch.ops, overload.partition("::")[0]), short, None)
    for name in packet.overloads() if packet is not None else ():
        op = getattr(packet, name)
        if [_signature(a) for a in op._schema.arguments] == arguments and not op._schema.is_mutable:
            return op
    return None


def _signature(argument: Any) -> tuple[str, str]:
    return argument.name, str(argument.type)


def compute(form: Form, function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """``function`` on the arguments of the functional form; its results in the destinations, where the form has any.

    Results that alias an argument, which no functional overload gives, are copied.
    """
    kept = {name: value for name, value in kwargs.items() if form.inplace or name not in form.destinations}
    result = _own(function(*args, **kept), (args, kept))
    if not form.destinations:
        return result
    results = result if isinstance(result, (tuple, list)) else (result,)
    destinations = [args[0]] if form.inplace else [kwargs[name] for name in form.destinations]
    for destination, value in zip(destinations, results, strict=True):
        _put(destination, value, resize=not form.inplace)
    return destinations[0] if len(destinations) == 1 else tuple(destinations)


def _own(result: Any, arguments: Any) -> Any:
    import torch
    from torch.utils._pytree import tree_leaves, tree_map_only

    given = {t.untyped_storage()._cdata for t in tree_leaves(arguments) if isinstance(t, torch.Tensor)}
    return tree_map_only(torch.Tensor, lambda t: t.clone() if t.untyped_storage()._cdata in given else t, result)


def _put(destination: Any, value: Any, *, resize: bool) -> None:
    import torch
    from torch._prims_common.wrappers import _maybe_resize_out  # torch's own rule, with its warning

    if not torch.can_cast(value.dtype, destination.dtype):
        raise RuntimeError(f"result type {value.dtype} can't be cast to {destination.dtype}")
    if resize:
        destination = _maybe_resize_out(destination, value.shape)
    elif destination.shape != value.shape:
        raise RuntimeError(f"a result of {tuple(value.shape)} does not fit in place of {tuple(destination.shape)}")
    destination.copy_(value)
