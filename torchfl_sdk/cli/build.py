"""``torchfl-build``: compiles a chip project, or hand-written sources into one module."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

_app = typer.Typer(
    name="torchfl-build",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

#: Options that take every word up to the next option, as in `--sources a.cpp b.cpp`.
_SEVERAL = ("--sources", "--link")


def app(prog_name: str, standalone_mode: bool = True) -> Any:
    """Run the command on ``sys.argv``."""
    return _app(args=repeat_options(sys.argv[1:]), prog_name=prog_name, standalone_mode=standalone_mode)


def repeat_options(args: Sequence[str]) -> list[str]:
    """``--sources a b`` as ``--sources a --sources b``, which is what the parser understands."""
    out: list[str] = []
    option, used = "", False
    for arg in args:
        if arg.startswith("-"):
            option, used = (arg, False) if arg in _SEVERAL else ("", False)
        elif option:
            if used:
                out.append(option)
            used = True
        out.append(arg)
    return out


@_app.command()
def build(
    directory: Annotated[Path | None, typer.Argument(metavar="DIR", help="The chip project.")] = None,
    wheel: Annotated[bool, typer.Option("--wheel", help="Make a wheel in DIR/dist instead.")] = False,
    clean: Annotated[bool, typer.Option("--clean", help="Forget what was compiled before.")] = False,
    name: Annotated[str, typer.Option("--name", metavar="M", help="Build module M from --sources instead.")] = "",
    sources: Annotated[list[Path] | None, typer.Option("--sources", metavar="A.cpp..", help="C++ sources.")] = None,
    link: Annotated[
        list[str] | None, typer.Option("--link", metavar="LIB..", help="Libraries: paths, or names as for -l.")
    ] = None,
    include: Annotated[list[Path] | None, typer.Option("-I", metavar="DIR", help="An include folder.")] = None,
    jobs: Annotated[
        int | None, typer.Option("-j", metavar="N", min=1, help="Compilers at once; default: as many as cores.")
    ] = None,
) -> None:
    """Compile a chip project's library and Python module beside its profile. Needs no torch.

    With --name and --sources: compile hand-written C++ into one Python module in the current folder.
    """
    from torchfl_sdk.build import build_project, build_sources

    if bool(name) != bool(sources):
        raise typer.BadParameter("--name and --sources go together")
    if (directory is None) == (not sources):
        raise typer.BadParameter("give either DIR or --name and --sources")
    alone = [("--wheel", wheel), ("--clean", clean)] if sources else [("--link", link), ("-I", include)]
    idle = [option for option, given in alone if given]
    if idle:
        which = "--name and --sources" if sources else "a chip project, whose CMakeLists.txt says it"
        raise typer.BadParameter(f"{' and '.join(idle)} cannot be given for {which}")
    if directory is not None:
        result = build_project(directory, clean=clean, jobs=jobs or 0, wheel=wheel)
    else:
        result = build_sources(name, tuple(sources or ()), tuple(link or ()), tuple(include or ()), jobs=jobs or 0)
    typer.echo(result.to_text())
