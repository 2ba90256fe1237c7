"""torch.distributed's default backend for ``xpu``: gloo, as xccl is Intel's."""

from __future__ import annotations

import torch

_before: list[str | None] = []


def _backends() -> dict[str, str]:
    from torch.distributed import distributed_c10d

    known: dict[str, str] = distributed_c10d.Backend.default_device_backend_map
    return known


def install() -> None:
    """Names gloo in torch's table."""
    if _before or not torch.distributed.is_available():
        return
    _before.append(_backends().get("xpu"))
    _backends()["xpu"] = "gloo"


def check() -> None:
    """Raises where the table has another name."""
    if _before and _backends()["xpu"] != "gloo":
        raise RuntimeError("self-check failed: default_device_backend_map")


def remove() -> None:
    """Puts torch's own name back."""
    while _before:
        before = _before.pop()
        if before is None:
            _backends().pop("xpu", None)
        else:
            _backends()["xpu"] = before
