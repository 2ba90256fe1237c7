"""What transformers and accelerate remember of devices: forgotten when torchfl starts or stops.

Both ask once whether torch has a device and keep the answer, which an early import makes before ``init()``.
"""

from __future__ import annotations

import sys

_MODULES = ("transformers.utils", "transformers.utils.import_utils", "accelerate.utils.imports")


def forget() -> None:
    """Clears the kept answers of those modules that are loaded."""
    for name in _MODULES:
        for value in list(vars(sys.modules[name]).values()) if name in sys.modules else ():
            clear = getattr(value, "cache_clear", None)
            if callable(clear):
                clear()


def check() -> None:
    """Raises where transformers or accelerate, if loaded, still have an answer."""
    for name in _MODULES:
        known = getattr(sys.modules.get(name), "is_torch_xpu_available", None)
        if known is not None and hasattr(known, "cache_info") and known.cache_info().currsize:
            raise RuntimeError(f"self-check failed: {name} remembers devices")
