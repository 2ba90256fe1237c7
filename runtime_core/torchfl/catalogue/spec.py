"""The form of the op catalogue: one OpSpec per op, read by matcher, templates, router and conformance.

Importable without torch. Adding an op over existing rules is one entry in one of the modules beside this one;
``catalogue/__init__.py`` collects and checks them.
"""

from __future__ import annotations

from dataclasses import dataclass

#: Output shape rules; implemented by name in ``csrc/dispatch/shape_rules.cpp``.
SHAPE_RULES = ("broadcast", "same", "mm", "addmm", "bmm", "mv", "dot", "conv")

#: Output dtype rules, as PyTorch defines them (``torch.result_type`` and TensorIterator's common dtype).
DTYPE_RULES = (
    "promote",  # common dtype of the inputs, integers stay integers
    "promote_float",  # common dtype; integers become the default float dtype
    "same",  # inputs must share one dtype, the output has it
)

#: Oracle tiers of the conformance suite: exact, contraction bound, perturbation bound.
TIERS = ("T0", "T1", "T2")

#: Constraint variables that each shape rule defines, beside the op's attributes and :data:`COMMON_VARIABLES`.
RULE_VARIABLES: dict[str, tuple[str, ...]] = {
    "broadcast": (),
    "same": (),
    "mm": ("M", "N", "K"),
    "addmm": ("M", "N", "K"),
    "bmm": ("batch", "M", "N", "K"),
    "mv": ("M", "K"),
    "dot": ("K",),
    "conv": ("kernel_size", "in_channels", "out_channels"),
}
COMMON_VARIABLES = ("rank", "numel")


@dataclass(frozen=True)
class Attr:
    """A non-tensor argument, named as in the aten schema.

    ``kind``: int | float | bool | int_list | scalar (a number that may be integral or floating).
    ``default`` is what a vendor function without this argument computes with; ``None`` means that the op
    cannot be served without it.
    """

    name: str
    kind: str
    default: int | float | bool | tuple[int, ...] | None = None


@dataclass(frozen=True)
class OpSpec:
    """One op.

    ``inputs`` are the tensor arguments by their aten schema names, in the order in which a kernel gets them in
    ``tfl_call.inputs``; ``optional_inputs`` names those that may be absent (rank -1 in the call). ``attrs`` come
    in the order of ``tfl_call.attrs``. Every op here has one output. ``vendor_names`` are token sequences
    (lower case, ``_`` between tokens) by which vendors call the op, the commonest first.
    """

    name: str  # the name in profiles: "aten::add"
    overload: str  # where dispatch happens: "aten::add.Tensor"
    inputs: tuple[str, ...]
    shape_rule: str
    dtype_rule: str
    tier: str
    samples: str  # sample recipe in conformance/cases
    vendor_names: tuple[str, ...]
    attrs: tuple[Attr, ...] = ()
    optional_inputs: tuple[str, ...] = ()
    inplace: str = ""  # in-place overload, "" where aten has none
    out: str = ""  # out= overload
    reference: str = ""  # overload with a CPU kernel, where `overload` has none
    dtypes: tuple[str, ...] = ("float32", "float16", "bfloat16", "float64")  # that make sense for the op
    linear: bool = False  # f(0) = 0 and f is homogeneous: scaling probes apply

    @property
    def reference_overload(self) -> str:
        """The overload whose CPU kernel defines the op's meaning."""
        return self.reference or self.overload

    @property
    def variables(self) -> tuple[str, ...]:
        """Names that a profile's constraints for this op may use."""
        return (*COMMON_VARIABLES, *(a.name for a in self.attrs), *RULE_VARIABLES[self.shape_rule])
