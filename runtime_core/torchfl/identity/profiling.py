"""``ProfilerActivity.XPU`` and ``use_device="xpu"``: the profiler of torch's PrivateUse1 device, which is ours."""

from __future__ import annotations

import functools
from typing import Any

import torch
from torch.autograd import profiler

from torchfl.identity.replace import Replacements

_replaced = Replacements()


def install() -> None:
    """Replaces the constructor of torch.autograd.profiler.profile, which torch.profiler uses too."""
    if _replaced:
        return
    original = profiler.profile.__init__

    @functools.wraps(original)
    def __init__(self: Any, enabled: bool = True, **options: Any) -> None:
        if options.get("use_device") == "xpu":
            options["use_device"] = "fl"
        original(self, enabled, **options)

    _replaced.put(profiler.profile, "__init__", __init__)


def check() -> None:
    """Raises where a profiler for xpu is not one for our device."""
    made = profiler.profile(use_device="xpu", use_kineto=True)
    if made.use_device != "fl" or torch.profiler.ProfilerActivity.PrivateUse1 not in made.kineto_activities:
        raise RuntimeError("self-check failed: profile(use_device='xpu') does not watch our device")


def remove() -> None:
    """Puts torch's constructor back."""
    _replaced.undo()
