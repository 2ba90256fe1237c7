"""What the comment of a function says that it computes: formulas and short definitions."""

from torchfl_sdk.match.remarks.remark import Remark, remark

__all__ = ["Remark", "remark"]
