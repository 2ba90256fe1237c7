"""Who begins and ends a library, counts and chooses devices, names errors, tells sizes to work in, by shape.

What a name says in a known word is read elsewhere; here the arguments speak, and names only where they oppose each
other (wake and sleep, to and from) or repeat what an argument is called.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from torchfl_sdk.header.model import CType, Param
from torchfl_sdk.match.model import StatusType
from torchfl_sdk.match.recognise.lifecycles import Claim
from torchfl_sdk.match.recognise.runtime_shapes import DEVICES
from torchfl_sdk.match.recognise.uses import WAITS, Use, beside, is_const, is_text, undoes
from torchfl_sdk.match.tokens import split, words
from torchfl_sdk.match.vocabulary.runtime import meaning

DEVICE_WORDS = DEVICES | frozenset(
    words(
        """device dev card gpu npu unit units board engine engines chip chips accelerator adapter adapters core cores
        tile tiles node nodes slot ordinal"""
    )
)
_COUNTS = frozenset(words("count num number total tally many scan enumerate probe list found available how all"))
_CHOOSES = frozenset(words("use pick choose select set switch bind activate focus enter current make target ride go"))
_CHOSEN = frozenset(words("used picked chosen selected bound active current which mine this riding"))
#: What is begun and ended that is no library.
_OTHERWISE = re.compile(r"profil|tim(?:er|ing)|trac(?:e|ing)|record|captur|measur|batch|thread|log|dump|debug|sample")
_FIRST = re.compile(
    r"\b(?:before (?:anything|any|every|all)|once per process|first (?:call|thing|of all)|call(?:ed)? (?:this )?first)"
)


def library_claims(every: Sequence[Use], status: StatusType) -> Iterator[Claim]:
    """init, finalize, error_string, last_error."""
    alone = [u for u in every if (u.plain or u.text_only) and not u.held and not u.given and len(u.function.params) <= 1
             and u.function.result.kind in ("void", "enum", "int", "bool") and not u.owner]  # fmt: skip
    idle = [u for u in alone if not _OTHERWISE.search(u.name.lower()) and not _OTHERWISE.search(u.comment)]
    for first in idle:
        then = next((u for u in idle if not u.function.params and undoes(first.said, u.said)), None)
        if then is not None and len(set(first.said) & set(then.said)) <= 1:
            yield Claim("init", first.name, f"{then.function.name} undoes it, and it takes nothing")
            yield Claim("finalize", then.name, f"it undoes {first.function.name}, and takes nothing")
            break
    for use in idle:
        if _FIRST.search(use.comment):
            yield Claim("init", use.name, "its comment says that it comes first")
    returned = Counter(u.function.result.name for u in every if u.function.result.kind == "enum")
    most = {name for name, count in returned.most_common(1) if count > 2}
    for use in every:
        told = is_text(use.function.result) and len(use.function.params) == 1
        first_type = use.function.params[0].type if told else use.function.result
        named = first_type.kind == "enum" and first_type.name in most
        if told and (named or _is_status(use.function.params[0], status)):
            yield Claim("error_string", use.name, "it gives a text for a status")
        latest = {"last", "recent", "latest", "previous"} & set(use.said) or "last" in use.verbs
        if latest and not use.held and not use.integers and (
            is_text(use.function.result) or _status_type(use.function.result, status)
        ):  # fmt: skip
            yield Claim("last_error", use.name, "it gives the last status, or a text for it")


def _status_type(type_: CType, status: StatusType) -> bool:
    known = [status, *status.others]
    names = {s.ctype for s in known if s.ctype}
    return bool(names & {type_.name, f"enum {type_.name}", *type_.aliases}) if names else False


def _is_status(param: Param, status: StatusType) -> bool:
    if _status_type(param.type, status) and (param.type.kind == "enum" or param.type.aliases):
        return True
    named = {meaning(w) for w in split(param.name)} & {"error", "status"}
    return param.type.kind in ("int", "enum") and bool(named)


def device_claims(every: Sequence[Use], contexts: Collection[str]) -> Iterator[Claim]:
    """device_count, set_device, get_device, device_sync."""
    nouns = set(DEVICE_WORDS)
    for use in every:  # a number that functions are given has a name, and so has its type
        if len(use.integers) == 1 and len(use.function.params) == 1:
            nouns |= {w for w in split(use.integers[0].name) if len(w) > 2} & {
                _singular(w) for u in every for w in u.said
            }
    counts = [u for u in every if _counts(u, nouns)]
    if counts:
        yield Claim("device_count", counts[0].name, "it gives one number, and is called after devices")
    chosen: str = ""
    for use in every:
        one = len(use.integers) == 1 and use.plain and not use.held and not use.given and use.reports
        named = split(use.integers[0].name) if one else []
        about = {_singular(w) for w in (*use.said, *named, *split(use.owner))} & nouns
        verbs = set(use.said) & _CHOOSES or "set" in use.verbs
        told = "this thread" in use.comment or "from now on" in use.comment or "current device" in use.comment
        spare = beside(use.said, _CHOOSES | nouns | {"set", "device", "to"})
        bare = not verbs and bool(counts) and {_singular(w) for w in use.said} <= nouns
        if counts and one and len(use.function.params) == 1 and about and (told or ((verbs or bare) and not spare)):
            chosen = next((w for w in use.said if w not in nouns), use.said[0])
            yield Claim("set_device", use.name, "it takes the number of a device, and no more")
            break
    for use in every:
        places = len(use.integers_out) == 1 and len(use.function.params) == 1
        value = not use.function.params and use.function.result.kind == "int" and not use.function.result.aliases
        again = any(w[:3] == chosen[:3] and w != chosen for w in use.said)  # ride, riding
        asked = set(use.said) & _CHOSEN or again or ("get" in use.verbs and {_singular(w) for w in use.said} & nouns)
        spare = beside(use.said, _CHOSEN | nouns | {"get", "device"}) if not again else set()
        if chosen and (places or value) and not use.held and asked and not spare and use not in counts[:1]:
            yield Claim("get_device", use.name, "it gives the number of the chosen device")
            break
    for use in every:
        objects = not use.held or (len(use.held) == 1 and use.held[0] in contexts)
        about = nouns | {_singular(w) for h in use.held for w in split(h)} | WAITS | {"device", "all", "sync"}
        spare = {w for w in beside(use.said, about) if _singular(w) not in about}
        waits = use.waits and len(use.function.params) <= 1 and use.plain and objects and not use.given
        if waits and use.reports and len(spare) <= (0 if use.comment == "" else 1):
            yield Claim("device_sync", use.name, "it waits, for all of a device")
            break


def _singular(word: str) -> str:
    return word.removesuffix("s") if len(word) > 3 else word  # huts, but not its


def _counts(use: Use, nouns: frozenset[str] | set[str]) -> bool:
    listed = use.function.params[1:] and len(use.function.params) == 2 and len(use.given) + len(use.held) == 1
    out = len(use.integers_out) == 1 and (len(use.function.params) == 1 or bool(listed)) and use.reports
    value = not use.function.params and use.function.result.kind == "int"
    if not (out or value) or use.integers or use.memory:
        return False
    about = {_singular(w) for w in (*use.said, *split(use.owner))} & {_singular(n) for n in nouns}
    counted = set(use.said) & _COUNTS or "count" in use.verbs
    named = {w for p in use.integers_out for w in split(p.name)} & (_COUNTS | {"n", "count"})
    plural = any(w.endswith("s") and _singular(w) in nouns for w in use.said)
    spare = {w for w in beside(use.said, nouns | _COUNTS) if _singular(w) not in nouns}
    if spare or use.verbs & {"set", "sync", "current"} or set(use.said) & _CHOSEN:
        return False
    return bool(about and (counted or plural or (named and out)))


_ROOM = frozenset(words("work scratch arena temp workspace workbuf tempbuf"))
_ASKED = frozenset(words("size bytes need needed needs of room query get how much"))


def workspace_claims(every: Sequence[Use]) -> Iterator[Claim]:
    """workspace_query: who tells how many bytes a function needs to work in."""
    for use in every:
        joined = {w for word in use.said for w in _ROOM if word.startswith(w)} | (set(use.said) & _ROOM)
        value = use.function.result.kind == "int" and not use.integers_out and bool(use.function.params or use.owner)
        placed = any(set(split(p.name)) & {"bytes", "size", "nbytes", "need"} for p in use.integers_out)
        sets = use.verbs & {"set", "alloc", "create", "del"} or use.memory_out
        asked = set(use.said) & _ASKED or any(w.endswith(("size", "bytes")) for w in use.said) or placed
        if joined and (placed or value) and asked and not sets and not any(not is_const(m) for m in use.memory):
            yield Claim("workspace_query", use.name, "it tells how many bytes are needed to work in")
            return
