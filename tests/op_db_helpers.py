"""PyTorch's own op samples on a device against the CPU: values, dtypes, strides, aliasing, and inputs afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map
from torchfl_sdk.conformance.cases.op_db import DbOp, DbSample

#: The destinations that an op with out= is given.
DESTINATIONS = {
    "gaps": lambda t: torch.empty((*t.shape, 2), dtype=t.dtype)[..., 0],
    "empty": lambda t: torch.empty((0,), dtype=t.dtype),
    "too large": lambda t: torch.empty((*t.shape, 2), dtype=t.dtype),
    "another dtype": lambda t: torch.empty(t.shape, dtype=_OTHER.get(t.dtype, torch.float64)),
}
_OTHER = {
    torch.float32: torch.float64, torch.float16: torch.float32, torch.int64: torch.float32, torch.bool: torch.uint8,
    torch.int8: torch.int16, torch.complex64: torch.complex128,
}  # fmt: skip


def forms(op: DbOp, sample: DbSample) -> Iterator[tuple[str, Callable[..., Any], DbSample]]:
    """(form, function, sample with its own destination) for every way in which the op can be called on a device.

    A factory that is given neither a tensor nor a device has no form but out=: its result is the CPU's.
    """
    given = tree_leaves((sample.args, sample.kwargs))
    if any(isinstance(v, torch.Tensor | torch.device) or v == "cpu" for v in given):
        yield "forward", op.function, sample
    if op.inplace is not None:
        yield "inplace", op.inplace, sample
    if not op.takes_out:
        return
    args, kwargs = tree_map(_copy, (sample.args, sample.kwargs))
    try:
        result = op.function(*args, **kwargs)
    except Exception:
        return  # a sample of an error: forward compares it
    if not tree_leaves(result) or not all(isinstance(t, torch.Tensor) for t in tree_leaves(result)):
        return
    for name, make in DESTINATIONS.items():
        made = tree_map(lambda t, make=make: make(t).fill_(7 if t.dtype != torch.bool else True), result)
        out = made if isinstance(made, torch.Tensor) else tuple(made)
        yield f"out {name}", op.function, DbSample(sample.args, {**sample.kwargs, "out": out})


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


def _difference(actual: Any, expected: Any, tolerance: dict[str, float] | None) -> str:
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
    if tolerance is None:
        return ""
    host, wanted = (t.detach().resolve_conj().resolve_neg().cpu() for t in (actual, expected))
    if host.dtype == torch.complex32:
        host, wanted = host.to(torch.complex64), wanted.to(torch.complex64)
    try:
        torch.testing.assert_close(host, wanted, equal_nan=True, **tolerance)
    except AssertionError as error:
        return "values: " + str(error).replace("\n", " ")[:120]
    return ""


def _sharing(outputs: list[Any], inputs: list[Any]) -> list[list[tuple[int, bool, int]]]:
    """For each result the inputs that it shares memory with: which, whether it is that tensor itself, how far apart."""

    def storage(value: Any) -> int:
        return value.untyped_storage()._cdata if value.layout == torch.strided else id(value)

    def tensors(values: list[Any]) -> list[torch.Tensor]:
        return [v for v in values if isinstance(v, torch.Tensor)]

    def apart(a: torch.Tensor, b: torch.Tensor) -> int:
        return a.storage_offset() - b.storage_offset() if a.layout == torch.strided and a.numel() else 0

    return [
        [(i, a is b, apart(a, b)) for i, b in enumerate(tensors(inputs)) if storage(a) == storage(b)]
        for a in tensors(outputs)
    ]


def compare(
    function: Callable[..., Any], sample: DbSample, device: torch.device, tolerance: dict[str, float] | None
) -> str:
    """Runs ``function`` on the CPU and on the device, on inputs of their own; "" where they agree.

    ``tolerance`` goes to torch.testing.assert_close; None: the values are not defined and not compared.
    """
    ours, theirs = (tree_map(_copy, (sample.args, sample.kwargs)) for _ in range(2))
    ours = tree_map(_to(device), ours)
    outcomes: list[Any] = []
    for args, kwargs in (theirs, ours):
        torch.manual_seed(1)
        try:
            outcomes.append(function(*args, **kwargs))
        except Exception as error:
            outcomes.append(error)
    expected, actual = outcomes
    if isinstance(expected, Exception) or isinstance(actual, Exception):
        if not isinstance(actual, Exception):
            return f"did not raise {expected}"[:160]
        if not isinstance(expected, Exception):
            return f"raised {actual}"[:160]
        return "" if isinstance(actual, type(expected)) else f"raised {type(actual)} for {type(expected)}"
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
