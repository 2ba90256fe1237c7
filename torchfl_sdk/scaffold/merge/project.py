"""Re-running new-chip on a project that exists: what a newer header means for it, without writing anything."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from torchfl.errors import Place, Problem, TorchflError, register
from torchfl.profile.load import load
from torchfl_sdk.header.model import HeaderModel
from torchfl_sdk.scaffold.merge.adopt import adopt
from torchfl_sdk.scaffold.merge.drift import Change, HeaderFacts, altered, compare
from torchfl_sdk.scaffold.merge.profile import merge_profile
from torchfl_sdk.scaffold.merge.text import marker_lines, merge_text
from torchfl_sdk.scaffold.plan import ChipPlan, relative
from torchfl_sdk.scaffold.request import Conflict, NewChipRequest

TFL0409 = register("TFL0409", "a project without the state that merging starts from")
TFL0410 = register("TFL0410", "a project whose files hold unresolved conflicts")
TFL0411 = register("TFL0411", "a file of the project cannot be merged")

_STATE = ".torchfl"


@dataclass(frozen=True)
class Deletions:
    """What a person took out of a project and is not brought back: files, profile entries, kernels (C++ names)."""

    files: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    kernels: tuple[str, ...] = ()

    def plain(self) -> dict[str, list[str]]:
        """As the manifest holds it."""
        return {"files": list(self.files), "entries": list(self.entries), "kernels": list(self.kernels)}


@dataclass(frozen=True)
class Project:
    """A project on the disk: its manifest, the header's facts, and the generated text that its files came from."""

    root: Path
    manifest: Mapping[str, Any]
    facts: HeaderFacts
    base: Mapping[str, str]

    @property
    def options(self) -> Mapping[str, Any]:
        """The options of the run that made it, paths relative to the project."""
        found = self.manifest.get("options", {})
        assert isinstance(found, dict)
        return found


@dataclass(frozen=True)
class Update:
    """The person's files after the merge, and what there is to say about it."""

    files: Mapping[str, str]
    conflicts: tuple[Conflict, ...] = ()
    drift: tuple[Change, ...] = ()
    unsettled: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())


def read_project(root: Path) -> Project:
    """Raises TorchflError TFL0409 for a folder that new-chip did not write, or whose ``.torchfl`` is damaged."""
    state = root / _STATE
    try:
        manifest = json.loads((state / "manifest.json").read_text(encoding="utf-8"))
        header = state / "header.json"
        facts = json.loads(header.read_text(encoding="utf-8")) if header.is_file() else {}
        base = {
            path: (state / "base" / path).read_text(encoding="utf-8")
            for path, entry in manifest["files"].items()
            if entry["owner"] == "you"
        }
        return Project(root, manifest, HeaderFacts.of_plain(facts), base)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as e:
        fix = "look at --diff, then --on-conflict overwrite; keep .torchfl in version control from then on"
        what = e.strerror if isinstance(e, OSError) and e.strerror else f"damaged: {e}"
        raise TorchflError(Problem(TFL0409, f"merging needs it: {what}", fix, Place(str(state)))) from None


def inherit(request: NewChipRequest, project: Project) -> NewChipRequest:
    """The request with what the project's own run was told and this one was not."""
    options = project.options

    def path(text: str) -> Path:
        return Path(text) if os.path.isabs(text) else Path(os.path.relpath(project.root / text))

    headers = request.headers
    same = not headers
    if not headers and request.from_profile is None:
        headers = tuple(path(h) for h in options.get("headers", ()))
    given = {
        "headers": headers,
        "include_dirs": request.include_dirs or (tuple(map(path, options.get("include_dirs", ()))) if same else ()),
        "defines": request.defines or tuple(options.get("defines", ())),
        "vendor": request.vendor or options.get("vendor", ""),
        "family": request.family if request.family != "xpu" else options.get("family", "xpu"),
    }
    if request.from_profile is None and headers:
        for name in ("lib", "extends"):
            if getattr(request, name) is None and options.get(name):
                given[name] = path(options[name])
        if request.lib is None:
            given["more_libs"] = tuple(map(path, options.get("more_libs", ())))
    return replace(request, **given)  # type: ignore[arg-type]


def options_of(request: NewChipRequest, plan: ChipPlan) -> dict[str, Any]:
    """What the manifest keeps of a request; paths relative to the project, as its files write them."""
    root = request.out / request.name
    return {
        "headers": [relative(h, root) for h in request.headers],
        "include_dirs": [relative(d, root) for d in request.include_dirs],
        "defines": list(request.defines),
        "lib": relative(request.lib, root) if request.lib else "",
        **({"more_libs": [relative(lib, root) for lib in request.more_libs]} if request.more_libs else {}),
        "vendor": request.vendor,
        "family": plan.family,
        "extends": relative(request.extends, root) if request.extends else "",
        "from_profile": request.from_profile is not None,
        "runtime_so": plan.runtime_so[0] if len(plan.runtime_so) == 1 else list(plan.runtime_so),
    }


def settle(plan: ChipPlan, request: NewChipRequest, project: Project) -> ChipPlan:
    """The plan without what does not depend on the header: the command and the library as the project has them."""
    now, then = options_of(request, plan), project.options
    if all(now.get(key) == then.get(key) for key in ("lib", "more_libs", "from_profile")):
        now["runtime_so"] = then.get("runtime_so", now["runtime_so"])
        known = now["runtime_so"]
        plan = replace(plan, runtime_so=(known,) if isinstance(known, str) else tuple(known))
    if now == then:
        plan = replace(plan, command=project.manifest["command"])
    return plan


def deletions(plan: ChipPlan, project: Project) -> Deletions:
    """What the person took out: recorded earlier, or in the merge base and no longer in the files.

    An entry or kernel that is there again (a person may put it back) is no longer deleted.
    """
    recorded = project.manifest.get("deleted", {})
    profile, kernels = f"{plan.name}_device.yaml", f"src/{plan.name}_kernels.cpp"
    files = tuple(sorted(p for p in project.base if not os.path.lexists(project.root / p)))
    entries = _gone(project, profile, set(recorded.get("entries", ())), _entry_names)
    functions = _gone(project, kernels, set(recorded.get("kernels", ())), _kernel_names)
    return Deletions(files, entries, functions)


def _gone(project: Project, path: str, recorded: set[str], names: Callable[[str], set[str]]) -> tuple[str, ...]:
    if path not in project.base:
        return tuple(sorted(recorded))
    if not os.path.lexists(project.root / path):
        return tuple(sorted(recorded))  # the whole file is gone, which is no word about its parts
    mine = names(read_mine(project.root, path))
    return tuple(sorted((recorded | names(project.base[path])) - mine))


def _entry_names(text: str) -> set[str]:
    from torchfl.profile.tree import parse_tree

    found = parse_tree(text, "").plain().get("supported_ops") or []
    return {str(op.get("name")) for op in found if isinstance(op, dict)}


def _kernel_names(text: str) -> set[str]:
    return set(re.findall(r"^tfl_status (\w+)\(const tfl_call\* call\)", text, re.MULTILINE))


def prune(plan: ChipPlan, deleted: Deletions) -> ChipPlan:
    """The plan without what the person took out. An entry whose kernel went goes too: nothing could serve it."""
    kernels = tuple(k for k in plan.kernels if k.function not in deleted.kernels)
    have = {k.impl for k in kernels}
    entries = tuple(e for e in plan.entries if e.impl in have and e.name not in deleted.entries)
    symbols = {s for k in kernels for s in (*k.symbols, *k.support)} | set(plan.device.symbols)
    symbols |= {s.name for s in plan.symbols if any(f"vendor::{s.name}" in text for text in plan.definitions)}
    return replace(
        plan,
        kernels=kernels,
        entries=entries,
        products=tuple(p for p in plan.products if any(k.product == p.name for k in kernels)),
        symbols=tuple(s for s in plan.symbols if s.name in symbols),
        left_out=tuple(dict.fromkeys([*deleted.kernels, *deleted.entries])),
    )


def adopted(plan: ChipPlan, model: HeaderModel, project: Project) -> ChipPlan:
    """The plan with what the person's kernels call, see :mod:`torchfl_sdk.scaffold.merge.adopt`."""
    kernels, profile = f"src/{plan.name}_kernels.cpp", f"{plan.name}_device.yaml"
    if any(path not in project.base or not os.path.lexists(project.root / path) for path in (kernels, profile)):
        return plan
    mine = read_mine(project.root, kernels)
    return adopt(plan, model, project.base[kernels], mine, read_mine(project.root, profile))


def update(plan: ChipPlan, project: Project, files: Mapping[str, str], deleted: Deletions) -> Update:
    """Merge the person's files. ``files`` are the newly generated ones; nothing is written."""
    drift = compare(project.facts, plan.facts) if project.facts.functions or plan.facts.functions else ()
    merged: dict[str, str] = {}
    conflicts: list[Conflict] = []
    unsettled: list[str] = []
    notes: list[str] = []
    for path, base in project.base.items():
        if path in deleted.files or path not in files:
            continue
        mine = read_mine(project.root, path)
        if path == f"{plan.name}_device.yaml":
            if project.options.get("from_profile"):
                base = mine if plan.profile_text else ""  # a person wrote it from nothing
            result = merge_profile(base, mine, files[path], _altered_ops(plan, project), str(project.root / path))
            merged[path] = result.text
            if not result.conflicts:
                load(project.root / path, result.text)  # raises for what the person's own edits made of it
            unsettled += result.unsettled
            notes += result.notes
            if result.conflicts:
                lines = marker_lines(result.text)
                conflicts += [Conflict(path, line, what) for line, what in zip(lines, result.conflicts, strict=False)]
        else:
            text = merge_text(base, mine, files[path])
            merged[path] = text.text
            conflicts += [Conflict(path, line) for line in text.conflicts]
    notes += [f"{name}: left out, as you took it out" for name in plan.left_out]
    notes += [f"{path}: not written, as you took it out" for path in deleted.files]
    return Update(merged, tuple(conflicts), drift, tuple(unsettled), tuple(notes))


def _altered_ops(plan: ChipPlan, project: Project) -> frozenset[str]:
    """Ops that other functions serve than before, or functions that changed."""
    before = project.manifest.get("ops", {})
    return frozenset(
        op
        for op, functions in ops_of(plan).items()
        if op in before and (before[op] != functions or any(altered(project.facts, plan.facts, f) for f in functions))
    )


def ops_of(plan: ChipPlan) -> dict[str, list[str]]:
    """Profile entry -> the vendor functions that serve it, for the manifest."""
    return {b.op: list(b.functions) for b in plan.bound}


def read_mine(root: Path, path: str) -> str:
    """A person's file, with plain line ends. Raises TorchflError for conflict markers and for what is no text."""
    place = Place(str(root / path))
    try:
        text = (root / path).read_bytes().decode("utf-8").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError) as e:
        cause = e.strerror if isinstance(e, OSError) and e.strerror else "not UTF-8 text"
        raise TorchflError(Problem(TFL0411, cause, "a plain text file, or take it out", place)) from None
    lines = marker_lines(text)
    if lines:
        raise TorchflError(
            [
                Problem(TFL0410, "an earlier conflict is open here", "choose one side, take the markers out", at)
                for at in (Place(str(root / path), line) for line in lines)
            ]
        )
    return text


def with_line_ends(root: Path, path: str, text: str) -> str:
    """Text with the line ends that the file on the disk has."""
    target = root / path
    if target.is_file() and b"\r\n" in target.read_bytes():
        return text.replace("\n", "\r\n")
    return text
