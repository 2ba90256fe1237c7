"""What the two fuzzers share: how bytes are mutated, how a mutant is run apart, and how thousands are counted."""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CHUNK = 100
LIMIT = 120  # seconds that one mutant may take
Check = Callable[[int, int], str]


def mutate(rng: random.Random, original: bytes, pieces: Sequence[bytes]) -> bytes:
    """Some bytes with one to twelve changes: a piece more, less or other bytes, parts twice, lines and words moved."""
    data = bytearray(original)
    for _ in range(rng.choice((1, 1, 2, 4, 12))):
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(6)
        if kind == 0:
            data[at:at] = rng.choice(pieces)
        elif kind == 1:
            del data[at : at + rng.choice((1, 3, 40, 400))]
        elif kind == 2:
            data[at : at + 1] = bytes([rng.randrange(256)])
        elif kind == 3:
            other = rng.randrange(len(data) + 1)
            data[at:at] = data[other : other + 80]
        elif kind == 4:  # one line becomes another
            lines = bytes(data).split(b"\n")
            lines[rng.randrange(len(lines))] = rng.choice(lines)
            data = bytearray(b"\n".join(lines))
        else:  # a word changes everywhere
            words = bytes(data).replace(b"(", b" ").replace(b",", b" ").split() or [b"x"]
            data = bytearray(bytes(data).replace(rng.choice(words), rng.choice(words)))
    return bytes(data)


@contextmanager
def sandbox() -> Iterator[Path]:
    """A folder with ``in`` and ``out``; the process stands in it meanwhile, so that stray relative paths show there."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="torchfl-fuzz-") as name:
        folder = Path(name).resolve()
        (folder / "in").mkdir()
        (folder / "out").mkdir()
        os.chdir(folder)
        try:
            yield folder
        finally:
            os.chdir(before)


def attempt(what: str, action: Callable[[], object]) -> str:
    """ "" for a result, "error" for a TorchflError of exit code 2, else what went wrong."""
    from torchfl.errors import TorchflError

    try:
        action()
    except TorchflError as error:
        if error.exit_code != 2 or not str(error).strip():
            return f"{what}: exit code {error.exit_code}: {error}"
        return "error"
    except BaseException:
        return f"{what}: {traceback.format_exc()}"
    return ""


def strays(folder: Path, given: set[Path], project: str) -> str:
    """What stands in a sandbox beside what was given and the project's folder in ``out``; "" for nothing."""
    beside = {p for p in folder.rglob("*") if p not in given and (folder / "out" / project) not in (p, *p.parents)}
    beside -= {folder / "in", folder / "out"}
    return f"left files beside its project: {sorted(str(p) for p in beside)}" if beside else ""


def _timed(check: Check, number: int, seed: int) -> str:
    def late(*_: object) -> None:
        raise TimeoutError(f"over {LIMIT} seconds")

    signal.signal(signal.SIGALRM, late)
    signal.alarm(LIMIT)
    try:
        return check(number, seed)
    except BaseException:
        return traceback.format_exc()
    finally:
        signal.alarm(0)


def chunk(check: Check, first: int, last: int, seed: int) -> tuple[int, int, list[tuple[int, str]]]:
    """Counts of results and errors, and the failures, of mutants ``first`` to ``last`` - 1."""
    said = [(number, _timed(check, number, seed)) for number in range(first, last)]
    failures = [(number, s) for number, s in said if s not in ("result", "error")]
    return sum(s == "result" for _, s in said), sum(s == "error" for _, s in said), failures


def main(check: Check, description: str | None) -> int:
    """The command line of a fuzzer: ``check`` says "result", "error" or what went wrong with mutant (number, seed)."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", type=int, help="one mutant, in this process")
    given = parser.parse_args()
    if given.only is not None:
        said = check(given.only, given.seed)
        print(said)
        return int(said not in ("result", "error"))
    results = errors = 0
    failures: list[tuple[int, str]] = []
    ranges = [(i, min(i + CHUNK, given.count)) for i in range(0, given.count, CHUNK)]
    while ranges:
        with ProcessPoolExecutor(given.jobs) as pool:
            running = [(span, pool.submit(chunk, check, *span, given.seed)) for span in ranges]
            ranges = []
            for span, future in running:
                try:
                    done = future.result()
                except BrokenProcessPool:  # some mutant of some chunk killed its process: find it one by one
                    if span[1] - span[0] == 1:
                        failures.append((span[0], "the process died"))
                        print(f"mutant {span[0]}: the process died", flush=True)
                    else:
                        ranges += [(n, n + 1) for n in range(*span)]
                    continue
                results, errors = results + done[0], errors + done[1]
                failures += done[2]
                for number, said in done[2]:
                    print(f"mutant {number}: {said}", flush=True)
                print(f"to {span[1]}: results {results}, errors {errors}, failures {len(failures)}", file=sys.stderr)
    print(f"mutants {given.count}, results {results}, errors {errors}, failures {len(failures)}")
    return int(bool(failures))
