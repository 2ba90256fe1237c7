"""Plain pointers beyond element by element: extents as integers, several outputs, index and mask operands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from torchfl.catalogue import OpSpec
from torchfl_sdk.match import attributes, draft
from torchfl_sdk.match.arguments import Parameter
from torchfl_sdk.match.draft import QUEUE, Candidate, Draft, Evidence, Refusal
from torchfl_sdk.match.dtypes import served_dtypes
from torchfl_sdk.match.extents import FORMS, IMPLIED, Form, arrays, fill
from torchfl_sdk.match.model import Argument, Call
from torchfl_sdk.match.tokens import words

#: Names of tensors, joined words, beside the role's own.
_NAMES: dict[str, frozenset[str]] = {
    role: frozenset(words(names))
    for role, names in {
        "self": "in input x src a data",
        "input": "in x src data",
        "other": "b y",
        "weight": "gamma w scale weights table",
        "bias": "beta b shift offset",
        "running_mean": "mean mu runningmean estimatedmean",
        "running_var": "var variance runningvar estimatedvariance",
        "query": "q queries",
        "key": "k keys",
        "value": "v values",
        "attn_mask": "mask bias attnbias attentionmask",
        "condition": "cond mask pred predicate",
        "mask": "m",
        "indices": "index ids idx tokens",
        "index": "indices idx ids",
        "mean": "savemean mu meanout outmean",
        "rstd": "invstd saverstd saveinvstd invvariance rstdout",
        "save_mean": "mean",
        "save_invstd": "invstd rstd",
    }.items()
}

#: What a pointer of each kind of tensor may point to ("": void).
_ELEMENTS = {"bool": ("bool", "uint8", "int8", ""), "index": ("int64",)}


def match_geometry(candidate: Candidate) -> Draft | Refusal:
    """A draft for a function over plain pointers whose extents come in one of the known forms of the op's rule."""
    op, parameters = candidate.op, candidate.parameters
    evidence = Evidence()
    forms = FORMS.get(op.shape_rule)
    if forms is None:
        return Refusal(f"{op.name} over plain pointers with sizes as arguments is not generated yet")
    if any(p.sort == "stream" for p in parameters):
        return QUEUE
    shapes = arrays(op.shape_rule, parameters)
    tensors = [p for p in parameters if p.sort == "tensor" and p not in shapes]
    rest = [p for p in parameters if p not in tensors and p.sort != "dtype"]
    strange = [p for p in rest if p.sort not in ("int", "float", "ints", "tensor")]
    if strange:
        return Refusal(f"argument '{strange[0].name}' ({strange[0].param.type.spelled}) has no meaning in {op.name}")
    roles = _tensor_roles(op, tensors, evidence)
    if isinstance(roles, Refusal):
        return roles
    carried = replace(op, attrs=tuple(a for a in op.attrs if a.name not in IMPLIED.get(op.shape_rule, ())))
    found = _extents(carried, forms, rest)
    if isinstance(found, Refusal):
        return found
    form, extents, given = found
    constraints, lacking = draft.missing_attributes(carried, given, candidate.function)
    if lacking:
        return Refusal(f"has no argument for {lacking}, which {op.name} needs")
    evidence.say("its integers are " + ", ".join(role for role in extents.values()))
    selectors = _selectors(op, [p for p in parameters if p.sort == "dtype"])
    if isinstance(selectors, Refusal):
        return selectors
    common = [t for t in tensors if _kind(op, roles[t.index]) == "common"]
    first = next((p for p in parameters if p.index in selectors), None)
    served = served_dtypes(candidate, common, first, evidence)
    if isinstance(served, Refusal):
        return served
    returned = draft.returns(candidate)
    if isinstance(returned, Refusal):
        return returned
    roles |= extents | selectors
    if len(roles) != len(parameters):
        return Refusal("not every argument has a meaning")
    first_output = len(op.outputs) > 1 and sum(r in ("out", *op.outputs) for r in roles.values()) == 1
    if first_output and op.returns_all:
        return draft.lacks_results(op)
    nullable = _nullable(candidate, roles, evidence)
    told = {roles[i] for i in nullable}
    constraints += tuple((name, (name in roles.values(),)) for name in op.optional_inputs if name not in told)
    arguments = tuple(_argument(candidate, p, roles[p.index], served.values, nullable) for p in parameters)
    call = Call(candidate.function.name, arguments, served.dtypes, served.proved, candidate.source, returned)
    aliasing = bool(op.inplace) and op.elementwise and op.output_kinds == ("common",)
    aliasing = aliasing and not any(t.param.type.restrict for t in tensors)
    return Draft(
        call,
        "pointer",
        evidence.confidence,
        tuple(evidence.sentences),
        candidate.reading.stem,
        (*constraints, *form.proves),
        (
            *draft.unverified_attributes(carried, set(given)),
            *(r for r in form.roles if r in op.variables and r != "numel"),
        ),
        inplace=aliasing,
        first_output=first_output,
    )


def _kind(op: OpSpec, role: str) -> str:
    if role == "out":
        return op.output_kinds[0]
    if role in op.outputs:
        return op.output_kinds[op.outputs.index(role)]
    return op.input_kind(role)


def _tensor_roles(op: OpSpec, tensors: Sequence[Parameter], evidence: Evidence) -> dict[int, str] | Refusal:
    """Outputs are what may be written, inputs what may not; which is which by name and element, else by place."""
    written, read = [t for t in tensors if t.written], [t for t in tensors if not t.written]
    if not written:
        return Refusal("writes no tensor")
    if len(written) not in (1, len(op.outputs)):
        return Refusal(f"{len(written)} of its tensors may be written, where {op.name} has {len(op.outputs)} results")
    outputs = _assign(op, written, ("out", *op.outputs[1:])[: len(written)], evidence)
    if isinstance(outputs, Refusal):
        return outputs
    required = [name for name in op.inputs if name not in op.optional_inputs]
    if len(read) > len(op.inputs):
        return Refusal(f"fused: more tensors ({len(read)}) than {op.name} has ({len(op.inputs)})")
    if len(read) < len(required):
        return Refusal(f"reads {len(read)} tensor{'s' * (len(read) != 1)} where {op.name} has {len(required)}")
    absent = [name for name in op.optional_inputs if not any(_named(t, name) for t in read)]
    if len(read) < len(op.inputs) and len(absent) != len(op.inputs) - len(read):
        return Refusal(f"has no argument for {' or '.join(absent or op.optional_inputs)}")
    left_out = absent if len(read) < len(op.inputs) else ()
    inputs = _assign(op, read, [name for name in op.inputs if name not in left_out], evidence)
    return inputs if isinstance(inputs, Refusal) else outputs | inputs


def _named(tensor: Parameter, role: str) -> bool:
    return tensor.joined == role.replace("_", "") or tensor.joined in _NAMES.get(role, ())


def _assign(
    op: OpSpec, tensors: Sequence[Parameter], roles: Sequence[str], evidence: Evidence
) -> dict[int, str] | Refusal:
    """Each role to the tensor that has its name, what is left in order; elements must suit the role's kind."""
    found: dict[int, str] = {}
    for role in roles:
        hit = next((t for t in tensors if t.index not in found and _named(t, role)), None)
        if hit is not None:
            found[hit.index] = role
    open_roles = [role for role in roles if role not in found.values()]
    open_tensors = [t for t in tensors if t.index not in found]
    if len(open_tensors) > 1 and len(found) < len(roles) - 2:
        return Refusal("its tensors' names do not say which is which")
    if open_tensors and len(roles) > 1:
        evidence.say("tensors taken in the order of the arguments", 0.95)
    found |= {t.index: role for t, role in zip(open_tensors, open_roles, strict=True)}
    for tensor in tensors:
        kind = _kind(op, found[tensor.index])
        narrow = _narrow(op, found[tensor.index], tensor)
        if narrow:
            evidence.say(f"'{tensor.name}' has 32 bits: indices of 64 are narrowed on the host")
        if kind in _ELEMENTS and not narrow and tensor.element not in _ELEMENTS[kind]:
            return Refusal(f"'{tensor.name}' points to {tensor.element or 'void'}, where {op.name} has {kind} elements")
    return found


def _narrow(op: OpSpec, role: str, tensor: Parameter) -> bool:
    """True for indices that the function reads in 32 bits."""
    return role in op.inputs and _kind(op, role) == "index" and tensor.element == "int32"


def _extents(
    op: OpSpec, forms: Sequence[Form], parameters: Sequence[Parameter]
) -> tuple[Form, dict[int, str], set[str]] | Refusal:
    """The form that the integers have, beside those that carry attributes; roles of both, and the attributes' names."""
    for form in forms:
        for first in (True, False):  # a name such as `dim` may be an attribute or an extent
            if first:
                assigned = attributes.assign(op, [p for p in parameters if p.sort != "tensor"])
                if isinstance(assigned, str):
                    continue
                extents = fill(form, [p for p in parameters if p.index not in assigned.roles])
            else:
                extents = fill(form, [p for p in parameters if p.sort != "float"])
                assigned = attributes.assign(op, [p for p in parameters if p.index not in (extents or {})])
                if isinstance(assigned, str):
                    continue
            if extents is not None and len(extents) + len(assigned.roles) == len(parameters):
                return form, extents | assigned.roles, assigned.names
    names = ", ".join(f"'{p.name}'" for p in parameters)
    return Refusal(f"which extents its arguments {names} are is not clear" if names else "has no extents")


def _selectors(op: OpSpec, selectors: Sequence[Parameter]) -> dict[int, str] | Refusal:
    """Type selectors: one for all tensors; a cast has one for each side."""
    if op.output_kinds == ("named",):
        if len(selectors) != 2:
            return Refusal(f"{op.name} needs to know both element types")
        reverse = any(w in ("out", "dst", "to", "dest") for w in selectors[0].words)
        first, second = ("dtype.out", "dtype.self") if reverse else ("dtype.self", "dtype.out")
        return {selectors[0].index: first, selectors[1].index: second}
    if len(selectors) > 1:
        return Refusal("selects the element type of each tensor separately")
    return {p.index: "dtype" for p in selectors}


def _nullable(candidate: Candidate, roles: dict[int, str], evidence: Evidence) -> set[int]:
    """Optional inputs that the comment allows to be NULL."""
    found: set[int] = set()
    for parameter in candidate.parameters:
        if roles[parameter.index] in candidate.op.optional_inputs and parameter.name:
            pattern = rf"\b{re.escape(parameter.name)}\b[^.]{{0,80}}\b(?:NULL|nullptr|optional)\b"
            if re.search(pattern, candidate.function.comment, re.I | re.S):
                found.add(parameter.index)
                evidence.say(f"its comment allows {parameter.name} to be NULL")
    return found


def _argument(
    candidate: Candidate, parameter: Parameter, role: str, values: tuple[tuple[str, str], ...], nullable: set[int]
) -> Argument:
    if role.split(".")[0] == "dtype":
        return candidate.argument(parameter, role, values=values)
    value = "int32" if _narrow(candidate.op, role, parameter) else ""
    return candidate.argument(parameter, role, nullable=parameter.index in nullable, value=value)
