"""Numbers that a vendor's call takes for an op: attributes, blend factors, parameters of activations; as C++."""

from __future__ import annotations

import math
from dataclasses import dataclass

from torchfl.catalogue import OpSpec
from torchfl_sdk.scaffold.kernel_plan import NotGenerated

#: Ops whose vendors' forms have parameters, in the usual order (alpha or coefficient, then beta): an attribute's name,
#: or a number. Anything else is computed without parameters, and gets zeros.
_PARAMETERS: dict[str, tuple[str, ...]] = {
    "aten::elu": ("alpha",),
    "aten::leaky_relu": ("negative_slope",),
    "aten::silu": ("1",),
    "aten::hardswish": ("1.0 / 6", "0.5"),
    "aten::hardsigmoid": ("1.0 / 6", "0.5"),
    "aten::clamp": ("min", "max"),
    "aten::softplus": ("beta",),
}
#: Roles of attributes -> (attribute of the op, which of its entries; None for the whole).
_ENTRIES: dict[str, tuple[str, int | None]] = {
    "stride_h": ("stride", 0), "stride_w": ("stride", 1), "stride": ("stride", None),
    "pad_h": ("padding", 0), "pad_w": ("padding", 1), "padding": ("padding", None),
    "pad_t": ("padding", 0), "pad_b": ("padding", 0), "pad_l": ("padding", 1), "pad_r": ("padding", 1),
    "pad_pre": ("padding", None), "pad_post": ("padding", None),
    "padding_l": ("padding", None), "padding_r": ("padding", None),
    "dilation_h": ("dilation", 0), "dilation_w": ("dilation", 1), "dilation": ("dilation", None),
    "kernel_h": ("kernel_size", 0), "kernel_w": ("kernel_size", 1), "kernel": ("kernel_size", None),
    "groups": ("groups", None), "output_padding": ("output_padding", None),
}  # fmt: skip


def literal(value: int | float) -> str:
    """A number as C++ writes it."""
    if isinstance(value, float) and math.isinf(value):
        return f"{'-' if value < 0 else ''}std::numeric_limits<double>::infinity()"
    return str(value)


@dataclass(frozen=True)
class Attributes:
    """The attributes of one op, by name, as expressions over ``call``."""

    op: OpSpec

    def index(self, name: str) -> int | None:
        return next((i for i, a in enumerate(self.op.attrs) if a.name == name), None)

    def source(self, name: str) -> str:
        index = self.index(name)
        if index is None:
            raise NotGenerated(f"{self.op.name} has no attribute {name!r}")
        return f"call->attrs[{index}]"

    def default(self, name: str) -> int | float:
        value = next((a.default for a in self.op.attrs if a.name == name), None)
        return value if isinstance(value, (int, float)) else 0

    def number(self, name: str) -> str:
        return f"torchfl::number({self.source(name)}, {literal(self.default(name))})"

    def entry(self, name: str, index: int) -> str:
        absent = self.default(name) if name in ("padding", "output_padding") else 1
        return f"torchfl::at({self.source(name)}, {index}, {int(absent)})"

    def entries(self, role: str) -> tuple[str, int | None] | None:
        """The attribute that a role of the matcher means, and which of its entries; None for other roles."""
        return _ENTRIES.get(role)

    @property
    def parameters(self) -> tuple[str, ...]:
        """The attributes that an activation's parameters by position carry."""
        return tuple(text for text in _PARAMETERS.get(self.op.name, ()) if text.isidentifier())

    def parameter(self, position: int) -> tuple[str, str]:
        """(C++ of a parameter by position, the attribute in it or "")."""
        wanted = _PARAMETERS.get(self.op.name, ())
        if position >= len(wanted):
            return "0", ""
        text = wanted[position]
        return (self.number(text), text) if text.isidentifier() else (text, "")
