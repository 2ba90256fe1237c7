"""junit.xml, as CI servers read it: one suite per op and dtype, one test case per case."""

from __future__ import annotations

import re
from collections import defaultdict
from xml.etree import ElementTree

from torchfl_sdk.conformance.gate.request import RunResult
from torchfl_sdk.conformance.gate.verdict import CRASH, HANG, NON_DISCRIMINATING, UNSUPPORTED_DECLARED, WAIVED, Result

# Characters that XML 1.0 cannot carry; an op's error text may hold any.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(result: RunResult) -> str:
    """The document. Crashes and hangs are errors, other bad verdicts failures; what proves nothing is skipped."""
    suites: dict[str, list[Result]] = defaultdict(list)
    for one in result.results:
        suites[f"{one.case.sample.op} {one.case.sample.dtype}"].append(one)
    root = ElementTree.Element("testsuites", name=_clean(f"torchfl conformance {result.selector}"))
    totals = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
    for name, members in suites.items():
        suite = ElementTree.SubElement(root, "testsuite", name=_clean(name))
        counts = dict.fromkeys(totals, 0)
        for one in members:
            kind = _kind(one)
            counts["tests"] += 1
            if kind:
                counts[{"failure": "failures", "error": "errors", "skipped": "skipped"}[kind]] += 1
            _case(suite, one, kind)
        _numbers(suite, counts, sum(one.seconds for one in members))
        totals = {key: totals[key] + counts[key] for key in totals}
    for problem in result.problems:
        suite = ElementTree.SubElement(root, "testsuite", name="gate")
        case = ElementTree.SubElement(suite, "testcase", name=_clean(problem), classname="gate", time="0.000")
        ElementTree.SubElement(case, "failure", message=_clean(problem), type="GATE")
        _numbers(suite, {"tests": 1, "failures": 1, "errors": 0, "skipped": 0}, 0.0)
        totals["tests"] += 1
        totals["failures"] += 1
    _numbers(root, totals, result.seconds)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _kind(one: Result) -> str:
    if one.verdict in (CRASH, HANG):
        return "error"
    if not one.good:
        return "failure"
    return "skipped" if one.verdict in (NON_DISCRIMINATING, UNSUPPORTED_DECLARED, WAIVED) else ""


def _case(suite: ElementTree.Element, one: Result, kind: str) -> None:
    sample = one.case.sample
    case = ElementTree.SubElement(
        suite,
        "testcase",
        name=_clean(f"{one.case.name} {one.case.id}"),
        classname=_clean(f"{sample.op}.{sample.dtype}.{one.case.variant}"),
        time=f"{one.seconds:.3f}",
    )
    if kind == "skipped":
        ElementTree.SubElement(case, kind, message=_clean(f"{one.verdict}: {one.reason}"))
    elif kind:
        detail = ElementTree.SubElement(case, kind, message=_clean(one.reason), type=one.verdict)
        detail.text = _clean("\n".join(filter(None, (one.reason, one.pattern))))


def _numbers(element: ElementTree.Element, counts: dict[str, int], seconds: float) -> None:
    for key, value in counts.items():
        element.set(key, str(value))
    element.set("time", f"{seconds:.3f}")


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("?", text)
