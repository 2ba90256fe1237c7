"""From the verdicts on a run's cases to its result, its report and its statement: of one run, and of merged shards."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torchfl_sdk.conformance.cases.spec import CaseSpec
from torchfl_sdk.conformance.gate import require, summary, waivers
from torchfl_sdk.conformance.gate.request import RunResult
from torchfl_sdk.conformance.gate.verdict import Result
from torchfl_sdk.conformance.report import statement, write
from torchfl_sdk.conformance.runner.protocol import ChipInfo

from torchfl import catalogue


@dataclass(frozen=True)
class Terms:
    """What a run is held to beside its cases. ``waiver_text`` is the file of the waivers as it is."""

    waivers: tuple[waivers.Waiver, ...]
    required: dict[str, tuple[str, ...]]
    driver: str
    today: datetime.date
    waiver_text: bytes


@dataclass(frozen=True)
class Tested:
    """What a run is of. ``claims``: the dtypes of each op that the profile claims; ``unverified``: entries that claim
    nothing yet; ``unclaimed``: what the chip could do beyond."""

    selector: str
    level: str
    filtered: bool
    claims: dict[str, tuple[str, ...]]
    unverified: tuple[str, ...]
    unclaimed: tuple[str, ...] = ()
    shard: str = ""


def terms(required: Sequence[str], waiver_file: Path | None, driver: str) -> Terms:
    """The terms as they are today. Raises TorchflError for floors and waivers that are not well formed."""
    return Terms(
        waivers.load(waiver_file) if waiver_file else (),
        require.load(required),
        driver,
        datetime.date.today(),
        waiver_file.read_bytes() if waiver_file else b"",
    )


def conclude(
    tested: Tested, held_to: Terms, cases: tuple[CaseSpec, ...], found: Mapping[str, Result], out: Path, seconds: float
) -> RunResult:
    """The result of a run of ``cases``, of which ``found`` has the verdicts by case id. A shard shows no whole: what is
    missing and what is required is asked of all shards together."""
    whole = not tested.filtered and not tested.shard and len(found) == len(cases)
    judged, problems = waivers.apply(dict(found), held_to.waivers, held_to.driver, held_to.today, whole=whole)
    results = tuple(judged[case.id] for case in cases if case.id in judged)
    native = summary.native(results, tested.claims)
    if not tested.shard:
        problems += summary.problems(results, len(cases), tested.claims, tested.unverified, tested.selector)
        problems += require.missing(held_to.required, native, tested.claims)
    return RunResult(
        selector=tested.selector,
        level=tested.level,
        filtered=tested.filtered,
        outcome=summary.outcome(results, len(cases), problems),
        results=results,
        planned=len(cases),
        native_ops=native,
        declared_ops=summary.claimed(tested.claims, tested.unverified),
        unverified=tested.unverified,
        catalogue_size=len(catalogue.OPS),
        problems=tuple(problems),
        out=out,
        seconds=seconds,
        waivers=held_to.waivers,
        required=tuple(sorted(held_to.required)),
        shard=tested.shard,
        unclaimed=tested.unclaimed,
    )


def publish(result: RunResult, info: ChipInfo, identity: dict[str, Any], tested: Tested, held_to: Terms) -> None:
    """Write the report, the waivers that were applied, and the statement of a whole release run."""
    write.report(result, info)
    if held_to.waiver_text:
        (result.out / statement.WAIVERS).write_bytes(held_to.waiver_text)
    stated = {"claims": tested.claims, "required": held_to.required, "driver": held_to.driver}
    statement.make(result, info, identity, stated, held_to.today)
