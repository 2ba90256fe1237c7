"""Device tensors on their way to another process: refused in one sentence, where torch would name an internal function.

A device's memory belongs to the process that opened the driver; no chip function of ours shares it.
"""

from __future__ import annotations

from collections.abc import Callable
from multiprocessing.reduction import ForkingPickler
from typing import Any

import torch
from torch.multiprocessing import reductions

REFUSAL = "a device tensor cannot be sent to another process, because its memory belongs to this one: send t.cpu()"

_before: dict[type, Callable[[Any], Any]] = {}
_SENT = (reductions.reduce_tensor, reductions.reduce_storage, reductions.reduce_typed_storage)


def _reducers() -> dict[type, Callable[[Any], Any]]:
    known: dict[type, Callable[[Any], Any]] = vars(ForkingPickler)["_extra_reducers"]
    return known


def _guarded(reduce: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def guarded(value: Any) -> Any:
        plain = getattr(value, "_untyped_storage", value)  # a TypedStorage warns when it is asked itself
        if plain.device.type in ("xpu", "fl"):
            raise RuntimeError(REFUSAL)
        return reduce(value)

    return guarded


def install() -> None:
    """Replaces what multiprocessing calls to send tensors and storages."""
    if _before:
        return
    _before.update({kind: reduce for kind, reduce in _reducers().items() if reduce in _SENT})
    for kind, reduce in _before.items():
        ForkingPickler.register(kind, _guarded(reduce))


def check() -> None:
    """Raises where tensors are sent in another way."""
    if torch.Tensor not in _before or _reducers()[torch.Tensor] is _before[torch.Tensor]:
        raise RuntimeError("self-check failed: multiprocessing sends tensors by another function")
    ForkingPickler.dumps(torch.Size((1,)))


def remove() -> None:
    """Puts torch's functions back."""
    for kind, reduce in _before.items():
        ForkingPickler.register(kind, reduce)
    _before.clear()
