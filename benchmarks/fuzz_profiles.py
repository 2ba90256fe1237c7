"""Mutates profiles and feeds them to whatever reads one: each gives a result or an error that says where.

    python benchmarks/fuzz_profiles.py [--count 10000] [--seed 0] [--jobs 2]

Mutants are made from every profile of the project: bytes of its text change in some, and in most a few of its keys and
values, which are then written as JSON. Each is validated, loaded, shown, explained and compared, taken as
the base of another profile, and every fifth made a chip project of. One fails if anything but a TorchflError of exit
code 2 escapes, if a problem names neither file nor place, if what ``show`` prints loads as something else, or if
a file is left beside the project folder. Run one again with ``--only NUMBER``.
The last line is ``mutants N, results M, errors E, failures F``.
"""

from __future__ import annotations

import copy
import functools
import json
import math
import random
import shutil
import sys
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

sys.path.insert(0, str(Path(__file__).parent))
import fuzzing
from fuzzing import ROOT

PIECES = [
    b"{", b"}", b"[", b"]", b":", b": ", b",", b"\n", b"\n  ", b"- ", b"&a ", b"*a", b"!x ", b"!!python/object:os.x ",
    b"'", b'"', b"|", b">", b"#", b"\t", b"~", b"%", b"? ", b"<<: ", b"---\n", b"...", b"\\", b"\x00", b"\xc3\xa9",
    b"\xff", b"1e-5", b"1e999", b".nan", b"-.inf", b"0o17", b"12:30:45", b"2026-11-30", b"off", b"null", b"schema",
    b"remove: x", b"extends: [.]", b"extends: f_device.yaml\n", b"../", b"/etc/passwd", b"$HOME", b"${",
    b"\xef\xbb\xbf", b"\r\n", b"99999999999999999999", b"xpu:../../up", b"aten::conv2d", b"aten::gone", b"name: ",
    b"impl: ", b"min: 1\n",
]  # fmt: skip
#: What a value becomes, or the name of a key: of the wrong kind, out of range, of another place, or a trap.
VALUES: tuple[object, ...] = (
    None, True, False, 0, -1, 1, 2, 2**63, -(2**70), 0.5, 1e308, math.nan, math.inf, "", " ", "x", "off", "1", "null",
    "a b", "a-b", "9x", "for", "int", "x;y", "a/b", "../../up", "/", "/etc/passwd", "..", ".", "$HOME", "$GONE/x", "${",
    "é", "\U0001f600", "\ud800", "\n", "\0", "*/", "'", '"', "{{ 1 }}", "{% x %}", "a" * 300, [], {}, [[]], [None],
    {"min": 1}, {"max": -1}, {"min": 3, "max": 2}, {"multiple_of": 0}, {"x": 1}, [1, 1], [1, "a"], ["float16"],
    ["float99"], "xpu:x1", "xpu", "xpu:../../up", "cpu:x", "fl:x", "aten::add", "aten::conv2d", "aten::gone", "aten::",
    "my::op", "unverified", "separate", "mapped", "float16", "int8", "f_device.yaml", "child_device.yaml", "gone.yaml",
)  # fmt: skip
FOLDERS = ("chips/x1", "chips/x1-v2", "tests/profiles", "tests/device/chip_fixture")
FOLDERS += ("tests/device/adapter_chip", "tests/device/router_chip")
TREES = (ROOT / "chips", ROOT / "tests" / "profiles")


@functools.cache
def sources() -> tuple[Path, ...]:
    """The profiles that mutants are made from, always in the same order."""
    return tuple(p for folder in FOLDERS for p in sorted((ROOT / folder).rglob("*.yaml")))


def mutant(rng: random.Random, source: Path) -> bytes:
    """A profile with changes."""
    data = source.read_bytes()
    if rng.randrange(10) < 3:
        return fuzzing.mutate(rng, data, PIECES)
    tree = YAML(typ="safe").load(data)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        _change(rng, tree)
    return json.dumps(tree, indent=rng.choice((None, 1))).encode("utf-8", "surrogatepass")


def _change(rng: random.Random, tree: dict[str, Any]) -> None:
    """Changes, moves, doubles, renames or takes away one key or element somewhere in a tree."""
    places: list[tuple[Any, Any]] = []
    stack: list[Any] = [tree]
    while stack:
        at = stack.pop()
        inside = list(at.items()) if isinstance(at, dict) else list(enumerate(at))
        places += [(at, key) for key, _ in inside]
        stack += [value for _, value in inside if isinstance(value, (dict, list))]
    if not places:
        return
    at, key = rng.choice(places)
    other, other_key = rng.choice(places)
    kind = rng.randrange(5)
    if kind == 0:
        del at[key]
    elif kind == 1:
        at[key] = copy.deepcopy(other[other_key])
    elif kind == 2 and isinstance(at, dict):
        name = rng.choice([value for value in (*VALUES, other_key) if isinstance(value, str)])
        at[name] = at.pop(key) if rng.randrange(2) else copy.deepcopy(at[key])
    elif kind == 2:
        at.insert(rng.randrange(len(at) + 1), copy.deepcopy(at[key]))
    else:
        at[key] = copy.deepcopy(rng.choice(VALUES))


def check(number: int, seed: int) -> str:
    """ "result" or "error" for a mutant that is handled, else what went wrong."""
    from torchfl import profile
    from torchfl_sdk.scaffold import new_chip
    from torchfl_sdk.scaffold.request import NewChipRequest

    rng = random.Random(f"{seed}:{number}")
    source = rng.choice(sources())
    # Among the profiles that stand beside the original, so that what it extends is found; under a name of its own.
    tree = next((p for p in source.parents if p in TREES), source.parent)
    with fuzzing.sandbox() as folder:
        for beside in tree.rglob("*.yaml"):
            into = folder / "in" / beside.relative_to(tree.parent)
            into.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(beside, into)
        place = folder / "in" / source.relative_to(tree.parent).parent
        path = place / "f_device.yaml"
        path.write_bytes(mutant(rng, source))
        child = place / "child_device.yaml"
        child.write_text("extends: f_device.yaml\nsupported_ops:\n  - {name: aten::relu, impl: child_relu}\n")
        given = {folder / "in", *(folder / "in").rglob("*")}

        for problem in profile.validate(path):
            if not problem.cause or not (problem.place.file or problem.where):
                return f"a problem without cause or place: {problem!r}"
        said = fuzzing.attempt("load", lambda: profile.load_profile(path))
        if said not in ("", "error"):
            return said
        for what, action in (
            ("child", lambda: profile.load_profile(child)),
            ("warnings", lambda: [str(p) for p in profile.warnings(path)]),
            ("origins", lambda: profile.show(path, origin=True)),
            ("json", lambda: profile.show(path, as_json=True)),
            ("explain", lambda: profile.explain(path, "supported_ops")),
            ("diff", lambda: profile.diff(source, path)),
            ("diff back", lambda: profile.diff(path, child)),
            ("again", lambda: _shown_again(path, folder)),
        ):
            if (told := fuzzing.attempt(what, action)) not in ("", "error"):
                return told
        (folder / "again_device.yaml").unlink(missing_ok=True)
        if number % 5 == 0:
            request = NewChipRequest("fuzz", from_profile=path, out=folder / "out")
            if (told := fuzzing.attempt("new-chip", lambda: new_chip(request))) not in ("", "error"):
                return told
        if beside := fuzzing.strays(folder, given, "fuzz"):
            return beside
    return said or "result"


def _shown_again(path: Path, folder: Path) -> None:
    """What ``show`` prints is a profile that says the same."""
    from torchfl import profile

    again = folder / "again_device.yaml"
    loaded = profile.load_profile(path)
    again.write_text(profile.show(path), encoding="utf-8")
    if profile.load_profile(again).data != loaded.data:
        raise AssertionError("what show prints loads as something else")


if __name__ == "__main__":
    sys.exit(fuzzing.main(check, __doc__))
