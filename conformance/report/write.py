"""The report directory: manifest.json, results.jsonl (the journal), junit.xml, summary.json, report.html,
repro/*.py."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from torchfl_sdk.conformance.cases.manifest import manifest_hash
from torchfl_sdk.conformance.cases.spec import CaseSpec, case_to_json
from torchfl_sdk.conformance.gate.request import RunResult
from torchfl_sdk.conformance.gate.verdict import Result
from torchfl_sdk.conformance.report.html import html
from torchfl_sdk.conformance.report.junit import junit
from torchfl_sdk.conformance.runner.protocol import ChipInfo

_MOST_SCRIPTS = 50
_FILES = (
    "manifest.json", "results.jsonl", "results.jsonl.stderr", "junit.xml", "summary.json", "report.html",
    "statement.json", "waivers.yaml", "shard.json",
)  # fmt: skip


def withdraw(out: Path) -> None:
    """Before a run goes on: what an earlier end of it stated holds no more."""
    for name in ("statement.json", "waivers.yaml"):
        (out / name).unlink(missing_ok=True)


def clear(out: Path) -> None:
    """Remove what an earlier run wrote here, and nothing else."""
    for name in _FILES:
        (out / name).unlink(missing_ok=True)
    for script in (out / "repro").glob("*.py"):
        script.unlink()


def manifest(out: Path, cases: tuple[CaseSpec, ...]) -> None:
    """Every case that will run, before any does."""
    content = {"hash": manifest_hash(cases), "cases": [case_to_json(case) for case in cases]}
    (out / "manifest.json").write_text(json.dumps(content, indent=1) + "\n")


def event_from_result(result: Result) -> dict[str, Any]:
    """The journal's verdict event."""
    return {
        "event": "verdict",
        "case": result.case.id,
        "name": result.case.name,
        "op": result.case.sample.op,
        "dtype": result.case.sample.dtype,
        "variant": result.case.variant,
        "expect": result.case.expect,
        "verdict": result.verdict,
        "reason": result.reason,
        "pattern": result.pattern,
        "worst": result.worst if result.worst < float("inf") else None,
        "seconds": round(result.seconds, 5),
        "proved": result.proved,
    }


def result_from_event(case: CaseSpec, event: dict[str, Any]) -> Result:
    """The inverse, for a run that is resumed."""
    worst = event.get("worst")
    return Result(
        case,
        event["verdict"],
        event["reason"],
        event["pattern"],
        float("inf") if worst is None else float(worst),
        event["seconds"],
        event["proved"],
    )


def report(result: RunResult, info: ChipInfo) -> None:
    """summary.json, junit.xml and report.html."""
    content = result.to_dict() | {"versions": info.versions, "chip": info.chip_name, "devices": info.num_devices}
    (result.out / "summary.json").write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n")
    (result.out / "junit.xml").write_text(junit(result), encoding="utf-8")
    (result.out / "report.html").write_text(html(result, info), encoding="utf-8")


def repro(result: RunResult, script: Callable[[CaseSpec, dict[str, Any]], str], chip_dirs: list[str]) -> None:
    """One script per case that did not pass (the first fifty: the journal names the others)."""
    bad = [r for r in result.results if not r.good][:_MOST_SCRIPTS]
    if not bad:
        return
    folder = result.out / "repro"
    folder.mkdir(exist_ok=True)
    for one in bad:
        name = (
            f"{one.case.sample.op.removeprefix('aten::')}_{one.case.sample.dtype}_{one.case.variant}_{one.case.id}.py"
        )
        where = {
            "selector": result.selector,
            "chip_dirs": chip_dirs,
            "file": name,
            "verdict": one.verdict,
            "reason": one.reason,
        }
        (folder / name).write_text(script(one.case, where), encoding="utf-8")
