"""Measuring the gate: chips that are wrong in one named way must fail it, right ones must pass.

Most of them are builds of a simulated SDK with one macro set (``torchfl_sdk.chips``): the chip project stays as it is,
only its ``runtime_so`` is another. One is made from the project's own source (``mutants/host.py``).
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from torchfl_sdk.chips import Mutant, compile_sdk, mutants, variants
from torchfl_sdk.conformance.gate.request import PASS, RunRequest, RunResult
from torchfl_sdk.conformance.gate.run import check, run
from torchfl_sdk.conformance.mutants.host import computed_on_the_host

from torchfl.errors import Place, Problem, TorchflError, did_you_mean, register
from torchfl.profile import load_profile

UNKNOWN_MUTANT = register("TFL0908", "no mutant of this name")
NOT_A_PROJECT = register("TFL0909", "the self-test needs a built chip project of a simulated SDK")

HOST = "computed_on_the_host"
AS_BUILT = "as_built"

#: What the self-test runs unless told otherwise: one mutant per way in which a gate is usually fooled.
NAMED = (AS_BUILT, "dropped_tail", "ignored_stride", HOST)


@dataclass(frozen=True)
class SelftestRow:
    """One chip. ``right``: whether it should pass; ``ok``: whether the gate said so, for a wrong one in every op that
    it changes and the chip's profile claims."""

    name: str
    right: bool
    ok: bool
    line: str
    found: str


@dataclass(frozen=True)
class SelftestResult:
    """The rows in the order in which they ran."""

    rows: tuple[SelftestRow, ...]

    @property
    def exit_code(self) -> int:
        """0 if every mutant was killed and no right chip failed, else 1."""
        return 0 if self.rows and all(row.ok for row in self.rows) else 1

    def to_text(self) -> str:
        """One line per chip; the count last."""
        lines = []
        for row in self.rows:
            wanted = "passes" if row.right else "fails"
            lines.append(f"{'ok   ' if row.ok else 'WRONG'} {row.name} (a gate {wanted} it): {row.line}")
            lines += [f"      {row.found}"] if row.found else []
        killed = sum(row.ok for row in self.rows if not row.right)
        passed = sum(row.ok for row in self.rows if row.right)
        wrong = sum(not row.right for row in self.rows)
        return "\n".join(
            [*lines, f"{killed}/{wrong} mutants killed, {passed}/{len(self.rows) - wrong} right chips passed"]
        )

    def to_json(self) -> str:
        """The rows as JSON."""
        return json.dumps([vars(row) for row in self.rows], indent=2)


def selftest(
    project: Path, sdk: str = "x1", names: tuple[str, ...] = NAMED, level: str = "quick",
    progress: Callable[[SelftestRow], None] | None = None,
) -> SelftestResult:  # fmt: skip
    """Run the gate over changed builds of a chip. ``project`` is built and probed; nothing in it is changed.

    ``names``: mutants and variants of the SDK, ``computed_on_the_host``, ``as_built``; empty means all of them.
    Raises TorchflError for an unknown name (TFL0908), a folder that is no project (TFL0909), and what builds raise.
    """
    check(RunRequest("", level=level))
    changed = {m.name: m for m in (*mutants(sdk), *variants(sdk))}
    known = (AS_BUILT, *changed, HOST)
    wanted = names or known
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise TorchflError(
            [
                Problem(UNKNOWN_MUTANT, f"'{n}'", did_you_mean(n, known) or ", ".join(known), where="mutant")
                for n in unknown
            ]
        )
    profile = _profile(project)
    rows = []
    with tempfile.TemporaryDirectory(prefix="torchfl-selftest-") as scratch:
        for name in wanted:
            row = _row(name, changed.get(name), profile, sdk, level, Path(scratch) / name)
            rows.append(row)
            if progress is not None:
                progress(row)
    return SelftestResult(tuple(rows))


def _profile(project: Path) -> Path:
    found = sorted(project.glob("*_device.yaml"))
    lacks = "" if len(found) == 1 else f"it holds {len(found)} profiles, one is expected"
    lacks = lacks or ("" if (project / "src").is_dir() else "it has no src/")
    if lacks:
        cause = lacks if project.is_dir() else "no such folder"
        fix = "give the folder that `torchfl new-chip` wrote"
        raise TorchflError(Problem(NOT_A_PROJECT, cause, fix, Place(str(project))))
    return found[0].resolve()


def _row(name: str, mutant: Mutant | None, profile: Path, sdk: str, level: str, folder: Path) -> SelftestRow:
    folder.mkdir(parents=True)
    ops: tuple[str, ...] = ()
    right = True
    if name == HOST:
        chip, ops = host_project(profile, folder / "chip")
        right = False
    elif mutant is not None:
        library = compile_sdk(sdk, folder / "sdk", defines=(mutant.define,)) / "lib" / f"lib{sdk}.so"
        chip = _with_runtime(profile, library, folder / "chip")
        ops, right = mutant.ops, mutant.right
    else:
        chip = _with_runtime(profile, None, folder / "chip")
    claimed = {entry.name for entry in load_profile(chip).ops if entry.routes}
    tested = tuple(op for op in ops if op in claimed)
    request = RunRequest(
        load_profile(chip).device_type,
        level=level,
        ops=tested,
        chip_dirs=(chip.parent,),
        out=folder / "report",
        search_here=False,
    )
    result = run(request)
    return _judged(name, right, tested, result)


def _judged(name: str, right: bool, ops: tuple[str, ...], result: RunResult) -> SelftestRow:
    bad = [r for r in result.results if not r.good]
    first = next(iter(bad), None)
    found = f"{first.verdict} {first.case.name}: {first.reason}" if first is not None else ""
    found += f" ({first.pattern})" if first is not None and first.pattern else ""
    if right:
        return SelftestRow(name, right, result.outcome == PASS, result.line, found)
    missed = [op for op in ops if op not in {r.case.sample.op for r in bad}]
    if missed:
        found = f"not caught in {', '.join(missed)}. {found}"
    return SelftestRow(name, right, bool(ops) and not missed and result.outcome != PASS, result.line, found)


def _with_runtime(profile: Path, library: Path | None, folder: Path) -> Path:
    """A profile that extends the project's with another runtime library; the chip library stays the project's."""
    folder.mkdir()
    child = folder / profile.name
    lines = [f"extends: {json.dumps(str(profile))}", f"device_type: {json.dumps(load_profile(profile).device_type)}"]
    if library is not None:
        lines.append(f"runtime_so: {json.dumps(str(library.resolve()))}")
    child.write_text("\n".join(lines) + "\n")
    return child


def host_project(profile: Path, folder: Path) -> tuple[Path, tuple[str, ...]]:
    """A built copy of a project whose kernels return what the host computed; with the ops that do."""
    from torchfl_sdk.build import build_project

    shutil.copytree(profile.parent, folder, ignore=shutil.ignore_patterns("build", "dist", "*.so", "__pycache__"))
    copy = folder / profile.name
    libraries = load_profile(profile).libraries
    if libraries:  # a relative path is taken from the profile's folder, which is another now
        absolute = f"runtime_so: {json.dumps(libraries)}\n"
        copy.write_text(re.sub(r"(?m)^runtime_so:.*\n(?:(?:[ \t]+|- ).*\n)*", lambda _: absolute, copy.read_text()))
    recipe = folder / "CMakeLists.txt"  # its paths out of the project are relative to the project
    recipe.write_text(recipe.read_text().replace("${CMAKE_CURRENT_SOURCE_DIR}/..", f"{profile.parent}/.."))
    kernels = next(iter(sorted((folder / "src").glob("*_kernels.cpp"))))
    changed, ops = computed_on_the_host(kernels.read_text())
    kernels.write_text(changed)
    build_project(folder)
    return copy, ops
