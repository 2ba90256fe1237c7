"""Operators that one function makes, others shape and bind to an op's tensors, and a common one runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from torchfl_sdk.header.model import Function
from torchfl_sdk.match.handles import object_key, out_key, variable_type
from torchfl_sdk.match.recognise.parts import Part
from torchfl_sdk.match.tokens import split
from torchfl_sdk.scaffold.compose import planned, primitives
from torchfl_sdk.scaffold.compose.composer import Composer
from torchfl_sdk.scaffold.compose.extents import EXTENTS
from torchfl_sdk.scaffold.compose.state import variable
from torchfl_sdk.scaffold.kernel_plan import NotGenerated

_PREPARES = frozenset(("setup", "reshape", "prepare", "define", "bind"))


def run(composer: Composer, function: Function, roles: Mapping[str, str], parts: Sequence[Part]) -> tuple[str, ...]:
    """Write the calls of an operator that ``function`` makes, or of what a primitive is made from; what computes."""
    place = next(p for p in parts if roles[p.name] in ("op_out", "out_pd"))
    key = out_key(place.param.type)
    life = composer.makers.lifecycles.by_key(key) if key else None
    if life is None:
        raise NotGenerated(f"{place.name!r} is a place for a {place.param.type.spelled}, which is no opaque object")
    siblings = list(_siblings(composer, function, key))
    name = composer.code.name("op" if siblings else "description")
    composer.objects[roles[place.name]] = f"{name}.out()"
    arguments = composer.arguments(function, roles)
    composer.code.names.discard(name)
    composer.code.own(life.ctype, life.end, name)
    composer.code.call(function, arguments)
    composer.objects[key] = name
    runner = _runner(composer, key)
    if not siblings and runner is None:
        return primitives.run(composer, function, roles, key, name)
    composer.objects |= {"op": name, "op_out": name}
    if siblings and not _told(composer, (function, *siblings)):
        raise NotGenerated("no function tells the operator how many elements there are")
    for sibling in siblings:
        _bind(composer, sibling, key, name)
    if runner is None:
        raise NotGenerated(f"no function runs a {life.ctype}")
    composer.code.call(runner, _filled(composer, runner, key, name))
    return (runner.name,)


def _told(composer: Composer, steps: Sequence[Function]) -> bool:
    """True if some step is given extents, or tensors that know theirs."""
    return any(
        role.partition(".")[0] in EXTENTS or composer.of_objects(step)
        for step in steps
        for role in composer.roles(step).values()
    )


def _bind(composer: Composer, function: Function, key: str, name: str) -> None:
    """One step that prepares an operator: places that it fills are read by nobody, but for a workspace's size."""
    roles = composer.roles(function)
    size = ""
    for part in composer.makers.parts.of(function):
        inner = part.param.type.pointee
        if part.sort != "int_out" or inner is None or inner.kind != "int":
            continue
        if "alignment" in part.words:
            raise NotGenerated(f"{function.name} asks for a workspace of some alignment")
        place = composer.code.name(variable(part.name))
        composer.code.add(f"{variable_type(inner)} {place} = 0;")
        composer.objects[part.name] = f"&{place}"
        if roles.get(part.name) == "workspace_size":
            size = place
            composer.objects["workspace_size"] = f"&{place}"
    composer.code.call(function, _filled(composer, function, key, name))
    if size:
        composer.code.names.add("workspace")
        planned.reserve(composer, size)
        composer.objects |= {"workspace": "workspace.data()", "workspace_size": size}


def _filled(composer: Composer, function: Function, key: str, name: str) -> list[str]:
    roles = composer.roles(function)
    return [
        name
        if object_key(p.param.type) == key
        else composer.objects[p.name]
        if p.sort == "int_out" and p.name in composer.objects
        else composer.argument(function, p, roles.get(p.name, ""), "")
        for p in composer.makers.parts.of(function)
    ]


def _siblings(composer: Composer, function: Function, key: str) -> Iterator[Function]:
    """The functions that bind an operator's tensors, by the same name with another verb: reshape, then setup."""
    stem = [w for w in split(function.name) if w != "create"]
    life = composer.makers.lifecycles.by_key(key)
    found = []
    for user in life.users if life else []:
        words = split(user.name)
        if set(words) & _PREPARES and [w for w in words if w not in _PREPARES] == stem:
            found.append(user)
    yield from sorted(found, key=lambda f: "reshape" not in split(f.name))


def _runner(composer: Composer, key: str) -> Function | None:
    """The function that runs any object of this kind: it takes nothing else but a queue or threads."""
    life = composer.makers.lifecycles.by_key(key)
    for user in life.users if life else []:
        parts = composer.makers.parts.of(user)
        others = [p for p in parts if object_key(p.param.type) != key]
        alone = len(others) <= 1 and all(p.sort in ("stream", "handle") for p in others)
        if alone and set(split(user.name)) & planned.RUNS:
            return user
    return None
