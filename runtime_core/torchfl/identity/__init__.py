"""The device under the name ``xpu``: which level is in force, and the patches that make it so.

Three levels, chosen with ``TORCHFL_IDENTITY``:

- ``xpu`` (the default): Python sees ``xpu`` everywhere; ``t.device.type == "xpu"``.
- ``alias``: ``"xpu"`` is accepted wherever a device is named, and ``torch.xpu`` answers; tensors say ``fl``.
- ``off``: the device is ``fl`` alone; what torch does for other devices is unchanged. A torch with Intel XPU support
  gets this level.

What is changed, why, how it is checked and undone stands in :mod:`torchfl.identity.table`.
"""

from __future__ import annotations

import os
import warnings
from enum import IntEnum
from typing import Any

from torchfl.errors import Problem, TorchflError, TorchflWarning, did_you_mean, register

UNKNOWN_LEVEL = register("TFL0613", "TORCHFL_IDENTITY names no level", 2)
PATCH_FAILED = register("TFL0614", "a change to torch that makes Python see `xpu` did not take", 1)


class Level(IntEnum):
    """How far the name ``xpu`` reaches; each level has what is below it."""

    OFF = 0
    ALIAS = 1
    XPU = 2


def wanted_level() -> Level:
    """The level that ``TORCHFL_IDENTITY`` asks for. Raises TorchflError (TFL0613) for an unknown word."""
    word = os.environ.get("TORCHFL_IDENTITY", "") or "xpu"
    known = {level.name.lower(): level for level in Level}
    if word not in known:
        fix = did_you_mean(word, known) or f"one of {', '.join(known)}"
        raise TorchflError(Problem(UNKNOWN_LEVEL, f"TORCHFL_IDENTITY is '{word}'", fix))
    return known[word]


_applied: list[Any] = []  # patches of the table, in order
_level = Level.OFF


def level() -> Level:
    """The level in force; OFF where torchfl is not initialised."""
    return _level


def install(core: Any, wanted: Level) -> Level:
    """Applies the patches of ``wanted`` and checks each. Returns the level reached.

    A patch that fails or whose check fails is left out, and costs one warning that names it. Where it breaks level XPU,
    level ALIAS is what remains; where it breaks a lower one, TorchflError (TFL0614) is raised.
    """
    global _level
    if _applied:
        return _level
    from torchfl.identity.table import PATCHES

    _level = wanted
    for patch in PATCHES:
        if patch.level > _level:
            continue
        try:
            _applied.append(patch)
            patch.apply(core)
            patch.check(core)
        except Exception as error:  # whatever another torch or Python answers with
            _fall_back(core, patch, error)
    return _level


def _fall_back(core: Any, patch: Any, error: Exception) -> None:
    """What remains where ``patch`` did not take. Raises where that is nothing."""
    global _level
    problem = Problem(
        PATCH_FAILED,
        f"patch '{patch.name}' ({patch.changes}): {type(error).__name__}: {error}",
        "use the torch and Python that this release names, or set TORCHFL_IDENTITY=alias",
    )
    _applied.remove(patch)
    patch.undo(core)
    if patch.breaks is not None and patch.breaks <= _level:
        if patch.breaks is not Level.XPU:
            _undo(core, above=None)
            _level = Level.OFF
            raise TorchflError(problem) from error
        _undo(core, above=Level.ALIAS)
        _level = Level.ALIAS
        lost = ("tensors say `fl` instead of `xpu` in this process", patch.loss)
    else:
        lost = ("", patch.loss)
    warnings.warn(f"torchfl: {'; '.join(str(part) for part in (problem, *lost) if part)}", TorchflWarning, stacklevel=6)


def remove(core: Any) -> None:
    """Takes every patch back, the last first."""
    global _level
    _undo(core, above=None)
    _level = Level.OFF


def _undo(core: Any, above: Level | None) -> None:
    for patch in reversed([p for p in _applied if above is None or p.level > above]):
        patch.undo(core)
        _applied.remove(patch)
