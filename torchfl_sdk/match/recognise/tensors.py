"""Which tensor of a function is which operand of the op."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from torchfl_sdk.match.recognise.parts import Part
from torchfl_sdk.match.tokens import words
from torchfl_sdk.match.vocabulary import Word

_OUTPUT = frozenset(
    words("""out output outputs dst dest destination res result results ret y z c r o d yout zout outdata outputdata
    outputtensor dstdata sum max min mean imax imin dp norm dot nrm2 stddev pout outbuf odata dst0 out0 output0""")
)
_INOUT = frozenset(words("srcdst inout io inplace self_ selfref srcdest dstsrc inputoutput inoutput xy"))
_SPECIAL = {
    role: frozenset(names.split())
    for role, names in {
        "weight": "w weight weights wei filter filters kernel gamma bnscale scales wgt slope alphas",
        "bias": "bias biases beta bnbias bs",
        "running_mean": "runningmean estimatedmean movingmean resultrunningmean popmean mean",
        "running_var": "runningvar estimatedvariance movingvariance resultrunningvariance variance var runningvariance",
        "save_mean": "savemean resultsavemean savedmean means savedmeanout outmean batchmean meanout mean",
        "save_rstd": "saverstd savedrstd outrstd rstdout invstds invstddev savedinvstd resultsaveinvvariance "
        "savedinvvariance "
        "rstd invstd saveinvstd resultsaveinvstd invvariance saveinvvariance invvar var variance",
        "indices": "indices index idx ids ind indx indexes offsetsidx indicesdata pindex argmax outindices ptrindices",
        "min": "lo low min minval lower lowerbound minvalue",
        "max": "hi high max maxval upper upperbound maxvalue",
        "mask": "mask attnmask attentionmask",
        "condition": "condition cond pred predicate",
        "grid": "grid",
        "target": "target targets label labels",
        "source": "source updates update values upd",
        "query": "query q",
        "key": "key k",
        "value": "value v",
        "lse": "lse logsumexp softmaxlse",
        "hx": "hx h0 srciter hiddenin",
        "cx": "cx c0 srciterc cellin",
        "hy": "hy hn dstiter hiddenout",
        "cy": "cy cn dstiterc cellout",
        "grad_output": "dy dout grady gradoutput diffdst gradout outgrad outputgrad doutput diffy gradydata dz",
        "grad_input": "dx gradinput gradx diffsrc din gradin inputgrad dinput diffx diffdata",
        "grad_weight": "dw gradweight gradweights diffweights dfilter gradw gradfilter gradkernel weightgrad "
        "filtergrad dkernel "
        "resultbnscalediff dbnscaleresult dbnscale dscale dgamma dweight scalediff",
        "grad_bias": "db gradbias diffbias biasgrad dbias resultbnbiasdiff dbnbiasresult dbnbias dbeta biasdiff",
        "saved_output": "y output out fwdoutput",
    }.items()
}
_INPUT = frozenset(
    words("""x a input inputs in src self data left lhs in1 input1 src1 a0 x1 src0 input0 in0 x0 inputtensor indata
    inputdata     srcdata source ptra op1 pa inputa tensor1 arg1 operand1 opa""")
)
_SECOND = frozenset(words("b y other right rhs in2 input2 src2 x2 inputb ptrb op2 tensor2 arg2 operand2 opb pb"))
BLAS = ("gemm", "gemm_batched", "gemv", "ger", "axpy", "scal", "dot", "vector_reduce", "geam", "transpose", "trsm")

_ACCUMULATE = ("aten::add", "aten::sub", "aten::mul", "aten::div")
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


def assign(
    word: Word,
    carriers: list[Part],
    *,
    returns: bool,
    scalar: bool,
    prepares: bool,
    describes: bool,
    blends: bool,
) -> Tensors | str:
    """Roles of ``carriers`` (in C order), or why they are not the operands of ``word``.

    ``returns``: the function returns the result; ``scalar``: it has a number as operand; ``prepares``: it creates
    the op and may lack operands that another call binds; ``describes``: it prepares the op and need not name its
    result; ``blends``: it scales what it overwrites by a beta.
    """
    if word.kind in BLAS:
        return _blas(word, carriers, returns)
    found = Tensors()
    wanted_in, wanted_out = list(word.all_inputs), list(word.all_outputs)
    rest = list(carriers)
    for part in list(rest):
        if part.base in _INOUT or part.joined in _INOUT:
            if word.kind in ("fill", "zero", "random") and part.joined != "selfref":
                continue  # what it held before is not read
            found.roles[part.index] = "inout"
            found.inplace = True
            rest.remove(part)
    if sum(role == "inout" for role in found.roles.values()) > 1:
        return "has two tensors that are read and written"
    for part in list(rest):
        if word.kind in ("reduce", "conv", "pool") and part.base in _SPECIAL["indices"] and "indices" not in wanted_out:
            found.roles[part.index] = "indices"
            rest.remove(part)
            continue
        role = special(part, wanted_in + wanted_out, word)
        if word.kind == "backward" and len([p for p in carriers if p.written]) == 1 and part.base.startswith("grad"):
            role = "grad_input" if part.written and not role else role  # the only one it writes
            role = "grad_output" if role == "grad_input" and not part.written else role
        if role and role not in found.roles.values():
            found.roles[part.index] = role
            rest.remove(part)
    if _one_both_ways(word, rest, found) and not (returns or prepares):
        found.roles[rest.pop().index] = "inout"
        found.inplace = True
    main_out = next((r for r in wanted_out if r not in found.roles.values()), "")
    if found.inplace or word.kind == "backward":
        main_out = "" if found.inplace else main_out
    if main_out and not (returns and not any(p.written and _is_output(p) for p in rest)):
        still = sum(r in word.required and r not in found.roles.values() for r in wanted_in)
        if (
            scalar
            and (word.scalar or word.aten.endswith(".Scalar"))
            and len(rest) == still
            and any(_is_output(p) and p.base not in _SECOND for p in rest)
        ):
            still -= 1  # a number stands for the second operand
        output = _output(rest, found, inputs=still, fill=not wanted_in)
        if output is not None:
            found.roles[output.index] = main_out
            rest.remove(output)
        elif _overwrites(word, rest) or (word.kind == "binary" and [p.base for p in rest] == ["x", "y"]):
            written = 0 if _overwrites(word, rest) else 1  # y, as in BLAS
            found.roles[rest.pop(written).index] = "inout"
            found.inplace = True
            found.evidence.append("writes its first operand, the other is constant")
        elif (word.inplace or word.kind in ("softmax", "norm", "sort", "shape")) and len(rest) == 1 and rest[0].written:
            found.roles[rest.pop().index] = "inout"
            found.inplace = True
        elif word.kind in ("fill", "zero", "random") and len(rest) == 1:
            found.roles[rest.pop().index] = "output"
        elif not prepares and not describes and not main_out.endswith("?") and f"{main_out}?" not in word.outputs:
            return "writes no tensor" if not rest else "which tensor is the result is not clear"
    elif main_out:
        found.returned = True
    if "output2" in wanted_out and (second := [p for p in rest if p.written]):
        found.roles[second[-1].index] = "output2"
        rest.remove(second[-1])
    _accumulates(word, rest, found, scalar=scalar, blends=blends)
    open_in = [r for r in wanted_in if r not in found.roles.values()]
    if found.inplace and "inout" not in word.outputs:
        open_in = open_in[1:]
    if blends and len(rest) == len(open_in) + 1 and not found.inplace and word.kind in ("reduce", "matmul", "shape"):
        extra = rest.pop()  # what beta scales and the result is added to
        found.roles[extra.index] = next(r for r in ("input2", "input3", "input4") if r not in wanted_in)
    trouble = _inputs(word, rest, open_in, found, scalar=scalar, prepares=prepares)
    if trouble:
        return trouble
    found.indices = "indices" in found.roles.values()
    return found


def _one_both_ways(word: Word, rest: list[Part], found: Tensors) -> bool:
    """One tensor alone, which may be written: it is read and overwritten."""
    kinds = ("unary", "softmax", "norm", "sort", "shape")
    return word.kind in kinds and len(rest) == 1 and rest[0].written and not found.roles and rest[0].sort == "data"


def _overwrites(word: Word, rest: list[Part]) -> bool:
    """``add(a, const b)``: the first operand may be written, and nothing else may."""
    return (
        word.kind == "binary"
        and bool(word.inplace)
        and len(rest) == 2
        and rest[0].written
        and not rest[1].written
        and rest[0].sort == rest[1].sort
    )


def _accumulates(word: Word, rest: list[Part], found: Tensors, *, scalar: bool, blends: bool) -> None:
    """A binary op with one tensor to read and one to write adds to what it writes: it works in place."""
    written = [i for i, role in found.roles.items() if role == "output"]
    if word.kind != "binary" or found.inplace or len(rest) != 1 or len(written) != 1 or not word.inplace:
        return
    if word.aten.split(".")[0] not in _ACCUMULATE:
        return
    if (scalar and not blends) or rest[0].sort == "list" or word.aten == "aten::_prelu_kernel":
        return
    found.inplace = True
    found.roles[written[0]] = "inout"
    found.roles[rest[0].index] = "input" if blends else "input2"
    found.weight *= 1.0 if blends else 0.7
    found.evidence.append("reads one tensor and blends it into the other")
    rest.clear()


def _inputs(word: Word, rest: list[Part], open_in: list[str], found: Tensors, *, scalar: bool, prepares: bool) -> str:
    if word.kind == "list" and len(rest) > 1 and all(p.sort in ("data", "tensor") for p in rest):
        for part, role in zip(rest, ("input", "input2", "input3", "input4"), strict=False):
            found.roles[part.index] = role
        return ""
    if len(rest) > len(open_in) and word.kind not in ("rnn", "loss"):
        extra = rest[len(open_in) :]
        return f"fused: '{extra[0].name}' is no operand of {word.aten}"
    named: dict[int, str] = {}
    if len(rest) == 2 and open_in[:2] == ["input", "input2"] and rest[0].base in _SECOND and rest[1].base in _INPUT:
        named = {rest[0].index: "input2", rest[1].index: "input"}
        found.evidence.append(f"operands are named '{rest[1].name}', '{rest[0].name}'")
    if word.aten == "aten::atan2" and [p.base for p in rest] == ["y", "x"]:
        named = {}  # of a point: y first
    if word.kind == "rnn":
        for part in [p for p in rest if "weight" in p.base or "filter" in p.base or p.base[:1] in ("w", "b")]:
            found.roles[part.index] = "bias" if part.base.startswith("b") else "weight"
            rest.remove(part)
        open_in = [r for r in open_in if r != "weight"]
    for part, role in zip(rest, open_in, strict=False):
        found.roles[part.index] = named.get(part.index, role)
        if word.kind == "matmul" and role == "input2" and part.base in _SPECIAL["weight"]:
            found.roles[part.index] = "weight"
    lacking = [r for r in open_in[len(rest) :] if r in word.required and r not in found.roles.values()]
    if found.inplace and word.kind == "binary" and "input" in found.roles.values():
        lacking = []
    if lacking == ["input2"] and scalar and (word.scalar or word.aten.endswith(".Scalar")):
        found.scalar = True
        return ""
    if not lacking or prepares:
        return ""
    if word.kind == "backward" and "grad_output" in found.roles.values():
        return ""
    if word.kind == "loss" or (word.kind == "rnn" and lacking != ["input"]):
        return ""
    return f"lacks {', '.join(lacking)}, which {word.aten} needs"


def special(part: Part, wanted: Iterable[str], word: Word) -> str:
    """The role among ``wanted`` that a tensor's name says, or ""."""
    base, joined = part.base, part.joined
    for role in wanted:
        names = _SPECIAL.get(role)
        listed = role == "indices" and base.endswith(("indices", "indexes")) and len(base) > 7
        if names is None or not (base in names or joined in names or listed):
            continue
        if role == "saved_output" and (part.written and word.kind != "backward"):
            continue
        if role in ("grad_input", "grad_weight", "grad_bias") and not part.written and part.sort == "data":
            continue
        return role
    if word.kind == "backward" and base in ("x", "input", "src", "in") and "input" in wanted:
        return "input"
    if word.kind == "norm" and base in ("stat", "stats", "statistics"):
        return "stat"
    if word.kind == "norm" and base in ("scale", "g", "bnscale") and "weight" in wanted:
        return "weight"
    if word.kind == "norm" and base in ("shift", "b", "offset") and "bias" in wanted:
        return "bias"
    if word.kind in ("linear", "conv") and base == "b" and "bias" in wanted:
        return "bias"
    return ""


def _is_output(part: Part) -> bool:
    base = part.base
    return (
        base in _OUTPUT or base.startswith(("out", "dst", "dest", "result")) or base.endswith(("out", "dst", "output"))
    )


def _output(rest: list[Part], found: Tensors, *, inputs: int, fill: bool) -> Part | None:
    """The tensor that is written: by const and name together."""
    written = [p for p in rest if p.written or p.sort in ("tensor", "desc", "id", "list")]
    pointers = [p for p in rest if p.written]
    strong = [p for p in rest if _is_output(p) and p.base not in ("d",)]
    clear = [p for p in strong if p.base not in ("y", "z", "c", "r", "o", "sum", "max", "min")] or strong
    data = all(p.sort == "data" for p in rest)
    if data and len(pointers) == 1 and (len(rest) > 1 or fill or strong):
        found.evidence.append(f"'{pointers[0].name}' is the only pointer that may be written")
        return pointers[0]
    candidates = [p for p in clear if p in written] or clear
    if len(candidates) == 1 and (len(rest) > inputs or fill):
        found.evidence.append(f"'{candidates[0].name}' is named like a result")
        return candidates[0]
    if len(candidates) > 1 and len(rest) > inputs:
        chosen = candidates[-1]
        found.evidence.append(f"'{chosen.name}' is the last that is named like a result")
        found.weight *= 0.9
        return chosen
    if len(rest) > inputs and written:
        chosen = pointers[-1] if pointers and len(pointers) < len(rest) else written[-1]
        found.evidence.append(f"'{chosen.name}' stands last: taken as the result")
        found.weight *= 0.8
        return chosen
    return None


def _blas(word: Word, carriers: list[Part], returns: bool) -> Tensors | str:
    """BLAS functions order and name their operands by convention."""
    found = Tensors()
    single = word.kind in ("dot", "vector_reduce")
    result = [p for p in carriers if p.base in _RESULT or (single and p.written and p.base in _RESULT_OF_ONE)]
    operands = [p for p in carriers if p not in result]
    wanted = [*word.all_inputs, *(["inout"] if word.outputs == ("inout",) else [])]
    if word.kind in ("dot", "vector_reduce"):
        if len(operands) == len(wanted) + 1 and not result and operands[-1].written:
            result = [operands.pop()]
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
    elif word.kind == "gemm" and len(carriers) == 4:
        operands, wanted = carriers, ["input", "input2", "inout", "output"]
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
