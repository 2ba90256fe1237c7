"""``torch.nn.DataParallel`` on our devices: torch's copies between devices of one process, which only a CUDA build has.

Where that build finds a CUDA device, its own functions answer: an index means a device of CUDA's then.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Sequence
from typing import Any

import torch

from torchfl.identity.replace import Replacements

_replaced = Replacements()


def _on(index: int) -> torch.device:
    return torch.device("cpu") if index < 0 else torch.device("fl", index)


def _broadcast(tensor: torch.Tensor, devices: Sequence[int]) -> list[torch.Tensor]:
    return [tensor.to(_on(index)) for index in devices]


def _broadcast_out(tensor: torch.Tensor, out: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    return [target.copy_(tensor) for target in out]


def _broadcast_coalesced(
    tensors: Sequence[torch.Tensor], devices: Sequence[int], buffer_size: int
) -> list[list[torch.Tensor]]:
    return [[tensor.to(_on(index)) for tensor in tensors] for index in devices]


def _scatter(
    tensor: torch.Tensor, devices: Sequence[int], chunk_sizes: Sequence[int] | None, dim: int, streams: Any
) -> list[torch.Tensor]:
    chunks = tensor.chunk(len(devices), dim) if chunk_sizes is None else torch.split(tensor, list(chunk_sizes), dim)
    return [chunk.to(_on(index)) for chunk, index in zip(chunks, devices)]  # noqa: B905  a batch may have fewer rows


def _scatter_out(tensor: torch.Tensor, out: Sequence[torch.Tensor], dim: int, streams: Any) -> list[torch.Tensor]:
    chunks = torch.split(tensor, [target.size(dim) for target in out], dim)
    return [target.copy_(chunk) for target, chunk in zip(out, chunks, strict=True)]


def _gather(tensors: Sequence[torch.Tensor], dim: int, destination: int | None) -> torch.Tensor:
    where = _on(torch.accelerator.current_device_index() if destination is None else destination)
    return torch.cat([tensor.to(where) for tensor in tensors], dim)


def _gather_out(tensors: Sequence[torch.Tensor], out: torch.Tensor, dim: int) -> torch.Tensor:
    return out.copy_(torch.cat([tensor.to(out.device) for tensor in tensors], dim))


_FUNCTIONS: tuple[Callable[..., Any], ...] = (
    _broadcast, _broadcast_out, _broadcast_coalesced, _scatter, _scatter_out, _gather, _gather_out,
)  # fmt: skip


def _unless_cuda(torchs: Callable[..., Any], ours: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(ours)
    def choose(*arguments: Any) -> Any:
        return (torchs if torch.cuda.is_available() else ours)(*arguments)

    return choose


def install() -> None:
    """Puts the functions that torch._C lacks there, where torch.nn.parallel.comm looks for them."""
    if _replaced:
        return
    for function in _FUNCTIONS:
        torchs = getattr(torch._C, function.__name__, None)
        _replaced.put(torch._C, function.__name__, function if torchs is None else _unless_cuda(torchs, function))
    nccl: Any = importlib.import_module("torch.cuda.nccl")
    original = nccl.is_available

    def is_available(tensors: Sequence[torch.Tensor]) -> bool:
        """Asked before a sum over devices; torch's answer, a warning in a build without CUDA, is for CUDA tensors."""
        return any(tensor.is_cuda for tensor in tensors) and bool(original(tensors))

    _replaced.put(nccl, "is_available", is_available)


def check() -> None:
    """Raises where torch.nn.parallel would still miss one."""
    comm: Any = importlib.import_module("torch.nn.parallel.comm")  # as Any: it has no types
    pieces = comm.scatter(torch.arange(3), [-1, -1], dim=0)
    if [piece.tolist() for piece in pieces] != [[0, 1], [2]]:
        raise RuntimeError("self-check failed: torch.nn.parallel.comm.scatter")


def remove() -> None:
    """Takes them away."""
    _replaced.undo()
