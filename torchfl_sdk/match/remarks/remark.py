"""The one thing that a function's comment says it computes."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from torchfl_sdk.match.recognise.part import Part
from torchfl_sdk.match.remarks.formulas import computes_more, formulas, structural
from torchfl_sdk.match.remarks.prose import definition, words_of
from torchfl_sdk.match.vocabulary import Word

#: Words of a comment that speak of more than one op, or of another kind of numbers.
_MORE = re.compile(
    r"\b(?:then|followed by|fused?|fusing|quanti[sz]\w*|dequanti\w*|requanti\w*|fixed[- ]point|saturat\w+|gradients?|"
    r"backward|derivative|deprecated|complex|conjugated?|zero[- ]?points?|legacy|and (?:a )?(?:bias|relu|activation)|"
    r"with (?:a )?(?:bias|relu|activation) and|plus bias|8[- ]bit|asynchronous copy)\b",
    re.I,
)
_WORD = re.compile(r"[A-Za-z_]\w{3,}")


@dataclass(frozen=True)
class Remark:
    """An op that a comment names, by a formula or in words."""

    words: tuple[Word, ...]  # the ops that it may mean; its operands decide
    evidence: str
    roles: dict[int, str] = field(default_factory=dict)  # of the arguments that a formula names
    constant: bool = False  # a number stands for the second operand
    formula: bool = False
    certain: bool = False  # a formula over the arguments themselves


def remark(
    comment: str, behind: str, parts: Sequence[Part], *, section: bool, others: Collection[str] = ()
) -> Remark | None:
    """What a comment says, or None where it says nothing, or more than one thing.

    ``behind``: the part of it that stands behind the function on its last line; ``section``: it stands over several
    functions, none of which has one of its own; ``others``: names of the header's other functions, of which a line may
    speak.
    """
    comment = "\n".join(line for line in comment.splitlines() if not set(_WORD.findall(line)) & set(others))
    if not comment or _MORE.search(comment):
        return None
    own = behind if section else comment
    found_in = [*formulas(own, parts), *(formulas(comment, parts, free=False) if section else ())]
    said = {(f.aten, f.constant): f for f in reversed(found_in)}
    if len(said) > 1:
        said = {k: f for k, f in said.items() if f.said}
    if said and computes_more(comment, parts):
        return None
    if len(said) == 1:
        found = next(iter(said.values()))
        meant = words_of(found.aten)
        text = f"its comment has its formula: {found.text}"
        return Remark(meant, text, found.roles, found.constant, True, found.said) if meant else None
    if said:
        return None
    whole = structural(own)
    if whole:
        return Remark(words_of(whole), "its comment has its formula over whole operands", formula=True)
    defined = definition(own) if own else None
    return Remark(defined[0], f"its comment says '{defined[1]}'") if defined else None
