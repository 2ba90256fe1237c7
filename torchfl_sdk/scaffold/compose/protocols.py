"""The ways in which vendors' objects come to compute: in one call, in two, as an operator, as a primitive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from torchfl_sdk.header.model import Function
from torchfl_sdk.match.recognise.parts import Part
from torchfl_sdk.scaffold.classes.arguments import result_of, write_returned
from torchfl_sdk.scaffold.compose import norms, operators, planned, primitives, workspace
from torchfl_sdk.scaffold.compose.bias import add_bias
from torchfl_sdk.scaffold.compose.composer import Composer
from torchfl_sdk.scaffold.kernel_plan import NotGenerated


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
    size = workspace.names(composer, roles)
    arguments = composer.arguments(function, roles)
    if size:
        workspace.query(composer, function, dict(zip((p.name for p in parts), arguments, strict=True)), size)
    composer.code.call(function, arguments)
    return (function.name, *add_bias(composer))
