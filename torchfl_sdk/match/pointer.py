"""The element-wise pointer style: inputs, an output, a count, perhaps a type selector and scalars, in any order."""

from __future__ import annotations

import re
from collections.abc import Mapping

from torchfl_sdk.match import attributes, draft
from torchfl_sdk.match.arguments import Parameter
from torchfl_sdk.match.draft import QUEUE, Candidate, Draft, Evidence, Refusal
from torchfl_sdk.match.dtypes import served_dtypes
from torchfl_sdk.match.geometry import match_geometry
from torchfl_sdk.match.model import Argument, Call
from torchfl_sdk.match.operands import named_roles
from torchfl_sdk.match.recognise.order import exchanged

#: Said of operands that cannot be exchanged where neither comment nor names tell which is which.
IN_ORDER = "operands taken in the order of the arguments"


def match_pointer(candidate: Candidate) -> Draft | Refusal:
    """A draft for a function that computes every element of its output from the same element of its inputs."""
    op, parameters = candidate.op, candidate.parameters
    tensors = [p for p in parameters if p.sort == "tensor"]
    evidence = Evidence()
    if not op.elementwise or op.input_kinds or op.output_kinds != ("common",) or len(op.inputs) > 2:
        return match_geometry(candidate)
    if any(p.sort == "stream" for p in parameters):
        return QUEUE
    handle = next((p for p in parameters if p.sort in ("opaque", "struct")), None)
    if handle is not None:
        return Refusal(
            f"needs '{handle.name or handle.index}' ({handle.param.type.spelled}), which other functions create"
        )
    if not tensors:
        return Refusal(f"has no tensor argument, so it is not {op.name}")
    output = find_output(tensors, evidence)
    if isinstance(output, Refusal):
        return output
    inputs = [t for t in tensors if t is not output]
    if len(inputs) != len(op.inputs):
        return _wrong_arity(candidate, inputs)
    zeros, shifted = draft.zero_points(parameters, {t.element for t in tensors})
    parameters = tuple(p for p in parameters if p.index not in zeros)
    others = [p for p in parameters if p.sort not in ("tensor", "dtype")]
    assigned = attributes.assign(op, others, enums=candidate.model.enums)
    if isinstance(assigned, str):
        return Refusal(assigned)
    constraints, lacking = draft.missing_attributes(op, assigned.names, candidate.function)
    if lacking:
        return Refusal(f"has no argument for {lacking}, which {op.name} needs")
    rest = [p for p in parameters if p not in tensors and p.index not in assigned.roles]
    selectors = [p for p in rest if p.sort == "dtype"]
    counts = [p for p in rest if p.sort == "int"]
    strange = [p for p in rest if p.sort not in ("dtype", "int")]
    if strange:
        return Refusal(f"argument '{strange[0].name}' ({strange[0].param.type.spelled}) has no meaning in {op.name}")
    if len(selectors) > 1:
        return Refusal("selects the element type of each tensor separately")
    count = find_count(candidate, counts, evidence)
    if isinstance(count, Refusal):
        return count
    served = served_dtypes(candidate, tensors, selectors[0] if selectors else None, evidence)
    if isinstance(served, Refusal):
        return served
    roles = {output.index: "out", count.index: "numel", **assigned.roles}
    roles.update(_input_roles(candidate, inputs, evidence))
    roles.update({p.index: "dtype" for p in selectors})
    if len(roles) != len(parameters):
        return Refusal("not every argument has a meaning")  # two parameters claimed by one role cannot happen
    returned = draft.returns(candidate)
    if isinstance(returned, Refusal):
        return returned
    for name, values in constraints:
        evidence.say(f"no argument for {name}: computes with {values[0]}")
    if zeros:
        evidence.say(f"zero points of {shifted} make its values PyTorch's")
    arguments = tuple(
        candidate.argument(p, "constant", value=zeros[p.index])
        if p.index in zeros
        else _argument(candidate, p, roles[p.index], served.values, assigned.values)
        for p in candidate.parameters
    )
    proved = served.proved and IN_ORDER not in evidence.sentences  # which operand comes first is a question
    call = Call(candidate.function.name, arguments, served.dtypes, proved, candidate.source, returned)
    aliasing = not any(t.param.type.restrict for t in tensors)
    if aliasing:
        evidence.say("element by element without restrict: the output may be an input")
    return Draft(
        call,
        "pointer",
        evidence.confidence,
        tuple(evidence.sentences),
        candidate.reading.stem,
        constraints,
        draft.unverified_attributes(op, assigned.names),
        inplace=aliasing,
        int8_zero_point=shifted,
    )


def find_output(tensors: list[Parameter], evidence: Evidence) -> Parameter | Refusal:
    """The one tensor that is written: by const, or by name in headers that never write const."""
    written = [t for t in tensors if t.written]
    if len(written) == 1:
        evidence.say(f"'{written[0].name}' is the only pointer that may be written")
        return written[0]
    if not written:
        return Refusal("writes no tensor")
    named = [t for t in written if t.looks_like_output]
    if len(written) == len(tensors) and len(named) == 1 and named[0] in (tensors[0], tensors[-1]):
        evidence.say(f"nothing is const; '{named[0].name}' is named like an output", 0.85)
        return named[0]
    return Refusal(f"{len(written)} of its tensors may be written, so which one is the result is not clear")


def _wrong_arity(candidate: Candidate, inputs: list[Parameter]) -> Refusal:
    op, have, need = candidate.op, len(inputs), len(candidate.op.inputs)
    if have > need:
        return Refusal(f"fused: more tensors ({have}) than {op.name} has ({need})")
    if have == 0:
        return Refusal("works in place only, on one tensor that is both input and output")
    return Refusal(f"reads {have} tensor where {op.name} has {need}: a reduction, or a form with a scalar")


def find_count(candidate: Candidate, counts: list[Parameter], evidence: Evidence) -> Parameter | Refusal:
    """The integer that counts a function's elements."""
    named = [p for p in counts if p.looks_like_count]
    if not counts:
        return Refusal("has no element count")
    if len(counts) > 1:
        names = ", ".join(f"'{p.name}'" for p in counts)
        return Refusal(f"has several integers ({names}), of which none is certain to be the element count")
    count = counts[0]
    if "byte" in count.joined or _in_bytes(candidate.function.comment, count.name):
        return Refusal(f"'{count.name}' counts bytes, not elements")
    evidence.say(f"'{count.name}' counts the elements", 1.0 if named or not count.name else 0.8)
    return count


def _in_bytes(comment: str, name: str) -> bool:
    return bool(name and re.search(rf"\b{re.escape(name)}\b[^.;\n]{{0,40}}\bbytes\b", comment, re.I))


def _input_roles(candidate: Candidate, inputs: list[Parameter], evidence: Evidence) -> dict[int, str]:
    names = list(candidate.op.inputs)
    if len(inputs) == 2 and candidate.op.name in ("aten::sub", "aten::div"):
        first, second = inputs
        function = candidate.function
        said = exchanged(f"{candidate.op.name}.Tensor", function.name, function.comment, first.name, second.name)
        if said is None:
            said = named_roles(first.name, second.name)
            where = "its arguments' names"
        else:
            where = "its comment"
        if said is None:
            evidence.say(IN_ORDER, 0.95)
        else:
            order = f"{second.name}, {first.name}" if said else f"{first.name}, {second.name}"
            evidence.say(f"operands are {order}: {where} says so")
            if said:
                names.reverse()
    return {p.index: name for p, name in zip(inputs, names, strict=True)}


def _argument(
    candidate: Candidate,
    parameter: Parameter,
    role: str,
    dtypes: tuple[tuple[str, str], ...],
    chosen: Mapping[int, tuple[tuple[str, str], ...]],
) -> Argument:
    values = dtypes if role == "dtype" else chosen.get(parameter.index, ())
    return candidate.argument(parameter, role, values=values)
