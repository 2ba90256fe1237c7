"""Letters that a header writes before or behind its ops' names: ``vabsv``, ``rowmax``, ``mulk``.

Letters are no part of the name where several different names of ops stand between them, each unknown with them. What
they mean the arguments say: a number makes an operation with a number of it, a smaller result a reduction.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable
from functools import lru_cache

from torchfl_sdk.match.recognise.loose import CHANGES
from torchfl_sdk.match.recognise.marks import is_type
from torchfl_sdk.match.tokens import LETTERS, Prefixes, cores, split, words
from torchfl_sdk.match.vocabulary import BY_NAME, FALSE_FRIENDS, RARE, Word

_OPS = 4  # different ops between the same letters
_WITH_NUMBERS = 3  # the same where each function takes a number as operand
_SHARE = 0.25  # of the unread names with these letters
_HEAD, _TAIL, _LEAST = 4, 3, 3  # letters before, behind, of the op's own name
#: Letters that make another op, or say the element type.
_OTHERS = frozenset(
    words("""a abs c z q qs n neg inv i un not sq d grad bwd back arg cum log hard soft exp is f sp csr coo poly cplx
    conj inc dec pre re ex l lo""")
) | frozenset(LETTERS)  # fmt: skip
_BEHIND = _OTHERS - frozenset(words("l n i c s z h d f"))
_LAYERS = ("matmul", "conv", "linear", "gemm", "gemm_batched", "rnn", "attention", "solve", "resize", "dropout")
_ALONG = frozenset(words("row rows col cols"))

Affix = tuple[str, str]


def stems(name: str, known: Prefixes) -> list[str]:
    """The joined words of a name behind its prefixes, without element types at the end."""
    made = []
    for tokens in (*cores(name, known), split(name)):
        kept = [t for t in tokens if not is_type(t)]
        while len(kept) > 1 and re.fullmatch("[fdhiu]{1,2}", kept[-1]):
            kept.pop()
        made.append("".join(kept))
    return [s for s in dict.fromkeys(made) if s.isalnum()]


def affixes(
    unread: Iterable[tuple[Collection[str], bool]], means: Callable[[str], tuple[Word, ...]]
) -> tuple[Affix, ...]:
    """What stands before and behind the ops' names of a header, the surest first.

    ``unread``: of each function whose name says nothing, its stems, and whether it takes a number; ``means``: the ops
    that a header calls so.
    """
    ops: dict[Affix, set[tuple[str, ...]]] = defaultdict(set)
    every = list(unread)
    numbers: Counter[Affix] = Counter()
    for known, number in every:
        for stem in known:
            for affix, rest in _cuts(stem):
                meant = means(rest)
                if meant:
                    ops[affix].add(tuple(w.aten for w in meant))
                    numbers[affix] += number and any(w.scalar for w in meant)
    found = {}
    for affix, meant_by in ops.items():
        head, tail = affix
        least = _WITH_NUMBERS if tail and not head and numbers[affix] >= len(meant_by) else _OPS
        if len(meant_by) < least:
            continue  # most letters: a large header has many
        like = sum(any(s.startswith(head) and s.endswith(tail) for s in known) for known, _ in every)
        if len(meant_by) >= _SHARE * like:
            found[affix] = len(meant_by)
    return tuple(sorted(found, key=lambda a: (-found[a], len(a[0] + a[1]))))


def between(stem: str, found: Iterable[Affix], means: Callable[[str], tuple[Word, ...]]) -> tuple[str, Affix] | None:
    """The op's name in a stem, and the surest letters around it; ``None`` where there is none."""
    for affix in found:
        head, tail = affix
        rest = stem[len(head) : len(stem) - len(tail)] if stem.startswith(head) and stem.endswith(tail) else ""
        if len(rest) >= _LEAST and means(rest):
            return rest, affix
    return None


def plainly(stem: str) -> tuple[Word, ...]:
    """The ops of a name that the tables have."""
    if stem in FALSE_FRIENDS or is_type(stem):
        return ()
    return tuple(w for w in (*usual(stem), *RARE.get(stem, ())) if w.kind not in _LAYERS)


def usual(stem: str) -> tuple[Word, ...]:
    """The ops that most people call so."""
    return tuple(w for w in BY_NAME.get(stem, ()) if w.alone)


@lru_cache(maxsize=16384)
def _cuts(stem: str) -> tuple[tuple[Affix, str], ...]:
    made = []
    for head in range(_HEAD + 1):
        for tail in range(_TAIL + 1):
            rest = stem[head : len(stem) - tail]
            before, behind = stem[:head], stem[len(stem) - tail :] if tail else ""
            if (head or tail) and len(rest) >= _LEAST and _idle(before, _OTHERS) and _idle(behind, _BEHIND):
                made.append(((before, behind), rest))
    return tuple(made)


def _idle(letters: str, others: Collection[str]) -> bool:
    plain = letters in _ALONG or letters not in CHANGES
    return not letters or (letters.isalpha() and letters not in others and plain)
