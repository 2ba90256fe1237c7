"""The chips of the core's and the router's tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from core_helpers import only_fixture_chip
from router_helpers import only_router_chip

if TYPE_CHECKING:
    import torch


@pytest.fixture(scope="module")
def fixture_chip() -> Iterator[None]:
    """The core tests' chip, alone."""
    with only_fixture_chip():
        yield


@pytest.fixture(scope="module")
def _router_device() -> Iterator[torch.device]:
    with only_router_chip() as device:
        yield device


@pytest.fixture
def dev(_router_device: torch.device) -> torch.device:
    """The router tests' chip, alone; counters and random numbers start anew for each test."""
    import torch

    import torchfl

    torchfl.reset_counters()
    torch.manual_seed(0)
    return _router_device
