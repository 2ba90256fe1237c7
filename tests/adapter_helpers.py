"""The adapters' chip (``device/adapter_chip``): NHWC images, sizes in multiples, uint8 with a zero point."""

from __future__ import annotations

import copy
import ctypes
import functools
import io
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from torch.nn import functional

from core_helpers import compile_library

SOURCE = Path(__file__).parent / "device" / "adapter_chip"


def adapter_chip_dir(mapped: bool = False) -> Path:
    """The chip's folder: profile and compiled library, made once per process. ``mapped``: the same chip, whose profile
    says that it uses host memory in place. Sets AD_LIBRARY."""
    return _chip_dir(mapped)


@functools.cache
def _chip_dir(mapped: bool) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="torchfl-ad-"))
    profile = (SOURCE / "ad_device.yaml").read_text()
    if mapped:
        (folder / "ad_device.yaml").write_text(profile + "memory: {mode: mapped}\n")
        (folder / "libad_chip.so").symlink_to(_chip_dir(False) / "libad_chip.so")
        return folder
    (folder / "ad_device.yaml").write_text(profile)
    compile_library(SOURCE / "ad_chip.cpp", folder / "libad_chip.so", f"-I{SOURCE}")
    os.environ["AD_LIBRARY"] = str(folder / "libad_chip.so")
    return folder


@functools.cache
def order_chip_dir(mapped: bool = False) -> Path:
    """The same for the chip as its profile ``ad-order`` has it, with kernels that move elements."""
    folder = Path(tempfile.mkdtemp(prefix="torchfl-ad-order-"))
    text = (SOURCE / "ad-order_device.yaml").read_text()
    parent = adapter_chip_dir(mapped) / "ad_device.yaml"
    library = folder / "libad-order_chip.so"
    # A chip's memory is its library's, and torchfl gives each chip that names the same file an instance of its own: all
    # but the first are copies, whose memory memory_limit() would not reach.
    shutil.copy(adapter_chip_dir() / "libad_chip.so", library)
    text = text.replace("extends: ad_device.yaml", f"extends: {parent}\nruntime_so: {library}\nchip_library: {library}")
    (folder / "ad-order_device.yaml").write_text(text)
    return folder


@contextmanager
def memory_limit(nbytes: int) -> Iterator[None]:
    """The device of the chip ``xpu:ad`` has this much memory, cached blocks and mapped ones included."""
    library = ctypes.CDLL(str(adapter_chip_dir() / "libad_chip.so"))
    library.ad_set_memory_limit.argtypes = [ctypes.c_uint64]
    library.ad_set_memory_limit(nbytes)
    try:
        yield
    finally:
        library.ad_set_memory_limit(1 << 33)


@contextmanager
def only_adapter_chip(mapped: bool = False, order: bool = False) -> Iterator[torch.device]:
    """torchfl with the adapters' chip alone; what was loaded before is loaded again afterwards."""
    import torchfl

    before = [chip.profile.path.parent for chip in torchfl.chips()] if torchfl.is_initialized() else None
    torchfl.shutdown()
    torchfl.init([order_chip_dir(mapped) if order else adapter_chip_dir(mapped)])
    try:
        yield torchfl.device("xpu:ad-order" if order else "xpu:ad")
    finally:
        torchfl.shutdown()
        if before is not None:
            torchfl.init(before)


def equal(actual: torch.Tensor, expected: torch.Tensor) -> None:
    assert actual.device.type == "xpu"
    assert actual.dtype == expected.dtype
    assert actual.stride() == expected.stride()
    torch.testing.assert_close(actual.detach().cpu(), expected.detach(), rtol=0, atol=0)


#: Ways to look at a result of [2, 4, 6, 6], some of which write it.
LOOKS = {
    "a view": lambda y: y.view(2, -1),
    "a slice": lambda y: y[1, 2:, ::2],
    "a transpose": lambda y: y.permute(0, 2, 3, 1),
    "an element": lambda y: y[1, 2, 3, 1].item(),
    "the CPU": lambda y: torch.fft.fft(y),
    "a product": lambda y: y.reshape(8, -1) @ torch.ones(36, 8, device=y.device),
    "deepcopy": copy.deepcopy,
    "clone": torch.clone,
    "set_": lambda y: torch.empty(0, device=y.device).set_(y),
    "resize_": lambda y: y.resize_(3, 4, 6, 6).resize_(2, 4, 6, 6),
    "its address": lambda y: y.data_ptr() != 0,
    "in place after its address": lambda y: (y.data_ptr(), functional.relu_(y))[1],
    "a storage": lambda y: y.untyped_storage().cpu().tolist(),
    "a larger storage": lambda y: y.untyped_storage().resize_(2 * 2 * 4 * 36 * 4) and y,
    "gradients": lambda y: torch.autograd.grad(y.requires_grad_().square().sum(), y)[0],
    "a write to a part": lambda y: (y[0, :, 1].fill_(7), y)[1],
    "a write in place": lambda y: y.mul_(3),
    "a write of it all": lambda y: y.copy_(torch.arange(288.0).view(2, 4, 6, 6).to(y.device)),
    "as a destination": lambda y: torch.abs(y.clone(), out=y),
    "where another reads it in NHWC": lambda y: y.to(memory_format=torch.channels_last),
    "with another dtype": lambda y: y.view(torch.int32),
    "in an op of both orders": lambda y: y + y.contiguous(memory_format=torch.channels_last),
    "under a bias": lambda y: y + torch.arange(4.0, device=y.device).view(4, 1, 1),
    "a number": lambda y: y + 1,
    "both": lambda y: torch.cat([y, functional.relu(y)], 1),
    "saved": lambda y: saved(y),
}


def saved(t: torch.Tensor) -> torch.Tensor:
    file = io.BytesIO()
    torch.save(t, file)
    file.seek(0)
    return torch.load(file)
