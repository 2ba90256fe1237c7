"""Scores the matcher on headers that say the same in many conventions: benchmarks/restyle writes them from a seed.

    python benchmarks/restyle_headers.py [--seeds 200] [--from 0] [--details] [--by prefix,case,...] [--keep DIR]
        [--odd]

Each seed draws one vendor's conventions (prefix, case, element types in names, order and names of arguments, carriers
of tensors, status...) and writes a header with ops, functions that only look like ops, and a runtime. Printed are
recall and precision of ops, the runtime roles and the argument roles, overall and for each choice of a convention.
The last line is ``ops R/P, roles R, args A``.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from torchfl import catalogue
from torchfl_sdk.header import read_headers
from torchfl_sdk.match import match
from torchfl_sdk.match.model import MatchResult, OpMatch

sys.path.insert(0, str(Path(__file__).parent))
from counts import Counts
from labels import canonical
from restyle.conventions import NAMES, Style
from restyle.writer import Written, write

CHOICES = (
    "prefix",
    "case",
    "dtype",
    "verb",
    "carrier",
    "names",
    "count",
    "order",
    "const",
    "status",
    "handle",
    "stream",
)


@dataclass
class Tally(Counts):
    """Counts over one header, or over those of one choice."""

    details: list[str] = field(default_factory=list)


def read(text: str, folder: Path) -> MatchResult:
    """Matches a header's text."""
    path = folder / "vendor.h"
    path.write_text(text, encoding="utf-8")
    return match(read_headers([path], [folder], []), catalogue.OPS)


def tally(written: Written, result: MatchResult) -> Tally:
    """Compares what was matched with what was written."""
    made = Tally()
    found: dict[str, list[OpMatch]] = defaultdict(list)
    for entry in result.matches:
        found[entry.function].append(entry)
    why = {u.function: u.reason for u in result.unbound}
    for function, (concept, arguments) in written.functions.items():
        matches = found.get(function, [])
        if not concept.accepted:
            made.wrong += bool(matches)
            made.details += [f"no op: {function} -> {matches[0].aten}"] if matches else []
            continue
        made.ops += 1
        accepted = {f"aten::{name}" for name in concept.accepted}
        right = [m for m in matches if {m.aten, *m.alternatives, *(a.replace("_.", ".") for a in (m.aten,))} & accepted]
        made.found += bool(right)
        if not right:
            made.wrong += bool(matches)
            given = matches[0].aten if matches else why.get(function, "not matched")
            made.details.append(f"missed: {function}({', '.join(arguments)}) = {concept.accepted[0]}: {given}")
        roles = dict(right[0].arguments) if right else {}
        for name, role in arguments.items():
            made.args += 1
            given = canonical(roles.get(name, ""))
            made.args_right += given == canonical(role)
            if right and given != canonical(role):
                made.details.append(
                    f"argument: {function}({', '.join(arguments)}): {name} is {role}, taken as {given or '?'}"
                )
    for function in sorted(set(found) - set(written.functions)):
        made.wrong += 1
        made.details.append(f"not written as an op: {function} -> {found[function][0].aten}")
    claimed = {r.role: r.function for r in reversed(result.roles)}
    for role, function in written.runtime.items():
        made.roles += 1
        made.roles_right += claimed.get(role) == function
        if claimed.get(role) != function:
            made.details.append(f"role {role}: {function}, taken as {claimed.get(role, 'none')}")
    return made


def choice(style: Style, name: str) -> str:
    """What a style chose, as text."""
    value = getattr(style, name)
    return f"{NAMES[value]['input']},{NAMES[value]['output']}" if name == "names" else str(value)


def main(arguments: Iterable[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--from", type=int, default=0, dest="first")
    parser.add_argument("--details", action="store_true", help="print every miss")
    parser.add_argument("--by", default=",".join(CHOICES), help="conventions to break the figures down by")
    parser.add_argument("--keep", type=Path, help="write the headers to this folder")
    parser.add_argument("--odd", action="store_true", help="tensors in carriers of which no name or field tells")
    given = parser.parse_args(list(arguments) if arguments is not None else None)
    total, by = Tally(), defaultdict(Tally)
    kinds: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(given.first, given.first + given.seeds):
            style, written = write(seed, odd=given.odd)
            made = tally(written, read(written.text, Path(folder)))
            total.add(made)
            for name in given.by.split(",") if given.by else ():
                by[f"{name}={choice(style, name)}"].add(made)
            for detail in made.details if given.details else ():
                print(f"{seed}: {detail}")
            kinds.update(d.partition(":")[0] for d in made.details)
            if given.keep:
                given.keep.mkdir(parents=True, exist_ok=True)
                (given.keep / f"{seed}.h").write_text(written.text, encoding="utf-8")
    for name, made in sorted(by.items()):
        print(f"{name:28} {made.line()}")
    print(", ".join(f"{kind} {count}" for kind, count in kinds.most_common()))
    print(total.line())
    return 0


if __name__ == "__main__":
    sys.exit(main())
