"""What changed between two runs: cases by their content, so that a renamed or moved case is still itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torchfl_sdk.conformance.gate.verdict import GOOD
from torchfl_sdk.conformance.runner.journal import read_events

from torchfl.errors import Place, Problem, TorchflError, register

NO_REPORT = register("TFL0915", "a folder holds no conformance report")


@dataclass(frozen=True)
class Change:
    """One case whose verdict differs; "" where a run does not have it."""

    case: str
    name: str
    before: str
    after: str
    reason: str

    @property
    def worse(self) -> bool:
        """Whether the second run is worse off: a case that was good, or new, is bad now; or a good one is gone."""
        return (self.after not in GOOD) if self.after else self.before in GOOD

    def __str__(self) -> str:
        text = f"{self.name} ({self.case}): {self.before or 'not there'} -> {self.after or 'not there'}"
        return f"{text}: {self.reason}" if self.reason else text


def diff(before: Path, after: Path) -> tuple[Change, ...]:
    """The cases whose verdicts differ, worse ones first. Raises TorchflError (TFL0915) where there is no report."""
    old, new = _verdicts(before), _verdicts(after)
    changes = []
    for case in dict.fromkeys((*new, *old)):
        one, other = old.get(case), new.get(case)
        if one is None or other is None or one["verdict"] != other["verdict"]:
            known: dict[str, Any] = other or one or {}
            was, now = ("" if e is None else str(e["verdict"]) for e in (one, other))
            changes.append(Change(case, known["name"], was, now, other["reason"] if other else ""))
    return tuple(sorted(changes, key=lambda change: (not change.worse, change.name, change.case)))


def to_text(changes: Iterable[Change]) -> str:
    """One line per change, and the count last."""
    changes = tuple(changes)
    worse = sum(change.worse for change in changes)
    return "\n".join([*map(str, changes), f"{len(changes)} verdicts differ, {worse} for the worse"])


def _verdicts(folder: Path) -> dict[str, dict[str, Any]]:
    path = folder / "results.jsonl"
    if not path.is_file():
        raise TorchflError(
            Problem(
                NO_REPORT,
                f"{path.name} is not there",
                "a folder that `torchfl conformance` wrote, its --out",
                Place(str(folder)),
            )
        )
    return {e["case"]: e for e in read_events(path) if e.get("event") == "verdict"}
