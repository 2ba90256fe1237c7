"""Attention."""

from __future__ import annotations

from torchfl.catalogue.elementwise import FLOAT
from torchfl.catalogue.spec import Attr, OpSpec

OPS: tuple[OpSpec, ...] = (
    OpSpec(
        name="aten::scaled_dot_product_attention",
        overload="torchfl::attention",  # where PyTorch's choice for this device leads; csrc/dispatch/attention.cpp
        inputs=("query", "key", "value", "attn_mask"),
        optional_inputs=("attn_mask",),
        shape_rule="attention",
        dtype_rule="same",
        tier="T2",
        samples="attention",
        vendor_names=("scaled_dot_product_attention", "sdpa", "attention", "flash_attention", "fused_attention"),
        attrs=(
            Attr("dropout_p", "float", 0),
            Attr("is_causal", "bool", False),
            Attr("scale", "float", None, optional=True),  # absent: one over the root of head_dim
            Attr("enable_gqa", "bool", False),
        ),
        reference="aten::scaled_dot_product_attention",
        dtypes=FLOAT,
        inference_only=True,
    ),
)
