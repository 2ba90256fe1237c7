"""What ``torchfl new-chip`` is asked, and what it answers."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from torchfl_sdk.match.model import Unbound

#: How many unbound functions the summary names; the README of the project has all.
SHOWN = 8

#: What to do with files that exist.
ON_CONFLICT = ("refuse", "merge", "overwrite")


@dataclass(frozen=True)
class NewChipRequest:
    """The command line of ``torchfl new-chip``, parsed. Paths are taken relative to the current directory.

    ``headers`` are the vendor's headers, at least one unless ``from_profile`` is given; ``lib`` is the vendor's
    shared library, ``more_libs`` are others beside it; ``out`` is the folder in which the project folder ``name`` is
    made.
    """

    name: str
    headers: tuple[Path, ...] = ()
    include_dirs: tuple[Path, ...] = ()
    defines: tuple[str, ...] = ()
    lib: Path | None = None
    vendor: str = ""
    family: str = "xpu"
    extends: Path | None = None
    from_profile: Path | None = None
    out: Path = Path()
    more_libs: tuple[Path, ...] = ()
    dry_run: bool = False
    diff: bool = False
    on_conflict: str = "refuse"
    check: bool = False  # compile what was written, without making anything

    @property
    def libs(self) -> tuple[Path, ...]:
        """All of the vendor's libraries, in the order in which functions are looked up in them."""
        return (*((self.lib,) if self.lib else ()), *self.more_libs)


@dataclass(frozen=True)
class BoundOp:
    """One profile entry that the project serves: catalogue op, kernel, vendor functions, provenance, evidence."""

    op: str
    impl: str
    functions: tuple[str, ...]
    provenance: str
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class Conflict:
    """A place where a person and the newer header changed the same lines; both versions stand there, marked."""

    path: str
    line: int
    what: str = ""  # profile: the key or entry

    def __str__(self) -> str:
        return f"{self.path}:{self.line}" + (f"  {self.what}" if self.what else "")


@dataclass(frozen=True)
class NewChipResult:
    """What was written, or would have been.

    ``action`` of each file: ``new`` | ``changed`` | ``unchanged``. ``written`` is False after --dry-run and --diff,
    and where there was nothing to do. ``drift`` says how the header differs from the one before, ``unsettled`` which
    entries the probe has to ask again, ``notes`` what was left as the person made it.
    """

    project: Path
    files: tuple[tuple[str, str], ...]
    bound: tuple[BoundOp, ...]
    unbound: tuple[Unbound, ...]
    questions: tuple[str, ...]
    next_commands: tuple[str, ...]
    written: bool
    diff: str = ""
    warnings: tuple[str, ...] = field(default=())
    skeletons: tuple[str, ...] = ()  # ops whose kernel could not be completed
    merged: bool = False
    nothing_to_do: bool = False  # a merge found every file as it would write it
    conflicts: tuple[Conflict, ...] = ()
    unfinished: tuple[str, ...] = ()  # functions whose op is known and that no kernel calls yet
    check: str = ""  # what the compiler said; "" if it was not asked
    check_errors: tuple[str, ...] = ()  # errors in the generated code
    drift: tuple[str, ...] = ()
    unsettled: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """1 where a merge left conflicts to a person, or the generated code does not compile; else 0."""
        return 1 if self.conflicts or self.check_errors else 0

    def to_text(self) -> str:
        """The summary for people: what is bound and why, what is not, the next commands."""
        if self.diff:
            return "\n".join([self.diff.rstrip("\n"), *self._merge_lines()])
        if self.nothing_to_do:
            return f"{self.project}: nothing to do, every file is as the header and your edits make it"
        lines = [f"{self.project}: {'written' if self.written else 'would be written'}, {len(self.files)} files"]
        lines += [f"  {action:9} {name}" for name, action in self.files if action != "unchanged" or not self.written]
        lines += self._merge_lines()
        lines.append(f"bound {len(self.bound)} ops:")
        wide = max((len(b.op) for b in self.bound), default=0)
        for b in self.bound:
            lines.append(f"  {b.op:{wide}}  by {', '.join(b.functions) or 'nothing yet'} ({b.provenance})")
        if self.unbound:
            names = [u.function for u in self.unbound]
            more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
            lines.append(f"not bound {len(names)} functions: {', '.join(names[:SHOWN])}{more}; README.md says why")
        if self.unfinished:
            lines.append(
                f"recognised {len(self.unfinished)} functions that no kernel calls yet; README.md says what they lack"
            )
        if self.skeletons:
            ops = ", ".join(op.removeprefix("aten::") for op in self.skeletons)
            lines.append(f"skeletons of {len(self.skeletons)} kernels, which fall back until they are written: {ops}")
        lines += [f"question: {q}" for q in self.questions]
        lines += [f"warning: {w}" for w in self.warnings]
        if self.check:
            lines.append(f"check: {self.check}")
        if self.conflicts and self.written:
            lines.append(f"next: resolve {len(self.conflicts)} conflicts, then")
        elif self.written and not self.bound:
            lines.append("no op runs on the chip yet: first write a kernel in src/ and its entry in the profile, then")
        elif self.written:
            lines.append("next:")
        lines += [f"  {c}" for c in self.next_commands if self.written]
        return "\n".join(lines)

    def _merge_lines(self) -> list[str]:
        """What a merge has to say."""
        if not self.merged:
            return []
        lines = [f"header: {len(self.drift)} changes"]
        lines += [f"  {d}" for d in self.drift]
        if self.unsettled:
            lines.append(f"to be probed again: {', '.join(self.unsettled)}")
        lines += [f"note: {n}" for n in self.notes]
        lines += [f"CONFLICT {c}" for c in self.conflicts]
        return lines

    def to_json(self) -> str:
        """The same as one JSON object with stable keys."""
        return json.dumps(
            {
                "project": str(self.project),
                "written": self.written,
                "files": [{"path": name, "action": action} for name, action in self.files],
                "bound": [
                    {
                        "op": b.op,
                        "impl": b.impl,
                        "functions": list(b.functions),
                        "provenance": b.provenance,
                        "evidence": list(b.evidence),
                    }
                    for b in self.bound
                ],
                "unbound": [
                    {"function": u.function, "reason": u.reason, "file": u.source.file, "line": u.source.line}
                    for u in self.unbound
                ],
                "questions": list(self.questions),
                "warnings": list(self.warnings),
                "next": list(self.next_commands),
                "diff": self.diff,
                "unfinished": list(self.unfinished),
                "skeletons": list(self.skeletons),
                "check": self.check,
                "check_errors": list(self.check_errors),
                "drift": list(self.drift),
                "unsettled": list(self.unsettled),
                "notes": list(self.notes),
                "conflicts": [{"path": c.path, "line": c.line, "what": c.what} for c in self.conflicts],
            },
            indent=2,
        )
