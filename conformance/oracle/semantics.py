"""What a profile says about a chip's arithmetic, in the form that the oracle computes with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

#: Unit roundoff of an accumulator, by the name in ``numerics.accumulate``.
_ROUNDOFF = {"float64": 2.0**-53, "float32": 2.0**-24, "tf32": 2.0**-11, "bfloat16": 2.0**-8, "float16": 2.0**-11}


@dataclass(frozen=True)
class Semantics:
    """Arithmetic of a chip. The defaults are what a chip must do that declares nothing.

    ``accumulate``: dtype of the accumulator for types up to 32 bits; ``truncating``: it truncates instead of rounding;
    ``tf32``: float32 operands of contractions lose their low bits; ``flush_to_zero``: denormals may become zero;
    ``int8_store``: what an int8 result does beyond [-128, 127]: "wrap" (PyTorch's) or "saturate".
    """

    accumulate: str = "float32"
    truncating: bool = False
    tf32: bool = False
    flush_to_zero: bool = False
    int8_store: str = "wrap"
    deterministic: bool = True

    @property
    def exact_sums(self) -> bool:
        """Whether sums of integers below 2**24 are exact: not in a narrow accumulator, nor of tf32 operands."""
        return self.accumulate in ("float32", "float64") and not self.tf32

    def roundoff(self, dtype: str) -> float:
        """u_acc: the unit roundoff in which this chip computes ``dtype``."""
        return 2.0**-53 if dtype == "float64" else _ROUNDOFF.get(self.accumulate, 2.0**-24)

    def product_roundoff(self, dtype: str) -> float:
        """The same for products of a contraction, where tf32 applies."""
        return max(self.roundoff(dtype), 2.0**-11 if self.tf32 and dtype == "float32" else 0.0)


def semantics_of(numerics: Any) -> Semantics:
    """From a profile's ``numerics`` (an object or a mapping; missing or None values mean the default)."""
    if isinstance(numerics, Semantics):
        return numerics

    def read(name: str, default: Any) -> Any:
        value = numerics.get(name) if isinstance(numerics, dict) else getattr(numerics, name, None)
        return default if value is None else value

    if numerics is None:
        return Semantics()
    return Semantics(
        accumulate=str(read("accumulate", "float32")),
        truncating=str(read("rounding", "nearest")) in ("truncate", "toward_zero", "zero"),
        tf32=bool(read("tf32", False)),
        flush_to_zero=bool(read("flush_to_zero", False)),
        int8_store=str(read("int8_store", "wrap")),
        deterministic=bool(read("deterministic", True)),
    )
