"""Activation functions of networks."""

from __future__ import annotations

from torchfl.catalogue.elementwise import unary
from torchfl.catalogue.spec import Attr, OpSpec

INFINITY = float("inf")

OPS: tuple[OpSpec, ...] = (
    unary("relu", "relu", integers=True, tier="T0"),
    unary("sigmoid", "sigmoid", "logistic"),
    unary("silu", "silu", "swish", floats_only=True),
    unary("mish", "mish", floats_only=True),
    unary(
        "gelu",
        "gelu",
        "gelu_erf",
        floats_only=True,
        samples="unary_finite",
        attrs=(Attr("approximate", "choice", "none", choices=("none", "tanh")),),
    ),
    unary("hardswish", "hardswish", "hard_swish", "hswish", floats_only=True),
    unary("hardsigmoid", "hardsigmoid", "hard_sigmoid", "hsigmoid", floats_only=True),
    unary(
        "hardtanh",
        "hardtanh",
        "hard_tanh",
        floats_only=True,
        tier="T0",
        attrs=(Attr("min_val", "scalar", -1), Attr("max_val", "scalar", 1)),
    ),
    unary(
        "clamp",
        "clamp",
        "clip",
        floats_only=True,
        tier="T0",
        samples="clamp",
        attrs=(Attr("min", "scalar", -INFINITY), Attr("max", "scalar", INFINITY)),
    ),
    unary(
        "leaky_relu",
        "leaky_relu",
        "leakyrelu",
        "lrelu",
        floats_only=True,
        attrs=(Attr("negative_slope", "scalar", 0.01),),
    ),
    unary(
        "elu",
        "elu",
        floats_only=True,
        attrs=(Attr("alpha", "scalar", 1), Attr("scale", "scalar", 1), Attr("input_scale", "scalar", 1)),
    ),
    unary(
        "softplus",
        "softplus",
        "soft_relu",
        floats_only=True,
        inplace=False,
        attrs=(Attr("beta", "scalar", 1), Attr("threshold", "scalar", 20)),
    ),
)
