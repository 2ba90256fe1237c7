"""Who begins, ends, waits for and asks about a library's objects, by what its functions take and give.

An object's kind is told first (a stream goes into what runs and is waited for); then each of its functions has one
place in its life, by a known verb, by a name that undoes the maker's, or because no other is left.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from torchfl_sdk.match.recognise.objects import CONTEXT, DESC, GRAPH, OPERATOR, POOL, TENSOR
from torchfl_sdk.match.recognise.uses import Use, undoes
from torchfl_sdk.match.tokens import split, words

_ASKS = frozenset(words("query is busy idle ready done poll test state status reached passed drained at"))
_TELLS = frozenset(words("get set name label info properties props version priority query device flags count"))
_MAKES = frozenset(words("create alloc init new make open build start begin"))
_SETS = frozenset(words("set use bind attach assign put"))
_HOLDS = frozenset(words("heed hold halt wait sync await depend follow after until block barrier"))


@dataclass(frozen=True)
class Claim:
    """A role that a function has by its shape."""

    role: str
    function: str
    evidence: str


def streams_by_use(every: Sequence[Use], known: Collection[str]) -> set[str]:
    """Types that go into what runs on the device and that are waited for, beside the ``known`` ones.

    What several functions with other arguments take is the stream they run in, if a function waits for it; a handle of
    the library is not.
    """
    made, contexts = {t for u in every for t in u.given}, makers_of_others(every) | holders_of_memory(every)
    taken: dict[str, int] = {}
    busy = [u for u in every if len(u.function.params) > 2 and not u.given]
    for use in busy:
        for held in set(use.held):
            taken[held] = taken.get(held, 0) + 1
    running = len(busy)
    found = set()
    for held, count in taken.items():
        said = set(split(held))
        other = said & (TENSOR | DESC | GRAPH | OPERATOR | POOL | CONTEXT) or held in known
        waited = any(u.waits and u.plain and set(u.held) == {held} and not u.given for u in every)
        twins = any(_is_twin(u, v, held) for u in busy if held in u.held for v in every)
        opens = held in contexts
        if not other and not opens and held in made and waited and (twins or count >= max(3, running // 4)):
            found.add(held)
    together = {h for u in busy for h in u.held if len(found.intersection(u.held)) > 1}
    return found - {h for h in found & together if _is_told(h, every)}


def _is_told(held: str, every: Sequence[Use]) -> bool:
    """Whether whoever makes an object says by an enum what it shall do: an operator, beside the stream it runs in."""
    makers = [u for u in every if held in u.given]
    return bool(makers) and all(u.enums for u in makers)


def makers_of_others(every: Sequence[Use]) -> set[str]:
    """Types from which several other things are made: memory, or objects of other types."""
    made: dict[str, set[str]] = {}
    for use in (u for u in every if len(u.function.params) <= 5):
        things = set(use.given) | (
            {"memory"} if use.memory_out or (use.integers_out and use.size is not None) else set()
        )
        for held in set(use.held):
            made.setdefault(held, set()).update(things - {held})
    return {held for held, things in made.items() if len(things) > 1}


def holders_of_memory(every: Sequence[Use]) -> set[str]:
    """Types without which a header gives no memory: opened devices, and no streams, which may give some too."""
    giving = [
        u for u in every
        if not u.memory and u.size is not None and (u.memory_out or (u.integers_out and "alloc" in u.verbs))
    ]  # fmt: skip
    return set.intersection(*(set(u.held) for u in giving)) if giving else set()


def events_by_use(every: Sequence[Use], streams: set[str], known: Collection[str]) -> set[str]:
    """Types that are put into a stream, beside the ``known`` ones; of two unknown ones, that which the name says.

    A stream that nothing else told is added to ``streams``.
    """
    made = {t for u in every for t in u.given}
    busy = {h for u in every for h in u.held if u.memory or u.others or len(u.held) > 2}
    found: set[str] = set()
    for use in every:
        pair = set(use.held)
        if not use.plain or use.given or len(use.held) != 2 or len(pair) != 2 or not pair <= made or pair & set(known):
            continue
        if any(set(split(h)) & (TENSOR | DESC | GRAPH | OPERATOR | POOL) for h in pair):
            continue
        waited = {h for h in pair if any(u.plain and u.waits and set(u.held) == {h} and not u.given for u in every)}
        if len(pair & streams) == 1:
            (other,) = pair - streams
            if other not in busy:
                found.add(other)
        elif not pair & streams and waited == pair:
            called = [h for h in use.held if set(split(h)) & set(use.said)]
            if len(called) == 1 and called[0] not in busy:
                found |= {called[0]}
                streams |= pair - {called[0]}
    return found - streams


def _is_twin(late: Use, early: Use, held: str) -> bool:
    """Whether ``late`` is ``early`` with an object more: the form that does not wait."""
    both = len(late.function.params) == len(early.function.params) + 1 and late.memory
    return bool(both) and len(late.memory) == len(early.memory) and (
        sorted(late.held) == sorted([*early.held, held])
    )  # fmt: skip


def claims(
    every: Sequence[Use], streams: Collection[str], events: Collection[str], describing: Collection[str],
    handles: Collection[str],
) -> Iterator[Claim]:  # fmt: skip
    """The roles of every function that makes, ends, waits for or asks about an object of a known kind."""
    for kind, types in (("stream", streams), ("event", events), ("tensor_desc", describing), ("handle", handles)):
        for held in sorted(types):
            yield from _life(kind, held, every)
    made = {t for u in every for t in u.given if "get" not in u.said}
    for use in every:
        pair = set(use.held)
        if len(use.held) != 2 or not use.plain:
            continue
        foreign = pair - made - set(handles)  # a stream that another header makes
        if use.held[0] in handles and len(foreign) == 1 and set(use.said) & _SETS and not use.integers:
            yield Claim("handle_set_stream", use.name, "it gives a handle an object of another library")
        both = len(pair & set(streams)) == 1 and use.held[0] in handles and not use.given
        if both and not {"get", "query"} & set(use.said):
            yield Claim("handle_set_stream", use.name, "it takes a handle and a stream, and no more")
        if len(pair & set(streams)) == 1 and len(pair & set(events)) == 1 and not use.given:
            yield _meeting(use, streams)


def _meeting(use: Use, streams: Collection[str]) -> Claim:
    """An event goes into a stream, or a stream waits for an event: by the verb, and by which of them comes first."""
    if set(use.said) & _HOLDS or "sync" in use.verbs:
        return Claim("stream_wait_event", use.name, "a stream waits for an event")
    if use.held[0] in streams and set(use.said) & {"for", "on"} and not use.verbs & {"record", "event"}:
        return Claim("stream_wait_event", use.name, "a stream is told of an event")
    return Claim("event_record", use.name, "it takes an event and a stream, and does not wait")


def _life(kind: str, held: str, every: Sequence[Use]) -> Iterator[Claim]:
    makers = [u for u in every if held in u.given and held not in u.held and not u.memory and _makes(u)]
    maker = min(makers, key=lambda u: (len(u.function.params), every.index(u)), default=None)
    if maker is not None:
        yield Claim(f"{kind}_create", maker.name, f"it gives a {held}")
    alone = [u for u in every if u.plain and set(u.held) == {held} and len(u.held) == 1 and not u.given and u.reports]
    bare = [u for u in alone if not u.integers or kind in ("stream", "event")]
    taken: set[str] = set()
    if kind in ("stream", "event"):
        asked = next((u for u in every if _asks(u, held)), None)
        if asked is not None:
            yield Claim(f"{kind}_query", asked.name, f"it asks whether a {held} is done")
            taken.add(asked.name)
        waiting = [u for u in bare if u.waits and u.name not in taken and not u.deletes]
        if waiting:
            yield Claim(f"{kind}_sync", waiting[0].name, f"it waits for a {held}")
            taken.add(waiting[0].name)
    ends = [u for u in bare if not u.integers and u.name not in taken and u.said[:1] != ("is",)]
    ending = _ending(ends, makers)
    if ending is not None:
        yield Claim(f"{kind}_destroy", ending.name, f"it ends a {held}")
        taken.add(ending.name)
    if kind == "tensor_desc":
        sets = [u for u in every if u.held[:1] == (held,) and len(set(u.held)) == 1 and u.name not in taken
                and "set" in u.verbs and not u.given and not u.memory and len(u.function.params) >= 3]  # fmt: skip
        if sets:
            yield Claim("tensor_desc_set", sets[0].name, f"it fills a {held} in")


def _makes(use: Use) -> bool:
    """Whether a function that gives an object makes it, and does not only tell which there is."""
    return not use.verbs & (_TELLS - {"device"}) or bool(use.verbs & _MAKES) or "up" in use.said  # set up


def _asks(use: Use, held: str) -> bool:
    if set(use.held) != {held} or len(use.held) != 1 or use.memory or use.memory_out or use.given:
        return False
    answers = len(use.integers_out) == 1 or use.function.result.kind == "bool" or not use.function.params[1:]
    told = bool(set(use.said) & _ASKS or "query" in use.verbs)
    still = "still" in use.comment or "whether" in use.comment
    waits = use.verbs & {"sync"} and not set(use.said) & {"busy", "is"}
    return answers and (told or still) and not waits and "del" not in use.verbs


def _ending(ends: Sequence[Use], makers: Sequence[Use]) -> Use | None:
    """Of functions that take one object alone, the one that ends it: by undoing a maker, its verb, or as the last."""
    for maker in makers:
        for use in ends:
            if undoes(maker.said, use.said):
                return use
    named = [use for use in ends if use.deletes]
    if named:
        return named[0]
    left = [u for u in ends if not u.waits and not u.verbs & _TELLS and not set(u.said) & _ASKS]
    return left[0] if len(left) == 1 and makers else None


def handles_of(every: Sequence[Use], computes: Collection[str], others: Collection[str]) -> set[str]:
    """Types of handles of the library: what most functions that compute take, that one function makes, and that is
    none of the ``others``."""
    running = [u for u in every if u.name in computes]
    found = set()
    for held in {h for u in running for h in u.held}:
        said = set(split(held))
        if held in others or said & (TENSOR | DESC | OPERATOR | GRAPH | POOL):
            continue
        share = sum(held in u.held for u in running)
        once = all(u.held.count(held) <= 1 for u in running)
        if once and len(running) >= 4 and 2 * share > len(running) and any(held in u.given for u in every):
            found.add(held)
    return found


def first_of_each(made: Iterable[Claim], taken: Mapping[str, str]) -> Iterator[Claim]:
    """One function for each role and one role for each function, in the order of the claims."""
    roles: set[str] = set()
    used = dict(taken)
    for claim in made:
        if claim.role not in roles and claim.function not in used:
            roles.add(claim.role)
            used[claim.function] = claim.role
            yield claim
