"""Which catalogue ops ``torch.autocast`` casts, and to what: PyTorch's lists, as far as the catalogue goes.

A test compares them with what this torch registers. An autocast case gives the op operands of the other precision and
expects what the op gives in the dtype that autocast has to cast to.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from torchfl_sdk.conformance.cases.dtypes import torch_dtype

if TYPE_CHECKING:
    from torchfl_sdk.conformance.cases.samples import Sample

#: Cast to autocast's dtype.
LOWERED = (
    "aten::addbmm", "aten::addmm", "aten::addmv", "aten::addr", "aten::baddbmm", "aten::bmm", "aten::conv2d",
    "aten::mm", "aten::mv", "aten::prelu", "aten::scaled_dot_product_attention",
)  # fmt: skip
#: Cast to float32. (group_norm is too, but above the overload where it dispatches.)
RAISED = (
    "aten::acos", "aten::asin", "aten::cosh", "aten::erfinv", "aten::exp", "aten::expm1",
    "aten::layer_norm", "aten::log", "aten::log10", "aten::log1p", "aten::log2", "aten::logsumexp", "aten::mse_loss",
    "aten::pow", "aten::reciprocal", "aten::rsqrt", "aten::sinh", "aten::softplus", "aten::tan",
)  # fmt: skip
#: Given a dtype= argument, or operands of the widest dtype among them: a single operand's dtype changes nothing there.
OTHERWISE = (
    "aten::addcdiv", "aten::addcmul", "aten::atan2", "aten::cumprod", "aten::cumsum", "aten::dot", "aten::index_put",
    "aten::prod", "aten::scatter_add", "aten::sum", "aten::vector_norm",
)  # fmt: skip


def casts_to(op: str, dtype: str) -> bool:
    """Whether autocast makes ``op`` compute in ``dtype``, given operands of the other precision."""
    return (op in LOWERED and dtype in ("float16", "bfloat16")) or (op in RAISED and dtype == "float32")


def operand_dtype(dtype: str) -> str:
    """The dtype of the operands in an autocast case whose op computes in ``dtype``."""
    return "float16" if dtype == "float32" else "float32"


def region_dtype(dtype: str) -> str:
    """The dtype that such a case's autocast region asks for."""
    return "float16" if dtype == "float32" else dtype


def operands(sample: Sample) -> Sample:
    """The sample with its operands in the other precision, as a program passes them."""
    return _cast(sample, operand_dtype(sample.dtype))


def seen(sample: Sample) -> Sample:
    """The sample with the values that the op sees: those of the operands, cast as autocast must."""
    return _cast(operands(sample), sample.dtype)


def _cast(sample: Sample, dtype: str) -> Sample:
    to = torch_dtype(dtype)
    laid = tuple(
        None if one is None else replace(one, base=one.base.to(to) if one.base.is_floating_point() else one.base)
        for one in sample.laid
    )
    return replace(sample, laid=laid, inputs=tuple(None if one is None else one.view() for one in laid))
