"""Loads a built chip project's Python module and runs its kernels on numpy arrays."""

from __future__ import annotations

import importlib.machinery
import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import numpy as np


@dataclass(frozen=True)
class Chip:
    """An opened chip."""

    module: ModuleType

    def run(
        self, kernel: str, inputs: Sequence[np.ndarray | None], out: np.ndarray, attrs: Sequence[object] = ()
    ) -> np.ndarray:
        """Run a kernel and check that its inputs are as before."""
        before = [None if a is None else a.copy() for a in inputs]
        result = self.run_unchecked(kernel, inputs, out, attrs)
        for array, old in zip(inputs, before, strict=True):
            assert array is None or np.array_equal(array, old, equal_nan=array.dtype.kind == "f")
        assert result is out
        return out

    def run_unchecked(
        self, kernel: str, inputs: Sequence[np.ndarray | None], out: np.ndarray, attrs: Sequence[object] = ()
    ) -> np.ndarray:
        """Run a kernel."""
        return self.module.run(kernel, inputs, out, attrs)

    def calls(self, function: str) -> int:
        """How often a vendor function was entered so far."""
        return int(self.module.symbols()[function]["calls"])


def load_chip(project: Path, name: str, library: Path) -> Chip:
    """Import ``NAME_wrapper`` from the project's folder and open the vendor's library."""
    suffix = importlib.machinery.EXTENSION_SUFFIXES[0]
    spec = importlib.util.spec_from_file_location(f"{name}_wrapper", project / f"{name}_wrapper{suffix}")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.open(str(library))
    return Chip(module)
