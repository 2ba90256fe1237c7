"""statement.json: what a release run tested and found, in hashes, so that the report directory can be checked offline.

:func:`make` writes it, :func:`check` believes nothing of it: it hashes the files again, and derives the outcome from
the journal and the manifest again. The statement is not signed: it shows a report that was changed or damaged, not one
that was made up whole.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import platform
from collections import Counter
from pathlib import Path
from typing import Any

from torchfl_sdk.conformance.cases.manifest import manifest_hash
from torchfl_sdk.conformance.cases.spec import CaseSpec, case_from_json
from torchfl_sdk.conformance.gate import require, summary, waivers
from torchfl_sdk.conformance.gate.request import INCOMPLETE, RunResult
from torchfl_sdk.conformance.gate.verdict import Result
from torchfl_sdk.conformance.report.write import result_from_event
from torchfl_sdk.conformance.runner.journal import read_events
from torchfl_sdk.conformance.runner.protocol import ChipInfo

from torchfl.errors import Place, Problem, TorchflError, cause_of, register

NO_STATEMENT = register("TFL0914", "a folder holds no statement of a release run")

NAME = "statement.json"
WAIVERS = "waivers.yaml"
_FORM = 1
_FILES = ("manifest.json", "results.jsonl", "junit.xml", "summary.json", "report.html", WAIVERS)


def make(
    result: RunResult, info: ChipInfo, identity: dict[str, Any], terms: dict[str, Any], made: datetime.date
) -> None:
    """Write the statement of a finished release run; nothing for any other run.

    ``identity``: hashes of what was tested, as the journal has them. ``terms``: claims, required, driver.
    """
    if result.partial or result.outcome == INCOMPLETE:
        return
    content = {
        "form": _FORM,
        "made": made.isoformat(),
        "device": result.selector,
        "outcome": result.outcome,
        "verdict": result.line,
        "identity": identity,
        "suite": suite_hash(),
        "versions": {"python": platform.python_version(), **info.versions},
        "chip": {"name": info.chip_name, "devices": info.num_devices},
        **terms,
        "unverified": list(result.unverified),
        "native": list(result.native_ops),
        "cases": result.planned,
        "verdicts": result.counts,
        "files": {name: _digest(result.out / name) for name in _FILES if (result.out / name).is_file()},
    }
    text = json.dumps(content | {"sha256": _seal(content)}, indent=2, ensure_ascii=False)
    (result.out / NAME).write_text(text + "\n", encoding="utf-8")


def check(folder: Path) -> tuple[dict[str, Any], list[str]]:
    """The statement of a report directory, and everything that does not hold. Needs no torch and no chip.

    Raises TorchflError (TFL0914) where there is no statement in a form that this version knows.
    """
    path = folder / NAME
    if not path.is_file():
        made = "only a release run of every op and dtype writes one, into its --out"
        cause = f"holds no {NAME}: {made}" if folder.is_dir() else f"no such folder: give the one that holds {NAME}"
        fix = "torchfl conformance --device SEL --level release, without --ops or --dtypes, makes one"
        raise TorchflError(Problem(NO_STATEMENT, cause, fix, Place(str(folder))))
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        form = content["form"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        fix = "torchfl conformance --device SEL --level release, without --ops or --dtypes, makes one"
        raise TorchflError(Problem(NO_STATEMENT, cause_of(error), fix, Place(str(path)))) from error
    if form != _FORM:
        raise TorchflError(Problem(NO_STATEMENT, f"form {form!r}, this version knows {_FORM}", place=Place(str(path))))
    problems = []
    if content.get("sha256") != _seal({k: v for k, v in content.items() if k != "sha256"}):
        problems.append(f"{NAME} itself was changed: its own hash does not match")
    files = content.get("files", {})
    for name in _FILES:
        present = (folder / name).is_file()
        if name not in files:
            problems += [f"{name} is not part of the statement"] if present or name != WAIVERS else []
        elif not present:
            problems.append(f"{name} is missing")
        elif _digest(folder / name) != files[name]:
            problems.append(f"{name} was changed: its hash does not match")
    try:
        problems += _derived(folder, content)
    except (OSError, ValueError, KeyError, TypeError) as error:
        problems.append(f"the outcome cannot be derived again: {cause_of(error)}")
    return content, problems


def _derived(folder: Path, content: dict[str, Any]) -> list[str]:
    """The run's outcome from its journal, and where it differs from the statement."""
    problems = []
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    cases = tuple(case_from_json(case) for case in manifest["cases"])
    if [case.id for case in cases] != [case["id"] for case in manifest["cases"]]:
        problems.append("manifest.json names cases by ids that are not those of their content")
    events = read_events(folder / "results.jsonl")
    run = next((e for e in events if e.get("event") == "run"), {})
    if run.get("manifest") != manifest_hash(cases):
        problems.append("results.jsonl is of a run with another manifest")
    if run.get("identity") != content["identity"]:
        problems.append("results.jsonl is of a run of another chip, profile, driver, suite, level or seed")
    found, more = _judged(folder, content, cases, events)
    problems += more
    claims = {op: tuple(dtypes) for op, dtypes in content["claims"].items()}
    results = tuple(found[case.id] for case in cases if case.id in found)
    required = {op: tuple(dtypes) for op, dtypes in content["required"].items()}
    native = summary.native(results, claims)
    reasons = [
        *more,
        *summary.problems(results, len(cases), claims, tuple(content["unverified"]), content["device"]),
        *require.missing(required, native, claims),
    ]
    derived = {
        "outcome": summary.outcome(results, len(cases), reasons),
        "native": list(native),
        "cases": len(cases),
        "verdicts": dict(sorted(Counter(r.verdict for r in results).items())),
    }
    for key, value in derived.items():
        if content[key] != value:
            problems.append(f"{key}: the statement says {content[key]}, the journal gives {value}")
    return problems


def _judged(
    folder: Path, content: dict[str, Any], cases: tuple[CaseSpec, ...], events: list[dict[str, Any]]
) -> tuple[dict[str, Result], list[str]]:
    """The journal's last verdict on each case, waivers applied as on the day of the run."""
    by_id = {case.id: case for case in cases}
    found = {
        e["case"]: result_from_event(by_id[e["case"]], e)
        for e in events
        if e.get("event") == "verdict" and e["case"] in by_id
    }
    if not (folder / WAIVERS).is_file():
        return found, []
    day = datetime.date.fromisoformat(content["made"])
    return waivers.apply(found, waivers.load(folder / WAIVERS), content["driver"], day, whole=True)


def suite_hash() -> str:
    """sha256 over the sources of the conformance suite and the op catalogue."""
    import torchfl_sdk.conformance

    import torchfl.catalogue

    total = hashlib.sha256()
    for package in (torchfl_sdk.conformance, torchfl.catalogue):
        root = Path(str(package.__file__)).parent
        for source in sorted(root.rglob("*.py")):
            total.update(f"{source.relative_to(root).as_posix()}\0".encode() + source.read_bytes() + b"\0")
    return total.hexdigest()


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _seal(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
