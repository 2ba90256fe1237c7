"""Ops that vendors define differently: the sheet of questions, and a chip that answers them."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
import torch
from torchfl_sdk.conformance.cases.samples import materialise
from torchfl_sdk.conformance.report.definitions import DEFINITIONS

from probe_helpers import FakeChip, entry, spec
from torchfl import catalogue
from torchfl_sdk.match.recognise.questions import _DEFINITIONS as ASKED
from torchfl_sdk.probe.investigate import investigate
from torchfl_sdk.probe.question import Answer, Question
from torchfl_sdk.scaffold import NewChipRequest, new_chip


class Otherwise(FakeChip):
    """Computes one of the other definitions of an op."""

    def __init__(self, statement: str) -> None:
        super().__init__(lambda dtype, attrs, shapes: "")
        self.statement = statement

    def ask(self, question: Question) -> Answer:
        moot = self.judge.is_moot(question)
        if moot:
            return Answer("moot", moot)
        sample = materialise(question.sample)
        definition = dict(DEFINITIONS[sample.op.name][1])[self.statement]
        wide = [None if t is None else t.to(torch.float64) for t in sample.inputs]
        first = next(t for t in sample.inputs if t is not None)
        result = definition(wide, dict(sample.attrs)).to(first.dtype).contiguous()
        data = base64.b64encode(result.view(-1).view(torch.uint8).numpy().tobytes()).decode()
        output = {"dtype": sample.dtype, "shape": list(result.shape), "data": data}
        return self.judge.verdict(question, {"status": "OK", "error": "", "outputs": [output]})


KNOWN = [
    (name, statement) for name, (_, others) in DEFINITIONS.items() for statement, _ in others if catalogue.get(name)
]


@pytest.mark.parametrize(("name", "statement"), KNOWN)
def test_another_definition_is_recognised_and_not_declared(name: str, statement: str) -> None:
    found = investigate(entry(name, ("float32",)), spec(name), Otherwise(statement).ask)
    assert not found.settled
    assert found.definition == ""
    assert any(statement in alarm for alarm in found.alarms), found.alarms


@pytest.mark.parametrize("name", sorted({name for name, _ in KNOWN}))
def test_torch_s_own_definition_is_the_answer_where_the_others_are_excluded(name: str) -> None:
    found = investigate(entry(name, ("float32",)), spec(name), FakeChip(lambda dtype, attrs, shapes: "").ask)
    assert found.settled
    assert found.definition == DEFINITIONS[name][0]


def test_every_question_of_definition_on_the_sheet_can_be_answered() -> None:
    asked = {catalogue.by_overload(name) or catalogue.get(name) for name in ASKED}
    assert {op.name for op in asked if op is not None} <= set(DEFINITIONS)


def test_the_sheet_lists_what_the_header_leaves_open(tmp_path: Path) -> None:
    header = tmp_path / "acme.h"
    header.write_text(
        "void *acme_malloc(unsigned long bytes);\nvoid acme_free(void *p);\n"
        "void acme_memcpy(void *dst, const void *src, unsigned long bytes);\n"
        "int acme_sub(const float *p, const float *q, float *r, int n);\n"
        "int acme_relu(const float *x, float *y, int n, int frobnication);\n"
    )
    project = new_chip(NewChipRequest("acme", (header,), out=tmp_path)).project
    rows = [line for line in (project / "QUESTIONS.md").read_text().splitlines() if line.startswith("| `")]
    assert any("acme_sub" in row and "a - b" in row and "acme.h:4" in row and "3 and 1" in row for row in rows)
    assert any("acme_relu" in row and "frobnication" in row and row.endswith("|  |") for row in rows)
    assert "QUESTIONS.md" in (project / "README.md").read_text()
