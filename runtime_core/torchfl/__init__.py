"""torchfl: any chip that a profile describes, as a PyTorch device.

Importing this package imports neither torch nor the C++ core; the functions below do when they are called.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from torchfl.runtime import (
        LoadedChip,
        chips,
        copy_counters,
        device,
        init,
        is_initialized,
        noop_symbols,
        reset_copy_counters,
        shutdown,
        symbol_calls,
        xpu_empty_cache,
    )

_HOME = {
    name: "torchfl.runtime"
    for name in (
        "LoadedChip",
        "chips",
        "copy_counters",
        "device",
        "init",
        "is_initialized",
        "noop_symbols",
        "reset_copy_counters",
        "shutdown",
        "symbol_calls",
        "xpu_empty_cache",
    )
}

__all__ = ["__version__", *sorted(_HOME)]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'torchfl' has no attribute {name!r}")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
