"""What a header says about the tensors that its kernels take beside their types: NHWC images, sizes in multiples,
aligned memory, uint8 with a zero point. They become keys of the profile, which the router's adapters honour.

Only sentences that oblige are believed ("must be a multiple of 16"). What is said without its subject or its number
is a question for the authors; the probe finds it by asking.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from torchfl.catalogue import OpSpec
from torchfl_sdk.header.model import Function, HeaderModel
from torchfl_sdk.match.model import Question, Source
from torchfl_sdk.match.structs import layout_values
from torchfl_sdk.match.tokens import split

_T = TypeVar("_T")

#: Shape rules of ops whose first input is an image.
IMAGES = ("conv", "pool", "adaptive_pool", "batch_norm", "group_norm")
#: The zero point that makes a uint8 of an int8 by its sign bit alone, which is what the router's adapter does.
ZERO_POINT = 128

_NHWC = re.compile(r"\bNHWC\b|\bchannels?[- ]last\b|\bchannels? (?:are |is |lie |lies )?innermost\b", re.IGNORECASE)
_NCHW = re.compile(r"\bNCHW\b|\bchannels?[- ]first\b", re.IGNORECASE)
_OBLIGES = re.compile(
    r"\b(?:must|shall|has to|have to|needs?|required?|requires|only|expects?|is|are)\b", re.IGNORECASE
)
_OPTIONAL = re.compile(
    r"\b(?:if|when|unless|faster|fastest|performance|optimal|best|prefer\w*|may|can|recommended|hint)\b", re.IGNORECASE
)
_NUMBER = r"(\d+|[A-Z][A-Z0-9_]{2,})"
_MULTIPLE = re.compile(
    rf"\b(?:multiples? of|divisible by|padded to|aligned to|rounded up to) (?:a multiple of )?{_NUMBER}"
)
_NO_NUMBER = re.compile(r"\bmultiples? of (?!\d|[A-Z][A-Z0-9_]{2,})|\b(?:must|shall|have to|has to) be padded\b")
_BYTES = re.compile(
    rf"\b{_NUMBER}[- ]?bytes?[- ](?:aligned|alignment|boundar)|"
    rf"\b(?:aligned|alignment) (?:to|on|at|of) (?:an? )?{_NUMBER}[- ]?bytes?|"
    rf"\b(?:addresses|pointers|buffers) must be multiples of {_NUMBER}",
    re.IGNORECASE,
)
_ALIGNED = re.compile(r"\b(?:must|shall|have to|has to) be (?:suitably |properly )?aligned\b", re.IGNORECASE)
_ZERO_POINT = re.compile(
    r"\bzero[- ]?point (?:is |of |= ?|: ?)*(?:fixed (?:at|to) )?(\d+)|\boffset binary\b", re.IGNORECASE
)
#: Words of a sentence about something else that comes in multiples.
_ELSEWHERE = frozenset(
    {"workspace", "stride", "strides", "pitch", "ld", "lda", "ldb", "ldc", "leading", "offset", "bytes"}
)
_ALL = frozenset({"dimension", "dimensions", "dims", "dim", "sizes", "extents", "extent", "size"})
_CHANNELS = frozenset({"channel", "channels", "c", "cin", "cout", "ic", "oc"})
_SIDES = {"in": frozenset(("input", "in", "cin", "ic")), "out": frozenset(("output", "out", "cout", "oc"))}
_ELEMENTS = frozenset({"n", "count", "counts", "numel", "elements", "element", "length", "len", "num", "size", "total"})
_OF_MEMORY = frozenset(
    {"ptr", "pointer", "address", "addr", "data", "memory", "mem", "buffer", "tensor", "bytes", "byte"}
)


@dataclass(frozen=True)
class Wants:
    """``layout``: "channels_last" or "". ``multiples``: variable -> divisor. ``zero_point``: 128, or 0 for none."""

    layout: str = ""
    alignment: int = 0
    multiples: tuple[tuple[str, int], ...] = ()
    zero_point: int = 0
    evidence: tuple[str, ...] = ()
    questions: tuple[Question, ...] = ()


def wants(model: HeaderModel, op: OpSpec, functions: Sequence[str], structs: Sequence[str] = ()) -> Wants:
    """What the header says of the tensors of ``op`` in these functions, which pass them by ``structs``."""
    called = [f for f in map(model.function, functions) if f is not None]
    reader = _Reader(model, op, called, tuple(structs))
    layout, alignment = reader.layout(), reader.alignment()
    multiples, zero_point = reader.multiples(), reader.zero_point()
    return Wants(
        layout, alignment, multiples, zero_point, tuple(dict.fromkeys(reader.evidence)), tuple(reader.questions)
    )


class _Reader:
    def __init__(self, model: HeaderModel, op: OpSpec, functions: Sequence[Function], structs: tuple[str, ...]) -> None:
        self.model, self.op, self.functions, self.structs = model, op, functions, structs
        self.evidence: list[str] = []
        self.questions: list[Question] = []

    def layout(self) -> str:
        """Images are NHWC by a name, a comment, or a list of layouts that has no other."""
        if self.op.shape_rule not in IMAGES:
            return ""
        for f in self.functions:
            words = set(split(f.name))
            if "nhwc" in words:
                return self._say("channels_last", f"the name {f.name} says NHWC")
            if "nchw" in words:
                return ""
        for text in self._comments():
            last, first = _NHWC.search(text), _NCHW.search(text)
            if last and not first:
                return self._say("channels_last", f"a comment says {last.group()}")
            if first:
                return ""
        lists = [(name, layout_values(e)) for name, e in self.model.enums.items()]
        known = [(name, found) for name, found in lists if found]
        if known and all("nchw" not in found for _, found in known):
            name, found = known[0]
            return self._say("channels_last", f"{found['nhwc']} is the only layout of images in {name}")
        if not known:
            self._ask("are images NCHW or NHWC?", "the kernel is run with images of both orders")
        return ""

    def multiples(self) -> tuple[tuple[str, int], ...]:
        found: dict[str, int] = {}
        for sentence in self._sentences():
            said = _MULTIPLE.search(sentence)
            if said is None or _BYTES.search(sentence):
                if _NO_NUMBER.search(sentence) and not said:
                    self._ask(
                        "of which numbers must sizes be multiples?", "sizes around 8, 16, 32, 64 and 128 are asked"
                    )
                continue
            divisor = self._number(said.group(1))
            words = set(split(sentence[: said.start()]))
            if not divisor or divisor < 2 or words & _ELSEWHERE or _OPTIONAL.search(sentence):
                continue
            if not _OBLIGES.search(sentence[: said.start()]):
                continue
            variables = self._variables(words)
            if not variables:
                self._ask(f"which sizes must be multiples of {divisor}?", "sizes around its multiples are asked")
                continue
            for variable in variables:
                found[variable] = max(found.get(variable, 1), divisor)
            self.evidence.append(f"a comment wants {', '.join(variables)} in multiples of {divisor}")
        return tuple(sorted(found.items()))

    def _variables(self, words: set[str]) -> tuple[str, ...]:
        """The op's variables that a sentence speaks of."""
        has, rule = self.op.variables, self.op.shape_rule
        if rule == "conv" and words & _CHANNELS:
            sides = [side for side, mine in _SIDES.items() if words & mine]
            return tuple(f"{side}_channels" for side in sides or ("in", "out"))
        if "M" in has or "K" in has:
            named = tuple(v for v in ("M", "N", "K", "batch") if v.lower() in words and v in has)
            return named or tuple(v for v in ("M", "N", "K") if v in has and words & _ALL)
        if self.op.elementwise and words & _ELEMENTS:
            return ("numel",)
        return ()

    def alignment(self) -> int:
        """Bytes that a comment demands; a constant of the header is only a reason to ask."""
        for sentence in self._sentences(structs=True):
            said = _BYTES.search(sentence)
            if said is None:
                if _ALIGNED.search(sentence):
                    self._ask("to how many bytes must tensors be aligned?", _ASKED)
                continue
            number = self._number(next(g for g in said.groups() if g))
            obliges = _OBLIGES.search(sentence) and not _OPTIONAL.search(sentence)
            if number and obliges and number & (number - 1) == 0 and not {"workspace"} & set(split(sentence)):
                self.evidence.append(f"a comment wants memory aligned to {number} bytes")
                return number
        for name, constant in self.model.constants.items():
            words = set(split(name))
            if words & {"align", "alignment"} and words & _OF_MEMORY and isinstance(constant.value, int):
                self._ask(f"must tensors begin at multiples of {name} = {constant.value} bytes?", _ASKED)
                break
        return 0

    def zero_point(self) -> int:
        texts = [*self._comments(), *self._struct_comments()]
        said = next((m for m in map(_ZERO_POINT.search, texts) if m), None)
        if said is not None:
            value = int(said.group(1) or ZERO_POINT)
            return self._say(value, f"a comment says that the zero point is {value}") if value == ZERO_POINT else 0
        for name, constant in self.model.constants.items():
            if {"zero", "point"} <= set(split(name)) and constant.value == ZERO_POINT:
                return self._say(ZERO_POINT, f"{name} is {ZERO_POINT}")
        return 0

    def _say(self, value: _T, sentence: str) -> _T:
        """``value``, for which ``sentence`` is the evidence."""
        self.evidence.append(sentence)
        return value

    def _ask(self, question: str, probe: str) -> None:
        f = self.functions[0] if self.functions else None
        if f is not None and question not in {q.question for q in self.questions}:
            place = Source(self.model.short(f.place.file), f.place.line)
            self.questions.append(Question(f.name, "", question, probe, place))

    def _number(self, text: str) -> int:
        if text.isdigit():
            return int(text)
        constant = self.model.constants.get(text)
        if constant is not None and isinstance(constant.value, int):
            return constant.value
        values = (c.value for e in self.model.enums.values() for c in e.constants if c.name == text)
        return next(values, 0)

    def _comments(self) -> Iterator[str]:
        yield from (" ".join(f.comment.split()) for f in self.functions if f.comment)

    def _struct_comments(self) -> Iterator[str]:
        for struct in self.model.structs.values():
            if struct.comment and {struct.name, *struct.typedefs} & set(self.structs):
                yield " ".join(struct.comment.split())

    def _sentences(self, *, structs: bool = False) -> Iterator[str]:
        for text in (*self._comments(), *(self._struct_comments() if structs else ())):
            yield from re.split(r"(?<=[a-zA-Z0-9)])[.;](?=\s|$)", text)


_ASKED = "tensors that begin 1 to 256 bytes into their memory are given to the kernel"
