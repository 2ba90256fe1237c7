"""``torchfl doctor``: from the compiler to one op on the chip, each problem with its fix."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from torchfl_sdk.doctor.chips import check_chips
from torchfl_sdk.doctor.machine import check_machine
from torchfl_sdk.doctor.model import Check, exit_code, render

__all__ = ["Check", "diagnose", "exit_code", "render"]


def diagnose(device: str | None = None, chip_dirs: Sequence[Path] = ()) -> list[Check]:
    """Check the machine and every chip found, or only the chip that ``device`` selects.

    Drivers are entered in processes of their own, so one that crashes or hangs costs its check. Raises
    TorchflError where ``device`` names no chip.
    """
    return [*check_machine(), *check_chips(device, tuple(chip_dirs))]
