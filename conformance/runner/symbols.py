"""Which vendor functions each kernel of a chip library may enter, from its own table."""

from __future__ import annotations

from pathlib import Path

from torchfl_sdk.abi import ChipLibrary


def kernel_ops(library: Path) -> dict[str, str]:
    """Kernel name to the catalogue op that it is for. Raises OSError for a file that is no chip library."""
    return {kernel.name: kernel.op for kernel in ChipLibrary(library).kernels()}


def kernel_symbols(library: Path) -> dict[str, tuple[str, ...]]:
    """Kernel name to vendor function names. Raises OSError for a file that is no chip library."""
    return {kernel.name: kernel.symbols for kernel in ChipLibrary(library).kernels()}
