"""Asks a chip what its header does not say, and writes the answers into its profile.

``probe("xpu:x1", write=True)`` settles every entry with provenance ``unverified``: which dtypes give right numbers,
which values of each attribute and which sizes the kernel takes, alignment, in-place use, how int8 results are stored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torchfl_sdk.probe.report import ProbeReport
    from torchfl_sdk.probe.run import probe

__all__ = ["ProbeReport", "probe"]


def __getattr__(name: str) -> Any:
    """Loaded when first asked for, so that the command line can name the probe without importing it."""
    if name == "probe":
        from torchfl_sdk.probe.run import probe

        return probe
    if name == "ProbeReport":
        from torchfl_sdk.probe.report import ProbeReport

        return ProbeReport
    raise AttributeError(f"module 'torchfl_sdk.probe' has no attribute {name!r}")
