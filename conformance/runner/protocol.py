"""What the processes of a run tell each other: plain data, so that the parent needs no torch to pass it on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from torchfl_sdk.conformance.cases.spec import CaseSpec


@dataclass(frozen=True)
class TensorData:
    """A CPU tensor as bytes in row-major order. ``dtype`` is torch's name."""

    dtype: str
    shape: tuple[int, ...]
    data: bytes


@dataclass(frozen=True)
class Execution:
    """What happened when one case ran on the device.

    ``outputs`` are the result (backward: the gradients of the differentiable inputs). ``native``, ``cpu``,
    ``declined`` and ``layered`` (decomposed, or by a kernel that the fallback policy names) count what the router did
    with the op's overloads, ``entered`` the calls of each vendor function that the bound kernel may enter. ``noop`` is
    "changed", "unchanged" or "raised: ..." if the no-op proof was asked for. ``first_output``: the profile says that
    the op's kernel gives the first of several results alone.
    """

    outputs: tuple[TensorData, ...] = ()
    error_type: str = ""
    error: str = ""
    native: int = 0
    cpu: int = 0
    declined: int = 0
    layered: int = 0
    entered: dict[str, int] = field(default_factory=dict)
    changed_inputs: tuple[int, ...] = ()
    damage: tuple[str, ...] = ()
    differs: bool = False
    noop: str = ""
    noop_symbols: tuple[str, ...] = ()
    first_output: bool = False
    reasons: tuple[str, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True)
class ChipInfo:
    """What an executor says about its chip once the driver is up: devices, vendor functions per kernel, versions, the
    op that each kernel of the chip library is for."""

    num_devices: int
    kernel_symbols: dict[str, tuple[str, ...]]
    versions: dict[str, str]
    chip_name: str = ""
    kernel_ops: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Judged:
    """The oracle's word on one execution. ``weakness``: why the case can prove nothing; ``pattern``: a plain reading of
    what is wrong; ``unsupported_on_cpu``: why the CPU itself cannot do this ("" if it can)."""

    ok: bool
    reason: str = ""
    worst: float = 0.0
    weakness: str = ""
    pattern: str = ""
    unsupported_on_cpu: str = ""


class Executor(Protocol):
    """Runs cases in a worker process. Made before the fork, without a driver call; used after it."""

    def info(self) -> ChipInfo:
        """Bring the driver up. Raises TorchflError or RuntimeError where there is none."""

    def run(self, case: CaseSpec) -> Execution:
        """Run one case; an error of the op is part of the result."""

    def beyond(self, case: CaseSpec) -> Execution:
        """Run the op's kernel on a case that the profile leaves to another layer. May end the process."""


#: Message kinds from a worker: ("info", ChipInfo) | ("failed", type, text) | ("ran", case id, Execution) |
#: ("beyond", Execution).
Message = tuple[Any, ...]
