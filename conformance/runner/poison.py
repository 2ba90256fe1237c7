"""Leaving poison in device memory that is about to be handed out again.

A result that the kernel did not write whole then shows it. The core moves data to the device only when a kernel reads
it, so poison has to be read by some kernel of the chip before its block is freed; the block at the top of the
allocator's free list goes to the next tensor of that size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress

import torch
from torchfl_sdk.conformance.cases.calling import call
from torchfl_sdk.conformance.cases.dtypes import torch_dtype
from torchfl_sdk.conformance.cases.expectation import expectation
from torchfl_sdk.conformance.cases.layouts import poison
from torchfl_sdk.conformance.cases.recipes import specs
from torchfl_sdk.conformance.cases.spec import SampleSpec, TensorSpec

from torchfl import catalogue
from torchfl.catalogue import OpSpec
from torchfl.profile import Profile

_SMALLEST, _LARGEST = 512, 1 << 20  # bytes; the size classes in which the core's allocator reuses blocks exactly
_BLOCKS = 2
_CONV = (
    ("stride", (1, 1)),
    ("padding", (0, 0)),
    ("dilation", (1, 1)),
    ("transposed", False),
    ("output_padding", (0, 0)),
    ("groups", 1),
)


class Poisoner:
    """Finds, once, a kernel of the chip that reads a tensor of any size."""

    def __init__(self, profile: Profile) -> None:
        self._read = next(_readers(profile), None)

    @property
    def works(self) -> bool:
        """Whether the chip has a kernel to read with."""
        return self._read is not None

    def spread(self, shape: tuple[int, ...], dtype: torch.dtype, device: torch.device, other: bool = False) -> None:
        """Poison free blocks of the size of such a tensor. ``other``: with a value that is not the first one."""
        if self._read is None:
            return
        needed = max(1, torch.empty(shape, device="meta").numel() * dtype.itemsize)
        size = max(_SMALLEST, 1 << (needed - 1).bit_length())
        if size > _LARGEST:
            return
        value = (-1 if not dtype.is_floating_point else 1e4) if other else poison(dtype)
        spoiled = torch.full((size // dtype.itemsize,), value if dtype != torch.bool else True, dtype=dtype)
        blocks = [spoiled.view(torch.uint8).clone().to(device) for _ in range(_BLOCKS)]
        for block in blocks:
            self._read(block)
        del block
        blocks.clear()


def _readers(profile: Profile) -> Iterator[Callable[[torch.Tensor], object]]:
    """Calls that the chip's own kernels serve on the bytes of a whole block."""
    for dtype in ("float32", "float16", "bfloat16", "float64", "int8", "int32"):
        for op in catalogue.OPS:
            for shapes in _shapes(op, _SMALLEST // torch_dtype(dtype).itemsize):
                attrs = _CONV if op.shape_rule == "conv" else next(iter(specs(op, op.dtypes[0], 0, "probe"))).attrs
                spec = SampleSpec(op.name, dtype, tuple(None if s is None else TensorSpec(s) for s in shapes), attrs)
                if expectation(profile, spec).layer == "native":
                    yield _reader(op, dtype, dict(attrs))


def _shapes(op: OpSpec, n: int) -> Iterator[tuple[tuple[int, ...] | None, ...]]:
    """Inputs of a call whose first input has ``n`` elements."""
    if op.input_kinds or op.output_kinds != ("common",):
        return
    found: dict[str, tuple[tuple[int, ...] | None, ...]] = {
        "same": ((n,),),
        "broadcast": ((n,),) * len(op.inputs),
        "mm": ((n, 1), (1, 1)),
        "mv": ((n, 1), (1,)),
        "dot": ((n,), (n,)),
        "conv": ((1, 1, 1, n), (1, 1, 1, 1), None),
    }
    if op.shape_rule in found:
        yield found[op.shape_rule]


def _reader(op: OpSpec, dtype: str, attrs: dict[str, object]) -> Callable[[torch.Tensor], object]:
    def read(block: torch.Tensor) -> None:
        whole = block.view(torch_dtype(dtype))
        inputs: list[torch.Tensor | None] = []
        for shape in next(_shapes(op, whole.numel())):
            if shape is None:
                inputs.append(None)
            elif len(inputs) == 0 or shape == tuple(whole.shape):
                inputs.append(whole.reshape(shape))
            else:
                inputs.append(torch.ones(shape, dtype=whole.dtype).to(block.device))
        with suppress(RuntimeError, NotImplementedError):
            call(op, inputs, attrs)

    return read
