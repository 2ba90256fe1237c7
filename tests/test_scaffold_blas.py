"""The rest of a BLAS from its own cblas.h: results returned by value, matrix times vector, axpy, a loop of products."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from build_helpers import Chip, load_chip
from helpers import Sdk
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
    for name in ("aten::add", "aten::addmv", "aten::addr", "aten::bmm", "aten::dot", "aten::mv"):
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
    assert "cblas_sscal" in result.unfinished
    assert not {"cblas_sdot", "cblas_sgemv", "cblas_saxpy", "cblas_sgemm", "cblas_sger"} & set(result.unfinished)
    assert f"recognised {len(result.unfinished)} more that no kernel calls yet" in result.to_text()
    readme = (project / "README.md").read_text()
    assert f"{len(result.unfinished)} functions compute an op that torchfl knows" in readme
    assert "| `cblas_sscal` | `aten::mul_.Scalar` | N: numel, alpha: alpha," in readme
