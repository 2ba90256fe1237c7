"""Waivers: failures that somebody answers for, case by case, until a day.

A waived case still runs. It counts as WAIVED only if it fails in the waived way; if it passes, or fails in another way,
the run fails, so that a waiver neither outlives its cause nor hides a second one.
"""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torchfl_sdk.conformance.gate.verdict import CRASH, FAIL, HANG, NONDETERMINISTIC, WAIVED, Result

from torchfl.errors import Place, Problem, TorchflError, did_you_mean, register

BAD_WAIVERS = register("TFL0912", "a waiver file does not say what it must")

_NEEDED = ("owner", "issue", "cases", "verdict", "signature", "expires")
_OPTIONAL = ("drivers", "reason")
_VERDICTS = (FAIL, CRASH, HANG, NONDETERMINISTIC)


@dataclass(frozen=True)
class Waiver:
    """``cases`` are ids of the manifest, ``signature`` a part of the failure's reason, ``drivers`` the versions of the
    profile's ``driver_version`` that it holds for (empty: any); ``expires`` is its last day."""

    owner: str
    issue: str
    cases: tuple[str, ...]
    verdict: str
    signature: str
    expires: datetime.date
    drivers: tuple[str, ...] = ()

    def covers(self, result: Result) -> bool:
        """Whether a failure is the one that is waived."""
        return result.verdict == self.verdict and self.signature in result.reason


def load(path: Path) -> tuple[Waiver, ...]:
    """The waivers of a YAML file: a list under ``waivers``. Raises TorchflError (TFL0912) with every fault."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        content = YAML(typ="safe").load(path.read_text(encoding="utf-8"))
    except OSError as error:
        cause = error.strerror or str(error)
        raise TorchflError(
            Problem(BAD_WAIVERS, cause, "a YAML file of waivers", Place(str(path)), "--waivers")
        ) from error
    except (UnicodeDecodeError, YAMLError) as error:
        raise TorchflError(Problem(BAD_WAIVERS, str(error).partition("\n")[0], place=Place(str(path)))) from error
    entries = content.get("waivers") if isinstance(content, dict) else None
    if not isinstance(entries, list) or set(content) != {"waivers"}:
        raise TorchflError(Problem(BAD_WAIVERS, "expected one key, `waivers`, with a list", place=Place(str(path))))
    problems: list[Problem] = []
    found = [_waiver(entry, f"waivers[{i}]", str(path), problems) for i, entry in enumerate(entries)]
    if problems:
        raise TorchflError(problems)
    return tuple(w for w in found if w is not None)


def _waiver(entry: Any, where: str, path: str, problems: list[Problem]) -> Waiver | None:
    before = len(problems)

    def wrong(cause: str, key: str = "", fix: str = "") -> None:
        problems.append(Problem(BAD_WAIVERS, cause, fix, Place(path), f"{where}.{key}" if key else where))

    if not isinstance(entry, dict):
        wrong("expected keys: " + ", ".join(_NEEDED))
        return None
    for key in entry:
        if key not in (*_NEEDED, *_OPTIONAL):
            wrong(f"unknown key {key!r}", fix=did_you_mean(str(key), (*_NEEDED, *_OPTIONAL)))
    for key in _NEEDED:
        if not entry.get(key):
            wrong("missing", key)
    if len(problems) > before:
        return None
    lists = {key: entry.get(key) or [] for key in ("cases", "drivers")}
    for key, value in lists.items():
        if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
            wrong("expected a list of texts (an id of digits alone needs quotes)", key)
    if entry["verdict"] not in _VERDICTS:
        wrong(f"{entry['verdict']!r}", "verdict", " or ".join(_VERDICTS))
    if type(entry["expires"]) is not datetime.date:  # a time of day is a date too, and none that compares with one
        wrong(f"{entry['expires']!r}", "expires", "a day, as 2030-12-31")
    if len(problems) > before:
        return None
    texts = {key: str(entry[key]) for key in ("owner", "issue", "verdict", "signature")}
    return Waiver(**texts, cases=tuple(lists["cases"]), drivers=tuple(lists["drivers"]), expires=entry["expires"])


def apply(
    results: Mapping[str, Result], waivers: Iterable[Waiver], driver: str, today: datetime.date, *, whole: bool
) -> tuple[dict[str, Result], list[str]]:
    """The results with waivers applied, and what is wrong with the waivers. ``whole``: no filter left cases out."""
    found, problems = dict(results), []
    for waiver in waivers:
        name = f"waiver of {waiver.owner}, {waiver.issue}"
        if waiver.expires < today:
            problems.append(f"{name}: expired on {waiver.expires}; fix it, or have {waiver.owner} renew it")
            continue
        if waiver.drivers and driver not in waiver.drivers:
            problems.append(f"{name}: holds for driver {', '.join(waiver.drivers)}, not for {driver or 'this one'}")
            continue
        for case in waiver.cases:
            result = results.get(case)
            if result is None:
                problems += [f"{name}: the run has no case {case}"] if whole else []
            else:
                found[case] = _waived(result, waiver, name)
    return found, problems


def _waived(result: Result, waiver: Waiver, name: str) -> Result:
    if result.good:
        reason = f"unexpected pass ({result.verdict}): remove the {name}"
        return dataclasses.replace(result, verdict=FAIL, reason=reason)
    if not waiver.covers(result):
        return dataclasses.replace(result, reason=f"{result.reason} (not what the {name} is about)")
    return dataclasses.replace(result, verdict=WAIVED, reason=f"{name}: {result.verdict}: {result.reason}")
