"""The oracle: what a right result is, computed on the CPU in more precision than the device has.

Importing this package loads no torch; the names below do when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torchfl_sdk.conformance.oracle.bounds import Bound, bound
    from torchfl_sdk.conformance.oracle.compare import Judgement, judge, judge_against
    from torchfl_sdk.conformance.oracle.semantics import Semantics, semantics_of

__all__ = ["Bound", "Judgement", "Semantics", "bound", "judge", "judge_against", "semantics_of"]

_HOMES = {
    "Bound": "bounds",
    "bound": "bounds",
    "Judgement": "compare",
    "judge": "compare",
    "judge_against": "compare",
    "Semantics": "semantics",
    "semantics_of": "semantics",
}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
