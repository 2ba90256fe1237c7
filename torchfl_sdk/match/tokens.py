"""Reads a vendor function's name: its prefix, its core, the element type in it.

No vendor is known here. The prefix is what most names of the header begin with; what is left must be an op's name.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass


def words(text: str) -> tuple[str, ...]:
    """Words of a table written as one line."""
    return tuple(text.split())


#: Nouns before which a library's name in capitals may run on: ``ACMEstream``.
_NOUNS = "stream|event|context|handle|deviceptr|device|module|function|result|status|array"
_WORDS = re.compile(
    rf"[A-Z]{{2,}}(?=(?:{_NOUNS})(?![a-z]))|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z]+[0-9]*|[0-9]+[a-z]*"
)

#: ``HtoD``: the direction of a copy, one word.
_DIRECTION = re.compile(r"(?<![A-Z])([HD])to([HD])(?![a-z])")

#: Spellings of element types inside names, in lower case.
DTYPE_WORDS: dict[str, str] = {
    word: dtype
    for dtype, words in {
        "float32": "f32 fp32 float32 float single 32f r32f sp",
        "float16": "f16 fp16 float16 half 16f r16f",
        "bfloat16": "bf16 bfloat16 bfloat bfp16 r16bf 16bf",
        "float64": "f64 fp64 float64 double 64f r64f dp",
        "int8": "s8 i8 int8 sint8 char schar 8s r8i",
        "uint8": "u8 uint8 uchar 8u r8u byte",
        "int16": "s16 i16 int16 short 16s",
        "int32": "s32 i32 int32 int 32s r32i",
        "int64": "s64 i64 int64 long 64s",
        "bool": "bool boolean b8 bool8",
        "complex": "c32 c64 c128 cf32 cf64 complex cplx 32fc 64fc 16sc 32sc c32f c64f z64",
    }.items()
    for word in words.split()
}

#: Type letters that stand before or behind a name, as the BLAS convention has them.
LETTERS = {"s": "float32", "d": "float64", "h": "float16", "c": "complex", "z": "complex"}

#: Prefixes of a header's names, the longest first.
Prefixes = tuple[tuple[str, ...], ...]

_VERBS = frozenset(words("get set create destroy init is has new free make"))

#: Words that say how an op is called, not which op it is.
_NOISE = frozenset(
    words(
        "forward fwd op kernel run execute exec compute launch elementwise eltwise element vector vec array tensor "
        "func function api impl nd ref batch fp nchw nhwc"
    )
)


@dataclass(frozen=True)
class Reading:
    """One way to read a name: what is left after prefix, type and noise; joined without separators."""

    core: str
    words: tuple[str, ...]
    dtype: str = ""  # torchfl's name of the element type in it, "complex", or ""
    letter: str = ""  # the type is only a letter, which the C types must confirm
    stem: str = ""  # the function's name without its element type


def split(name: str) -> list[str]:
    """Words of an identifier in lower case; ``conv2D``, ``Conv2d`` and ``conv_2d`` give one word ``conv2d``.

    A name without a word (``_``) is a word itself, so that every name has one.
    """
    return list(_split(name))


@functools.lru_cache(maxsize=65536)
def _split(name: str) -> tuple[str, ...]:
    found: list[str] = []
    name = _DIRECTION.sub(lambda m: f"_{m[1]}to{m[2]}_".lower(), name)
    for word in (w.lower() for part in re.split(r"[_:]+", name) for w in _WORDS.findall(part)):
        dimensions = found and (
            (word == "d" and found[-1][-1:].isdigit()) or (re.fullmatch(r"[1-4]d", word) and found[-1].isalpha())
        )
        if dimensions:
            found[-1] += word
        else:
            found.append(word)
    return tuple(found) or ((name,) if name else ())


def common_prefix(names: Iterable[str]) -> tuple[str, ...]:
    """First words that at least half of the names share; a name of one word shares nothing."""
    prefix: tuple[str, ...] = ()
    remaining = [split(name) for name in names]
    for _ in range(2):
        heads = Counter(words[0] for words in remaining if len(words) > 1)
        if not heads:
            break
        word, count = heads.most_common(1)[0]
        if 2 * count < len(remaining) + (1 if prefix else 0) or count < 2:
            break
        prefix = (*prefix, word)
        remaining = [words[1:] for words in remaining if words[:1] == [word]]  # a name may be a prefix and no more
    return prefix


def prefixes(names: Iterable[str]) -> Prefixes:
    """Every prefix in a list of names, the longest first: the common one, and first words that three names share.

    A header may hold two libraries. A verb that begins many names (get, set...) is no prefix. Of one or two names
    nothing can be counted: there the first word is taken, and :func:`readings` tries the whole name before.
    """
    names = list(names)
    common = common_prefix(names)
    heads = Counter(parts[0] for parts in map(split, names) if len(parts) > 1)
    found = [common[: len(common) - i] for i in range(len(common))]
    found += [(head,) for head, count in heads.items() if (count >= 3 or len(names) < 3) and head not in _VERBS]
    return tuple(dict.fromkeys(found))


def deeper_prefixes(names: Iterable[str], known: Prefixes) -> Prefixes:
    """``known`` and what follows those prefixes in three names or more: the parts of a library, as in ``gl_blas_``.

    What a part's name says may be the op itself (``acme_conv_relu``); whoever takes such a prefix off must look.
    """
    heads = [p for p in known if p]
    found: Counter[tuple[str, ...]] = Counter()
    follow: dict[tuple[str, ...], set[str]] = {}
    for parts in (tuple(split(name)) for name in names):
        for size in {len(p) for p in heads if parts[: len(p)] == p}:
            for deep in (size + 1, size + 2):
                if len(parts) > deep:
                    found[parts[:deep]] += 1
                    follow.setdefault(parts[:deep], set()).add(parts[deep])
    parts_of = [p for p, count in found.items() if count >= 3 and len(follow[p]) >= 3 and not _VERBS & set(p[1:])]
    return tuple(dict.fromkeys((*known, *sorted(parts_of, key=len, reverse=True))))


def common_tails(names: Iterable[str]) -> frozenset[str]:
    """Last words of many names with different words before: they name an instruction set or a variant, not an op."""
    found: dict[str, set[tuple[str, ...]]] = {}
    total = 0
    for parts in (split(name) for name in names):
        total += 1
        if len(parts) > 2:
            found.setdefault(parts[-1], set()).add(tuple(parts[:-1]))
    least = max(3, total // 12)
    return frozenset(word for word, stems in found.items() if len(stems) >= least)


def prefix_of(name: str, known: Prefixes) -> tuple[str, ...]:
    """The prefix that a name has; what is left of the name is never empty."""
    parts = tuple(split(name))
    return next((p for p in known if len(parts) > len(p) and parts[: len(p)] == p), ())


@functools.lru_cache(maxsize=8)
def _as_set(known: Prefixes) -> frozenset[tuple[str, ...]]:
    return frozenset(known)


def cores(name: str, known: Prefixes) -> list[list[str]]:
    """The words of a name behind each prefix that it has, the shortest prefix first; the whole name without one.

    ``acme_add_f32`` in a header full of ``acme_add_...`` must not lose its op to a long prefix.
    """
    parts = split(name)
    found = _as_set(known)
    sizes = [n for n in range(1, min(len(parts), 4)) if tuple(parts[:n]) in found]
    return [parts[size:] for size in sizes] or [parts]


def readings(name: str, known: Prefixes) -> Iterator[Reading]:
    """Ways to read a name, the most literal first."""
    seen: set[tuple[str, str]] = set()
    for parts in (split(name), *cores(name, known)):
        for reading in _variants(name, parts):
            key = (reading.core, reading.dtype)
            if reading.core and key not in seen:
                seen.add(key)
                yield reading


def _variants(name: str, words: list[str]) -> Iterator[Reading]:
    plain = Reading("".join(words), tuple(words), stem=name)
    yield plain
    rest, dtype, removed = _take_dtype(words)
    stem = _without_word(name, removed) if removed else name
    for kept in (rest, [w for w in rest if w not in _NOISE]):
        yield Reading("".join(kept), tuple(kept), dtype, stem=stem)
    if dtype:
        return
    for kept in (words, [w for w in words if w not in _NOISE]):
        if kept and len(kept[0]) > 2 and kept[0][0] in LETTERS:  # sgemm
            inner = [kept[0][1:], *kept[1:]]
            yield Reading("".join(inner), tuple(inner), LETTERS[kept[0][0]], kept[0][0], _without_letter(name, kept[0]))
        if len(kept) > 1 and kept[-1] in LETTERS:  # gemm_s
            yield Reading(
                "".join(kept[:-1]), tuple(kept[:-1]), LETTERS[kept[-1]], kept[-1], _without_word(name, kept[-1])
            )
        if kept and (match := re.fullmatch(r"([a-z]+?)((?:b?f|fp|s|u|i)(?:8|16|32|64)|(?:8|16|32|64)[fsu])", kept[-1])):
            inner = [*kept[:-1], match[1]]
            if match[2] in DTYPE_WORDS:  # add32f
                yield Reading("".join(inner), tuple(inner), DTYPE_WORDS[match[2]], stem=_cut(name, match[2]))


def _take_dtype(words: list[str]) -> tuple[list[str], str, str]:
    """The words without a trailing or leading element type: remaining words, its dtype, the word taken."""
    for position in (-1, 0, -2):
        if len(words) > abs(position) and words[position] in DTYPE_WORDS:
            word = words[position]
            rest = [w for i, w in enumerate(words) if i != position % len(words)]
            return rest, DTYPE_WORDS[word], word
    return words, "", ""


def _without_word(name: str, word: str) -> str:
    """The name without one of its words and the separator before it."""
    matches = list(re.finditer(rf"_?{re.escape(word)}(?![a-z0-9])", name, re.I))
    if not matches:
        return name
    last = matches[-1]
    cut = name[: last.start()] + name[last.end() :]
    return cut.strip("_") or name


def _without_letter(name: str, word: str) -> str:
    position = name.lower().rfind(word)
    return name[:position] + name[position + 1 :] if position >= 0 else name


def _cut(name: str, tail: str) -> str:
    position = name.lower().rfind(tail)
    return name[:position] if position > 0 else name


def dtype_in(words: Iterable[str]) -> str:
    """The first element type among words, or ""."""
    return next((DTYPE_WORDS[w] for w in words if w in DTYPE_WORDS), "")
