"""Which tensor of a function is which operand of the op."""

from __future__ import annotations

from collections.abc import Iterable

from torchfl_sdk.match.recognise.blas_order import BLAS, Tensors, assign_blas
from torchfl_sdk.match.recognise.induction import RETURNED, WRITTEN
from torchfl_sdk.match.recognise.part import Part
from torchfl_sdk.match.vocabulary import Word
from torchfl_sdk.match.vocabulary.arguments import INOUT, INPUT, OUTPUT, SECOND, SPECIAL
from torchfl_sdk.match.vocabulary.linalg import ARGUMENTS

_NOT_LISTED = ("argmax", "argmin", "maxidx", "minidx")
_ACCUMULATE = ("aten::add", "aten::sub", "aten::mul", "aten::div")

BLENDS = "reads one tensor and blends it into the other"


def assign(
    word: Word,
    carriers: list[Part],
    *,
    returns: bool,
    scalar: bool,
    prepares: bool,
    describes: bool,
    blends: bool,
    constant: bool = False,
    overwrites: bool = False,
) -> Tensors | str:
    """Roles of ``carriers`` (in C order), or why they are not the operands of ``word``.

    ``returns``: the function returns the result; ``scalar``: it has a number as operand; ``prepares``: it creates
    the op and may lack operands that another call binds; ``describes``: it prepares the op and need not name its
    result; ``blends``: it scales what it overwrites by a beta; ``constant``: its name says that the second operand is
    a number; ``overwrites``: its name says that the first operand is overwritten.
    """
    lapack = ARGUMENTS.get(word.aten, {})
    if len(carriers) > 1 and all(p.sort == "data" and p.base in lapack for p in carriers):
        roles = {p.index: lapack[p.base] for p in carriers}
        said = "operands named as LAPACK names them"
        return Tensors(roles, inplace="inout" in roles.values(), evidence=[said])
    if word.kind in BLAS:
        return assign_blas(word, carriers, returns)
    found = Tensors()
    wanted_in, wanted_out = list(word.all_inputs), list(word.all_outputs)
    rest = list(carriers)
    for part in list(rest):
        if part.base in INOUT or part.joined in INOUT:
            if word.kind in ("fill", "zero", "random") and part.joined != "selfref":
                continue  # what it held before is not read
            found.roles[part.index] = "inout"
            found.inplace = True
            rest.remove(part)
    if overwrites and not found.inplace and rest and rest[0].sort == "tensor":
        filled = word.kind in ("fill", "zero", "random")  # what it held before is not read
        found.roles[rest.pop(0).index], found.inplace = ("output", False) if filled else ("inout", True)
    if sum(role == "inout" for role in found.roles.values()) > 1:
        return "has two tensors that are read and written"
    for part in list(rest):
        if word.kind in ("reduce", "conv", "pool") and part.base in SPECIAL["indices"] and "indices" not in wanted_out:
            found.roles[part.index] = "indices"
            rest.remove(part)
            continue
        role = special(part, wanted_in + wanted_out, word)
        if word.kind == "backward" and len([p for p in carriers if p.written]) == 1 and part.base.startswith("grad"):
            role = "grad_input" if part.written else "grad_output"  # the only one it writes, and one it reads
        if role and role not in found.roles.values():
            found.roles[part.index] = role
            rest.remove(part)
    saved = next((p for p in carriers if found.roles.get(p.index) == "saved_output"), None)
    wanting = "grad_input" in wanted_out and "grad_input" not in found.roles.values()
    if word.kind == "backward" and not rest and saved is not None and saved.written and wanting:
        found.roles[saved.index] = "grad_input"  # the only one left to hold the result
    if _one_both_ways(word, rest, found) and not (returns or prepares):
        found.roles[rest.pop().index] = "inout"
        found.inplace = True
    main_out = next((r for r in wanted_out if r not in found.roles.values()), "")
    if found.inplace or word.kind == "backward":
        main_out = "" if found.inplace else main_out
    all_return = returns and bool(carriers) and all(p.carrier and p.carrier.convention == RETURNED for p in carriers)
    if all_return:
        found.returned, main_out = True, ""
    if main_out and not (returns and not any(p.written and _is_output(p) for p in rest)):
        still = sum(r in word.required and r not in found.roles.values() for r in wanted_in)
        if (
            scalar
            and (word.scalar or word.aten.endswith(".Scalar"))
            and len(rest) == still
            and (
                constant
                or any(_is_output(p) and p.base not in SECOND for p in rest)
                or all(_written_beside(p) for p in rest)
            )
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
        elif word.kind == "solve" and len(rest) == 2 and rest[1].written:
            found.roles[rest[0].index], found.roles[rest[1].index] = "input", "inout"  # the right side, overwritten
            rest, found.inplace = [], True
        elif (word.inplace or word.kind in ("softmax", "norm", "sort", "shape")) and len(rest) == 1 and rest[0].written:
            found.roles[rest.pop().index] = "inout"
            found.inplace = True
        elif word.kind in ("fill", "zero", "random") and len(rest) == 1:
            found.roles[rest.pop().index] = "output"
        elif not prepares and not describes and not main_out.endswith("?") and f"{main_out}?" not in word.outputs:
            return "writes no tensor" if not rest else "which tensor is the result is not clear"
    elif main_out:
        needed = sum(r in word.required and r not in found.roles.values() for r in wanted_in)
        first = any(p.carrier is not None and p.carrier.place == "first" for p in rest)
        if len(rest) == needed + 1 and rest[0 if first else -1].written and (needed or not wanted_in):
            found.roles[rest.pop(0 if first else -1).index] = main_out  # given back too
        found.returned = True
    if "output2" in wanted_out and (second := [p for p in rest if p.written]):
        found.roles[second[-1].index] = "output2"
        rest.remove(second[-1])
    for part in [p for p in rest if p.written and p.sort == "tensor" and p.base.startswith(("ret", "out", "res"))]:
        role = next((r for r in wanted_out if r not in found.roles.values()), "")
        if role and "output" in found.roles.values():  # further results, in the order of the op's
            found.roles[part.index] = role
            rest.remove(part)
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


def of_node(word: Word, part: Part) -> Tensors | str:
    """Roles where the only tensor is the result, which holds the tensors that it is computed from."""
    if not part.written or not word.outputs:
        return "which tensor is the result is not clear"
    if word.aten in ("aten::norm", "aten::linalg_vector_norm"):
        return "a norm or a normalisation: nothing says which"
    return Tensors({part.index: "output"}, evidence=[f"'{part.name}' holds the tensors that it is computed from"])


def _written_beside(part: Part) -> bool:
    """True for a tensor of a type whose functions write their result to one more."""
    return part.carrier is not None and part.carrier.convention == WRITTEN


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
    found.evidence.append(BLENDS)
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
    if len(rest) == 2 and open_in[:2] == ["input", "input2"] and rest[0].base in SECOND and rest[1].base in INPUT:
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
        if word.kind == "matmul" and role == "input2" and part.base in SPECIAL["weight"]:
            found.roles[part.index] = "weight"
    lacking = [r for r in open_in[len(rest) :] if r in word.required and r not in found.roles.values()]
    written = next((i for i, role in found.roles.items() if role == "output"), None)
    if lacking == ["input"] and word.inplace and word.kind == "ternary" and written is not None:
        found.roles[written], found.inplace = "inout", True  # masked_fill(out, value, mask)
        return ""
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
        names = SPECIAL.get(role)
        if role == "indices" and part.written:
            base = base.removesuffix("out").removeprefix("out")  # indicesOut
        listed = (
            role == "indices"
            and base.endswith(("indices", "indexes", "index", "argmax", "argmin", "idx"))
            and len(base) > 3
            and base not in _NOT_LISTED
        )
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
    if word.kind == "norm" and base == "alpha" and "weight" in wanted:
        return "weight"  # with "beta"
    if word.kind in ("linear", "conv") and base == "b" and "bias" in wanted:
        return "bias"
    return ""


def _is_output(part: Part) -> bool:
    base = part.base
    return (
        base in OUTPUT
        or base.startswith(("out", "dst", "dest", "result", "ret"))
        or base.endswith(("out", "dst", "output"))
    )


def _output(rest: list[Part], found: Tensors, *, inputs: int, fill: bool) -> Part | None:
    """The tensor that is written: by const and name together."""
    written = [p for p in rest if p.written or p.sort in ("tensor", "desc", "id", "list")]
    pointers = [p for p in rest if p.written]
    strong = [p for p in rest if _is_output(p) and p.base not in ("d",)]
    clear = [p for p in strong if p.base not in ("y", "z", "c", "r", "o", "sum", "max", "min")] or strong
    told = all(p.sort == "tensor" and p.param.type.kind == "other" and p.param.type.pointee is not None for p in rest)
    counted = all(p.carrier is not None for p in rest) and len(pointers) < len(rest)
    data = all(p.sort == "data" for p in rest) or told or counted  # references say what is const
    if data and len(pointers) == 1 and (len(rest) > 1 or fill or strong):
        found.evidence.append(f"'{pointers[0].name}' is the only pointer that may be written")
        return pointers[0]
    candidates = [p for p in clear if p in written] or clear
    if len(candidates) == 1 and (len(rest) > inputs or fill):
        found.evidence.append(f"'{candidates[0].name}' is named like a result")
        return candidates[0]
    if len(candidates) > 1 and len(rest) > inputs:
        numbered = len({p.base.rstrip("0123456789") for p in candidates}) == 1  # ret0, ret1
        first = next(
            (p for p in candidates if p.base in ("o", "r")), candidates[0] if numbered else None
        )  # beside x, y
        chosen = first or candidates[-1]
        found.evidence.append(f"'{chosen.name}' is the {'first' if numbered else 'last'} that is named like a result")
        found.weight *= 0.9
        return chosen
    if len(rest) > inputs and written:
        among = pointers if pointers and len(pointers) < len(rest) else written
        place = next((p.carrier.place for p in among if p.carrier is not None), "")
        chosen = among[0 if place == "first" else -1]
        said = ", as in others of the header" if place else ": taken as the result"
        named = f"'{chosen.name}'" if chosen.name else f"argument {chosen.index + 1}"
        found.evidence.append(f"{named} stands {place or 'last'}{said}")
        found.weight *= 0.9 if place else 0.8
        return chosen
    return None
