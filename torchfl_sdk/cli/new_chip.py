"""``torchfl new-chip`` and ``torchfl sdk``: from a header to a chip project."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from torchfl_sdk.cli.options import Json


def sdk(
    name: Annotated[str, typer.Argument(help="A simulated SDK that torchfl ships, e.g. x1.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where include/ and lib/ go.")] = Path("sdk"),
) -> None:
    """Compile a simulated vendor SDK: header and library of a chip that needs no board."""
    from torchfl_sdk.chips import compile_sdk

    typer.echo(f"{compile_sdk(name, out)}: simulated SDK of {name}")


def new_chip(
    name: Annotated[str, typer.Argument(help="The chip's name; also the project folder's.")],
    more: Annotated[
        list[Path] | None, typer.Argument(metavar="H", help="Further headers: --header sdk/include/*.h works.")
    ] = None,
    header: Annotated[
        list[Path] | None, typer.Option("--header", metavar="H", help="A header of the SDK; may be given again.")
    ] = None,
    include: Annotated[list[Path] | None, typer.Option("-I", metavar="DIR", help="An include folder.")] = None,
    define: Annotated[list[str] | None, typer.Option("-D", metavar="DEF", help="A macro, NAME or NAME=VALUE.")] = None,
    lib: Annotated[
        list[Path] | None, typer.Option("--lib", metavar="SO", help="A shared library of the SDK; may be given again.")
    ] = None,
    vendor: Annotated[str, typer.Option("--vendor", metavar="V", help="The vendor's name.")] = "",
    family: Annotated[str, typer.Option("--family", help="The device family of the selector.")] = "xpu",
    extends: Annotated[
        Path | None, typer.Option("--extends", metavar="PROFILE", help="A profile that this one extends.")
    ] = None,
    from_profile: Annotated[
        Path | None, typer.Option("--from-profile", metavar="YAML", help="Start from a hand-written profile.")
    ] = None,
    out: Annotated[Path, typer.Option("--out", metavar="PARENT", help="Parent of the project folder.")] = Path(),
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be written; write nothing.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Show the changes to files that exist; write nothing.")] = False,
    on_conflict: Annotated[
        str, typer.Option("--on-conflict", metavar="refuse|merge|overwrite", help="What to do with files that exist.")
    ] = "refuse",
    check: Annotated[
        bool, typer.Option("--check/--no-check", help="Compile what was written, if there is a compiler; make nothing.")
    ] = True,
    as_json: Json = False,
) -> None:
    """Read the vendor's header; write the profile, the kernels and the build recipe."""
    from torchfl_sdk import scaffold

    request = scaffold.NewChipRequest(
        name=name,
        headers=(*(header or ()), *(more or ())),
        include_dirs=tuple(include or ()),
        defines=tuple(define or ()),
        lib=lib[0] if lib else None,
        more_libs=tuple(lib[1:]) if lib else (),
        vendor=vendor,
        family=family,
        extends=extends,
        from_profile=from_profile,
        out=out,
        dry_run=dry_run,
        diff=diff,
        on_conflict=on_conflict,
        check=check,
    )
    result = scaffold.new_chip(request)
    typer.echo(result.to_json() if as_json else result.to_text())
    raise typer.Exit(result.exit_code)
