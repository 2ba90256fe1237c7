"""Ops with several results: a kernel that gets a further one wrong, or leaves it out, is no right kernel."""

from __future__ import annotations

import dataclasses

import pytest
from torchfl_sdk.conformance.cases.calling import call_all
from torchfl_sdk.conformance.cases.recipes import specs
from torchfl_sdk.conformance.cases.samples import materialise
from torchfl_sdk.conformance.cases.spec import CaseSpec
from torchfl_sdk.conformance.oracle.service import Oracle, to_data
from torchfl_sdk.conformance.runner.protocol import Execution

from torchfl import catalogue

SEVERAL = [op for op in catalogue.OPS if len(op.outputs) > 1 and op.name != "aten::batch_norm"]  # which saves nothing
VARIANTS = ("forward", "autocast")


def ran(op: catalogue.OpSpec, variant: str, *, native: bool = True) -> tuple[CaseSpec, Execution]:
    """A case, and a chip's right answer to it."""
    sample = next(iter(specs(op, "float32", 0, "probe")))
    made = materialise(sample)
    outputs = tuple(to_data(t) for t in call_all(op, made.inputs, made.attrs))
    assert len(outputs) == len(op.outputs)
    return CaseSpec(sample, variant, "native"), Execution(outputs, native=int(native), cpu=int(not native))


@pytest.mark.parametrize("op", SEVERAL, ids=lambda op: op.name)
def test_each_result_is_judged(op: catalogue.OpSpec) -> None:
    oracle = Oracle({})
    case, right = ran(op, "forward")
    assert oracle.judge(case, right).ok
    for wrong in range(len(op.outputs)):
        outputs = list(right.outputs)
        outputs[wrong] = dataclasses.replace(outputs[wrong], data=bytes(len(outputs[wrong].data)))  # zeros
        judged = oracle.judge(case, dataclasses.replace(right, outputs=tuple(outputs), first_output=True))
        assert not judged.ok
        assert judged.reason.startswith(f"{op.outputs[wrong]}: ") or not wrong


@pytest.mark.parametrize("op", [op for op in SEVERAL if op.returns_all], ids=lambda op: op.name)
def test_no_profile_takes_away_what_the_caller_gets(op: catalogue.OpSpec) -> None:
    case, right = ran(op, "forward")
    values = dataclasses.replace(right, outputs=right.outputs[:1], first_output=True)
    judged = Oracle({}).judge(case, values)
    assert (judged.ok, judged.reason) == (False, "1 results instead of 2")


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("op", [op for op in SEVERAL if not op.returns_all], ids=lambda op: op.name)
def test_further_results_may_be_absent_only_where_the_profile_says_so(op: catalogue.OpSpec, variant: str) -> None:
    oracle = Oracle({})
    if variant == "autocast":
        case, right = ran(op, "forward")
        case = dataclasses.replace(case, variant="autocast")
    else:
        case, right = ran(op, variant)
    first = dataclasses.replace(right, outputs=right.outputs[:1])
    judged = oracle.judge(case, first)
    assert not judged.ok
    assert judged.reason == (
        f"1 results instead of {len(op.outputs)}; a profile whose kernel gives the first alone says first_output: true"
    )
    declared = dataclasses.replace(first, first_output=True)
    assert "instead of" not in oracle.judge(case, declared).reason
    assert not oracle.judge(case, dataclasses.replace(declared, native=0, cpu=1)).ok  # the CPU gives all
    if len(op.outputs) > 2:
        assert not oracle.judge(case, dataclasses.replace(declared, outputs=right.outputs[:2])).ok
