"""Device functions over a runtime of objects: devices are listed, each gets a context and a queue, memory is buffers.

Recognised by shape and by the wide runtime roles, not by anybody's names: some function gives a buffer object for a
size, another reads it through a queue. What the pointer style calls ``handle + offset`` is a buffer and an offset here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from torchfl_sdk.header.model import Function, HeaderModel
from torchfl_sdk.match.model import MatchResult, StatusType
from torchfl_sdk.match.status import find_status
from torchfl_sdk.match.tokens import split
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.object_calls import Call, Speaker, Unfilled, constant, made_by, object_name

#: Devices and platforms that one list may name; a runtime with more shows the first of them.
_MOST = 64
#: Roles of the functions that such a runtime has; a library of ops in the same header may report otherwise.
_HOLDS = ("malloc", "free", "memcpy", "memset", "stream_", "context_", "device_")


@dataclass(frozen=True)
class Objects:
    """What a device's record holds, and how it comes and goes; C++ for the device template."""

    device: str  # type names; "" where the runtime has no such object
    context: str
    queue: str
    buffer: str
    status: StatusType
    listing: tuple[str, ...]  # statements that call ``add(device)`` for every device
    making: tuple[str, ...]  # statements that fill ``place`` for its device
    unmaking: tuple[str, ...]  # statements that give a ``place`` back
    source: str
    starting: tuple[str, ...] = ()  # statements before anything else, and after everything: the vendor's own
    ending: tuple[str, ...] = ()


@dataclass(frozen=True)
class Slot:
    """One device function that the objects make possible."""

    slot: str
    body: tuple[str, ...]
    function: str


@dataclass(frozen=True)
class ObjectRuntime:
    """Everything found: the record, the device functions, and why others are missing."""

    objects: Objects
    slots: tuple[Slot, ...]
    missing: tuple[tuple[str, str], ...]
    symbols: tuple[str, ...]


def plan_objects(model: HeaderModel, match: MatchResult) -> ObjectRuntime | None:
    """The object runtime of the headers, or None where they have none that is complete enough to hold tensors."""
    finder = _Finder(model, match)
    buffers = list(finder.makers("malloc"))
    for maker, buffer in buffers:
        try:
            return _Planner(finder, maker, buffer).runtime()
        except Unfilled:
            continue
    return None


class _Finder:
    """Looks functions up by wide role, the surest first."""

    def __init__(self, model: HeaderModel, match: MatchResult) -> None:
        self.model = model
        self._roles = sorted(match.roles, key=lambda r: -r.confidence)
        self.named = frozenset(r.function for r in match.roles if r.role.startswith(_HOLDS))

    def functions(self, *roles: str) -> Iterator[Function]:
        for role in roles:
            for entry in self._roles:
                function = self.model.function(entry.function) if entry.role == role else None
                if function is not None and not function.variadic:
                    yield function

    def makers(self, role: str) -> Iterator[tuple[Function, str]]:
        """Functions of a role that make an object, with its type."""
        for function in self.functions(role):
            made, _ = made_by(function)
            if made:
                yield function, made


class _Planner:
    """Plans one runtime around one kind of buffer."""

    def __init__(self, finder: _Finder, maker: Function, buffer: str) -> None:
        self.finder, self.model, self.maker, self.buffer = finder, finder.model, maker, buffer
        self.status = _status(self.model, maker, finder.named)
        self.used: list[str] = []
        self.missing: list[tuple[str, str]] = []

    def runtime(self) -> ObjectRuntime:
        if not self.status.success:
            raise Unfilled(f"nothing says which result of {self.maker.name} means success")
        context_maker, context = next(self.finder.makers("context_create"), (None, ""))
        queue_maker, queue = next(self.finder.makers("stream_create"), (None, ""))
        device, listing = self._devices([m for m in (context_maker, queue_maker, self.maker) if m is not None])
        making: list[str] = []
        objects = {device: "place.device"} if device else {}
        for maker, made, field in ((context_maker, context, "context"), (queue_maker, queue, "queue")):
            if maker is not None:
                speaker = Speaker(self.model, self.status, "", objects)
                call = speaker.call(maker, {"made": f"&place.{field}"})
                making += ["{", *(f"  {line}" for line in speaker.making(call, f"place.{field}", 6)), "}"]
                self.used.append(maker.name)
                objects = {**objects, made: f"place.{field}"}
        unmaking = [
            *self._destroys("stream_destroy", queue, "queue"),
            *self._destroys("context_destroy", context, "context"),
        ]
        speaker = Speaker(self.model, self.status, self.buffer, {t: _own(e) for t, e in objects.items()})
        slots = tuple(self._slots(speaker, queue))
        short = {"alloc", "free", "copy_h2d", "copy_d2h"} - {s.slot for s in slots}
        if short:
            raise Unfilled(f"no function for {', '.join(sorted(short))}")
        found = Objects(
            device, context, queue, self.buffer, self.status, tuple(listing), tuple(making), tuple(unmaking),
            f"{self.model.short(self.maker.place.file)}:{self.maker.place.line}",
        )  # fmt: skip
        return ObjectRuntime(found, slots, tuple(self.missing), tuple(dict.fromkeys(self.used)))

    def _devices(self, makers: Sequence[Function]) -> tuple[str, list[str]]:
        """(type of a device, statements that list them); ``makers``: of what each device has. Where none of these takes
        an object that is not made by another of them, there is one device, which has no object."""
        made = {made_by(m)[0] for m in makers}
        foreign = [n for m in makers for p in m.params if (n := object_name(p.type)) and n not in made]
        listers = [f for name in dict.fromkeys(foreign) if (f := self._lister(name)) is not None]
        for function in (*self.finder.functions("device_count"), *listers):
            lists = [p for p in function.params if _out_list(p.type.pointee, p.type.kind)]
            if len(lists) != 1:
                continue
            device = object_name(lists[0].type.pointee)
            outer = [object_name(p.type) for p in function.params if object_name(p.type)]
            given = {device: "devices", "entries": str(_MOST), "count_out": "&num_devices"}
            if not outer:
                return device, self._list(function, given, device, "devices", ["add(devices[i]);"])
            lister = self._lister(outer[0]) if len(outer) == 1 else None
            if lister is not None:
                inner = self._list(
                    function, {**given, outer[0]: "platforms[p]"}, device, "devices", ["add(devices[i]);"]
                )
                above = {outer[0]: "platforms", "entries": str(_MOST), "count_out": "&num_platforms"}
                return device, self._list(lister, above, outer[0], "platforms", inner, "p")
        if not foreign:
            return "", ["add();"]
        raise Unfilled("no function lists the devices")

    def _lister(self, wanted: str) -> Function | None:
        """The function that lists objects of a type and needs no other object."""
        for function in self.model.functions:
            lists = [p for p in function.params if _out_list(p.type.pointee, p.type.kind)]
            if len(lists) != 1 or object_name(lists[0].type.pointee) != wanted or not _count_type(function):
                continue
            if not any(object_name(p.type) for p in function.params):
                return function
        return None

    def _list(
        self, function: Function, given: Mapping[str, str], made: str, name: str, body: list[str], index: str = "i"
    ) -> list[str]:
        """Statements that list objects and run ``body`` for each; a list that fails is empty."""
        call = Speaker(self.model, self.status).call(function, given)
        self.used.append(function.name)
        count = _count_type(function)
        head = cxx.call(f"if (vendor::{function.name}", list(call.arguments), "", 6)
        return [
            f"{made} {name}[{_MOST}];",
            f"{count} num_{name} = 0;",
            f"{self.status.failed(head)}) num_{name} = 0;",
            f"for ({count} {index} = 0; {index} < num_{name} && {index} < {_MOST}; ++{index}) {{",
            *(f"  {line}" for line in body),
            "}",
        ]

    def _destroys(self, role: str, made: str, field: str) -> list[str]:
        if not made:
            return []
        for function in self.finder.functions(role):
            if [object_name(p.type) for p in function.params] == [made]:
                self.used.append(function.name)
                return [f"if (place.{field} != nullptr) vendor::{function.name}(place.{field});"]
        return [f"// nothing gives a {made} back"]

    def _slots(self, speaker: Speaker, queue: str) -> Iterator[Slot]:
        """The device functions, in the ABI's order."""
        sync = self._sync(speaker)
        named = self._name(speaker)
        if named is not None:
            yield named
        if sync is not None:
            yield Slot("synchronize", tuple(speaker.checked(sync)), sync.function)
        making = speaker.call(self.maker, {"bytes": "bytes", "made": "&made"})
        self.used.append(self.maker.name)
        lines = speaker.making(making, "made")
        yield Slot(
            "alloc", (f"{self.buffer} made = nullptr;", *lines, "*handle = made;", "return TFL_OK;"), making.function
        )
        offered: dict[str, tuple[tuple[str, ...], Mapping[str, str]]] = {
            "free": (("free",), {"buffer": "handle"}),
            "copy_h2d": (("memcpy_h2d",), {"buffer": "dst", "offset": "dst_offset", "host": "src", "bytes": "bytes"}),
            "copy_d2h": (
                ("memcpy_d2h",),
                {"buffer": "const_cast<void*>(src)", "offset": "src_offset", "host": "dst", "bytes": "bytes"},
            ),
            "copy_d2d": (("memcpy_d2d",), {"bytes": "bytes"}),
            "fill": (
                ("memset", "memset_async"),
                {"buffer": "dst", "offset": "dst_offset", "bytes": "bytes", "pattern": "&pattern", "byte": "byte"},
            ),
        }
        for slot, (roles, given) in offered.items():
            why = f"no vendor function found for the role {roles[0]!r}"
            for function in self.finder.functions(*roles):
                try:
                    call = speaker.call(function, given)
                except Unfilled as e:
                    why = str(e)
                    continue
                needed = {"free": 1, "copy_d2d": 2}.get(slot, 1)
                if sum(object_name(p.type) == self.buffer for p in function.params) != needed:
                    why = f"{function.name} does not take {needed} {self.buffer}"
                    continue
                body = speaker.checked(call)
                if slot in ("copy_h2d", "copy_d2h") and queue and not _blocks(function):
                    if sync is None:
                        why = f"{function.name} may still run when it returns, and nothing waits for it"
                        continue
                    body = cxx.then(body, speaker.checked(sync))
                if "&pattern" in call.arguments:
                    body = ["const uint8_t pattern = static_cast<uint8_t>(byte);", *body]
                self.used.append(function.name)
                yield Slot(slot, tuple(body), function.name)
                break
            else:
                self.missing.append((slot, why))

    def _sync(self, speaker: Speaker) -> Call | None:
        for function in self.finder.functions("device_sync", "stream_sync"):
            try:
                call = speaker.call(function, {})
            except Unfilled:
                continue
            self.used.append(function.name)
            return call
        self.missing.append(("synchronize", "no vendor function waits for a queue"))
        return None

    def _name(self, speaker: Speaker) -> Slot | None:
        info = constant(self.model, {"device", "name"}, without={"size", "length"})
        for function in self.finder.functions("device_name", "device_properties"):
            given = {"host": "text", "bytes": "size", **({"info": info} if info else {})}
            try:
                call = speaker.call(function, given)
            except Unfilled:
                continue
            self.used.append(function.name)
            return Slot("device_name", tuple(speaker.checked(call)), function.name)
        self.missing.append(("device_name", "no vendor function gives a device's name"))
        return None


def _own(expression: str) -> str:
    """An object of a device's record, as a device function reaches it."""
    field = expression.removeprefix("place.")
    return "queue(device)" if field == "queue" else f"place(device).{field}"


def _out_list(inner: object, kind: str) -> bool:
    return kind == "pointer" and bool(object_name(inner)) and not getattr(inner, "const", True)  # type: ignore[arg-type]


def _count_type(function: Function) -> str:
    """The type of the count that a listing function gives back, "" if it gives none."""
    for param in function.params:
        inner = param.type.pointee
        if param.type.kind != "pointer" or inner is None or inner.kind != "int" or inner.const:
            continue
        if set(split(param.name)) & {"num", "count", "number", "n"}:
            return cxx.bare(inner.spelled)
    return ""


def _blocks(function: Function) -> bool:
    """True if a copy has an argument that makes it wait."""
    return any(
        set(split(p.name)) & {"blocking", "block", "sync", "synchronous"} and p.type.kind in ("int", "bool", "enum")
        for p in function.params
    )


def _status(model: HeaderModel, function: Function, named: Set[str]) -> StatusType:
    """The status type of the runtime of a function, of its header alone; ``named``: the functions of runtimes."""
    file = function.place.file
    own = replace(
        model,
        functions=tuple(f for f in model.functions if f.place.file == file and f.name in named),
        constants={n: c for n, c in model.constants.items() if c.place.file == file},
        enums={n: e for n, e in model.enums.items() if e.place.file == file},
    )
    return find_status(own)[0]
