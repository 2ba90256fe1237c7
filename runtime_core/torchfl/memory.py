"""Settings of the two-sided storage that a program may change (``csrc/memory``)."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from torchfl import _loader
from torchfl.errors import Problem, TorchflError, register

if TYPE_CHECKING:
    from torch import Tensor

BAD_SIZE = register("TFL0616", "a size of memory cannot be read")

VARIABLE = "TORCHFL_HOST_BUDGET"
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_asked: int | None = None  # by set_host_budget() before the core was loaded


def set_host_budget(size: int | str) -> None:
    """Limits the host memory that copies of data on the device may take: bytes, or a text such as ``"512M"``.

    A tensor that was used on both sides keeps its bytes on both, so that the next use on either moves nothing. Beyond
    the budget the copies used longest ago go, on the host side; 0 keeps none. Default: a quarter of the machine's
    memory, or the environment's ``TORCHFL_HOST_BUDGET``. Takes effect with the next op. Raises TorchflError (TFL0616)
    for a size that cannot be read.
    """
    global _asked
    _asked = _bytes(size, "set_host_budget()")
    core = _loader.loaded()
    if core is not None:
        core.set_host_budget(_asked)


def host_budget() -> int:
    """The budget in bytes that is in force; before ``init()`` the one that was asked for, 0 where none was."""
    core = _loader.loaded()
    return int(core.host_budget()) if core is not None else _asked or 0


def apply_settings(core: Any) -> None:
    """What the program or the environment asked for before the core was there. Called by ``init()``."""
    text = os.environ.get(VARIABLE, "")
    if _asked is not None:
        core.set_host_budget(_asked)
    elif text:
        core.set_host_budget(_bytes(text, VARIABLE))


def _bytes(size: int | str, where: str) -> int:
    if isinstance(size, int) and not isinstance(size, bool) and size >= 0:
        return size
    found = re.fullmatch(r"(\d+)\s*([kmgt]?)(?:i?b)?", str(size).strip().lower()) if isinstance(size, str) else None
    if found is None:
        raise TorchflError(
            Problem(BAD_SIZE, f"{size!r} is not a size of memory", "bytes, or a number with K, M, G or T", where=where)
        )
    return int(found[1]) * _UNITS[found[2]]


def mark_device_written(tensor: Tensor) -> None:
    """Says that a function outside PyTorch has written to a device tensor through an address that was kept.

    On chips whose memory has addresses ``tensor.data_ptr()`` gives what a vendor's functions take, with the tensor's
    values there. What is written through it before the next op on the tensor counts. After such an op, ask for the
    address again before writing, or call this afterwards: an op on the CPU may have taken the values away from the
    device. The address holds while the tensor's storage keeps its size; such a storage never leaves a full device.

    Raises RuntimeError for a tensor whose address was not asked for, TorchflError (TFL0609) before ``init()``.
    """
    from torchfl import runtime  # which imports this module

    runtime._require()[1].mark_device_written(tensor)
