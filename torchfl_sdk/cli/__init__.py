"""The command line: `torchfl` and `torchfl-build`. Each command parses, calls one function, and prints.

Nothing here imports torch, and the modules that commands call are imported inside them, so that ``--help``
and the commands that only read files start at once.
"""

from __future__ import annotations


def main() -> None:
    """The ``torchfl`` command."""
    from torchfl_sdk.cli.app import app
    from torchfl_sdk.cli.run import run

    run(app, "torchfl")


def build_main() -> None:
    """The ``torchfl-build`` command."""
    from torchfl_sdk.cli.build import app
    from torchfl_sdk.cli.run import run

    run(app, "torchfl-build")
