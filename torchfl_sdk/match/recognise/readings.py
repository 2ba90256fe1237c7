"""The readings of a header's names: what all of them have in common is taken off before the vocabulary is asked."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from torchfl_sdk.header.model import Function, HeaderModel
from torchfl_sdk.match.recognise import selector
from torchfl_sdk.match.recognise.guesses import Guesses
from torchfl_sdk.match.recognise.held import Held, sole_object
from torchfl_sdk.match.recognise.names import Naming, namings
from torchfl_sdk.match.recognise.steps import PAIRS, tied_tails
from torchfl_sdk.match.tokens import Prefixes, common_tails, deeper_prefixes, prefixes, split, words

_OF_VECTORS = re.compile(r"v([sd])([a-z]\w+)")


def plain_name(function: Function, public: str = "") -> str:
    """A function's own name, or its public one: without its scope and its arguments."""
    return (public or function.name).partition("(")[0].rpartition("::")[2]


def _class_prefixes(model: HeaderModel) -> Prefixes:
    """What the names of the header's classes begin with."""
    owners = list(dict.fromkeys(m.namespace.rsplit("::", 1)[-1] for m in model.methods if m.namespace))
    return tuple(p for p in prefixes(owners) if len(p) == 1) if len(owners) >= 3 else ()


#: Words for a way of calling ops, where many functions end in them.
_CALLS = frozenset(
    words("""plan encode prepare enqueue submit record dispatch schedule stage issue start begin kick emit async task
    job command cmd step""")
)
_SAID = 6  # functions called after ops and one word more, which says how they are called


def _calling_tails(functions: Sequence[Function], prefix: Prefixes) -> frozenset[str]:
    """Last words that most functions named after ops end in, and that say how these are called: ``AddPlan``,
    ``MatMulEncode``. A word by which two functions of an op differ is one too."""
    ends: dict[str, list[str]] = defaultdict(list)
    tied = tied_tails(functions)
    for function in functions:
        words = split(function.name)
        if (
            len(words) > 2
            and (words[-1] in _CALLS or words[-1] in tied)
            and re.search(rf"{words[-1]}$", function.name, re.I)
        ):
            ends[words[-1]].append(function.name[: -len(words[-1])].rstrip("_"))
    return frozenset(
        end for end, stems in ends.items()
        if sum(next(namings(s, prefix), None) is not None for s in stems)
        >= max(PAIRS if end in tied else _SAID, len(stems) // 2)
    )  # fmt: skip


def _without_tail(name: str, tails: frozenset[str]) -> str:
    end = next((t for t in tails if name.lower().endswith(t)), "")
    return name[: -len(end)].rstrip("_") if end else name


class Readings:
    """Reads the names of one header's functions.

    ``public``: what a macro calls a function; ``calls``: last words that say how ops are called; ``held``: the types
    whose objects hold an op's operands.
    """

    def __init__(self, model: HeaderModel, prefix: Prefixes) -> None:
        self._model = model
        self._prefix = prefix
        every = (*model.functions, *model.untrusted)
        self._deeper = deeper_prefixes([f.name for f in every], prefix)
        declared = [tuple(split(f.name)) for f in every]
        lettered = [m for f in every if (m := _OF_VECTORS.fullmatch(f.name))]
        cores = Counter(core for _, core in {(m[1], m[2]) for m in lettered})
        #: names begin with "v" and the letter of an element type: of many ops there is one for each
        self._vectors = sum(count > 1 for count in cores.values()) >= 3
        self._broad = tuple(p for p in self._deeper if 10 * sum(n[: len(p)] == p for n in declared) >= len(declared))
        self._methods = {m.name for m in model.methods}
        self._classes = _class_prefixes(model)
        self._tails = common_tails(f.name for f in every)
        self.calls = _calling_tails([f for f in model.functions if f.linkage == "c"], prefix)
        self.public = {a.target: a.name for a in model.aliases.values()}
        self.held = Held()
        self._guesses = Guesses(((f, self._plain(plain_name(f), f)) for f in every), prefix)
        self.held = Held(((f, self.first(f)) for f in every if sole_object(f)), every)

    def first(self, function: Function) -> Naming | None:
        """The first reading of a function's name, by a guess where the vocabulary has none."""
        name = plain_name(function, self.public.get(function.name, ""))
        return next(self._plain(name, function), None) or next(self._guesses.of(name, function), None)

    def _plain(self, name: str, function: Function) -> Iterator[Naming]:
        name = self.held.without_count(_without_tail(name, self.calls))
        return namings(name, self._prefix, free=function.linkage == "c", parts=self._broad)

    def of(self, name: str, function: Function) -> Iterator[Naming]:
        """Every reading of a name, the most literal first; a guess, or what an enum says, where nothing is known."""
        name = self.held.without_count(_without_tail(name, self.calls))
        if self._vectors and _OF_VECTORS.fullmatch(name):
            name = name[1:]
        free = function.linkage == "c"
        known = self._prefix if function.name not in self._methods else (*self._classes, *self._prefix)
        said = False
        for naming in namings(name, known, free=free, parts=self._deeper, tails=self._tails):
            said = said or not naming.loose
            yield naming
        for naming in self._guesses.of(name, function) if not said else ():
            said = True
            yield naming
        family = selector.family_of(self._model, function) if not said else None
        if family is not None:
            yield Naming("", families=(family,), tokens=tuple(split(name)), guessed="its enum says the kind of op")
