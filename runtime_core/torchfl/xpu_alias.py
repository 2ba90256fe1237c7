"""``torch.xpu`` answers for our devices: its functions are replaced in place, and put back at shutdown.

The module object stays, because other modules hold it; names that its submodules imported from each other are replaced
there too. ``_is_compiled()`` stays as it is (False): True sends optimizers, checkpointing and fake tensors to
functions that only a build with Intel support has.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

_ABSENT = object()
_SUBMODULES = ("torch.xpu", "torch.xpu.memory", "torch.xpu.random", "torch.xpu.streams", "torch.xpu._utils")
_saved: list[tuple[ModuleType, str, Any]] = []


def install() -> None:
    """Patches torch.xpu. Does nothing where it is patched already."""
    if _saved:
        return
    from torchfl import device_module

    for module_name in _SUBMODULES:
        module = importlib.import_module(module_name)
        for name in device_module.EXPORTS:
            if module_name == "torch.xpu" or hasattr(module, name):
                _replace(module, name, getattr(device_module, name))
    torch_xpu = importlib.import_module("torch.xpu")
    _replace(torch_xpu, "_initialized", True)


def _replace(module: ModuleType, name: str, value: Any) -> None:
    _saved.append((module, name, vars(module).get(name, _ABSENT)))
    setattr(module, name, value)


def remove() -> None:
    """Puts back what :func:`install` replaced."""
    while _saved:
        module, name, before = _saved.pop()
        if before is _ABSENT:
            delattr(module, name)
        else:
            setattr(module, name, before)
