"""An entry that says checks_index is asked with an index outside its dimension: only an error is right."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from torchfl_sdk.conformance.boundaries import outside_samples
from torchfl_sdk.conformance.cases import recipes
from torchfl_sdk.conformance.cases.calling import call
from torchfl_sdk.conformance.cases.manifest import Selection, plan
from torchfl_sdk.conformance.cases.samples import materialise
from torchfl_sdk.conformance.cases.spec import CaseSpec
from torchfl_sdk.conformance.gate.verdict import decide
from torchfl_sdk.conformance.runner.protocol import Execution, Judged

from torchfl import catalogue
from torchfl.profile import load_profile

WITH_INDEX = [op for op in catalogue.OPS if "index" in dict(op.input_kinds).values()]
HEAD = "device_type: xpu:fake\nruntime_so: libfake.so\nsupported_ops:\n"
ENTRY = "  - {{name: {0}, impl: fake_take, dtype_support: [float32, int8]{1}}}\n"
CHECKS = ", checks_index: true"


def planned(folder: Path, entry: str) -> list[CaseSpec]:
    (folder / "fake_device.yaml").write_text(HEAD + entry)
    return list(plan(load_profile(folder / "fake_device.yaml"), Selection()))


@pytest.mark.parametrize("op", WITH_INDEX, ids=lambda op: op.name)
def test_each_end_is_asked_in_each_dtype_and_last(op: catalogue.OpSpec, tmp_path: Path) -> None:
    cases = [c for c in planned(tmp_path, ENTRY.format(op.name, CHECKS)) if c.sample.op == op.name]
    asked = [c for c in cases if c.expect == "refused"]
    assert cases[-len(asked) :] == asked
    assert [c.sample.dtype for c in asked] == ["float32", "float32", "int8", "int8"]
    for case in asked:
        sample = materialise(case.sample)
        at = list(sample.op.inputs).index("index" if "index" in sample.op.inputs else "indices")
        index, extent = sample.inputs[at], sample.inputs[0].shape[sample.attrs.get("dim", 0)]
        assert case.boundary == f"index={index.view(-1)[-1]} outside"
        assert ((index < 0) | (index >= extent)).sum() == 1
        assert index.view(-1)[-1] in (extent, -1)
        with pytest.raises((IndexError, RuntimeError)):
            call(sample.op, sample.inputs, sample.attrs)
    assert {c.boundary.startswith("index=-1") for c in asked} == {True, False}


def test_no_other_entry_is_asked(tmp_path: Path) -> None:
    embedding, add = ENTRY.format("aten::embedding", ""), ENTRY.format("aten::add", CHECKS)
    claimed = [CHECKS + ", provenance: unverified", CHECKS + ", constraints: {numel: {max: 0}}"]
    for entry in (embedding, add, *(ENTRY.format("aten::embedding", more) for more in claimed)):
        assert not [c for c in planned(tmp_path, entry) if c.expect == "refused"], entry


def test_samples_of_ops_without_an_index_have_no_outside() -> None:
    relu = catalogue.get("aten::relu")
    assert not list(outside_samples(relu, next(iter(recipes.specs(relu, "float32", 0, "probe")))))


def test_a_chip_that_checks_passes_and_one_that_does_not_fails(gate, tmp_path: Path) -> None:
    profile = HEAD + ENTRY.format("aten::index_select", CHECKS)
    right = gate(profile=profile)
    assert [r for r in right.results if not r.good] == []
    asked = [r for r in right.results if r.case.expect == "refused"]
    assert [(r.verdict, r.proved) for r in asked] == [("NATIVE_PASS", False)] * 4

    wrong = gate({"unchecked": "index=-1"}, profile=profile)
    assert wrong.exit_code == 1
    bad = [r for r in wrong.results if not r.good]
    assert [(r.verdict, r.case.boundary) for r in bad] == [("FAIL", "index=-1 outside")] * 2
    assert all("gave a result instead of an error: the entry says checks_index" in r.reason for r in bad)
    workers = {json.loads(line).get("pid") for line in _journal(tmp_path) if '"begin"' in line}
    assert len(workers) > 1  # what the kernel went to is not the next case's memory
    for script in (tmp_path / "report" / "repro").glob("*.py"):
        compile(script.read_text(), str(script), "exec")


def _journal(folder: Path) -> list[str]:
    return (folder / "report" / "results.jsonl").read_text().splitlines()


def test_only_an_error_is_right() -> None:
    index = next(op for op in WITH_INDEX if op.name == "aten::index_select")
    base = next(iter(recipes.specs(index, "float32", 0, "probe")))
    for _, sample in outside_samples(index, base):
        case = CaseSpec(sample, "forward", "refused")
        raised = Execution(error_type="RuntimeError", error="index 5 of 5", entered={"f": 1})
        assert decide(case, raised, Judged(True), ("cpu",), True).verdict == "NATIVE_PASS"
        served = Execution(native=1, entered={"f": 1})
        assert decide(case, served, Judged(False, "a result"), ("cpu",), True).verdict == "FAIL"
    assert torch.equal(materialise(base).inputs[1], materialise(base).inputs[1].clamp(0))
