"""The ``torchfl`` command: its groups, in the order in which a chip is brought up."""

from __future__ import annotations

from typing import Annotated

import typer

from torchfl_sdk.cli import check, conformance, core, new_chip, profile

app = typer.Typer(
    name="torchfl",
    help="From a chip vendor's C header to a PyTorch device that passes a release gate.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(shown: bool) -> None:
    if shown:
        import torchfl

        typer.echo(torchfl.__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """From a chip vendor's C header to a PyTorch device that passes a release gate."""


app.command("new-chip")(new_chip.new_chip)
app.command("sdk")(new_chip.sdk)
app.command("probe")(check.probe)
app.add_typer(conformance.app, name="conformance")
app.command("doctor")(check.doctor)
app.command("ops")(check.ops)
app.add_typer(profile.app, name="profile")
app.add_typer(core.app, name="core")
