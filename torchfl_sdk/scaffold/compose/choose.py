"""Constants that PyTorch's meaning of an op chooses, whatever a vendor calls them; by the words in their names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from torchfl_sdk.header.model import CType, HeaderModel
from torchfl_sdk.match.tokens import split
from torchfl_sdk.match.vocabulary import Word
from torchfl_sdk.scaffold.kernel_plan import NotGenerated

#: Words of a function's comment that say its dilations count from zero.
_FROM_ZERO = re.compile(r"dilat\w*[^.]*?(?:\.[^.]{0,30})?\bzero\b[^.]{0,30}\bno\s+dilation", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class Wish:
    """``about``: words in the name of the parameter or of its enum. ``wanted``: words of constants, the best first."""

    about: tuple[str, ...]
    wanted: tuple[str, ...]
    avoided: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()  # of ops; empty: any


#: In the order in which they are asked; the first whose words are there decides.
_WISHES: tuple[Wish, ...] = (
    Wish(("nan",), ("propagate",), ("not", "no")),
    Wish(("prop", "phase", "training"), ("forward inference", "inference", "infer", "test", "forward")),
    Wish(("mode",), ("cross correlation", "crosscorrelation", "correlation"), (), ("conv",)),
    Wish(("mode", "axis"), ("channel",), (), ("softmax",)),
    Wish(("algorithm", "algo", "alg"), ("accurate", "default", "auto", "log"), (), ("softmax",)),
    Wish(("algorithm", "algo", "alg", "kind"), ("default", "auto", "implicit gemm", "direct", "gemm"), (), ("conv",)),
    Wish(("math",), ("default", "pedantic", "fma")),
    Wish(("precision", "allow", "cube"), ("keep", "full precision", "default", "0")),
    Wish(("indices",), ("no", "none", "32bit", "32")),
    Wish(("mode",), ("spatial",), ("persistent",), ("norm",)),
    Wish(("flags", "flag", "attr", "option", "options", "hint", "mode", "policy"), ("default", "none", "normal")),
)  # fmt: skip
#: Layouts of dense row-major tensors, the best first: with and without the four dimensions of images.
_IMAGES, _PLAIN = (
    ("nchw", "oihw", "chw", "nd", "row major", "rowmajor"),
    ("nd", "plain", "row major", "rowmajor", "nchw"),
)


def constants(model: HeaderModel, t: CType) -> tuple[str, ...]:
    """The constants of an enum, or of the nameless enum beside an integer typedef; in the header's order."""
    if t.kind == "enum":
        enum = model.enums.get(t.name)
        return tuple(c.name for c in enum.constants) if enum else ()
    return ()


def choose(model: HeaderModel, t: CType, name: str, kind: str, word: Word | None) -> str:
    """The constant of an enum to pass for an op of this kind. Raises :class:`NotGenerated` where nothing tells."""
    found = constants(model, t)
    if len(found) == 1:
        return found[0]
    about = set(split(name)) | set(split(t.name.removesuffix("_t")))
    own = [c for c in found if word is not None and _names(word) & {*split(c), "".join(split(c))}]
    for wish in _WISHES:
        if not about & set(wish.about) or (wish.kinds and kind not in wish.kinds):
            continue
        for pool in [own, found] if own else [found]:
            constant = _first(pool, wish.wanted, wish.avoided)
            if constant:
                return constant
        if own and wish.kinds:
            return own[0]
    raise NotGenerated(f"nothing says which {_called(t)} its argument {name!r} should be")


def preferred(name: str) -> tuple[str, ...]:
    """Words of the value to choose for an argument of this name, whatever op it is for; the best first."""
    about = set(split(name))
    return tuple(text for w in _WISHES if about & set(w.about) and not w.kinds for text in w.wanted)


def layout(model: HeaderModel, t: CType, *, images: bool) -> str:
    """The constant for dense row-major tensors, or ""."""
    return _first(constants(model, t), _IMAGES if images else _PLAIN, ())


def device_kind(model: HeaderModel, t: CType, *, host: bool) -> str:
    """The constant for the kind of device that runs things, or ""."""
    return _first(constants(model, t), ("cpu", "host") if host else ("gpu", "npu", "device", "accelerator", "any"), ())


def default(model: HeaderModel, t: CType) -> str:
    """The constant that is called the default, or ""."""
    return _first(constants(model, t), ("default", "none"), ())


def dilation_offset(model: HeaderModel, comment: str) -> int:
    """What to add to PyTorch's dilation, which is 1 for dense kernels: -1 where the header says that zero is.

    A function whose own comment is silent follows what the header says of another.
    """
    said = "dilat" in comment.lower() and "zero" in comment.lower()
    spoken = [comment] if said else [f.comment for f in model.functions]
    return -1 if any(_FROM_ZERO.search(text) for text in spoken) else 0


def _first(found: Sequence[str], wanted: Sequence[str], avoided: Sequence[str]) -> str:
    for wish in wanted:
        needed = wish.split()
        for constant in found:
            words = split(constant)
            if all(n in words for n in needed) and not set(words) & set(avoided):
                return constant
    return ""


def _names(word: Word) -> set[str]:
    return {*word.names, word.kind}


def _called(t: CType) -> str:
    return t.aliases[0] if t.aliases else t.spelled
