"""What the matcher decides: the contract between reading a header and writing a chip project.

Everything here is data. The matcher makes it from a HeaderModel and the op catalogue; scaffold renders it;
probe settles what it marks ``unverified``. Argument roles use one vocabulary, :data:`ROLES`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from torchfl_sdk.header.model import CType

#: Roles an argument of an op function may have. Tensor roles are the catalogue's input and output names
#: (``self``, ``other``, ``mat2``, ``weight``, ``bias``, ``out``...), attribute roles its attribute names
#: (``alpha``, ``stride``...). These are the roles beside them.
ROLES = (
    "numel",  # element count
    "inout",  # the result, which begins as the first operand
    "<variable>",  # an extent, by the catalogue's constraint variable or the names of match/extents.py
    "has.<tensor>",  # whether an optional tensor is there
    "sizes.<tensor>", "perm", "rank",  # a shape, an order of dimensions, their number
    "dtype.<tensor>",  # where each tensor has its own
    "list.<tensor>",  # an array of tensor structs
    "dtype",  # an enum that names the element type
    "m", "n", "k",  # matrix extents
    "ld.<tensor>",  # leading dimension, in elements
    "inc.<tensor>",  # element step of a vector
    "trans.<tensor>",  # transpose flag
    "order",  # row- or column-major flag of the whole call
    "<attr>.<i>",  # one entry of an int_list attribute
    "gemm_alpha", "gemm_beta",  # scalars of a GEMM
    "constant",  # always the value given in Argument.value
    "number.<tensor>",  # the operand of one element, as a number
    "row.<tensor>", "zeros",  # what is added to every row of a product; a row of zeros
    "item.<i>", "width.<i>", "widths",  # of a list: a tensor, its share of a run outside the dimension; all of these
    "offset.<tensor>",  # where a tensor begins in its buffer object: elements, or bytes if value is "bytes"
    "stride.<tensor>", "batch",  # step from one matrix of a batch to the next, in elements; their number
    "stream", "handle", "workspace", "workspace_size",
)  # fmt: skip


@dataclass(frozen=True)
class Source:
    """A place in a header, for evidence and for comments in generated code."""

    file: str
    line: int


@dataclass(frozen=True)
class Argument:
    """One argument of a vendor function, in C order.

    ``role`` is what it carries; ``value`` is a C expression for constants; ``values`` maps what the router
    gives to C constants (dtype role: torchfl dtype name -> enum constant; trans role: "n"/"t" -> constant;
    order role: "row"/"column" -> constant; kind role of a memcpy: "h2d"/"d2h"/"d2d"/"h2h" -> constant).
    ``fields`` is set for tensor structs. An int_list attribute passed as one integer per dimension has the role
    ``<attr>.<i>``, e.g. ``stride.0`` and ``stride.1``; as an array, or as one integer for every dimension, it has
    the attribute's own name.
    Of indices and masks ``value`` is the element type that the function has for them, where PyTorch has another. An
    attribute of a few texts, or a truth value that the function wants the other way round, has its ``values``: the
    text, or "false" and "true" -> C expression.
    ``gemm_alpha`` and ``gemm_beta`` are passed by pointer where ``ctype`` is a pointer, and as the bits of half
    precision where ``value`` is "bits".
    """

    name: str
    ctype: str
    role: str
    value: str = ""
    values: tuple[tuple[str, str], ...] = ()
    fields: StructLayout | None = None
    nullable: bool = False  # an optional tensor may be passed as NULL
    #: an object that stands for the tensor's memory; where in it the tensor begins is the argument ``offset.<tensor>``
    buffer: bool = False
    #: the address of the tensor's memory, as an "integer" or as a "pointer" whose type's name hides what it points to;
    #: or the number that the vendor's "table" of tensors has for it
    address: str = ""


@dataclass(frozen=True)
class StructLayout:
    """How a vendor's tensor struct is filled: field name of each property; "" where the struct has none. That of a
    field of a struct within it is written as C++ reaches it: ``shape.rank``."""

    struct: str
    data: str
    dtype: str = ""
    rank: str = ""
    sizes: str = ""
    strides: str = ""
    layout: str = ""
    layout_values: tuple[tuple[str, str], ...] = ()  # ("nchw", "X1_LAYOUT_NCHW"), ...
    dtype_values: tuple[tuple[str, str], ...] = ()  # ("float32", "X1_DTYPE_FLOAT32"), ...
    max_rank: int = 0  # 0: unbounded; the length of the sizes array otherwise
    ones: tuple[str, ...] = ()  # scales of quantised tensors, which PyTorch's integers do not have
    integer_address: bool = False  # `data` holds the memory's address as an integer
    strides_in_bytes: bool = False
    by_value: bool = False

    @property
    def layout_constant(self) -> str:
        """What to say of row-major tensors; where images can only lie NHWC, that."""
        values = dict(self.layout_values)
        return values.get("nchw") or values["nhwc"]

    @property
    def plain_constant(self) -> str:
        """What to say of tensors that are no images; "" where the struct says the same of all."""
        return dict(self.layout_values).get("nd", "")


@dataclass(frozen=True)
class Call:
    """One vendor function that serves an op for some dtypes."""

    function: str
    arguments: tuple[Argument, ...]
    dtypes: tuple[str, ...]
    dtypes_proved: bool  # True: the C types say so; False: an enum could select them, the chip must be asked
    source: Source
    returns: str = "status"  # "status" | "void" | "value" (the result itself, e.g. dot)
    setup: tuple[str, ...] = ()  # C++ statements ahead of the call; they may use `call`, the kernel's launch
    results: tuple[str, ...] = ()  # of a cast to one type: that type; `dtypes` is then the one that is cast
    finish: tuple[str, ...] = ()  # C++ expressions of a status behind the call: waits for what it runs in


@dataclass(frozen=True)
class Binding:
    """A vendor op: which catalogue op, by which functions, in which calling style, and why we believe it."""

    op: str  # catalogue name, "aten::add"
    impl: str  # kernel name written to the profile, e.g. the function without its dtype suffix
    style: str  # "pointer" | "blas" | "tensor_struct"
    calls: tuple[Call, ...]  # one per vendor function; their dtypes do not overlap, or of casts their pairs
    evidence: tuple[str, ...]  # human sentences: "name token 'relu'", "3 pointers then a count"
    confidence: float  # 0..1
    #: constraints that the signature itself proves, e.g. (("alpha", (1,)),) for an add without alpha
    constraints: tuple[tuple[str, tuple[int | float | str, ...]], ...] = ()
    #: attributes whose limits the header does not say; the probe asks the chip
    unverified: tuple[str, ...] = ()
    layout: str = "contiguous"  # "contiguous" | "matrix"
    inplace: bool = False
    first_output: bool = False  # of the op's several results it gives the first alone
    int8_zero_point: int = 0  # its uint8 calls are given int8 tensors with this zero point

    @property
    def dtypes(self) -> tuple[str, ...]:
        """The element types that a profile's entry lists: of casts also those that they give."""
        named = [dtype for call in self.calls for dtype in call.dtypes]
        return tuple(dict.fromkeys([*named, *(dtype for call in self.calls for dtype in call.results)]))

    @property
    def broadcast(self) -> bool:
        """Whether its calls take an operand as it is that PyTorch repeats: one number, or one row."""
        return any(a.role.startswith(("number.", "row.")) for call in self.calls for a in call.arguments)


@dataclass(frozen=True)
class OpMatch:
    """What a function computes: an aten op with the meaning of every argument, whether or not a kernel is generated.

    A function whose op an enum chooses has one match per op, with the constant to pass. Roles here are wider than
    :data:`ROLES` and name tensors by what they are in any style: ``input``, ``input2``, ``weight``, ``bias``,
    ``output``, ``inout``, ``grad_*``, ``indices``, ``mask``; ``desc.X``, ``ld.X``, ``inc.X``, ``stride.X``,
    ``dtype.X``, ``shape.X``, ``rank.X``, ``offset.X``, ``list.X``, ``id.X`` refer to tensor X; ``handle``,
    ``stream``, ``workspace``, ``algo``, ``alpha``... The role of an argument that nothing explains is "".
    """

    function: str
    aten: str  # "aten::add.Tensor"
    alternatives: tuple[str, ...]  # overloads that the same call serves too
    style: str  # pointer | blas | tensor | descriptor | handle | operator | buffer | graph | two_phase | method
    arguments: tuple[tuple[str, str], ...]  # argument name -> role, in C order
    constants: tuple[tuple[str, str], ...]  # what to pass to get this op: argument -> C expression
    evidence: tuple[str, ...]
    confidence: float  # 0..1
    source: Source
    complete: bool = False  # a kernel is generated: some binding calls this function for this op
    lacking: str = ""  # why no kernel is generated
    dtype: str = ""  # the element type in the function's name, torchfl's name of it
    #: arguments that are streams by how the header uses their type -> their role by its name alone
    by_use: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class RoleMatch:
    """A function that manages the device or its objects, in the wide vocabulary of vocabulary/runtime.py."""

    role: str
    function: str
    evidence: str
    confidence: float
    source: Source


@dataclass(frozen=True)
class Eager:
    """Whether a header lets an op run at once, as eager PyTorch needs, and what its vendor could offer if not."""

    usable: bool
    reason: str = ""
    offer: str = ""


@dataclass(frozen=True)
class Question:
    """Something that the header leaves open, for the SDK's authors, with the probe that would answer it."""

    function: str
    argument: str
    question: str
    probe: str = ""  # "" where only the authors can tell
    source: Source | None = None


@dataclass(frozen=True)
class Unbound:
    """A public function that no op or runtime role claims, with the reason."""

    function: str
    reason: str
    source: Source


@dataclass(frozen=True)
class RuntimeFunction:
    """A vendor function that plays a runtime role (see RUNTIME_ROLES), with its arguments' roles in C order.

    Argument roles here: ``device``, ``count``, ``handle`` (buffer), ``handle_out``, ``bytes``, ``dst``, ``src``,
    ``kind``, ``byte``, ``host``, ``free_bytes``, ``used_bytes``, ``total_bytes``, ``text``, ``text_size``, ``status``,
    ``constant``, ``stream`` (the queue that it runs in), ``context`` (an opened device), ``context_out``.
    """

    role: str
    function: str
    arguments: tuple[Argument, ...]
    returns: str  # "status" | "void" | "value" | "pointer" | "text"
    source: Source


#: role -> what it does; the names of the profile's `runtime` keys
RUNTIME_ROLES = {
    "init": "initialise the vendor's runtime",
    "finalize": "shut it down",
    "device_count": "number of devices",
    "set_device": "make a device current",
    "get_device": "the current device",
    "device_name": "a device's name",
    "synchronize": "wait for a device",
    "stream_sync": "wait for a queue",
    "malloc": "device memory",
    "free": "give device memory back",
    "memcpy": "one copy function with a kind",
    "memcpy_h2d": "host to device",
    "memcpy_d2h": "device to host",
    "memcpy_d2d": "device to device",
    "memset": "fill device memory",
    "memory_info": "free and total bytes",
    "map_host": "map host memory for the device",
    "unmap_host": "undo it",
    "last_error": "text of the last error",
    "context_create": "open a device: what it gives is an argument of every other function",
    "context_destroy": "close it",
}


@dataclass(frozen=True)
class StatusType:
    """The vendor's status type and how its values map to torchfl statuses."""

    ctype: str  # "x1_status_t", or "int" where functions return plain ints; "" where they return nothing
    success: str  # C expression of the success value
    #: (C constant, torchfl status name) for the ones recognised, e.g. ("X1_ERROR_OUT_OF_MEMORY", "OUT_OF_MEMORY")
    values: tuple[tuple[str, str], ...] = ()
    failure: str = ""  # C expression of the only value that is no success, where every other is one
    negative: bool = False  # every negative value is a failure, and no other
    #: those of the other headers read with it: a library of ops and the runtime below it each have their own
    others: tuple[StatusType, ...] = ()

    def of(self, result: CType) -> StatusType | None:
        """The one of these types that a function returns, or None."""
        plain = result.canonical.removeprefix("const ").replace("_Bool", "bool")
        names = {*result.aliases, plain, plain.removeprefix("enum ")}
        return next((s for s in (self, *self.others) if s.ctype and s.ctype in names), None)

    def worked(self, result: str) -> str:
        """The C++ condition that is true of the results of calls that worked."""
        if self.negative:
            return f"{result} >= 0"
        return f"{result} != {self.failure}" if self.failure else f"{result} == {self.success}"

    def failed(self, result: str) -> str:
        """Its negation."""
        if self.negative:
            return f"{result} < 0"
        return f"{result} == {self.failure}" if self.failure else f"{result} != {self.success}"


@dataclass(frozen=True)
class MatchResult:
    """Everything `new-chip` needs to write a project. Bindings are sorted by op, unbound by place in the header."""

    bindings: tuple[Binding, ...]
    runtime: tuple[RuntimeFunction, ...]
    status: StatusType
    unbound: tuple[Unbound, ...]
    #: host-memory SDKs (plain BLAS): no allocator in the header; the chip library uses the host's own
    memory: str = "device"  # "device" | "host"
    #: the SDK reserves memory and has nothing that copies to it: the host is taken to reach it
    shared_memory: bool = False
    questions: tuple[str, ...] = field(default=())
    #: what functions compute, wider than `bindings`, which are the complete kernels among them; by place in the header
    matches: tuple[OpMatch, ...] = ()
    #: runtime roles in the wide vocabulary; `runtime` are those whose calls can be generated
    roles: tuple[RoleMatch, ...] = ()
    eager: Eager = Eager(True)
    open_questions: tuple[Question, ...] = ()

    def binding(self, op: str) -> Binding | None:
        """The binding of a catalogue op, or None."""
        return next((b for b in self.bindings if b.op == op), None)
