"""What `torchfl conformance` is asked and what it answers."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torchfl_sdk.conformance.gate.verdict import GOOD, NATIVE_PASS, WAIVED, Result
from torchfl_sdk.conformance.gate.waivers import Waiver

PASS, NOT_PASSED, INCOMPLETE = "PASS", "FAIL", "INCOMPLETE"
EXIT_CODES = {PASS: 0, NOT_PASSED: 1, INCOMPLETE: 4}

#: Where the report goes without --out.
DEFAULT_OUT = Path("torchfl-report")


@dataclass(frozen=True)
class RunRequest:
    """``level`` is quick | release; empty ``ops`` and ``dtypes`` mean all; ``chip_dirs`` as in ``--chip-dir``.
    ``require`` names sets of ops or files with them, ``waivers`` a file; see ``gate/require.py``, ``gate/waivers.py``.
    ``shard`` is "i/n" or ""; see ``gate/shards.py``.

    ``case_limit`` is in seconds, ``first_limit`` too: the first case of an op in a dtype may have to wait for a driver
    that compiles its kernels at their first use. ``search_here``: chips in ``./`` and ``./*/`` count too, as for every
    command. ``executor`` names what runs the cases ("module:factory"); only tests change it.
    """

    device: str
    level: str = "quick"
    ops: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = ()
    require: tuple[str, ...] = ()
    waivers: Path | None = None
    shard: str = ""
    out: Path | None = None
    resume: bool = False
    chip_dirs: tuple[Path, ...] = ()
    seed: int = 0
    case_limit: float = 20.0
    first_limit: float = 60.0
    search_here: bool = True
    executor: str = "torchfl_sdk.conformance.runner.device:DeviceExecutor"


@dataclass(frozen=True)
class RunResult:
    """A finished (or interrupted) run. ``unverified`` names entries that no case tested because nothing proves them;
    ``unclaimed`` says what the chip could do beyond its profile, which is no failure."""

    selector: str
    level: str
    filtered: bool
    outcome: str
    results: tuple[Result, ...]
    planned: int
    native_ops: tuple[str, ...]
    declared_ops: tuple[str, ...]
    unverified: tuple[str, ...]
    catalogue_size: int
    problems: tuple[str, ...]
    out: Path
    seconds: float
    waivers: tuple[Waiver, ...] = ()
    required: tuple[str, ...] = ()
    shard: str = ""
    unclaimed: tuple[str, ...] = ()

    @property
    def partial(self) -> str:
        """Why this run is not a release run, whatever its outcome; "" if it is one."""
        reasons = (f"level {self.level}" * (self.level != "release"), "filtered" * self.filtered)
        return ", ".join(filter(None, (*reasons, f"shard {self.shard}" * bool(self.shard))))

    @property
    def exit_code(self) -> int:
        """0 passed, 1 not passed, 4 incomplete."""
        return EXIT_CODES[self.outcome]

    @property
    def counts(self) -> dict[str, int]:
        """How many cases got each verdict."""
        return dict(sorted(Counter(r.verdict for r in self.results).items()))

    @property
    def line(self) -> str:
        """The verdict line: always the last line of the output."""
        return (
            f"{self.outcome} {len(self.native_ops)}/{len(self.declared_ops)} ops native "
            f"({len(self.native_ops)} of the catalogue's {self.catalogue_size}), "
            f"{len(self.results)} cases, {self.seconds:.1f} seconds"
            + (f"; {waived} waived" if (waived := self.counts.get(WAIVED, 0)) else "")
            + (f"; {self.partial}: not a release run" if self.partial else "")
        )

    def to_text(self, most: int = 20) -> str:
        """What a person reads: what is wrong, worst first, and the verdict line last."""
        lines = [f"{verdict}: {count}" for verdict, count in self.counts.items()]
        bad = [r for r in self.results if not r.good]
        for result in bad[:most]:
            lines.append(f"{result.verdict} {result.case.name}: {result.reason}")
            lines += [f"    {result.pattern}"] if result.pattern else []
        if len(bad) > most:
            lines.append(f"... and {len(bad) - most} more in {self.out / 'results.jsonl'}")
        lines += [f"unclaimed: {line}" for line in self.unclaimed[:most]]
        if len(self.unclaimed) > most:
            lines.append(f"... and {len(self.unclaimed) - most} more unclaimed in {self.out / 'summary.json'}")
        lines += self.problems
        if bad:
            lines.append(
                f"repro scripts: {self.out / 'repro'}; what the workers printed: {self.out / 'results.jsonl.stderr'}"
            )
        if self.partial:
            lines.append(f"{self.partial}: no statement is made; one needs `--level release` of every op and dtype")
        return "\n".join([*lines, self.line])

    def to_dict(self) -> dict[str, Any]:
        """The content of summary.json."""
        per_op: dict[str, dict[str, Any]] = {}
        for result in self.results:
            sample = result.case.sample
            row = per_op.setdefault(sample.op, {}).setdefault(
                sample.dtype, {"verdicts": {}, "proved": False, "worst": 0.0}
            )
            row["verdicts"][result.verdict] = row["verdicts"].get(result.verdict, 0) + 1
            row["proved"] |= result.proved
            if result.verdict == NATIVE_PASS:
                row["worst"] = max(row["worst"], round(result.worst, 4))
        return {
            "verdict": self.line,
            "outcome": self.outcome,
            "exit_code": self.exit_code,
            "device": self.selector,
            "level": self.level,
            "filtered": self.filtered,
            "required": list(self.required),
            "cases": {"planned": self.planned, "executed": len(self.results)},
            "verdicts": self.counts,
            "ops": {
                "native": list(self.native_ops),
                "declared": list(self.declared_ops),
                "unverified": list(self.unverified),
                "catalogue": self.catalogue_size,
            },
            "problems": list(self.problems),
            "unclaimed": list(self.unclaimed),
            "per_op": per_op,
            "not_passed": [
                {"case": r.case.id, "name": r.case.name, "verdict": r.verdict, "reason": r.reason, "pattern": r.pattern}
                for r in self.results
                if r.verdict not in GOOD
            ],
            "waived": [
                {"case": r.case.id, "name": r.case.name, "reason": r.reason}
                for r in self.results
                if r.verdict == WAIVED
            ],
            "seconds": round(self.seconds, 2),
        }

    def to_json(self) -> str:
        """summary.json as text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)
