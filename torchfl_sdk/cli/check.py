"""Commands that ask a chip: probe, doctor, ops."""

from __future__ import annotations

from typing import Annotated

import typer

from torchfl_sdk.cli.options import ChipDirs, Device, Json, OptionalDevice, require_torch


def probe(
    device: Device,
    write: Annotated[bool, typer.Option("--write", help="Write what was found into the profile.")] = False,
    chip_dir: ChipDirs = None,
    as_json: Json = False,
) -> None:
    """Ask the chip what its header does not say: dtypes, limits, layouts. Exit 1 if a kernel gave wrong numbers."""
    require_torch()
    from torchfl_sdk.probe import probe as ask

    report = ask(device, write=write, chip_dirs=tuple(chip_dir or ()))
    typer.echo(report.to_json() if as_json else report.to_text())
    raise typer.Exit(1 if report.alarms else 0)


def doctor(device: OptionalDevice = None, chip_dir: ChipDirs = None, as_json: Json = False) -> None:
    """Check the compiler, torch, the core, and each chip down to one op; each problem says its fix."""
    from torchfl_sdk.doctor import diagnose, exit_code, render

    checks = diagnose(device, chip_dirs=tuple(chip_dir or ()))
    typer.echo(render(checks, as_json=as_json))
    raise typer.Exit(exit_code(checks))


def ops(device: OptionalDevice = None, chip_dir: ChipDirs = None, as_json: Json = False) -> None:
    """List the op catalogue; with --device, what that chip serves."""
    from torchfl_sdk.cli.ops_table import render

    typer.echo(render(device, chip_dirs=tuple(chip_dir or ()), as_json=as_json))
