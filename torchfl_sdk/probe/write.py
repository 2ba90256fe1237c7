"""Turns findings into edits of the profile's own file, and writes it so that no state in between can be seen."""

from __future__ import annotations

import difflib
import hashlib
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torchfl.errors import Place, Problem, TorchflError, register
from torchfl.profile import Profile
from torchfl_sdk.probe.finding import ChipFacts, EntryFinding
from torchfl_sdk.probe.splice import Splice

CHANGED = register("TFL0802", "a profile changed while its chip was probed")
NOT_WRITABLE = register("TFL0803", "a profile cannot be written")

#: Evidence that the probe adds begins so; a later probe replaces it.
MARK = "probe: "

#: Variables that ``pad: true`` rounds up.
PADDED = frozenset(("M", "N", "K", "batch", "in_channels", "out_channels", "numel"))


@dataclass(frozen=True)
class Snapshot:
    """A file's bytes at one time."""

    path: Path
    raw: bytes

    @property
    def text(self) -> str:
        """As text, with its line ends and without a byte order mark."""
        return self.raw.decode("utf-8-sig")

    @property
    def digest(self) -> str:
        """sha256 of the bytes."""
        return hashlib.sha256(self.raw).hexdigest()


def snapshot(path: Path) -> Snapshot:
    """Read a profile's bytes. Raises TorchflError (TFL0803)."""
    try:
        return Snapshot(path, path.read_bytes())
    except OSError as error:
        raise TorchflError(Problem(NOT_WRITABLE, error.strerror or str(error), "", Place(str(path)))) from None


def edited(
    before: Snapshot, profile: Profile, findings: Sequence[EntryFinding], facts: ChipFacts, int8_store: str
) -> str:
    """The file's text with what was found. Entries that the file does not have itself, because it inherits them, are
    added to it; facts are only filled in where nobody has stated them."""
    splice = Splice(before.text, before.path.name)
    own = [op.get("name") for op in splice.plain().get("supported_ops") or []]
    changes = {finding.name: _changes(profile, finding, int8_store) for finding in findings}
    splice.set_items(("supported_ops",), {i: changes[name] for i, name in enumerate(own) if name in changes})
    for finding in findings:
        if finding.name not in own and finding.settled:
            _add_entry(splice, profile, finding, changes[finding.name])
    if int8_store and "numerics.int8_store" not in profile.origins:
        _fill(splice, ("numerics", "int8_store"), int8_store)
    if facts.total_bytes and profile.capabilities.total_gb is None:
        _fill(splice, ("capabilities", "memory", "total_gb"), round(facts.total_bytes / 1e9, 3))
    return splice.text


def _changes(profile: Profile, finding: EntryFinding, int8_store: str) -> dict[str, Any]:
    """The keys of an entry that the finding settles, with their new values."""
    entry = profile.op(finding.name)
    assert entry is not None
    changes: dict[str, Any] = {}
    if finding.settled:
        changes["dtype_support"] = list(finding.dtypes)
        if finding.constraints != _plain_constraints(profile, finding.name):
            changes["constraints"] = finding.constraints
        if finding.layout != entry.layout:
            changes["layout"] = finding.layout
        if finding.alignment > 1 and finding.alignment != entry.alignment:
            changes["alignment"] = finding.alignment
        if not entry.pad and "pad" not in profile.data and _in_multiples(finding):
            changes["pad"] = True  # what was asked inside the limits is what the kernel is given, rounded up
        if finding.inplace != entry.inplace:
            changes["inplace"] = finding.inplace
        if finding.checks_index != entry.checks_index:
            changes["checks_index"] = finding.checks_index
        stated = entry.int8_store or int8_store or profile.numerics.int8_store
        if finding.int8_store and finding.int8_store != stated:
            changes["int8_store"] = finding.int8_store
        changes["provenance"] = "probed"
    elif entry.routes:
        changes["provenance"] = "unverified"
    kept = [text for text in entry.evidence if not text.startswith(MARK)]
    changes["evidence"] = [*kept, MARK + _because(finding)]
    return changes


def _in_multiples(finding: EntryFinding) -> bool:
    """Whether sizes that the router can round up were found to come in multiples."""
    return any(v in PADDED and isinstance(x, dict) and "multiple_of" in x for v, x in finding.constraints.items())


def _add_entry(splice: Splice, profile: Profile, finding: EntryFinding, changes: dict[str, Any]) -> None:
    """An entry of its own for what the file inherits."""
    if "constraints" in changes:  # a null takes away what would be inherited beside these
        inherited = _plain_constraints(profile, finding.name)
        changes = {**changes, "constraints": {**dict.fromkeys(inherited), **finding.constraints}}
    added = {"name": finding.name, **changes}
    if splice.plain().get("supported_ops"):
        splice.append(("supported_ops",), added)
    else:
        splice.set(("supported_ops",), [added])


def _plain_constraints(profile: Profile, name: str) -> dict[str, Any]:
    found = profile.data["supported_ops"][name].get("constraints", {})
    return dict(found)


def _because(finding: EntryFinding) -> str:
    if not finding.settled:
        return finding.reason
    wrong = f", {len(finding.alarms)} went wrong" if finding.alarms else ""
    return f"{finding.questions} questions, {len(finding.refusals)} refused{wrong}"


def _fill(splice: Splice, path: tuple[str, ...], value: Any) -> None:
    """Set a key, with the maps above it where they are missing."""
    root = splice.plain()
    for depth in range(len(path)):
        root = root.get(path[depth]) if isinstance(root, dict) else None
        if not isinstance(root, dict) or depth == len(path) - 1:
            rest: Any = value
            for key in reversed(path[depth + 1 :]):
                rest = {key: rest}
            splice.set(path[: depth + 1], rest)
            return


def diff(before: Snapshot, after: str) -> str:
    """A unified diff of the change, "" where there is none."""
    name = str(before.path)
    lines = difflib.unified_diff(
        before.text.splitlines(keepends=True), after.splitlines(keepends=True), name, f"{name} (probed)"
    )
    return "".join(line if line.endswith("\n") else line + "\n" for line in lines)


def replace_file(before: Snapshot, after: str) -> None:
    """Replace the file atomically, keeping its permissions.

    Raises TorchflError: TFL0802 where the file is not what it was at the snapshot, TFL0803 where it cannot be written.
    """
    path = before.path.resolve()
    raw = after.encode("utf-8")
    if before.raw.startswith(b"\xef\xbb\xbf"):
        raw = b"\xef\xbb\xbf" + raw
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(raw)
                stream.flush()
                os.fsync(stream.fileno())
            os.chmod(name, path.stat().st_mode & 0o7777)
            if path.read_bytes() != before.raw:
                raise TorchflError(
                    Problem(
                        CHANGED, "the file was edited while the chip was asked", "probe again", Place(str(before.path))
                    )
                )
            os.replace(name, path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        cause = error.strerror or str(error)
        raise TorchflError(Problem(NOT_WRITABLE, cause, "probe without --write", Place(str(before.path)))) from None
