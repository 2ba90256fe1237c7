"""Loads the compiled core, once per process."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from torchfl import core_build
from torchfl.errors import Problem, TorchflError, register

NOT_BUILT = register("TFL0605", "the core has not been compiled for this torch and Python", 3)
LOAD_FAILED = register("TFL0606", "the compiled core does not load", 1)

_NAME = "torchfl._core"


def loaded() -> Any | None:
    """The core, or None while nothing has loaded it."""
    return sys.modules.get(_NAME)


def load(*, compile_if_missing: bool) -> Any:
    """The core. Imports torch; compiles when allowed.

    Raises TorchflError: TFL0605 where the core is missing and may not be compiled, TFL0606 where it does not load,
    and those of :func:`torchfl.core_build.build`.
    """
    module = loaded()
    if module is not None:
        return module
    status = core_build.status()
    if not status.built and not compile_if_missing:
        raise TorchflError(
            Problem(
                NOT_BUILT,
                f"the core is not compiled for torch {status.torch_version} and {status.python_tag}",
                "torchfl core build",
            )
        )
    path = status.path if status.built else core_build.build()
    import torch  # noqa: F401  the core needs torch's libraries in the process

    return _load_file(path)


def _load_file(path: Path) -> ModuleType:
    loader = importlib.machinery.ExtensionFileLoader(_NAME, str(path))
    spec = importlib.util.spec_from_file_location(_NAME, path, loader=loader)
    assert spec is not None
    try:
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
    except ImportError as error:
        raise TorchflError(
            Problem(LOAD_FAILED, f"{path} does not load: {error}", f"delete {path.parent}, then torchfl core build")
        ) from error
    sys.modules[_NAME] = module
    return module
