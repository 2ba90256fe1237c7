"""What is known of a header before its runtime is looked for: types by their use, and which of them are streams."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from torchfl_sdk.header.model import Function, HeaderModel
from torchfl_sdk.match.model import OpMatch, Source, StatusType
from torchfl_sdk.match.recognise import kinds as kinds_of
from torchfl_sdk.match.recognise import lifecycles
from torchfl_sdk.match.recognise.induction import carried
from torchfl_sdk.match.recognise.uses import Use, uses
from torchfl_sdk.match.tokens import Prefixes


@dataclass(frozen=True)
class Known:
    """``tensors``: types that carry tensors; ``describing``: types that say what lies where; ``computing``: functions
    that are called after ops."""

    tensors: frozenset[str] = frozenset()
    describing: frozenset[str] = frozenset()
    computing: frozenset[str] = frozenset()
    status: StatusType = field(default_factory=lambda: StatusType("", ""))


def kinds(functions: Iterable[Function], every: Sequence[Use], known: Known, prefix: Prefixes) -> kinds_of.Kinds:
    """The streams and events that pairs of functions told, and those that what they are used for tells."""
    told = kinds_of.tell(functions, prefix)
    others = known.tensors | known.describing
    streams = set(told.streams) | lifecycles.streams_by_use(every, others | told.events)
    handles = lifecycles.handles_of(every, known.computing, streams | told.events | others)
    events = lifecycles.events_by_use(every, streams, told.events | handles | others)
    return kinds_of.widened(told, streams, events, prefix)


def streams(functions: Sequence[Function], known: Known, prefix: Prefixes) -> frozenset[str]:
    """The types that are streams, whatever they are called."""
    return kinds(functions, uses(functions, prefix), known, prefix).streams


_OPAQUE = ("", "handle", "ctx", "workspace")  # roles of objects by names that many things have


def by_use(model: HeaderModel, matches: Iterable[OpMatch], streams: frozenset[str]) -> tuple[OpMatch, ...]:
    """The matches with ``stream`` as the role of every argument of a type that is one by how the header uses it."""
    placed = {
        (f.name, Source(model.short(f.place.file), f.place.line)): f
        for f in (*model.untrusted, *model.methods, *model.functions)
    }
    found = []
    for match in matches:
        function = placed.get((match.function, match.source))
        held = {p.name for p in function.params if streams.intersection(carried(p.type)[:1])} if function else set()
        told = tuple((a, role) for a, role in match.arguments if a in held and role in _OPAQUE)
        roles = tuple((a, "stream" if (a, role) in told else role) for a, role in match.arguments)
        found.append(replace(match, arguments=roles, by_use=told) if told else match)
    return tuple(found)
