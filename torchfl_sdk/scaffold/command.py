"""``torchfl new-chip``: header -> matcher -> plan -> files."""

from __future__ import annotations

import os
from pathlib import Path

from torchfl import catalogue
from torchfl.errors import Place, Problem, TorchflError, did_you_mean, register
from torchfl_sdk.header.model import HeaderModel
from torchfl_sdk.scaffold import write
from torchfl_sdk.scaffold.check import Check, check_project
from torchfl_sdk.scaffold.merge.project import (
    Deletions,
    Update,
    adopted,
    deletions,
    inherit,
    ops_of,
    options_of,
    prune,
    read_project,
    settle,
    update,
    with_line_ends,
)
from torchfl_sdk.scaffold.names import check_family, check_name
from torchfl_sdk.scaffold.plan import ChipPlan, plan_chip
from torchfl_sdk.scaffold.render import render, yaml_string
from torchfl_sdk.scaffold.request import ON_CONFLICT, NewChipRequest, NewChipResult

TFL0405 = register("TFL0405", "new-chip was not told what to read")
TFL0406 = register("TFL0406", "a path given to new-chip cannot be used")
TFL0407 = register("TFL0407", "options of new-chip that do not go together")


def new_chip(request: NewChipRequest) -> NewChipResult:
    """Make a chip project from a vendor's header.

    Raises TorchflError (TFL03xx for headers, TFL04xx here) before anything is written; on any failure the disk is
    as it was. With ``dry_run`` or ``diff`` nothing is written at all.
    """
    root = request.out / request.name
    merging = request.on_conflict == "merge" and os.path.lexists(root)
    project = read_project(root) if merging else None
    if project is not None:
        request = inherit(request, project)
    _check(request)
    plan, model = _plan(request)
    deleted = Deletions()
    if project is not None:
        plan = settle(plan, request, project)
        deleted = deletions(plan, project)
        plan = prune(plan, deleted)
        if model is not None:
            plan = adopted(plan, model, project)
    remembered = {"options": options_of(request, plan), "ops": ops_of(plan), "deleted": deleted.plain()}
    files = write.with_state(render(plan), plan, remembered)
    _check_profile(request, plan, files)
    if project is None:
        if request.on_conflict == "refuse" and not request.diff:
            write.refuse_conflicts(root, files)
        found = Update({})
    else:
        found = update(plan, project, files, deleted)
        files = {p: t for p, t in files.items() if p not in deleted.files}
        files |= {p: with_line_ends(root, p, t) for p, t in found.files.items()}
    rows = write.compare(root, files)
    difference = write.diff(root, files) if request.diff else ""
    changed = {p: files[p] for p, action in rows if action != "unchanged"} if merging else files
    writes = bool(changed) and not (request.dry_run or request.diff)
    if writes:
        write.write_project(root, changed)
    checked = check_project(root, plan) if writes and request.check and not found.conflicts else Check()
    return NewChipResult(
        project=root,
        files=tuple(r for r in rows if not r[0].startswith((write.STATE + "/base/", write.STATE + "/header"))),
        bound=plan.bound,
        unbound=plan.unbound,
        questions=plan.match.questions,
        next_commands=_next(request, plan),
        written=writes,
        diff=difference,
        warnings=plan.warnings,
        merged=merging,
        nothing_to_do=merging and not changed,
        conflicts=found.conflicts,
        drift=tuple(map(str, found.drift)),
        unsettled=found.unsettled,
        notes=found.notes,
        unfinished=tuple(dict.fromkeys(m.function for m in plan.unfinished)),
        skeletons=tuple(k.op for k in plan.kernels if k.template == "skeleton" and k.op not in plan.completed),
        check=checked.verdict,
        check_errors=checked.errors,
    )


def _plan(request: NewChipRequest) -> tuple[ChipPlan, HeaderModel | None]:
    """The plan, and the header that it was made from."""
    if request.from_profile is not None:
        from torchfl_sdk.scaffold.from_profile import plan_from_profile

        return plan_from_profile(request, request.from_profile), None
    # libclang is loaded only once the request is known to be sound.
    from torchfl_sdk.header import read_headers
    from torchfl_sdk.header.concrete import concrete
    from torchfl_sdk.match import match
    from torchfl_sdk.match.packed import unpacked

    model = unpacked(concrete(read_headers(request.headers, request.include_dirs, request.defines)))
    return plan_chip(request, model, match(model, catalogue.OPS)), model


def _check(request: NewChipRequest) -> None:
    check_name(request.name)
    check_family(request.family)
    problems = []
    if request.on_conflict not in ON_CONFLICT:
        fix = did_you_mean(request.on_conflict, ON_CONFLICT) or ", ".join(ON_CONFLICT)
        problems.append(Problem(TFL0406, f"unknown value {request.on_conflict!r}", fix, where="--on-conflict"))
    if request.from_profile is None and not request.headers:
        problems.append(Problem(TFL0405, "no header given", "--header path/to/vendor.h", where="--header"))
    if request.from_profile is not None:
        fix = "a profile written by hand goes into the profile that --header makes, or is its --extends"
        for option, given in (("--header", request.headers), ("--extends", request.extends), ("--lib", request.libs)):
            if given:
                problems.append(Problem(TFL0407, f"{option} and --from-profile together", fix, where=option))
    for option, path in (
        *(("--lib", p) for p in request.libs),
        *(("--extends", p) for p in (request.extends,) if p),
        *(("--from-profile", p) for p in (request.from_profile,) if p),
    ):
        if not path.is_file():
            problems.append(Problem(TFL0406, "no such file", place=Place(str(path)), where=option))
    for path in request.headers:
        problems += _unwritable("--header", path)
    for path in (*request.include_dirs, *request.libs, request.out):
        problems += _unwritable("paths", path)
    if request.out.exists() and not request.out.is_dir():
        problems.append(Problem(TFL0406, "is no folder", place=Place(str(request.out)), where="--out"))
    if problems:
        raise TorchflError(problems)


def _unwritable(option: str, path: Path) -> list[Problem]:
    """Characters that generated files cannot carry: control characters, and ``"`` in a name that is #included."""
    text = str(path)
    bad = sorted({c for c in text if ord(c) < 32 or 0xD800 <= ord(c) <= 0xDFFF} | ({'"'} & set(path.name)))
    if not bad:
        return []
    return [Problem(TFL0406, f"{text!r} holds the character {bad[0]!r}", "a plain file name", where=option)]


def _check_profile(request: NewChipRequest, plan: ChipPlan, files: dict[str, str]) -> None:
    """The profile that is about to be written must load; anything else is a fault of the generator, found here."""
    if plan.profile_text:
        return  # loaded already, from where it was
    import tempfile

    from torchfl.profile import load_profile

    name = f"{plan.name}_device.yaml"
    with tempfile.TemporaryDirectory(prefix="torchfl-") as folder:
        path = Path(folder) / name
        text = files[name]
        if request.extends is not None:
            # Written relative to the project's place, which may not exist yet.
            base = yaml_string(str(request.extends.resolve()))
            text = text.replace(f"extends: {yaml_string(plan.extends)}\n", f"extends: {base}\n", 1)
        path.write_text(text, encoding="utf-8")
        load_profile(path)


def _next(request: NewChipRequest, plan: ChipPlan) -> tuple[str, ...]:
    import shlex

    selector = f"{plan.family}:{plan.name}"
    where = "" if request.out == Path() else f" --chip-dir {shlex.quote(str(request.out / request.name))}"
    return (
        f"torchfl-build {shlex.quote(str(request.out / request.name))}",
        f"torchfl probe --device {selector}{where} --write",
        f"torchfl conformance --device {selector}{where}",
    )
