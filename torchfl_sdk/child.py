"""Commands that run one of our modules in a process of its own, whatever folder the user stands in."""

from __future__ import annotations

import sys

#: `python -m` looks for modules in the current folder first: there, a user's own `torch.py`, or a source tree of
#: torchfl beside the installed one, would be taken for the real thing.
_RUN = (
    "import runpy, sys; sys.path[:] = filter(None, sys.path); del sys.argv[0]; "
    "runpy.run_module(sys.argv[0], run_name='__main__', alter_sys=True)"
)


def module_command(module: str, *args: str) -> list[str]:
    """The command line for ``python -m MODULE ARGS`` without the current folder on the module path."""
    return [sys.executable, "-c", _RUN, module, *args]
