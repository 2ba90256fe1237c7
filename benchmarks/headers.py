"""Scores header reader and op matcher against labelled headers of real SDKs.

    python benchmarks/fetch_headers.py            # once: the headers, by package name
    python benchmarks/headers.py [--headers DIR] [--labels DIR] [--compile] [--details] [--json FILE] [NAME ...]
    python benchmarks/headers.py --labels benchmarks/unseen    # headers labelled before any rule saw them

Per header and overall: recall and precision of ops, accuracy of runtime roles and of argument roles, and how many
matched functions are called by complete kernels. With --compile everything that new-chip generates is compiled against
the header, and a header whose code does not compile fails the run. The last line but one says of how many headers whose
labels name an allocator and copies the device functions are made (reserve, give back, copy there and back); the last
line is ``ops R/P, roles R, args A, complete C``.

An op label counts as found when the function is matched to its aten op or to one of the label's other right answers;
a match's own alternatives (overloads that the same call serves) count as proposed. False positives are matches of
functions that the labels call no op, of functions without a label in a file that labels every op, wrong answers, and
every match in a header in which no eager op can be served. Arguments are counted over every labelled op, so those of
an op that was not found count as wrong. A runtime role that the labels say the header lacks counts as right if none
is claimed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from torchfl import catalogue
from torchfl.errors import TorchflError
from torchfl_sdk.header import HeaderModel, read_headers
from torchfl_sdk.header.concrete import concrete
from torchfl_sdk.match import match
from torchfl_sdk.match.model import MatchResult, OpMatch
from torchfl_sdk.scaffold import NewChipRequest, new_chip
from torchfl_sdk.scaffold.device_plan import plan_device

sys.path.insert(0, str(Path(__file__).parent))
import labels as label_files
from counts import Counts, share

LABELS = Path(__file__).with_name("labels")
#: Five headers drawn (random.Random(20261129)) before any rule was written; see docs/headers.md.
HELD_OUT = ("armnn", "clblast", "cuda_runtime", "cutensor", "nnpack")
HEADERS = Path(os.environ.get("TORCHFL_HEADERS", "/tmp/headers"))


@dataclass
class Score(Counts):
    """Counts of one header, or of all."""

    first: int = 0  # found with the match's own op, without its alternatives
    complete: int = 0
    matched: int = 0
    devices: int = 0  # headers with an allocator and copies
    devices_made: int = 0  # those of which these become device functions
    seconds: float = 0.0
    details: list[str] = field(default_factory=list)

    def row(self, name: str) -> str:
        """The same as a row of a Markdown table."""
        cells = [
            name,
            str(self.ops),
            f"{self.recall:.3f}",
            f"{self.precision:.3f}",
            share(self.first, self.ops),
            share(self.roles_right, self.roles),
            share(self.args_right, self.args),
            str(self.matched),
            str(self.complete),
        ]
        return f"| {' | '.join(cells)} |"

    def line(self) -> str:
        return f"{super().line()}, complete {self.complete}"


def _document(path: Path, lines: list[str]) -> None:
    """Replaces the figures in a document."""
    before, found, rest = path.read_text(encoding="utf-8").partition("<!-- figures: benchmarks/headers.py -->\n")
    _, closed, after = rest.partition("<!-- end of figures -->")
    if not found or not closed:
        raise SystemExit(f"{path} has no marks for the figures")
    path.write_text(before + found + "\n".join(lines) + "\n" + closed + after, encoding="utf-8")


def score(labels: label_files.Labels, result: MatchResult | None) -> Score:
    """Compares what was matched in one header with its labels; ``None``: the header could not be read."""
    made = Score()
    by_function: dict[str, list[OpMatch]] = {}
    for found in result.matches if result else ():
        by_function.setdefault(_labelled(labels, found.function), []).append(found)
    made.matched = len(by_function)
    _ops(labels, by_function, result, made)
    _roles(labels, result, made)
    return made


def _labelled(labels: label_files.Labels, function: str) -> str:
    """A function's name as the labels write it, with or without its namespaces."""
    names = {op.function for op in labels.ops}
    parts = function.split("::")
    return next((n for i in range(len(parts)) if (n := "::".join(parts[i:])) in names), function)


def _ops(labels: label_files.Labels, found: dict[str, list[OpMatch]], result: MatchResult | None, made: Score) -> None:
    if not labels.eager_usable:
        made.ops = 1
        refused = result is not None and not found and not result.eager.usable
        made.found = made.first = int(refused)
        made.wrong = len(found)
        if not refused:
            made.details.append(f"says nothing about eager ops being impossible ({len(found)} matches)")
        return
    labelled = {op.function for op in labels.ops}
    for op in labels.ops:
        matches = found.get(op.function, [])
        proposed = {a for m in matches for a in (m.aten, *m.alternatives)}
        if not op.accepted:
            made.wrong += bool(matches)
            if matches:
                made.details.append(f"no op, but matched: {op.function} -> {matches[0].aten}")
            continue
        made.ops += 1
        right = [m for m in matches if {m.aten, *m.alternatives} & op.accepted]
        made.found += bool(right)
        made.first += any(m.aten in op.accepted for m in matches)
        if not right:
            made.wrong += bool(matches)
            what = f"-> {', '.join(sorted(proposed))}" if proposed else "not matched"
            made.details.append(
                f"missed: {op.function} = {', '.join(sorted(op.accepted))}; {what}{_why(result, op.function)}"
            )
        _arguments(op, (right or matches or [None])[0], made)
    if labels.exhaustive:
        for function in sorted(set(found) - labelled):
            made.wrong += 1
            made.details.append(f"without a label, but matched: {function} -> {found[function][0].aten}")


def _why(result: MatchResult | None, function: str) -> str:
    said = {u.function: u.reason for u in result.unbound} if result else {}
    reason = said.get(function) or next((r for f, r in said.items() if f.endswith(f"::{function}")), "")
    return f" ({reason})" if reason else ""


def _arguments(op: label_files.OpLabel, found: OpMatch | None, made: Score) -> None:
    roles = dict(found.arguments) if found else {}
    for name, role in op.arguments.items():
        made.args += 1
        given = label_files.canonical(roles.get(name, ""))
        made.args_right += given == role
        if found and given != role:
            made.details.append(f"argument: {op.function}({name}) is {role}, taken as {given or 'undecided'}")


def _roles(labels: label_files.Labels, result: MatchResult | None, made: Score) -> None:
    claimed: dict[str, list[str]] = {}
    for role in result.roles if result else ():
        claimed.setdefault(role.role, []).append(role.function)
    for role, functions in labels.runtime.items():
        made.roles += 1
        given = claimed.get(role, [])
        right = (
            not given
            if functions is None
            else bool(given) and any(given[0] == f or given[0].endswith(f"::{f}") for f in functions)
        )
        made.roles_right += right
        if not right:
            made.details.append(f"role {role}: {functions or 'none'}, taken as {given or 'none'}")


_DEVICE = {"alloc", "free", "copy_h2d", "copy_d2h"}


def _device(labels: label_files.Labels, model: HeaderModel, made: Score) -> None:
    """Whether the functions that hold tensors are made of a runtime that has them."""
    given = {role for role, functions in labels.runtime.items() if functions}
    if "malloc" not in given or not given & {"memcpy", "memcpy_h2d"}:
        return
    model = concrete(model)
    plan = plan_device(match(model, catalogue.OPS), model)
    missing = {} if plan.host_memory else {slot: why for slot, why in plan.missing if slot in _DEVICE}
    made.devices = 1
    made.devices_made = int({f.slot for f in plan.functions} >= _DEVICE and not plan.host_memory)
    if not made.devices_made:
        made.details.append(f"device: {missing or 'its memory is taken for memory of the host'}")


def run(labels: label_files.Labels, folder: Path) -> tuple[Score, str]:
    """Reads and scores one labelled header; and why it could not be read, or ""."""
    base = folder / labels.folder
    started = time.process_time()
    try:
        model = read_headers(
            [base / name for name in labels.headers], [base / name for name in labels.include_dirs], labels.defines
        )
        result = match(model, catalogue.OPS)
    except TorchflError as error:
        return score(labels, None), str(error)
    made = score(labels, result)
    made.seconds = time.process_time() - started
    _device(labels, model, made)
    unresolved = [str(p) for p in model.problems if p.code == "TFL0305"]
    made.details[:0] = [f"unresolved: {text}" for text in unresolved]
    return made, ""


def generate(labels: label_files.Labels, folder: Path, compiled: bool) -> tuple[int, str]:
    """(functions that complete kernels call, why what new-chip writes does not compile or "")."""
    base = folder / labels.folder
    with tempfile.TemporaryDirectory() as parent:
        request = NewChipRequest(
            "chip",
            tuple(base / name for name in labels.headers),
            tuple(base / name for name in labels.include_dirs),
            tuple(labels.defines),
            out=Path(parent),
            dry_run=not compiled,
            check=compiled,
        )
        try:
            result = new_chip(request)
        except TorchflError as error:
            return 0, str(error)
    called = {function for bound in result.bound for function in bound.functions}
    return len(called), "" if not compiled or result.check.startswith("compiles") else result.check


def main(arguments: Iterable[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="label files; all without one")
    parser.add_argument("--headers", type=Path, default=HEADERS, help=f"folder of the headers (default {HEADERS})")
    parser.add_argument("--labels", type=Path, default=LABELS, help="folder of label files")
    parser.add_argument("--compile", action="store_true", help="compile what new-chip generates for each header")
    parser.add_argument("--details", action="store_true", help="print every miss")
    parser.add_argument("--docs", type=Path, help="write the table between this file's figures marks")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    given = parser.parse_args(list(arguments) if arguments is not None else None)
    paths = [given.labels / f"{name}.json" for name in given.names] or sorted(given.labels.glob("*.json"))
    total, held, rows, failed = Score(), Score(), {}, False
    table = ["| header | ops | recall | precision | first answer | roles | arguments | matched functions | complete |"]
    table.append("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    print(f"{'header':14} {'ops':>4} recall  prec.  first  roles  args  matched  complete  cpu s")
    for path in paths:
        labels = label_files.load(path)
        if not (given.headers / labels.folder).is_dir():
            where = labels.origin or "run benchmarks/fetch_headers.py"
            print(f"{labels.name:14} not in {given.headers}: {where}", file=sys.stderr)
            failed = failed or not labels.origin.startswith(("excerpt", "complete"))  # those are not fetched
            continue
        made, trouble = run(labels, given.headers)
        if not trouble:
            made.complete, trouble = generate(labels, given.headers, given.compile)
        failed = failed or bool(trouble)
        print(
            f"{labels.name:14} {made.ops:4} {made.recall:6.3f} {made.precision:6.3f} "
            f"{share(made.first, made.ops):>6} {share(made.roles_right, made.roles):>6} "
            f"{share(made.args_right, made.args):>5} {made.matched:8} {made.complete:9} {made.seconds:8.1f}"
        )
        for detail in ([trouble] if trouble else []) + (made.details if given.details else []):
            print(f"    {detail}")
        rows[labels.name] = {k: v for k, v in vars(made).items() if k not in ("details", "seconds")}
        table.append(made.row(labels.name))
        total.add(made)
        if labels.name in HELD_OUT:
            held.add(made)
    if given.json:
        rows["total"] = {k: v for k, v in vars(total).items() if k not in ("details", "seconds")}
        given.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    if given.docs:
        table += [held.row("the five held out"), total.row("all")]
        _document(given.docs, [*table, "", f"`{total.line()}`"])
    print(f"found with the first answer alone: {share(total.first, total.ops)}")
    print(f"device functions made: {total.devices_made} of {total.devices}")
    print(total.line())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
