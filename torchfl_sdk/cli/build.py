"""``torchfl-build``: compiles a chip project."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    name="torchfl-build",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.command()
def build(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The chip project.")],
    clean: Annotated[bool, typer.Option("--clean", help="Forget what was compiled before.")] = False,
    jobs: Annotated[int, typer.Option("-j", metavar="N", min=0, help="Compilers at once; 0: as many as cores.")] = 0,
) -> None:
    """Compile a chip project's library and Python module beside its profile. Needs no torch."""
    from torchfl_sdk.build import build_project

    typer.echo(build_project(directory, clean=clean, jobs=jobs).to_text())
