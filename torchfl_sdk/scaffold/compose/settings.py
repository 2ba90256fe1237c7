"""Booleans and small numbers that choose how an op is computed: as PyTorch means it, or as a call's attributes say."""

from __future__ import annotations

import re

from torchfl_sdk.header.model import Function
from torchfl_sdk.match.recognise.parts import Part
from torchfl_sdk.match.tokens import split
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.compose import choose
from torchfl_sdk.scaffold.compose.numbers import SPATIAL, Numbers
from torchfl_sdk.scaffold.compose.state import State

#: Attributes that are yes or no, by the matcher's roles.
_FLAGS = ("ceil_mode", "count_include_pad")
_PADS = ("countincludepad", "includepad", "countpadding")
_KEEPS = ("keep", "keepdim", "keepdims", "keepdimension", "keepdimensions", "keepaxis", "keepaxes", "retaindims")
#: ``0: full precision``, ``1 = may use half``, ``0 keep``: what a comment says that a number means.
_MEANING = re.compile(r"(?<![\w.-])(\d+)\s*(?:[:=-]\s*|\s)([A-Za-z][^,;.\n]*)")


def setting(state: Numbers, function: Function, part: Part, role: str) -> str:
    """What the op gives to an argument that switches something; "" where nothing tells."""
    if part.sort not in ("bool", "int"):
        return ""
    attributes = state.attributes
    if (role == "keepdim" or part.joined in _KEEPS) and state.kind in ("reduce", "arg_reduce"):
        return _constant(part, True)  # the result is described with its dimensions of one
    if role.startswith("trans.") or ("transposed" in part.words and attributes.index("transposed") is not None):
        return _constant(part, False)  # what is transposed is another call
    if role in _FLAGS and attributes.index(role) is not None:
        state.covered.add(role)
        return _switched(part, f"torchfl::integer({attributes.source(role)}, {int(attributes.default(role))}) != 0")
    if (
        (role in _FLAGS or part.joined in _PADS)
        and state.kind == "pool"
        and attributes.index("count_include_pad") is None
    ):
        return _constant(part, False)  # of maxima, which no padding takes part in
    if "tanh" in part.words and attributes.index("approximate") is not None:
        state.covered.add("approximate")
        return _switched(part, f"torchfl::integer({attributes.source('approximate')}, 0) != 0")
    if part.sort == "int" and role == "" and state.kind in ("conv", "pool") and part.joined in SPATIAL:
        return "2"  # images
    if part.joined == "unbiased" and attributes.index("correction") is not None:
        return _unbiased(state, part)
    named = next((a for a in state.op.attrs if a.name == part.name and a.kind in ("int", "bool")), None)
    if role == "" and named is not None:
        state.covered.add(named.name)
        if part.sort == "bool" or named.kind == "bool":
            return _switched(part, f"torchfl::integer({attributes.source(named.name)}, 0) != 0")
        return state.integer(part, f"torchfl::integer({attributes.source(named.name)}, 0)", named.name)
    if part.sort == "int" and role == "":
        return _documented(state, function, part)
    return ""


def _unbiased(state: Numbers, part: Part) -> str:
    """Bessel's correction or none, which are the corrections that a vendor has who asks for yes or no."""
    correction = f"torchfl::number({state.attributes.source('correction')}, 1)"
    why = cxx.string("a correction other than none and one")
    state.code.add(f"if ({correction} != 0 && {correction} != 1) return torchfl::unsupported({why});")
    state.covered.add("correction")
    return _switched(part, f"{correction} == 1")


def _constant(part: Part, value: bool) -> str:
    return ("true" if value else "false") if part.sort == "bool" else str(int(value))


def _switched(part: Part, condition: str) -> str:
    return condition if part.sort == "bool" else cxx.integer(part.param.type.spelled, f"({condition})")


def _documented(state: State, function: Function, part: Part) -> str:
    """The number that a comment says is the precise or ordinary way; a function whose own comment is silent follows
    what the header says of the same argument elsewhere."""
    same = (f for f in state.model.functions if f is not function and any(p.name == part.name for p in f.params))
    for other in (function, *same):
        at = re.search(rf"\b{re.escape(part.name)}\b", other.comment)
        if at is None:
            continue
        said = {frozenset(split(text.replace(" ", "_"))): number for number, text in
                _MEANING.findall(other.comment[at.end() :])}  # fmt: skip
        for wanted in choose.preferred(part.name):
            number = next((n for words, n in said.items() if set(wanted.split()) <= words), "")
            if number:
                return number
    return ""
