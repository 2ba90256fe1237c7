"""From what happened to a verdict, without any process."""

from __future__ import annotations

import re

import pytest
from torchfl_sdk.conformance.cases.spec import CaseSpec, SampleSpec, TensorSpec
from torchfl_sdk.conformance.gate.verdict import decide
from torchfl_sdk.conformance.runner.protocol import Execution, Judged


@pytest.mark.parametrize(
    ("expect", "happened", "judged", "verdict", "text"),
    [
        ("native", {}, {}, "NATIVE_PASS", ""),
        ("native", {"damage": ("memory around a view was written",)}, {}, "FAIL", "memory around a view"),
        ("native", {"changed_inputs": (1,)}, {}, "FAIL", "changed its input 1"),
        ("native", {"declined": 1}, {}, "FAIL", "undeclared decline"),
        ("native", {"cpu": 1}, {}, "FAIL", "undeclared fallback"),
        ("native", {"native": 0}, {}, "FAIL", "kernel did not run"),
        ("native", {"entered": {"f": 0}}, {}, "FAIL", "no vendor function of the kernel was entered"),
        ("native", {"entered": {}}, {}, "FAIL", "new-chip NAME --on-conflict merge binds what it calls"),
        ("native", {"noop": "unchanged"}, {}, "FAIL", "the same when"),
        ("native", {"noop": "raised: x"}, {}, "FAIL", "could not be made"),
        ("native", {}, {"ok": False, "reason": "3 elements wrong"}, "FAIL", "3 elements wrong"),
        ("native", {"differs": True}, {}, "NONDETERMINISTIC", "two runs"),
        ("native", {}, {"weakness": "zeros would pass"}, "NON_DISCRIMINATING", "zeros would pass"),
        ("native", {"differs": True}, {"ok": False, "weakness": "zeros would pass"}, "FAIL", ""),
        ("any", {"native": 0, "entered": {}, "cpu": 1, "noop": ""}, {}, "FALLBACK_PASS", ""),
        ("fallback", {"noop": ""}, {}, "FAIL", "reached the chip"),
        ("fallback", {"native": 0, "noop": ""}, {}, "FAIL", r"reached the chip \(f\)"),
        ("fallback", {"native": 0, "entered": {}, "noop": ""}, {}, "FALLBACK_PASS", ""),
        ("fallback", {"native": 0, "layered": 1, "noop": ""}, {}, "FALLBACK_PASS", ""),
        ("fallback", {"native": 1, "layered": 1, "noop": ""}, {}, "FAIL", r"reached the chip \(f\)"),
        ("fallback", {"native": 0, "layered": 1, "noop": ""}, {"ok": False, "reason": "wrong"}, "FAIL", "wrong"),
    ],
)
def test_what_decides_a_case(expect: str, happened: dict, judged: dict, verdict: str, text: str) -> None:
    case = CaseSpec(SampleSpec("aten::add", "float32", (TensorSpec((3,)), TensorSpec((3,)))), "forward", expect)
    execution = Execution(**{"native": 1, "entered": {"f": 1}, "noop": "changed"} | happened)
    found = decide(case, execution, Judged(**{"ok": True} | judged), ("cpu",), True)
    assert found.verdict == verdict
    assert re.search(text, found.reason)
    assert found.proved == (verdict == "NATIVE_PASS")
    if verdict == "NONDETERMINISTIC":
        assert decide(case, execution, Judged(True), ("cpu",), False).verdict == "NATIVE_PASS"


def test_a_policy_of_errors_is_a_declared_refusal() -> None:
    """A call outside the profile that raises UnsupportedOpError is right only where the policy or the CPU says so."""
    case = CaseSpec(SampleSpec("aten::add", "float32", (TensorSpec((3,)), TensorSpec((3,)))), "forward", "fallback")
    raised = Execution(error_type="UnsupportedOpError", error="Op aten::add not supported")
    assert decide(case, raised, Judged(True), ("error",), True).verdict == "UNSUPPORTED_DECLARED"
    assert decide(case, raised, Judged(True), ("cpu",), True).verdict == "FAIL"
    assert (
        decide(case, raised, Judged(True, unsupported_on_cpu="no kernel"), ("cpu",), True).verdict
        == "UNSUPPORTED_DECLARED"
    )
    other = Execution(error_type="RuntimeError", error="device error")
    assert decide(case, other, Judged(True, unsupported_on_cpu="no kernel"), ("cpu",), True).verdict == "FAIL"
