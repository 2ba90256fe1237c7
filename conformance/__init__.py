"""The release gate: op by op, did the chip's own kernel run, and are its numbers right.

``run(RunRequest(...))`` executes the gate, ``selftest(project)`` measures it. Importing this package loads neither
torch nor numpy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torchfl_sdk.conformance.gate.request import RunRequest, RunResult
    from torchfl_sdk.conformance.gate.run import run
    from torchfl_sdk.conformance.mutants.selftest import selftest

__all__ = ["RunRequest", "RunResult", "run", "selftest"]

_HOMES = {
    "RunRequest": "gate.request",
    "RunResult": "gate.request",
    "run": "gate.run",
    "selftest": "mutants.selftest",
}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
