"""What names say that no table lists, from their header's habits: abbreviations, and letters that all ops share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from torchfl_sdk.header.model import Function
from torchfl_sdk.match.recognise.abbreviations import abbreviated, habit
from torchfl_sdk.match.recognise.affixes import affixes, between, plainly, stems, usual
from torchfl_sdk.match.recognise.names import Naming, quantised
from torchfl_sdk.match.tokens import Prefixes, split
from torchfl_sdk.match.vocabulary import RARE, Word


class Guesses:
    """The habits of one header, and what they make of its names."""

    def __init__(self, named: Iterable[tuple[Function, Iterator[Naming]]], prefix: Prefixes) -> None:
        """``named``: each function with the readings that the tables give its name."""
        self._prefix = prefix
        unread, tokens = [], set[str]()
        for function, readings in named:
            found = stems(function.name.partition("(")[0].rpartition("::")[2], prefix)
            tokens.update(found)
            if next(readings, None) is None:
                unread.append((found, _takes_number(function)))
        self._abbreviates = habit(tokens)
        self._affixes = affixes(unread, self._means)

    def of(self, name: str, function: Function) -> Iterator[Naming]:
        """The readings of a name that the tables do not know."""
        if any(quantised(t) for t in split(name)):
            return
        number = _takes_number(function)
        for stem in stems(name, self._prefix):
            whole = abbreviated(stem) if self._abbreviates else ""
            if whole:
                said = f"'{stem}' abbreviates '{whole}', as others of the header's names abbreviate"
                yield Naming(whole, usual(whole), RARE.get(whole, ()), tokens=(stem,), guessed=said)
            cut = between(stem, self._affixes, self._means)
            if cut is not None:
                rest, (head, tail) = cut
                meant, key = self._means(rest), rest if plainly(rest) else abbreviated(rest)
                said = f"'{head}...{tail}' stands around the names of several ops"
                constant = number and any(w.kind == "binary" and w.scalar for w in meant)
                sure = tuple(w for w in usual(key) if w in meant)
                rare = tuple(w for w in meant if w not in sure)
                yield Naming(key, sure, rare, constant=constant, tokens=(rest,), guessed=said)

    def _means(self, rest: str) -> tuple[Word, ...]:
        """The ops that the header calls ``rest``."""
        return plainly(rest) or (plainly(abbreviated(rest)) if self._abbreviates else ())


def _takes_number(function: Function) -> bool:
    return any(p.type.kind == "float" for p in function.params)
