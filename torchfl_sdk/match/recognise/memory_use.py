"""Who gives, takes back, copies and fills memory, by what functions take: bytes, sizes, addresses and objects of it.

Which way a copy goes is told by the sides' types and names (host, the device's noun), else by verbs that oppose each
other.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from torchfl_sdk.header.model import Param
from torchfl_sdk.match.recognise.lifecycles import Claim
from torchfl_sdk.match.recognise.upkeep import DEVICE_WORDS
from torchfl_sdk.match.recognise.uses import SIZES, Use, is_const, undoes
from torchfl_sdk.match.tokens import split, words
from torchfl_sdk.match.vocabulary.runtime import meaning

_HOST = frozenset(words("host cpu pinned page pages locked pagelocked staging hostmem"))
_HOST_SAID = re.compile(r"\b(?:host memory|page[- ]?locked|pinned|on the host|memory of the host)\b")
_FREE = frozenset(words("free avail available left remaining unused room rest"))
_IN = frozenset(words("upload send to put push write in store h2d up load"))
_OUT = frozenset(words("download fetch from get pull read out receive recv d2h down"))
#: What says how much room a destination has, beside how much is copied there.
_ROOM = frozenset(words("cap capacity max room limit destmax dstmax dmax"))
_WITHIN = frozenset(words("on within inside move shift local between d2d"))
_NO_COPY = frozenset(words("map transpose gather scatter compare compress convert cast sort find hash crc"))
_MOVES = frozenset(words("copy fill write read set move put get clear"))
_VALUES = frozenset(words("byte value val v c pattern fill ch data"))


def memory_claims(
    uses: Sequence[Use], contexts: Collection[str], streams: Collection[str], computing: Collection[str]
) -> Iterator[Claim]:
    """malloc, free, host_malloc, host_free, copies by direction, memset, memory_info.

    ``computing``: functions that are called after ops, of which only copies and fills manage memory.
    """
    every = [u for u in uses if u.name not in computing or u.verbs & _MOVES]
    makers = [u for u in every if _allocates(u, contexts)]
    pairs = [(m, f) for m in makers if (f := _freeing(m, every, contexts)) is not None]
    for maker, freeing in sorted(pairs, key=lambda p: _of_host(p[0])):
        kind = "host_" if _of_host(maker) else ""
        yield Claim(f"{kind}malloc", maker.name, f"it gives memory of a size that {freeing.function.name} takes back")
        yield Claim(f"{kind}free", freeing.name, f"it takes back what {maker.function.name} gave")
    objects = _memory_objects(every) - set(streams)
    for held in sorted(objects):
        maker = next(u for u in every if _makes_memory(u, held))
        ending = next((u for u in every if u.plain and u.held == (held,) and u.deletes and not u.integers), None)
        yield Claim("malloc", maker.name, f"it gives a {held} of a size, which functions copy to and from")
        if ending is not None:
            yield Claim("free", ending.name, f"it ends a {held}")
    copies = [(u, d) for u in every if (d := _direction(u, streams, pairs) or _object_direction(u, streams, objects))]
    ways = {d for _, d in copies}
    for use, direction in copies:
        later = bool(set(use.held) & set(streams)) and any(
            d == direction and not set(u.held) & set(streams) for u, d in copies
        )
        if direction == "kind":
            yield Claim(
                "memcpy_async" if later else "memcpy", use.name, "it copies bytes in a direction that it is told"
            )
        elif direction == "any":
            if not ways & {"h2d", "d2h", "kind"}:
                yield Claim("memcpy", use.name, "it copies bytes, and nothing else does")
        elif not later:
            yield Claim(f"memcpy_{direction}", use.name, f"it copies bytes: {_WAY[direction]}")
    for use in every:
        if _fills(use, pairs, objects):
            later = bool(set(use.held) & set(streams)) and any(
                _fills(u, pairs, objects) and not set(u.held) & set(streams) for u in every
            )
            yield Claim("memset_async" if later else "memset", use.name, "it takes memory, one value and a size")
    for use in every:
        outs = [
            set(split(p.name)) for p in use.integers_out if p.type.pointee is not None and p.type.pointee.bits >= 32
        ]
        if len(outs) == 2 and not use.memory and not use.integers and not use.given and any(o & _FREE for o in outs):
            yield Claim("memory_info", use.name, "it tells what is free and what there is")


_WAY = {"h2d": "from the host to the device", "d2h": "from the device to the host", "d2d": "within the device"}


def _address_out(use: Use) -> list[Param]:
    """Places for an address that is a number."""
    return [p for p in use.integers_out if p.type.pointee is not None and p.type.pointee.bits == 64 and (
        set(split(p.name)) & {"addr", "address", "where", "at", "ptr", "pointer", "mem"}
        or any({"addr", "ptr", "mem"} & {meaning(w) for w in split(a)} | ({"addr"} & set(split(a)))
               for a in p.type.pointee.aliases))]  # fmt: skip


def _allocates(use: Use, contexts: Collection[str]) -> bool:
    result = use.function.result
    returned = result.kind == "pointer" and result.pointee is not None and result.pointee.kind == "void"
    gives = len(use.memory_out) + len(_address_out(use)) + returned
    sized = use.size is not None and len(use.integers) <= 3
    return gives == 1 and sized and not use.memory and not set(use.held) - set(contexts) and not use.given


def _freeing(maker: Use, every: Sequence[Use], contexts: Collection[str]) -> Use | None:
    """The function that takes back what ``maker`` gives, and no more."""
    numbers = bool(_address_out(maker))
    found = []
    for use in every:
        one = len(use.integers) == 1 and use.integers[0].type.bits == 64 if numbers else len(use.memory) == 1
        rest = len(use.function.params) - len(use.held)
        written = numbers or (use.memory and not is_const(use.memory[0]))
        idle = use.reports and not (use.given or use.memory_out or use.integers_out)
        alone = not set(use.held) - set(contexts) and rest == 1 and use.name != maker.name
        if one and written and idle and alone:
            found.append(use)
    undoing = [u for u in found if undoes(maker.said, u.said)]
    shared = [u for u in found if u.deletes and (_nouns(u) & _nouns(maker) or not _nouns(u))]
    named = undoing or shared or [u for u in found if u.deletes and not set(u.said) & {"host", "pinned"}]
    if named:
        return named[0]
    return found[0] if len(found) == 1 and not {"register", "get", "set", "map"} & found[0].verbs else None


def _nouns(use: Use) -> set[str]:
    return {w for w in use.said if meaning(w) not in ("alloc", "del", "create", "get", "set")}


def _of_host(use: Use) -> bool:
    named = {w for p in (*use.memory_out, *use.memory) for w in split(p.name)}
    return bool((set(use.said) | named) & _HOST or _HOST_SAID.search(use.comment))


def _carriers(use: Use, pairs: Sequence[tuple[Use, Use]]) -> list[tuple[set[str], str, bool]]:
    """(words of the name, "host" | "device" | "", const) of each side of a copy, in C order."""
    numbered = any(_address_out(maker) for maker, _ in pairs)
    found = []
    size = use.size
    for param in use.function.params:
        said = set(split(param.name))
        if param in use.memory:
            side = (
                "host"
                if said & _HOST or numbered
                else "device"
                if said & DEVICE_WORDS or said & {"mem", "store"}
                else ""
            )
            found.append((said, side, is_const(param)))
        elif numbered and param in use.integers and param.type.bits == 64 and param is not size:
            found.append((said, "device", False))
    return found


def _direction(use: Use, streams: Collection[str], pairs: Sequence[tuple[Use, Use]]) -> str:
    """Which way a function copies bytes: h2d, d2h, d2d, "kind" where an argument says it, or "" if it is no copy."""
    if set(use.held) - set(streams) - {h for m, _ in pairs for h in m.held} or use.given or use.memory_out:
        return ""
    if use.size is None or not use.reports or use.verbs & _NO_COPY or use.integers_out:
        return ""
    sides = _carriers(use, pairs)
    told = len(use.enums) == 1 and use.others == 1
    if len(sides) != 2 or (use.others and not told):
        return ""
    numbers = [p for p in use.integers if p is use.size or not _ROOM & set(split(p.name))]
    extra = [p for p in numbers if p is not use.size and p.type.bits != 64]
    way = len(extra) == 1 and bool(set(split(extra[0].name)) & {"dir", "direction", "kind", "way"})
    if told or way:
        return "kind" if len(numbers) == 1 + way else ""
    if extra or len(numbers) > 1 + sum(side == "device" for _, side, _ in sides):
        return ""
    written = [s for s in sides if not s[2]]
    target = written[0] if len(written) == 1 else sides[0]
    source = sides[1] if target is sides[0] else sides[0]
    said = set(use.said)
    if target[1] == "host" and source[1] != "host":
        return "d2h"
    if source[1] == "host" and target[1] != "host":
        return "h2d"
    if target[1] == source[1] == "device":
        return "d2d"
    if len(said & _IN) != len(said & _OUT):
        return "h2d" if said & _IN else "d2h"
    if said & _WITHIN:
        return "d2d"
    return "any" if pairs and not use.held and len(use.function.params) == 3 else ""


def _makes_memory(use: Use, held: str) -> bool:
    described = any(p.type.kind in ("array", "float") for p in use.function.params) or use.enums[1:]
    sized = use.size is not None and (set(split(use.size.name)) & SIZES or "size_t" in use.size.type.aliases)
    return use.given == (held,) and bool(sized) and not use.memory and held not in use.held and not described


def _memory_objects(every: Sequence[Use]) -> set[str]:
    """Types of objects that stand for memory: made of a size, and copied to and from as bytes of the host are."""
    made = {t for u in every for t in u.given if _makes_memory(u, t)}
    sized = [u for u in every if len(u.memory) == 1 and u.size is not None and not u.others]
    into = {t for u in sized if is_const(u.memory[0]) and set(u.said) & _IN for t in u.held}
    out = {t for u in sized if not is_const(u.memory[0]) and set(u.said) & _OUT for t in u.held}
    return made & into & out


def _object_direction(use: Use, streams: Collection[str], objects: Collection[str]) -> str:
    """The same as :func:`_direction` for memory that objects stand for, with offsets."""
    sides = [h for h in use.held if h in objects]
    rest = set(use.held) - set(streams) - set(objects)
    if not sides or use.given or use.others or use.memory_out or use.integers_out or use.verbs & _NO_COPY:
        return ""
    if use.size is None or not use.reports or len(rest) > 1 or len(use.integers) > 1 + len(sides):
        return ""
    if len(sides) == 2 and not use.memory:
        return "d2d"
    if len(sides) == len(use.memory) == 1:
        return "h2d" if is_const(use.memory[0]) else "d2h"
    return ""


def contradicts(role: str, use: Use) -> bool:
    """Whether the names of its arguments say that a copy goes another way than the role's."""
    sides = _carriers(use, ())
    written = [s for s in sides if not s[2]]
    if role not in ("memcpy_h2d", "memcpy_d2h") or len(sides) != 2 or len(written) != 1:
        return False
    source = sides[1] if written[0] is sides[0] else sides[0]
    one = "host" if role == "memcpy_h2d" else "device"
    return written[0][1] == one and source[1] != one


def _fills(use: Use, pairs: Sequence[tuple[Use, Use]], objects: Collection[str]) -> bool:
    numbered = any(_address_out(maker) for maker, _ in pairs)
    if (
        not (pairs or objects)
        or use.others
        or use.given
        or use.memory_out
        or use.integers_out
        or use.size is None
        or not use.reports
    ):
        return False
    values = [p for p in use.integers if p is not use.size and (set(split(p.name)) & _VALUES or p.type.bits == 8)]
    target = len(use.memory) == 1 and not is_const(use.memory[0])
    numbers = len(use.integers) - len(values) - 1
    if not use.memory and sum(h in objects for h in use.held) == 1:
        return len(values) == 1 and numbers <= 1  # an offset
    return len(values) == 1 and (target and numbers == 0 if not numbered else not use.memory and numbers == 1)
