"""The simulated X1 board's kernels against numpy: numerics, limits and what they refuse."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Iterator

import numpy as np
import pytest
import torch

import x1_helpers as helpers
from x1_helpers import BINARY, DTYPES, INVALID_VALUE, UNARY, UNSUPPORTED, X1

INT8_FUNCTIONS = ("x1_add", "x1_sub", "x1_mul", "x1_maximum", "x1_minimum", "x1_relu", "x1_neg", "x1_abs")
Pair = tuple[int, int]
SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-7, -6e-8, 65504.0, -65504.0, 0.5, 88.0, -88.0, -104.0]


@pytest.fixture
def x1() -> Iterator[X1]:
    with helpers.load().running() as board:
        yield board


def binary_reference(name: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    functions = {
        "x1_add": np.add,
        "x1_sub": np.subtract,
        "x1_mul": np.multiply,
        "x1_div": np.divide,
        "x1_maximum": np.maximum,
        "x1_minimum": np.minimum,
    }
    return functions[name](a, b)


def unary_reference(name: str, x: np.ndarray) -> np.ndarray:
    """In the dtype of x."""

    def sigmoid(x: np.ndarray) -> np.ndarray:
        e = np.exp(-np.abs(x))
        return np.where(x >= 0, 1, e) / (1 + e)

    functions = {
        "x1_relu": lambda x: np.where(x <= 0, x.dtype.type(0), x),
        "x1_neg": np.negative,
        "x1_abs": np.abs,
        "x1_exp": np.exp,
        "x1_log": np.log,
        "x1_sqrt": np.sqrt,
        "x1_rsqrt": lambda x: 1 / np.sqrt(x),
        "x1_sigmoid": sigmoid,
        "x1_tanh": np.tanh,
        "x1_silu": lambda x: x * sigmoid(x),
    }
    return functions[name](x)


def assert_close(actual: np.ndarray, expected64: np.ndarray, ulps: float) -> None:
    """Within `ulps` units in the last place of the float64 reference rounded to the result's dtype."""
    with np.errstate(all="ignore"):
        expected = expected64.astype(actual.dtype)
        finite = np.isfinite(expected)
        np.testing.assert_array_equal(actual[~finite], expected[~finite])
        unit = np.spacing(np.abs(expected[finite])).astype(np.float64)
        unit[np.isinf(unit)] = 32.0  # numpy's answer for the largest half
        error = np.abs(actual[finite].astype(np.float64) - expected[finite].astype(np.float64))
    assert (error <= ulps * unit).all(), f"worst {np.max(error / unit)} ulp"


def values(dtype: str, n: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if dtype == "int8":
        return rng.integers(-128, 128, n).astype("int8")
    spread = rng.standard_normal(n) * 10.0 ** rng.integers(-3, 3, n)
    spread[: len(SPECIAL)] = rng.permutation(SPECIAL)
    with np.errstate(over="ignore"):
        return spread.astype(dtype)


# ---- element-wise -----------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("name", BINARY)
def test_binary_float_functions_round_once(x1: X1, name: str, dtype: str) -> None:
    """Bitwise numpy's: it computes float16 in float32 and rounds once too."""
    a, b = values(dtype, 3001, 1), values(dtype, 3001, 2)
    a[-15:], b[-15:] = np.repeat(np.array(SPECIAL[:5], dtype), 3), np.tile(np.array([1, np.nan, -0.0], dtype), 5)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(x1.elementwise(name, a, b), binary_reference(name, a, b))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("name", [name for name in UNARY if name != "x1_gelu"])
def test_unary_float_functions(x1: X1, name: str, dtype: str) -> None:
    x = values(dtype, 3001, 3)
    if name == "x1_silu":
        x = x.clip(-80, None)  # below, the factor exp(x) is subnormal and has lost bits
    with np.errstate(all="ignore"):
        expected = unary_reference(name, x.astype(np.float64))
    exact = name in ("x1_relu", "x1_neg", "x1_abs", "x1_sqrt")
    assert_close(x1.elementwise(name, x), expected, 0 if exact else 1 if dtype == "float16" else 4)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_gelu(x1: X1, dtype: str) -> None:
    """Its factor, between 0 and 1, is right to a few units in the last place of 1: so is the result, in units of x."""
    x = values(dtype, 3001, 3)
    finite = np.isfinite(x)
    exact = x.astype(np.float64)[finite]
    expected = 0.5 * exact * torch.erfc(torch.from_numpy(-exact * 0.5**0.5)).numpy()
    actual = x1.elementwise("x1_gelu", x)
    with np.errstate(over="ignore"):  # numpy's answer for the largest half is inf
        unit = np.maximum(np.spacing(np.abs(x[finite])).astype(np.float64), np.finfo(dtype).tiny)
    assert (np.abs(actual[finite] - expected) <= 2 * unit).all()
    assert (actual[x == np.inf] == np.inf).all()
    assert np.isnan(actual[np.isnan(x)]).all()


@pytest.mark.parametrize("name", INT8_FUNCTIONS)
def test_int8_wraps_around_as_torch_does(x1: X1, name: str) -> None:
    every = np.arange(-128, 128).astype("int8")
    if name in BINARY:
        a, b = np.repeat(every, 256), np.tile(every, 256)
        np.testing.assert_array_equal(x1.elementwise(name, a, b), binary_reference(name, a, b))
    else:
        np.testing.assert_array_equal(x1.elementwise(name, every), unary_reference(name, every))


def test_every_half_survives_and_rounding_is_to_nearest_even(x1: X1) -> None:
    """All 65,536 halves through the conversions, and products that land on every kind of tie."""
    every = np.arange(65536).astype(np.uint16).view(np.float16)
    result = x1.elementwise("x1_neg", x1.elementwise("x1_neg", every))
    number = ~np.isnan(every)
    assert (result.view(np.uint16)[number] == every.view(np.uint16)[number]).all()
    assert np.isnan(result[~number]).all()
    rng = np.random.default_rng(4)
    for factor in (0.5, 0.25, 1.5, 1.0009765625, 1 / 1024, 3.0):
        other = np.where(rng.random(65536) < 0.5, factor, -factor).astype(np.float16)
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(x1.elementwise("x1_mul", every, other), every * other)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_leaky_relu(x1: X1, dtype: str) -> None:
    x = values(dtype, 777, 5)
    with np.errstate(all="ignore"):
        expected = np.where(x > 0, x, np.float32(0.3) * x.astype(np.float32))
    assert_close(x1.elementwise("x1_leaky_relu", x, extra=(0.3,)), expected, 1)


@pytest.mark.parametrize("name", [*BINARY, *UNARY, "x1_leaky_relu"])
def test_which_dtypes_a_function_takes(x1: X1, name: str) -> None:
    pointer = x1.malloc(64)
    pointers = [pointer] * (3 if name in BINARY else 2)
    extra = [0.1] if name == "x1_leaky_relu" else []
    function = getattr(x1, name)
    for dtype, code in DTYPES.items():
        served = dtype != "int8" or name in INT8_FUNCTIONS
        assert function(*pointers, 4, *extra, code) == (0 if served else UNSUPPORTED)
    assert function(*pointers, 4, *extra, 3) == INVALID_VALUE
    assert function(*[None] * len(pointers), 0, *extra, 0) == 0
    x1.free(pointer)


def test_element_wise_arguments_are_checked(x1: X1) -> None:
    a = x1.malloc(64)
    host = np.zeros(16, np.float32)
    for pointers, n in (
        ((None, a, a), 4),
        ((a, None, a), 4),
        ((a, a, None), 4),
        ((a, a, a), 17),
        ((a, a, a), 2**62),
        ((a + 2, a, a), 4),
        ((host.ctypes.data, a, a), 4),
        ((a, a + 4, a), 4),
    ):
        assert x1.x1_add(*pointers, n, 0) == INVALID_VALUE, (pointers, n)
    x1.free(a)


def test_output_may_be_an_input(x1: X1) -> None:
    for dtype in DTYPES:
        a = values(dtype, 1000, 6)
        pointer = x1.upload(a)
        x1.ok(x1.x1_add(pointer, pointer, pointer, a.size, DTYPES[dtype]))
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(x1.download(pointer, a.size, dtype), a + a)
        x1.free(pointer)


def test_nothing_is_written_behind_the_output(x1: X1) -> None:
    for dtype, n in itertools.product(DTYPES, (1, 63, 257)):
        a = values(dtype, max(n, 20), 7)[:n]
        given, out = x1.upload(a), x1.upload(a, room=256)
        x1.ok(x1.x1_abs(given, out, n, DTYPES[dtype]))
        assert (x1.download(out + a.nbytes, 256, "uint8") == 0xA5).all()
        x1.free(given, out)


# ---- gemm -------------------------------------------------------------------


def gemm(
    x1: X1, a: np.ndarray, b: np.ndarray, c: np.ndarray, ta: int, tb: int, alpha: float, beta: float, pad: int
) -> np.ndarray:
    """alpha * a @ b + beta * c through x1_gemm with stored transposes and NaN between the rows."""

    def stored(matrix: np.ndarray, transposed: int) -> tuple[int, int]:
        rows = matrix.T if transposed else matrix
        wide = np.full((rows.shape[0], rows.shape[1] + pad), np.nan, matrix.dtype)
        wide[:, : rows.shape[1]] = rows
        return x1.upload(wide), wide.shape[1]

    (pa, lda), (pb, ldb), (pc, ldc) = stored(a, ta), stored(b, tb), stored(c, 0)
    (m, k), n = a.shape, b.shape[1]
    x1.ok(x1.x1_gemm(DTYPES[a.dtype.name], ta, tb, m, n, k, alpha, pa, lda, pb, ldb, beta, pc, ldc))
    result = x1.download(pc, (m, ldc), a.dtype.name)
    assert np.isnan(result[:, n:]).all(), "wrote between the rows"
    x1.free(pa, pb, pc)
    return result[:, :n]


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize(("ta", "tb"), [(0, 0), (0, 1), (1, 0), (1, 1)])
@pytest.mark.parametrize(("m", "n", "k"), [(1, 1, 1), (5, 7, 3), (66, 300, 270), (1, 33, 600), (64, 1, 9)])
def test_gemm(x1: X1, dtype: str, ta: int, tb: int, m: int, n: int, k: int) -> None:
    rng = np.random.default_rng(m * n + k)
    a, b, c = (rng.standard_normal(shape).astype(dtype) for shape in ((m, k), (k, n), (m, n)))
    for alpha, beta, pad in ((1.0, 0.0, 0), (0.5, -2.0, 3)):
        got = gemm(x1, a, b, c, ta, tb, alpha, beta, pad)
        wide = [x.astype(np.float64) for x in (a, b, c)]
        expected = alpha * wide[0] @ wide[1] + beta * wide[2]
        size = np.abs(alpha) * np.abs(wide[0]) @ np.abs(wide[1]) + np.abs(beta) * np.abs(wide[2])
        unit = np.spacing(np.abs(expected).astype(dtype)).astype(np.float64)
        assert (np.abs(got - expected) <= unit + 6 * np.sqrt(k) * 2.0**-24 * size).all()


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_gemm_is_exact_on_integers(x1: X1, dtype: str) -> None:
    """Odd 12-bit integers (11-bit for float16) times small ones: every partial sum fits, so the result is exact."""
    rng = np.random.default_rng(8)
    top, factor = (4095, 15) if dtype == "float32" else (2047, 1)
    a = 2 * rng.integers(-top // 2, top // 2, (40, 16)) + 1
    b = rng.integers(-factor, factor + 1, (16, 50))
    nan = np.full((40, 50), np.nan, dtype)
    got = gemm(x1, a.astype(dtype), b.astype(dtype), nan, 0, 1, 1.0, 0.0, 0)
    np.testing.assert_array_equal(got, (a @ b).astype(dtype))


def test_gemm_sums_halves_in_float32(x1: X1) -> None:
    a, b = np.full((1, 4096), 1.0, np.float16), np.full((4096, 1), 1.0, np.float16)
    assert gemm(x1, a, b, np.zeros((1, 1), np.float16), 0, 0, 1.0, 0.0, 0).item() == 4096  # 2048 in float16


def test_gemm_degenerate_extents(x1: X1) -> None:
    c = np.arange(6, dtype=np.float32).reshape(2, 3)
    empty = np.zeros((2, 0), np.float32), np.zeros((0, 3), np.float32)
    pointer = x1.upload(c)
    x1.ok(x1.x1_gemm(0, 0, 0, 2, 3, 0, 1.0, None, 1, None, 3, 2.0, pointer, 3))
    np.testing.assert_array_equal(x1.download(pointer, (2, 3), "float32"), 2 * c + empty[0] @ empty[1])
    x1.ok(x1.x1_gemm(0, 0, 0, 0, 3, 4, 1.0, None, 4, None, 3, 0.0, None, 3))
    x1.free(pointer)


def test_gemm_arguments_are_checked(x1: X1) -> None:
    p, c = x1.malloc(400), x1.malloc(400)
    good = {"dtype": 0, "ta": 0, "tb": 0, "m": 10, "n": 10, "k": 10, "alpha": 1.0, "a": p, "lda": 10, "b": p, "ldb": 10}
    good |= {"beta": 0.0, "c": c, "ldc": 10}
    x1.ok(x1.x1_gemm(*good.values()))
    assert x1.x1_gemm(*(good | {"dtype": 2}).values()) == UNSUPPORTED
    for bad in (
        {"dtype": 5},
        {"ta": 2},
        {"m": -1},
        {"lda": 9},
        {"ldb": 9},
        {"ldc": 9},
        {"lda": 11},
        {"m": 11},
        {"c": p},
        {"a": None},
    ):
        assert x1.x1_gemm(*(good | bad).values()) == INVALID_VALUE, bad
    x1.free(p, c)


# ---- conv2d -----------------------------------------------------------------

CONVOLUTIONS = [
    # (n, c, h, w), out channels, (kh, kw), stride, padding, groups
    ((1, 3, 12, 14), 6, (3, 3), (1, 1), (0, 0), 1),
    ((2, 4, 9, 11), 8, (3, 2), (2, 1), (1, 2), 2),
    ((2, 8, 10, 10), 4, (1, 1), (4, 4), (0, 0), 4),
    ((1, 4, 13, 9), 12, (5, 3), (1, 4), (2, 0), 4),
    ((3, 2, 7, 7), 5, (7, 7), (2, 2), (2, 2), 1),
    ((1, 1, 1, 1), 1, (3, 3), (1, 1), (1, 1), 1),
]


def reference_conv(
    x: np.ndarray, w: np.ndarray, b: np.ndarray | None, stride: Pair, padding: Pair, groups: int
) -> np.ndarray:
    """In float64, by windows of the padded input."""
    x, w = x.astype(np.float64), w.astype(np.float64)
    x = np.pad(x, ((0, 0), (0, 0), (padding[0],) * 2, (padding[1],) * 2))
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], (2, 3))[:, :, :: stride[0], :: stride[1]]
    parts = zip(np.split(windows, groups, 1), np.split(w, groups), strict=True)
    y = np.concatenate([np.einsum("nchwij,ocij->nohw", part, weights) for part, weights in parts], 1)
    return y if b is None else y + b.astype(np.float64)[:, None, None]


@pytest.mark.parametrize(("shape", "out", "kernel", "stride", "padding", "groups"), CONVOLUTIONS)
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("dtype", ["float16", "int8"])
def test_conv2d(
    x1: X1,
    shape: tuple[int, ...],
    out: int,
    kernel: tuple[int, int],
    stride: Pair,
    padding: Pair,
    groups: int,
    bias: bool,
    dtype: str,
) -> None:
    rng = np.random.default_rng(sum(shape) + out)
    weights = (out, shape[1] // groups, *kernel)
    if dtype == "int8":
        x, w, b = ((rng.integers(12, 31, s) * rng.choice([-1, 1], s)).astype("int8") for s in (shape, weights, (out,)))
    else:
        x, w, b = (rng.standard_normal(s).astype("float16") for s in (shape, weights, (out,)))
    status, got = x1.conv2d(x, w, b if bias else None, stride, padding, groups=groups)
    x1.ok(status)
    expected = reference_conv(x, w, b if bias else None, stride, padding, groups)
    if dtype == "int8":
        assert np.abs(expected).max() > 127, "the case does not saturate"
        np.testing.assert_array_equal(got, expected.clip(-128, 127).astype("int8"))
        return
    k = weights[1] * kernel[0] * kernel[1]
    size = reference_conv(np.abs(x), np.abs(w), np.abs(b) if bias else None, stride, padding, groups)
    unit = np.spacing(np.abs(expected).astype(dtype)).astype(np.float64)
    assert (np.abs(got - expected) <= unit + 6 * np.sqrt(k) * 2.0**-24 * size).all()


def test_conv2d_limits(x1: X1) -> None:
    """The board's own limits: nothing outside them is computed, everything inside is."""
    x, w = np.ones((1, 24, 16, 16), "float16"), np.ones((24, 24, 3, 3), "float16")

    def status(stride=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1, layout=0, dtype="float16"):  # type: ignore[no-untyped-def]
        return x1.conv2d(
            x.astype(dtype), w[:, : 24 // groups].astype(dtype), None, stride, padding, dilation, groups, layout
        )

    for value in range(1, 7):
        assert (
            status(stride=(value, 1))[0] == status(stride=(1, value))[0] == (0 if value in (1, 2, 4) else UNSUPPORTED)
        )
        assert status(groups=value)[0] == UNSUPPORTED if value in (3, 6) else True
    for value in range(5):
        assert status(padding=(value, 0))[0] == status(padding=(0, value))[0] == (0 if value < 3 else UNSUPPORTED)
    for groups in (1, 2, 3, 4, 6, 8, 12, 24):
        assert status(groups=groups)[0] == (0 if groups in (1, 2, 4) else UNSUPPORTED)
    assert status(dilation=(2, 1))[0] == status(dilation=(1, 2))[0] == UNSUPPORTED
    assert status(layout=1)[0] == UNSUPPORTED
    refused, output = status(dtype="float32")
    assert refused == UNSUPPORTED
    assert (output == 77).all()


def test_conv2d_arguments_are_checked(x1: X1) -> None:
    ones = np.ones
    assert x1.conv2d(ones((1, 4, 8, 8), "int8"), ones((4, 3, 3, 3), "int8"))[0] == INVALID_VALUE  # channels
    assert x1.conv2d(ones((1, 4, 8, 8), "int8"), ones((4, 4, 3, 3), "float16"))[0] == INVALID_VALUE  # dtypes
    assert x1.conv2d(ones((1, 4, 8, 8), "int8"), ones((4, 4, 3, 3), "int8"), ones(5, "int8"))[0] == INVALID_VALUE
    assert x1.conv2d(ones((1, 4, 8, 8), "int8"), ones((6, 1, 3, 3), "int8"), groups=4)[0] == INVALID_VALUE
    assert x1.x1_conv2d(None, None, None, None, None, None, None, 1) == INVALID_VALUE
    pair = (ctypes.c_int * 2)(1, 1)
    zero = (ctypes.c_int * 2)(0, 0)
    pointer = x1.malloc(16)

    def tensor(*dims: int) -> helpers.Tensor:
        return helpers.Tensor(pointer, DTYPES["int8"], 0, len(dims), (ctypes.c_int * 4)(*dims))

    x, w, y, wrong = tensor(1, 1, 4, 4), tensor(1, 1, 2, 2), tensor(1, 1, 3, 3), tensor(1, 1, 4, 4)
    ref = ctypes.byref
    assert x1.x1_conv2d(ref(x), ref(w), None, ref(wrong), pair, zero, pair, 1) == INVALID_VALUE
    assert "expected 1x1x3x3" in x1.error
    assert x1.x1_conv2d(ref(x), ref(w), None, ref(y), pair, zero, pair, 1) == INVALID_VALUE
    assert "output overlaps input" in x1.error
    x1.free(pointer)


def test_conv2d_of_no_images(x1: X1) -> None:
    status, output = x1.conv2d(np.ones((0, 2, 5, 5), "float16"), np.ones((3, 2, 3, 3), "float16"))
    x1.ok(status)
    assert output.shape == (0, 3, 3, 3)
