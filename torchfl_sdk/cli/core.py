"""``torchfl core``: the compiled half of torchfl, ahead of its first use."""

from __future__ import annotations

from typing import Annotated

import typer

app = typer.Typer(help="The compiled core: build it ahead of the first use.", no_args_is_help=True)


@app.command()
def build(
    force: Annotated[bool, typer.Option("--force", help="Compile even if it is there.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="Show what the compiler says.")] = False,
) -> None:
    """Compile the core for the torch of this Python, unless it is there."""
    from torchfl import core_build

    typer.echo(core_build.build(force=force, verbose=verbose))


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


@app.command()
def clean() -> None:
    """Remove cores of another torch, Python or older sources, and what they were built in."""
    from torchfl import core_cache

    removed = core_cache.clean()
    for folder, size in removed:
        typer.echo(f"removed {folder} ({size / 1e6:.1f} MB)")
    if not removed:
        typer.echo("nothing to remove")
