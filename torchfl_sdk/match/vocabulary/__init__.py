"""Data of the matcher: how vendors name ops. Rules are elsewhere; no vendor's name or prefix stands here."""

from __future__ import annotations

from collections import defaultdict

from torchfl_sdk.match.vocabulary import arrays, backward, blas, linalg, pointwise, tensors
from torchfl_sdk.match.vocabulary.blas import FALSE_FRIENDS
from torchfl_sdk.match.vocabulary.families import FAMILIES
from torchfl_sdk.match.vocabulary.thesaurus import further
from torchfl_sdk.match.vocabulary.word import KINDS, Family, Word

__all__ = ["BACKWARD", "BY_NAME", "FALSE_FRIENDS", "FAMILY_BY_NAME", "KINDS", "RARE", "WORDS", "Family", "Word"]

WORDS: tuple[Word, ...] = (
    *pointwise.WORDS, *tensors.WORDS, *blas.WORDS, *linalg.WORDS, *arrays.WORDS, *backward.WORDS
)  # fmt: skip


def _index(words: tuple[Word, ...]) -> dict[str, tuple[Word, ...]]:
    found: dict[str, list[Word]] = defaultdict(list)
    for word in words:
        if word.kind not in KINDS:
            raise AssertionError(f"{word.aten} is of an unknown kind '{word.kind}'")
        for name in dict.fromkeys(n.replace("_", "") for n in word.names):
            found[name].append(word)
    return {name: tuple(entries) for name, entries in found.items()}


#: joined name -> the ops that vendors call so
BY_NAME: dict[str, tuple[Word, ...]] = _index(tuple(word for word in WORDS if word.kind != "backward"))
#: the same for names that fewer people use, or for other ops too: asked after the others, and of whole names alone
RARE: dict[str, tuple[Word, ...]] = further(WORDS, BY_NAME)
#: the same for functions whose name says backward
BACKWARD: dict[str, tuple[Word, ...]] = _index(tuple(word for word in WORDS if word.kind == "backward"))
FAMILY_BY_NAME: dict[str, tuple[Family, ...]] = {
    name: tuple(f for f in FAMILIES if name in f.names) for family in FAMILIES for name in family.names
}
