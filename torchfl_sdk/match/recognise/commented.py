"""What a function's comment adds to its name: the op where the name says none, and a check where it says one."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from torchfl_sdk.header.model import Function
from torchfl_sdk.match.model import OpMatch
from torchfl_sdk.match.recognise.induction import gives_number
from torchfl_sdk.match.recognise.marks import protocol_of
from torchfl_sdk.match.recognise.names import Naming
from torchfl_sdk.match.recognise.part import Part
from torchfl_sdk.match.remarks import Remark, remark
from torchfl_sdk.match.remarks.prose import words_of
from torchfl_sdk.match.tokens import split

Try = Callable[[Function, Naming, Sequence[Part]], "tuple[OpMatch, ...] | str"]

LOOSE = "other words of its name say nothing that is known"
#: Reasons against every op, whatever a comment says.
_FINAL = re.compile(
    r"no op of its own|the kernel that|quanti|complex|a collective|switches|prepares a backward|asks how"
)
#: Reasons by which only the op that the name was read as is refused.
_OF_THE_NAME = re.compile(
    r"$|its name says too little|which op of the family|fused: '|lacks |writes no tensor|nothing says|is a generator|"
    r"its operands say|works along"
)
_ELEMENTWISE = frozenset(("unary", "binary", "ternary"))
_TENSORS = frozenset(("input", "input2", "input3", "condition", "mask", "weight", "output", "inout", "bias"))
_TRUST = {"formula": 0.95, "free": 0.85, "words": 0.8}
_FUSED = re.compile("fused", re.IGNORECASE)
#: Names of products of which one operand is symmetric, triangular or a band.
_PARTLY = re.compile(r"(?:^|_)[sdcz]?(?:sy|he|tr|tp|tb|sb|sp|hp|gb)(?:rk|r2k|r2|mm|mv|sm|sv)(?:$|_)", re.IGNORECASE)
_NEAR = 6  # lines from a function to the next under the same comment
_TYPE = re.compile(r"_?(?:[fsubi]|bf|fp)\d+\w*$|_?[fdhsi]$")


@dataclass(frozen=True)
class Told:
    """What a comment decides."""

    matches: tuple[OpMatch, ...] = ()
    reason: str = ""


def sections(functions: Iterable[Function]) -> set[int]:
    """Identities of the functions whose comment may be a heading: the next one stands near and has none."""
    found: set[int] = set()
    by_file: dict[str, list[Function]] = {}
    for function in functions:
        by_file.setdefault(function.place.file, []).append(function)
    for own in by_file.values():
        own.sort(key=lambda f: f.place.line)
        for one, following in itertools.pairwise(own):
            near = following.place.line - one.place.line <= _NEAR
            if near and not following.comment and _stem(one.name) != _stem(following.name):
                found.add(id(one))
    return found


def _stem(name: str) -> str:
    return _TYPE.sub("", name)


def by_comment(
    function: Function, parts: Sequence[Part], named: Sequence[OpMatch], reason: str, section: bool,
    others: Collection[str], attempt: Try,
) -> Told | None:  # fmt: skip
    """What the comment says of a function that its name gives ``named``, or refuses with ``reason``.

    ``section``: the comment may be a heading; ``others``: names of the header's other functions.
    None: it says nothing new.
    """
    if _FINAL.search(reason) or not function.comment:
        return None
    if len({m.aten for m in named}) > 1 or any(m.constants for m in named):
        return None  # many ops, by a selector
    said = remark(function.comment, function.remark, parts, section=section, others=others)
    if said is None:
        return None
    if named:
        return _checked(function, parts, named[0], said, attempt)
    if not (said.certain or _OF_THE_NAME.match(reason)):
        return None
    if (
        (_FUSED.search(function.name) and not said.certain)
        or _PARTLY.search(function.name)
        or (said.formula and gives_number(function))
    ):
        return None
    made = _try(function, parts, said, attempt)
    return Told(made) if made else None


def _checked(function: Function, parts: Sequence[Part], named: OpMatch, said: Remark, attempt: Try) -> Told | None:
    """The name's op against the comment's."""
    if any(_base(w.aten) in {_base(a) for a in (named.aten, *named.alternatives)} for w in said.words):
        roles = _with_roles(named, function, said)
        return Told((replace(roles, evidence=(*named.evidence, said.evidence)),)) if roles is not named else None
    kinds, own = {w.kind for w in said.words}, {w.kind for w in words_of(named.aten)}
    elementwise = kinds <= _ELEMENTWISE and bool(own & _ELEMENTWISE)
    if not (elementwise and (said.certain or kinds == own == {"unary"} or LOOSE in named.evidence)):
        return None
    made = _try(function, parts, said, attempt)
    return Told(made) if made else None


def _base(aten: str) -> str:
    return aten.partition(".")[0].rstrip("_")


def _try(function: Function, parts: Sequence[Part], said: Remark, attempt: Try) -> tuple[OpMatch, ...]:
    tokens, protocol = protocol_of(split(function.name.partition("(")[0].rpartition("::")[2]))
    trust = _TRUST["formula" if said.certain else "free" if said.formula else "words"]
    for word in said.words:
        naming = Naming(
            word.names[0].replace("_", ""), (word,), protocol=protocol, constant=said.constant, tokens=tuple(tokens),
            operands=tuple((i, r) for i, r in said.roles.items() if r in _TENSORS),
        )  # fmt: skip
        found = attempt(function, naming, parts)
        if isinstance(found, str):
            continue
        return tuple(
            replace(
                _with_roles(m, function, said),
                confidence=round(m.confidence * trust, 3),
                evidence=(said.evidence, *(e for e in m.evidence if not e.startswith("the name reads as"))),
            )
            for m in found
        )
    return ()


def _with_roles(match: OpMatch, function: Function, said: Remark) -> OpMatch:
    """The match with the roles that the formula gives, where they are those of the same operands in another order."""
    index = {p.name: i for i, p in enumerate(function.params)}
    told = {name: said.roles[index[name]] for name, _ in match.arguments if index.get(name) in said.roles}
    before = {name: role for name, role in match.arguments if name in told}
    own = sorted(r for r in before.values() if r in _TENSORS)
    if not told or own != sorted(r for r in told.values() if r in _TENSORS):
        told = {n: r for n, r in told.items() if r not in _TENSORS and before[n] in ("", "scalar", "alpha", "beta")}
    if all(before[n] == r for n, r in told.items()):
        return match
    return replace(match, arguments=tuple((n, told.get(n, r)) for n, r in match.arguments))
