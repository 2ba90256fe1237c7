"""``torchfl conformance``: the release gate, and the measuring of the gate itself."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from torchfl_sdk.cli.options import ChipDirs, Json, require_torch, words
from torchfl_sdk.cli.paths import folder_to_write

app = typer.Typer(invoke_without_command=True)


@app.callback()
def run(
    context: typer.Context,
    device: Annotated[
        str | None, typer.Option("--device", metavar="SEL", help="The chip: family:chip[:n], e.g. xpu:x1.")
    ] = None,
    level: Annotated[str, typer.Option("--level", metavar="quick|release", help="How much to try.")] = "quick",
    ops: Annotated[str, typer.Option("--ops", help="Only these ops, separated by commas.")] = "",
    dtypes: Annotated[str, typer.Option("--dtypes", help="Only these dtypes, separated by commas.")] = "",
    require: Annotated[
        str, typer.Option("--require", metavar="cnn|transformer|FILE", help="Ops that must be native, by commas.")
    ] = "",
    waivers: Annotated[
        Path | None, typer.Option("--waivers", metavar="FILE", help="Failures that somebody answers for, until a day.")
    ] = None,
    shard: Annotated[str, typer.Option("--shard", metavar="i/n", help="Only each n-th case; see merge.")] = "",
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Where the report goes; default torchfl-report.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the report's journal.")] = False,
    chip_dir: ChipDirs = None,
    as_json: Json = False,
) -> None:
    """The release gate: every op of the profile against CPU, and every limit from both sides."""
    if context.invoked_subcommand is not None:
        return
    if device is None:
        raise typer.BadParameter("which chip? e.g. --device xpu:x1", context)
    from torchfl_sdk.conformance.gate.request import DEFAULT_OUT

    folder_to_write("--out", out or DEFAULT_OUT)
    require_torch()
    from torchfl_sdk.cli.progress import show
    from torchfl_sdk.conformance import RunRequest
    from torchfl_sdk.conformance import run as gate

    request = RunRequest(
        device,
        level=level,
        ops=words("--ops", ops),
        dtypes=words("--dtypes", dtypes),
        require=words("--require", require),
        waivers=waivers,
        shard=shard,
        out=out,
        resume=resume,
        chip_dirs=tuple(chip_dir or ()),
    )
    with show() as progress:
        result = gate(request, progress)
    typer.echo(result.to_json() if as_json else result.to_text())
    raise typer.Exit(result.exit_code)


@app.command()
def verify(
    report: Annotated[Path, typer.Argument(metavar="DIR", help="The report directory of a release run.")],
) -> None:
    """Check a release run's report offline: nothing changed, and the verdict follows from the journal."""
    from torchfl_sdk.conformance.report.statement import check

    statement, problems = check(report)
    for problem in problems:
        typer.echo(problem)
    typer.echo(f"{'NOT VERIFIED' if problems else 'verified'}: {statement.get('verdict')}")
    raise typer.Exit(1 if problems or statement.get("outcome") != "PASS" else 0)


@app.command()
def merge(
    reports: Annotated[list[Path], typer.Argument(metavar="DIR...", help="The report directories of all shards.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where the whole report goes.")],
    require: Annotated[
        str, typer.Option("--require", metavar="cnn|transformer|FILE", help="Ops that must be native, by commas.")
    ] = "",
    waivers: Annotated[
        Path | None, typer.Option("--waivers", metavar="FILE", help="Failures that somebody answers for, until a day.")
    ] = None,
    as_json: Json = False,
) -> None:
    """The whole run of its shards, with its verdict and statement."""
    from torchfl_sdk.conformance.gate.shards import merge as whole

    folder_to_write("--out", out)
    result = whole(reports, out, words("--require", require), waivers)
    typer.echo(result.to_json() if as_json else result.to_text())
    raise typer.Exit(result.exit_code)


@app.command()
def diff(
    before: Annotated[Path, typer.Argument(metavar="BEFORE", help="The report directory of one run.")],
    after: Annotated[Path, typer.Argument(metavar="AFTER", help="That of a later one.")],
) -> None:
    """What changed between two runs, case by case; exits 1 if anything did for the worse."""
    from torchfl_sdk.conformance.report.diff import diff as compare
    from torchfl_sdk.conformance.report.diff import to_text

    changes = compare(before, after)
    typer.echo(to_text(changes))
    raise typer.Exit(1 if any(change.worse for change in changes) else 0)


@app.command()
def selftest(
    project: Annotated[Path, typer.Argument(metavar="DIR", help="The chip project of a simulated SDK, built.")],
    sdk: Annotated[str, typer.Option("--sdk", metavar="NAME", help="The simulated SDK.")] = "x1",
    mutants: Annotated[
        str, typer.Option("--mutants", help="Only these, separated by commas; `all` for every one.")
    ] = "",
    level: Annotated[str, typer.Option("--level", metavar="quick|release", help="How much to try.")] = "quick",
    as_json: Json = False,
) -> None:
    """Run the gate on chips that are wrong on purpose: each must fail, and right ones must pass."""
    require_torch()
    from torchfl_sdk.conformance.mutants.selftest import NAMED, SelftestRow
    from torchfl_sdk.conformance.mutants.selftest import selftest as measure

    def say(row: SelftestRow) -> None:
        typer.echo(f"{'ok' if row.ok else 'WRONG'} {row.name}: {row.line}", err=True)

    names = () if mutants == "all" else words("--mutants", mutants) or NAMED
    result = measure(project, sdk, names, level, say)
    typer.echo(result.to_json() if as_json else result.to_text())
    raise typer.Exit(result.exit_code)
