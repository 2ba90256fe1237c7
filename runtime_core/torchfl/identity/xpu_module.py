"""``torch.xpu`` answers for our devices: its functions are replaced in place, and put back at shutdown.

The module object stays, because other modules hold it; names that its submodules imported from each other are replaced
there too. ``_is_compiled()`` stays as it is (False): True sends optimizers, checkpointing and fake tensors to
functions that only a build with Intel support has.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

from torchfl.identity import dynamo
from torchfl.identity.replace import Replacements

_MODULES = ("torch.xpu", *(f"torch.xpu.{name}" for name in ("memory", "random", "streams", "graphs", "_utils")))
#: What torch.xpu lacks and torch looks for in a device's module.
_MORE = ("default_stream", "get_amp_supported_dtype", "is_tf32_supported")
_replaced = Replacements()


def install() -> None:
    """Patches torch.xpu. Does nothing where it is patched already."""
    if _replaced:
        return
    from torchfl import device_module

    for module_name in _MODULES:
        module = importlib.import_module(module_name)
        for name in device_module.EXPORTS:
            if hasattr(module, name) or (module_name == "torch.xpu" and name in _MORE):
                _replaced.put(module, name, getattr(device_module, name))
    _replaced.put(importlib.import_module("torch.xpu"), "_initialized", True)
    dynamo.follow(_replaced.pairs())
    known: Any = sys.modules.get("torch._dynamo.device_interface")
    if getattr(known, "_device_initialized", False):  # it had counted no device
        _replaced.put(known, "_device_initialized", False)


def remove() -> None:
    """Puts back what :func:`install` replaced."""
    dynamo.follow([(ours, before) for before, ours in _replaced.pairs()])
    _replaced.undo()
