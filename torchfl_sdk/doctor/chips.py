"""Doctor's checks of chips: finds them, and asks each in a process that may die."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from torchfl.devices import FoundChip, find_chips, select
from torchfl.errors import TorchflError
from torchfl.profile import Profile
from torchfl_sdk.child import module_command
from torchfl_sdk.doctor.machine import torch_found
from torchfl_sdk.doctor.model import ERROR, OK, WARN, Check

#: Seconds for one stage of one chip; the native stage may compile the core, which has its own progress.
STAGE_SECONDS = {"library": 60, "native": 900}


def check_chips(device: str | None, chip_dirs: tuple[Path, ...]) -> Iterator[Check]:
    """Every chip found, or the one that ``device`` selects. Raises TorchflError for an unknown selector."""
    found = find_chips(chip_dirs, cli=True)
    if not found and device is None:
        yield _no_profile(chip_dirs)
        return
    for chip in (select(device, found),) if device is not None else found:
        yield from _check_chip(chip)


def _no_profile(chip_dirs: tuple[Path, ...]) -> Check:
    named = [str(d) for d in chip_dirs] + [d for d in os.environ.get("TORCHFL_DEVICE_DIR", "").split(os.pathsep) if d]
    looked = ", ".join(named) if named else str(Path.cwd())
    return Check(
        "profile",
        WARN,
        f"No device YAML found in {looked}",
        "torchfl new-chip NAME --header H, or set TORCHFL_DEVICE_DIR or --chip-dir to the folder of NAME_device.yaml",
    )


def _check_chip(chip: FoundChip) -> Iterator[Check]:
    about = chip.selector
    if chip.profile is None:
        for problem in chip.error.problems if chip.error else ():
            yield Check("profile", ERROR, str(problem), f"torchfl profile validate {chip.path}", about, 2)
        return
    profile = chip.profile
    yield Check("profile", OK, f"{profile.path}: {len(profile.ops)} ops", about=about)
    unverified = sum(entry.provenance == "unverified" for entry in profile.ops)
    if unverified:
        yield Check(
            "provenance",
            WARN,
            f"{unverified} of {len(profile.ops)} ops are unverified and do not run on the chip",
            f"torchfl probe --device {about} --write",
            about,
        )
    if not Path(profile.chip_library).exists():
        fix = f"torchfl-build {os.path.relpath(Path(profile.path).parent)}"
        yield Check("library", ERROR, f"{Path(profile.chip_library).name} is not built", fix, about, 3)
        return
    try:
        _ = profile.runtime_so
    except TorchflError as e:
        for problem in e.problems:
            yield Check("runtime", ERROR, str(problem), problem.fix, about, 2)
        return
    checks = list(_in_child("library", profile, about))
    yield from checks
    if any(check.level == ERROR for check in checks) or not torch_found():
        return
    yield from _in_child("native", profile, about)


def _in_child(stage: str, profile: Profile, about: str) -> Iterator[Check]:
    """Run one stage in a process of its own, and say where it died if it did."""
    with tempfile.TemporaryDirectory(prefix="torchfl-doctor-") as folder:
        report = Path(folder) / "report.jsonl"
        report.touch()
        command = module_command("torchfl_sdk.doctor.child", stage, str(report), str(profile.path))
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=STAGE_SECONDS[stage])
            code: int | None = done.returncode
            said = done.stderr.strip().splitlines()
        except subprocess.TimeoutExpired:
            code, said = None, []
        step = "starting"
        for line in report.read_text().splitlines():
            entry = json.loads(line)
            if "begin" in entry:
                step = entry["begin"]
            else:
                yield Check(**{**entry["check"], "about": about})
    if code != 0:
        yield Check(stage, ERROR, _death(code, step, said, STAGE_SECONDS[stage]), _look(stage, profile), about)


def _death(code: int | None, step: str, said: list[str], seconds: int) -> str:
    if code is None:
        return f"the driver hangs while {step} (stopped after {seconds} s)"
    if code < 0:
        return f"the driver crashed while {step} ({signal.Signals(-code).name})"
    return f"failed while {step}: {said[-1] if said else f'exit code {code}'}"


def _look(stage: str, profile: Profile) -> str:
    command = f"python -m torchfl_sdk.doctor.child {stage} /dev/stdout {profile.path}"
    return f"report it to the vendor; it repeats with: {command}"
