"""One torchfl for all device tests: a process can load a chip once, so they share it and run in one process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from helpers import Project
from router_helpers import only_router_chip

if TYPE_CHECKING:
    import torch


@pytest.fixture(scope="session")
def device(x1_project: Project) -> Iterator[torch.device]:
    """x1's first device, with torchfl initialised; torchfl is shut down when the session ends."""
    import torchfl

    torchfl.init([x1_project.directory])
    yield torchfl.device(x1_project.selector)
    torchfl.shutdown()


@pytest.fixture(autouse=True)
def _fresh_counters(request: pytest.FixtureRequest) -> None:
    """Each device test counts from zero."""
    if "device" in request.fixturenames:
        request.getfixturevalue("device")
        import torchfl

        torchfl.reset_counters()


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
