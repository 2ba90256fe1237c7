"""``torchfl core``: the compiled half of torchfl, ahead of its first use."""

from __future__ import annotations

import typer

app = typer.Typer(help="The compiled core: build it ahead of the first use.", no_args_is_help=True)


@app.command()
def build() -> None:
    """Compile the core for the torch of this Python, unless it is there."""
    from torchfl import core_build

    typer.echo(core_build.build())


@app.command()
def status() -> None:
    """Say whether the core is built, and for which torch. Exit 3 when it is not."""
    from torchfl import core_build

    state = core_build.status()
    built = "built" if state.built else "not built (torchfl core build)"
    typer.echo(f"{built} for torch {state.torch_version}, {state.python_tag}: {state.path}")
    raise typer.Exit(0 if state.built else 3)


@app.command()
def path() -> None:
    """Print where the core is, or will be."""
    from torchfl import core_build

    typer.echo(core_build.path())
