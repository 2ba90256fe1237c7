"""Chip profiles: one resolver for build, runtime, probe, conformance and the command line.

``load_profile(path)`` gives a frozen :class:`Profile`; every error of a file comes at once as a
:class:`torchfl.errors.TorchflError`. Importing this package loads neither pydantic nor ruamel.yaml: both come
in when a profile is read.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from torchfl.profile.model import (
    DTYPES,
    Capabilities,
    Constraint,
    FallbackPolicy,
    MemoryModel,
    Numerics,
    OpEntry,
    Origin,
    Profile,
    RemovedOp,
)

if TYPE_CHECKING:
    from torchfl.errors import Problem

__all__ = [
    "DTYPES",
    "Capabilities",
    "Constraint",
    "FallbackPolicy",
    "MemoryModel",
    "Numerics",
    "OpEntry",
    "Origin",
    "Profile",
    "RemovedOp",
    "diff",
    "explain",
    "json_schema",
    "key_table",
    "load_profile",
    "schema",
    "show",
    "validate",
    "warnings",
]


def load_profile(path: str | Path) -> Profile:
    """Read, merge and check a profile (YAML or JSON).

    Never fails on an unset environment variable: ``profile.runtime_so`` names it when it is used.
    Raises TorchflError with every problem of every file involved.
    """
    from torchfl.profile.load import load

    return load(Path(path))


def validate(path: str | Path) -> list[Problem]:
    """Every error of a profile and of what it extends; empty when it loads. Never raises for bad input."""
    from torchfl.errors import TorchflError

    try:
        load_profile(path)
    except TorchflError as error:
        return list(error.problems)
    return []


def warnings(path: str | Path) -> list[Problem]:
    """What a loadable profile should be told: ops without a route, unset variables, unverified entries.

    Raises TorchflError where the profile does not load.
    """
    from torchfl.profile.advice import advise

    return advise(load_profile(path))


def show(path: str | Path, origin: bool = False, as_json: bool = False) -> str:
    """A profile as resolved, as YAML or JSON text; with ``origin`` each leaf says its file and line.

    Raises TorchflError where the profile does not load.
    """
    from torchfl.profile.view import render

    return render(load_profile(path), origin=origin, as_json=as_json)


def diff(old: str | Path, new: str | Path) -> list[str]:
    """What changed between two resolved profiles, one line per leaf; empty when they say the same."""
    from torchfl.profile.view import compare

    return compare(load_profile(old), load_profile(new))


def explain(path: str | Path, key: str) -> list[str]:
    """Where a key of a resolved profile comes from, the value in force first, then what it overrode.

    ``key`` is a path as ``show --origin`` prints it, or its beginning. Raises TorchflError (TFL0117) where the
    profile has no such key.
    """
    from torchfl.profile.view import history

    return history(load_profile(path), key)


def schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of a profile file."""
    from torchfl.profile.reference import json_schema as build

    return build()


def json_schema() -> str:
    """:func:`schema` as text."""
    import json

    return json.dumps(schema(), indent=2)


def key_table() -> str:
    """The reference of every key as a Markdown table, generated from the schema."""
    from torchfl.profile.reference import key_table as build

    return build()
