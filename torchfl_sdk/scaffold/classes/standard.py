"""Arguments whose types are the C++ standard library's, and arguments that the header gives a default."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from torchfl_sdk.header.model import Function, Param
from torchfl_sdk.match.recognise.induction import read_only
from torchfl_sdk.match.recognise.parts import Part
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.classes.types import Value, value_of
from torchfl_sdk.scaffold.kernel_plan import NotGenerated

if TYPE_CHECKING:
    from torchfl_sdk.scaffold.compose.state import State

_NUMBER = re.compile(r"[-+]?(?:\d[\d.]*(?:e[-+]?\d+)?|\.\d+)[fFlLuU]*", re.IGNORECASE)
_LITERALS = frozenset(("true", "false", "nullptr", "NULL"))
#: Roles of the matcher that are attributes of the same meaning under another name.
_ATTRIBUTES = {"dims": "dim", "axis": "dim", "axes": "dim"}


def standard(state: State, function: Function, part: Part, role: str) -> str | None:
    """A list or an optional number of the op's, as C++; None for a parameter of another type.

    Raises :class:`NotGenerated` for one of these types that nothing says the meaning of and that has no default.
    """
    value = value_of(part.param.type)
    inner = value.optional or value
    if not (inner.integers or (value.optional is not None and inner.number)):
        return None
    made = _list(state, inner, role) if inner.integers else _number(state, inner, _meant(part, role))
    if made is not None:
        return made
    given = default(function, part.param)
    if given is not None:
        return given
    raise NotGenerated(f"nothing says what {function.name} should get as {part.name!r}")


def _meant(part: Part, role: str) -> str:
    """The role of a number that may be absent, else its name, which may be an attribute's."""
    return part.name if role in ("", "handle", "scalar") else role


def _list(state: State, value: Value, role: str) -> str | None:
    """A list of integers: extents, dimensions, or height and width."""
    about, _, tensor = role.partition(".")
    if about == "shape" and tensor:
        name = state.tensor(tensor)
        return f"torchfl::sizes_of<{value.text}>({name})" if name else None
    attribute = _ATTRIBUTES.get(role, role)
    if attribute in ("dim", "dims"):
        index = state.attributes.index("dim")
        index = state.attributes.index("dims") if index is None else index
        if index is None or not value.grows:
            return None
        # The result has as many elements whether or not the dimensions stay.
        state.covered |= {state.op.attrs[index].name, "keepdim"}
        return f"torchfl::dims_of<{value.text}>(call->attrs[{index}], {state.op.inputs[0]})"
    entries = state.attributes.entries(role)
    if entries is None or entries[1] is not None:
        return None
    name = entries[0]
    if state.attributes.index(name) is None:
        if name == "kernel_size":
            state.tensors.add("weight")
            return f"torchfl::ListOf<{value.text}>::make(2, [&](int64_t i) {{ return weight.sizes[2 + i]; }})"
        return None
    state.covered.add(name)
    absent = int(state.attributes.default(name)) if name in ("padding", "output_padding") else 1
    source = state.attributes.source(name)
    if name == "stride" and state.kind == "pool":  # none means the window's own
        kernel = state.attributes.index("kernel_size")
        if kernel is not None:
            source = f"{source}.kind == TFL_ATTR_NONE || {source}.count == 0 ? call->attrs[{kernel}] : {source}"
    return f"torchfl::both<{value.text}>({source}, {absent})"


def _number(state: State, value: Value, role: str) -> str | None:
    """A number that may be absent, where the op's attribute may be."""
    attribute = _ATTRIBUTES.get(role, role)
    index = state.attributes.index(attribute)
    if index is None:
        return None
    state.covered.add(attribute)
    source = f"call->attrs[{index}]"
    if value.integer:
        number = f"torchfl::integral<{value.text}>(torchfl::integer({source}, 0))"
        if attribute == "dim":
            front = f"torchfl::from_front({state.op.inputs[0]}, torchfl::integer({source}, 0))"
            number = f"torchfl::integral<{value.text}>({front})"
    else:
        number = f"static_cast<{value.text}>(torchfl::number({source}, 0))"
    kind = f"std::optional<{value.text}>"
    return f"{source}.kind == TFL_ATTR_NONE ? {kind}() : {kind}({number})"


def default(function: Function, param: Param) -> str | None:
    """A parameter's default argument, as generated code can write it; None where it has none that could be."""
    text = param.default.strip()
    if not text:
        return None
    value = value_of(param.type)
    if text in _LITERALS or _NUMBER.fullmatch(text):
        return text
    if text in ("std::nullopt", "nullopt"):
        return f"{value.text}()"
    # What is changed through a reference is the library's own object: a copy of it would be another.
    own = param.type.canonical.endswith("&") and not read_only(param.type)
    made = re.fullmatch(r"([\w:<>]*)(?:\{\s*\}|\(\s*\))", text)
    if made and not own and made[1].rpartition("::")[2] in ("", cxx.bare(value.text).rpartition("::")[2]):
        return f"{value.text}{{}}"
    if made and function.cxx and "<" not in made[1] and made[1] and not text.startswith("::"):
        return f"{_scope(function)}{text}"  # what a function gives
    if own:
        return f"{_scope(function)}{text}" if re.fullmatch(r"[A-Za-z_]\w*", text) and function.cxx else None
    if re.fullmatch(r"[A-Za-z_][\w:]*", text) and function.cxx and value.text:
        # A constant of the function's namespace or of one around it: the type says which an enumerator is of.
        name = text.rpartition("::")[2]
        if param.type.kind == "enum":
            return f"{cxx.bare(value.text)}::{name}"
        return f"static_cast<{cxx.bare(value.text)}>({_scope(function)}{text})" if "::" not in text else None
    return None


def _scope(function: Function) -> str:
    """Where a constant beside the function is declared: its outermost namespace."""
    first = function.cxx.removeprefix("::").split("::")[0]
    return f"::{first}::" if function.cxx.count("::") > 1 else ""
