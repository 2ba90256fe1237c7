"""From a function's name to the ops it may be: the readings of a name that the vocabulary knows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache

from torchfl_sdk.match.recognise.glued import unglued
from torchfl_sdk.match.recognise.loose import CHANGES, windows
from torchfl_sdk.match.recognise.marks import (
    backward_words,
    drop_marks,
    is_type,
    library_word,
    plain_forms,
    protocol_of,
)
from torchfl_sdk.match.tokens import DTYPE_WORDS, LETTERS, Prefixes, cores, split, words
from torchfl_sdk.match.vocabulary import BACKWARD, BY_NAME, FALSE_FRIENDS, FAMILY_BY_NAME, RARE, Family, Word
from torchfl_sdk.match.vocabulary.families import CALLING, METHODS, NOISE
from torchfl_sdk.match.vocabulary.spellings import respelled

_QUANTISED = re.compile(r"q[suc]?(?:7|8|15|16|31|32)\w*|sfs|isfs|quantized|quantised|quint8|qint8|quant|requant")
_BLAS = tuple(re.compile(rf"(i?)({letters})([a-z][a-z0-9]+)") for letters in ("[sdhcz]", "sb|sh|sc|dz|bf"))
#: Two letters say that operand and result differ; with a real result of complex numbers, the operand decides.
_TWO_LETTERS = {"sc": "complex", "dz": "complex"}
_TAIL = re.compile(r"([a-z]\w*?)_?(f16|f32|f64|fp16|fp32|bf16|s8|u8|s16|u16|s32|u32|i8|i16|i32|i64|q7|q15|q31)")

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
#: Names that behind the letter of an element type are a mathematical library's, and mean something else there.
_WITH_LETTER = {"amax": "finds the largest absolute value", "mv": "a product with a matrix of one form"}
_IN_PLACE = frozenset(words("inplace inplc inpl"))


@dataclass(frozen=True)
class Naming:
    """One reading of a function's name."""

    key: str  # joined tokens, as in the vocabulary
    words: tuple[Word, ...] = ()
    rare: tuple[Word, ...] = ()  # ops that are seldom called so
    families: tuple[Family, ...] = ()
    dtypes: tuple[str, ...] = ()  # element types in the name
    letter: str = ""  # the type is one letter of the name, which the C types must confirm
    protocol: str = ""  # "create", "setup", "desc_init"...: the function prepares or launches the op
    backward: bool = False
    inplace: bool = False
    constant: bool = False  # a form with a number as operand
    reversed: bool = False
    quantised: bool = False
    loose: bool = False  # an op's name among words that nothing explains
    guessed: str = ""  # what else of the header the reading rests on, as a sentence
    friend: str = ""  # why it is no op although it is called like one
    tokens: tuple[str, ...] = field(default=())
    operands: tuple[tuple[int, str], ...] = ()  # roles of tensors by their place, where a formula gives them all


@dataclass(frozen=True)
class _Marks:
    """What tokens that were taken off a name have said."""

    protocol: str = ""
    backward: bool = False
    inplace: bool = False
    constant: bool = False
    reversed: bool = False
    quantised: bool = False


def namings(
    name: str, known: Prefixes, *, free: bool = True, parts: Prefixes = (), tails: frozenset[str] = frozenset()
) -> Iterator[Naming]:
    """Readings of a name that the vocabulary knows, the most literal first.

    ``known``: the header's prefixes; ``parts``: deeper ones, which name parts of a library; ``tails``: last words of
    many of its names. ``free``: the name is a C function's.
    """
    seen: set[str] = set()
    tokens = split(name)
    variants = [*_behind_prefixes(name, known), *_glued(name, known), tokens, *_behind_prefixes(name, parts, deep=True)]
    if (
        free
        and len(tokens) > 1
        and (tokens[0],) not in known
        and len(tokens[0]) >= 3
        and not _says_op(tokens[0])
        and not (tokens[0] in _MEANINGFUL or tokens[0] in CHANGES or backward_words([tokens[0]])[1])
    ):
        variants.append(tokens[1:])  # a rare prefix: a header may have parts with one of their own
    if (
        tokens[-1] in tails
        and tokens[-2:-1] != ["to"]
        and not (_says_op(tokens[-1]) or _says_what(tokens[-1]) or is_type(tokens[-1]))
    ):
        variants += [v[:-1] for v in variants if len(v) > 1]
    variants += [apart for v in variants if (apart := unglued(v)) != v]
    variants = [v for v in variants if v]  # a name may be its prefix and no more
    for variant in variants:
        for reading in _all_readings(tuple(variant)):
            mark = f"{reading.key}|{reading.protocol}|{reading.backward}|{reading.letter}|{reading.constant}"
            if mark not in seen:
                seen.add(mark)
                yield reading
    if seen:
        return
    for variant in variants:
        plain, backward = backward_words(protocol_of(list(variant))[0])
        for window in windows(plain):
            for reading in _all_readings((*window, *(("backward",) if backward else ()))):
                yield replace(reading, loose=True, dtypes=tuple(DTYPE_WORDS.get(t, "") for t in variant if is_type(t)))


def _behind_prefixes(name: str, known: Prefixes, *, deep: bool = False) -> Iterator[list[str]]:
    """The words behind each prefix; none loses a word that may be its op's."""
    tokens = split(name)
    for core in cores(name, known):
        dropped = tokens[1 : len(tokens) - len(core)]
        if any(_says_op(word) or (deep and _says_what(word)) for word in dropped):
            continue
        if not _begins_name(tokens[: len(tokens) - len(core)], core):
            yield core


def _begins_name(dropped: list[str], core: list[str]) -> bool:
    """True where words that many names begin with are a part of this op's: ``arc_sin``, ``log_softmax``."""
    plain = [t for t in core if not is_type(t)]
    for start, word in enumerate(dropped):
        if len(word) < 3 or library_word(word) or is_type(word):
            continue
        for end in range(len(plain), 0, -1):
            longer = _meant([*dropped[start:], *plain[:end]])
            if longer:
                return not longer & _meant(plain[:end])
    return False


def _meant(tokens: list[str]) -> set[str]:
    """The ops that a name made of these words stands for."""
    spelled = ["".join(tokens), *("".join(s) for s in respelled(tokens))]
    return {w.aten for name in spelled for w in BY_NAME.get(name, ()) if w.alone}


def _says_what(word: str) -> bool:
    """True for a word that is more than the name of a library's part."""
    return (word in CHANGES or word in _MEANINGFUL) and not library_word(word)


def _says_op(word: str) -> bool:
    return not library_word(word) and not is_type(word) and (word in BY_NAME or word in FAMILY_BY_NAME)


def _glued(name: str, known: Prefixes) -> Iterator[list[str]]:
    """The words behind a prefix that runs into them: ``AcmeBlasiSmax`` -> i smax."""
    for prefix in known[:4]:
        head = "".join(prefix)
        if not name.lower().startswith(head) or len(name) <= len(head):
            continue
        rest = split(name[len(head) :])
        if _begins_name([head], rest):
            continue
        short = len(rest) == 1 and _says_op(rest[0])
        if len(head) >= 3 or (len(head) == 2 and (short or (rest[0] == "i" and len(rest) > 1))):
            yield rest


@lru_cache(maxsize=16384)
def _all_readings(tokens: tuple[str, ...]) -> tuple[Naming, ...]:
    """The readings of a list of tokens; variants for other element types share most of theirs."""
    return tuple(_readings(list(tokens)))


def _joined(tokens: list[str], first: str, second: str) -> list[str]:
    """The tokens with these two as one where they stand side by side: ``ReluInPlace``."""
    pairs = [i for i in range(len(tokens) - 1) if tokens[i : i + 2] == [first, second]]
    for i in reversed(pairs):
        tokens = [*tokens[:i], first + second, *tokens[i + 2 :]]
    return tokens


def _readings(tokens: list[str]) -> Iterator[Naming]:
    tokens, protocol = protocol_of(tokens)
    tokens, backward = backward_words(tokens)
    marks = _Marks(protocol, backward, quantised=any(map(quantised, tokens)))
    dtypes = tuple(DTYPE_WORDS.get(t, "") for t in tokens if is_type(t))
    if _is_conversion(tokens):
        yield from _hit("convert", ["convert"], dtypes, "", marks)
    tokens = _joined(tokens, "in", "place")
    kept, inplace = [t for t in tokens if t not in _IN_PLACE], any(t in _IN_PLACE for t in tokens)
    if kept and inplace:
        tokens, marks = kept, replace(marks, inplace=True)
    forms = list(plain_forms(tokens, backward=backward))
    for form in forms:
        yield from _variants(form, dtypes if form != tokens else (), marks)
    yield from _of_all(tokens, dtypes, marks)
    if len(forms[-1]) == 1 and re.fullmatch(r"\w{3,}[^\Ws]s", forms[-1][0]):  # negates, multiplies
        plain = re.sub(r"ies$", "y", forms[-1][0]).removesuffix("s")
        for naming in _hit(plain, forms[-1], dtypes, "", marks):
            usual, rare = _of_kinds(naming, ("unary", "binary"))
            if usual or rare:
                yield replace(naming, words=usual, rare=rare, families=())
    for spelling in dict.fromkeys(tuple(s) for form in forms for s in respelled(form)):
        yield from _hit("".join(spelling), list(spelling), dtypes, "", marks)
    if len(tokens) == 1 and not backward and tokens[0][0] == "d" and tokens[0][1:] in BACKWARD:
        yield from _hit(tokens[0][1:], tokens, dtypes, "", replace(marks, backward=True))  # dgelu
    if protocol == "reshape":  # not of an operator, but of a tensor
        yield from _variants(["reshape"], dtypes, replace(marks, protocol=""))


_ASKS = frozenset(words("get find calc calculate compute determine eval evaluate"))
_ALONG = frozenset(
    words("row rows col cols column columns rowwise colwise columnwise wise per along each last axis lastdim")
)
_TO_FEWER = ("reduce", "arg_reduce", "vector_reduce")
_IN_ROWS = (*_TO_FEWER, "softmax", "sort", "norm")


def _of_all(tokens: list[str], dtypes: tuple[str, ...], marks: _Marks) -> Iterator[Naming]:
    """``get_max``, ``calc_mean``: what is asked for is a reduction; ``row_sum``, ``softmax_cols``: along what."""
    kept = [t for t in tokens if not is_type(t)]
    asked = kept[1:] if len(kept) > 1 and kept[0] in _ASKS else []
    along = [t for t in kept if t not in _ALONG]
    for form, kinds in ((asked, _TO_FEWER), (along if len(along) < len(kept) else [], _IN_ROWS)):
        for plain in [form, *([t for t in form if t not in NOISE],)] if form else ():
            for naming in _hit("".join(plain), plain, dtypes, "", marks):
                usual, rare = _of_kinds(naming, (*kinds, "sort") if form is asked else kinds)
                if usual or rare:
                    yield replace(naming, words=usual, rare=rare, families=())


def _of_kinds(naming: Naming, kinds: tuple[str, ...]) -> tuple[tuple[Word, ...], tuple[Word, ...]]:
    return tuple(w for w in naming.words if w.kind in kinds), tuple(w for w in naming.rare if w.kind in kinds)


def quantised(token: str) -> bool:
    """True for a word of a name that says numbers with a scale."""
    return bool(_QUANTISED.fullmatch(token))


def _is_conversion(tokens: list[str]) -> bool:
    """``f32_to_f16``, ``float2half``: element types on both sides."""
    joined = " ".join(tokens)
    sides = re.fullmatch(r"(\w+) to (\w+)", joined) or re.fullmatch(r"([a-z]+\d*)(?:2|to)([a-z]+\d*)", joined)
    return bool(sides) and all(is_type(side) for side in (sides[1], sides[2]))  # type: ignore[index]


def _variants(tokens: list[str], dtypes: tuple[str, ...], marks: _Marks) -> Iterator[Naming]:
    """The tokens as they are, then without the marks of in-place, constant and reversed forms, then without a
    letter."""
    kept = list(tokens)
    for _ in range(4):
        yield from _hit("".join(kept), kept, dtypes, "", marks)
        shorter, said = drop_marks(kept)
        if not said:
            break
        kept, marks = shorter, replace(marks, **{said: True})  # type: ignore[arg-type]
    joined = "".join(kept)
    lettered = len(kept) > 1 and kept[0][:1] in "sdhcz" and _of_blas(kept[0][1:])  # hgemm strided batched
    op = len(kept) > 1 and _known(kept[0]) and not lettered  # sin_v: no letter before "in"
    for pattern in _BLAS:
        if not op and (match := pattern.fullmatch(joined)):
            core = match[1] + match[3]
            for spelled in dict.fromkeys((core, core.removesuffix("v"), core.removesuffix("m"))):
                yield from _hit(
                    spelled, kept, (LETTERS.get(match[2]) or _TWO_LETTERS.get(match[2], ""),), match[2], marks
                )
    if len(kept) > 1 and kept[-1] in LETTERS:
        yield from _hit("".join(kept[:-1]), kept, (LETTERS[kept[-1]],), kept[-1], marks)
    if kept and (tail := _TAIL.fullmatch(joined)):
        yield from _hit(tail[1], kept, (DTYPE_WORDS.get(tail[2], ""),), "", marks)
    yield from _as_vectors(joined, kept, dtypes, marks)


def _as_vectors(joined: str, tokens: list[str], dtypes: tuple[str, ...], marks: _Marks) -> Iterator[Naming]:
    """Names of functions over vectors: ``vexp``, ``vvexpf``, ``vecadd``, ``expsp_v``; ``vsmul``, ``addc`` and ``adds``
    with a number."""
    lettered = re.fullmatch(r"v([sdhcz])", tokens[0]) if len(tokens) > 1 else None
    if lettered is not None and _known("".join(tokens[1:])):  # VsInv: no sin of vectors
        yield from _hit("".join(tokens[1:]), tokens[1:], (LETTERS.get(lettered[1], ""),), lettered[1], marks)
        if _known(tokens[-1]):
            return
    plain = re.sub(r"(?<=[a-z]{2}[a-uw-z])(?:8|16|32|64)$", "", joined)
    cores = [c for head in _HEADS if plain.startswith(head) for c in _tails(plain.removeprefix(head))]
    cores += _tails(plain)
    for core in dict.fromkeys(cores):
        if len(core) >= 2 and core != joined and core not in _WITH_LETTER and _known(core):
            yield from _hit(core, tokens, dtypes, "", marks)
    if plain.endswith("i") and any(w.kind in ("copy", "fill", "zero", "vcopy") for w in BY_NAME.get(plain[:-1], ())):
        yield from _hit(plain[:-1], tokens, ("int32",), "", marks)  # of integers
    numbers = [plain[len(head) :].removesuffix("f") for head in ("vs", "vecs") if plain.startswith(head)]
    numbers += [plain[2:]] if plain.startswith("vs") or (plain.startswith("sv") and len(tokens) == 1) else []
    numbers += [plain.removesuffix(end) for end in ("s", "c", "scalar", "const") if plain.endswith(end)]
    numbers += [c.removesuffix(end) for c in cores for end in ("scalar", "const") if c.endswith(end)]
    for core in numbers:
        if len(core) >= 2 and any((w.kind == "binary" and w.scalar) or w.kind == "fill" for w in BY_NAME.get(core, ())):
            yield from _hit(core, tokens, dtypes, "", replace(marks, constant=True))


#: What runs into an op's name before and behind it: "over a vector", an element type.
_HEADS = ("vv", "vec", "vector", "v", "elm", "elt", "mat")
_ENDS = ("f", "v", "sp", "dp", "spv", "dpv", "vec", "fv", "image")


def _tails(core: str) -> list[str]:
    return [core, *(core.removesuffix(end) for end in _ENDS if core.endswith(end))]


def _known(core: str) -> bool:
    return any(w.alone for w in BY_NAME.get(core, ()))


def _of_blas(core: str) -> bool:
    return any(w.kind in ("gemm", "gemm_batched", "gemv", "trsm") for w in BY_NAME.get(core, ()))


def _hit(key: str, tokens: list[str], dtypes: tuple[str, ...], letter: str, marks: _Marks) -> Iterator[Naming]:
    if not key:
        return
    made = Naming(
        key, dtypes=dtypes, letter=letter, protocol=marks.protocol, backward=marks.backward, inplace=marks.inplace,
        constant=marks.constant, reversed=marks.reversed, quantised=marks.quantised, tokens=tuple(tokens),
    )  # fmt: skip
    if (letter and FALSE_FRIENDS.get(key) is not None) or (not letter and FALSE_FRIENDS.get(key)):
        yield replace(made, friend=FALSE_FRIENDS[key] or _WITH_LETTER.get(key, ""))
        return
    table = BACKWARD if marks.backward else BY_NAME
    words = tuple(w for w in table.get(key, ()) if w.alone)
    families = tuple(f for f in FAMILY_BY_NAME.get(key, ()) if ("backward" in f.kinds) == marks.backward)
    plain = key in METHODS or key in NOISE or key in CALLING  # says how, whatever else it may say
    rare = RARE.get(key, ()) if not (letter or marks.backward or plain) else ()
    if words or rare or (families and not letter):
        yield replace(made, words=words, rare=rare, families=families if not letter else ())
