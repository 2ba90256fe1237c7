"""Element-wise ops: unary, binary and activations."""

from __future__ import annotations

from torchfl.catalogue.spec import Attr, OpSpec

FLOAT = ("float32", "float16", "bfloat16", "float64")
NUMBER = (*FLOAT, "int8", "uint8", "int16", "int32", "int64")


def _unary(
    name: str,
    *vendor_names: str,
    samples: str = "unary",
    integers: bool = False,
    floats_only: bool = False,
    attrs: tuple[Attr, ...] = (),
    tier: str = "T2",
    inplace: bool = True,
    linear: bool = False,
) -> OpSpec:
    """``integers``: defined on them, giving integers; ``floats_only``: PyTorch refuses integers, without promotion."""
    base = f"aten::{name}"
    return OpSpec(
        name=base,
        overload=base,
        inputs=("self",),
        shape_rule="same",
        dtype_rule="promote" if integers or floats_only else "promote_float",
        tier=tier,
        samples=samples,
        vendor_names=vendor_names or (name,),
        attrs=attrs,
        inplace=f"aten::{name}_" if inplace else "",
        out=f"aten::{name}.out",
        dtypes=NUMBER if integers else FLOAT,
        linear=linear,
    )


def _binary(
    name: str,
    *vendor_names: str,
    samples: str = "binary",
    alpha: bool = False,
    overload: str = ".Tensor",
    integers: bool = True,
    inplace: bool = True,
    tier: str = "T2",
) -> OpSpec:
    base = f"aten::{name}"
    return OpSpec(
        name=base,
        overload=base + overload,
        inputs=("self", "other"),
        shape_rule="broadcast",
        dtype_rule="promote" if integers else "promote_float",
        tier=tier,
        samples=samples,
        vendor_names=vendor_names or (name,),
        attrs=(Attr("alpha", "scalar", 1),) if alpha else (),
        inplace=f"aten::{name}_.Tensor" if inplace else "",
        out=f"aten::{name}.out",
        dtypes=NUMBER if integers else FLOAT,
    )


OPS: tuple[OpSpec, ...] = (
    _binary("add", "add", "vadd", "eltwise_add", "elementwise_add", "plus", alpha=True),
    _binary("sub", "sub", "subtract", "vsub", "minus", alpha=True),
    _binary("mul", "mul", "multiply", "vmul", "eltwise_mul"),
    _binary("div", "div", "divide", "vdiv", samples="binary_nonzero", integers=False),
    _binary("maximum", "maximum", "max", "eltwise_max", overload="", inplace=False, tier="T0"),
    _binary("minimum", "minimum", "min", "eltwise_min", overload="", inplace=False, tier="T0"),
    _unary("relu", "relu", integers=True, tier="T0"),
    _unary("neg", "neg", "negate", "negative", integers=True, tier="T0", linear=True),
    _unary("abs", "abs", "absolute", integers=True, tier="T0"),
    _unary("floor", "floor", integers=True, tier="T0"),
    _unary("ceil", "ceil", "ceiling", integers=True, tier="T0"),
    _unary("exp", "exp", "expf"),
    _unary("log", "log", "ln", "logf", samples="unary_positive"),
    _unary("sqrt", "sqrt", samples="unary_positive"),
    _unary("rsqrt", "rsqrt", "invsqrt", "inv_sqrt", samples="unary_positive"),
    _unary("reciprocal", "reciprocal", "inv", "recip", samples="unary_positive"),
    _unary("sin", "sin"),
    _unary("cos", "cos"),
    _unary("tanh", "tanh"),
    _unary("erf", "erf"),
    _unary("sigmoid", "sigmoid", "logistic"),
    _unary("silu", "silu", "swish", floats_only=True),
    _unary("hardswish", "hardswish", "hard_swish", "hswish", floats_only=True),
    _unary(
        "leaky_relu",
        "leaky_relu",
        "leakyrelu",
        "lrelu",
        floats_only=True,
        attrs=(Attr("negative_slope", "scalar", 0.01),),
    ),
    _unary(
        "elu",
        "elu",
        floats_only=True,
        attrs=(Attr("alpha", "scalar", 1), Attr("scale", "scalar", 1), Attr("input_scale", "scalar", 1)),
    ),
)
