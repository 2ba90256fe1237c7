"""Mutates headers and feeds them to the reader, the matcher and new-chip: each gives a result or an error of its own.

    python benchmarks/fuzz_headers.py [--count 10000] [--seed 0] [--jobs 2]

Mutants are made from the project's own small headers in every style, from x1's header and from those of the imagined
vendors, of which one file of several changes. One fails if anything but a TorchflError of exit code 2 escapes, if a
function ends neither matched nor with a reason, if the process dies or takes minutes, or if new-chip leaves a file
beside its project folder. Every fifth goes through new-chip, and every fortieth is merged into the project that was
made from the header as it was. Each mutant is made from its number and the seed alone: run one again with
``--only NUMBER``. The last line is ``mutants N, results M, errors E, failures F``.
"""

from __future__ import annotations

import functools
import json
import random
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import fuzzing
from fuzzing import ROOT

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


@dataclass(frozen=True)
class Source:
    """Headers that are given together, in one folder: ``headers`` to the reader, ``files`` to be there."""

    folder: Path
    headers: tuple[str, ...]
    files: tuple[str, ...]
    include_dirs: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()


@functools.cache
def sources() -> tuple[Source, ...]:
    """The headers that mutants are made from, always in the same order."""
    single = [*sorted((ROOT / "tests" / "headers").glob("*.h*")), ROOT / "chips/x1/sdk/include/x1_runtime.h"]
    found = [Source(path.parent, (path.name,), (path.name,)) for path in single]
    for path in sorted((ROOT / "benchmarks" / "imagined").glob("*/labels/*.json")):
        said = json.loads(path.read_text(encoding="utf-8"))
        folder = path.parents[1] / "headers" / said["dir"]
        files = sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())
        dirs = tuple(said.get("include_dirs") or ())
        found.append(Source(folder, tuple(said["headers"]), tuple(files), dirs, tuple(said.get("defines") or ())))
    return tuple(found)


def mutant(number: int, seed: int) -> tuple[Source, str, bytes]:
    """What a mutant is made from, which of its files changes, and the bytes of that."""
    rng = random.Random(f"{seed}:{number}")
    source = rng.choice(sources())
    changed = rng.choice(source.files)
    return source, changed, fuzzing.mutate(rng, (source.folder / changed).read_bytes(), PIECES)


def check(number: int, seed: int) -> str:
    """ "result" or "error" for a mutant that is handled, else what went wrong."""
    from torchfl import catalogue
    from torchfl_sdk.header import read_headers
    from torchfl_sdk.header.model import HeaderModel
    from torchfl_sdk.match import match
    from torchfl_sdk.match.model import MatchResult
    from torchfl_sdk.scaffold import new_chip
    from torchfl_sdk.scaffold.request import NewChipRequest

    source, changed, data = mutant(number, seed)
    with fuzzing.sandbox() as folder:
        place = folder / "in" / "sdk"
        shutil.copytree(source.folder, place, ignore=_all_but(source))
        given = {folder / "in", *(folder / "in").rglob("*")}
        headers = tuple(place / name for name in source.headers)
        dirs = tuple(place / name for name in source.include_dirs)
        request = NewChipRequest("fuzz", headers, dirs, source.defines, out=folder / "out")
        if number % 40 == 0:
            new_chip(request)
        (place / changed).write_bytes(data)
        read: list[tuple[HeaderModel, MatchResult]] = []

        def reading() -> None:
            model = read_headers(headers, dirs, source.defines)
            read.append((model, match(model, catalogue.OPS)))

        if said := fuzzing.attempt("reading", reading):
            return said
        model, found = read[0]
        settled = {c.function for b in found.bindings for c in b.calls} | {r.function for r in found.runtime}
        settled |= {u.function for u in found.unbound} | {m.function for m in found.matches}
        if lost := {f.name for f in model.functions} - settled:
            return f"neither matched nor with a reason: {sorted(lost)}"
        if number % 5 == 0:
            again = NewChipRequest(
                "fuzz",
                headers,
                dirs,
                source.defines,
                out=folder / "out",
                on_conflict="refuse" if number % 40 else "merge",
            )
            if (said := fuzzing.attempt("new-chip", lambda: new_chip(again))) not in ("", "error"):
                return said
            if beside := fuzzing.strays(folder, given, "fuzz"):
                return f"new-chip {beside}"
    return "result"


def _all_but(source: Source) -> Callable[[str, list[str]], list[str]]:
    """For copytree: what of a folder is none of the source's files, nor leads to one."""
    kept = {(source.folder / name) for name in source.files}
    kept |= {parent for path in kept for parent in path.parents}
    return lambda folder, entries: [e for e in entries if Path(folder) / e not in kept]


if __name__ == "__main__":
    sys.exit(fuzzing.main(check, __doc__))
