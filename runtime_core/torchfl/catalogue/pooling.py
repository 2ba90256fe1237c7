"""Pooling over windows of images."""

from __future__ import annotations

from torchfl.catalogue.elementwise import FLOAT
from torchfl.catalogue.spec import Attr, OpSpec

_WINDOW = (
    Attr("kernel_size", "int_list"),
    Attr("stride", "int_list"),  # empty: the kernel's size, which is what a kernel then gets
    Attr("padding", "int_list", 0),
)

OPS: tuple[OpSpec, ...] = (
    OpSpec(
        name="aten::max_pool2d",
        overload="aten::max_pool2d_with_indices",
        inputs=("self",),
        shape_rule="pool",
        dtype_rule="same",
        tier="T0",
        samples="pool",
        vendor_names=("max_pool2d", "maxpool2d", "max_pool", "maxpool", "max_pooling", "max_pooling2d"),
        attrs=(*_WINDOW, Attr("dilation", "int_list", 1), Attr("ceil_mode", "bool", False)),
        dtypes=FLOAT,
        outputs=("out", "indices"),
        output_kinds=("common", "index"),
    ),
    OpSpec(
        name="aten::avg_pool2d",
        overload="aten::avg_pool2d",
        inputs=("self",),
        shape_rule="pool",
        dtype_rule="same",
        tier="T2",
        samples="pool",
        vendor_names=("avg_pool2d", "avgpool2d", "avg_pool", "average_pool", "average_pooling", "avgpool"),
        attrs=(
            *_WINDOW,
            Attr("ceil_mode", "bool", False),
            Attr("count_include_pad", "bool", True),
            Attr("divisor_override", "absent"),
        ),
        out="aten::avg_pool2d.out",
        dtypes=FLOAT,
    ),
    OpSpec(
        name="aten::adaptive_avg_pool2d",
        overload="aten::_adaptive_avg_pool2d",
        inputs=("self",),
        shape_rule="adaptive_pool",
        dtype_rule="same",
        tier="T2",
        samples="adaptive_pool",
        vendor_names=("adaptive_avg_pool2d", "adaptive_average_pool"),
        attrs=(Attr("output_size", "int_list"),),
        dtypes=FLOAT,
    ),
)
