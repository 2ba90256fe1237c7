"""Mutates headers and feeds them to the reader, the matcher and new-chip: each gives a result or an error of its own.

    python benchmarks/fuzz_headers.py [--count 10000] [--seed 0] [--jobs 2]

Mutants are made from the project's own small headers in every style and from x1's header. One fails if anything but
a TorchflError of exit code 2 escapes, if a function ends neither matched nor with a reason, if the process dies, or
if new-chip leaves a file beside its project folder. Each mutant is made from its number and the seed alone: run one
again with ``--only NUMBER``. The last line is ``mutants N, models M, errors E, failures F``.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import traceback
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = (
    *sorted((ROOT / "tests" / "headers").glob("*.h*")),
    ROOT / "chips" / "x1" / "sdk" / "include" / "x1_runtime.h",
)
PIECES = [
    b"{", b"}", b"(", b")", b";", b"*", b"#", b'"', b"'", b"/*", b"*/", b"//", b"\\\n", b"\n#if 0\n", b"\n#endif\n",
    b"\n#else\n", b"#include <gone.h>\n", b"typedef ", b"struct ", b"unknown_t ", b"enum ", b"...", b"[4]", b"class X;",
    b"namespace n {", b"template <class T> ", b"\xff", b"\xe2\x82", b"1e99999", b"0x", b"= {", b"##", b"const ",
    b"void ",
    b"_Complex ",
    b"int int ", b"operator+", b"__attribute__((", b"<<=", b"a::b::c ", b"#error PF_TARGET_EDGE\n", b"@",
    b"#define int\n", b"#define FN(x) int x(\nFN(a)\n", b"extern \"C\" {\n", b"public:", b"virtual ", b"&",
    b"\0", b"\r", b" _ ", b" __",
]  # fmt: skip
CHUNK = 100


def mutant(number: int, seed: int) -> tuple[bytes, str]:
    """The bytes of a mutant and the suffix of its file."""
    rng = random.Random(f"{seed}:{number}")
    source = rng.choice(SOURCES)
    data = bytearray(source.read_bytes())
    for _ in range(rng.choice((1, 1, 2, 4, 12))):
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(6)
        if kind == 0:
            data[at:at] = rng.choice(PIECES)
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
    return bytes(data), source.suffix


def check(number: int, seed: int) -> str:
    """ "model" or "error" for a mutant that is handled, else what went wrong."""
    from torchfl import catalogue
    from torchfl.errors import TorchflError
    from torchfl_sdk.header import read_headers
    from torchfl_sdk.match import match
    from torchfl_sdk.scaffold import new_chip
    from torchfl_sdk.scaffold.request import NewChipRequest

    data, suffix = mutant(number, seed)
    with tempfile.TemporaryDirectory(prefix="torchfl-fuzz-") as name:
        folder = Path(name)
        header = folder / f"mutant{suffix}"
        header.write_bytes(data)
        try:
            model = read_headers([header])
            found = match(model, catalogue.OPS)
        except TorchflError as error:
            return "error" if error.exit_code == 2 else f"exit code {error.exit_code}: {error}"
        except BaseException:
            return traceback.format_exc()
        settled = {c.function for b in found.bindings for c in b.calls} | {r.function for r in found.runtime}
        settled |= {u.function for u in found.unbound} | {m.function for m in found.matches}
        lost = {f.name for f in model.functions} - settled
        if lost:
            return f"neither matched nor with a reason: {sorted(lost)}"
        if number % 5 == 0:
            try:
                new_chip(NewChipRequest("fuzz", (header,), out=folder / "out"))
            except TorchflError as error:
                if error.exit_code != 2:
                    return f"new-chip: exit code {error.exit_code}: {error}"
            except BaseException:
                return traceback.format_exc()
            beside = {p.name for p in folder.iterdir()} - {header.name, "out"}
            beside |= {p.name for p in (folder / "out").iterdir()} - {"fuzz"} if (folder / "out").exists() else set()
            if beside:
                return f"new-chip left files beside its project: {sorted(beside)}"
    return "model"


def chunk(first: int, last: int, seed: int) -> tuple[int, int, list[tuple[int, str]]]:
    """Counts of models and errors, and the failures, of mutants ``first`` to ``last`` - 1."""
    models = errors = 0
    failures = []
    for number in range(first, last):
        said = check(number, seed)
        models += said == "model"
        errors += said == "error"
        if said not in ("model", "error"):
            failures.append((number, said))
    return models, errors, failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", type=int, help="one mutant, in this process")
    given = parser.parse_args()
    if given.only is not None:
        said = check(given.only, given.seed)
        print(said)
        return int(said not in ("model", "error"))
    models = errors = 0
    failures: list[tuple[int, str]] = []
    ranges = [(i, min(i + CHUNK, given.count)) for i in range(0, given.count, CHUNK)]
    while ranges:
        with ProcessPoolExecutor(given.jobs) as pool:
            running = [(span, pool.submit(chunk, *span, given.seed)) for span in ranges]
            ranges = []
            for span, future in running:
                try:
                    done = future.result()
                except BrokenProcessPool:  # some mutant of some chunk killed its process: find it one by one
                    if span[1] - span[0] == 1:
                        failures.append((span[0], "the process died"))
                    else:
                        ranges += [(n, n + 1) for n in range(*span)]
                    continue
                models, errors = models + done[0], errors + done[1]
                failures += done[2]
                for number, said in done[2]:
                    print(f"mutant {number}: {said}", flush=True)
    print(f"mutants {given.count}, models {models}, errors {errors}, failures {len(failures)}")
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
