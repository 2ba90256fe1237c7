"""The form of the op catalogue: one OpSpec per op, read by matcher, templates, router and conformance.

Importable without torch. Adding an op over existing rules is one entry in one of the modules beside this one;
``catalogue/__init__.py`` collects and checks them.
"""

from __future__ import annotations

from dataclasses import dataclass

#: Output dtype rules, as PyTorch defines them (``torch.result_type`` and TensorIterator's common dtype).
DTYPE_RULES = (
    "promote",  # common dtype of the inputs, integers stay integers
    "promote_float",  # common dtype; integers become the default float dtype
    "same",  # inputs must share one dtype, the output has it
)

#: Oracle tiers of the conformance suite: exact, contraction bound, perturbation bound.
TIERS = ("T0", "T1", "T2")

#: Constraint variables that each shape rule defines, beside the op's attributes and :data:`COMMON_VARIABLES`. The rules
#: are implemented by name in ``csrc/dispatch/shape_rules*.cpp`` and, for cases, in ``conformance/cases/rules``.
#:
#: ``outer``, ``extent``, ``inner``: elements outside, along and inside the dimensions that an op works along;
#: ``spans``: in how many separate runs those lie. ``count``: indices, or tensors of a list.
#: ``second_numel``: elements of the second operand, 1 for a number.
RULE_VARIABLES: dict[str, tuple[str, ...]] = {
    "broadcast": ("second_numel",),
    "same": (),
    "mm": ("M", "N", "K"),
    "addmm": ("M", "N", "K"),
    "bmm": ("batch", "M", "N", "K"),
    "baddbmm": ("batch", "M", "N", "K"),
    "mv": ("M", "K"),
    "addmv": ("M", "K"),
    "addr": ("M", "N"),
    "dot": ("K",),
    "conv": ("kernel_size", "in_channels", "out_channels"),
    "along_dim": ("outer", "extent", "inner"),  # the input's shape; along `dim`
    "reduce": ("outer", "extent", "inner", "spans"),  # the dimensions of `dim` gone, or 1 with `keepdim`
    "triangle": ("rows", "cols"),  # the input's shape; on its last two dimensions
    "pool": ("channels",),
    "adaptive_pool": ("channels",),
    "layer_norm": ("rows", "cols"),  # over the dimensions of `normalized_shape`
    "batch_norm": ("channels",),  # in inference
    "group_norm": (),
    "embedding": ("rows", "cols", "count"),
    "index_select": ("outer", "extent", "inner", "count"),
    "gather": ("extent",),
    "scatter": ("extent",),
    "cat": ("outer", "inner", "count"),
    "permute": (),
    "attention": ("batch", "heads", "length", "kv_length", "head_dim"),
}
COMMON_VARIABLES = ("rank", "numel")

SHAPE_RULES = tuple(RULE_VARIABLES)

#: Rules of ops that compute every output element from the input elements at its own place alone.
ELEMENTWISE_RULES = ("broadcast", "same")

#: How a tensor's dtype follows: the call's common dtype, bool, int64 (an index input may also be int32), or the one
#: that an attribute of kind ``dtype`` names.
TENSOR_KINDS = ("common", "bool", "index", "named")


@dataclass(frozen=True)
class Attr:
    """A non-tensor argument, named as in the aten schema.

    ``kind``: int | float | bool | int_list | scalar (a number that may be integral or floating) | choice (one of a few
    texts, which a kernel gets as its place in ``choices``) | dtype (of the result: one of ``choices``, or
    without these only the one that it has anyway) | absent (only a call without it is served).
    ``default`` is what a vendor function without this argument computes with; ``None`` means that the op
    cannot be served without it. ``optional``: the absence of a value is a value of its own, as in "all dimensions".
    ``epsilon``: a call that leaves it out means the epsilon of the float that the op computes in; kernels get that.
    """

    name: str
    kind: str
    default: int | float | bool | str | tuple[int, ...] | None = None
    choices: tuple[str, ...] = ()
    optional: bool = False
    epsilon: bool = False

    @property
    def is_variable(self) -> bool:
        """Whether a profile's constraints may speak of it."""
        return self.kind != "absent" and (self.kind != "dtype" or bool(self.choices))

    @property
    def required(self) -> bool:
        """Whether a call without this argument cannot be served: no number stands for its absence."""
        stands_alone = self.optional or self.epsilon
        return self.default is None and not stands_alone and self.kind not in ("dtype", "absent")


@dataclass(frozen=True)
class OpSpec:
    """One op.

    ``inputs`` are the tensor arguments by their aten schema names, in the order in which a kernel gets them in
    ``tfl_call.inputs``; ``optional_inputs`` names those that may be absent (rank -1 in the call). ``attrs`` come
    in the order of ``tfl_call.attrs``. ``input_kinds`` names the inputs that take no part in the common dtype, and
    ``output_kinds`` says it of every output. ``list_input``: the one input is a list of tensors.
    ``vendor_names`` are token sequences (lower case, ``_`` between tokens) by which vendors call the op, the commonest
    first.
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
    scalar: str = ""  # overload with a number in place of the second tensor
    scalar_inplace: str = ""
    outputs: tuple[str, ...] = ("out",)
    output_kinds: tuple[str, ...] = ("common",)
    input_kinds: tuple[tuple[str, str], ...] = ()
    list_input: bool = False
    constants: tuple[str, ...] = ()  # floating inputs that have no gradient
    inference_only: bool = False  # no kernel serves a call that autograd will go back through
    hidden_outputs: tuple[str, ...] = ()  # further results of aten's, for backward alone: no kernel gives them
    fixed: tuple[tuple[str, float], ...] = ()  # arguments that aten wants and that change nothing, for calls
    reference: str = ""  # overload with a CPU kernel, where `overload` has none
    dtypes: tuple[str, ...] = ("float32", "float16", "bfloat16", "float64")  # that make sense for the op
    excluded_dtypes: tuple[str, ...] = ()  # of operands that PyTorch refuses, or gives another dtype than the rules say
    contiguous: bool = False  # a new result is contiguous, however the inputs of the element-wise op lie in memory
    linear: bool = False  # f(0) = 0 and f is homogeneous: scaling probes apply

    @property
    def reference_overload(self) -> str:
        """The overload whose CPU kernel defines the op's meaning."""
        return self.reference or self.overload

    @property
    def returns_all(self) -> bool:
        """Whether the caller gets every result, so that a kernel of the first alone serves no call: the places that a
        reduction finds are a result as its values are. Further results of other ops are for backward."""
        return self.shape_rule == "reduce" and len(self.outputs) > 1

    @property
    def elementwise(self) -> bool:
        """Whether every output element depends on the input elements at its own place alone."""
        return self.shape_rule in ELEMENTWISE_RULES

    def input_kind(self, name: str) -> str:
        """ "common", "bool" or "index"."""
        return dict(self.input_kinds).get(name, "common")

    @property
    def overloads(self) -> tuple[str, ...]:
        """Every overload that a kernel of this op serves."""
        forms = (self.overload, self.scalar, self.inplace, self.scalar_inplace, self.out)
        return tuple(form for form in forms if form)

    @property
    def variables(self) -> tuple[str, ...]:
        """Names that a profile's constraints for this op may use; of an optional input: whether it is given."""
        attrs = (a.name for a in self.attrs if a.is_variable)
        return (*COMMON_VARIABLES, *attrs, *RULE_VARIABLES[self.shape_rule], *self.optional_inputs)
