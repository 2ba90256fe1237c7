"""From what happened and what is right to a verdict. No torch here."""

from __future__ import annotations

from dataclasses import dataclass

from torchfl_sdk.conformance.cases.spec import CaseSpec
from torchfl_sdk.conformance.runner.protocol import Execution, Judged

NATIVE_PASS = "NATIVE_PASS"
FALLBACK_PASS = "FALLBACK_PASS"
UNSUPPORTED_DECLARED = "UNSUPPORTED_DECLARED"
NON_DISCRIMINATING = "NON_DISCRIMINATING"
WAIVED = "WAIVED"
FAIL = "FAIL"
CRASH = "CRASH"
HANG = "HANG"
NONDETERMINISTIC = "NONDETERMINISTIC"

#: Verdicts that do not stand in the way of a pass.
GOOD = (NATIVE_PASS, FALLBACK_PASS, UNSUPPORTED_DECLARED, WAIVED, NON_DISCRIMINATING)
VERDICTS = (*GOOD, FAIL, CRASH, HANG, NONDETERMINISTIC)


@dataclass(frozen=True)
class Result:
    """The verdict on one case. ``proved``: the no-op proof was made and held."""

    case: CaseSpec
    verdict: str
    reason: str = ""
    pattern: str = ""
    worst: float = 0.0
    seconds: float = 0.0
    proved: bool = False

    @property
    def good(self) -> bool:
        """Whether the case does not stand in the way of a pass."""
        return self.verdict in GOOD


def decide(
    case: CaseSpec, execution: Execution, judged: Judged, layers: tuple[str, ...], deterministic: bool
) -> Result:
    """The verdict on a case that ran to its end.

    ``layers``: the profile's fallback policy for the op. ``deterministic``: whether the profile says so.
    """
    verdict, reason = _decide(case, execution, judged, layers, deterministic)
    return Result(
        case,
        verdict,
        reason,
        judged.pattern if verdict == FAIL else "",
        judged.worst,
        execution.seconds,
        proved=execution.noop == "changed" and verdict == NATIVE_PASS,
    )


def _decide(
    case: CaseSpec, execution: Execution, judged: Judged, layers: tuple[str, ...], deterministic: bool
) -> tuple[str, str]:
    entered = {name: calls for name, calls in execution.entered.items() if calls}
    if case.expect == "refused":
        return (NATIVE_PASS, "") if judged.ok else (FAIL, judged.reason)
    if execution.error_type:
        return _raised(case, execution, judged, layers, entered)
    if execution.damage:
        return FAIL, "; ".join(execution.damage)
    if execution.changed_inputs:
        names = ", ".join(str(i) for i in execution.changed_inputs)
        return FAIL, f"the call changed its input {names}"
    if case.expect == "native":
        problem = _not_native(execution, entered)
        if problem:
            return FAIL, problem
    # The parts of a decomposition may use the vendor function of the op's own kernel; another layer ran them.
    if case.expect == "fallback" and (execution.native or (entered and not execution.layered)):
        called = ", ".join(sorted(entered)) or "its kernel"
        return FAIL, f"a call outside the profile reached the chip ({called})"
    if not judged.ok:
        return FAIL, judged.reason
    if execution.noop and execution.noop != "changed":
        return FAIL, _host_reason(execution)
    if execution.differs and deterministic:
        return NONDETERMINISTIC, "two runs on the same inputs differ"
    if judged.weakness:
        return NON_DISCRIMINATING, judged.weakness
    return (NATIVE_PASS if execution.native else FALLBACK_PASS), ""


def _raised(
    case: CaseSpec, execution: Execution, judged: Judged, layers: tuple[str, ...], entered: dict[str, int]
) -> tuple[str, str]:
    text = f"{execution.error_type}: {execution.error}"
    if case.expect == "native":
        return FAIL, f"raised instead of running: {text}"
    if entered:
        return FAIL, f"a call outside the profile reached the chip ({', '.join(sorted(entered))}) and raised {text}"
    if execution.error_type == "UnsupportedOpError":
        if judged.unsupported_on_cpu:
            return UNSUPPORTED_DECLARED, f"the CPU has no kernel either: {judged.unsupported_on_cpu}"
        if "cpu" not in layers:
            return UNSUPPORTED_DECLARED, f"fallback_policy is {', '.join(layers)}"
    return FAIL, f"raised instead of falling back: {text}"


def _not_native(execution: Execution, entered: dict[str, int]) -> str:
    why = f" ({'; '.join(execution.reasons)})" if execution.reasons else ""
    if execution.declined:
        return f"undeclared decline: the kernel refused a call that the profile claims{why}"
    if execution.cpu:
        return f"undeclared fallback: the CPU served a call that the profile claims{why}"
    if not execution.native:
        return f"the chip's kernel did not run{why}"
    if not entered:
        known = ", ".join(execution.entered)
        bound = (
            known or "none; for a kernel written by hand, torchfl new-chip NAME --on-conflict merge binds what it calls"
        )
        return f"computed on the host: no vendor function of the kernel was entered (bound: {bound})"
    return ""


def _host_reason(execution: Execution) -> str:
    names = ", ".join(execution.noop_symbols) or "the kernel's vendor functions"
    if execution.noop == "unchanged":
        return f"computed on the host: the result is the same when {names} does nothing"
    return f"the no-op proof could not be made: with {names} doing nothing the call {execution.noop}"
