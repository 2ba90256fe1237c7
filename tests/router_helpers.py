"""The router tests' chip (``device/router_chip``), and comparing a device with the CPU."""

from __future__ import annotations

import functools
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from core_helpers import compile_library

SOURCE = Path(__file__).parent / "device" / "router_chip"


@functools.cache
def router_chip_dir(policy: str = "") -> Path:
    """The chip's folder: profile and compiled library, made once per process. ``policy``: YAML of another
    fallback_policy than the profile's own."""
    folder = Path(tempfile.mkdtemp(prefix="torchfl-rt-"))
    profile = (SOURCE / "rt_device.yaml").read_text()
    if policy:
        profile = profile.partition("fallback_policy:")[0] + f"fallback_policy: {policy}\n"
        (folder / "librt_chip.so").symlink_to(router_chip_dir() / "librt_chip.so")
    else:
        compile_library(SOURCE / "rt_chip.cpp", folder / "librt_chip.so", f"-I{SOURCE}")
    (folder / "rt_device.yaml").write_text(profile)
    return folder


@contextmanager
def only_router_chip(policy: str = "") -> Iterator[torch.device]:
    """torchfl with the router tests' chip alone; what was loaded before is loaded again afterwards."""
    import torchfl

    before = [chip.profile.path.parent for chip in torchfl.chips()] if torchfl.is_initialized() else None
    torchfl.shutdown()
    os.environ["RT_LIBRARY"] = str(router_chip_dir() / "librt_chip.so")
    torchfl.init([router_chip_dir(policy)])
    try:
        yield torchfl.device("xpu:rt")
    finally:
        torchfl.shutdown()
        if before is not None:
            torchfl.init(before)


def same(actual: torch.Tensor, expected: torch.Tensor, *, exact: bool = True) -> None:
    """Device result against CPU result: dtype, shape, strides of dimensions that matter, and values."""
    assert actual.device.type == "xpu"
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    strides = [(a, b) for a, b, n in zip(actual.stride(), expected.stride(), expected.shape, strict=True) if n > 1]
    assert all(a == b for a, b in strides), f"strides {actual.stride()}, CPU {expected.stride()}"
    tolerance = {"rtol": 0, "atol": 0} if exact else {}
    torch.testing.assert_close(actual.detach().cpu(), expected.detach(), **tolerance, equal_nan=True)


def whole(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Small whole numbers: exact in every dtype, whatever the order of a sum."""
    return torch.randint(-4, 5, shape).to(dtype)


def counts(op: str) -> dict[str, int]:
    """The counters of one overload that are not 0."""
    import torchfl

    row = torchfl.counters().get(op)
    return {k: v for k, v in vars(row).items() if v} if row is not None else {}


def layer_of(op: Any, *args: Any, **kwargs: Any) -> str:
    """The layer that explain() names; for a test that then runs the call."""
    import torchfl

    return torchfl.explain(op, *args, **kwargs).layer
