"""The ways in which vendors' objects come to compute: in one call, in two, as an operator, as a primitive."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from torchfl_sdk.header.model import Function
from torchfl_sdk.match.handles import variable_type
from torchfl_sdk.match.recognise.parts import Part
from torchfl_sdk.match.tokens import split
from torchfl_sdk.scaffold.classes.arguments import result_of, write_returned
from torchfl_sdk.scaffold.compose import choose, norms, operators, planned, primitives
from torchfl_sdk.scaffold.compose.bias import add_bias
from torchfl_sdk.scaffold.compose.composer import Composer
from torchfl_sdk.scaffold.kernel_plan import NotGenerated

#: Letters that verbs and their nouns have in common.
_STEM = 5
#: How functions are called that say how much memory another one works in.
_SIZE = re.compile(r"(?:workspace|workbuffer|scratch(?:pad|space|buffer)?|buffer|temp(?:storage|buffer))(?:size|bytes)")
_VERSION = re.compile(r"v\d+")


def write(composer: Composer, function: Function) -> tuple[str, ...]:
    """Write the kernel's calls; the vendor functions among them that compute. Raises :class:`NotGenerated`."""
    norms.rows_and_columns(composer)
    roles = composer.roles(function)
    named = set(roles.values())
    parts = composer.makers.parts.of(function)
    if "out_desc" in named:
        return primitives.describe(composer, function, roles, parts)
    if (place := planned.place(roles, parts)) is not None:
        return planned.run(composer, function, roles, parts, place)
    if "op_out" in named or "out_pd" in named:
        return operators.run(composer, function, roles, parts)
    if "plan" in named and "output" not in named:
        raise NotGenerated("it launches what another function prepares for this op")
    if "op" in named:
        raise NotGenerated("it takes an operator that another function creates for this op")
    if result_of(composer, function) is not None:
        return write_returned(composer, function, roles)
    if "output" in named:
        return _direct(composer, function, roles, parts)
    raise NotGenerated("nothing is written by it, and it makes nothing that could be run")


def _direct(composer: Composer, function: Function, roles: Mapping[str, str], parts: Sequence[Part]) -> tuple[str, ...]:
    workspace = _workspace(composer, roles)
    arguments = composer.arguments(function, roles)
    if workspace:
        _query(composer, function, dict(zip((p.name for p in parts), arguments, strict=True)), workspace)
    composer.code.call(function, arguments)
    return (function.name, *add_bias(composer))


def _workspace(composer: Composer, roles: Mapping[str, str]) -> str:
    """Names for the workspace's size and memory, if the function takes one; the name of the size."""
    if "workspace" not in roles.values():
        return ""
    bytes_name = composer.code.name("workspace_bytes")
    composer.code.names.add("workspace")
    composer.objects["workspace"], composer.objects["workspace_size"] = "workspace.data()", bytes_name
    return bytes_name


def _query(composer: Composer, function: Function, given: Mapping[str, str], size: str) -> None:
    """Ask how large the workspace must be, by the function that is named after this one, and reserve it."""
    own = {w for w in split(function.name) if not _VERSION.fullmatch(w)} - {"forward", "fwd", "tensor"}
    named = [f for f in composer.model.functions if _asks(f) and all(_has(split(f.name), w) for w in own)]
    query = min(named, key=lambda f: len(split(f.name)), default=None)
    if query is None:
        raise NotGenerated("nothing says how large its workspace must be")
    arguments = []
    by_base = {_base(name): text for name, text in given.items()}
    place = None
    for p in composer.makers.parts.of(query):
        t = p.param.type
        if t.kind == "pointer" and t.pointee is not None and t.pointee.kind == "int" and not t.pointee.const:
            place = t.pointee
            arguments.append(f"&{size}")
        elif constant := _selected(composer, p):
            arguments.append(constant)
        elif p.name in given or _base(p.name) in by_base:
            arguments.append(given.get(p.name) or by_base[_base(p.name)])
        else:
            role = composer.roles(query).get(p.name, "")
            arguments.append(composer.argument(query, p, role, ""))
    if place is None:
        raise NotGenerated(f"{query.name} gives no size")
    composer.code.add(f"{variable_type(place)} {size} = 0;")
    composer.code.call(query, arguments)
    planned.reserve(composer, size)


def _selected(composer: Composer, part: Part) -> str:
    """The constant that makes the function compute this op, where a question takes it beside the object with it."""
    return next(
        (constant for name, constant in composer.constants.items() if name.rpartition(": ")[2] == part.name
         and constant in choose.constants(composer.model, part.param.type)), "",
    )  # fmt: skip


def _has(words: Sequence[str], word: str) -> bool:
    """True if a word is there, perhaps as a noun: ``reduce`` and ``reduction``."""
    return word in words or (len(word) > _STEM and any(w[:_STEM] == word[:_STEM] for w in words))


def _asks(function: Function) -> bool:
    return bool(_SIZE.search("".join(split(function.name))))


def _base(name: str) -> str:
    return "".join(w for w in split(name) if w not in ("desc", "descriptor", "dest"))
