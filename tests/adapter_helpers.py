"""The adapters' chip (``device/adapter_chip``): NHWC images, sizes in multiples, uint8 with a zero point."""

from __future__ import annotations

import functools
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from core_helpers import compile_library

if TYPE_CHECKING:
    import torch

SOURCE = Path(__file__).parent / "device" / "adapter_chip"


@functools.cache
def adapter_chip_dir() -> Path:
    """The chip's folder: profile and compiled library, made once per process. Sets AD_LIBRARY."""
    folder = Path(tempfile.mkdtemp(prefix="torchfl-ad-"))
    (folder / "ad_device.yaml").write_text((SOURCE / "ad_device.yaml").read_text())
    compile_library(SOURCE / "ad_chip.cpp", folder / "libad_chip.so", f"-I{SOURCE}")
    os.environ["AD_LIBRARY"] = str(folder / "libad_chip.so")
    return folder


@contextmanager
def only_adapter_chip() -> Iterator[torch.device]:
    """torchfl with the adapters' chip alone; what was loaded before is loaded again afterwards."""
    import torchfl

    before = [chip.profile.path.parent for chip in torchfl.chips()] if torchfl.is_initialized() else None
    torchfl.shutdown()
    torchfl.init([adapter_chip_dir()])
    try:
        yield torchfl.device("xpu:ad")
    finally:
        torchfl.shutdown()
        if before is not None:
            torchfl.init(before)
