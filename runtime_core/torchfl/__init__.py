"""torchfl: any chip that a profile describes, as a PyTorch device."""

from __future__ import annotations

__version__ = "0.1.0"
