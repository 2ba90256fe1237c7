"""`torchfl conformance`: find the chip, list the cases, run them, judge them, write the report."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from torchfl_sdk.conformance.cases.expectation import entry_for
from torchfl_sdk.conformance.cases.manifest import Selection, manifest_hash, plan
from torchfl_sdk.conformance.cases.spec import CaseSpec, SampleSpec
from torchfl_sdk.conformance.gate import require, shards, summary, unclaimed, waivers
from torchfl_sdk.conformance.gate.conclude import Tested, conclude, publish, terms
from torchfl_sdk.conformance.gate.request import DEFAULT_OUT, RunRequest, RunResult
from torchfl_sdk.conformance.gate.verdict import Result, decide
from torchfl_sdk.conformance.oracle.semantics import semantics_of
from torchfl_sdk.conformance.report import statement, write
from torchfl_sdk.conformance.runner.journal import Journal, verdicts_to_keep
from torchfl_sdk.conformance.runner.protocol import ChipInfo, Execution, Judged
from torchfl_sdk.conformance.runner.session import Limits, Session

from torchfl import catalogue
from torchfl.errors import Place, Problem, TorchflError, did_you_mean, register
from torchfl.profile import DTYPES, Profile

BAD_LEVEL = register("TFL0901", "conformance knows no such level")
BAD_FILTER = register("TFL0902", "an op or dtype that was asked for does not exist")
UNBUILT = register("TFL0903", "the chip is known but its library is not built", 3)
NO_RUNTIME = register("TFL0907", "the vendor's runtime library is not there", 3)

_RECORDED = 12  # of PyTorch's own samples, per op, dtype and variant
_LEVELS = ("quick", "release")

Progress = Callable[[Result, int, int], None]


def run(request: RunRequest, progress: Progress | None = None) -> RunResult:
    """Run the gate and write the report directory; ``progress`` is called with (result, done, planned).

    Raises TorchflError for bad input (exit 2), an unbuilt chip or absent driver (exit 3). An interrupt
    (KeyboardInterrupt) ends the run as INCOMPLETE, with everything that was judged.
    """
    started = time.monotonic()
    check(request)
    profile, chip_dir = _chip(request)
    shard = shards.parse(request.shard)
    selection = Selection(request.level, request.seed, request.ops, request.dtypes)
    held_to = terms(request.require, request.waivers, profile.driver_version)
    out = request.out or DEFAULT_OUT
    out.mkdir(parents=True, exist_ok=True)
    journal_path = out / "results.jsonl"
    chip_dirs = list(dict.fromkeys(str(Path(d).resolve()) for d in (*request.chip_dirs, chip_dir)))
    identity = _identity(request, profile)
    kept = verdicts_to_keep(journal_path, identity) if request.resume else {}
    if not request.resume:
        write.clear(out)
    write.withdraw(out)
    journal = Journal(journal_path)
    journal.end_torn_line()
    options = {"selector": profile.device_type, "chip_dirs": chip_dirs}
    with Session(
        request.executor, options, _numerics(profile), journal_path, Limits(request.case_limit, request.first_limit)
    ) as session:
        info = session.info()
        selection = dataclasses.replace(selection, num_devices=info.num_devices)
        every = plan(profile, selection, _recorded(session, profile, selection))
        cases = shards.part(every, shard)
        write.manifest(out, every)
        if not kept:
            journal.write(
                {"event": "run", "identity": identity, "manifest": manifest_hash(every), "versions": info.versions}
            )
        results = _results(session, cases, kept, journal, _decider(profile), progress)
        journal.close()
        tested = Tested(
            profile.device_type,
            request.level,
            bool(request.ops or request.dtypes),
            summary.declared(profile, selection),
            summary.unverified(profile, selection),
            _unclaimed(session, profile, info, cases, complete=len(results) == len(cases)),
            request.shard,
        )
        result = conclude(tested, held_to, cases, results, out, time.monotonic() - started)
        if request.shard:
            shards.describe(result, info, identity, tested, held_to)
        publish(result, info, identity, tested, held_to)

        def script(case: CaseSpec, where: dict[str, Any]) -> str:
            op = catalogue.get(case.sample.op)
            entry = entry_for(profile, op, case.variant) if op is not None else None
            symbols = info.kernel_symbols.get(entry.impl, ()) if entry is not None else ()
            return session.script(case, where | {"symbols": list(symbols)})

        write.repro(result, script, chip_dirs)
    return result


def _recorded(session: Session, profile: Profile, selection: Selection) -> tuple[tuple[str, SampleSpec], ...]:
    """PyTorch's own samples of what the chip serves natively, at level release."""
    if selection.level != "release":
        return ()
    return session.recorded(summary.declared(profile, selection), selection.seed, _RECORDED)


def _unclaimed(
    session: Session, profile: Profile, info: ChipInfo, cases: tuple[CaseSpec, ...], *, complete: bool
) -> tuple[str, ...]:
    """What the chip could do beyond its profile; nothing of a run that was interrupted."""
    if not complete:
        return ()
    right = tuple(session.beyond(unclaimed.to_ask(profile, cases)))
    return unclaimed.lines(profile, info.kernel_ops, right)


def _results(
    session: Session,
    cases: tuple[CaseSpec, ...],
    kept: dict[str, dict[str, Any]],
    journal: Journal,
    decider: Callable[[CaseSpec, Execution, Judged], Result],
    progress: Progress | None,
) -> dict[str, Result]:
    found = {case.id: write.result_from_event(case, kept[case.id]) for case in cases if case.id in kept}
    todo = tuple(case for case in cases if case.id not in found)
    try:
        for result in session.run(todo, decider):
            journal.write(write.event_from_result(result))
            found[result.case.id] = result
            if progress is not None:
                progress(result, len(found), len(cases))
    except KeyboardInterrupt:
        journal.write({"event": "interrupted", "judged": len(found), "planned": len(cases)})
    return found


def check(request: RunRequest) -> None:
    """Raises TorchflError with everything that is wrong with a request by itself, before any chip is looked for."""
    problems: list[Problem] = []
    if request.level not in _LEVELS:
        problems.append(Problem(BAD_LEVEL, f"'{request.level}'", " or ".join(_LEVELS), where="--level"))
    names = [op.name for op in catalogue.OPS]
    for where, given, known in (("--ops", request.ops, names), ("--dtypes", request.dtypes, list(DTYPES))):
        for word in given:
            if word not in known:
                near = did_you_mean(word if where == "--dtypes" or "::" in word else f"aten::{word}", known)
                listed = "torchfl ops lists them" if where == "--ops" else ", ".join(known)
                problems.append(Problem(BAD_FILTER, f"unknown '{word}'", near or listed, where=where))
    if request.shard and request.require:
        cause, fix = "one shard cannot show it", "torchfl conformance merge --require"
        problems.append(Problem(shards.BAD_SHARD, cause, fix, where="--require"))
    readings: tuple[Callable[[], object], ...] = (
        lambda: shards.parse(request.shard),
        lambda: require.load(request.require),
        lambda: waivers.load(request.waivers) if request.waivers is not None else (),
    )
    for read in readings:
        try:
            read()
        except TorchflError as error:
            problems += error.problems
    if problems:
        raise TorchflError(problems)


def _chip(request: RunRequest) -> tuple[Profile, Path]:
    """The chip's profile and folder. Raises TorchflError: unknown (2), not built or without its runtime (3)."""
    from torchfl.devices import find_chips, select

    chip = select(request.device, find_chips(tuple(request.chip_dirs), cli=request.search_here))
    profile = chip.profile
    if profile is None:
        raise chip.error or AssertionError(f"{chip.path} neither loads nor says why")
    if not profile.chip_library.is_file():
        raise TorchflError(
            Problem(
                UNBUILT, f"{profile.chip_library} does not exist", f"torchfl-build {chip.dir}", Place(str(profile.path))
            )
        )
    absent = [library for library in profile.libraries if "/" in library and not Path(library).is_file()]
    if absent:
        raise TorchflError(
            [
                Problem(
                    NO_RUNTIME,
                    f"{library} does not exist",
                    f"install {profile.vendor or 'the vendor'}'s runtime, then `torchfl doctor`",
                    Place(str(profile.path)),
                    "runtime_so",
                )
                for library in absent
            ]
        )
    return profile, Path(chip.dir)


def _identity(request: RunRequest, profile: Profile) -> dict[str, Any]:
    """What a journal must agree on to be continued."""

    def digest(path: Path) -> str:
        return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""

    return {
        "device": profile.device_type,
        "profile": hashlib.sha256(json.dumps(profile.data, sort_keys=True, default=str).encode()).hexdigest(),
        "chip_library": digest(profile.chip_library),
        "driver": {"version": profile.driver_version, "library": " ".join(digest(Path(p)) for p in profile.libraries)},
        "suite": statement.suite_hash(),
        "level": request.level,
        "seed": request.seed,
        "ops": list(request.ops),
        "dtypes": list(request.dtypes),
    }


def _numerics(profile: Profile) -> dict[str, Any]:
    """Per op, the arithmetic that the oracle holds the chip to."""
    found = {}
    for entry in profile.ops:
        semantics = semantics_of(profile.numerics)
        if entry.int8_store:
            semantics = dataclasses.replace(semantics, int8_store=entry.int8_store)
        found[entry.name] = dataclasses.asdict(semantics)
    return found


def _decider(profile: Profile) -> Callable[[CaseSpec, Execution, Judged], Result]:
    deterministic = semantics_of(profile.numerics).deterministic
    return lambda case, execution, judged: decide(
        case, execution, judged, profile.fallback_policy.layers(case.sample.op), deterministic
    )
