"""Whose memory tensors lie in: the host's, a device's, or a device's that the host reaches too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from torchfl_sdk.header.model import CType, HeaderModel
from torchfl_sdk.match.host_objects import tensors_from_host
from torchfl_sdk.match.model import RoleMatch, RuntimeFunction, StatusType
from torchfl_sdk.match.recognise.objects import STREAM
from torchfl_sdk.match.status import find_status
from torchfl_sdk.match.tokens import split, words

_NEEDED = ("malloc", "free")


@dataclass(frozen=True)
class Memory:
    """``place``: "host" or "device"; ``shared``: the host reaches the device's; ``questions`` about it."""

    place: str
    shared: bool
    questions: tuple[str, ...]


def tell(roles: Sequence[RuntimeFunction], wide: Sequence[RoleMatch], model: HeaderModel) -> Memory:
    """Where tensors lie, by the runtime functions that can be called and those that are only recognised."""
    place, questions = _place(roles, wide, model)
    shared = _is_shared(roles, wide)
    if shared:
        questions += (f"nothing copies to what {shared} gives: it is taken for memory that the host reaches too",)
    return Memory(place, bool(shared), questions)


def status_of_runtime(model: HeaderModel, wide: Sequence[RoleMatch]) -> tuple[StatusType, tuple[str, ...]]:
    """The status of the runtime's functions alone, in a header whose ops return nothing."""
    named = {entry.function for entry in wide}
    return find_status(replace(model, functions=tuple(f for f in model.functions if f.name in named)))


#: Wide roles that only a device of its own has.
_OF_DEVICES = frozenset(
    words("device_count set_device get_device device_sync device_name memory_info memcpy_h2d memcpy_d2h memcpy_d2d "
          "memcpy_async host_malloc stream_create context_create handle_set_stream")
)  # fmt: skip
_OF_MEMORY = ("malloc", "free", "memcpy", "memset")


def off_the_host(roles: list[RuntimeFunction], wide: Sequence[RoleMatch]) -> list[RuntimeFunction]:
    """The runtime's functions without those that do on the host what the C library's do: nothing speaks of a device,
    and what copies is not told which way."""
    signs = {entry.role for entry in wide} | {r.role for r in roles}
    told = any(a.role in ("kind", "stream", "context", "device") for r in roles for a in r.arguments)
    if "memcpy" not in signs or told or signs & _OF_DEVICES:
        return roles
    return [r for r in roles if r.role not in _OF_MEMORY]


_COPIES = ("memcpy", "memcpy_h2d", "memcpy_d2h")


def _is_shared(roles: Iterable[RuntimeFunction], wide: Sequence[RoleMatch]) -> str:
    """The allocator of an SDK in which nothing looks like a copy to or from its memory, or ""."""
    given = {r.role: r.function for r in roles}
    copies = {*given, *(entry.role for entry in wide)} & {*_COPIES, "memcpy_d2d", "memcpy_async"}
    return "" if copies or "free" not in given else given.get("malloc", "")


def _place(
    roles: Sequence[RuntimeFunction], wide: Sequence[RoleMatch], model: HeaderModel
) -> tuple[str, tuple[str, ...]]:
    """ "host" for a library that computes on the caller's memory; "device" where anything speaks of a device."""
    found = {r.role for r in roles}
    offered = {entry.role: entry.function for entry in wide}
    copied = "memcpy" in offered or {"memcpy_h2d", "memcpy_d2h"} <= set(offered)
    not_called = "in a way that no call is generated for yet"
    if "malloc" in found:
        asked = [f"no function gives {role} its role" for role in _NEEDED if role not in found]
        for way in _COPIES[1:]:
            copying = offered.get(way) or offered.get("memcpy", "")
            if not found & {"memcpy", way} and copying:
                asked.append(f"{copying} copies to or from the device, {not_called}")
        return "device", tuple(dict.fromkeys(asked))
    device = found & {"device_count", "set_device", "memcpy", "memcpy_h2d", "memcpy_d2h", "free", "memory_info"}
    if device:
        if tensors_from_host(model):
            return "host", ()
        if "malloc" in offered and copied:
            return "device", (f"{offered['malloc']} gives the device's memory, {not_called}",)
        return "device", ("the header has device functions but no allocator: pass the header that declares it too",)
    if "malloc" in offered and copied and set(offered) & _OF_DEVICES:
        return "device", (f"{offered['malloc']} gives the device's memory, {not_called}",)
    queue = _foreign_queue(model)
    if queue:
        made = "which another header makes, as it does the device's memory: pass that too"
        return "device", (f"its functions take {queue}, {made}",)
    return "host", ()


def _foreign_queue(model: HeaderModel) -> str:
    """A type of streams or queues that functions take and none of them makes: a device's, not the host's; or ""."""
    taken: dict[str, None] = {}
    made: set[str] = set()
    for f in model.functions:
        tells = bool({"get", "query"} & set(split(f.name)))  # what a handle was given before
        given = [f.result] + [p.type.pointee for p in f.params if p.type.kind == "pointer" and p.type.pointee]
        made |= {_queue(t) for t in given if not t.const and not tells}
        taken.update({name: None for p in f.params if (name := _queue(p.type)) and not _read_only(p.type)})
    return next((name for name in taken if name not in made), "")


def _read_only(type_: CType) -> bool:
    """Whether it is a handle to ask of, not to work on: what a library makes goes by another name there."""
    return type_.pointee is not None and type_.pointee.const


def _queue(type_: CType) -> str:
    """The name of a handle or struct of a stream or queue, "" for any other type."""
    inner = type_.pointee if type_.kind == "pointer" else type_
    if inner is None or inner.kind not in ("struct", "void"):
        return ""
    return next((a for a in type_.aliases if STREAM & set(split(a))), "")
