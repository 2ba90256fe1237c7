"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Device = Annotated[str, typer.Option("--device", metavar="SEL", help="The chip: family:chip[:n], e.g. xpu:x1.")]
OptionalDevice = Annotated[
    str | None, typer.Option("--device", metavar="SEL", help="Only this chip: family:chip[:n], e.g. xpu:x1.")
]
ChipDirs = Annotated[
    list[Path] | None,
    typer.Option(
        "--chip-dir",
        metavar="DIR",
        help="A folder with a chip's profile, beside TORCHFL_DEVICE_DIR, ./ and ./*/; may be given again.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def words(option: str, text: str) -> tuple[str, ...]:
    """A list given as one option, separated by commas; commas alone are a mistake, not a list of nothing."""
    found = tuple(word.strip() for word in text.split(",") if word.strip())
    if text and not found:
        raise typer.BadParameter(f"'{text}' names nothing", param_hint=option)
    return found


def require_torch() -> None:
    """Raise TorchflError (TFL0601) where torch is not installed, before a command starts what needs it."""
    from torchfl.core_build import torch_location

    torch_location()
