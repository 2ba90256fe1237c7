"""What a check found, and how the findings are printed and turned into an exit code."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

OK, INFO, WARN, ERROR = "OK", "INFO", "WARN", "ERROR"


@dataclass(frozen=True)
class Check:
    """One finding. ``level`` is OK, INFO, WARN or ERROR; ``fix`` is a command or an edit; ``about`` is the selector
    of the chip it concerns, or ``""`` for the machine; ``exit_code`` is what an ERROR makes of the command."""

    name: str
    level: str
    text: str
    fix: str = ""
    about: str = ""
    exit_code: int = 1


def exit_code(checks: Sequence[Check]) -> int:
    """0 when nothing is an ERROR; else the code that all errors agree on, or 1."""
    codes = {check.exit_code for check in checks if check.level == ERROR}
    if not codes:
        return 0
    return codes.pop() if len(codes) == 1 else 1


def render(checks: Sequence[Check], as_json: bool = False) -> str:
    """The findings as text, grouped by chip, each fix under its finding; or as JSON."""
    if as_json:
        return json.dumps({"exit_code": exit_code(checks), "checks": [asdict(check) for check in checks]}, indent=2)
    lines: list[str] = []
    about = None
    for check in checks:
        if check.about != about:
            about = check.about
            lines.append(f"{about}:" if about else "machine:")
        lines.append(f"  {check.level}: {check.text}")
        if check.fix:
            lines.append(f"      fix: {check.fix}")
    errors = sum(check.level == ERROR for check in checks)
    warnings = sum(check.level == WARN for check in checks)
    return "\n".join([*lines, f"{len(checks)} checks, {errors} errors, {warnings} warnings"])
