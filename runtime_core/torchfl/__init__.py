"""torchfl: any chip that a profile describes, as a PyTorch device.

Importing this package imports neither torch nor the C++ core; the functions below do when they are called.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from torchfl.default_device import set_default_device
    from torchfl.explanation import Explanation, KernelResult, explain, run_kernel
    from torchfl.memory import host_budget, mark_device_written, set_host_budget
    from torchfl.op_counters import FallbackReason, OpCounters, counters, fallback_reasons, reset_counters
    from torchfl.router import UnsupportedOpError
    from torchfl.runtime import (
        CopyCounters,
        LoadedChip,
        TorchflWarning,
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

#: Public name -> the module that has it.
_HOME = {
    "CopyCounters": "torchfl.runtime",
    "Explanation": "torchfl.explanation",
    "FallbackReason": "torchfl.op_counters",
    "KernelResult": "torchfl.explanation",
    "LoadedChip": "torchfl.runtime",
    "OpCounters": "torchfl.op_counters",
    "TorchflWarning": "torchfl.runtime",
    "UnsupportedOpError": "torchfl.router",
    "chips": "torchfl.runtime",
    "copy_counters": "torchfl.runtime",
    "counters": "torchfl.op_counters",
    "device": "torchfl.runtime",
    "explain": "torchfl.explanation",
    "fallback_reasons": "torchfl.op_counters",
    "host_budget": "torchfl.memory",
    "init": "torchfl.runtime",
    "is_initialized": "torchfl.runtime",
    "mark_device_written": "torchfl.memory",
    "noop_symbols": "torchfl.runtime",
    "reset_copy_counters": "torchfl.runtime",
    "reset_counters": "torchfl.op_counters",
    "run_kernel": "torchfl.explanation",
    "set_default_device": "torchfl.default_device",
    "set_host_budget": "torchfl.memory",
    "shutdown": "torchfl.runtime",
    "symbol_calls": "torchfl.runtime",
    "xpu_empty_cache": "torchfl.runtime",
}

__all__ = [
    "CopyCounters",
    "Explanation",
    "FallbackReason",
    "KernelResult",
    "LoadedChip",
    "OpCounters",
    "TorchflWarning",
    "UnsupportedOpError",
    "__version__",
    "chips",
    "copy_counters",
    "counters",
    "device",
    "explain",
    "fallback_reasons",
    "host_budget",
    "init",
    "is_initialized",
    "mark_device_written",
    "noop_symbols",
    "reset_copy_counters",
    "reset_counters",
    "run_kernel",
    "set_default_device",
    "set_host_budget",
    "shutdown",
    "symbol_calls",
    "xpu_empty_cache",
]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'torchfl' has no attribute {name!r}")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
