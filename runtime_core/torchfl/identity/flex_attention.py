"""``torch.compile(flex_attention)`` for CPU tensors, which inductor refuses where an Intel XPU is there to compile for.

Its check asks ``torch.xpu.is_available()``. Ours says nothing about what inductor can do on the CPU, so the check
runs as it is, in a torch whose XPU is absent.
"""

from __future__ import annotations

import warnings
from types import FunctionType, ModuleType
from typing import Any

import torch

from torchfl.errors import TorchflWarning
from torchfl.identity.replace import Replacements
from torchfl.identity.when_imported import WhenImported

MODULE = "torch._inductor.kernel.flex.flex_cpu"
_replaced = Replacements()
_waiting: list[WhenImported] = []


class _Without:
    """A module with other attributes in place of its own."""

    def __init__(self, module: Any, **instead: Any) -> None:
        self.__dict__.update(instead)
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


def _change(module: ModuleType) -> None:
    original = getattr(module, "check_cpu_supported", None)
    if not isinstance(original, FunctionType) or not hasattr(module, "torch"):
        warnings.warn(
            f"torchfl: {MODULE} has no check that can be changed; torch.compile(flex_attention) may refuse CPU tensors",
            TorchflWarning,
            stacklevel=2,
        )
        return
    seen = _Without(torch, xpu=_Without(torch.xpu, is_available=lambda: False))
    names = {**vars(module), "torch": seen}
    _replaced.put(module, "check_cpu_supported", FunctionType(original.__code__, names, original.__name__))


def install() -> None:
    """Replaces inductor's check, now or when inductor is imported."""
    if not _waiting:
        _waiting.append(WhenImported(MODULE, _change))


def check() -> None:
    """Raises where the check is neither replaced nor waited for."""
    if not (_replaced or any(w.waiting for w in _waiting)):
        raise RuntimeError("self-check failed: inductor's check is not ours")


def remove() -> None:
    """Puts inductor's check back."""
    while _waiting:
        _waiting.pop().stop()
    _replaced.undo()
