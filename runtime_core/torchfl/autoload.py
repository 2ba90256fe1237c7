"""The entry point that ``import torch`` calls: activates the chips that are configured, and never fails.

With no chip configured (no ``TORCHFL_DEVICE_DIR``, no installed chip package) this reads one environment variable and
the list of entry points and returns. It never compiles: a missing core costs one warning with the command that
builds it. ``TORCHFL_AUTOLOAD=0`` turns it off.
"""

from __future__ import annotations

import os
import warnings


def activate() -> None:
    """Called by torch at the end of its import."""
    if os.environ.get("TORCHFL_AUTOLOAD", "1") == "0" or not _configured():
        return
    from torchfl import runtime
    from torchfl.errors import TorchflError

    try:
        runtime.activate(compile_core=False)
    except TorchflError as error:
        warnings.warn(f"torchfl: no chip was activated: {error}", runtime.TorchflWarning, stacklevel=2)
    except Exception as error:  # `import torch` must survive whatever a chip does
        warnings.warn(
            f"torchfl: no chip was activated: {type(error).__name__}: {error}; fix: run `torchfl doctor`",
            runtime.TorchflWarning,
            stacklevel=2,
        )


def _configured() -> bool:
    if os.environ.get("TORCHFL_DEVICE_DIR"):
        return True
    from importlib.metadata import entry_points

    return bool(entry_points(group="torchfl.chips"))
