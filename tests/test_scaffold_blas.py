"""The rest of a BLAS from its own cblas.h: results returned by value, vectors scaled and added, matrix times vector."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest

from build_helpers import Chip, load_chip
from helpers import Sdk, sums_are_wrong
from torchfl.profile import load_profile
from torchfl_sdk.build import build_project
from torchfl_sdk.scaffold import NewChipRequest, new_chip

pytestmark = pytest.mark.sdk

DTYPES = [np.float32, np.float64]


@pytest.fixture(scope="module")
def project(openblas_sdk: Sdk, tmp_path_factory: pytest.TempPathFactory) -> Path:
    request = NewChipRequest(
        "openblas", (openblas_sdk.header,), lib=openblas_sdk.library, out=tmp_path_factory.mktemp("b")
    )
    made = new_chip(request).project
    build_project(made)
    return made


@pytest.fixture(scope="module")
def chip(project: Path, openblas_sdk: Sdk) -> Chip:
    return load_chip(project, "openblas", openblas_sdk.library)


def integers(rng: np.random.Generator, dtype: type, *shape: int) -> np.ndarray:
    """Values whose products and sums are exact, so that results are compared bit by bit."""
    return rng.integers(-9, 10, shape).astype(dtype)


def test_entries_are_proved_by_the_header(project: Path) -> None:
    profile = load_profile(project / "openblas_device.yaml")
    for op in ("add", "addmv", "addr", "bmm", "dot", "mul", "mv", "permute_copy", "sub", "sum", "vector_norm"):
        name = f"aten::{op}"
        entry = profile.op(name)
        assert entry is not None
        assert entry.provenance == "header"
        assert set(entry.dtype_support) == {"float32", "float64"}


@pytest.mark.parametrize("dtype", DTYPES)
def test_dot(chip: Chip, dtype: type) -> None:
    rng = np.random.default_rng(0)
    a, b = integers(rng, dtype, 37), integers(rng, dtype, 37)
    out = chip.run("cblas_dot", [a, b], np.full((), np.nan, dtype))
    assert out == a @ b


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("transposed", [False, True])
def test_mv(chip: Chip, dtype: type, transposed: bool) -> None:
    rng = np.random.default_rng(1)
    a = integers(rng, dtype, 5, 7)
    a = np.asfortranarray(a) if transposed else a
    v = integers(rng, dtype, 7)
    out = chip.run("cblas_mv", [a, v], np.full(5, np.nan, dtype))
    assert np.array_equal(out, a @ v)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("transposed", [False, True])
def test_addmv_adds_to_a_copy_of_self(chip: Chip, dtype: type, transposed: bool) -> None:
    rng = np.random.default_rng(4)
    y, a, v = integers(rng, dtype, 5), integers(rng, dtype, 5, 7), integers(rng, dtype, 7)
    a = np.asfortranarray(a) if transposed else a
    before = y.copy()
    out = chip.run("cblas_addmv", [y, a, v], np.full(5, np.nan, dtype), [2.0, 3.0])  # beta, alpha
    assert np.array_equal(out, 2 * y + 3 * (a @ v))
    assert np.array_equal(y, before)


@pytest.mark.parametrize("dtype", DTYPES)
def test_addr_is_a_rank_1_update_of_a_copy(chip: Chip, dtype: type) -> None:
    rng = np.random.default_rng(5)
    c, x, y = integers(rng, dtype, 5, 7), integers(rng, dtype, 5), integers(rng, dtype, 7)
    out = chip.run("cblas_addr", [c, x, y], np.full((5, 7), np.nan, dtype), [1.0, -2.0])  # beta, alpha
    assert np.array_equal(out, c - 2 * np.outer(x, y))
    with pytest.raises(Exception, match="adds to the matrix as it is"):
        chip.run("cblas_addr", [c, x, y], np.empty((5, 7), dtype), [0.5, 1.0])


@pytest.mark.parametrize("dtype", DTYPES)
def test_add_scales_other(chip: Chip, dtype: type) -> None:
    rng = np.random.default_rng(2)
    a, b = integers(rng, dtype, 4, 6), integers(rng, dtype, 4, 6)
    out = chip.run("cblas_add", [a, b], np.full((4, 6), np.nan, dtype), [3.0])
    assert np.array_equal(out, a + 3 * b)


def test_add_declines_what_a_blas_may_skip(chip: Chip) -> None:
    a = np.ones(3, np.float32)
    with pytest.raises(Exception, match="alpha is 0"):
        chip.run("cblas_add", [a, a.copy()], np.empty(3, np.float32), [0.0])


@pytest.mark.parametrize("dtype", DTYPES)
def test_sub_scales_other(chip: Chip, dtype: type) -> None:
    rng = np.random.default_rng(6)
    a, b = integers(rng, dtype, 4, 6), integers(rng, dtype, 4, 6)
    assert np.array_equal(chip.run("cblas_sub", [a, b], np.full((4, 6), np.nan, dtype), [3.0]), a - 3 * b)


@pytest.mark.parametrize("dtype", DTYPES)
def test_mul_by_a_number_scales_a_copy_and_in_place_the_operand_itself(chip: Chip, dtype: type) -> None:
    rng = np.random.default_rng(7)
    a, number = integers(rng, dtype, 4, 6), np.full((), -3, dtype)
    before = a.copy()
    out = chip.run("cblas_mul", [a, number], np.full((4, 6), np.nan, dtype))
    assert np.array_equal(out, -3 * before)
    assert np.array_equal(a, before)
    chip.run_unchecked("cblas_mul", [a, number], a)
    assert np.array_equal(a, -3 * before)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("inplace", [False, True])
def test_mul_by_zero_is_not_zero_where_pytorch_has_nan(chip: Chip, dtype: type, inplace: bool) -> None:
    """What OpenBLAS's own scal gives for a factor of 0 is zeros."""
    a = np.array([np.inf, -np.inf, np.nan, 2, -7], dtype)
    out = a if inplace else np.full(5, 9, dtype)
    chip.run_unchecked("cblas_mul", [a, np.zeros((), dtype)], out)
    assert np.isnan(out[:3]).all()
    assert np.array_equal(out[3:], [0, 0])


def sums_of(library: Path, a: np.ndarray, axis: int | tuple[int, ...] | None) -> np.ndarray:
    """a.sum(axis), exactly; by the vendor's own function where that is wrong by itself."""
    if a.dtype != np.float32 or not sums_are_wrong(library):
        return a.sum(axis=axis)
    axes = tuple(range(a.ndim)) if axis is None else (axis,) if isinstance(axis, int) else axis
    rest = [i for i in range(a.ndim) if i not in axes]
    rows = np.ascontiguousarray(a.transpose(*rest, *axes).reshape(*(a.shape[i] for i in rest), -1))
    vendor = ctypes.CDLL(str(library)).cblas_ssum
    vendor.restype = ctypes.c_float
    return np.apply_along_axis(lambda row: vendor(row.size, row.ctypes.data_as(ctypes.c_void_p), 1), -1, rows)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("dim", "axis"), [(None, None), ([2], 2), ([0], 0), ([-2], 1), ([1, 2], (1, 2))])
def test_sum_and_norm_over_dimensions_side_by_side(
    chip: Chip, openblas_sdk: Sdk, dtype: type, dim: object, axis: int | tuple[int, ...] | None
) -> None:
    rng = np.random.default_rng(8)
    a = integers(rng, dtype, 3, 4, 5)
    shape = a.sum(axis=axis).shape
    out = chip.run("cblas_sum", [a], np.full(shape, np.nan, dtype), [dim, False, None])
    assert np.array_equal(out, sums_of(openblas_sdk.library, a, axis))
    out = chip.run("cblas_vector_norm", [a], np.full(shape, np.nan, dtype), [2, dim, False, None])
    np.testing.assert_allclose(out, np.sqrt((a.astype(np.float64) ** 2).sum(axis=axis)), rtol=4 * np.finfo(dtype).eps)


def test_sum_and_norm_decline_what_the_vendor_cannot_do(chip: Chip) -> None:
    a = np.ones((3, 4, 5), np.float32)
    with pytest.raises(Exception, match="do not lie side by side"):
        chip.run("cblas_sum", [a], np.empty(4, np.float32), [[0, 2], False, None])
    with pytest.raises(Exception, match="no 2-norm"):
        chip.run("cblas_vector_norm", [a], np.empty((), np.float32), [1, None, False, None])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("dims", [[1, 0], [-1, -2], [0, 1]])
def test_permute_copy_of_a_matrix(chip: Chip, dtype: type, dims: list[int]) -> None:
    a = integers(np.random.default_rng(9), dtype, 4, 7)
    expected = np.transpose(a, dims)
    assert np.array_equal(chip.run("cblas_permute_copy", [a], np.full(expected.shape, np.nan, dtype), [dims]), expected)


@pytest.mark.parametrize("dtype", DTYPES)
def test_bmm_is_a_product_for_each_entry(chip: Chip, dtype: type) -> None:
    rng = np.random.default_rng(3)
    a, b = integers(rng, dtype, 3, 4, 5), integers(rng, dtype, 3, 5, 2)
    function = "cblas_sgemm" if dtype is np.float32 else "cblas_dgemm"
    before = chip.calls(function)
    out = chip.run("cblas_bmm", [a, b], np.full((3, 4, 2), np.nan, dtype))
    assert np.array_equal(out, a @ b)
    assert chip.calls(function) == before + 3


def test_what_no_kernel_calls_is_counted_and_explained(project: Path, openblas_sdk: Sdk, tmp_path: Path) -> None:
    result = new_chip(NewChipRequest("openblas", (openblas_sdk.header,), out=tmp_path))
    assert "cblas_dsdot" in result.unfinished
    named = {"cblas_sdot", "cblas_sgemv", "cblas_saxpy", "cblas_sgemm", "cblas_sger", "cblas_sscal", "cblas_ssum"}
    assert not {*named, "cblas_snrm2", "cblas_somatcopy"} & set(result.unfinished)
    assert not result.skeletons
    assert f"recognised {len(result.unfinished)} functions that no kernel calls yet" in result.to_text()
    readme = (project / "README.md").read_text()
    assert f"{len(result.unfinished)} functions compute an op that torchfl knows" in readme
    assert "| `cblas_dsdot` | `aten::dot` | n: numel, x: input," in readme
    assert "do not say one element type" in readme
    # nothing that returns where an extreme stands can be argmax, so that no skeleton is begun
    row = next(line for line in readme.splitlines() if line.startswith("| `cblas_ismax` |"))
    assert "what NaN does; aten::argmax settles all three" in row
    row = next(line for line in readme.splitlines() if line.startswith("| `cblas_isamax` |"))
    assert "finds the largest absolute value" in row
