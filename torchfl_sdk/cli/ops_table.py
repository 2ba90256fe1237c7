"""What ``torchfl ops`` prints: the catalogue, and beside it what one chip serves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from torchfl.catalogue import OPS


def render(device: str | None, chip_dirs: tuple[Path, ...] = (), as_json: bool = False) -> str:
    """The table as text, or as a JSON list of one object per op.

    With a device each row says how the chip serves the op: ``native`` with dtypes, ``unverified`` (the
    probe has not settled it) or ``-``. Raises TorchflError where the device is not found.
    """
    rows: list[dict[str, Any]] = [
        {
            "op": op.name,
            "overload": op.overload,
            "tier": op.tier,
            "inputs": list(op.inputs),
            "variables": list(op.variables),
        }
        for op in OPS
    ]
    if device is not None:
        served = _served(device, chip_dirs)
        for row in rows:
            row.update(served.get(row["op"], {"state": "-", "impl": "", "dtypes": []}))
    if as_json:
        return json.dumps(rows, indent=2)
    lines = [_line(row) for row in rows]
    if device is None:
        return "\n".join([*lines, f"{len(rows)} ops in the catalogue"])
    native = sum(row["state"] == "native" for row in rows)
    return "\n".join([*lines, f"{device}: {native} of the catalogue's {len(rows)} ops"])


def _served(device: str, chip_dirs: tuple[Path, ...]) -> dict[str, dict[str, Any]]:
    from torchfl.devices import find_chips, select

    chip = select(device, find_chips(chip_dirs, cli=True))
    if chip.profile is None:
        raise chip.error or AssertionError("a chip without a profile comes with its error")
    return {
        entry.name: {
            "state": "unverified" if entry.provenance == "unverified" else "native",
            "impl": entry.impl,
            "dtypes": list(entry.dtype_support),
        }
        for entry in chip.profile.ops
    }


def _line(row: dict[str, Any]) -> str:
    line = f"{row['op']:<28} {row['overload']:<40}"
    if "state" not in row:
        return f"{line} {', '.join(row['inputs']):<32} constraints: {', '.join(row['variables'])}"
    return f"{line} {row['state']:<11} {row['impl']:<18} {', '.join(row['dtypes'])}".rstrip()
