"""Plain pointers beyond element by element: extents as integers, several outputs, index and mask operands."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from torchfl.catalogue import OpSpec
from torchfl_sdk.match import attributes, draft
from torchfl_sdk.match.arguments import Parameter
from torchfl_sdk.match.attributes import Assigned
from torchfl_sdk.match.draft import QUEUE, Candidate, Draft, Evidence, Refusal
from torchfl_sdk.match.dtypes import served_dtypes
from torchfl_sdk.match.extents import FORMS, IMPLIED, Form, arrays, fill
from torchfl_sdk.match.flags import transpose_flag
from torchfl_sdk.match.model import Argument, Call
from torchfl_sdk.match.recast import converted, kind_of, misfit
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


#: Names of the lower and of the upper bound of what clamps the result.
_BOUND = re.compile(r"[a-z]*?(?:(lo|low|lower|min)|hi|high|upper|max)[a-z]*")
#: Words of a switch, and what it may switch on that is no part of an op.
_SWITCHES = frozenset(words("if is has have use using uses with do does fuse fused apply enable en"))
_FURTHER = frozenset(words("relu relu6 activation act log tanh sigmoid gelu clamp"))


def match_geometry(candidate: Candidate, rule: str = "") -> Draft | Refusal:
    """A draft for a function over plain pointers whose extents come in one of the known forms of the op's rule, or of
    another that is named."""
    op, parameters = candidate.op, candidate.parameters
    evidence = Evidence()
    rule = rule or op.shape_rule
    forms = FORMS.get(rule)
    if forms is None:
        return Refusal(f"{op.name} over plain pointers with sizes as arguments is not generated yet")
    if any(p.sort == "stream" for p in parameters):
        return QUEUE
    shapes = arrays(rule, parameters)
    tensors = [p for p in parameters if p.sort == "tensor" and p not in shapes]
    rest = [p for p in parameters if p not in tensors and p.sort != "dtype"]
    strange = [p for p in rest if p.sort not in ("int", "float", "ints", "tensor", "enum")]
    if strange:
        return Refusal(f"argument '{strange[0].name}' ({strange[0].param.type.spelled}) has no meaning in {op.name}")
    roles = _tensor_roles(op, tensors, evidence)
    if isinstance(roles, Refusal):
        return roles
    spare = _of_other_ops(candidate, rest) | not_transposed(candidate, rest) | switched_off(op, rest)
    presence = _presence(op, rest, roles)
    rest = [p for p in rest if p.index not in spare and p.index not in presence]
    found = _extents(candidate, rule, forms, rest)
    if isinstance(found, Refusal):
        return found
    form, extents, assigned = found
    given = assigned.names
    said = IMPLIED.get(rule, frozenset())
    carried = replace(op, attrs=tuple(a for a in op.attrs if a.name not in said))
    constraints, lacking = draft.missing_attributes(carried, given, candidate.function)
    if lacking:
        return Refusal(f"has no argument for {lacking}, which {op.name} needs")
    if op.shape_rule == "bmm" and draft.said_order(candidate.function.comment) == (False, True):
        # A column-major product is the row-major product of the operands exchanged.
        evidence.say("its comment says column-major")
        left, right = op.inputs
        turned = {left: right, right: left, "M": "N", "N": "M"}
        roles = {i: turned.get(role, role) for i, role in roles.items()}
        extents = {i: turned.get(role, role) for i, role in extents.items()}
    evidence.say("its integers are " + ", ".join(role for role in extents.values()))
    selectors = _selectors(op, [p for p in parameters if p.sort == "dtype"])
    if isinstance(selectors, Refusal):
        return selectors
    common = [t for t in tensors if kind_of(op, roles[t.index]) == "common"]
    first = next((p for p in parameters if p.index in selectors), None)
    served = served_dtypes(candidate, common, first, evidence)
    if isinstance(served, Refusal):
        return served
    returned = draft.returns(candidate)
    if isinstance(returned, Refusal):
        return returned
    roles |= extents | selectors | dict.fromkeys(spare, "constant") | presence
    if len(roles) != len(parameters):
        return Refusal("not every argument has a meaning")
    first_output = len(op.outputs) > 1 and sum(r in ("out", *op.outputs) for r in roles.values()) == 1
    if first_output and op.returns_all:
        return draft.lacks_results(op)
    nullable = _nullable(candidate, roles, evidence)
    nullable |= {i for i, role in roles.items() if f"has.{role}" in presence.values()}
    told = {roles[i] for i in nullable}
    constraints += tuple((name, (name in roles.values(),)) for name in op.optional_inputs if name not in told)
    values = dict.fromkeys(selectors, served.values) | assigned.values
    arguments = tuple(
        candidate.argument(p, "constant", value=spare[p.index])
        if p.index in spare
        else _argument(candidate, p, roles[p.index], values, nullable)
        for p in parameters
    )
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
    absent = [name for name in op.optional_inputs if not any(named(t, name) for t in read)]
    if len(read) < len(op.inputs) and len(absent) != len(op.inputs) - len(read):
        return Refusal(f"has no argument for {' or '.join(absent or op.optional_inputs)}")
    left_out = absent if len(read) < len(op.inputs) else ()
    inputs = _assign(op, read, [name for name in op.inputs if name not in left_out], evidence)
    return inputs if isinstance(inputs, Refusal) else outputs | inputs


def named(tensor: Parameter, role: str) -> bool:
    """True for a tensor that has a role's name, or one that vendors have for it."""
    return tensor.joined == role.replace("_", "") or tensor.joined in _NAMES.get(role, ())


def _assign(
    op: OpSpec, tensors: Sequence[Parameter], roles: Sequence[str], evidence: Evidence
) -> dict[int, str] | Refusal:
    """Each role to the tensor that has its name, what is left in order; elements must suit the role's kind."""
    found: dict[int, str] = {}
    for role in roles:
        hit = next((t for t in tensors if t.index not in found and named(t, role)), None)
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
        role = found[tensor.index]
        trouble = misfit(op, role, tensor)
        if trouble:
            return Refusal(trouble)
        element = converted(op, role, tensor)
        if element:
            own = "int64" if kind_of(op, role) == "index" else "bool"
            evidence.say(f"'{tensor.name}' is {element}: PyTorch's {own} is converted on the host")
    return found


def _extents(
    candidate: Candidate, rule: str, forms: Sequence[Form], parameters: Sequence[Parameter]
) -> tuple[Form, dict[int, str], Assigned] | Refusal:
    """The form that the integers have, beside those that carry attributes; the roles of both, and those attributes.

    A truth value that follows from the extents, as whether a dimension stays, may be passed all the same."""
    said = IMPLIED.get(rule, frozenset())
    op = replace(candidate.op, attrs=tuple(a for a in candidate.op.attrs if a.name not in said or a.kind == "bool"))
    enums = candidate.model.enums
    for form in forms:
        for first in (True, False):  # a name such as `dim` may be an attribute or an extent
            if first:
                assigned = attributes.assign(op, [p for p in parameters if p.sort != "tensor"], enums=enums)
                if isinstance(assigned, str):
                    continue
                extents = fill(form, [p for p in parameters if p.index not in assigned.roles])
            else:
                extents = fill(form, [p for p in parameters if p.sort != "float"])
                left = [p for p in parameters if p.index not in (extents or {})]
                assigned = attributes.assign(op, left, enums=enums)
                if isinstance(assigned, str):
                    continue
            if extents is not None and len(extents) + len(assigned.roles) == len(parameters):
                return form, extents | assigned.roles, assigned
    names = ", ".join(f"'{p.name}'" for p in parameters)
    return Refusal(f"which extents its arguments {names} are is not clear" if names else "has no extents")


def not_transposed(candidate: Candidate, parameters: Sequence[Parameter]) -> dict[int, str]:
    """The transpose flags of a product over dense matrices, which get the constant for no."""
    flags = parameters if candidate.op.shape_rule in ("bmm", "mm") else ()
    found = {p.index: transpose_flag(p, candidate.model.enums) for p in flags}
    return {index: constant for index, constant in found.items() if constant}


def switched_off(op: OpSpec, parameters: Sequence[Parameter]) -> dict[int, str]:
    """The switches of further ops that a function may do with its own, ``with_relu``, which get 0, and the bounds and
    factors of such, with which these change nothing."""
    own = set(op.name.removeprefix("aten::").split("_"))
    found = {}
    for p in parameters:
        named = set(p.words)
        if p.sort == "int" and named & _SWITCHES and (further := named & _FURTHER) and not further & own:
            found[p.index] = "0"
        elif p.sort == "int" and op.name.endswith("softmax") and p.joined in ("log", "islog", "uselog", "takelog"):
            found[p.index] = "1" if "log" in own else "0"
        elif p.sort == "float" and op.name.endswith("softmax") and p.joined in ("beta", "scale", "temperature"):
            found[p.index] = "1"
        elif p.sort == "float" and (sign := _BOUND.fullmatch(p.joined)) and named & {"clamp", "activation", "act"}:
            found[p.index] = f"{'-' if sign[1] else ''}std::numeric_limits<float>::infinity()"
    return found


def _presence(op: OpSpec, parameters: Sequence[Parameter], roles: Mapping[int, str]) -> dict[int, str]:
    """The flags that say whether an optional tensor is there, ``has_bias``, by their place."""
    present = {name for name in op.optional_inputs if name in roles.values()}
    return {
        p.index: f"has.{name}"
        for p in parameters
        for name in present
        if p.sort == "int"
        and set(p.words) & _SWITCHES
        and set(p.words) - _SWITCHES == {name} | (set(p.words) & {"term"})
    }


def _of_other_ops(candidate: Candidate, parameters: Sequence[Parameter]) -> dict[int, str]:
    """The fields of a struct of sizes that are attributes of other ops alone, with what these compute without them."""
    packed = candidate.function.packed
    own = {name for a in candidate.op.attrs for name in attributes.spellings(a)}
    if packed is None:
        return {}
    found = {}
    for p in parameters:
        usual = attributes.without(p.joined)
        if p.name in packed.names and p.sort == "int" and usual and not attributes.heads(p.joined) & own:
            found[p.index] = usual
    return found


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
    candidate: Candidate,
    parameter: Parameter,
    role: str,
    values: Mapping[int, tuple[tuple[str, str], ...]],
    nullable: set[int],
) -> Argument:
    is_tensor = role == "out" or role in (*candidate.op.inputs, *candidate.op.outputs)
    return candidate.argument(
        parameter,
        role,
        nullable=parameter.index in nullable,
        value=converted(candidate.op, role, parameter) if is_tensor else "",
        values=values.get(parameter.index, ()),
    )
