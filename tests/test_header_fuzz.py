"""Mutated headers: the reader answers with a model or with an error of its own, never with a traceback."""

from __future__ import annotations

import random
import re
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from header_helpers import X1_HEADER
from torchfl import catalogue
from torchfl.errors import TorchflError
from torchfl_sdk.header import read_headers
from torchfl_sdk.match import match

ORIGINAL = X1_HEADER.read_bytes()
PIECES = [
    b"{", b"}", b"(", b")", b";", b"*", b"#", b'"', b"'", b"/*", b"*/", b"//", b"\\\n", b"\n#if 0\n", b"\n#endif\n",
    b"#include <", b"typedef ", b"struct ", b"unknown_t ", b"enum ", b"...", b"[4]", b"class X;", b"namespace n {",
    b"template <class T> ", b"\xff", b"\xe2\x82", b"1e99999", b"0x", b"= {", b"#define X1_API X1_API(", b"##",
    b"_Complex ", b"int int ", b"operator+", b"__attribute__((", b"<<=", b"a::b::c ", b"#pragma once\n", b"#error no\n",
    b"@", b"$", b"`",
]  # fmt: skip


def check(data: bytes) -> None:
    """Reads and matches these bytes as a header; anything but a model or a TorchflError fails."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mutant.h"
        path.write_bytes(data)
        model = None
        problem: TorchflError | None = None
        try:
            model = read_headers([path])
        except TorchflError as error:
            problem = error
        if model is None:
            assert problem is not None
            assert problem.exit_code == 2
            assert all(p.code.startswith("TFL03") for p in problem.problems)
            return
        result = match(model, catalogue.OPS)
        settled = {c.function for b in result.bindings for c in b.calls} | {r.function for r in result.runtime}
        settled |= {u.function for u in result.unbound}
        assert {f.name for f in model.functions} <= settled


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(st.integers(0, 2**32 - 1))
def test_mutants_of_a_real_header(seed: int) -> None:
    rng = random.Random(seed)
    data = bytearray(ORIGINAL)
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        at = rng.randrange(len(data))
        kind = rng.randrange(4)
        if kind == 0:
            data[at:at] = rng.choice(PIECES)
        elif kind == 1:
            del data[at : at + rng.choice((1, 3, 40, 400))]
        elif kind == 2:
            data[at : at + 1] = bytes([rng.randrange(1, 256)])
        else:
            other = rng.randrange(len(data))
            data[at:at] = data[other : other + 60]
        if not data:
            data = bytearray(b";")
    check(bytes(data))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(st.lists(st.sampled_from(PIECES), max_size=25))
def test_heaps_of_tokens(pieces: list[bytes]) -> None:
    check(b" ".join([b"int acme_f(int x);", *pieces]))


@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    check(data)


def test_deep_nesting() -> None:
    check(b"int " + b"(" * 3000 + b"acme_f" + b")" * 3000 + b"(void);")
    check(b"int acme_f(int " + b"*" * 3000 + b"x);")
    check(b"struct a { " * 500 + b"int x; " + b"} y;" * 500 + b"\nint acme_f(struct a *s);")


def test_no_function_outlives_a_type_it_needs() -> None:
    """Takes out each of x1's types in turn: what mentions it must go, whatever C makes of the gap."""
    text = ORIGINAL.decode()
    blocks = re.findall(r"typedef (?:enum|struct) \w+ \{.*?\} (\w+);", text, re.S)
    assert len(blocks) == 6
    for name in blocks:
        tag = name.removesuffix("_t")
        without = re.sub(rf"typedef (?:enum|struct) {tag} \{{.*?\}} {name};", "", text, flags=re.S)
        users = set(re.findall(r"\b(x1_\w+)\([^;]*?;", _declarations(without, name)))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "x1.h"
            path.write_text(without, encoding="utf-8")
            try:
                left = {f.name for f in read_headers([path]).functions}
            except TorchflError:
                left = set()  # nothing at all could be trusted
        assert users, f"no function uses {name}"
        assert not users & left, f"{sorted(users & left)} still stand without {name}"


def _declarations(text: str, name: str) -> str:
    """The function declarations that mention a type, or x1's tensor struct where that holds it."""
    names = {name} | ({"x1_tensor_t"} if name in ("x1_dtype_t", "x1_layout_t") else set())
    found = re.findall(r"^X1_API [^;]*;", text, re.M)
    return "\n".join(d for d in found if any(re.search(rf"\b{n}\b", d) for n in names))
