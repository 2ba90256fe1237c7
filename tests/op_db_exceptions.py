"""Where a device differs from the CPU for a reason. Data; a line that no longer holds fails the test of its op."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Difference:
    """``op`` is a DbOp's id; ``seen`` a pattern that "form: difference" must match."""

    op: str
    seen: str
    reason: str

    def covers(self, difference: str) -> bool:
        return re.search(self.seen, difference) is not None


_NO_SPARSE = "the device has no compressed sparse tensors"

EXCEPTIONS = (
    Difference(
        "nn.functional.gelu",
        r"^out gaps: values: .* Mismatched elements: 100 / 100 ",
        "PyTorch's own CPU kernel leaves a float32 destination with gaps as it was: its result is lost",
    ),
    Difference("sparse.mm-reduce", r"^forward: raised aten::_sparse_mm_reduce_impl: the device holds no", _NO_SPARSE),
    Difference("sparse.sampled_addmm", r"^forward: raised aten::sparse_sampled_addmm: the device holds no", _NO_SPARSE),
    Difference(
        "tensor_split",
        r"^forward: raised tensor_split expected tensor_indices_or_sections to be on cpu",
        "PyTorch wants this index tensor on the CPU, whatever the accelerator",
    ),
)

#: Uninitialised memory: everything but the values is compared.
UNDEFINED = ("empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided")

#: OpInfos that give nothing to run on a device: no sample for the CPU, or no tensor in any.
WITHOUT_SAMPLES = (
    "broadcast_shapes",
    "nn.functional.batch_norm-without_cudnn",
    "torch.ops.aten._efficient_attention_forward",
    "torch.ops.aten._flash_attention_forward",
)

#: Ops whose intermediate results are rounded elsewhere on the device, and why.
ROUNDED_ELSEWHERE = {
    "nn.functional.scaled_dot_product_attention": "products and a softmax here, one fused kernel on the CPU",
    "nn.functional.multi_head_attention_forward": "products and a softmax here, one fused kernel on the CPU",
    "nn.functional.linear_cross_entropy": "the chip's products accumulate in float32, the CPU's in chunks of the dtype",
    "nn.functional.poisson_nll_loss": "the chip's exp and log round once, the CPU's sum of them in another place",
}

#: The same for dtypes of 16 bits alone: in float32 they meet torch.testing's own tolerances.
NARROW_ROUNDED_ELSEWHERE = {
    "log_softmax": "the CPU rounds the sum of exponentials to the dtype too, x1 the result alone",
    "masked.log_softmax": "as log_softmax",
}

#: rtol and atol for those; for the rest torch.testing's own.
LOOSER = {"float32": 1e-4, "float16": 5e-3, "bfloat16": 4e-2}
