"""What the functions of a BLAS serve beside matrix products: for each op the operands, extents, factors and limits.

Roles are those of a match. Matrices are seen row-major; a column-major function, which sees every row-major matrix as
its transpose, gets the extents and operands of the second kind where a form has them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Constraints = tuple[tuple[str, tuple[int | float | str, ...]], ...]


@dataclass(frozen=True)
class Form:
    """One op over one kind of function.

    ``tensors``: role -> C++ variable, of the tensors that a call must take. ``extents`` and ``scalars``: role -> C++.
    ``starts_as_self``: the result begins as a copy of ``self``, which the function then changes.
    ``result``: "tensor", or "number" where the function gives one number back, by value or in an ``output``; ``along``
    then says that there is one for each place outside of the op's dimensions, whose attribute has that index.
    """

    aten: str
    op: str
    inputs: tuple[str, ...]
    tensors: Mapping[str, str]
    extents: Mapping[str, str]
    scalars: Mapping[str, str] = field(default_factory=dict)
    head: tuple[str, ...] = ()
    constraints: Constraints = ()
    matrix: str = ""  # the operand that may lie transposed, with space between its rows
    starts_as_self: bool = False
    inplace: bool = False
    result: str = "tensor"
    along: int = -1
    column_extents: Mapping[str, str] = field(default_factory=dict)
    column_tensors: Mapping[str, str] = field(default_factory=dict)
    transposed: str = ""  # C++ that says whether the operand is read transposed
    instead: tuple[str, Form] | None = None  # a condition, and another function to call where it holds
    ordered: bool = False  # it has to be known whether matrices are row- or column-major


_EXTREME = "where the extreme stands is told without saying whether from 0 or from 1, which of equals, or what NaN does"
#: aten op of a match -> why no function of a BLAS can serve it, however it is called.
NEVER: Mapping[str, str] = {
    "aten::argmax": f"{_EXTREME}; aten::argmax settles all three",
    "aten::argmin": f"{_EXTREME}; aten::argmin settles all three",
    "aten::copy_": "copies within the device are made by its own copy function, so no kernel is asked for one",
}


def _number(index: int) -> str:
    return f"torchfl::number(call->attrs[{index}], 1)"


_OF_MATRIX = {"m": "rows", "n": "columns", "ld.input": "am.leading_dimension"}
_OF_COLUMNS = {"m": "columns", "n": "rows", "ld.input": "am.leading_dimension"}


def _matrix_head(name: str) -> tuple[str, ...]:
    return (
        f'if ({name}.rank != 2 || {name}.sizes[1] == 0) return torchfl::unsupported("an empty sum");',
        "torchfl::Matrix am;",
        f'if (!torchfl::as_matrix({name}, &am)) return torchfl::unsupported("a matrix without unit stride");',
        f"const int64_t rows = {name}.sizes[am.transposed ? 1 : 0], columns = {name}.sizes[am.transposed ? 0 : 1];",
    )


def _scaled_sum(op: str, sign: str) -> Form:
    return Form(
        "aten::add_.Tensor", op, ("self", "other"), {"input": "other", "inout": "out"}, {"numel": "out.numel"},
        {"alpha": f"{sign}{_number(0)}", "beta": "1"},
        head=(
            "// With a factor of 0 a BLAS may leave the result alone, where 0 * inf has to become NaN.",
            f'if ({_number(0)} == 0) return torchfl::unsupported("alpha is 0");',
        ),
        starts_as_self=True,
    )  # fmt: skip


def _changed(aten: str, op: str, *, alpha: bool = False) -> Form:
    """A function that changes its first operand by its second, element by element."""
    return Form(
        aten, op, ("self", "other"), {"inout": "out", "input2": "other"}, {},
        head=(f'if ({_number(0)} != 1) return torchfl::unsupported("the vendor\'s function has no alpha");',)
        if alpha else (),
        constraints=(("alpha", (1,)),) if alpha else (), starts_as_self=True,
    )  # fmt: skip


def _reduction(aten: str, op: str, dim: int, *, head: tuple[str, ...] = (), constraints: Constraints = ()) -> Form:
    return Form(
        aten, op, ("self",), {"input": "self"}, {"numel": "over.extent", "inc.input": "over.inner"},
        head=(
            *head,
            "torchfl::Along over;",
            f"if (!torchfl::along(self, call->attrs[{dim}], &over) || over.spans != 1)",
            '  return torchfl::unsupported("dimensions that do not lie side by side");',
        ),
        constraints=(*constraints, ("spans", (1,))), result="number", along=dim,
    )  # fmt: skip


FORMS: tuple[Form, ...] = (
    Form(
        "aten::dot", "aten::dot", ("self", "tensor"), {"input": "self", "input2": "tensor"}, {"numel": "self.numel"},
        result="number",
    ),
    Form(
        "aten::addmv", "aten::mv", ("self", "vec"), {"input": "self", "input2": "vec", "inout": "out"}, _OF_MATRIX,
        {"alpha": "1", "beta": "0"}, head=_matrix_head("self"), matrix="self", column_extents=_OF_COLUMNS,
        transposed="am.transposed", ordered=True,
    ),
    Form(
        "aten::addmv", "aten::addmv", ("self", "mat", "vec"), {"input": "mat", "input2": "vec", "inout": "out"},
        _OF_MATRIX, {"alpha": _number(1), "beta": _number(0)}, head=_matrix_head("mat"), matrix="mat",
        starts_as_self=True, column_extents=_OF_COLUMNS, transposed="am.transposed", ordered=True,
    ),
    Form(
        "aten::addr", "aten::addr", ("self", "vec1", "vec2"), {"input": "vec1", "input2": "vec2", "inout": "out"},
        {"m": "vec1.numel", "n": "vec2.numel", "ld.inout": "vec2.numel"}, {"alpha": _number(1)},
        head=(f'if ({_number(0)} != 1) return torchfl::unsupported("the vendor adds to the matrix as it is");',),
        constraints=(("beta", (1,)),), starts_as_self=True, ordered=True,
        column_extents={"m": "vec2.numel", "n": "vec1.numel", "ld.inout": "vec2.numel"},
        column_tensors={"input": "vec2", "input2": "vec1", "inout": "out"},
    ),
    _scaled_sum("aten::add", ""),
    _scaled_sum("aten::sub", "-"),
    _changed("aten::add_.Tensor", "aten::add", alpha=True),
    _changed("aten::sub_.Tensor", "aten::sub", alpha=True),
    _changed("aten::mul_.Tensor", "aten::mul"),
    _changed("aten::div_.Tensor", "aten::div"),
    Form(
        "aten::mul_.Scalar", "aten::mul", ("self", "other"), {"inout": "out"}, {"numel": "out.numel"},
        {"alpha": "factor"},
        head=(
            "double factor = 0;",
            "const tfl_status read = torchfl::first_number(device::api, *call, other, &factor);",
            "if (read != TFL_OK) return read;",
            "// With a factor of 0 a BLAS may write zeros, where 0 * inf has to become NaN: self - self does.",
            "tfl_tensor from = self;",
            "torchfl::Workspace spare(device::api, *call);",
            "if (factor == 0 && torchfl::same_memory(self, out)) {",
            "  const uint64_t bytes = static_cast<uint64_t>(self.numel) * torchfl::element_size(self.dtype);",
            "  if (const tfl_status reserved = spare.reserve(bytes); reserved != TFL_OK) return reserved;",
            "  from.handle = spare.data();",
            "  from.byte_offset = 0;",
            "  const tfl_status kept = device::copy_d2d(call->device, from.handle, 0, self.handle, self.byte_offset,",
            "                                           bytes, call->stream);",
            "  if (kept != TFL_OK) return kept;",
            "}",
        ),
        constraints=(("second_numel", (1,)),), starts_as_self=True, inplace=True,
        instead=("factor == 0", Form(
            "aten::add_.Tensor", "aten::mul", (), {"input": "from", "inout": "out"}, {"numel": "out.numel"},
            {"alpha": "-1", "beta": "1"},
        )),
    ),
    _reduction(
        "aten::linalg_vector_norm", "aten::vector_norm", 1, constraints=(("ord", (2,)),),
        head=('if (torchfl::number(call->attrs[0], 2) != 2) return torchfl::unsupported("no 2-norm");',),
    ),
    _reduction("aten::sum", "aten::sum", 0),
    _reduction("aten::mean", "aten::mean", 0),
    _reduction("aten::max", "aten::amax", 0),
    _reduction("aten::min", "aten::amin", 0),
    Form(
        "aten::t", "aten::permute_copy", ("self",), {"input": "self", "output": "out"},
        {"m": "self.sizes[0]", "n": "self.sizes[1]", "ld.input": "self.sizes[1]", "ld.output": "out.sizes[1]"},
        {"alpha": "1"},
        head=(
            "int64_t order[2];",
            "if (self.rank != 2 || !torchfl::assign_dimensions(order, call->attrs[0], 2))",
            '  return torchfl::unsupported("not the two dimensions of a matrix");',
            "const bool swaps = order[0] == 1;",
        ),
        constraints=(("rank", (2,)),), transposed="swaps", ordered=True,
    ),
)  # fmt: skip
