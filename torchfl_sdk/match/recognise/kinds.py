"""Which of a header's opaque types are streams and which are events, told by what its functions take together.

Vendors have their own nouns (lane, fence, marker, notifier...). Their functions agree: of two events a time is told, an
event is put into a stream, and a stream waits for it. Where the types are known, their nouns are read as everybody's.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from torchfl_sdk.header.model import CType, Function
from torchfl_sdk.match.recognise.induction import carried, depth
from torchfl_sdk.match.recognise.objects import CONTEXT, DESC, GRAPH, OPERATOR, STREAM, TENSOR
from torchfl_sdk.match.tokens import Prefixes, split, words
from torchfl_sdk.match.vocabulary.runtime import meaning

_EVENT = frozenset(words("event events"))
_OTHER = (DESC | CONTEXT | GRAPH | OPERATOR | TENSOR | frozenset(words("npu gpu card runtime driver manager"))) - {
    "exec"
}
_TIME = frozenset(
    words("elapsed time span since duration interval between ms us ns millis micros msec usec sec seconds")
)
_WAITS = frozenset(words("hold halt heed depend depends after follow barrier until block blocks"))
_ENDS = frozenset(words("t st s struct handle ptr p impl tag obj object ref id"))  # behind a type's noun
_FIXED = ("device", "mem", "host", "event", "stream")  # nouns that have their meaning everywhere
#: What a function that records an event is not about.
_ASKS = frozenset(words("query get status test is callback"))


@dataclass(frozen=True)
class Kinds:
    """Names of the types that are streams and events, the words that name them, and what pairs of them do."""

    streams: frozenset[str] = frozenset()
    events: frozenset[str] = frozenset()
    nouns: Mapping[str, str] = field(default_factory=dict)
    roles: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # function -> role, evidence

    def of(self, type_: CType) -> str:
        """ "stream", "event" or "" for any other type."""
        held = carried(type_)
        return (
            "stream" if self.streams.intersection(held[:1]) else "event" if self.events.intersection(held[:1]) else ""
        )


@dataclass(frozen=True)
class _Use:
    """The objects that a function takes by handle, and whether it tells a time."""

    function: Function
    held: tuple[str, ...]
    tells_time: bool
    plain: bool  # it takes nothing else but numbers
    given: tuple[str, ...] = ()  # the objects that it makes


def tell(functions: Iterable[Function], prefix: Prefixes) -> Kinds:
    """The streams and events among the types that ``functions`` take."""
    functions = list(functions)
    levels: dict[str, int] = {}
    for function in functions:
        for param in function.params:
            for name in carried(param.type)[:1]:
                levels[name] = min(levels.get(name, 9), depth(param.type))
        owner = function.namespace.rpartition("::")[2] if function.linkage == "c++" else ""
        if owner[:1].isupper():
            levels.setdefault(owner, 0)
    uses = [_use(f, levels) for f in functions]
    called = {name: set(split(name)) for name in levels}
    streams = {n for n, said in called.items() if said & STREAM and not said & _EVENT}
    events = {n for n, said in called.items() if said & _EVENT}
    timed = [u for u in uses if u.tells_time and len(u.held) == 2 == u.held.count(u.held[0])]
    events |= {u.held[0] for u in timed if not called[u.held[0]] & (_OTHER | STREAM)}
    _by_methods(functions, streams, events)
    for use in uses:
        _by_makers(use, uses, called, streams, events)
        pair = set(use.held)
        if use.plain and len(use.held) == 2 == len(pair) and len(pair & events) == 1 and not pair & streams:
            (other,) = pair - events
            streams |= {other} if not called[other] & _OTHER else set()
    roles = {u.function.name: role for u in uses if (role := _role(u, streams, events))}
    return Kinds(
        frozenset(streams),
        frozenset(events),
        _nouns(streams, "stream", prefix) | _nouns(events, "event", prefix),
        roles,
    )


def widened(kinds: Kinds, streams: set[str], events: set[str], prefix: Prefixes) -> Kinds:
    """The same and further types, and the words that name them."""
    streams, events = streams - kinds.streams - kinds.events, events - kinds.streams - kinds.events
    nouns = _nouns(streams, "stream", prefix) | _nouns(events, "event", prefix) | dict(kinds.nouns)
    return replace(kinds, streams=kinds.streams | streams, events=kinds.events | events, nouns=nouns)


_MOVES = frozenset(words("copy fill write read launch exec record"))


def _by_methods(functions: Iterable[Function], streams: set[str], events: set[str]) -> None:
    """A class that is waited for and moves memory is a stream; what it gives and is waited for is an event."""
    verbs: dict[str, set[str]] = defaultdict(set)
    given: dict[str, set[str]] = defaultdict(set)
    for function in functions:
        owner = function.namespace.rpartition("::")[2] if function.linkage == "c++" else ""
        if owner[:1].isupper():
            verbs[owner] |= {meaning(w) for w in split(function.name.rpartition("::")[2])}
            given[owner] |= set(carried(function.result)[:1])
    for owner, said in verbs.items():
        if "sync" in said and len(said & _MOVES) > 1 and not set(split(owner)) & _OTHER:
            streams.add(owner)
            events |= {g for g in given[owner] if g != owner and "sync" in verbs.get(g, set())}


def _by_makers(
    use: _Use, uses: Iterable[_Use], called: Mapping[str, set[str]], streams: set[str], events: set[str]
) -> None:
    """Of two unknown objects that a function takes to wait, what is made from the other is an event of that stream."""
    said = {meaning(w) for w in split(use.function.name)}
    known = (streams | events).intersection(use.held)
    if not use.plain or len(set(use.held)) != 2 or len(use.held) != 2 or known or not said & (_WAITS | {"sync"}):
        return
    if any(called[h] & _OTHER for h in use.held):
        return
    for stream, event in (use.held, use.held[::-1]):
        waits = any(u.held == (stream,) and u.plain and not u.given and _waits(u.function) for u in uses)
        if waits and any(u.held == (stream,) and event in u.given for u in uses):
            streams.add(stream)
            events.add(event)
            return


def _waits(function: Function) -> bool:
    return "sync" in {meaning(w) for w in split(function.name)}


def _use(function: Function, levels: Mapping[str, int]) -> _Use:
    held, written, others = [], [], 0
    given = list(carried(function.result)[:1])
    for param in function.params:
        names = carried(param.type)[:1]
        inner = param.type.pointee
        if names and depth(param.type) == levels[names[0]] and param.type.kind in ("pointer", "struct", "other", "int"):
            held.append(names[0])
        elif names and depth(param.type) > levels[names[0]]:
            given += names
        elif param.type.kind == "pointer" and inner is not None and inner.kind in ("float", "int") and not inner.const:
            written.append((inner.kind, set(split(param.name))))
        else:
            others += param.type.kind not in ("int", "enum", "bool")
    owner = function.namespace.rpartition("::")[2] if function.linkage == "c++" else ""
    if owner in levels and held.count(owner) < 2:
        held.insert(0, owner)  # the object itself
    said = set(split(function.name.rpartition("::")[2])).union(*(names for _, names in written))
    duration = "duration" in function.result.canonical
    number = duration or any(kind == "float" for kind, _ in written) or function.result.kind == "float" or bool(written)
    return _Use(function, tuple(held), number and bool(said & _TIME), not others, tuple(given))


def _role(use: _Use, streams: set[str], events: set[str]) -> tuple[str, str] | None:
    """What a function of one event and one stream, or of two events, is for."""
    marks = use.plain and len(use.held) == 1 and use.held[0] in streams and events.intersection(use.given)
    if marks and not {meaning(w) for w in split(use.function.name)} & _ASKS:
        return "event_record", "it gives an event of a stream"
    alone = use.plain and len(use.held) == 1 and use.held[0] in streams and not use.given
    if alone and _waits(use.function) and not use.function.params:
        return "stream_sync", "it waits for the stream that it is a method of"
    if not use.plain or len(use.held) != 2:
        return None
    if use.tells_time and all(h in events for h in use.held):
        return "event_elapsed", "it tells a time of two events"
    if len(events.intersection(use.held)) != 1 or len(streams.intersection(use.held)) != 1:
        return None
    said = {meaning(w) for w in split(use.function.name.rpartition("::")[2])}
    if said & _ASKS:
        return None
    if said & (_WAITS | {"sync"}):
        return "stream_wait_event", "it takes a stream and an event, and waits"
    return "event_record", "it takes an event and a stream, and does not wait"


def _nouns(types: Iterable[str], kind: str, prefix: Prefixes) -> dict[str, str]:
    """The words that name ``types``: ``acme_lane_t`` -> lane."""
    first = {p[0] for p in prefix if p}
    found: dict[str, str] = defaultdict(str)
    for name in types:
        own = [w for w in split(name) if w not in first and w not in _ENDS]
        if len(own) == 1 and meaning(own[0]) not in _FIXED:
            found[own[0]] = kind
    return dict(found)
