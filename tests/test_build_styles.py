"""Calling styles that x1 does not have, from a small SDK of the tests to numpy; and OpenBLAS from its own header."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from build_helpers import Chip, load_chip
from helpers import Sdk
from torchfl.profile import load_profile
from torchfl_sdk.build import build_project
from torchfl_sdk.build.elf import read_dynamic
from torchfl_sdk.scaffold import NewChipRequest, new_chip

DATA = Path(__file__).parent / "build_data"


@pytest.fixture(scope="module")
def acme(tmp_path_factory: pytest.TempPathFactory) -> Chip:
    """The acme SDK without acme_exp_f32, which only its header has; in a folder whose name is odd."""
    parent = tmp_path_factory.mktemp("it's 50% \u00e9 $HOME")
    (parent / "lib").mkdir()
    (parent / "acme.h").write_bytes((DATA / "acme.h").read_bytes())
    library = parent / "lib" / "libacme.so"
    command = ["cc", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", str(library), str(DATA / "acme.c")]
    subprocess.run(command, check=True)
    project = new_chip(NewChipRequest("acme", (parent / "acme.h",), lib=library, out=parent)).project
    build_project(project, jobs=2)
    return load_chip(project, "acme", library)


def numbers(*shape: int, dtype: type = np.float32, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_one_function_per_dtype(acme: Chip, dtype: type) -> None:
    a, b = numbers(3, 4, dtype=dtype), numbers(3, 4, dtype=dtype, seed=1)
    before = {f: acme.calls(f) for f in ("acme_add_f32", "acme_add_f64")}
    np.testing.assert_array_equal(acme.run("acme_add", [a, b], np.empty_like(a), [1]), a + b)
    entered = [f for f in before if acme.calls(f) > before[f]]
    assert entered == ["acme_add_f32" if dtype is np.float32 else "acme_add_f64"]


def test_dtype_without_a_function_declines(acme: Chip) -> None:
    a = numbers(4, dtype=np.float16)
    with pytest.raises(RuntimeError, match="UNSUPPORTED: no vendor function for this dtype"):
        acme.run("acme_add", [a, a], np.empty_like(a), [1])


def test_error_text_by_status(acme: Chip) -> None:
    a = numbers(4)
    np.testing.assert_array_equal(acme.run("acme_leaky_relu", [-abs(a)], np.empty_like(a), [0.5]), -abs(a) / 2)
    with pytest.raises(RuntimeError, match="INVALID_ARGUMENT: ACME_BAD_PARAM: a parameter is bad"):
        acme.run("acme_leaky_relu", [a], np.empty_like(a), [-1.0])


@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("transpose_b", [False, True])
def test_column_major_product(acme: Chip, transpose_a: bool, transpose_b: bool) -> None:
    a = numbers(7, 5).T if transpose_a else numbers(5, 7)
    b = numbers(4, 7, seed=1).T if transpose_b else numbers(7, 4, seed=1)
    np.testing.assert_allclose(acme.run("acme_mm", [a, b], np.full((5, 4), np.nan, np.float32)), a @ b, rtol=1e-5)
    bias = np.broadcast_to(numbers(4, seed=2), (5, 4))
    got = acme.run("acme_addmm", [bias, a, b], np.full((5, 4), np.nan, np.float32), [3, 0.5])
    np.testing.assert_allclose(got, 3 * bias + 0.5 * (a @ b), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("shape", [(), (5,), (2, 3), (2, 3, 4)])
def test_struct_that_points_to_its_extents(acme: Chip, shape: tuple[int, ...]) -> None:
    for dtype in (np.float32, np.int32):
        a = (numbers(*shape) * 9).astype(dtype)
        np.testing.assert_array_equal(acme.run("acme_abs", [a], np.empty_like(a)), abs(a))


def test_struct_refuses_what_it_cannot_hold(acme: Chip) -> None:
    a = numbers(*[1] * 9)
    with pytest.raises(RuntimeError, match="UNSUPPORTED: self: not for acme_tensor_t"):
        acme.run("acme_abs", [a], np.empty_like(a))
    a = numbers(1, 1, 1, 1)
    with pytest.raises(RuntimeError, match="UNSUPPORTED: ACME_NOT_SUPPORTED: something else"):
        acme.run("acme_abs", [a], np.empty_like(a))


def test_a_missing_symbol_costs_one_op_and_is_named(acme: Chip) -> None:
    a = numbers(4)
    assert [n for n, s in acme.module.symbols().items() if not s["resolved"]] == ["acme_exp_f32"]
    with pytest.raises(RuntimeError, match="MISSING_SYMBOL: the runtime library has no symbol 'acme_exp_f32'"):
        acme.run("acme_exp", [a], np.empty_like(a))
    np.testing.assert_array_equal(acme.run("acme_add", [a, a], np.empty_like(a), [1]), a + a)


def test_out_of_memory_keeps_its_kind(acme: Chip) -> None:
    huge = np.broadcast_to(numbers(1), (1,))
    huge = np.lib.stride_tricks.as_strided(huge, (2,), (1 << 41,))
    with pytest.raises(RuntimeError, match="alloc: OUT_OF_MEMORY: ACME_NO_MEMORY"):
        acme.run_unchecked("acme_abs", [huge], numbers(2))


@pytest.fixture(scope="module")
def openblas(openblas_sdk: Sdk, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Chip]:
    parent = tmp_path_factory.mktemp("openblas")
    request = NewChipRequest("openblas", (openblas_sdk.header,), lib=openblas_sdk.library, out=parent)
    project = new_chip(request).project
    build_project(project, jobs=2)
    return project, load_chip(project, "openblas", openblas_sdk.library)


@pytest.mark.sdk
def test_types_prove_the_entries(openblas: tuple[Path, Chip]) -> None:
    profile = load_profile(openblas[0] / "openblas_device.yaml")
    for name in ("aten::mm", "aten::addmm"):
        entry = profile.op(name)
        assert entry is not None
        assert set(entry.dtype_support) == {"float32", "float64"}
        assert entry.provenance == "header"
        assert entry.layout == "matrix"


@pytest.mark.sdk
def test_library_does_not_need_openblas(openblas: tuple[Path, Chip]) -> None:
    info = read_dynamic(openblas[0] / "libopenblas_chip.so")
    assert not [n for n in info.needed if "blas" in n]
    assert not [s for s in info.undefined if s.startswith("cblas_")]


@pytest.mark.sdk
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("transpose_b", [False, True])
def test_products(openblas: tuple[Path, Chip], dtype: type, transpose_a: bool, transpose_b: bool) -> None:
    chip = openblas[1]
    kernels = {k["op"]: k["name"] for k in chip.module.kernels()}
    a = numbers(30, 50, dtype=dtype).T if transpose_a else numbers(50, 30, dtype=dtype)
    b = numbers(40, 30, dtype=dtype, seed=1).T if transpose_b else numbers(30, 40, dtype=dtype, seed=1)
    want = a.astype(np.float64) @ b.astype(np.float64)
    out = np.full((50, 40), np.nan, dtype)
    bound = 60 * np.finfo(dtype).eps * np.abs(want).max()
    function = "cblas_sgemm" if dtype is np.float32 else "cblas_dgemm"
    before = chip.calls(function)
    assert np.abs(chip.run(kernels["aten::mm"], [a, b], out) - want).max() <= bound
    bias = np.broadcast_to(numbers(40, dtype=dtype, seed=2), (50, 40))
    got = chip.run(kernels["aten::addmm"], [bias, a, b], np.full((50, 40), np.nan, dtype), [2, -1])
    assert np.abs(got - (2 * bias - want)).max() <= bound
    assert chip.calls(function) == before + 2


def test_numbers_by_address(tmp_path: Path) -> None:
    """Fortran's BLAS reads counts and steps through pointers."""
    library = tmp_path / "libfortran.so"
    flags = ["-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    subprocess.run(["cc", *flags, "-o", library, DATA / "fortran.c", "-lm"], check=True)
    project = new_chip(NewChipRequest("fortran", (DATA / "fortran.h",), lib=library, out=tmp_path)).project
    build_project(project, jobs=2)
    chip = load_chip(project, "fortran", library)
    entries = {e.name: e.impl for e in load_profile(project / "fortran_device.yaml").ops}
    a, b = np.arange(6, dtype=np.float32).reshape(2, 3), np.full((2, 3), 2, np.float32)
    np.testing.assert_array_equal(chip.run(entries["aten::add"], [a, b], np.empty_like(a), [3.0]), a + 3 * b)
    np.testing.assert_array_equal(chip.run(entries["aten::sub"], [a, b], np.empty_like(a), [1.0]), a - b)
    out = chip.run(entries["aten::vector_norm"], [b], np.empty((), np.float32), [2.0, None])
    assert out == np.float32(np.sqrt(np.float32(24)))
