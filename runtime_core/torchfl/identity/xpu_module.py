"""``torch.xpu`` answers for our devices: its functions are replaced in place, and put back at shutdown.

The module object stays, because other modules hold it; names that its submodules imported from each other are replaced
there too. ``_is_compiled()`` stays as it is (False): True sends optimizers, checkpointing and fake tensors to
functions that only a build with Intel support has.
"""

from __future__ import annotations

import importlib
import sys

from torchfl.identity.replace import Replacements

_SUBMODULES = ("torch.xpu", "torch.xpu.memory", "torch.xpu.random", "torch.xpu.streams", "torch.xpu._utils")
_replaced = Replacements()


def install() -> None:
    """Patches torch.xpu. Does nothing where it is patched already."""
    if _replaced:
        return
    from torchfl import device_module

    for module_name in _SUBMODULES:
        module = importlib.import_module(module_name)
        for name in device_module.EXPORTS:
            if module_name == "torch.xpu" or hasattr(module, name):
                _replaced.put(module, name, getattr(device_module, name))
    _replaced.put(importlib.import_module("torch.xpu"), "_initialized", True)
    _refresh_dynamo()


def _refresh_dynamo() -> None:
    """What dynamo copied from torch.xpu, where it was imported before."""
    known = sys.modules.get("torch._dynamo.device_interface")
    interface = getattr(known, "XpuInterface", None)
    if interface is None:
        return
    from torchfl import device_module

    for name in device_module.EXPORTS:
        for copy in (name, name.lstrip("_")):
            if copy in vars(interface) and not copy.startswith("is_"):
                value = getattr(device_module, name)
                _replaced.put(interface, copy, value if isinstance(value, type) else staticmethod(value))
    if getattr(known, "_device_initialized", False):  # it had counted no device
        _replaced.put(known, "_device_initialized", False)


def remove() -> None:
    """Puts back what :func:`install` replaced."""
    _replaced.undo()
