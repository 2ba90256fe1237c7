"""The op catalogue: every op that a chip can serve, once. Importable without torch.

``get("aten::add")`` finds an op by its profile name; ``by_overload("aten::convolution_overrideable")`` finds the
op that a dispatched overload (functional, in-place or out=) belongs to.
"""

from __future__ import annotations

from torchfl.catalogue import (
    activations,
    attention,
    comparison,
    contractions,
    elementwise,
    indexing,
    normalisation,
    pooling,
    reductions,
)
from torchfl.catalogue.spec import DTYPE_RULES, SHAPE_RULES, TENSOR_KINDS, TIERS, Attr, OpSpec

__all__ = ["OPS", "Attr", "OpSpec", "by_overload", "get"]

#: Every op, sorted by name.
OPS: tuple[OpSpec, ...] = tuple(
    sorted(
        (
            *elementwise.OPS,
            *activations.OPS,
            *comparison.OPS,
            *reductions.OPS,
            *contractions.OPS,
            *pooling.OPS,
            *normalisation.OPS,
            *indexing.OPS,
            *attention.OPS,
        ),
        key=lambda op: op.name,
    )
)


def _index() -> tuple[dict[str, OpSpec], dict[str, OpSpec]]:
    names: dict[str, OpSpec] = {}
    overloads: dict[str, OpSpec] = {}
    for op in OPS:
        if op.name in names:
            raise AssertionError(f"{op.name} stands twice in the catalogue")
        if op.shape_rule not in SHAPE_RULES or op.dtype_rule not in DTYPE_RULES or op.tier not in TIERS:
            raise AssertionError(f"{op.name} names a rule that does not exist")
        kinds = (*op.output_kinds, *dict(op.input_kinds).values())
        if len(op.outputs) != len(op.output_kinds) or not set(kinds) <= set(TENSOR_KINDS):
            raise AssertionError(f"{op.name} says the kind of its tensors wrongly")
        names[op.name] = op
        for overload in filter(None, (*op.overloads, op.reference)):
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
