"""``--shard i/n`` and ``merge``: one release run over several machines of the same chip.

Every shard lists the whole manifest and runs each n-th case. What only the whole can show (that an op is proved
native, that no case is missing, floors and waivers) is decided when they are merged.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from torchfl_sdk.conformance.cases.manifest import manifest_hash
from torchfl_sdk.conformance.cases.spec import CaseSpec, case_from_json
from torchfl_sdk.conformance.gate import require, summary, waivers
from torchfl_sdk.conformance.gate.request import RunResult
from torchfl_sdk.conformance.report import statement, write
from torchfl_sdk.conformance.runner.journal import Journal, read_events
from torchfl_sdk.conformance.runner.protocol import ChipInfo

from torchfl import catalogue
from torchfl.errors import Place, Problem, TorchflError, register

BAD_SHARD = register("TFL0916", "shards are not well formed, or do not belong together")

NAME = "shard.json"
_KEYS = ("shard", "device", "level", "filtered", "identity", "claims", "unverified", "driver", "seconds", "info")


def parse(text: str) -> tuple[int, int]:
    """(i, n) of "i/n"; (1, 1) of "". Raises TorchflError (TFL0916)."""
    found = re.fullmatch(r"(\d+)/(\d+)", text or "1/1")
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise TorchflError(Problem(BAD_SHARD, f"{text!r}", "i/n with 1 <= i <= n, as 2/4", where="--shard"))
    return int(found[1]), int(found[2])


def part(cases: tuple[CaseSpec, ...], shard: tuple[int, int]) -> tuple[CaseSpec, ...]:
    """The cases of one shard."""
    return cases[shard[0] - 1 :: shard[1]]


def describe(
    out: Path,
    result: RunResult,
    info: ChipInfo,
    identity: dict[str, Any],
    claims: dict[str, tuple[str, ...]],
    driver: str,
) -> None:
    """What :func:`merge` needs beside manifest and journal."""
    content = {
        "shard": result.shard,
        "device": result.selector,
        "level": result.level,
        "filtered": result.filtered,
        "identity": identity,
        "claims": claims,
        "unverified": list(result.unverified),
        "driver": driver,
        "seconds": result.seconds,
        "info": asdict(info),
    }
    (out / NAME).write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def merge(
    folders: Sequence[Path], out: Path, required: Sequence[str] = (), waiver_file: Path | None = None
) -> RunResult:
    """The whole run of its shards' reports, written to ``out`` with everything that a single run writes.

    Raises TorchflError (TFL0916) if they are not all n shards of one run.
    """
    shards = [_read(folder) for folder in folders]
    first = shards[0]
    _belong_together(folders, shards)
    manifest = json.loads((folders[0] / "manifest.json").read_text(encoding="utf-8"))
    cases = tuple(case_from_json(case) for case in manifest["cases"])
    today, floor = datetime.date.today(), require.load(required)
    waived = waivers.load(waiver_file) if waiver_file else ()
    text = waiver_file.read_bytes() if waiver_file else b""
    events = [e for folder in folders for e in read_events(folder / "results.jsonl") if e.get("event") == "verdict"]
    info = ChipInfo(**first["info"])

    out.mkdir(parents=True, exist_ok=True)
    write.clear(out)
    write.manifest(out, cases)
    journal = Journal(out / "results.jsonl")
    journal.write(
        {"event": "run", "identity": first["identity"], "manifest": manifest_hash(cases), "versions": info.versions}
    )
    by_id = {case.id: case for case in cases}
    found = {}
    for event in events:
        journal.write(event)
        found[event["case"]] = write.result_from_event(by_id[event["case"]], event)
    journal.close()

    claims = {op: tuple(dtypes) for op, dtypes in first["claims"].items()}
    whole = not first["filtered"] and len(found) == len(cases)
    found, problems = waivers.apply(found, waived, first["driver"], today, whole=whole)
    results = tuple(found[case.id] for case in cases if case.id in found)
    unproved = tuple(first["unverified"])
    native = summary.native(results, claims)
    problems += summary.problems(results, len(cases), claims, unproved, first["device"])
    problems += require.missing(floor, native, claims)
    result = RunResult(
        selector=first["device"],
        level=first["level"],
        filtered=first["filtered"],
        outcome=summary.outcome(results, len(cases), problems),
        results=results,
        planned=len(cases),
        native_ops=native,
        declared_ops=summary.claimed(claims, unproved),
        unverified=unproved,
        catalogue_size=len(catalogue.OPS),
        problems=tuple(problems),
        out=out,
        seconds=sum(shard["seconds"] for shard in shards),
        waivers=waived,
        required=tuple(sorted(floor)),
    )
    write.report(result, info)
    if waiver_file:
        (out / statement.WAIVERS).write_bytes(text)
    stated = {"claims": claims, "required": floor, "driver": first["driver"]}
    statement.make(result, info, first["identity"], stated, today)
    return result


def _read(folder: Path) -> dict[str, Any]:
    try:
        content: dict[str, Any] = json.loads((folder / NAME).read_text(encoding="utf-8"))
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        (folder / "results.jsonl").stat()
        lacking = [key for key in _KEYS if key not in content] + [k for k in ("hash", "cases") if k not in manifest]
        if lacking:
            raise ValueError(f"without {', '.join(lacking)}")
    except (OSError, ValueError, TypeError) as error:
        raise TorchflError(
            Problem(BAD_SHARD, f"{type(error).__name__}: {error}", "run it with --shard i/n", Place(str(folder)))
        ) from error
    return content


def _belong_together(folders: Sequence[Path], shards: Sequence[dict[str, Any]]) -> None:
    first = shards[0]
    problems = []
    manifests = [json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["hash"] for folder in folders]
    for folder, shard, manifest in zip(folders, shards, manifests, strict=True):
        keys = [key for key, value in first["identity"].items() if shard["identity"].get(key) != value]
        keys += ["versions"] if shard["info"]["versions"] != first["info"]["versions"] else []
        keys += ["manifest"] if manifest != manifests[0] else []
        if keys:
            problems.append(
                Problem(BAD_SHARD, f"differs from {folders[0]} in: {', '.join(keys)}", place=Place(str(folder)))
            )
    numbers = [parse(shard["shard"]) for shard in shards]
    count = numbers[0][1]
    if sorted(numbers) != [(i, count) for i in range(1, count + 1)]:
        have = ", ".join(shard["shard"] for shard in shards)
        problems.append(Problem(BAD_SHARD, f"given {have}; expected each of 1/{count} to {count}/{count} once"))
    if problems:
        raise TorchflError(problems)
