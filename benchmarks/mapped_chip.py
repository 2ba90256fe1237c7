"""The same chip with memory that the host maps, for figures of both kinds."""

from __future__ import annotations

from pathlib import Path


def mapped_chip(chip: Path, folder: Path) -> Path:
    """Writes a profile into ``folder`` that extends the one of ``chip`` and maps memory. Gives ``folder``."""
    (profile,) = chip.resolve().glob("*_device.yaml")
    (folder / profile.name).write_text(f"extends: {profile}\nmemory: {{mode: mapped}}\n")
    return folder
