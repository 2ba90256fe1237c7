"""What becomes of integer results that their type does not hold: a header's types do not say."""

from __future__ import annotations

from collections.abc import Iterable

from torchfl.catalogue import OpSpec

#: Ops whose results may lie outside of an integer type, where PyTorch's wrap around and other libraries' saturate.
_OUTGROWS = frozenset(
    f"aten::{name}"
    for name in (
        "abs", "add", "addcmul", "addmm", "addmv", "addr", "baddbmm", "bmm", "cumsum", "dot", "mm", "mul", "mv", "neg",
        "prod", "rsub", "square", "sub", "sum",
    )
)  # fmt: skip


def left_open(op: OpSpec, dtypes: Iterable[str]) -> tuple[str, ...]:
    """What the types of a function over integers leave open."""
    integers = [d for d in dtypes if d.startswith(("int", "uint"))]
    if op.name not in _OUTGROWS or not integers:
        return ()
    return (f"the types do not say whether {integers[0]} wraps around or saturates",)
