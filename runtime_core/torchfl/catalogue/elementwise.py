"""Arithmetic element by element, of one and of two operands."""

from __future__ import annotations

from torchfl.catalogue.spec import Attr, OpSpec

FLOAT = ("float32", "float16", "bfloat16", "float64")
NUMBER = (*FLOAT, "int8", "uint8", "int16", "int32", "int64")
INTEGER = ("int8", "uint8", "int16", "int32", "int64")


def unary(
    name: str,
    *vendor_names: str,
    samples: str = "unary",
    integers: bool = False,
    floats_only: bool = False,
    attrs: tuple[Attr, ...] = (),
    tier: str = "T2",
    inplace: bool = True,
    linear: bool = False,
    dtypes: tuple[str, ...] = (),
    result: str = "common",
) -> OpSpec:
    """``integers``: defined on them, giving integers; ``floats_only``: PyTorch refuses integers, without promotion."""
    base = f"aten::{name}"
    return OpSpec(
        name=base,
        overload=base,
        inputs=("self",),
        shape_rule="same",
        dtype_rule="promote" if integers or floats_only or dtypes else "promote_float",
        tier=tier,
        samples=samples,
        vendor_names=vendor_names or (name,),
        attrs=attrs,
        inplace=f"aten::{name}_" if inplace else "",
        out=f"aten::{name}.out",
        dtypes=dtypes or (NUMBER if integers else FLOAT),
        linear=linear,
        output_kinds=(result,),
    )


def binary(
    name: str,
    *vendor_names: str,
    samples: str = "binary",
    alpha: bool = False,
    overload: str = ".Tensor",
    out: str = ".out",
    scalar: str = "",
    integers: bool = True,
    inplace: bool = True,
    tier: str = "T2",
    second: str = "other",
    dtypes: tuple[str, ...] = (),
    result: str = "common",
    excluded: tuple[str, ...] = (),
) -> OpSpec:
    """``scalar``: the suffix of the overload with a number as second operand, whose in-place form is ``.Scalar``."""
    base = f"aten::{name}"
    return OpSpec(
        name=base,
        overload=base + overload,
        inputs=("self", second),
        shape_rule="broadcast",
        dtype_rule="promote" if integers else "promote_float",
        tier=tier,
        samples=samples,
        vendor_names=vendor_names or (name,),
        attrs=(Attr("alpha", "scalar", 1),) if alpha else (),
        inplace=f"aten::{name}_{overload.replace('.Tensor_Tensor', '.Tensor')}" if inplace else "",
        out=base + out,
        scalar=base + scalar if scalar else "",
        scalar_inplace=f"aten::{name}_.Scalar" if scalar and inplace else "",
        dtypes=dtypes or (NUMBER if integers else FLOAT),
        output_kinds=(result,),
        excluded_dtypes=excluded,
    )


OPS: tuple[OpSpec, ...] = (
    binary("add", "add", "vadd", "eltwise_add", "elementwise_add", "plus", alpha=True, scalar=".Scalar"),
    binary("sub", "sub", "subtract", "vsub", "minus", alpha=True, scalar=".Scalar", excluded=("bool",)),
    binary("mul", "mul", "multiply", "vmul", "eltwise_mul", scalar=".Scalar"),
    binary("div", "div", "divide", "vdiv", samples="binary_nonzero", integers=False, scalar=".Scalar"),
    binary("maximum", "maximum", "max", "eltwise_max", overload="", inplace=False, tier="T0"),
    binary("minimum", "minimum", "min", "eltwise_min", overload="", inplace=False, tier="T0"),
    binary(
        "pow", "pow", "vpow", samples="binary_positive", overload=".Tensor_Tensor", out=".Tensor_Tensor_out",
        scalar=".Tensor_Scalar", second="exponent", dtypes=FLOAT,
    ),
    binary("fmod", "fmod", samples="binary_remainder", out=".Tensor_out", scalar=".Scalar", tier="T0", dtypes=FLOAT),
    binary("remainder", "floor_mod", "py_mod", samples="binary_remainder", out=".Tensor_out", scalar=".Scalar",
           dtypes=FLOAT),
    binary("atan2", "atan2", "arctan2", overload="", integers=False),
    binary("hypot", "hypot", overload="", dtypes=FLOAT),
    binary("copysign", "copysign", scalar=".Scalar", integers=False, tier="T0"),
    binary("logaddexp", "logaddexp", overload="", inplace=False, dtypes=FLOAT),
    binary("fmax", "fmax", overload="", inplace=False, tier="T0"),
    binary("fmin", "fmin", overload="", inplace=False, tier="T0"),
    unary("neg", "neg", "negate", "negative", integers=True, tier="T0", linear=True),
    unary("abs", "abs", "absolute", integers=True, tier="T0"),
    unary("floor", "floor", integers=True, tier="T0"),
    unary("ceil", "ceil", "ceiling", integers=True, tier="T0"),
    unary("round", "round", "rint", floats_only=True, tier="T0"),
    unary("trunc", "trunc", "truncate", floats_only=True, tier="T0"),
    unary("sign", "sign", "signum", floats_only=True, tier="T0"),
    unary("frac", "frac", floats_only=True, tier="T0"),
    unary("exp", "exp", "expf"),
    unary("exp2", "exp2"),
    unary("expm1", "expm1"),
    unary("log", "log", "ln", "logf", samples="unary_positive"),
    unary("log2", "log2", samples="unary_positive"),
    unary("log10", "log10", samples="unary_positive"),
    unary("log1p", "log1p", samples="unary_positive"),
    unary("sqrt", "sqrt", samples="unary_positive"),
    unary("rsqrt", "rsqrt", "invsqrt", "inv_sqrt", samples="unary_positive"),
    unary("reciprocal", "reciprocal", "inv", "recip", samples="unary_positive"),
    unary("sin", "sin"),
    unary("cos", "cos"),
    unary("tan", "tan"),
    unary("atan", "atan", "arctan"),
    unary("asin", "asin", "arcsin", samples="unary_unit"),
    unary("acos", "acos", "arccos", samples="unary_unit"),
    unary("sinh", "sinh"),
    unary("cosh", "cosh"),
    unary("tanh", "tanh"),
    unary("asinh", "asinh", "arcsinh"),
    unary("acosh", "acosh", "arccosh", samples="unary_above_one"),
    unary("atanh", "atanh", "arctanh", samples="unary_unit"),
    unary("erf", "erf"),
    unary("erfc", "erfc"),
    unary("erfinv", "erfinv", samples="unary_unit"),
    unary("bitwise_not", "bitwise_not", "bit_not", "invert", dtypes=INTEGER, tier="T0", samples="unary_integer"),
    *(
        binary(f"bitwise_{word}", f"bitwise_{word}", f"bit_{word}", out=".Tensor_out", tier="T0", dtypes=INTEGER,
               samples="binary_integer", scalar=".Scalar")
        for word in ("and", "or", "xor")
    ),
)  # fmt: skip
