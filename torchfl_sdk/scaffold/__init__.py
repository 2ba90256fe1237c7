"""Writes a chip project from a vendor's header: plan, render, write."""

from torchfl_sdk.scaffold.command import new_chip
from torchfl_sdk.scaffold.request import BoundOp, NewChipRequest, NewChipResult

__all__ = ["BoundOp", "NewChipRequest", "NewChipResult", "new_chip"]
