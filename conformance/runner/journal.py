"""results.jsonl: the journal of a run and its result at once.

Events: ``run`` (what was tested; always first), ``begin`` and ``end`` of a case (written by the worker), ``verdict``
(written by the parent). Every line is one append, so that a line is either there or not.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from torchfl.errors import Place, Problem, TorchflError, register

NOT_RESUMABLE = register("TFL0904", "a journal belongs to another run and cannot be resumed")


class Journal:
    """Appends events to a file; several processes may hold it open."""

    def __init__(self, path: str | Path) -> None:
        self._fd = os.open(path, os.O_CREAT | os.O_RDWR | os.O_APPEND | os.O_CLOEXEC, 0o644)

    def end_torn_line(self) -> None:
        """Before a run goes on: what a killed one left of its last line must not swallow the next."""
        size = os.fstat(self._fd).st_size
        if size and os.pread(self._fd, 1, size - 1) != b"\n":
            os.write(self._fd, b"\n")

    def write(self, event: dict[str, Any]) -> None:
        """One line, in one write."""
        os.write(self._fd, (json.dumps(event, ensure_ascii=False) + "\n").encode())

    def close(self) -> None:
        """Close the file; events written before are on disk as far as the system's cache goes."""
        os.close(self._fd)


def read_events(path: Path) -> list[dict[str, Any]]:
    """All whole events of a journal; a torn last line (a killed run) is dropped."""
    events = []
    for line in path.read_bytes().split(b"\n"):
        try:
            event = json.loads(line) if line.strip() else None
        except ValueError:
            continue
        if isinstance(event, dict):
            events.append(event)
    return events


def verdicts_to_keep(path: Path, identity: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Verdict events by case id, of a journal whose run event matches ``identity``; empty without a journal.

    Raises TorchflError (TFL0904) if the journal is of another chip build, profile, level, seed or selection.
    """
    if not path.is_file():
        return {}
    events = read_events(path)
    run = next((e for e in events if e.get("event") == "run"), None)
    if run is None:
        return {}
    other = [key for key, value in identity.items() if run.get("identity", {}).get(key) != value]
    if other:
        raise TorchflError(
            Problem(
                NOT_RESUMABLE,
                f"the run recorded here differs in: {', '.join(sorted(other))}",
                "run without --resume, or give another --out",
                Place(str(path)),
            )
        )
    return {e["case"]: e for e in events if e.get("event") == "verdict"}
