"""Changing modules that may be imported after ``init()``: at once where they are loaded, else right after their import.

Importing them ourselves would cost a user who never needs them: inductor alone takes seconds.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


class WhenImported(MetaPathFinder):
    """Calls ``change(module)`` once for the module ``name``; :meth:`stop` before its import means never."""

    def __init__(self, name: str, change: Callable[[ModuleType], None]) -> None:
        self._name = name
        self._change = change
        loaded = sys.modules.get(name)
        if loaded is not None:
            change(loaded)
        else:
            sys.meta_path.insert(0, self)

    @property
    def waiting(self) -> bool:
        """Whether the module has not been imported yet."""
        return self in sys.meta_path

    def stop(self) -> None:
        """Waits no longer. What has been changed stays."""
        if self.waiting:
            sys.meta_path.remove(self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Part of Python's import protocol: the other finders' answer, with our change after the module's own code."""
        if fullname != self._name:
            return None
        for finder in sys.meta_path:
            ask = getattr(finder, "find_spec", None)
            spec: ModuleSpec | None = None if finder is self or ask is None else ask(fullname, path, target)
            if spec is not None and spec.loader is not None:
                self._follow(spec.loader)
                return spec
        return None

    def _follow(self, loader: Any) -> None:
        execute = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            del loader.exec_module  # the instance's own; the class's is there again
            execute(module)
            if self.waiting:
                self.stop()
                self._change(module)

        loader.exec_module = exec_module
