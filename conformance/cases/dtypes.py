"""Facts about element types, by torch's names without the ``torch.`` prefix. Imports torch only where it is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

#: Explicit significand bits (without the hidden one).
_MANTISSA = {"float64": 52, "float32": 23, "float16": 10, "bfloat16": 7}
_INTEGERS = ("int8", "uint8", "int16", "int32", "int64")


def torch_dtype(name: str) -> torch.dtype:
    """``torch.float16`` for "float16". Raises ValueError for a name that torch does not have."""
    import torch

    dtype = getattr(torch, name, None)
    if not isinstance(dtype, torch.dtype):
        raise ValueError(f"torch has no dtype {name!r}")
    return dtype


def dtype_name(dtype: torch.dtype) -> str:
    """ "float16" for ``torch.float16``."""
    return str(dtype).removeprefix("torch.")


def is_float(name: str) -> bool:
    """Whether the oracle judges this dtype with a tolerance."""
    return name in _MANTISSA


def is_integer(name: str) -> bool:
    """Whether this dtype is judged by exact integer arithmetic."""
    return name in _INTEGERS


def mantissa_bits(name: str) -> int:
    """Explicit significand bits of a float dtype."""
    return _MANTISSA[name]


def promoted(names: tuple[str, ...], dims: tuple[int, ...]) -> str:
    """The common dtype of tensors, as torch promotes them; 0-dim tensors take part only as torch lets them."""
    import torch

    tensors = [
        torch.empty((0,) if rank else (), dtype=torch_dtype(name)) for name, rank in zip(names, dims, strict=True)
    ]
    dtype = tensors[0].dtype if len(tensors) == 1 else torch.result_type(tensors[0], tensors[1])
    return dtype_name(dtype)
