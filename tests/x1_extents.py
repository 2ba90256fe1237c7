"""Calls of x1's functions beyond element by element: one list, for the kernels' own tests and for the mutants'."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from x1_helpers import DTYPES, X1, Tensor


@dataclass(frozen=True)
class Out:
    """Memory for a result."""

    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True)
class Struct:
    """One or several x1_tensor_t: arrays, or an :class:`Out`."""

    tensors: tuple[Any, ...]


@dataclass(frozen=True)
class Call:
    """``arguments``: arrays and Outs go to device memory, ints are C ints, ("n", i) is a size, tuples of ints arrays.
    ``reference``: from nothing to the results."""

    op: str
    function: str
    arguments: tuple[Any, ...]
    reference: Callable[[], tuple[torch.Tensor, ...]]


def run(x1: X1, call: Call) -> list[np.ndarray]:
    """Make a call; its results in order."""
    status, results = enter(x1, call)
    x1.ok(status)
    return results


def enter(x1: X1, call: Call) -> tuple[int, list[np.ndarray]]:
    """Make a call that may be refused; its status, and what its results' memory holds then."""
    outs: list[tuple[int, Out]] = []
    memory: list[int] = []
    keep: list[Any] = []

    def place(value: Any) -> int:
        array = np.full(value.shape, 77, value.dtype) if isinstance(value, Out) else value
        memory.append(x1.upload(array))
        if isinstance(value, Out):
            outs.append((memory[-1], value))
        return memory[-1]

    def converted(value: Any) -> Any:
        if value is None:
            return None
        if isinstance(value, Struct):
            made = [
                Tensor(place(t), DTYPES[np.dtype(t.dtype).name], 0, len(t.shape), (ctypes.c_int * 4)(*t.shape))
                for t in value.tensors
            ]
            keep.append((Tensor * len(made))(*made))
            return keep[-1]
        if isinstance(value, (np.ndarray, Out)):
            return ctypes.c_void_p(place(value))
        if isinstance(value, tuple) and value[0] == "n":
            return ctypes.c_size_t(value[1])
        if isinstance(value, tuple):
            return (ctypes.c_int * len(value))(*value)
        return ctypes.c_float(value) if isinstance(value, float) else ctypes.c_int(value)

    status = getattr(x1, call.function)(*[converted(a) for a in call.arguments])
    results = [x1.download(pointer, out.shape, out.dtype) for pointer, out in outs]
    x1.free(*memory)
    return status, results


def _n(*sizes: int) -> tuple[Any, ...]:
    return tuple(("n", size) for size in sizes)


def outside_calls(dtype: str) -> Iterator[Call]:
    """Calls that a right chip refuses: the last value of the index is one past the end of its dimension, or -1."""
    code, table = DTYPES[dtype], np.arange(12).astype(dtype).reshape(3, 4)
    for last in (3, -1):
        index = np.array([2, last], "int64")
        places = np.array([[0, 1, 2, 0], [1, 2, 0, last]], "int64")
        rows = (table, index, Out((2, 4), dtype))
        yield Call("aten::embedding", "x1_embedding", (*rows, *_n(3, 4, 2), code), tuple)
        yield Call("aten::index_select", "x1_index_select", (*rows, *_n(1, 3, 4, 2), code), tuple)
        yield Call(
            "aten::gather",
            "x1_gather",
            (table, places, Out((2, 4), dtype), 2, table.shape, places.shape, 0, code),
            tuple,
        )


def calls(dtype: str) -> Iterator[Call]:
    """Calls in one element type, with values on which every wrong chip differs from a right one."""
    rng = np.random.default_rng(5)
    code = DTYPES[dtype]

    def draw(*shape: int) -> np.ndarray:
        return (
            rng.integers(-100, 100, shape).astype(dtype)
            if dtype == "int8"
            else rng.standard_normal(shape).astype(dtype)
        )

    def wide(array: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(array.astype("float32"))

    x, y = draw(3, 5, 4), draw(3, 5, 4)
    y[:, 0] = x[:, 0]
    x[1, 2:4] = 90 if dtype == "int8" else 9.5  # the largest twice, away from both ends
    mask = (rng.random((3, 5, 4)) < 0.5).astype("uint8")
    n = _n(60)
    yield Call("aten::eq", "x1_equal", (x, y, Out(x.shape, "uint8"), *n, code), lambda: (wide(x) == wide(y),))
    yield Call("aten::gt", "x1_greater", (x, y, Out(x.shape, "uint8"), *n, code), lambda: (wide(x) > wide(y),))
    yield Call(
        "aten::where",
        "x1_where",
        (mask, x, y, Out(x.shape, dtype), *n, code),
        lambda: (torch.where(torch.from_numpy(mask) != 0, wide(x), wide(y)),),
    )
    yield Call(
        "aten::masked_fill",
        "x1_masked_fill",
        (x, mask, Out(x.shape, dtype), *n, 2.0, code),
        lambda: (wide(x).masked_fill(torch.from_numpy(mask) != 0, 2.0),),
    )
    extents = _n(3, 5, 4)
    yield Call("aten::amax", "x1_reduce_max", (x, Out((3, 4), dtype), *extents, code), lambda: (wide(x).amax(1),))
    yield Call("aten::argmax", "x1_argmax", (x, Out((3, 4), "int64"), *extents, code), lambda: (wide(x).argmax(1),))
    index = np.array([4, 0, 3], "int64")
    yield Call(
        "aten::index_select",
        "x1_index_select",
        (x, index, Out((3, 3, 4), dtype), *extents, *_n(3), code),
        lambda: (wide(x)[:, torch.from_numpy(index)],),
    )
    rows = np.array([2, 0, 2, 1], "int64")
    yield Call(
        "aten::embedding",
        "x1_embedding",
        (draw_table := draw(3, 7), rows, Out((4, 7), dtype), *_n(3, 7, 4), code),
        lambda: (wide(draw_table)[torch.from_numpy(rows)],),
    )
    places = rng.integers(0, 5, (2, 3, 3)).astype("int64")
    yield Call(
        "aten::gather",
        "x1_gather",
        (x, places, Out(places.shape, dtype), 3, x.shape, places.shape, 1, code),
        lambda: (wide(x).gather(1, torch.from_numpy(places)),),
    )
    yield Call(
        "aten::permute_copy",
        "x1_permute",
        (x, Out((4, 3, 5), dtype), 3, x.shape, (2, 0, 1), code),
        lambda: (wide(x).permute(2, 0, 1),),
    )
    parts = (draw(3, 2, 4), draw(3, 5, 4))
    yield Call(
        "aten::cat",
        "x1_concat",
        (Struct(parts), 2, Struct((Out((3, 7, 4), dtype),)), 1),
        lambda: (torch.cat([wide(part) for part in parts], 1),),
    )
    if dtype == "int8":
        return
    other = "float16" if dtype == "float32" else "float32"
    yield Call("aten::_to_copy", "x1_cast", (x, code, Out(x.shape, other), DTYPES[other], *n), lambda: (wide(x),))
    yield Call("aten::sum", "x1_reduce_sum", (x, Out((3, 4), dtype), *extents, code), lambda: (wide(x).sum(1),))
    yield Call("aten::mean", "x1_reduce_mean", (x, Out((3, 4), dtype), *extents, code), lambda: (wide(x).mean(1),))
    high = (x + 95).astype(dtype)
    yield Call(
        "aten::softmax", "x1_softmax", (high, Out(x.shape, dtype), *extents, code), lambda: (wide(high).softmax(1),)
    )
    flat = high.reshape(15, 4)
    yield Call(
        "aten::log_softmax",
        "x1_log_softmax",
        (flat, Out((15, 4), dtype), 15, 4, code),
        lambda: (wide(flat).log_softmax(1),),
    )
    w, b = draw(4), draw(4)
    yield Call(
        "aten::layer_norm",
        "x1_layer_norm",
        (x, w, b, Out(x.shape, dtype), Out((15,), dtype), Out((15,), dtype), 15, 4, 1e-3, code),
        lambda: tuple(
            t.reshape(-1) if i else t
            for i, t in enumerate(torch.native_layer_norm(wide(x), (4,), wide(w), wide(b), 1e-3))
        ),
    )
    yield Call(
        "aten::rms_norm",
        "x1_rms_norm",
        (x, w, Out(x.shape, dtype), 15, 4, 0.25, code),
        lambda: (functional.rms_norm(wide(x), (4,), wide(w), 0.25),),
    )
    mean, var = draw(5), np.abs(draw(5)) + np.array(1, dtype)
    yield Call(
        "aten::batch_norm",
        "x1_batch_norm",
        (x, mean, var, None, None, Out(x.shape, dtype), 3, 5, 4, 1e-3, code),
        lambda: (functional.batch_norm(wide(x), wide(mean), wide(var), eps=1e-3),),
    )
    image = draw(2, 3, 6, 7)
    yield Call(
        "aten::max_pool2d",
        "x1_max_pool2d",
        (image, Out((2, 3, 3, 4), dtype), Out((2, 3, 3, 4), "int64"), 6, 6, 7, 3, 4, 3, 2, 2, 2, 1, 1, code),
        lambda: functional.max_pool2d(wide(image), (3, 2), 2, 1, return_indices=True),
    )
    yield Call(
        "aten::avg_pool2d",
        "x1_avg_pool2d",
        (Struct((image,)), Struct((Out((2, 3, 3, 4), dtype),)), (3, 2), (2, 2), (1, 1), 0),
        lambda: (functional.avg_pool2d(wide(image), (3, 2), 2, 1, count_include_pad=False),),
    )
    q, k, v, added = draw(2, 2, 3, 4), draw(2, 2, 5, 4), draw(2, 2, 5, 4), draw(2, 2, 3, 5)
    for causal, bias in ((0, added), (1, None)):
        yield Call(
            "aten::scaled_dot_product_attention",
            "x1_attention",
            (q, k, v, bias, Out(q.shape, dtype), 2, 2, 3, 5, 4, 0.5, causal, code),
            lambda causal=causal, bias=bias: (
                functional.scaled_dot_product_attention(
                    wide(q), wide(k), wide(v), None if bias is None else wide(bias), is_causal=bool(causal), scale=0.5
                ),
            ),
        )
