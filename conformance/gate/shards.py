"""``--shard i/n`` and ``merge``: one release run over several machines of the same chip.

Every shard lists the whole manifest and runs each n-th case. What only the whole can show (that an op is proved
native, that no case is missing, floors and waivers) is decided when they are merged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from torchfl_sdk.conformance.cases.manifest import manifest_hash
from torchfl_sdk.conformance.cases.spec import CaseSpec, case_from_json
from torchfl_sdk.conformance.gate.conclude import Terms, Tested, conclude, publish, terms
from torchfl_sdk.conformance.gate.request import RunResult
from torchfl_sdk.conformance.report import write
from torchfl_sdk.conformance.runner.journal import Journal, read_events
from torchfl_sdk.conformance.runner.protocol import ChipInfo

from torchfl.errors import Place, Problem, TorchflError, cause_of, register

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


def describe(result: RunResult, info: ChipInfo, identity: dict[str, Any], tested: Tested, held_to: Terms) -> None:
    """What :func:`merge` needs beside manifest and journal."""
    content = {
        "shard": result.shard,
        "device": result.selector,
        "level": result.level,
        "filtered": result.filtered,
        "identity": identity,
        "claims": tested.claims,
        "unverified": list(tested.unverified),
        "unclaimed": list(tested.unclaimed),
        "driver": held_to.driver,
        "seconds": result.seconds,
        "info": asdict(info),
    }
    (result.out / NAME).write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


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
    held_to = terms(required, waiver_file, first["driver"])
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

    tested = Tested(
        first["device"],
        first["level"],
        first["filtered"],
        {op: tuple(dtypes) for op, dtypes in first["claims"].items()},
        tuple(first["unverified"]),
        tuple(dict.fromkeys(line for shard in shards for line in shard["unclaimed"])),
    )
    result = conclude(tested, held_to, cases, found, out, sum(shard["seconds"] for shard in shards))
    publish(result, info, first["identity"], tested, held_to)
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
            Problem(BAD_SHARD, cause_of(error), "run it with --shard i/n", Place(str(folder)))
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
