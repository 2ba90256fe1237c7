"""``torchfl profile``: what a profile says, checked and resolved. Needs no torch and no chip."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from torchfl_sdk.cli.options import Json

app = typer.Typer(help="Check, show and compare profiles.", no_args_is_help=True)

Profile = Annotated[Path, typer.Argument(metavar="YAML", help="A profile.")]


@app.command()
def validate(profile: Profile) -> None:
    """Check a profile; every finding with file, line and fix."""
    from torchfl.profile import load_profile, warnings

    loaded = load_profile(profile)
    found = warnings(profile)
    for warning in found:
        typer.echo(f"WARN: {warning}", err=True)
    advice = f", {len(found)} warning{'s' * (len(found) > 1)}" if found else ""
    typer.echo(f"{profile}: {loaded.device_type}, {len(loaded.ops)} ops, valid{advice}")


@app.command()
def show(
    profile: Profile,
    origin: Annotated[bool, typer.Option("--origin", help="Say where each value comes from.")] = False,
    as_json: Json = False,
) -> None:
    """Print a profile as resolved: with all it extends."""
    from torchfl.profile import show as render

    typer.echo(render(profile, origin=origin, as_json=as_json))


@app.command()
def explain(
    profile: Profile,
    key: Annotated[str, typer.Argument(metavar="KEY", help="A path as `show --origin` prints it, or its beginning.")],
) -> None:
    """Say where a value comes from, and what it overrode."""
    from torchfl.profile import explain as history

    for line in history(profile, key):
        typer.echo(line)


@app.command()
def diff(old: Profile, new: Profile) -> None:
    """What changed between two resolved profiles. Exit 1 when they differ."""
    from torchfl.profile import diff as compare

    lines = compare(old, new)
    for line in lines:
        typer.echo(line)
    raise typer.Exit(1 if lines else 0)


@app.command()
def schema() -> None:
    """Print the JSON Schema of profiles."""
    from torchfl.profile import json_schema

    typer.echo(json_schema())
