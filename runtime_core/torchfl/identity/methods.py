"""The ``fl`` methods that torch generates (``t.is_fl``, ``module.fl()``), where devices call themselves ``xpu``."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils import backend_registration

from torchfl.identity.replace import Replacements

_replaced = Replacements()


def _is_ours(device: torch.device) -> bool:
    return device.type == "xpu"


def install() -> None:
    """Replaces the generated methods that compare with the name ``fl``."""
    if _replaced:
        return
    classes: tuple[tuple[Any, Any], ...] = (
        (torch.Tensor, lambda self: _is_ours(self.device)),
        (torch.storage._StorageBase, lambda self: _is_ours(self.device)),
        (torch.TypedStorage, lambda self: _is_ours(self._untyped_storage.device)),
        (torch.nn.utils.rnn.PackedSequence, lambda self: _is_ours(self.data.device)),
    )
    for owner, getter in classes:
        _replaced.put(owner, "is_fl", property(getter))
    original = backend_registration._normalization_device

    def _normalization_device(custom_backend_name: str, device: int | str | torch.device | None = None) -> int:
        if custom_backend_name == "fl" and isinstance(device, (str, torch.device)):
            from torchfl import device_module

            return device_module._get_device_index(device)
        return original(custom_backend_name, device)

    _replaced.put(backend_registration, "_normalization_device", _normalization_device)


def remove() -> None:
    """Puts torch's own back."""
    _replaced.undo()
