"""The kernel of a binding, by what its calls are: products of matrices, casts, linear layers, calls on tensors."""

from __future__ import annotations

from collections.abc import Callable

from torchfl.catalogue import OpSpec
from torchfl_sdk.match.model import Binding, Call, StatusType
from torchfl_sdk.scaffold.call_plan import plan_call
from torchfl_sdk.scaffold.casts import is_cast, plan_casts
from torchfl_sdk.scaffold.gemm import Product, is_gemm, plan_gemm
from torchfl_sdk.scaffold.kernel_plan import Helpers, Kernel
from torchfl_sdk.scaffold.linear import is_linear, plan_linear


def plan_binding(
    binding: Binding,
    op: OpSpec,
    status: StatusType,
    helpers: Helpers,
    products: dict[tuple[str, ...], Product],
    place: Callable[[Call], str],
    *,
    nhwc: bool = False,
) -> Kernel:
    """The kernel; raises NotGenerated with the reason against one. Products of matrices are added to ``products``."""
    if is_gemm(binding):
        return plan_gemm(binding, status, helpers, products, place)
    if is_cast(binding):
        return plan_casts(binding, op, status, helpers, place)
    if is_linear(binding):
        return plan_linear(binding, op, status, helpers, place)
    return plan_call(binding, op, status, helpers, place, nhwc=nhwc)
