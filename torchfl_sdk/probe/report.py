"""The probe's report: what was found, what was refused, what went wrong, and the change to the profile."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from torchfl_sdk.probe.finding import ChipFacts, EntryFinding

#: Refusals shown per entry in the text; the JSON has all.
_MOST_REFUSALS = 3


@dataclass(frozen=True)
class ProbeReport:
    """``diff`` is the change to ``file`` as a unified diff, "" where there is nothing to change; ``written`` says
    whether it was made. ``asked`` counts kernel launches, ``workers`` the processes that made them. ``confirmed``: the
    entries that the header's types prove and whose numbers are right too. ``empty``: the profile has no entry."""

    selector: str
    file: str
    facts: ChipFacts
    findings: tuple[EntryFinding, ...]
    int8_store: str
    diff: str
    written: bool
    asked: int
    workers: int
    seconds: float
    confirmed: tuple[str, ...] = ()
    empty: bool = False

    @property
    def settled(self) -> int:
        """How many entries are probed now."""
        return sum(finding.settled for finding in self.findings)

    @property
    def alarms(self) -> tuple[str, ...]:
        """Wrong numbers, crashes, hangs and driver errors of all entries."""
        return tuple(alarm for finding in self.findings for alarm in finding.alarms)

    def to_json(self) -> str:
        """Everything, as JSON."""
        return json.dumps({**asdict(self), "settled": self.settled}, indent=2)

    def to_text(self) -> str:
        """For people: one line per entry, alarms in full, then what was or would be written."""
        lines = [f"{self.selector}: {self._chip()}"]
        for finding in self.findings:
            lines.append(f"  {finding.name:<22} {_summary(finding)}")
            lines += [f"      WRONG  {alarm}" for alarm in finding.alarms]
            lines += [f"      note   {note}" for note in finding.notes]
            lines += [f"      answer {finding.definition}"] if finding.definition else []
            lines += [f"      no     {refusal}" for refusal in finding.refusals[:_MOST_REFUSALS]]
            if len(finding.refusals) > _MOST_REFUSALS:
                lines.append(f"      no     and {len(finding.refusals) - _MOST_REFUSALS} more refusals")
        if self.confirmed:
            lines.append(f"  right, as the header has them: {', '.join(self.confirmed)}")
        if self.empty:
            lines.append("  the profile has no entry, so there is no kernel to ask: write one first, and its entry")
        elif not self.findings and not self.confirmed:
            lines.append("  no entry is unverified: nothing to ask")
        elif self.diff and not self.written:
            lines += ["", self.diff.rstrip("\n"), "", f"not written; add --write to change {self.file}"]
        lines.append(self._last_line())
        return "\n".join(lines)

    def _chip(self) -> str:
        if not self.workers:
            return "not asked"
        memory = f", {self.facts.total_bytes / 1e9:.2f} GB each" if self.facts.total_bytes else ""
        return f"{self.facts.devices} device(s) {self.facts.name or 'without a name'}{memory}"

    def _last_line(self) -> str:
        how = f"{self.asked} questions, {self.workers} worker(s), {self.seconds:.1f} s"
        left = len(self.findings) - self.settled
        alarms = f", {len(self.alarms)} alarms" if self.alarms else ""
        wrote = f"; wrote {self.file}" if self.written else ""
        as_is = f", {len(self.confirmed)} confirmed" if self.confirmed else ""
        return f"{self.settled} entries settled{as_is}, {left} left unverified{alarms}, {how}{wrote}"


def _summary(finding: EntryFinding) -> str:
    if not finding.settled:
        return f"unverified: {finding.reason}"
    parts = [", ".join(finding.dtypes)]
    parts += [f"{variable} {_limit(limit)}" for variable, limit in finding.constraints.items()]
    if finding.layout != "contiguous":
        parts.append(finding.layout)
    if finding.alignment > 1:
        parts.append(f"aligned to {finding.alignment} bytes")
    if finding.inplace:
        parts.append("in place")
    if finding.checks_index:
        parts.append("checks its index")
    if finding.int8_store:
        parts.append(f"int8 {finding.int8_store}s")
    return "; ".join(parts)


def _limit(limit: Any) -> str:
    if isinstance(limit, list):
        return "[" + ", ".join(str(value).lower() if isinstance(value, bool) else str(value) for value in limit) + "]"
    return " ".join(f"{key} {value}" for key, value in limit.items())
