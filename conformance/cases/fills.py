"""How values are drawn: deterministic by seed, the same on every torch and platform.

Values come from the raw 64-bit words of a Philox counter generator, whose stream is fixed, not from a library's
distributions, which change between releases. The last element of a drawn tensor is always an ordinary value that no
op of the catalogue maps to zero: otherwise a kernel that never writes its last element could not be caught.
"""

from __future__ import annotations

import numpy as np
import torch
from torchfl_sdk.conformance.cases.dtypes import is_float, mantissa_bits, torch_dtype

#: The last element of each operand: floor, ceil, log and relu of it are not zero, nor is a difference of two of them.
_LAST = (1.75, 0.625, 1.375)
_LAST_INTEGER = (7, 3, 5)


def draw(fill: str, shape: tuple[int, ...], dtype: str, seed: int, operand: int = 0) -> torch.Tensor:
    """A contiguous CPU tensor of ``shape`` and ``dtype``; ``special:P:X``: special values in phase P, the last one X.

    ``operand`` is the input's place in the call: the last elements of two operands differ.

    Raises ValueError for an unknown fill.
    """
    n = int(np.prod(shape, dtype=np.int64))
    words = np.random.Philox(key=seed & (2**64 - 1)).random_raw(2 * n).reshape(2, n)
    unit = (words[0] >> np.uint64(11)).astype(np.float64) * 2.0**-53  # [0, 1)
    sign = np.where(words[1] & np.uint64(1), -1.0, 1.0)
    name, _, argument = fill.partition(":")
    if name == "odd":
        values = _odd(unit, sign, int(argument))
    elif name == "signs":
        values = sign
    elif name == "pick":
        values = _pick(shape, words[0])
    elif name == "holes":
        values = _holes(shape, words, _floats("normal", unit, sign, dtype, 0, operand))
    elif name == "nan":
        values = np.full(n, np.nan)
    elif name in ("index", "cyclic", "beyond", "negative"):
        return torch.from_numpy(_indices(name, argument, shape, words[0])).to(torch_dtype(dtype))
    elif name == "levels":
        values = _levels(words[0], int(argument))
    elif name in ("ties", "rare", "mostly"):
        values = _sparse(name, words)
    elif is_float(dtype):
        phase, _, last = argument.partition(":")
        values = _floats(name, unit, sign, dtype, int(phase or 0), operand)
        if last and values.size:
            values[-1] = float(last)
    else:
        return _integers(name, words, shape, dtype, operand)
    return torch.from_numpy(values.reshape(shape).copy()).to(torch_dtype(dtype))


def _floats(name: str, unit: np.ndarray, sign: np.ndarray, dtype: str, phase: int, operand: int) -> np.ndarray:
    magnitude = 0.05 + 2.95 * unit
    values = magnitude if name in ("positive", "special_positive") else sign * magnitude
    if name == "near_one":
        values = sign * (0.75 + 0.5 * unit)
    elif name == "high":
        values = 100 + values
    elif name == "tiny":
        values = values * 2.0**-12
    elif name == "unit":
        values = sign * (0.02 + 0.96 * unit)
    elif name == "above_one":
        values = 1 + magnitude
    if name == "nonzero":
        values = sign * (0.25 + 1.75 * unit)
    elif name in ("special", "special_positive", "special_finite"):
        values = _specials(values, dtype, phase)
        if name == "special_finite":
            values = np.where(np.isinf(values), np.copysign(1.5, values), values)
    elif name not in ("normal", "positive", "near_one", "high", "tiny", "unit", "above_one"):
        raise ValueError(f"unknown fill {name!r}")
    if values.size and name != "tiny":
        values[-1] = _LAST[1] if name == "unit" else _LAST[operand % 3] + (100 if name == "high" else 0)
    return values


#: Few values, so that two operands often meet in the same one; zero among them.
_LEVELS = (-2.0, 0.0, 1.0, 3.0)


def _levels(words: np.ndarray, last: int) -> np.ndarray:
    values = np.asarray(_LEVELS)[(words % np.uint64(len(_LEVELS))).astype(np.int64)]
    if values.size:
        values[-1] = _LEVELS[last]
    return values


def _sparse(name: str, words: np.ndarray) -> np.ndarray:
    """ties: the largest and the smallest value in several places; rare: few non-zeros; mostly: few zeros, none late."""
    n = words.shape[1]
    chance = (words[0] >> np.uint64(7)) % np.uint64(16) == 0
    if name == "ties":
        values = np.asarray((0.0, 1.0, -1.0, 2.0))[(words[1] % np.uint64(4)).astype(np.int64)]
        place = np.arange(n) % 7
        values[(place == 2) | (place == 5)], values[(place == 1) | (place == 4)] = 3.0, -3.0
        values[(place == 6) & (values == 0)] = (
            2.0  # so that no result of the last row's end is 0, as unwritten memory is
        )
        values[:1] = 1.0
    elif name == "rare":
        values = np.where(chance, 1.0, 0.0)
        values[-1:] = 1.0
    else:
        values = np.where(chance & (np.arange(n) < n // 2), 0.0, 1.0)
    return np.asarray(values)


def _indices(name: str, argument: str, shape: tuple[int, ...], words: np.ndarray) -> np.ndarray:
    """index:N: places below N, the last one among them; beyond:N and negative:N: the last is none, but N or -1;
    cyclic:N:D: no place twice along dimension D."""
    if name != "cyclic":
        count = int(argument)
        values = (words % np.uint64(count)).astype(np.int64)
        if values.size:
            values[-1] = {"index": count - 1, "beyond": count, "negative": -1}[name]
        return values.reshape(shape)
    count, dim = (int(part) for part in argument.split(":"))
    lanes = np.indices(shape).sum(axis=0) if shape else np.zeros((), np.int64)
    return np.asarray((lanes + (count - 1)) % count, dtype=np.int64) if dim < max(len(shape), 1) else lanes


def special_values(dtype: str) -> tuple[float, ...]:
    """NaN, infinities, signed zeros, denormals, the smallest normal, the largest, and plain neighbours."""
    info = torch.finfo(torch_dtype(dtype))
    tiny = info.smallest_normal * 2.0 ** -mantissa_bits(dtype)
    return (
        float("nan"), float("inf"), -float("inf"), 0.0, -0.0, tiny, -info.smallest_normal / 4,
        info.smallest_normal, info.max, -info.max, 1.0, -1.0, 0.5, 2.0,
    )  # fmt: skip


def _specials(values: np.ndarray, dtype: str, phase: int) -> np.ndarray:
    """Special values first; ``phase`` 0 cycles fast and 1 slowly, so that two operands meet in every pair."""
    special = np.array(special_values(dtype))
    count = min(len(special) ** 2, values.size // 4)
    index = np.arange(count)
    index = index % len(special) if phase == 0 else (index // len(special)) % len(special)
    values[:count] = special[index]
    return values


def _odd(unit: np.ndarray, sign: np.ndarray, bits: int) -> np.ndarray:
    """Odd integers below 2**bits: their last bit is lost in any format with fewer bits."""
    half = 2 ** (bits - 1)
    return np.asarray(sign * (2 * np.floor(unit * half) + 1))


def _holes(shape: tuple[int, ...], words: np.ndarray, values: np.ndarray) -> np.ndarray:
    """What is added to attention's scores: some are taken out, and all of each matrix's first row."""
    rows = values.reshape(-1, *shape[-2:])
    taken = ((words[0] >> np.uint64(7)) % np.uint64(3) == 0).reshape(rows.shape)
    taken[:, :, -1] = False  # a row but the first keeps its last one
    taken[:, 0] = True
    return np.where(taken, -np.inf, rows)


def _pick(shape: tuple[int, ...], words: np.ndarray) -> np.ndarray:
    """A matrix with one +-1 per column: a product with it picks rows, so that the result is exact in any accumulator.

    Columns pick rows in turn from both ends, so that the last rows (a block's tail) are picked too.
    """
    rows, columns = shape[-2], shape[-1]
    result = np.zeros(shape).reshape(-1, rows, columns)
    for column in range(columns):
        row = rows - 1 - column // 2 % rows if column % 2 == 0 else column // 2 % rows
        result[:, row, column] = np.where(words.reshape(-1, rows, columns)[:, row, column] & np.uint64(2), -1.0, 1.0)
    return result


def _integers(name: str, words: np.ndarray, shape: tuple[int, ...], dtype: str, operand: int) -> torch.Tensor:
    if dtype == "bool":  # fill "mask", or any other
        return torch.from_numpy((words[0] & np.uint64(1)).astype(np.bool_).reshape(shape))
    info = torch.iinfo(torch_dtype(dtype))
    if name in ("full_range", "special"):
        low, high = max(info.min, -(2**40)), min(info.max, 2**40)
    elif name in ("normal", "nonzero", "positive", "special_positive", "near_one", "high"):
        low, high = max(info.min, -9), 9
    else:
        raise ValueError(f"unknown fill {name!r}")
    values = low + (words[0] % np.uint64(high - low + 1)).astype(np.int64)
    values = np.where(values == 0, 1, values) if name in ("nonzero", "positive", "normal") else values
    if name in ("positive", "special_positive"):
        values = np.abs(values)
    if name == "special" and values.size >= 6:
        values[:4] = (info.min, info.max, 0, 1)
    if values.size:
        values[-1] = _LAST_INTEGER[operand % 3]
    return torch.from_numpy(values.reshape(shape).copy()).to(torch_dtype(dtype))
