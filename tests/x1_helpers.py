"""The simulated X1 SDK through ctypes: built once per process, with arrays that live in its device memory."""

from __future__ import annotations

import atexit
import ctypes
import functools
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from torchfl_sdk.chips import compile_sdk

SUCCESS, NOT_INITIALIZED, INVALID_VALUE, OUT_OF_MEMORY, UNSUPPORTED, DEVICE_ERROR = range(6)
HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE = 1, 2, 3
DTYPES = {"float32": 0, "float16": 1, "int8": 2}
BINARY = ("x1_add", "x1_sub", "x1_mul", "x1_div", "x1_maximum", "x1_minimum")
UNARY = ("x1_relu", "x1_neg", "x1_abs", "x1_exp", "x1_log", "x1_sqrt", "x1_rsqrt", "x1_sigmoid", "x1_tanh", "x1_silu",
         "x1_gelu")  # fmt: skip

_vp, _sz, _int, _f32 = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_float


class Tensor(ctypes.Structure):
    """x1_tensor_t."""

    _fields_ = (
        ("data", _vp),
        ("dtype", _int),
        ("layout", _int),
        ("ndim", _int),
        ("dims", _int * 4),
    )


class X1:
    """A loaded libx1.so. Every function of the header is an attribute that returns its status."""

    def __init__(self, library: Path) -> None:
        lib = ctypes.CDLL(str(library))
        lib.x1_get_last_error.restype = ctypes.c_char_p
        lib.x1_sim_calls.restype = ctypes.c_uint64
        signatures: dict[str, list[object]] = {
            "x1_malloc": [ctypes.POINTER(_vp), _sz],
            "x1_free": [_vp],
            "x1_memcpy": [_vp, _vp, _sz, _int],
            "x1_memset": [_vp, _int, _sz],
            "x1_mem_map": [_vp, _sz, ctypes.POINTER(_vp)],
            "x1_mem_unmap": [_vp],
            "x1_crc32": [_vp, _sz, ctypes.POINTER(ctypes.c_uint32)],
            "x1_dma_benchmark": [_sz, ctypes.POINTER(ctypes.c_double)],
            "x1_leaky_relu": [_vp, _vp, _sz, _f32, _int],
            "x1_gemm": [_int, _int, _int, _int, _int, _int, _f32, _vp, _int, _vp, _int, _f32, _vp, _int],
            "x1_conv2d": [*[ctypes.POINTER(Tensor)] * 4, *[ctypes.POINTER(_int)] * 3, _int],
            "x1_sim_calls": [ctypes.c_char_p],
            "x1_sim_set_faults": [ctypes.c_char_p],
        }
        for name in BINARY:
            signatures[name] = [_vp, _vp, _vp, _sz, _int]
        for name in UNARY:
            signatures[name] = [_vp, _vp, _sz, _int]
        for name, arguments in signatures.items():
            getattr(lib, name).argtypes = arguments
        self.lib = lib

    def __getattr__(self, name: str) -> object:
        return getattr(self.lib, name)

    @property
    def error(self) -> str:
        """The calling thread's last error text."""
        return self.lib.x1_get_last_error().decode()

    def ok(self, status: int) -> None:
        assert status == SUCCESS, f"status {status}: {self.error}"

    @contextmanager
    def running(self) -> Iterator[X1]:
        """The board between x1_init() and x1_shutdown(), with device 0 current."""
        self.ok(self.lib.x1_init())
        try:
            self.ok(self.lib.x1_set_device(0))
            yield self
        finally:
            self.ok(self.lib.x1_shutdown())

    def malloc(self, size: int) -> int:
        pointer = _vp()
        self.ok(self.lib.x1_malloc(ctypes.byref(pointer), size))
        assert pointer.value is not None
        return pointer.value

    def upload(self, array: np.ndarray, room: int = 0) -> int:
        """A fresh allocation that holds `array`, with `room` bytes behind it set to 0xa5."""
        array = np.ascontiguousarray(array)
        pointer = self.malloc(max(array.nbytes + room, 1))
        self.ok(self.lib.x1_memcpy(pointer, array.ctypes.data, array.nbytes, HOST_TO_DEVICE))
        self.ok(self.lib.x1_memset(pointer + array.nbytes, 0xA5, room))
        return pointer

    def download(self, pointer: int, shape: Sequence[int] | int, dtype: str) -> np.ndarray:
        array = np.empty(shape, dtype)
        self.ok(self.lib.x1_memcpy(array.ctypes.data, pointer, array.nbytes, DEVICE_TO_HOST))
        return array

    def free(self, *pointers: int) -> None:
        for pointer in pointers:
            self.ok(self.lib.x1_free(pointer))

    def elementwise(self, name: str, *inputs: np.ndarray, extra: Sequence[object] = ()) -> np.ndarray:
        """An element-wise function on arrays; asserts that it succeeds and leaves its inputs alone."""
        n, dtype = inputs[0].size, inputs[0].dtype.name
        given = [self.upload(array) for array in inputs]
        out = self.upload(np.full(inputs[0].shape, 77, dtype))
        self.ok(getattr(self.lib, name)(*given, out, n, *extra, DTYPES[dtype]))
        result = self.download(out, inputs[0].shape, dtype)
        for pointer, array in zip(given, inputs, strict=True):
            assert self.download(pointer, array.shape, dtype).tobytes() == array.tobytes()
        self.free(*given, out)
        return result

    def conv2d(
        self,
        x: np.ndarray,
        w: np.ndarray,
        b: np.ndarray | None = None,
        stride: Sequence[int] = (1, 1),
        padding: Sequence[int] = (0, 0),
        dilation: Sequence[int] = (1, 1),
        groups: int = 1,
        layout: int = 0,
    ) -> tuple[int, np.ndarray]:
        """Status and output of x1_conv2d; the output is 77 where nothing was written."""
        dtype = x.dtype.name
        extent = [
            (x.shape[2 + i] + 2 * padding[i] - dilation[i] * (w.shape[2 + i] - 1) - 1) // stride[i] + 1 for i in (0, 1)
        ]
        arrays = [x, w, b, np.full((x.shape[0], w.shape[0], *extent), 77, dtype)]
        tensors = [None if array is None else self._tensor(array, layout) for array in arrays]
        pairs = [(_int * 2)(*pair) for pair in (stride, padding, dilation)]
        status = self.lib.x1_conv2d(*[t and ctypes.byref(t) for t in tensors], *pairs, groups)
        output = self.download(tensors[3].data, arrays[3].shape, dtype)
        self.free(*[t.data for t in tensors if t is not None])
        return status, output

    def _tensor(self, array: np.ndarray, layout: int) -> Tensor:
        dims = (_int * 4)(*array.shape)
        return Tensor(self.upload(array), DTYPES[array.dtype.name], layout, array.ndim, dims)


@functools.cache
def sdk_dir() -> Path:
    """The SDK as shipped: include/x1_runtime.h and lib/libx1.so."""
    scratch = Path(tempfile.mkdtemp(prefix="x1-sdk-"))
    atexit.register(shutil.rmtree, scratch, ignore_errors=True)
    return compile_sdk("x1", scratch)


@functools.cache
def load() -> X1:
    """The SDK as shipped, loaded once per process."""
    return X1(sdk_dir() / "lib" / "libx1.so")
