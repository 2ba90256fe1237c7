"""The probe from end to end: find the chip, ask about every entry that nobody vouches for, write what it answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from time import monotonic

from torchfl import catalogue, core_build
from torchfl.devices import find_chips, require_built, search_dirs, select
from torchfl.errors import Place, Problem, TorchflError, register
from torchfl.profile import Profile
from torchfl.profile.load import load
from torchfl_sdk.probe.client import ANSWER_SECONDS, FIRST_ANSWER_SECONDS, Client
from torchfl_sdk.probe.finding import ChipFacts, EntryFinding
from torchfl_sdk.probe.investigate import investigate, mistaken
from torchfl_sdk.probe.report import ProbeReport
from torchfl_sdk.probe.verdict import Judge
from torchfl_sdk.probe.write import diff, edited, replace_file, snapshot

BAD_EDIT = register("TFL0804", "the probe's edit of a profile does not read back as what was found", 70)


def probe(
    selector: str,
    write: bool = False,
    chip_dirs: Sequence[str | Path] = (),
    seed: int = 0,
    answer_seconds: float = ANSWER_SECONDS,
    first_seconds: float = FIRST_ANSWER_SECONDS,
) -> ProbeReport:
    """Ask the chip what its unverified entries serve; with ``write``, put the answers into its profile.

    Entries that the header's types prove are asked at ordinary samples, and stay as they are where nothing goes wrong.

    ``answer_seconds`` is how long one kernel may take before its worker is ended, ``first_seconds`` how long its first
    call in a dtype may take, in which a driver may compile it. Deterministic for a chip that is.

    Raises TorchflError: what finding the chip raises (TFL02xx; exit code 3 and the next command where it is not
    built), what compiling the core raises (TFL06xx), TFL0801 (exit code 3) where the chip's runtime does not start,
    TFL0802 where the profile changed meanwhile, TFL0803 where it cannot be written.
    """
    started = monotonic()
    found = select(selector, find_chips(chip_dirs, cli=True), search_dirs(chip_dirs, cli=True))
    require_built(found)
    before = snapshot(found.path)
    profile = load(found.path, before.text)
    facts, asked, workers = ChipFacts(), 0, 0
    findings: tuple[EntryFinding, ...] = ()
    confirmed: list[str] = []
    if any(not entry.routes or entry.provenance == "header" for entry in profile.ops):
        core_build.build()  # here, with its progress: a worker's start is bounded
        judge = Judge(profile.numerics)
        with Client(profile.device_type, found.dir, judge, answer_seconds, first_seconds) as client:
            findings = tuple(_ask_entries(profile, client, seed, confirmed))
            facts, asked, workers = client.facts, client.asked, client.workers
    store = _common_store(profile, findings)
    after = edited(before, profile, findings, facts, store) if findings else before.text
    if after != before.text:
        check_edit(after, profile, findings)
    wrote = write and after != before.text
    if wrote:
        replace_file(before, after)
    seconds = monotonic() - started
    change = diff(before, after)
    return ProbeReport(
        profile.device_type,
        str(found.path),
        facts,
        findings,
        store,
        change,
        wrote,
        asked,
        workers,
        seconds,
        tuple(confirmed),
        empty=not profile.ops,
    )


def _ask_entries(profile: Profile, client: Client, seed: int, confirmed: list[str]) -> Iterable[EntryFinding]:
    for entry in profile.ops:
        op = catalogue.by_overload(entry.full_name) or catalogue.get(entry.name)
        if entry.routes and (entry.provenance != "header" or op is None):
            continue
        if entry.routes and op is not None and not mistaken(entry, op, client.ask, seed):
            confirmed.append(entry.full_name)
            continue
        if op is None:
            reason = f"this release has no op {entry.name}"
            yield EntryFinding(entry.full_name, entry.impl, settled=False, reason=reason, layout=entry.layout)
            continue
        yield investigate(entry, op, client.ask, seed)


def _common_store(profile: Profile, findings: Iterable[EntryFinding]) -> str:
    """What most int8 kernels do with a result out of range; "" where none showed it. A declared rule stands."""
    if "numerics.int8_store" in profile.origins:
        return profile.numerics.int8_store
    counted = Counter(finding.int8_store for finding in findings if finding.int8_store)
    return min(counted, key=lambda store: (-counted[store], store != "wrap")) if counted else ""


def check_edit(after: str, profile: Profile, findings: Iterable[EntryFinding]) -> None:
    """The edited text must load and say what was found, or nothing is written. Raises TorchflError (TFL0804)."""
    again = load(profile.path, after)
    for finding in findings:
        entry = again.op(finding.name)
        told = entry is not None and (not finding.settled or _says(again, finding))
        if not told:
            raise TorchflError(
                Problem(BAD_EDIT, f"{finding.name} would not read back as found", "report it", Place(str(profile.path)))
            )


def _says(profile: Profile, finding: EntryFinding) -> bool:
    entry = profile.op(finding.name)
    data = profile.data["supported_ops"][finding.name]
    return entry is not None and (
        entry.provenance,
        entry.dtype_support,
        dict(data.get("constraints", {})),
        entry.layout,
        entry.inplace,
        max(entry.alignment, 1),
    ) == ("probed", finding.dtypes, finding.constraints, finding.layout, finding.inplace, finding.alignment)
