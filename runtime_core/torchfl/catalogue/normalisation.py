"""Ops that normalise along a dimension."""

from __future__ import annotations

from torchfl.catalogue.spec import Attr, OpSpec

FLOAT = ("float32", "float16", "bfloat16", "float64")

OPS: tuple[OpSpec, ...] = tuple(
    OpSpec(
        name=f"aten::{name}",
        overload=f"aten::_{name}",
        inputs=("self",),
        shape_rule="same",
        dtype_rule="same",
        tier="T2",
        samples="along_dim",
        vendor_names=vendor_names,
        attrs=(Attr("dim", "int"), Attr("half_to_float", "bool", False)),
        out=f"aten::_{name}.out",
        dtypes=FLOAT,
    )
    for name, vendor_names in (
        ("softmax", ("softmax", "softmax_forward")),
        ("log_softmax", ("log_softmax", "logsoftmax")),
    )
)
