"""PyTorch's own op samples on a device against the CPU: values, dtypes, strides, aliasing, and inputs afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import OpInfo, SampleInput
from torch.utils._pytree import tree_leaves, tree_map

#: Ops whose values are not defined (uninitialised memory), or drawn in an order that the CPU alone fixes.
UNDEFINED = {
    "empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided",
}  # fmt: skip

#: Where the device differs from the CPU for a reason, and that reason.
EXPECTED = {
    "addr": "addr_ asks whether two arguments are one C++ object, which the boxed call cannot keep",
    "sparse.mm": "no sparse tensors on the device",
    "sparse.sampled_addmm": "no sparse tensors on the device",
    "tensor_split": "PyTorch wants its index tensor on the CPU, on every accelerator",
    "to_sparse": "no sparse tensors on the device",
}


def op_infos() -> list[OpInfo]:
    """Every OpInfo that the device should do as the CPU does, in a stable order."""
    known = UNDEFINED | EXPECTED.keys()
    return sorted((op for op in op_db if op.name not in known), key=lambda op: (op.name, op.variant_test_name))


def dtype_for(op: OpInfo) -> torch.dtype | None:
    if torch.float32 in op.dtypes:
        return torch.float32
    return min(op.dtypes, key=str, default=None)


def samples(op: OpInfo, limit: int) -> Iterator[SampleInput]:
    """At most ``limit`` samples, spread over all that the OpInfo gives."""
    dtype = dtype_for(op)
    if dtype is None:
        return
    every = list(op.sample_inputs("cpu", dtype, requires_grad=False))
    yield from every[:: max(1, len(every) // limit)][:limit]


def _copy(value: Any) -> Any:
    """The same tensor in memory of its own, strides kept."""
    if not isinstance(value, torch.Tensor) or value.layout != torch.strided:
        return value
    value = value.detach()
    if value.is_conj() or value.is_neg() or not value.numel() or 0 in value.stride():
        return value.clone()
    return torch.empty_strided(value.size(), value.stride(), dtype=value.dtype).copy_(value)


def _to(device: torch.device) -> Callable[[Any], Any]:
    def move(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            if value.layout != torch.strided or value.is_conj() or value.is_neg() or 0 in value.stride():
                return value.to(device) if value.layout == torch.strided else value
            return torch.empty_strided(value.size(), value.stride(), dtype=value.dtype, device=device).copy_(value)
        return device if isinstance(value, torch.device) or value == "cpu" else value

    return move


def _difference(actual: Any, expected: Any, tolerance: dict[str, float]) -> str:
    if not isinstance(expected, torch.Tensor):
        return "" if type(actual) is type(expected) or actual == expected else f"{type(actual)} for {type(expected)}"
    if expected.layout != torch.strided or not isinstance(actual, torch.Tensor):
        return "" if isinstance(actual, torch.Tensor) else "no tensor"
    if (actual.dtype, actual.shape) != (expected.dtype, expected.shape):
        return f"{actual.dtype} {tuple(actual.shape)} for {expected.dtype} {tuple(expected.shape)}"
    if actual.device.type != "xpu":
        return f"result on {actual.device}"
    if any(a != b for a, b, n in zip(actual.stride(), expected.stride(), expected.shape, strict=True) if n > 1) and (
        expected.numel() > 1
    ):
        return f"strides {actual.stride()} for {expected.stride()}"
    host, wanted = (t.detach().resolve_conj().resolve_neg().cpu() for t in (actual, expected))
    if host.dtype == torch.complex32:
        host, wanted = host.to(torch.complex64), wanted.to(torch.complex64)
    try:
        torch.testing.assert_close(host, wanted, equal_nan=True, **tolerance)
    except AssertionError as error:
        return "values: " + str(error).replace("\n", " ")[:120]
    return ""


def _sharing(outputs: list[Any], inputs: list[Any]) -> list[list[int]]:
    def storage(value: Any) -> int:
        return value.untyped_storage()._cdata if value.layout == torch.strided else id(value)

    def tensors(values: list[Any]) -> list[torch.Tensor]:
        return [v for v in values if isinstance(v, torch.Tensor)]

    return [[i for i, b in enumerate(tensors(inputs)) if storage(a) == storage(b)] for a in tensors(outputs)]


def tolerance_of(op: OpInfo) -> dict[str, float]:
    """Attention runs as products and a softmax here, in one fused kernel on the CPU; the rest is the same code."""
    return {"rtol": 1e-4, "atol": 1e-4} if "attention" in op.name else {}


def compare(
    function: Callable[..., Any], sample: SampleInput, device: torch.device, tolerance: dict[str, float]
) -> str:
    """Runs ``function`` on the CPU and on the device, on inputs of their own; "" where they agree."""
    ours, theirs = (tree_map(_copy, (sample.input, sample.args, sample.kwargs)) for _ in range(2))
    ours = tree_map(_to(device), ours)
    outcomes: list[Any] = []
    for first, args, kwargs in (theirs, ours):
        torch.manual_seed(1)
        try:
            outcomes.append(function(first, *args, **kwargs))
        except Exception as error:
            outcomes.append(error)
    expected, actual = outcomes
    if isinstance(expected, Exception) or isinstance(actual, Exception):
        both = isinstance(expected, Exception) and isinstance(actual, Exception)
        return "" if both else f"raised {actual if isinstance(actual, Exception) else expected}"[:160]
    pairs = [
        *zip(tree_leaves(actual), tree_leaves(expected), strict=True),
        *((a, b) for a, b in zip(tree_leaves(ours), tree_leaves(theirs), strict=True) if isinstance(b, torch.Tensor)),
    ]
    for a, b in pairs:
        if isinstance(a, torch.Tensor) and a.device.type == "cpu" and a is not actual and a.layout != torch.strided:
            continue
        if difference := _difference(a, b, tolerance):
            return difference
    if _sharing(tree_leaves(actual), tree_leaves(ours)) != _sharing(tree_leaves(expected), tree_leaves(theirs)):
        return "another aliasing of outputs with inputs"
    return ""
