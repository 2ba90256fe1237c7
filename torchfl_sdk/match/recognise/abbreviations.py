"""Names in which vowels or ends of words are left out: ``dvd``, ``lnrm``, ``mxpl``."""

from __future__ import annotations

import re
from functools import lru_cache

from torchfl_sdk.match.tokens import DTYPE_WORDS
from torchfl_sdk.match.vocabulary import BY_NAME, FALSE_FRIENDS, FAMILY_BY_NAME, RARE
from torchfl_sdk.match.vocabulary.families import CALLING, LIBRARY, METHODS, NOISE
from torchfl_sdk.match.vocabulary.short import PHRASES

_LEAST, _MOST = 3, 7  # letters of an abbreviation
_HABIT = 3  # ops that a header calls so before one of its words is taken for an abbreviation
_VOWEL = re.compile(r"(?<!^)[aeiou]")
_TWICE = re.compile(r"(.)\1")
_NO_NAMES = (BY_NAME, RARE, FAMILY_BY_NAME, FALSE_FRIENDS, DTYPE_WORDS, CALLING, LIBRARY, METHODS, NOISE)


def abbreviated(token: str) -> str:
    """The one name that ``token`` abbreviates; "" where it is a word or abbreviates names of different ops.

    A name without its vowels comes before one whose end is left out too, this before letters in order.
    """
    if not _LEAST <= len(token) <= _MOST or not token.isalpha() or any(token in known for known in _NO_NAMES):
        return ""
    for fits in (_without_vowels, _cut_off, _in_order):
        found = {_key(phrase) for phrase in _phrases(token[0]) if fits(token, phrase)}
        ops = {_ops(key): key for key in sorted(found)}
        if ops:
            return next(iter(ops.values())) if len(ops) == 1 else ""
    return ""


def habit(tokens: set[str]) -> bool:
    """True for the words of a header that abbreviates: several are no word and stand for different ops."""
    bare = [t for t in tokens if len(t) >= _LEAST and not re.search("[aeiou]", t)]
    made = {_ops(t if t in RARE else abbreviated(t)) for t in bare if t not in BY_NAME}
    return len(made - {()}) >= _HABIT


def _ops(key: str) -> tuple[str, ...]:
    return tuple(w.aten for w in (*BY_NAME.get(key, ()), *RARE.get(key, ())) if w.alone)


@lru_cache(maxsize=32)
def _phrases(first: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(p.split("_")) for p in PHRASES.split() if p[0] == first)


def _key(phrase: tuple[str, ...]) -> str:
    return "".join(phrase)


def _bones(word: str) -> str:
    """A word without its vowels, letters that stand twice once: ``attention`` -> ``atntn``."""
    return _VOWEL.sub("", _TWICE.sub(r"\1", word))


def _without_vowels(token: str, phrase: tuple[str, ...]) -> bool:
    """``dvd``; of several words the first may be its first letter: ``lnrm``."""
    whole = _bones("".join(phrase))
    return token in (whole, _bones(whole)) or (
        len(phrase) > 1 and token == "".join(w[0] for w in phrase[:-1]) + _bones(phrase[-1])
    )


def _cut_off(token: str, phrase: tuple[str, ...]) -> bool:
    """``sgm``, ``accum``: the beginning of the word, or of its consonants; of several words of each: ``mxpl``."""
    if len(phrase) == 1:
        return len(token) < len(phrase[0]) and (phrase[0].startswith(token) or _bones(phrase[0]).startswith(token))
    pieces = [{w[:n] for n in (1, 2, 3)} | {_bones(w)[:n] for n in (1, 2, 3, 4)} for w in phrase]
    made = {""}
    for choices in pieces:
        made = {m + c for m in made for c in choices if token.startswith(m + c)}
    return token in made


def _in_order(token: str, phrase: tuple[str, ...]) -> bool:
    """Consonants of the name in its order, more than half of them: ``rcpr``."""
    if re.search("[aeiou]", token[1:]):
        return False
    bones = _bones("".join(phrase))
    rest = iter(bones)
    return 2 * len(token) > len(bones) and all(letter in rest for letter in token)
