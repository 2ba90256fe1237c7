"""Lists of dimensions that an op works along: as an array beside its count, or as an object that holds both."""

from __future__ import annotations

from collections.abc import Sequence

from torchfl_sdk.header.model import CType, Function
from torchfl_sdk.match.handles import object_key, variable_type
from torchfl_sdk.match.recognise.parts import Part
from torchfl_sdk.match.tokens import words
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.compose.numbers import Numbers
from torchfl_sdk.scaffold.kernel_plan import NotGenerated

_COUNTS = frozenset(words("num nb n nums count size len length rank number"))
#: Roles that a count of dimensions may have been given, by its name.
_COUNTED = ("", "dims", "rank", "count", "numel")


def given(state: Numbers, function: Function, part: Part) -> str:
    """The dimensions of the op in the form in which ``part`` takes them. Raises :class:`NotGenerated`."""
    t = part.param.type
    if (key := object_key(t)) and state.makers.lifecycles.by_key(key) is not None:
        return state.list_object(key, part, lambda element: _array(state, element))
    if part.sort == "int":
        beside = _array_beside(state, function, part)
        if beside is None:
            raise NotGenerated(f"{part.name!r} of {function.name} takes one dimension, and {state.op.name} has several")
        assert beside.param.type.pointee is not None
        return cxx.integer(t.spelled, _array(state, beside.param.type.pointee)[1])
    if t.pointee is None or t.pointee.kind != "int":
        raise NotGenerated(f"{part.name!r} of {function.name} is a {t.spelled}, which nothing fills")
    if not _counted(state, function, part) and not (state.op.shape_rule == "permute" and state.of_objects(function)):
        raise NotGenerated(f"{part.name!r} of {function.name} has no count beside it")
    return _array(state, t.pointee)[0]


def counts(state: Numbers, function: Function, part: Part, role: str) -> bool:
    """True for an integer that says how many dimensions the list beside it has."""
    return part.sort == "int" and role in _COUNTED and _array_beside(state, function, part) is not None


def _array(state: Numbers, element: CType) -> tuple[str, str]:
    """(an array of the op's dimensions, their number), as C++; declared once."""
    ctype = variable_type(element)
    mark = f"dims {ctype}"
    if state.op.shape_rule == "layer_norm":  # its tensors are described by rows and columns
        if mark not in state.objects:
            name = state.objects[mark] = state.code.name("normalized")
            const = "const " if element.const else ""
            state.code.add(f"{const}{ctype} {name}[] = {{{cxx.integer(ctype, 'columns')}}};")
        return state.objects[mark], "1"
    if mark not in state.objects:
        attribute = next((a.name for a in state.op.attrs if a.name in ("dim", "dims")), "")
        if not attribute:
            raise NotGenerated(f"{state.op.name} works along no dimensions of its own")
        state.covered.add(attribute)
        name = state.objects[mark] = state.code.name("along")
        fill = "order" if state.op.shape_rule == "permute" else "among"
        why = cxx.string("dimensions that the tensor does not have")
        state.code.add(
            f"torchfl::Dims<{ctype}> {name};",
            f"if (!{name}.{fill}({state.op.inputs[0]}, {state.attributes.source(attribute)})) "
            f"return torchfl::unsupported({why});",
        )
    return f"{state.objects[mark]}.values", f"{state.objects[mark]}.count"


def _array_beside(state: Numbers, function: Function, part: Part) -> Part | None:
    roles = state.roles(function)
    parts = state.makers.parts.of(function)
    return next((p for p in _neighbours(parts, part) if roles[p.name] == "dims" and _is_array(p)), None)


def _counted(state: Numbers, function: Function, part: Part) -> bool:
    roles = state.roles(function)
    beside = _neighbours(state.makers.parts.of(function), part)
    return any(p.sort == "int" and (roles[p.name] in _COUNTED or set(p.words) & _COUNTS) for p in beside)


def _neighbours(parts: Sequence[Part], part: Part) -> list[Part]:
    return [p for p in parts if abs(p.index - part.index) == 1]


def _is_array(part: Part) -> bool:
    t = part.param.type
    return t.kind in ("pointer", "array") and t.pointee is not None and t.pointee.kind == "int"
