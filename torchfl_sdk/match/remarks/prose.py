"""Definitions of ops in plain words: "running sum along each row", "Computes the tangent of each element"."""

from __future__ import annotations

import re

from torchfl_sdk.match.recognise.names import namings
from torchfl_sdk.match.remarks.definitions import DEFINITIONS
from torchfl_sdk.match.tokens import split, words
from torchfl_sdk.match.vocabulary import WORDS, Word

_TAGS = re.compile(r"^\s*[@\\](?:param|return|returns|note|see|pre|post|warning|tparam|throws|ingroup)\b")
_BRIEF = re.compile(r"[@\\]brief\s+([^\n@\\]+)")
_ENDS = re.compile(r"[;.:!()\[\]=<>]|,\s| - |--|\b(?:where|which|whose|if|unless|when|see|note)\b", re.I)
#: What a sentence about an op is made of beside the op.
_VERBS = frozenset(
    words("""computes compute calculates calculate calculating computing performs perform performing does takes take
    applies apply applying gives give returns return finds find evaluates evaluate executes execute runs run launches
    launch enqueues enqueue""")
)
_NOISE = frozenset(
    words("""the a an of each every all per its their element elements elementwise wise value values entry entries item
    items operation op function kernel vector vectors tensor tensors array arrays matrix matrices buffer buffers
    input inputs operand operands source src two both in on over for to by with from data pointwise one at out place
    result""")
)
_MANY_OPS = re.compile(r"\b(?:ops|operations|functions|operators|forms?|variants|arithmetic|comparisons|activations|"
                       r"reductions|conversions|routines|kernels|etc)\b", re.I)  # fmt: skip
_BY_ATEN: dict[str, tuple[Word, ...]] = {
    aten: tuple(w for w in WORDS if w.aten == aten and w.kind != "backward") for aten in {w.aten for w in WORDS}
}


def words_of(aten: str) -> tuple[Word, ...]:
    """The vocabulary's entries of an op, by its name with or without an overload."""
    full = f"aten::{aten.removeprefix('aten::')}"
    return _BY_ATEN.get(full) or tuple(w for a, own in _BY_ATEN.items() if a.partition(".")[0] == full for w in own)


_COMPILED = tuple((words_of(aten), re.compile(pattern, re.I)) for aten, pattern in DEFINITIONS)
#: Kinds of ops that a sentence names by the way, as where it says where something is copied to.
_BY_THE_WAY = ("copy", "vcopy", "fill", "zero", "scal", "random", "dropout", "geam", "axpy")
_JOINING = frozenset(words("and or not no but than"))


def definition(comment: str) -> tuple[tuple[Word, ...], str] | None:
    """The ops that the first sentence of a comment may define, with the sentence; None for any other sentence."""
    sentence = _sentence(comment)
    if not sentence or _MANY_OPS.search(sentence):
        return None
    plain = sentence
    while (first := re.match(r"([A-Za-z]+) +", plain)) and first[1].lower() in _VERBS:
        plain = plain[first.end() :]
    for text in dict.fromkeys((plain, re.sub(r"^(?:the|an?) ", "", plain, flags=re.I))):
        found = next((meant for meant, pattern in _COMPILED if pattern.fullmatch(text)), ())
        if found:
            return found, sentence
    return _by_name(plain, sentence)


def _sentence(comment: str) -> str:
    brief = _BRIEF.search(comment)
    lines = [brief[1]] if brief else [s for s in comment.splitlines() if s.strip() and not _TAGS.match(s)]
    if not lines:
        return ""
    text = re.sub(r"^\s*\w+\s*:\s+(?=\w)", "", lines[0]).strip()
    text = re.sub(r"\s+", " ", text)
    ends = _ENDS.search(text)
    if ends and (ends[0] in "=<>[" or (ends[0] == "(" and text[: ends.start()][-1:].isalnum())):
        return ""  # a formula
    return (text[: ends.start()] if ends else text).strip(" ,-")


def _by_name(plain: str, sentence: str) -> tuple[tuple[Word, ...], str] | None:
    """``Element-wise addition``: the words that are not noise are an op's name by themselves."""
    if re.search(r"[/+*^%|&~?]|(?<![\w])\d", plain):
        return None
    tokens = [t.lower() for t in re.findall(r"[A-Za-z][A-Za-z0-9]*", plain)]
    if not tokens or len(tokens) > 8:
        return None
    kept = [t for t in tokens if t not in _NOISE and t not in _VERBS]
    if _JOINING & set(kept):
        return None
    if (
        not kept
        or len(kept) > 4
        or (len(kept) == 1 and len(kept[0]) < 3)
        or kept != [t for s in kept for t in split(s)]
    ):
        return None
    for naming in namings("_".join(kept), (), free=False):
        if naming.friend or naming.backward or naming.loose or naming.protocol or naming.letter or naming.quantised:
            return None
        meant = tuple(w for w in naming.words if w.kind not in _BY_THE_WAY)
        if meant:
            return meant, sentence
    return None
