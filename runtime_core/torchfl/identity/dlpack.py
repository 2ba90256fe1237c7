"""DLPack: device tensors for other libraries where they can use them, and one sentence where they cannot.

On a chip that maps host memory a tensor's bytes are the CPU's too: it is exported as CPU memory, without a copy. On a
chip with memory of its own only a copy can be had. Tensors from elsewhere come in as usual: ``torch.from_dlpack(x)``
is a CPU tensor, ``torch.from_dlpack(x, device="xpu")`` a copy on the device.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch.utils import dlpack

from torchfl import _loader
from torchfl.identity.replace import Replacements

REFUSAL = "a tensor in the device's own memory has no address that another library can use: export t.cpu()"

_CPU = (1, 0)  # DLPack's kDLCPU
_replaced = Replacements()


def _ours(tensor: Any) -> bool:
    return isinstance(tensor, torch.Tensor) and tensor.device.type in ("xpu", "fl")


def _mapped(tensor: torch.Tensor) -> bool:
    from torchfl import runtime

    return runtime.chip_at(tensor.device.index).profile.memory.mode == "mapped"


def _exporter(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def export(tensor: Any, **options: Any) -> Any:  # dl_device, copy, and what another torch adds
        if not _ours(tensor):
            return original(tensor, **options)
        core = _loader.loaded()
        if core is not None and _mapped(tensor):
            return original(core.host_alias(tensor), **options)
        wanted = options.pop("dl_device", None)
        if wanted is None or tuple(map(int, wanted)) != _CPU or options.pop("copy", None) is False:
            raise BufferError(REFUSAL)
        return original(tensor.cpu(), **options)

    return export


def install() -> None:
    """Replaces what makes capsules, and what says where a tensor is."""
    if _replaced:
        return
    for name in ("_to_dlpack", "_to_dlpack_versioned"):
        _replaced.put(torch._C, name, _exporter(getattr(torch._C, name)))
    for module in (dlpack, torch):
        _replaced.put(module, "to_dlpack", vars(torch._C)["_to_dlpack"])
    original = torch.Tensor.__dlpack_device__

    @functools.wraps(original)
    def __dlpack_device__(self: torch.Tensor) -> Any:
        if not _ours(self):
            return original(self)
        return (dlpack.DLDeviceType.kDLCPU, 0) if _mapped(self) else (dlpack.DLDeviceType.kDLExtDev, self.device.index)

    _replaced.put(torch.Tensor, "__dlpack_device__", __dlpack_device__)


def check() -> None:
    """Raises where the CPU's tensors no longer pass."""
    module: Any = dlpack  # as Any: it exports nothing by name
    t = torch.arange(2)
    t.__dlpack__(max_version=(1, 0))
    if module.from_dlpack(t).data_ptr() != t.data_ptr() or module.to_dlpack is not vars(torch._C)["_to_dlpack"]:
        raise RuntimeError("self-check failed: a CPU tensor does not pass through DLPack")


def remove() -> None:
    """Puts torch's own back."""
    _replaced.undo()
