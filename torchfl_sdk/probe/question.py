"""One question to a chip and its answer, as plain data."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from torchfl_sdk.conformance.cases.spec import SampleSpec, TensorSpec

#: What a kernel's status says about the call alone: this value is not served, perhaps for want of a function in the
#: library. Everything else is trouble.
REFUSALS = ("UNSUPPORTED", "INVALID_ARGUMENT", "MISSING_SYMBOL")

#: Forms of a question whose right answer is a refusal.
OUTSIDE = ("beyond", "negative")

#: right: ran, numbers right. wrong: ran, numbers wrong. refused: the chip said no. error: another status, or the call
#: never reached the kernel. crash, hang: the worker died or did not answer. weak: the numbers are right, but those of
#: a plainly wrong kernel would be too. moot: PyTorch itself does not define this call, or no sample can make it.
OUTCOMES = ("right", "wrong", "refused", "error", "crash", "hang", "weak", "moot")


@dataclass(frozen=True)
class Question:
    """Run kernel ``impl`` as ``sample.op`` on this sample.

    ``form``: forward | inplace (the first input's memory receives the result) | beyond, negative (one value of the
    index is one past the end, or -1: a kernel that checks refuses). ``offset``: elements that lie before each input in
    its memory, to ask about alignment. ``gap``: elements between the rows of each matrix, as it lies in memory, to ask
    about leading dimensions. ``channels_last``: images are given NHWC; ``shifted``: int8 tensors as uint8 with zero
    point 128.
    """

    impl: str
    sample: SampleSpec
    form: str = "forward"
    offset: int = 0
    gap: int = 0
    channels_last: bool = False
    shifted: bool = False

    @property
    def key(self) -> tuple[Any, ...]:
        """Equal for equal questions."""
        return (self.impl, self.sample.id, self.form, self.offset, self.gap, self.channels_last, self.shifted)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON; :func:`question_from_json` reads it."""
        return asdict(self)

    def __str__(self) -> str:
        """For people: the op, the dtype, what is special about the sample."""
        form = f" {self.form}" if self.form != "forward" else ""
        offset = f" {self.offset} elements into its memory" if self.offset else ""
        gap = f" {self.gap} elements between rows" if self.gap else ""
        order = " NHWC" if self.channels_last else ""
        return f"{self.sample.op} {self.sample.dtype} {self.sample.label}{order}{form}{offset}{gap}"


def question_from_json(data: dict[str, Any]) -> Question:
    """The inverse of :meth:`Question.to_json`; equal to the original."""
    sample = dict(data["sample"])
    sample["inputs"] = tuple(
        None if t is None else TensorSpec(**{**t, "shape": tuple(t["shape"])}) for t in sample["inputs"]
    )
    sample["attrs"] = tuple((k, tuple(v) if isinstance(v, list) else v) for k, v in sample["attrs"])
    rest = {k: v for k, v in data.items() if k != "sample"}
    return Question(sample=SampleSpec(**sample), **rest)


@dataclass(frozen=True)
class Answer:
    """What came back. ``stores``: the int8 store rules under which the numbers are right; ``hint``: what a profile
    could declare to make wrong numbers right, or what they look like; ``excluded``: other definitions of the op
    (:mod:`torchfl_sdk.conformance.report.definitions`) that right numbers rule out."""

    outcome: str
    reason: str = ""
    stores: frozenset[str] = field(default_factory=frozenset)
    hint: str = ""
    excluded: frozenset[str] = field(default_factory=frozenset)

    @property
    def right(self) -> bool:
        """Whether the kernel served the call with right numbers."""
        return self.outcome == "right"
