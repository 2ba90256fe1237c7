"""Whether a run passes: every case good, every declared op proved native in each dtype, nothing left out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from torchfl_sdk.conformance.cases.manifest import Selection
from torchfl_sdk.conformance.gate.request import INCOMPLETE, NOT_PASSED, PASS
from torchfl_sdk.conformance.gate.verdict import NATIVE_PASS, Result

from torchfl import catalogue
from torchfl.profile import OpEntry, Profile


def declared(profile: Profile, selection: Selection) -> dict[str, tuple[str, ...]]:
    """Ops and dtypes that the profile claims and the selection asks for; unverified entries claim nothing yet."""
    found: dict[str, tuple[str, ...]] = {}
    for entry in profile.ops:
        dtypes = tuple(d for d in entry.dtype_support if selection.wants(entry.name, d) and not _result_only(entry, d))
        if entry.routes and dtypes:
            found[entry.name] = tuple(dict.fromkeys((*found.get(entry.name, ()), *dtypes)))
    return found


def _result_only(entry: OpEntry, dtype: str) -> bool:
    """Whether a cast's entry names a dtype only as a result: to itself no kernel casts."""
    spec = catalogue.get(entry.name)
    if spec is None or spec.output_kinds[0] != "named":
        return False
    return any(c.variable == "dtype" and set(c.allowed or ()) == {dtype} for c in entry.constraints)


def unverified(profile: Profile, selection: Selection) -> tuple[str, ...]:
    """Entries that route nothing because nothing proves them."""
    return tuple(e.full_name for e in profile.ops if not e.routes and (not selection.ops or e.name in selection.ops))


def claimed(claims: Iterable[str], unproved: Iterable[str]) -> tuple[str, ...]:
    """Every op of the profile that is asked for, those of unverified entries too."""
    return tuple(sorted({*claims, *(n if catalogue.get(n) else n.partition(".")[0] for n in unproved)}))


def native(results: Sequence[Result], claims: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Ops of which no case is bad and each claimed dtype has a native pass and a no-op proof."""
    bad = {r.case.sample.op for r in results if not r.good}
    passed: dict[str, set[str]] = defaultdict(set)
    proved: dict[str, set[str]] = defaultdict(set)
    for r in results:
        if r.verdict == NATIVE_PASS:
            passed[r.case.sample.op].add(r.case.sample.dtype)
            if r.proved:
                proved[r.case.sample.op].add(r.case.sample.dtype)
    return tuple(op for op, dtypes in claims.items() if op not in bad and set(dtypes) <= passed[op] & proved[op])


def problems(
    results: Sequence[Result],
    planned: int,
    claims: dict[str, tuple[str, ...]],
    unproved: tuple[str, ...],
    selector: str,
) -> list[str]:
    """Reasons, beside single cases, why a run is not a pass."""
    found = []
    if not results:
        found.append("no case was executed")
    if not claims:
        found.append("the profile claims no op that was asked for")
    if unproved:
        names = ", ".join(unproved)
        found.append(
            f"{len(unproved)} entries are unverified ({names}); fix: torchfl probe --device {selector} --write; "
            "what that leaves unverified says why, and passes once it is mended or taken out of the profile"
        )
    bad = {r.case.sample.op for r in results if not r.good}
    for op in claims:
        if results and len(results) >= planned and op not in bad and op not in native(results, claims):
            found.append(
                f"{op}: not proved native in every claimed dtype: no case that can fail passed with the no-op proof"
            )
    return found


def outcome(results: Sequence[Result], planned: int, found: Sequence[str]) -> str:
    """PASS, FAIL or INCOMPLETE. A failure outweighs what is missing."""
    if any(not r.good for r in results):
        return NOT_PASSED
    if len(results) < planned:
        return INCOMPLETE
    return NOT_PASSED if found else PASS
