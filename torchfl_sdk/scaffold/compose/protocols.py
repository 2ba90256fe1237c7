"""The ways in which vendors' objects come to compute: in one call, in two, as an operator, as a primitive."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from torchfl_sdk.header.model import Function
from torchfl_sdk.match.handles import object_key, out_key, variable_type
from torchfl_sdk.match.recognise.parts import Part
from torchfl_sdk.match.tokens import split
from torchfl_sdk.scaffold.compose import norms, planned, primitives
from torchfl_sdk.scaffold.compose.bias import add_bias
from torchfl_sdk.scaffold.compose.composer import Composer
from torchfl_sdk.scaffold.kernel_plan import NotGenerated

#: Letters that verbs and their nouns have in common.
_STEM = 5
_PREPARES = frozenset(("setup", "reshape", "prepare", "define", "bind"))


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
        return _object(composer, function, roles, parts)
    if "plan" in named and "output" not in named:
        raise NotGenerated("it launches what another function prepares for this op")
    if "op" in named:
        raise NotGenerated("it takes an operator that another function creates for this op")
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
    own = set(split(function.name)) - {"forward", "fwd", "tensor"}
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


def _has(words: Sequence[str], word: str) -> bool:
    """True if a word is there, perhaps as a noun: ``reduce`` and ``reduction``."""
    return word in words or (len(word) > _STEM and any(w[:_STEM] == word[:_STEM] for w in words))


def _asks(function: Function) -> bool:
    joined = "".join(split(function.name))
    return "workspacesize" in joined or "buffersize" in joined


def _base(name: str) -> str:
    return "".join(w for w in split(name) if w not in ("desc", "descriptor", "dest"))


def _object(composer: Composer, function: Function, roles: Mapping[str, str], parts: Sequence[Part]) -> tuple[str, ...]:
    """The function makes an object: an operator that is set up and run, or what a primitive is made from."""
    place = next(p for p in parts if roles[p.name] in ("op_out", "out_pd"))
    key = out_key(place.param.type)
    life = composer.makers.lifecycles.by_key(key) if key else None
    if life is None:
        raise NotGenerated(f"{place.name!r} is a place for a {place.param.type.spelled}, which is no opaque object")
    siblings = list(_siblings(composer, function, key))
    arguments_at = composer.objects
    name = composer.code.name("op" if siblings else "description")
    arguments_at[roles[place.name]] = f"{name}.out()"
    arguments = composer.arguments(function, roles)
    composer.code.names.discard(name)
    composer.code.own(life.ctype, life.end, name)
    composer.code.call(function, arguments)
    composer.objects[key] = name
    if not siblings and _runner(composer, key) is None:
        return primitives.run(composer, function, roles, key, name)
    composer.objects |= {"op": name, "op_out": name}
    for sibling in siblings:
        composer.code.call(sibling, _filled(composer, sibling, key, name))
    runner = _runner(composer, key)
    if runner is None:
        raise NotGenerated(f"no function runs a {life.ctype}")
    composer.code.call(runner, _filled(composer, runner, key, name))
    return (runner.name,)


def _filled(composer: Composer, function: Function, key: str, name: str) -> list[str]:
    roles = composer.roles(function)
    return [
        name if object_key(p.param.type) == key else composer.argument(function, p, roles.get(p.name, ""), "")
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
        if (
            set(split(user.name)) & planned.RUNS
            and len(others) <= 1
            and all(p.sort in ("stream", "handle") for p in others)
        ):
            return user
    return None
