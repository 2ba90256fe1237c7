"""A chip that is a Python function, with limits and mistakes of its own, asked the way the probe asks."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import torch
from torchfl_sdk.conformance.cases.samples import Sample, materialise
from torchfl_sdk.conformance.oracle import Semantics, bound

from torchfl import catalogue
from torchfl.profile import Constraint, Numerics, OpEntry, Origin
from torchfl_sdk.probe.question import Answer, Question
from torchfl_sdk.probe.verdict import Judge

#: (values of the call: dtype, attributes, shapes of the inputs) -> "" to serve it, else a status or "WRONG"
Rule = Callable[[str, dict[str, Any], list[tuple[int, ...]]], str]


class FakeChip:
    """Serves an op as ``rule`` says, with an int8 ``store``; without ``inplace``, wrongly over an input. ``refuses``:
    forms of questions."""

    def __init__(
        self,
        rule: Rule,
        store: str = "wrap",
        inplace: bool = True,
        alignment: int = 1,
        refuses: tuple[str, ...] = (),
    ) -> None:
        self.rule, self.store, self.inplace, self.alignment = rule, store, inplace, alignment
        self.refuses = refuses
        self.judge = Judge(Numerics())
        self.questions: list[Question] = []

    def ask(self, question: Question) -> Answer:
        moot = self.judge.is_moot(question)
        if moot:
            return Answer("moot", moot)
        self.questions.append(question)
        sample = materialise(question.sample)
        shapes = [() if t is None else tuple(t.shape) for t in sample.inputs]
        status = self.rule(sample.dtype, sample.attrs, shapes)
        if question.offset and self.alignment > 1:
            size = next(t.element_size() for t in sample.inputs if t is not None)
            if question.offset * size % self.alignment:
                return Answer("refused", "misaligned")
        if question.form in self.refuses:
            status = "INVALID_ARGUMENT"
        if status in ("crash", "hang"):
            return Answer(status, "the worker is gone")
        if status not in ("", "WRONG"):
            return self.judge.verdict(question, {"status": status, "error": "so says the chip"})
        wrong = status == "WRONG" or (question.form == "inplace" and not self.inplace)
        outputs = [self._output(sample, i, wrong) for i in range(len(sample.op.outputs))]
        return self.judge.verdict(question, {"status": "OK", "error": "", "outputs": outputs})

    def _output(self, sample: Sample, index: int, wrong: bool) -> dict[str, Any]:
        limit = bound(sample, Semantics(int8_store=self.store), index)
        values = limit.rounded.astype("float64" if limit.rounded.dtype.kind == "f" else "int64")
        result = torch.from_numpy(values).to(getattr(torch, limit.dtype))
        if wrong and result.numel():
            result.view(-1)[-1] = 0
        raw = result.contiguous().view(-1).view(torch.uint8).numpy().tobytes() if result.numel() else b""
        return {"dtype": limit.dtype, "shape": list(result.shape), "data": base64.b64encode(raw).decode()}


def entry(name: str, dtypes: tuple[str, ...], **more: Any) -> OpEntry:
    """An unverified entry."""
    constraints = tuple(Constraint(k, allowed=tuple(v)) for k, v in more.pop("constraints", {}).items())
    fields: dict[str, Any] = {"layout": "contiguous", "inplace": False, "broadcast": False, **more}
    return OpEntry(
        name=name,
        overload=None,
        impl="kernel",
        dtype_support=dtypes,
        constraints=constraints,
        provenance="unverified",
        evidence=(),
        origin=Origin("x", 1),
        **fields,
    )


def spec(name: str) -> catalogue.OpSpec:
    """The catalogue's op."""
    found = catalogue.get(name)
    assert found is not None
    return found
