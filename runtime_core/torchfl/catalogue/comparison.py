"""Comparison, logic and selection: ops that read or give masks; and the change of dtype."""

from __future__ import annotations

from torchfl.catalogue.elementwise import FLOAT, NUMBER, binary, unary
from torchfl.catalogue.spec import Attr, OpSpec

_COMPARISONS = (
    ("eq", "eq", "equal", "equals"),
    ("ne", "ne", "not_equal"),
    ("lt", "lt", "less", "less_than"),
    ("le", "le", "less_equal"),
    ("gt", "gt", "greater", "greater_than"),
    ("ge", "ge", "greater_equal"),
)

OPS: tuple[OpSpec, ...] = (
    *(
        binary(name, *names, samples="compare", out=".Tensor_out", scalar=".Scalar", tier="T0", result="bool")
        for name, *names in _COMPARISONS
    ),
    *(
        binary(f"logical_{word}", f"logical_{word}", samples="compare", overload="", tier="T0", result="bool")
        for word in ("and", "or", "xor")
    ),
    unary("logical_not", "logical_not", samples="logical_not", tier="T0", dtypes=NUMBER, result="bool"),
    OpSpec(
        name="aten::where",
        overload="aten::where.self",
        inputs=("condition", "self", "other"),
        input_kinds=(("condition", "bool"),),
        shape_rule="broadcast",
        dtype_rule="promote",
        tier="T0",
        samples="where",
        vendor_names=("where", "select"),
        out="aten::where.self_out",
        dtypes=NUMBER,
    ),
    OpSpec(
        name="aten::masked_fill",
        overload="aten::masked_fill.Scalar",
        inputs=("self", "mask"),
        input_kinds=(("mask", "bool"),),
        shape_rule="broadcast",
        dtype_rule="same",
        tier="T0",
        samples="masked_fill",
        vendor_names=("masked_fill", "mask_fill"),
        attrs=(Attr("value", "scalar"),),
        inplace="aten::masked_fill_.Scalar",
        dtypes=NUMBER,
        contiguous=True,
    ),
    OpSpec(
        name="aten::_to_copy",
        overload="aten::_to_copy",
        inputs=("self",),
        shape_rule="same",
        dtype_rule="promote",
        tier="T0",
        samples="cast",
        vendor_names=("cast", "convert", "to_copy"),
        attrs=(Attr("dtype", "dtype", choices=NUMBER),),
        dtypes=NUMBER,
        output_kinds=("named",),
    ),
    *(
        OpSpec(
            name=f"aten::{name}",
            overload=f"aten::{name}",
            inputs=("self", "tensor1", "tensor2"),
            shape_rule="broadcast",
            dtype_rule="promote",
            tier="T2",
            samples=samples,
            vendor_names=(name,),
            attrs=(Attr("value", "scalar", 1),),
            inplace=f"aten::{name}_",
            out=f"aten::{name}.out",
            dtypes=FLOAT,
        )
        for name, samples in (("addcmul", "ternary"), ("addcdiv", "ternary_nonzero"))
    ),
)
