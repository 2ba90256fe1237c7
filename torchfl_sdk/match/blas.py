"""The BLAS style: a general matrix product with extents, leading dimensions, transpose flags and two scalars."""

from __future__ import annotations

from torchfl_sdk.match import draft
from torchfl_sdk.match.arguments import Parameter
from torchfl_sdk.match.draft import QUEUE, Candidate, Draft, Evidence, Refusal
from torchfl_sdk.match.dtypes import COMPLEX, served_dtypes
from torchfl_sdk.match.flags import TRANSPOSE, order_values, transpose_values
from torchfl_sdk.match.model import Argument, Call
from torchfl_sdk.match.pointer import find_output
from torchfl_sdk.match.tokens import words

_MATRIX_INPUTS = {"aten::mm": ("self", "mat2"), "aten::addmm": ("mat1", "mat2")}
_SECOND = frozenset("b2y")
#: What the extents of a product are called where not by BLAS's letters.
_EXTENTS = {
    "m": frozenset(words("rows row nrows numrows rowsa arows outrows")),
    "n": frozenset(words("cols col columns ncols numcols colsb bcols outcols")),
    "k": frozenset(words("inner innerdim depth common shared contracted colsa acols rowsb brows")),
}
#: Said of dense matrices where neither an argument nor a comment tells their order.
ROW_MAJOR = "no distance of rows: taken for row-major, as C's arrays are"


def match_blas(candidate: Candidate) -> Draft | Refusal:
    """A draft of aten::mm or aten::addmm for a function C = alpha op(A) op(B) + beta C."""
    op, parameters = candidate.op, candidate.parameters
    if op.name not in _MATRIX_INPUTS:
        return Refusal(f"{op.name} over plain pointers is not generated yet")
    evidence = Evidence()
    if candidate.reading.dtype == "complex":
        return COMPLEX
    if any(p.sort == "stream" for p in parameters):
        return QUEUE
    handle = next((p for p in parameters if p.sort == "opaque"), None)
    if handle is not None:
        return Refusal(f"needs '{handle.name}' ({handle.param.type.spelled}), which other functions create")
    tensors = [p for p in parameters if p.sort == "tensor"]
    if len(tensors) != 3:
        return Refusal(f"has {len(tensors)} matrices, a matrix product has 3")
    output = find_output(tensors, evidence)
    if isinstance(output, Refusal):
        return output
    first, second = (t for t in tensors if t is not output)
    roles = {output.index: "out", first.index: "A", second.index: "B"}
    values: dict[int, tuple[tuple[str, str], ...]] = {}
    order = _scan(candidate, roles, values, {"a": first, "b": second, "c": output})
    if isinstance(order, Refusal):
        return order
    found = set(roles.values())
    if not {"m", "n", "k"} <= found:
        return Refusal("its extents are not called m, n and k")
    leading = {"ld.A", "ld.B", "ld.C"} & found
    if leading and len(leading) < 3:
        return Refusal("has leading dimensions for some matrices only")
    if op.name == "aten::addmm" and not {"gemm_alpha", "gemm_beta"} <= found:
        return Refusal("has no alpha and beta, which aten::addmm needs")
    column = _column_major(candidate, order, evidence, dense=not leading)
    if isinstance(column, Refusal):
        return column
    selector = next((p for p in parameters if roles.get(p.index) == "dtype"), None)
    served = served_dtypes(candidate, tensors, selector, evidence)
    if isinstance(served, Refusal):
        return served
    if selector is not None:
        values[selector.index] = served.values
    returned = draft.returns(candidate)
    if isinstance(returned, Refusal):
        return returned
    final = _final_roles(op.name, column)
    arguments = tuple(_argument(candidate, p, final.get(roles[p.index], roles[p.index]), values) for p in parameters)
    proved = served.proved and ROW_MAJOR not in evidence.sentences
    call = Call(candidate.function.name, arguments, served.dtypes, proved, candidate.source, returned)
    matrix = {"trans.A", "trans.B"} <= found and len(leading) == 3
    evidence.say(
        "extents m, n, k" + (", leading dimensions" if leading else "") + (", transpose flags" if matrix else "")
    )
    layout = "matrix" if matrix else "contiguous"
    stem = candidate.reading.stem
    return Draft(call, "blas", evidence.confidence, tuple(evidence.sentences), stem, (), (), layout)


def _scan(
    candidate: Candidate,
    roles: dict[int, str],
    values: dict[int, tuple[tuple[str, str], ...]],
    matrices: dict[str, Parameter],
) -> str | Refusal:
    """Gives every other parameter its role; returns "flag" where an argument sets the order, else ""."""
    order = ""
    for parameter in candidate.parameters:
        if parameter.index in roles:
            continue
        role = _role(candidate, parameter, values, matrices)
        if not role:
            what = f"'{parameter.name}' ({parameter.param.type.spelled})"
            return Refusal(f"argument {what} has no meaning in a plain matrix product")
        if role in roles.values():
            return Refusal(f"two arguments look like {role}")
        order = "flag" if role == "order" else order
        roles[parameter.index] = role
    return order


def _role(
    candidate: Candidate,
    parameter: Parameter,
    values: dict[int, tuple[tuple[str, str], ...]],
    matrices: dict[str, Parameter],
) -> str:
    joined = parameter.joined
    if parameter.sort == "dtype":
        return "dtype"
    if parameter.sort in ("float", "scalar_pointer") and joined in ("alpha", "beta"):
        return f"gemm_{joined}" if parameter.sort == "float" or parameter.element in ("float32", "float64") else ""
    enum = candidate.model.enums.get(parameter.param.type.name) if parameter.sort == "enum" else None
    if enum is not None and (found := order_values(enum)):
        values[parameter.index] = tuple(found.items())
        return "order"
    if match := TRANSPOSE.fullmatch(joined):
        flags = transpose_values(parameter.param.type, enum)
        if flags:
            values[parameter.index] = tuple(flags.items())
            return "trans.B" if (match[1] or match[2]) in _SECOND else "trans.A"
        return ""
    if parameter.sort == "int" and joined in _EXTENTS:
        return joined
    if parameter.sort == "int" and (named := next((r for r, names in _EXTENTS.items() if joined in names), "")):
        return named
    if parameter.sort == "int" and joined.startswith("ld"):
        letter = joined.removeprefix("ld")
        for key, matrix in matrices.items():
            if letter in (key, matrix.joined):
                return f"ld.{key.upper()}"
    return ""


def _column_major(candidate: Candidate, order: str, evidence: Evidence, *, dense: bool) -> bool | Refusal:
    """True where the function takes column-major matrices and nothing else. ``dense``: it takes no distances of rows,
    as any BLAS does."""
    if order == "flag":
        evidence.say("an argument says row- or column-major")
        return False
    comment = candidate.function.comment
    row, column = draft.said_order(comment)
    if dense and not row and not column:
        evidence.say(ROW_MAJOR, 0.9)
        return False
    if row == column:
        return Refusal("neither an argument nor its comment says whether matrices are row- or column-major")
    evidence.say(f"its comment says {'row' if row else 'column'}-major", 0.95)
    return column


def _final_roles(op: str, column: bool) -> dict[str, str]:
    """Names of the op's tensors. A column-major product is the row-major product of B and A, with m and n exchanged."""
    first, second = _MATRIX_INPUTS[op]
    a, b = (second, first) if column else (first, second)
    names = {"A": a, "B": b, "ld.A": f"ld.{a}", "ld.B": f"ld.{b}", "ld.C": "ld.out"}
    names |= {"trans.A": f"trans.{a}", "trans.B": f"trans.{b}"}
    return names | ({"m": "n", "n": "m"} if column else {})


def _argument(
    candidate: Candidate, parameter: Parameter, role: str, values: dict[int, tuple[tuple[str, str], ...]]
) -> Argument:
    return candidate.argument(parameter, role, values=values.get(parameter.index, ()))
