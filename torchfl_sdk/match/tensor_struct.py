"""The tensor-struct style: every tensor is a struct with data, sizes and element type; attributes come beside them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from torchfl.catalogue import OpSpec
from torchfl_sdk.match import attributes, draft
from torchfl_sdk.match.arguments import Parameter
from torchfl_sdk.match.draft import QUEUE, Candidate, Draft, Evidence, Refusal
from torchfl_sdk.match.extents import IMPLIED, Form, fill
from torchfl_sdk.match.geometry import named, not_transposed, switched_off
from torchfl_sdk.match.model import Argument, Call, StructLayout
from torchfl_sdk.match.operands import named_roles
from torchfl_sdk.match.pointer import find_output
from torchfl_sdk.match.recognise.order import exchanged

#: Rules whose tensors a struct describes completely, and whose attributes come beside it.
_RULES = ("broadcast", "same", "mm", "addmm", "bmm", "mv", "dot", "conv", "pool", "adaptive_pool", "batch_norm", "cat",
          "along_dim", "reduce", "layer_norm", "permute")  # fmt: skip
#: How the dimensions come beside tensors whose shapes their structs say: with an array their number.
_DIMENSIONS: dict[str, tuple[Form, ...]] = {
    "along_dim": (Form(("dim",)), Form((), (("inner", (1,)),))),
    "reduce": (Form(("dims", "num_dims")), Form(("dim",), (("spans", (1,)),))),
    "permute": (Form(("perm",), more=("rank",)),),
    "layer_norm": (Form(()), Form(("dim",))),  # from it on, or it alone: of rows these are the same
}

#: Parameter names of an op's inputs, joined words, beside the role's own name.
_INPUT_NAMES: dict[str, tuple[str, ...]] = {
    "input": ("in", "x", "src", "inputtensor", "feature", "data"),
    "weight": ("w", "weights", "filter", "filters", "kernel", "wei"),
    "bias": ("b", "biases"),
    "mat1": ("a",),
    "mat2": ("b",),
}
_INTEGERS = ("int32", "int64", "uint32", "uint64")
_OF_LAYERS = frozenset({"bias", "biases", "weight", "weights", "filter", "filters", "kernel"})


def match_tensor_struct(candidate: Candidate) -> Draft | Refusal:
    """A draft for a function whose tensors are all one recognised struct."""
    op, parameters = candidate.op, candidate.parameters
    evidence = Evidence()
    if op.shape_rule not in _RULES or {*(k for _, k in op.input_kinds), op.output_kinds[0]} - {"common", "bool"}:
        return Refusal(f"{op.name} over tensor structs is not generated yet")
    tensors = [p for p in parameters if p.sort == "struct"]
    layouts = {p.layout for p in tensors}
    if len(layouts) != 1:
        return Refusal("mixes two kinds of tensor struct")
    if op.returns_all:
        return draft.lacks_results(op)
    layout = tensors[0].layout
    assert layout is not None
    evidence.say(f"its tensors are {layout.struct}")
    output = find_output(tensors, evidence)
    if isinstance(output, Refusal):
        output = _output_by_order(candidate, tensors, evidence) or output
    if isinstance(output, Refusal):
        return output
    read = [t for t in tensors if t is not output]
    roles = _list_roles(candidate, read) if op.list_input else _input_roles(candidate, read, evidence)
    if isinstance(roles, Refusal):
        return roles
    if "bool" in (op.output_kinds[0], *(k for _, k in op.input_kinds)) and "bool" not in dict(layout.dtype_values):
        return Refusal(f"{layout.struct} has no truth values, which {op.name} has")
    spare = switched_off(op, parameters) | not_transposed(candidate, parameters)
    parameters = tuple(p for p in parameters if p.index not in spare)
    available = {d for d, _ in layout.dtype_values if d in op.dtypes} or {candidate.reading.dtype}
    zeros, shifted = draft.zero_points(parameters, available)
    zeros |= spare
    parameters = tuple(p for p in parameters if p.index not in zeros)
    carried = replace(
        op, attrs=tuple(a for a in op.attrs if a.name not in IMPLIED.get(op.shape_rule, ()) or a.kind == "bool")
    )
    assigned = attributes.assign(carried, [p for p in parameters if p.sort != "struct" and p.index not in roles])
    if isinstance(assigned, str):
        return Refusal(assigned)
    dimensions = _dimensions(op, [p for p in parameters if p.sort != "struct" and p.index not in assigned.roles])
    if isinstance(dimensions, Refusal):
        return dimensions
    form, placed = dimensions
    roles |= placed
    keeps = replace(carried, attrs=tuple(a for a in carried.attrs if a.name != "keepdim"))  # the result's shape says it
    constraints, lacking = draft.missing_attributes(keeps, assigned.names, candidate.function)
    if lacking:
        return Refusal(f"has no argument for {lacking}, which {op.name} needs")
    constraints += form.proves
    roles |= {output.index: "out", **assigned.roles}
    for parameter in parameters:
        if parameter.index not in roles:
            return QUEUE if parameter.sort == "stream" else _strange(candidate, parameter)
    if any(p.sort in ("ints", "tensor") for p in parameters) and _width_first(candidate.function.comment):
        return Refusal("its comment puts the width before the height in stride, padding and dilation")
    served = _dtypes(candidate, layout, evidence)
    if isinstance(served, Refusal):
        return served
    returned = draft.returns(candidate)
    if isinstance(returned, Refusal):
        return returned
    dtypes, proved = served
    nullable = _nullable(candidate, roles, evidence)
    arguments = tuple(
        candidate.argument(p, "constant", value=zeros[p.index])
        if p.index in zeros
        else _argument(candidate, p, roles[p.index], nullable)
        for p in candidate.parameters
    )
    if zeros:
        evidence.say(f"zero points of {shifted} make its values PyTorch's")
    for name, values in constraints:
        evidence.say(f"no argument for {name}: computes with {values[0]}")
    return Draft(
        Call(candidate.function.name, arguments, dtypes, proved, candidate.source, returned),
        "tensor_struct",
        evidence.confidence,
        tuple(evidence.sentences),
        candidate.reading.stem,
        constraints,
        draft.unverified_attributes(op, assigned.names),
        first_output=len(op.outputs) > 1,
        int8_zero_point=shifted,
    )


def _output_by_order(candidate: Candidate, tensors: Sequence[Parameter], evidence: Evidence) -> Parameter | None:
    """The result among structs that are all const, or all copies, which says nothing of the memory that they point to:
    by the place that results have in the header's functions."""
    copies = all(t.layout is not None and t.layout.by_value for t in tensors)
    if not copies and any(t.written for t in tensors):
        return None
    rest = [t for t in tensors if t.joined != "d"]
    sources = len(rest) == len(tensors) - 1 and any(t.joined.rstrip("0123456789") in ("s", "src") for t in rest)
    said = candidate.roles
    found = [t for t in tensors if (t not in rest if sources else said.get(t.name) == "output")]
    if len(found) != 1:
        return None
    evidence.say(f"'{found[0].name}' stands where the header's results do", 0.9)
    return found[0]


def _dimensions(op: OpSpec, left: Sequence[Parameter]) -> tuple[Form, dict[int, str]] | Refusal:
    """How the dimensions that an op works along are told, by what is left of the arguments."""
    forms = _DIMENSIONS.get(op.shape_rule)
    if forms is None:
        return Form(()), {}
    numbers = [p for p in left if p.sort in ("int", "ints") or (p.sort == "tensor" and p.element in _INTEGERS)]
    for form in forms:
        found = fill(form, numbers)
        if found is not None:
            return form, found
    names = ", ".join(f"'{p.name}'" for p in numbers)
    return Refusal(f"which dimensions {names} say is not clear" if names else "does not say along which dimensions")


def _list_roles(candidate: Candidate, tensors: list[Parameter]) -> dict[int, str] | Refusal:
    """An array of structs with its length, and the dimension."""
    integers = [p for p in candidate.parameters if p.sort == "int"]
    if len(tensors) != 1 or tensors[0].param.type.kind not in ("pointer", "array"):
        return Refusal(f"{candidate.op.name} reads a list, and the function no array of tensor structs")
    roles = {tensors[0].index: f"list.{candidate.op.inputs[0]}"}
    for role in ("dim", "count"):
        found = fill(Form((role,)), [p for p in integers if p.index not in roles][:1]) or next(
            (f for p in integers if p.index not in roles and (f := fill(Form((role,)), [p]))), None
        )
        if found is None:
            return Refusal(f"has no argument for the {'dimension' if role == 'dim' else 'number of tensors'}")
        roles |= found
    return roles


def _input_roles(candidate: Candidate, inputs: list[Parameter], evidence: Evidence) -> dict[int, str] | Refusal:
    op = candidate.op
    if len(inputs) > len(op.inputs):
        return Refusal(f"fused: more tensors ({len(inputs)}) than {op.name} has ({len(op.inputs)})")
    required = [name for name in op.inputs if name not in op.optional_inputs]
    if len(inputs) < len(required):
        return Refusal(f"reads {len(inputs)} tensors where {op.name} has {len(required)}")
    if op.shape_rule in ("mm", "addmm") and any(p.joined in _OF_LAYERS for p in inputs):
        return Refusal("a layer: its weight has an output to a row, which is no operand of a product as it lies")
    roles: dict[int, str] = {}
    for name in op.inputs:
        spellings = {name.replace("_", ""), *_INPUT_NAMES.get(name, ())}
        open_ = [p for p in inputs if p.index not in roles]
        hit = next((p for p in open_ if p.joined in spellings), None) or next(
            (p for p in open_ if named(p, name)), None
        )
        if hit is not None:
            roles[hit.index] = name
    if len(roles) == len(inputs) and len(inputs) > 1:
        evidence.say("its inputs are named " + ", ".join(f"'{p.name}'" for p in inputs))
        return roles if set(required) <= set(roles.values()) else Refusal(f"lacks an input that {op.name} has")
    if len(inputs) not in (len(required), len(op.inputs)):
        return Refusal("its arguments' names do not say which input is missing")
    if len(inputs) > 3:
        return Refusal("its tensors' names do not say which is which")
    names = list(op.inputs if len(inputs) == len(op.inputs) else required)
    if len(inputs) == 2 and op.name in ("aten::sub", "aten::div"):
        first, second = inputs
        function = candidate.function
        said = exchanged(f"{op.name}.Tensor", function.name, function.comment, first.name, second.name)
        said = named_roles(first.name, second.name) if said is None else said
        if said:
            names.reverse()
            evidence.say(f"operands are {second.name}, {first.name}: the header says so")
    evidence.say("inputs taken in the order of the arguments", 1.0 if len(inputs) < 3 else 0.85)
    return {p.index: name for p, name in zip(inputs, names, strict=True)}


def _strange(candidate: Candidate, parameter: Parameter) -> Refusal:
    what = f"'{parameter.name}' ({parameter.param.type.spelled})"
    if parameter.sort == "opaque":
        return Refusal(f"needs {what}, a descriptor or handle that other functions create")
    return Refusal(f"argument {what} has no meaning in {candidate.op.name}")


def _dtypes(candidate: Candidate, layout: StructLayout, evidence: Evidence) -> tuple[tuple[str, ...], bool] | Refusal:
    op, reading = candidate.op, candidate.reading
    if reading.dtype == "complex":
        return Refusal("complex dtype: torchfl has no complex dtype")
    available = [dtype for dtype, _ in layout.dtype_values if dtype in op.dtypes]
    if reading.dtype:
        available = [dtype for dtype in available if dtype == reading.dtype]
    if not available:
        return Refusal(f"no element type of {layout.struct} is one that {op.name} has")
    evidence.say(f"'{layout.dtype}' in {layout.struct} says the element type")
    return tuple(available), False


def _nullable(candidate: Candidate, roles: dict[int, str], evidence: Evidence) -> set[int]:
    """Optional inputs that the comment allows to be NULL."""
    found: set[int] = set()
    for parameter in candidate.parameters:
        optional = roles.get(parameter.index) in candidate.op.optional_inputs and parameter.param.type.kind == "pointer"
        if optional and parameter.name:
            pattern = rf"\b{re.escape(parameter.name)}\b[^.;]{{0,60}}\b(?:NULL|nullptr|optional)\b"
            if re.search(pattern, candidate.function.comment, re.I):
                found.add(parameter.index)
                evidence.say(f"its comment allows {parameter.name} to be NULL")
    return found


def _width_first(comment: str) -> bool:
    return bool(re.search(r"[{(\[]\s*w(?:idth)?\s*,\s*h(?:eight)?\s*[})\]]", comment, re.I))


def _argument(candidate: Candidate, parameter: Parameter, role: str, nullable: set[int]) -> Argument:
    return candidate.argument(parameter, role, fields=parameter.layout, nullable=parameter.index in nullable)
