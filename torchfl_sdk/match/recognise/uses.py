"""What a function of a runtime takes and gives, whatever it is called: objects, memory, numbers, texts.

Vendors have their own verbs (take and give, wake and sleep). Pairs of functions agree all the same: what one makes the
other ends, by a name that undoes the first one's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from torchfl_sdk.header.model import CType, Function, Param
from torchfl_sdk.match.recognise.induction import carried, depth
from torchfl_sdk.match.tokens import Prefixes, cores, split, words
from torchfl_sdk.match.vocabulary.runtime import TOLERATED, meaning

#: Verbs of which the second undoes the first.
_UNDOES = frozenset(
    tuple(pair.split("/"))
    for pair in words(
        """up/down on/off begin/end start/stop open/close wake/sleep boot/halt enter/leave attach/detach load/unload
        take/give give/take get/put reserve/release acquire/release alloc/free borrow/return hire/dismiss make/unmake
        lock/unlock pin/unpin join/leave mount/unmount connect/disconnect arm/disarm raise/lower init/exit grab/drop
        claim/yield register/unregister create/destroy new/delete new/del make/drop begin/finish start/finish
        start/end obtain/return obtain/release setup/teardown setup/takedown putup/takedown bringup/takedown
        startup/shutdown launch/shutdown load/free checkin/checkout bringup/bringdown powerup/powerdown
        poweron/poweroff lay/scrap make/scrap launch/scrap make/toss build/raze"""
    )
)
_BACKWARDS = ("un", "de", "dis", "re")  # unmake, deallocate, disconnect
_ENDS = frozenset(words("back off away down up on out in"))  # put back, take down, set up
#: Verbs that end an object, beside those that every vocabulary of runtimes has.
_DELETES = frozenset(
    words("""scrap toss drop dismiss discard kill end retire recycle reclaim unmake wipe forget yield relinquish
             surrender fini finalize teardown term terminate exit return give put unref giveback putback""")
)
#: Verbs that wait until work is done.
WAITS = frozenset(words("settle rest idle flush drain quiesce barrier await finish wait sync join listen block"))
_WAITING = re.compile(
    r"\b(?:waits?|waiting|blocks?|blocking|until (?:it|all|every|the|empty|done|idle|finished)|has nothing left to do"
    r"|(?:is|are) (?:finished|done|idle|complete\w*))\b"
)
_ASKING = re.compile(r"\b(?:whether|still|non-?blocking|does not (?:wait|block)|returns? (?:true|1|non-?zero) if)\b")
SIZES = frozenset(words("size bytes nbytes nbyte sz len length count n num capacity"))


@dataclass(frozen=True)
class Use:
    """One function. ``said``: the words of its name without the header's prefix; ``owner``: the class it is one of."""

    function: Function
    said: tuple[str, ...]
    held: tuple[str, ...]  # types of objects that it takes by handle
    given: tuple[str, ...]  # types of objects that it makes
    memory: tuple[Param, ...]  # pointers to bytes of no type
    memory_out: tuple[Param, ...]  # where such a pointer is put
    integers: tuple[Param, ...]  # by value
    integers_out: tuple[Param, ...]
    others: int  # parameters of any other kind, enums among them
    enums: tuple[Param, ...] = ()
    owner: str = ""

    @property
    def name(self) -> str:
        return self.function.name

    @property
    def comment(self) -> str:
        return " ".join(self.function.comment.lower().split())

    @property
    def verbs(self) -> set[str]:
        return {meaning(w) for w in self.said} | set(self.said)

    @property
    def plain(self) -> bool:
        """True if it takes objects and numbers by value alone."""
        return not (self.memory or self.memory_out or self.integers_out or self.others)

    @property
    def reports(self) -> bool:
        """True for a function whose result is a status, or nothing."""
        return self.function.result.kind in ("void", "enum", "int", "bool")

    @property
    def text_only(self) -> bool:
        """True if a text is all that it takes."""
        return len(self.function.params) == 1 and is_text(self.function.params[0].type)

    @property
    def waits(self) -> bool:
        nouns = {w for held in self.held for w in split(held)}  # a mark is waited for, and is no verb there
        said = [w for w in self.said if w not in nouns]
        if {meaning(w) for w in said} & {"query", "is", "busy", "record", "event"} or _ASKING.search(self.comment):
            return False
        return bool({*said, *map(meaning, said)} & WAITS) or bool(_WAITING.search(self.comment))

    @property
    def deletes(self) -> bool:
        waiting = _WAITING.search(self.comment) and "del" not in self.verbs
        return "del" in self.verbs or bool(set(self.said) & _DELETES and not waiting)

    @property
    def size(self) -> Param | None:
        """The one number that says how many bytes, or None."""
        named = [p for p in self.integers if set(split(p.name)) & SIZES]
        typed = [p for p in named or self.integers if "size_t" in p.type.aliases]
        wide = [p for p in named or self.integers if p.type.bits >= 32]
        return next(iter(typed or wide or named), None)


def uses(functions: Iterable[Function], prefix: Prefixes) -> list[Use]:
    """Every function as a use; of the same name only the first declaration."""
    every = list({f.name: f for f in reversed(list(functions))}.values())[::-1]
    levels: dict[str, int] = {}
    for function in every:
        for param in function.params:
            for name in carried(param.type)[:1]:
                levels[name] = min(levels.get(name, 9), level(param.type))
        owner = owner_of(function)
        if owner:
            levels.setdefault(owner, 0)
    return [_use(f, levels, prefix) for f in every if not f.variadic]


def owner_of(function: Function) -> str:
    """The class whose method a function is, or ""."""
    last = function.namespace.rpartition("::")[2] if function.linkage == "c++" else ""
    return last if last[:1].isupper() else ""


def is_text(type_: CType) -> bool:
    """True for ``const char *`` and C++'s texts."""
    if (
        type_.kind in ("struct", "other")
        and "::basic_string" in f"::{type_.canonical.replace('std::', '::').lstrip(':')}"
    ):
        return True
    return type_.kind == "pointer" and type_.pointee is not None and type_.pointee.canonical.endswith("char")


def is_const(param: Param) -> bool:
    """Whether what a parameter points to is only read."""
    return param.type.pointee is not None and param.type.pointee.const


def level(type_: CType) -> int:
    """Pointers and references that lead to an object."""
    return depth(type_) + ("&" in type_.spelled)


def innermost_const(type_: CType) -> bool:
    """Whether what pointers lead to in the end is const: a list of objects that are only read."""
    while type_.kind in ("pointer", "array") and type_.pointee is not None:
        type_ = type_.pointee
    return type_.const


def innermost(type_: CType) -> str:
    """The kind of what pointers lead to in the end."""
    while type_.kind in ("pointer", "array") and type_.pointee is not None:
        type_ = type_.pointee
    return type_.kind


def _bytes(type_: CType) -> bool:
    """True for what a pointer to bytes of no type leads to."""
    return type_.kind == "void" or (type_.kind == "int" and type_.bits == 8 and not type_.canonical.endswith("char"))


def _use(function: Function, levels: dict[str, int], prefix: Prefixes) -> Use:
    held: list[str] = []
    given: list[str] = []
    sorted_: dict[str, list[Param]] = {k: [] for k in ("memory", "memory_out", "integers", "integers_out", "enums")}
    others = 0
    for param in function.params:
        names, inner = carried(param.type)[:1], param.type.pointee
        opaque = bool(names) and param.type.kind in ("pointer", "struct", "other") and innermost(param.type) != "int"
        if opaque and level(param.type) == levels[names[0]]:
            held.append(names[0])
        elif opaque and level(param.type) > levels[names[0]]:
            (held if innermost_const(param.type) else given).append(names[0])
        elif param.type.kind == "int":
            sorted_["integers"].append(param)
        elif param.type.kind == "enum":
            sorted_["enums"].append(param)
            others += 1
        elif param.type.kind == "pointer" and inner is not None and _bytes(inner):
            sorted_["memory"].append(param)
        elif inner is not None and inner.kind == "pointer" and inner.pointee is not None and _bytes(inner.pointee):
            sorted_["memory_out"].append(param)
        elif param.type.kind == "pointer" and inner is not None and inner.kind == "int" and not inner.const:
            sorted_["integers_out"].append(param)
        else:
            others += 1
    if function.result.kind in ("pointer", "struct", "other"):
        given += carried(function.result)[:1]
    owner = owner_of(function)
    of_object = owner and not (function.namespace and _static(function))
    if of_object and owner in levels and held.count(owner) < 2:
        held.insert(0, owner)
    named = function.name.rpartition("::")[2] if "::" in function.name else function.name
    said = cores(named, prefix)[0] or split(named)
    return Use(
        function=function,
        said=tuple(said),
        held=tuple(held),
        given=tuple(given),
        memory=tuple(sorted_["memory"]),
        memory_out=tuple(sorted_["memory_out"]),
        integers=tuple(sorted_["integers"]),
        integers_out=tuple(sorted_["integers_out"]),
        others=others,
        enums=tuple(sorted_["enums"]),
        owner=owner,
    )


def _static(function: Function) -> bool:
    """True for a method that needs no object: of a class that stands for the whole device or library."""
    return bool({"device", "runtime", "driver", "manager", "npu", "platform"} & set(split(owner_of(function))))


def undoes(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether a name undoes another: the same words but for verbs that are each other's opposites."""
    one, two = list(first), list(second)
    if one == two:
        return False
    joined, undone = "".join(one), "".join(two)
    if any(undone == f"{back}{joined}" for back in _BACKWARDS):
        return True
    shared = [w for w in one if w in two]
    rest, left = [w for w in one if w not in shared], [w for w in two if w not in shared]
    pair = ("".join(rest), "".join(left))
    bare = ("".join(w for w in rest if w not in _ENDS), "".join(w for w in left if w not in _ENDS))
    if any(b == f"{back}{a}" and a for back in _BACKWARDS for a, b in (pair, bare)) or pair in _UNDOES:
        return True
    if (rest and left) and (bare in _UNDOES or (pair[0] in _ENDS and pair in _UNDOES)):
        return True
    return not rest and len(left) == 1 and (left[0] in ("back", "off", "away") or meaning(left[0]) == "del")


def beside(said: Iterable[str], known: Iterable[str]) -> set[str]:
    """The words of a name that neither ``known`` nor every vocabulary of runtimes explains."""
    explained = set(known)
    return {w for w in said if w not in explained and meaning(w) not in explained and w not in TOLERATED}
