"""Puts a rendered project on the disk: all of it or nothing, and never over a file unasked.

The project is written into a temporary folder beside its place. A new project is renamed into place; into an existing
folder the files move one by one, and the old ones step aside and come back if anything fails.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from torchfl.errors import Place, Problem, TorchflError, register
from torchfl_sdk.scaffold.plan import ChipPlan

TFL0403 = register("TFL0403", "new-chip would overwrite files that exist")
TFL0404 = register("TFL0404", "new-chip cannot write its project there")

STATE = ".torchfl"


def with_state(files: dict[str, str], plan: ChipPlan, remembered: Mapping[str, object]) -> dict[str, str]:
    """The project's files and those under ``.torchfl``: the manifest with hashes, the header's facts, the merge base.

    ``remembered`` are further keys of the manifest, for the next run.
    """
    manifest = {
        **remembered,
        "torchfl": plan.torchfl_version,
        "command": plan.command,
        "header_sha256": plan.header_hash,
        "files": {
            path: {"sha256": hashlib.sha256(text.encode()).hexdigest(), "owner": owner(path)}
            for path, text in sorted(files.items())
        },
    }
    state = {f"{STATE}/manifest.json": json.dumps(manifest, indent=2, sort_keys=True, ensure_ascii=False) + "\n"}
    state[f"{STATE}/header.json"] = json.dumps(plan.facts.plain(), indent=1, ensure_ascii=False) + "\n"
    state |= {f"{STATE}/base/{path}": text for path, text in files.items() if owner(path) == "you"}
    return {**files, **state}


def owner(path: str) -> str:
    """``torchfl`` for files that every run rewrites, ``you`` for those that are written once."""
    return "torchfl" if ".gen." in path else "you"


def compare(project: Path, files: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """(path, ``new`` | ``changed`` | ``unchanged``) of every file against the disk, in the plan's order."""
    rows = []
    for path, text in files.items():
        target = project / path
        if not os.path.lexists(target):
            rows.append((path, "new"))
        else:
            same = target.is_file() and target.read_bytes() == text.encode()
            rows.append((path, "unchanged" if same else "changed"))
    return tuple(rows)


def diff(project: Path, files: dict[str, str]) -> str:
    """A unified diff of what writing would change, without the ``.torchfl`` folder; "" if nothing."""
    parts: list[str] = []
    for path, text in files.items():
        if path.startswith(STATE + "/"):
            continue
        target = project / path
        old = target.read_text(encoding="utf-8", errors="replace") if target.is_file() else ""
        parts += difflib.unified_diff(
            old.splitlines(keepends=True),
            text.splitlines(keepends=True),
            f"a/{path}" if old else "/dev/null",
            f"b/{path}",
        )
    return "".join(parts)


def refuse_conflicts(project: Path, files: dict[str, str]) -> None:
    """Raise TorchflError TFL0403, one problem per file that exists, unless the project's place is free."""
    if project.is_dir() and not project.is_symlink():
        found = [path for path in files if os.path.lexists(project / path) and not path.startswith(STATE + "/")]
    else:
        found = [""] if os.path.lexists(project) else []
    if found:
        raise TorchflError(
            [
                Problem(
                    TFL0403,
                    "exists already",
                    "--on-conflict merge keeps your edits, overwrite does not; --diff shows the changes",
                    Place(str(project / path) if path else str(project)),
                )
                for path in found
            ]
        )


def write_project(project: Path, files: dict[str, str]) -> None:
    """Write all files of a project; existing files of the same names are replaced, others stay.

    Raises TorchflError TFL0404 when the place cannot be written; the disk is then as it was.
    """
    made: list[Path] = []
    temporary: Path | None = None
    try:
        _make_parents(project.parent, made)
        temporary = Path(tempfile.mkdtemp(prefix=f".{project.name}.", suffix=".tmp", dir=project.parent))
        new, old = temporary / "new", temporary / "old"
        for path, text in files.items():
            staged = new / path
            staged.parent.mkdir(parents=True, exist_ok=True)
            staged.write_bytes(text.encode())
        if os.path.lexists(project):
            _replace(new, old, project, files)
        else:
            new.rename(project)
    except BaseException as e:
        if temporary is not None:
            shutil.rmtree(temporary, ignore_errors=True)
        for folder in reversed(made):
            folder.rmdir()
        if isinstance(e, OSError):
            place = Place(str(e.filename or project))
            fix = "a folder that can be written, with --out"
            raise TorchflError(Problem(TFL0404, e.strerror or str(e), fix, place)) from e
        raise
    shutil.rmtree(temporary, ignore_errors=True)


def _replace(new: Path, old: Path, project: Path, files: dict[str, str]) -> None:
    """Move files from ``new`` into the project, what they replace to ``old``; undo all of it on any failure."""
    undo: list[tuple[Path, Path | None]] = []  # target, where its old content is
    folders: list[Path] = []
    try:
        for path in files:
            target = project / path
            if target.is_dir():
                raise FileExistsError(21, "is a folder", str(target))
            _make_parents(target.parent, folders)
            aside: Path | None = None
            if os.path.lexists(target):
                aside = old / path
                aside.parent.mkdir(parents=True, exist_ok=True)
                target.rename(aside)
            undo.append((target, aside))
            (new / path).rename(target)
    except BaseException:
        for target, aside in reversed(undo):
            target.unlink(missing_ok=True)
            if aside is not None:
                aside.rename(target)
        for folder in reversed(folders):
            folder.rmdir()
        raise


def _make_parents(folder: Path, made: list[Path]) -> None:
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for path in reversed(missing):
        path.mkdir()
        made.append(path)
