"""Roles of tensors as they are found, and those of BLAS functions, whose order is a convention."""

from __future__ import annotations

from dataclasses import dataclass, field

from torchfl_sdk.match.recognise.part import Part
from torchfl_sdk.match.vocabulary import Word
from torchfl_sdk.match.vocabulary.arguments import OUTPUT

BLAS = ("gemm", "gemm_batched", "gemv", "ger", "axpy", "scal", "dot", "vector_reduce", "geam", "transpose", "trsm")
_RESULT = ("dotproduct", "result", "dot", "nrm2", "imax", "imin", "sum", "res", "out", "asum", "dp")
_RESULT_OF_ONE = ("output", "r", "ret", "dst", "norm", "c")


@dataclass
class Tensors:
    """Roles of the carriers by argument index; what they say about the form of the op."""

    roles: dict[int, str] = field(default_factory=dict)
    inplace: bool = False
    scalar: bool = False
    returned: bool = False
    indices: bool = False
    evidence: list[str] = field(default_factory=list)
    weight: float = 1.0


def assign_blas(word: Word, carriers: list[Part], returns: bool) -> Tensors | str:
    """BLAS functions order and name their operands by convention."""
    found = Tensors()
    single = word.kind in ("dot", "vector_reduce")
    result = [p for p in carriers if p.base in _RESULT or (single and p.written and p.base in _RESULT_OF_ONE)]
    operands = [p for p in carriers if p not in result]
    wanted = [*word.all_inputs, *(["inout"] if word.outputs == ("inout",) else [])]
    if word.kind in ("dot", "vector_reduce"):
        if len(operands) == len(wanted) + 1 and not result and not returns and not any(p.plural for p in operands):
            alone = [p for p in operands if p.written] if all(p.sort == "data" for p in operands) else []
            named = [p for p in operands if p.base in OUTPUT and p.base not in ("y", "z")] or operands[-1:]
            named = alone if len(alone) == 1 else named
            result = named[-1:] if named[-1].written or named[-1].sort != "data" else []
            operands = [p for p in operands if p not in result]
        if not result and not returns:
            return "neither returns nor writes its result"
        found.returned = not result
        for part in result[:1]:
            found.roles[part.index] = "output"
    elif word.kind in ("geam", "transpose"):
        operands = carriers
        if len(operands) == len(wanted) + 1:
            wanted.append("output")
        elif word.kind == "geam" and len(operands) == 2:
            wanted = ["input", "inout"]
    elif word.kind == "scal" and len(carriers) == 2:
        written = [p for p in carriers if p.written]
        to = written if len(written) == 1 else [p for p in carriers if p.base in OUTPUT]
        operands = [p for p in carriers if p not in to[-1:]] + to[-1:]
        wanted = ["input", "output"] if to else wanted
    elif word.kind == "gemm" and len(carriers) == 4:
        operands, wanted = carriers, ["input", "input2", "inout", "output"]
    elif word.kind in ("axpy", "ger", "gemv", "trsm") and (
        len(carriers) == len(wanted) + 1 and not any(p.joined == "alpha" for p in carriers)
    ):  # a result of its own
        own = {"axpy": ["input", "input2"], "trsm": ["input", "input2"]}.get(word.kind, [*wanted[:-1], "input3"])
        operands, wanted = carriers, [*own, "output"]
    elif result:
        operands = carriers
    if len(operands) != len(wanted):
        return f"has {len(operands)} operands where {word.aten} has {len(wanted)}"
    order = operands
    if word.kind == "gemv" and [p.base for p in operands] == ["x", "a", "y"]:
        order = [operands[1], operands[0], operands[2]]
    written = [p for p in operands if p.written]
    if word.kind == "gemm" and len(written) == 1 and operands[-1] is not written[0] and len(operands) == 3:
        order = [*(p for p in operands if p is not written[0]), written[0]]
    if word.kind == "ger" and operands[0].base == "a" and operands[-1].base != "a":
        order = [*operands[1:], operands[0]]
    for part, role in zip(order, wanted, strict=True):
        found.roles[part.index] = role
    last = order[-1]
    if wanted[-1] in ("inout", "output") and last.sort == "data" and not last.written:
        return f"'{last.name}' is const, so it cannot hold the result"
    found.evidence.append("operands in the order of BLAS")
    found.indices = False
    return found
