"""What the suite knows of each shape rule: one object per rule, by the catalogue's name.

Element-wise ops, products and convolution have recipes of their own (``cases/recipes.py``).
"""

from __future__ import annotations

from torchfl_sdk.conformance.cases.rules.along import AlongDim, Reduce, Triangle
from torchfl_sdk.conformance.cases.rules.attention import Attention
from torchfl_sdk.conformance.cases.rules.base import Rule
from torchfl_sdk.conformance.cases.rules.movement import Cat, Embedding, Gather, IndexSelect, Permute
from torchfl_sdk.conformance.cases.rules.norms import BatchNorm, GroupNorm, LayerNorm
from torchfl_sdk.conformance.cases.rules.windows import AdaptivePool, Pool

__all__ = ["RULES", "Rule"]

RULES: dict[str, Rule] = {
    "along_dim": AlongDim(),
    "reduce": Reduce(),
    "triangle": Triangle(),
    "pool": Pool(),
    "adaptive_pool": AdaptivePool(),
    "layer_norm": LayerNorm(),
    "batch_norm": BatchNorm(),
    "group_norm": GroupNorm(),
    "embedding": Embedding(),
    "index_select": IndexSelect(),
    "gather": Gather(),
    "scatter": Gather(),
    "cat": Cat(),
    "permute": Permute(),
    "attention": Attention(),
}
