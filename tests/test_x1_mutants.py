"""Every mutant of the simulated X1 SDK is wrong, in the ops it names and in no other; every variant is right."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from torchfl_sdk.chips import Mutant, compile_sdk, mutants, variants

import x1_helpers as helpers
from torchfl import catalogue
from x1_extents import calls, enter, outside_calls, run
from x1_helpers import BINARY, DTYPES, INVALID_VALUE, SUCCESS, UNARY, X1

SDK = Path(__file__).parent.parent / "chips" / "x1" / "sdk"
SOURCES = sorted((SDK / "src").glob("*.c"))
Results = dict[str, list[np.ndarray]]


class Builder:
    """Builds changed SDKs quickly: without optimisation, and only the files that the change is in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.objects = {source: self._object(source, "base", []) for source in SOURCES}

    def _object(self, source: Path, tag: str, flags: list[str]) -> Path:
        target = self.folder / f"{source.stem}-{tag}.o"
        command = ["cc", "-std=c11", "-O0", "-fwrapv", "-fPIC", "-fvisibility=hidden", f"-I{SDK / 'include'}", *flags]
        subprocess.run([*command, "-c", str(source), "-o", str(target)], check=True)
        return target

    def library(self, define: str = "") -> Path:
        target = self.folder / f"lib{define or 'base'}.so"
        headers = [path for path in (SDK / "src").glob("*.h") if path.name != "mutants.h"]
        shared = [path.name for path in headers if define in path.read_text()]
        objects = []
        for source, built in self.objects.items():
            text = source.read_text()
            used = define in text or any(f'"{name}"' in text for name in shared)
            objects.append(self._object(source, define, [f"-D{define}"]) if define and used else built)
        subprocess.run(["cc", "-shared", "-o", str(target), *map(str, objects), "-lm", "-lpthread"], check=True)
        return target


@pytest.fixture(scope="module")
def builder(tmp_path_factory: pytest.TempPathFactory) -> Builder:
    return Builder(tmp_path_factory.mktemp("mutants"))


@cache
def inputs(dtype: str, n: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if dtype == "int8":
        return rng.integers(-128, 128, n).astype("int8")
    x = (rng.standard_normal(n) * 2).astype(dtype)
    x[3 + 4 * seed] = np.nan
    return x


def element_wise(x1: X1) -> Results:
    """Three calls per function and dtype, at an offset, on the second device, with guarded memory."""
    results: Results = {}
    for name in (*BINARY, *UNARY, "x1_leaky_relu"):
        for dtype, code in DTYPES.items():
            for n, offset, device in ((67, 0, 0), (128, 5, 0), (130, 0, 1)):
                x1.ok(x1.x1_set_device(device))
                arrays = [inputs(dtype, n + offset, seed) for seed in ((0, 1) if name in BINARY else (0,))]
                given = [x1.upload(array) for array in arrays]
                out = x1.upload(np.full(n, 77, dtype), room=64)
                addresses = [p + offset * arrays[0].itemsize for p in given]
                extra = [0.25] if name == "x1_leaky_relu" else []
                status = getattr(x1, name)(*addresses, out, n, *extra, code)
                left = [x1.download(p, a.size, dtype) for p, a in zip(given, arrays, strict=True)]
                got = [x1.download(out, n, dtype), x1.download(out + n * arrays[0].itemsize, 64, "uint8"), *left]
                results.setdefault(f"aten::{name[3:]}", []).extend([np.array(status), *got])
                x1.free(*given, out)
    x1.ok(x1.x1_set_device(0))
    return results


def contractions(x1: X1) -> Results:
    rng = np.random.default_rng(9)
    results: Results = {"aten::mm": [], "aten::addmm": [], "aten::conv2d": []}
    for dtype in ("float32", "float16"):
        for ta, tb in ((0, 0), (1, 1)):
            m, n, k = 9, 6, 44
            a, b = (
                rng.standard_normal((rows, cols + 2)).astype(dtype)
                for rows, cols in (((k, m) if ta else (m, k)), ((n, k) if tb else (k, n)))
            )
            c = rng.standard_normal((m, n)).astype(dtype)
            for op, alpha, beta in (("aten::mm", 1.0, 0.0), ("aten::addmm", 1.5, 0.5)):
                pa, pb, pc = x1.upload(a), x1.upload(b), x1.upload(c)
                x1.ok(x1.x1_gemm(DTYPES[dtype], ta, tb, m, n, k, alpha, pa, a.shape[1], pb, b.shape[1], beta, pc, n))
                results[op].append(x1.download(pc, (m, n), dtype))
                x1.free(pa, pb, pc)
    for dtype in ("float16", "int8"):
        for groups, stride, padding in ((1, (1, 1), (0, 0)), (2, (2, 1), (1, 2)), (4, (4, 4), (2, 2))):
            shapes = ((2, 8, 9, 10), (8, 8 // groups, 3, 3), (8,))
            x, w, b = ((rng.standard_normal(s) * (9 if dtype == "int8" else 1)).astype(dtype) for s in shapes)
            status, y = x1.conv2d(x, w, b, stride, padding, groups=groups)
            x1.ok(status)
            results["aten::conv2d"].append(y)
    return results


def along_extents(x1: X1) -> Results:
    results: Results = {}
    for dtype in DTYPES:
        for call in calls(dtype):
            results.setdefault(call.op, []).extend(run(x1, call))
    return results


def refusals(x1: X1) -> Results:
    """The status of calls that are refused, and what is in the results' memory where they are not."""
    results: Results = {}
    for dtype in DTYPES:
        for call in outside_calls(dtype):
            status, got = enter(x1, call)
            results.setdefault(call.op, []).extend([np.array(status), *(got if status == SUCCESS else ())])
    return results


def battery(library: Path, monkeypatch: pytest.MonkeyPatch) -> Results:
    monkeypatch.setenv("X1_SIM_MEMORY", "8M")
    with X1(library).running() as x1:
        found: Results = {}
        for part in (element_wise(x1), contractions(x1), along_extents(x1), refusals(x1)):
            for op, results in part.items():
                found.setdefault(op, []).extend(results)
        return found


def differing(one: Results, other: Results) -> set[str]:
    assert one.keys() == other.keys()
    return {op for op in one if [a.tobytes() for a in one[op]] != [b.tobytes() for b in other[op]]}


@pytest.fixture(scope="module")
def right(builder: Builder) -> Results:
    with pytest.MonkeyPatch.context() as monkeypatch:
        return battery(builder.library(), monkeypatch)


def test_a_right_chip_refuses_an_index_outside(builder: Builder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("X1_SIM_MEMORY", "8M")
    with X1(builder.library()).running() as x1:
        found = refusals(x1)
    assert found.keys() == {"aten::embedding", "aten::index_select", "aten::gather"}
    assert all(results == [INVALID_VALUE] * (2 * len(DTYPES)) for results in found.values())


@pytest.mark.parametrize("mutant", mutants(), ids=lambda m: m.name)
def test_a_mutant_is_wrong_in_the_ops_it_names(
    mutant: Mutant, builder: Builder, right: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert differing(right, battery(builder.library(mutant.define), monkeypatch)) == set(mutant.ops)


@pytest.mark.parametrize("variant", variants(), ids=lambda m: m.name)
def test_a_variant_differs_in_rounding_only(
    variant: Mutant, builder: Builder, right: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = battery(builder.library(variant.define), monkeypatch)
    # Summing differently shows in float32; after rounding to float16 it seldom does.
    assert differing(right, other)
    assert differing(right, other) <= set(variant.ops)
    for op in variant.ops:
        for a, b in zip(right[op], other[op], strict=True):
            tolerance = 2e-6 if a.dtype == np.float32 else 2e-3
            np.testing.assert_allclose(b.astype(float), a.astype(float), rtol=tolerance, atol=tolerance * 4)


def test_the_list_is_the_file(tmp_path: Path) -> None:
    """Every macro of mutants.h is data, is used by the sources, and names catalogue ops."""
    macros = re.findall(r"^#define (X1_(?:MUTANT|VARIANT)_\w+) 0$", (SDK / "src" / "mutants.h").read_text(), re.M)
    listed = [*mutants(), *variants()]
    assert [m.define for m in listed] == macros
    assert len({m.name for m in listed}) == len(listed) >= 20
    code = "".join(p.read_text() for p in (SDK / "src").iterdir() if p.name != "mutants.h")
    for mutant in listed:
        assert mutant.define in code
        assert mutant.ops
        assert all(catalogue.get(op) for op in mutant.ops)
        assert mutant.effect


def test_compile_sdk_takes_a_mutant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (dropped,) = [m for m in mutants() if m.name == "dropped_tail"]
    monkeypatch.setenv("X1_SIM_MEMORY", "8M")
    with X1(compile_sdk("x1", tmp_path, defines=[dropped.define]) / "lib" / "libx1.so").running() as x1:
        result = x1.elementwise("x1_add", np.ones(70, "float32"), np.ones(70, "float32"))
    assert (result[:64] == 2).all()
    assert (result[64:] == 77).all()


def test_helpers_cover_every_element_wise_function() -> None:
    header = (SDK / "include" / "x1_runtime.h").read_text()
    declared = set(re.findall(r"(x1_\w+)\(const void \*(?:a|in), (?:const void \*b, )?void \*out, size_t n, ", header))
    assert declared == {*BINARY, *UNARY, "x1_leaky_relu"}
    kernels = re.findall(r"X\((x1_\w+), 1\)", (SDK / "src" / "internal.h").read_text())
    assert {*declared, "x1_gemm", "x1_conv2d", *(c.function for c in calls("float32"))} == set(kernels)
    assert helpers.load().x1_sim_calls(b"x1_add") < 2**64 - 1
