"""Joining tensors over plain pointers: an array of addresses with one of sizes, or two tensors with a size each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from torchfl_sdk.match import draft
from torchfl_sdk.match.arguments import Parameter
from torchfl_sdk.match.draft import QUEUE, Candidate, Draft, Evidence, Refusal
from torchfl_sdk.match.dtypes import served_dtypes
from torchfl_sdk.match.elements import element_dtype
from torchfl_sdk.match.extents import Form, fill
from torchfl_sdk.match.model import Call
from torchfl_sdk.match.tokens import split, words

_DEVICE = frozenset(words("d dev device gpu"))
_SIZES = frozenset(words("sizes widths lengths lens dims extents counts cols columns channels insizes inputsizes ns"))
#: What tells the sizes of two tensors apart.
_PAIRS = frozenset(
    zip(words("a x 0 1 lhs left first src1 in1 input1"), words("b y 1 2 rhs right second src2 in2 input2"), strict=True)
)
_FORMS = (
    Form(("count", "outer", "inner")), Form(("count", "outer")), Form(("count", "inner")), Form(("count",)),
)  # fmt: skip
_FORMS_OF_TWO = (Form(("outer", "inner")), Form(("outer",)), Form(("inner",)), Form(()))


def match_list(candidate: Candidate) -> Draft | Refusal:
    """A draft of aten::cat."""
    evidence = Evidence()
    if any(p.sort == "stream" for p in candidate.parameters):
        return QUEUE
    addresses = [p for p in candidate.parameters if _element(p) is not None]
    if len(addresses) == 1:
        return _of_addresses(candidate, addresses[0], evidence)
    tensors = [p for p in candidate.parameters if p.sort == "tensor"]
    if not addresses and len(tensors) == 3:
        return _of_two(candidate, tensors, evidence)
    return Refusal("reads a list, and the function takes neither an array of addresses nor two tensors")


def _element(parameter: Parameter) -> str | None:
    """The element type behind an array of addresses that is read; None for anything else."""
    inner = parameter.param.type.pointee
    if parameter.param.type.aliases or inner is None or inner.kind != "pointer" or inner.pointee is None:
        return None
    return element_dtype(inner.pointee)


def _of_addresses(candidate: Candidate, listed: Parameter, evidence: Evidence) -> Draft | Refusal:
    rest = [p for p in candidate.parameters if p is not listed]
    sizes = [p for p in rest if p.sort in ("tensor", "ints") and not p.written and p.joined in _SIZES]
    outputs = [p for p in rest if p.sort == "tensor" and p.written]
    if len(sizes) != 1 or len(outputs) != 1:
        return Refusal("has no array of sizes beside its array of addresses, or more than one result")
    if sizes[0].sort == "tensor" and sizes[0].element not in ("int32", "int64", "uint32", "uint64"):
        return Refusal(f"'{sizes[0].name}' holds no integers")
    integers = [p for p in rest if p not in sizes and p not in outputs and p.sort == "int"]
    roles = {listed.index: f"list.{candidate.op.inputs[0]}", sizes[0].index: "widths", outputs[0].index: "out"}
    tensors = [outputs[0], replace(outputs[0], element=_element(listed) or "")]
    values = {p.index: "device" for p in (listed, sizes[0]) if _on_device(p)}
    for p in (listed, sizes[0]):
        evidence.say(f"'{p.name}' is taken for an array in {'device' if p.index in values else 'host'} memory", 0.95)
    return _drafted(candidate, roles, values, integers, _FORMS, tensors, evidence)


def _of_two(candidate: Candidate, tensors: Sequence[Parameter], evidence: Evidence) -> Draft | Refusal:
    read, written = [t for t in tensors if not t.written], [t for t in tensors if t.written]
    if len(read) != 2 or len(written) != 1:
        return Refusal("does not join two tensors to a third")
    integers = [p for p in candidate.parameters if p.sort == "int"]
    pair = next(((a, b) for i, a in enumerate(integers) for b in integers[i + 1 :] if _alike(a.name, b.name)), None)
    if pair is None:
        return Refusal("has no size for each of its two tensors")
    evidence.say("joins two tensors and no more", 0.85)
    roles = {written[0].index: "out"} | {p.index: f"item.{i}" for i, p in enumerate(read)}
    roles |= {p.index: f"width.{i}" for i, p in enumerate(pair)}
    left = [p for p in integers if p not in pair]
    found = _drafted(candidate, roles, {}, left, _FORMS_OF_TWO, tensors, evidence)
    if isinstance(found, Refusal):
        return found
    return replace(found, constraints=(*found.constraints, ("count", (2,))), unverified=(*found.unverified, "count"))


def _alike(first: str, second: str) -> bool:
    """True for names that differ in what tells two tensors apart: ``cols0``, ``cols1``; ``a_size``, ``b_size``."""
    a, b = split(first), split(second)
    pieces = [(x, y) for x, y in zip(a, b, strict=True) if x != y] if len(a) == len(b) > 1 else []
    if len(first) == len(second) > 1:
        letters = [(x, y) for x, y in zip(first.lower(), second.lower(), strict=True) if x != y]
        pieces = letters if len(letters) == 1 else pieces
    return len(pieces) == 1 and pieces[0] in _PAIRS


def _on_device(parameter: Parameter) -> bool:
    """Whether a name marks the array itself as device memory: ``d_inputs``."""
    found = split(parameter.name)
    return len(found) > 1 and found[0] in _DEVICE


def _drafted(
    candidate: Candidate,
    roles: dict[int, str],
    values: dict[int, str],
    integers: Sequence[Parameter],
    forms: Sequence[Form],
    tensors: Sequence[Parameter],
    evidence: Evidence,
) -> Draft | Refusal:
    """The draft, if what is left are the extents of a form."""
    form, extents = next(((f, found) for f in forms if (found := fill(f, integers)) is not None), (None, None))
    if form is None or extents is None:
        names = ", ".join(f"'{p.name}'" for p in integers)
        return Refusal(f"which extents its arguments {names} are is not clear")
    roles |= extents
    selector = next((p for p in candidate.parameters if p.sort == "dtype"), None)
    roles |= {selector.index: "dtype"} if selector is not None else {}
    if len(roles) != len(candidate.parameters):
        strange = next(p for p in candidate.parameters if p.index not in roles)
        return Refusal(f"argument '{strange.name}' ({strange.param.type.spelled}) has no meaning in aten::cat")
    served = served_dtypes(candidate, tensors, selector, evidence)
    if isinstance(served, Refusal):
        return served
    returned = draft.returns(candidate)
    if isinstance(returned, Refusal):
        return returned
    # Without the elements inside the dimension each tensor's share is told as a whole.
    unit = "extent" if "inner" in form.roles else "width"
    limits = tuple((name, (1,)) for name in ("outer",) if name not in form.roles)
    arguments = tuple(
        candidate.argument(
            p,
            roles[p.index],
            value=unit if roles[p.index].startswith("width.") else values.get(p.index, ""),
            values=(("unit", unit),) if roles[p.index] == "widths" else served.values if p is selector else (),
        )
        for p in candidate.parameters
    )
    call = Call(candidate.function.name, arguments, served.dtypes, False, candidate.source, returned)
    said = tuple(evidence.sentences)
    return Draft(call, "pointer", evidence.confidence, said, candidate.reading.stem, limits, ("outer",))
