"""The op catalogue: every op that a chip can serve, once. Importable without torch.

``get("aten::add")`` finds an op by its profile name; ``by_overload("aten::convolution_overrideable")`` finds the
op that a dispatched overload (functional, in-place or out=) belongs to.
"""

from __future__ import annotations

from torchfl.catalogue import contractions, elementwise, normalisation
from torchfl.catalogue.spec import DTYPE_RULES, SHAPE_RULES, TIERS, Attr, OpSpec

__all__ = ["OPS", "Attr", "OpSpec", "by_overload", "get"]

#: Every op, sorted by name.
OPS: tuple[OpSpec, ...] = tuple(
    sorted((*elementwise.OPS, *contractions.OPS, *normalisation.OPS), key=lambda op: op.name)
)


def _index() -> tuple[dict[str, OpSpec], dict[str, OpSpec]]:
    names: dict[str, OpSpec] = {}
    overloads: dict[str, OpSpec] = {}
    for op in OPS:
        if op.name in names:
            raise AssertionError(f"{op.name} stands twice in the catalogue")
        if op.shape_rule not in SHAPE_RULES or op.dtype_rule not in DTYPE_RULES or op.tier not in TIERS:
            raise AssertionError(f"{op.name} names a rule that does not exist")
        names[op.name] = op
        for overload in filter(None, (op.overload, op.inplace, op.out, op.reference)):
            if overload in overloads:
                raise AssertionError(f"{overload} belongs to two catalogue ops")
            overloads[overload] = op
    return names, overloads


_NAMES, _OVERLOADS = _index()


def get(name: str) -> OpSpec | None:
    """The op with this profile name, or None."""
    return _NAMES.get(name)


def by_overload(overload: str) -> OpSpec | None:
    """The op that a dispatched overload (``aten::add_.Tensor``) belongs to, or None."""
    return _OVERLOADS.get(overload)
