"""Ops that normalise: along a dimension, over the last ones, by channel or by group."""

from __future__ import annotations

from torchfl.catalogue.elementwise import FLOAT
from torchfl.catalogue.spec import Attr, OpSpec

_EPS = Attr("eps", "float")


def _norm(
    name: str,
    overload: str,
    inputs: tuple[str, ...],
    rule: str,
    attrs: tuple[Attr, ...],
    outputs: tuple[str, ...],
    *vendor_names: str,
    fixed: tuple[tuple[str, float], ...] = (),
    hidden: tuple[str, ...] = (),
) -> OpSpec:
    return OpSpec(
        name=f"aten::{name}",
        overload=f"aten::{overload}",
        inputs=inputs,
        optional_inputs=tuple(i for i in inputs if i in ("weight", "bias")),
        shape_rule=rule,
        dtype_rule="same",
        tier="T2",
        samples=name,
        vendor_names=vendor_names,
        attrs=attrs,
        dtypes=FLOAT,
        outputs=outputs,
        output_kinds=("common",) * len(outputs),
        fixed=fixed,
        hidden_outputs=hidden,
        inference_only=bool(hidden),
        constants=tuple(i for i in inputs if i.startswith("running_")),
    )


OPS: tuple[OpSpec, ...] = (
    *(
        OpSpec(
            name=f"aten::{name}",
            overload=f"aten::_{name}",
            inputs=("self",),
            shape_rule="along_dim",
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
    ),
    _norm(
        "layer_norm",
        "native_layer_norm",
        ("input", "weight", "bias"),
        "layer_norm",
        (Attr("normalized_shape", "int_list"), _EPS),
        ("out", "mean", "rstd"),
        "layer_norm", "layernorm", "layer_normalization",
    ),
    _norm(
        "rms_norm",
        "_fused_rms_norm",
        ("input", "weight"),
        "layer_norm",
        (Attr("normalized_shape", "int_list"), Attr("eps", "float", epsilon=True)),
        ("out",),
        "rms_norm", "rmsnorm", "rms_normalization",
        hidden=("rstd",),
    ),
    _norm(
        "batch_norm",
        "native_batch_norm",
        ("input", "weight", "bias", "running_mean", "running_var"),
        "batch_norm",
        (Attr("training", "bool", False), Attr("eps", "float")),
        ("out", "save_mean", "save_invstd"),
        "batch_norm", "batchnorm", "batch_normalization", "batch_norm_inference", "batchnorm_inference",
        fixed=(("momentum", 0.1),),
    ),
    _norm(
        "group_norm",
        "native_group_norm",
        ("input", "weight", "bias"),
        "group_norm",
        (Attr("N", "int"), Attr("C", "int"), Attr("HxW", "int"), Attr("group", "int"), _EPS),
        ("out", "mean", "rstd"),
        "group_norm", "groupnorm", "group_normalization",
    ),
)  # fmt: skip
