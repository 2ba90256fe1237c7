"""From a function's name to the ops it may be: prefix, element type, protocol words and variants taken off."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from torchfl_sdk.match.tokens import DTYPE_WORDS, LETTERS, Prefixes, cores, split, words
from torchfl_sdk.match.vocabulary import BACKWARD, BY_NAME, FALSE_FRIENDS, FAMILY_BY_NAME, Family, Word
from torchfl_sdk.match.vocabulary.families import CALLING, NOISE, PROTOCOL, PROTOCOL_ENDS

_BACKWARD = frozenset(words("backward bwd grad backprop bprop gradient"))
_WIDTH = re.compile(r"(?:b?f|fp|s|u|i|x|qs|qu|qc|q|int|uint)(?:4|8|16|32|64)|(?:8|16|32|64)(?:f|s|u|i|fc|sc)")
_QUANTISED = re.compile(r"q[suc]?(?:8|16|32)\w*|sfs|isfs|quantized|quantised|quint8|qint8")
_BLAS = tuple(re.compile(rf"(i?)({letters})([a-z][a-z0-9]+)") for letters in ("[sdhcz]", "sb|sh|sc|dz|bf"))


#: Words that are noise in most names and part of an op's in some: ``layer_norm``, ``mat_inverse``.
_OPS_OWN = ("layer", "mat", "matrix", "element", "vector")
#: First words that are no prefix: they say what is done, or to what.
_MEANINGFUL = frozenset(
    words(
        """get set create destroy delete free release query is has new make init alloc malloc copy memcpy mem memory
        stream event graph device host context buffer tensor desc descriptor op enqueue register add remove start stop
        begin end wait sync load save open close print dump read write map unmap test check find config plan select
        async batch sparse complex cond image texture array matrix vector pointer ptr kernel module function property
        attribute callback string error status version thread lock mutex log time profile clock queue signal"""
    )
)


@dataclass(frozen=True)
class Naming:
    """One reading of a function's name."""

    key: str  # joined tokens, as in the vocabulary
    words: tuple[Word, ...] = ()
    families: tuple[Family, ...] = ()
    dtypes: tuple[str, ...] = ()  # element types in the name
    letter: str = ""  # the type is one letter of the name, which the C types must confirm
    protocol: str = ""  # "create", "setup", "desc_init"...: the function prepares or launches the op
    backward: bool = False
    inplace: bool = False
    constant: bool = False  # a form with a number as operand
    reversed: bool = False
    quantised: bool = False
    friend: str = ""  # why it is no op although it is called like one
    tokens: tuple[str, ...] = field(default=())


def namings(name: str, known: Prefixes, *, free: bool = True) -> Iterator[Naming]:
    """Readings of a name that the vocabulary knows, the most literal first. ``free``: it is a C function's."""
    seen: set[str] = set()
    tokens = split(name)
    variants = [*cores(name, known), *_glued(name, known), tokens]
    if free and len(tokens) > 1 and (tokens[0],) not in known and len(tokens[0]) >= 3 and tokens[0] not in _MEANINGFUL:
        variants.append(tokens[1:])  # a rare prefix: a header may have parts with one of their own
    for variant in variants:
        for reading in _all_readings(tuple(variant)):
            mark = f"{reading.key}|{reading.protocol}|{reading.backward}|{reading.letter}"
            if mark not in seen:
                seen.add(mark)
                yield reading


def _glued(name: str, known: Prefixes) -> Iterator[list[str]]:
    """The words behind a prefix that runs into them: ``AcmeBlasiSmax`` -> i smax."""
    for prefix in known[:4]:
        head = "".join(prefix)
        if len(head) >= 3 and name.lower().startswith(head) and len(name) > len(head):
            yield split(name[len(head) :])


@lru_cache(maxsize=16384)
def _all_readings(tokens: tuple[str, ...]) -> tuple[Naming, ...]:
    """The readings of a list of tokens; variants for other element types share most of theirs."""
    return tuple(_readings(list(tokens)))


def _readings(tokens: list[str]) -> Iterator[Naming]:
    tokens, protocol = _protocol(_image(tokens))
    if len(tokens) > 1 and tokens[-1] in ("output", "out") and not any(t in _BACKWARD for t in tokens):
        tokens = tokens[:-1]  # computes the output: forward
    backward = any(t in _BACKWARD for t in tokens)
    tokens = [t for t in tokens if t not in _BACKWARD] if backward else tokens
    dtypes = tuple(DTYPE_WORDS.get(t, "") for t in tokens if t in DTYPE_WORDS or _WIDTH.fullmatch(t))
    quantised = any(_QUANTISED.fullmatch(t) for t in tokens)
    no_types = [t for t in tokens if t not in DTYPE_WORDS and not _WIDTH.fullmatch(t) and t not in ("sfs",)]
    no_types = no_types or tokens
    called = [t for t in no_types if t not in CALLING] or no_types
    bare = [t for t in called if t not in NOISE] or called
    common = {"protocol": protocol, "backward": backward, "quantised": quantised}
    if len(bare) > 1 and bare[0] in ("inplace", "inplc"):
        yield from _variants(bare[1:], dtypes, {**common, "inplace": True})
    if backward and len(bare) > 1 and bare[-1] in ("input", "data") and "conv" not in bare[0]:
        yield from _variants(bare[:-1], dtypes, common)
    plain = [t for t in called if t not in NOISE or t in _OPS_OWN] or called
    for kept, found in ((tokens, ()), (no_types, dtypes), (called, dtypes), (plain, dtypes), (bare, dtypes)):
        yield from _variants(kept, found, common)


def _variants(tokens: list[str], dtypes: tuple[str, ...], common: dict[str, object]) -> Iterator[Naming]:
    """The tokens as they are, then without the marks of in-place, constant and reversed forms, then without a "
    "letter."""
    marks: dict[str, bool] = {}
    kept = list(tokens)
    for _ in range(4):
        yield from _hit("".join(kept), kept, dtypes, "", {**common, **marks})
        if len(kept) == 1 or not kept:
            break
        last = kept[-1]
        if last in ("i", "inplace", "ip", "isfs", "inpl"):
            marks["inplace"] = True
        elif last in ("c", "const", "constant", "scalar", "scal"):
            marks["constant"] = True
        elif last in ("rev", "reversed", "r"):
            marks["reversed"] = True
        else:
            break
        kept = kept[:-1]
    joined = "".join(kept)
    for pattern in _BLAS:
        if match := pattern.fullmatch(joined):
            core = match[1] + match[3]
            yield from _hit(core, kept, (LETTERS.get(match[2][0], ""),), match[2], {**common, **marks})
    if len(kept) > 1 and kept[-1] in LETTERS:
        yield from _hit("".join(kept[:-1]), kept, (LETTERS[kept[-1]],), kept[-1], {**common, **marks})
    if kept and (tail := re.fullmatch(r"([a-z]{2,}?)(f16|f32|f64|fp16|fp32|bf16|s8|u8|s16|s32)", joined)):
        yield from _hit(tail[1], kept, (DTYPE_WORDS.get(tail[2], ""),), "", {**common, **marks})


def _hit(
    key: str, tokens: list[str], dtypes: tuple[str, ...], letter: str, common: dict[str, object]
) -> Iterator[Naming]:
    if not key:
        return
    made = {"dtypes": dtypes, "letter": letter, "tokens": tuple(tokens), **common}
    if (letter and FALSE_FRIENDS.get(key) is not None) or (not letter and FALSE_FRIENDS.get(key)):
        yield Naming(key, friend=FALSE_FRIENDS[key] or "finds the largest absolute value", **made)  # type: ignore[arg-type]
        return
    table = BACKWARD if common["backward"] else BY_NAME
    words = tuple(w for w in table.get(key, ()) if w.alone)
    families = tuple(f for f in FAMILY_BY_NAME.get(key, ()) if ("backward" in f.kinds) == bool(common["backward"]))
    if words or (families and not letter):
        yield Naming(key, words, families if not letter else (), **made)  # type: ignore[arg-type]


def _image(tokens: list[str]) -> list[str]:
    """Tokens without the channel marks of image functions (``_C1R``, ``_AC4IR``) and accuracy marks (``_A24``)."""
    made: list[str] = []
    skip = False
    for token, following in zip(tokens, [*tokens[1:], ""], strict=True):
        if skip:
            skip = False
            if token.startswith("i"):
                made.append("i")
        elif re.fullmatch(r"a?c[134]|p[34]", token) and following in ("r", "ir", "i", "rsfs", "irsfs", "m", "mr"):
            skip = True
        elif not re.fullmatch(r"a\d\d", token):
            made.append(token)
    return made or tokens


def _joined(tokens: list[str]) -> list[str]:
    """``Work Space`` written as two words, made one."""
    made: list[str] = []
    for token in tokens:
        if token == "space" and made and made[-1] == "work":
            made[-1] = "workspace"
        else:
            made.append(token)
    return made


def _protocol(tokens: list[str]) -> tuple[list[str], str]:
    """Tokens without the words by which a function prepares or launches an op, and those words."""
    tokens = _joined(tokens)
    for end in PROTOCOL_ENDS:
        if len(tokens) > len(end) and tuple(tokens[-len(end) :]) == end:
            return tokens[: -len(end)], "_".join(end)
    if len(tokens) > 1 and tokens[0] in PROTOCOL:
        return tokens[1:], tokens[0]
    return tokens, ""
