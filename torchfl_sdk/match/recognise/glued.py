"""Names whose words run into each other without a capital or an underscore: ``streamsynchronize``, ``maxpoolasync``."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache

from torchfl_sdk.match.tokens import DTYPE_WORDS, words
from torchfl_sdk.match.vocabulary import BACKWARD, BY_NAME, FALSE_FRIENDS, FAMILY_BY_NAME
from torchfl_sdk.match.vocabulary.families import CALLING, METHODS, NOISE, PROTOCOL
from torchfl_sdk.match.vocabulary.runtime import SAME, TOLERATED

_LEAST = 3  # letters of a word inside another
_SHORT = frozenset(words("op mm mv nd ex fn bn ln fc lt le gt ge eq ne v2 v3 2d 1d 3d"))
_MARKS = words(
    "backward bwd grad scalar const constant inplace reversed with bias conv relu pool norm linear linalg layer batch"
)

_OPS = frozenset(
    {*BY_NAME, *BACKWARD, *FAMILY_BY_NAME, *FALSE_FRIENDS, *NOISE, *CALLING, *METHODS, *PROTOCOL, *_MARKS}
    | {w for w in DTYPE_WORDS if len(w) >= _LEAST}
)
_RUNTIME = frozenset({*SAME, *TOLERATED})


def unglued(tokens: Sequence[str]) -> list[str]:
    """The tokens of an op's name with those made of several known words taken apart; the same where there is none."""
    return [part for token in tokens for part in _apart(token, _OPS)]


def unglued_runtime(tokens: Sequence[str]) -> list[str]:
    """The same for names of functions that manage a device."""
    return [part for token in tokens for part in _apart(token, _RUNTIME)]


@lru_cache(maxsize=65536)
def _apart(token: str, known: Collection[str]) -> tuple[str, ...]:
    """The fewest known words that make up a token; the token itself if it is one, or if they leave something over."""
    if token in known or len(token) < 2 * _LEAST - 1:
        return (token,)
    best: list[tuple[str, ...] | None] = [(), *([None] * len(token))]
    for end in range(1, len(token) + 1):
        for start in range(max(0, end - 24), end):
            before, piece = best[start], token[start:end]
            usable = piece in known and (len(piece) >= _LEAST or piece in _SHORT)
            if before is None or not usable:
                continue
            if best[end] is None or len(before) + 1 < len(best[end] or ()):
                best[end] = (*before, piece)
    found = best[-1] or (token,)
    return (token,) if all(piece in DTYPE_WORDS for piece in found) else found  # of several operands: f16f32


def letters_in_common(names: Sequence[str]) -> str:
    """What most names of one word begin with, letter by letter, or "": ``vadd``, ``vsub`` say ``v``.

    Less than three letters say too little: they may be a part of an op's name.
    """
    single = [name.lower() for name in names if "_" not in name.strip("_") and name.islower()]
    if len(single) < 6:
        return ""
    found = ""
    for length in range(_LEAST, 12):
        heads = [name[:length] for name in single if len(name) > length]
        top = max(set(heads), key=heads.count, default="")
        if 10 * heads.count(top) < 7 * len(single) or (found and not top.startswith(found)):
            break
        found = top
    return found
