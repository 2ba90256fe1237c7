"""A chip that serves the whole catalogue by PyTorch itself (``device/whole_chip``): what the router does, op by op."""

from __future__ import annotations

import ctypes
import functools
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torchfl_sdk.conformance.cases.calling import call_all

import torchfl
from core_helpers import compile_library
from torchfl import catalogue

SOURCE = Path(__file__).parent / "device" / "whole_chip" / "wc_chip.cpp"
_DTYPES = (
    torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16,
    torch.float32, torch.float64,
)  # fmt: skip
_INVALID = 1  # any status but OK


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("struct_size", ctypes.c_uint32), ("dtype", ctypes.c_int32), ("rank", ctypes.c_int32),
        ("device", ctypes.c_int32), ("handle", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64),
        ("numel", ctypes.c_int64), ("sizes", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
    )  # fmt: skip


class _Attr(ctypes.Structure):
    _fields_ = (
        ("struct_size", ctypes.c_uint32), ("kind", ctypes.c_int32), ("i", ctypes.c_int64), ("f", ctypes.c_double),
        ("list", ctypes.POINTER(ctypes.c_int64)), ("count", ctypes.c_int64),
    )  # fmt: skip


class _Call(ctypes.Structure):
    _fields_ = (
        ("struct_size", ctypes.c_uint32), ("device", ctypes.c_int32), ("stream", ctypes.c_void_p),
        ("num_inputs", ctypes.c_uint32), ("num_outputs", ctypes.c_uint32), ("num_attrs", ctypes.c_uint32),
        ("inputs", ctypes.POINTER(_Tensor)), ("outputs", ctypes.POINTER(_Tensor)), ("attrs", ctypes.POINTER(_Attr)),
    )  # fmt: skip


class Kernels:
    """Serves the chip's kernels; ``broken`` gathers what the router passed that no kernel can serve."""

    def __init__(self, library: Path) -> None:
        self.broken: list[str] = []
        self._library = ctypes.CDLL(str(library))
        self._library.wc_real.restype = ctypes.c_void_p
        self._library.wc_real.argtypes = (ctypes.c_void_p, ctypes.c_uint64)
        function = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(_Call))
        self._kept = function(self._serve)
        self._library.wc_serve(self._kept)

    def _serve(self, number: int, call: Any) -> int:
        op = catalogue.OPS[number]
        try:
            self._run(op, call.contents)
        except Exception as error:  # nothing may leave a C callback
            self.broken.append(f"{op.name}: {type(error).__name__}: {error}")
            return _INVALID
        return 0

    def _run(self, op: catalogue.OpSpec, call: _Call) -> None:
        inputs = [self._tensor(call.inputs[i]) for i in range(call.num_inputs)]
        outputs = [self._tensor(call.outputs[i]) for i in range(call.num_outputs)]
        given = [(a, call.attrs[i]) for i, a in enumerate(op.attrs)]
        attrs = {a.name: _value(a, value) for a, value in given if value.kind or a.optional}
        with torch.no_grad():
            results = call_all(op, [None if t is None else t.clone() for t in inputs], attrs)
        for output, result in zip(outputs, results, strict=True):
            assert output is not None
            if (output.shape, output.dtype) != (result.shape, result.dtype):
                raise AssertionError(f"{output.shape} {output.dtype} instead of {result.shape} {result.dtype}")
            output.copy_(result)

    def _tensor(self, t: _Tensor) -> torch.Tensor | None:
        if t.rank < 0:
            return None
        dtype, sizes = _DTYPES[t.dtype], [t.sizes[i] for i in range(t.rank)]
        if t.numel == 0:
            return torch.empty(sizes, dtype=dtype)
        address = self._library.wc_real(t.handle, t.byte_offset)
        raw = (ctypes.c_char * (t.numel * dtype.itemsize)).from_address(address)
        found = torch.frombuffer(raw, dtype=dtype).reshape(sizes)
        expected = [t.strides[i] for i in range(t.rank) if sizes[i] > 1]
        if [s for s, n in zip(found.stride(), sizes, strict=True) if n > 1] != expected:
            raise AssertionError(f"strides {expected} of {sizes} for a kernel that takes contiguous tensors")
        return found


def _value(attr: catalogue.Attr, given: _Attr) -> Any:
    if attr.kind == "choice":
        return attr.choices[given.i]
    values: Sequence[Any] = (
        None, given.i, given.f, bool(given.i), tuple(given.list[i] for i in range(given.count)), None,
    )  # fmt: skip
    return _DTYPES[given.i] if given.kind == 5 else values[given.kind]


@functools.cache
def whole_chip_dir(policy: str = "cpu", checks_index: bool = False) -> Path:
    """The chip's folder: profile and compiled library, made once per process. ``policy``: its fallback_policy's
    default. ``checks_index``: what its entries of indexing ops say."""
    folder = Path(tempfile.mkdtemp(prefix="torchfl-wc-"))
    if (policy, checks_index) == ("cpu", False):
        _compile(folder)
    else:
        (folder / "libwc_chip.so").symlink_to(whole_chip_dir() / "libwc_chip.so")
    entries = [
        f"  - {{name: {op.name}, impl: wc_{i}, dtype_support: [{', '.join(op.dtypes)}]"
        + (", checks_index: true}" if checks_index and "index" in dict(op.input_kinds).values() else "}")
        for i, op in enumerate(catalogue.OPS)
    ]
    head = f"device_type: xpu:wc\nruntime_so: {folder / 'libwc_chip.so'}\nfallback_policy: {{default: {policy}}}\n"
    (folder / "wc_device.yaml").write_text(head + "supported_ops:\n" + "\n".join(entries) + "\n")
    return folder


def _compile(folder: Path) -> None:
    kernels = " ".join(f'WC_KERNEL({i}, "{op.name}")' for i, op in enumerate(catalogue.OPS))
    source = folder / "wc_chip.cpp"
    source.write_text(SOURCE.read_text().replace("{KERNELS}", "{" + kernels + "}"))
    compile_library(source, folder / "libwc_chip.so", f"-I{SOURCE.parent}")


@contextmanager
def only_whole_chip(policy: str = "cpu", checks_index: bool = False) -> Iterator[Kernels]:
    """torchfl with this chip alone; what was loaded before is loaded again afterwards."""
    folder = whole_chip_dir(policy, checks_index)
    before = [chip.profile.path.parent for chip in torchfl.chips()] if torchfl.is_initialized() else None
    torchfl.shutdown()
    torchfl.init([folder])
    try:
        yield Kernels(folder / "libwc_chip.so")
    finally:
        torchfl.shutdown()
        if before is not None:
            torchfl.init(before)
