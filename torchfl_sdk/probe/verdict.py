"""Judges what a worker brought back: the numbers are compared here, in a process that no driver has touched."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import Any

import torch

from torchfl import catalogue
from torchfl.profile import Numerics
from torchfl_sdk.conformance.cases.dtypes import torch_dtype
from torchfl_sdk.conformance.cases.samples import Sample, materialise
from torchfl_sdk.conformance.oracle.bounds import Bound, bound
from torchfl_sdk.conformance.oracle.compare import Judgement, judge_against
from torchfl_sdk.conformance.oracle.discrimination import is_identity, weakness
from torchfl_sdk.conformance.oracle.semantics import Semantics, semantics_of
from torchfl_sdk.conformance.report.definitions import others
from torchfl_sdk.conformance.report.pattern import read_pattern
from torchfl_sdk.probe.question import OUTSIDE, REFUSALS, Answer, Question

#: What becomes of an int8 result out of range is a fact of each kernel, and asked of each.
_STORES = ("wrap", "saturate")

#: What a profile could declare instead, tried in turn where float numbers are wrong.
_HINTS = (
    ("numerics.flush_to_zero: true", {"flush_to_zero": True}),
    ("numerics.rounding: truncate", {"truncating": True}),
    ("numerics.tf32: true", {"tf32": True}),
    ("numerics.accumulate: float16", {"accumulate": "float16"}),
    ("numerics.accumulate: bfloat16", {"accumulate": "bfloat16"}),
)


class Judge:
    """Right results of questions, and the verdict on what came back."""

    def __init__(self, numerics: Numerics) -> None:
        torch.set_num_threads(1)  # the samples are small, and the worker needs a core
        self._semantics = semantics_of(numerics)
        self._bounds: dict[tuple[str, Semantics], tuple[Bound, ...]] = {}
        self._sample_id = ""
        self._sample: Sample

    def is_moot(self, question: Question) -> str:
        """Why PyTorch itself does not define this call; "" if it does."""
        try:
            self._bound(question, self._semantics)
        except (RuntimeError, ValueError, TypeError, NotImplementedError, IndexError) as error:
            return str(error).splitlines()[0] if str(error) else type(error).__name__
        return ""

    def verdict(self, question: Question, reply: dict[str, Any]) -> Answer:
        """From a worker's reply (status, error, and the result where there is one) to an answer."""
        status = str(reply["status"])
        if status != "OK":
            reason = status + (f": {reply['error']}" if reply.get("error") else "")
            return Answer("refused" if status in REFUSALS else "error", reason)
        if question.form in OUTSIDE:
            return Answer("wrong", "it computes with an index outside its dimension")
        actual = [_tensor(output) for output in reply["outputs"]]
        if question.sample.dtype == "int8":
            return self._int8(question, actual)
        return self._other(question, actual)

    def _int8(self, question: Question, actual: list[torch.Tensor]) -> Answer:
        right, reason = set(), ""
        for store in _STORES:
            judged = self._compared(question, replace(self._semantics, int8_store=store), actual)
            if judged.ok:
                right.add(store)
            else:
                reason = reason or judged.reason
        if not right:
            return Answer("wrong", reason, hint=self._reading(question, actual))
        limit = self._bound(question, replace(self._semantics, int8_store=min(right)))[0]
        return self._unless_weak(question, limit, frozenset(right))

    def _reading(self, question: Question, actual: list[torch.Tensor]) -> str:
        """What the wrong numbers look like, in words."""
        said: str = read_pattern(self._sample, self._bound(question, self._semantics)[0], actual[0])
        return said

    def _other(self, question: Question, actual: list[torch.Tensor]) -> Answer:
        judged = self._compared(question, self._semantics, actual)
        if judged.ok:
            return self._unless_weak(question, self._bound(question, self._semantics)[0], frozenset())
        for hint, change in _HINTS:
            weaker = replace(self._semantics, **change)
            if weaker != self._semantics and self._compared(question, weaker, actual).ok:
                return Answer("wrong", judged.reason, hint=f"right with {hint}")
        return Answer("wrong", judged.reason, hint=self._reading(question, actual))

    def _compared(self, question: Question, semantics: Semantics, actual: list[torch.Tensor]) -> Judgement:
        """Of the results that the kernel gives, the first that is wrong, or the first."""
        limits = self._bound(question, semantics)
        judged = [judge_against(limit, output) for limit, output in zip(limits, actual, strict=False)]
        return next((one for one in judged if not one.ok), judged[0])

    def _unless_weak(self, question: Question, limit: Bound, stores: frozenset[str]) -> Answer:
        identity = is_identity(question.sample.op, question.sample.dtype)
        weak = weakness(limit, self._sample.inputs, identity=identity)
        return Answer(
            "weak" if weak else "right", weak, stores, excluded=frozenset() if weak else self._excluded(limit)
        )

    def _excluded(self, limit: Bound) -> frozenset[str]:
        """The other definitions of the op that the numbers at hand, being right, are too far from."""
        dtype = torch_dtype(limit.dtype)
        return frozenset(
            statement for statement, result in others(self._sample) if not judge_against(limit, result.to(dtype)).ok
        )

    def _bound(self, question: Question, semantics: Semantics) -> tuple[Bound, ...]:
        """Reference and tolerance, kept for the question at hand: it is needed before and after the chip is asked."""
        key = (question.sample.id, semantics)
        if key not in self._bounds:
            if catalogue.get(question.sample.op) is None:
                raise ValueError(f"no op {question.sample.op}")
            if question.sample.id != self._sample_id:
                self._bounds.clear()
                self._sample_id, self._sample = question.sample.id, materialise(question.sample)
            outputs = range(len(self._sample.op.outputs))
            self._bounds[key] = tuple(bound(self._sample, semantics, i) for i in outputs)
        return self._bounds[key]


def _tensor(reply: dict[str, Any]) -> torch.Tensor:
    import torch

    raw = bytearray(base64.b64decode(reply["data"]))
    dtype = torch_dtype(reply["dtype"])
    flat = torch.frombuffer(raw, dtype=dtype) if raw else torch.empty(0, dtype=dtype)
    return flat.reshape(reply["shape"])
