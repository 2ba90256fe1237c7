"""Libraries over torch on x1, as their users call them: only ``torchfl.init()`` comes before."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import torchfl

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # models are made here, none is fetched


@contextmanager
def _native(*ops: str) -> Iterator[None]:
    torchfl.reset_counters()
    yield
    counted = torchfl.counters()
    idle = [op for op in ops if op not in counted or not counted[op].native]
    assert not idle, (
        f"no kernel of the chip ran for {idle}; native: {sorted(o for o, c in counted.items() if c.native)}"
    )


@pytest.fixture
def native(device: object):
    """``with native("aten::mm"): ...``: within the block the chip's own kernels of these overloads must run."""
    return _native


@pytest.fixture(autouse=True)
def _seeded(device: object) -> None:
    import torch

    torch.manual_seed(0)
