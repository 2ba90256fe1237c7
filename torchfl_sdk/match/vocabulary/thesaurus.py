"""The further names of ops, from lines of text to the words of the other tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from torchfl_sdk.match.vocabulary import jargon, plain, short
from torchfl_sdk.match.vocabulary.word import Word

#: Names of one letter fewer than this say nothing.
_LEAST = 2


def further(words: tuple[Word, ...], by_name: Mapping[str, tuple[Word, ...]]) -> dict[str, tuple[Word, ...]]:
    """Joined name -> the ops that are called so too, by the three tables; what ``by_name`` has stays there.

    An op is the first of ``words`` with its aten name, or the first that a name behind ``=`` gives.
    """
    first: dict[str, Word] = {}
    for word in words:
        if word.alone and word.kind != "backward":
            first.setdefault(word.aten.removeprefix("aten::"), word)
    found: dict[str, list[Word]] = defaultdict(list)
    for target, names in _lines():
        word = by_name[target[1:]][0] if target.startswith("=") else first[target]
        for name in names:
            key = name.replace("_", "")
            known = by_name.get(key, ())
            if len(key) >= _LEAST and word not in known and word not in found[key]:
                found[key].append(word)
    return {key: tuple(entries) for key, entries in found.items() if entries}


def _lines() -> Iterator[tuple[str, list[str]]]:
    for text in (plain.NAMES, jargon.NAMES, short.NAMES):
        for line in text.strip().splitlines():
            target, _, names = line.partition(":")
            yield target.strip(), names.split()
