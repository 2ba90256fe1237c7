"""Functions that serve a part of an op's calls: a number in a tensor's place, one row that is added, two dimensions.

They are asked after all that serve an op as a whole, in whatever style; the recogniser has said which overload they
are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from torchfl import catalogue
from torchfl.catalogue import OpSpec
from torchfl_sdk.match import draft
from torchfl_sdk.match.arguments import Parameter
from torchfl_sdk.match.draft import QUEUE, Candidate, Draft, Evidence, Refusal
from torchfl_sdk.match.dtypes import served_dtypes
from torchfl_sdk.match.extents import FORMS, fill
from torchfl_sdk.match.geometry import match_geometry, named
from torchfl_sdk.match.lists import match_list
from torchfl_sdk.match.model import Argument, Call, OpMatch
from torchfl_sdk.match.pointer import find_output, match_pointer

_TURNS = ("aten::permute", "aten::t", "aten::transpose.int", "aten::permute_copy")
#: Names of a linear layer's operands beside those of the ops.
_MORE = {"weight": ("wt", "kernel", "filter", "mat2", "rhs"), "input": ("lhs", "mat1")}
_WHOLE_NUMBERS = ("int8", "uint8", "int16", "int32")

#: [out, in], or that a transpose is multiplied; and the other way.
_OUT_IN = re.compile(
    r"\[\s*(?:out\w*|n|oc)\s*[\],x*]\s*\[?\s*(?:in\w*|k|ic)\s*\]|\(\s*(?:out\w*|n)\s*[,x]\s*(?:in\w*|k)\s*\)|\b(?:out\w*|n)\s*x\s*"
    r"(?:in\w*|k)\b|w\w*\s*(?:\^\s*t\b|'|\.t\b)|transpose",
    re.I,
)
_IN_OUT = re.compile(
    r"\[\s*(?:in\w*|k|ic)\s*[\],x*]\s*\[?\s*(?:out\w*|n|oc)\s*\]|\(\s*(?:in\w*|k)\s*[,x]\s*(?:out\w*|n)\s*\)|\b(?:in\w*|k)\s*x\s*"
    r"(?:out\w*|n)\b",
    re.I,
)


def part_ops(match: OpMatch) -> Iterator[tuple[OpSpec, Callable[[Candidate], Draft | Refusal]]]:
    """The catalogue's ops of which a match serves a part, each with the style that says how."""
    if match.constants:
        return
    biased = "bias" in dict(match.arguments).values() and match.aten in ("aten::matmul", "aten::mm", "aten::addmm")
    if match.aten == "aten::linear" or biased:
        for name in ("aten::addmm", "aten::mm"):
            op = catalogue.get(name)
            assert op is not None
            yield op, _linear
    elif match.aten in _TURNS:
        op = catalogue.get("aten::permute_copy")
        assert op is not None
        yield op, _turn
    elif match.aten == "aten::cat":
        op = catalogue.get(match.aten)
        assert op is not None
        yield op, match_list
    else:
        found = catalogue.by_overload(match.aten)
        if found is not None and match.aten in (found.scalar, found.scalar_inplace) and len(found.inputs) == 2:
            yield found, _by_number
        elif found is not None and match.aten == found.inplace and found.elementwise and not found.input_kinds:
            yield found, _in_place


def _by_number(candidate: Candidate) -> Draft | Refusal:
    """A draft for one tensor and a number, as the op whose second operand has one element."""
    op = candidate.op
    number = _number(candidate)
    if isinstance(number, Refusal):
        return number
    attrs = tuple(a for a in op.attrs if a.name != "alpha")  # the kernel multiplies by it
    one = replace(op, inputs=op.inputs[:1], attrs=attrs, shape_rule="same")
    rest = tuple(p for p in candidate.parameters if p is not number)
    alone = sum(p.sort == "tensor" for p in rest) == 1
    found = (_in_place if alone else match_pointer)(replace(candidate, op=one, parameters=rest))
    if isinstance(found, Refusal):
        return found
    element = found.call.dtypes[0]
    bits = number.param.type.bits
    if number.sort == "int" and element not in _WHOLE_NUMBERS:
        return Refusal(f"'{number.name}' ({number.param.type.spelled}) holds few of the numbers that {element} has")
    if element == "float64" and bits < 64:
        return Refusal(f"'{number.name}' ({number.param.type.spelled}) holds few of the numbers that {element} has")
    arguments = list(found.call.arguments)
    arguments.insert(candidate.parameters.index(number), candidate.argument(number, f"number.{op.inputs[1]}"))
    return replace(
        found,
        call=replace(found.call, arguments=tuple(arguments)),
        evidence=(*found.evidence, f"'{number.name}' is a number: the second operand has one element"),
        constraints=(*found.constraints, ("second_numel", (1,))),
        unverified=("second_numel",),
    )


def _in_place(candidate: Candidate) -> Draft | Refusal:
    """A draft for a function that overwrites its first operand: the result begins as a copy of that."""
    op = candidate.op
    if op.output_kinds != ("common",):
        return Refusal(f"overwrites an operand, where {op.name} gives other elements")
    rest = replace(op, inputs=op.inputs[1:])
    found = match_pointer(replace(candidate, op=rest))
    if isinstance(found, Refusal):
        return found
    arguments = tuple(replace(a, role="inout") if a.role == "out" else a for a in found.call.arguments)
    return replace(
        found,
        call=replace(found.call, arguments=arguments),
        evidence=(*found.evidence, "it overwrites its first operand: the result begins as a copy of that"),
        inplace=True,
    )


def _number(candidate: Candidate) -> Parameter | Refusal:
    """The parameter that is the second operand."""
    numbers = [p for p in candidate.parameters if p.sort == "float"]
    if not numbers:
        numbers = [p for p in candidate.parameters if p.sort == "int" and not p.looks_like_count]
    if len(numbers) != 1:
        return Refusal(f"has {len(numbers)} numbers beside its tensor, of which one is the second operand")
    return numbers[0]


def _turn(candidate: Candidate) -> Draft | Refusal:
    """A draft for a function that exchanges the rows and columns of a matrix."""
    found = match_geometry(candidate, "transpose")
    return found if isinstance(found, Refusal) else replace(found, unverified=("rank",))


def _linear(candidate: Candidate) -> Draft | Refusal:
    """A draft for ``y = x w + bias`` over plain pointers, with one row of bias or without."""
    op, parameters, evidence = candidate.op, candidate.parameters, Evidence()
    if any(p.sort == "stream" for p in parameters):
        return QUEUE
    tensors = [p for p in parameters if p.sort == "tensor"]
    rest = [p for p in parameters if p not in tensors]
    strange = [p for p in rest if p.sort not in ("int", "dtype")]
    if strange:
        return Refusal(f"argument '{strange[0].name}' ({strange[0].param.type.spelled}) has no meaning in {op.name}")
    output = find_output(tensors, evidence)
    if isinstance(output, Refusal):
        return output
    roles = _operands(op, [t for t in tensors if t is not output])
    if isinstance(roles, Refusal):
        return roles
    form, extents = next(
        ((form, found) for form in FORMS["linear"] if (found := fill(form, [p for p in rest if p.sort == "int"]))),
        (None, None),
    )
    if form is None or extents is None:
        names = ", ".join(f"'{p.name}'" for p in rest)
        return Refusal(f"which extents its arguments {names} are is not clear")
    served = served_dtypes(candidate, tensors, next((p for p in rest if p.sort == "dtype"), None), evidence)
    if isinstance(served, Refusal):
        return served
    returned = draft.returns(candidate)
    if isinstance(returned, Refusal):
        return returned
    turned = _turned(candidate.function.comment, "in_features" in form.roles, evidence)
    sizes = {"in_features": "K", "out_features": "N"}
    roles |= {output.index: "out"} | {i: sizes.get(role, role) for i, role in extents.items()}
    weight = op.inputs[-1]
    arguments = tuple(
        Argument(
            p.name or f"arg{p.index}",
            p.param.type.spelled,
            roles.get(p.index, "dtype"),
            value="turned" if roles.get(p.index) == weight and turned else "",
            values=() if p.index in roles else served.values,
        )
        for p in parameters
    )
    call = Call(candidate.function.name, arguments, served.dtypes, False, candidate.source, returned)
    layout, said = "matrix" if turned else "contiguous", tuple(evidence.sentences)
    factors = () if op.name == "aten::mm" else (("beta", (1,)), ("alpha", (1,)))
    return Draft(call, "linear", evidence.confidence, said, candidate.reading.stem, factors, (), layout)


def _operands(op: OpSpec, read: list[Parameter]) -> dict[int, str] | Refusal:
    """The roles of what is read: input, weight and bias by name, else in this order."""
    if len(read) not in (2, 3):
        return Refusal(f"reads {len(read)} tensors where a linear layer has an input, a weight and a bias")
    if len(read) == 2 and op.name == "aten::addmm":
        return Refusal("has no bias")
    wanted = ("weight", "bias", "input") if len(read) == 3 else ("weight", "input")
    found: dict[str, Parameter] = {}
    for said in (_exactly, _is):  # a `b` beside a `bias` is no bias
        for role in wanted:
            hit = next((t for t in read if t not in found.values() and said(t, role)), None)
            if role not in found and hit is not None:
                found[role] = hit
    left = [t for t in read if t not in found.values()]
    open_roles = [role for role in ("input", "weight", "bias") if role in wanted and role not in found]
    found |= dict(zip(open_roles, left, strict=True))
    bias = "row.self" if op.name == "aten::addmm" else "zeros"
    names = {"input": op.inputs[-2], "weight": op.inputs[-1], "bias": bias}
    return {tensor.index: names[role] for role, tensor in found.items()}


def _exactly(tensor: Parameter, role: str) -> bool:
    return tensor.joined in (role, role + "s", role + "es")


def _is(tensor: Parameter, role: str) -> bool:
    return named(tensor, role) or tensor.joined in _MORE.get(role, ())


def _turned(comment: str, features: bool, evidence: Evidence) -> bool:
    """Whether the weight is [out, in], as PyTorch's own linear layer has it: by the comment, else as the extents'
    names are those of layers or of matrix products."""
    out_in, in_out = _OUT_IN.search(comment), _IN_OUT.search(comment)
    if bool(out_in) != bool(in_out):
        evidence.say(f"its comment says that the weight is {'[out, in]' if out_in else '[in, out]'}")
        return bool(out_in)
    evidence.say(f"nothing says how the weight lies: taken for {'[out, in]' if features else '[in, out]'}", 0.9)
    return features
