"""Ops that one function prepares and another launches: a plan, perhaps with a workspace whose size it tells."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from torchfl_sdk.header.model import Function
from torchfl_sdk.match.handles import object_key, out_key, variable_type
from torchfl_sdk.match.recognise.parts import Part
from torchfl_sdk.match.tokens import split, words
from torchfl_sdk.scaffold.compose.composer import Composer
from torchfl_sdk.scaffold.compose.lifecycle import Lifecycle
from torchfl_sdk.scaffold.kernel_plan import NotGenerated

RUNS = frozenset(words("run execute exec launch invoke submit compute enqueue dispatch"))
_PLANS = frozenset(words("plan prepare"))
_QUERY_ENDS = ("GetWorkspaceSize", "_get_workspace_size", "WorkspaceSize", "_workspace_size")
#: Words of a function that keeps a plan for further launches, without which a launch uses it up.
_KEEPS = frozenset(words("reusable repeatable reuse repeat keep"))
_USED_UP = re.compile(
    r"\bused up\b|\bconsum\w+|\btakes? (?:it |the \w+ )?over\b|\bgives? (?:it |the \w+ )?back\b"
    r"|\b(?:frees|destroys|releases|deletes) (?:it|the|its)\b|\btakes ownership\b",
    re.IGNORECASE,
)


def place(roles: Mapping[str, str], parts: Sequence[Part]) -> Part | None:
    """The place for a plan: an executor or plan by its name, or an object that comes with a workspace's size."""
    sized = any(roles[p.name] == "workspace_size" and _written(p) for p in parts)
    wanted = ("plan", "op_out") if sized else ("plan",)
    return next((p for p in parts if roles[p.name] in wanted and out_key(p.param.type)), None)


def run(
    composer: Composer, function: Function, roles: Mapping[str, str], parts: Sequence[Part], at: Part
) -> tuple[str, ...]:
    """Write the calls of a planned op; the function that launches it. ``at``: the place for the plan."""
    code, key = composer.code, out_key(at.param.type)
    life = composer.makers.lifecycles.by_key(key)
    launch, own = _launch(composer, function, key, life)
    ctype = variable_type(at.param.type.pointee)  # type: ignore[arg-type]
    end = life.end if life else None
    size = next((p for p in parts if roles[p.name] == "workspace_size"), None)
    needs = {composer.roles(launch).get(p.name) for p in composer.makers.parts.of(launch)}
    if size is None and "workspace" in needs:
        raise NotGenerated(f"nothing says how large a workspace {launch.name} needs")
    plan = code.name("executor" if roles[at.name] == "plan" else "plan")
    composer.objects[roles[at.name]] = f"{plan}.out()"
    bytes_name = ""
    if size is not None:
        if size.param.type.pointee is None:
            raise NotGenerated("it makes a plan, but gives no workspace size")
        bytes_name = code.name("workspace_bytes")
        code.names.add("workspace")
        composer.objects["workspace_size"] = f"&{bytes_name}"
    arguments = composer.arguments(function, roles)
    if size is not None:
        code.add(f"{variable_type(size.param.type.pointee)} {bytes_name} = 0;")  # type: ignore[arg-type]
    code.names.discard(plan)
    code.own(ctype, end, plan)
    code.call(function, arguments)
    if size is not None:
        reserve(composer, bytes_name)
        composer.objects |= {"workspace": "workspace.data()", "workspace_size": bytes_name}
    composer.objects[roles[at.name]] = plan
    given = plan
    if end and (own or _uses_up(launch, life)):
        # The launch takes the plan over, so from here on it is the vendor's to give back.
        given = code.name("taken")
        code.add(f"{ctype} {given} = {plan};", f"{plan}.release();")
    launched = composer.roles(launch)
    code.call(launch, [
        given if object_key(p.param.type) == key else composer.argument(launch, p, launched.get(p.name, ""), "")
        for p in composer.makers.parts.of(launch)
    ])  # fmt: skip
    return (launch.name,)


def reserve(composer: Composer, size: str) -> None:
    """Memory for a vendor's function to work in, of as many bytes as the variable ``size`` says."""
    composer.code.add("torchfl::Workspace workspace(device::api, *call);", f"TFL_TRY(workspace.reserve({size}));")


def _written(part: Part) -> bool:
    inner = part.param.type.pointee
    return part.param.type.kind == "pointer" and inner is not None and inner.kind == "int" and not inner.const


def _launch(composer: Composer, function: Function, key: str, life: Lifecycle | None) -> tuple[Function, bool]:
    """The function that launches what another prepares, and whether it is called like that one but for its end.

    By its name without the question for the workspace or the word for plans, by its name with another verb,
    else the one function of the header that runs any plan.
    """
    stem = next((function.name.removesuffix(e) for e in _QUERY_ENDS if function.name.endswith(e)), "")
    named = composer.model.function(stem) if stem else None
    if named is not None:
        return named, True
    about = [w for w in split(function.name) if w not in _PLANS]
    bare = [u for u in (life.users if life else []) if split(u.name) == about and _only_runs(composer, u, key)]
    if bare and bare[0].name != function.name:
        return bare[0], False
    runners = [u for u in (life.users if life else []) if set(split(u.name)) & RUNS and _only_runs(composer, u, key)]
    for user in runners:
        if [w for w in split(user.name) if w not in RUNS] == about:
            return user, False
    common = [u for u in runners if not _names_an_op(composer, u)]
    if len(common) != 1:
        raise NotGenerated("no function launches what it prepares")
    return common[0], False


def _only_runs(composer: Composer, user: Function, key: str) -> bool:
    """True for a function that takes a plan, memory to work in and a queue, and no tensor."""
    parts = composer.makers.parts.of(user)
    roles = composer.roles(user)
    known = ("workspace", "workspace_size", "stream", "threadpool", "handle", "ctx")
    return all(object_key(p.param.type) == key or roles.get(p.name) in known for p in parts)


def _names_an_op(composer: Composer, user: Function) -> bool:
    """True for a function that is known to launch one op alone."""
    return user.name in composer.known


def _uses_up(launch: Function, life: Lifecycle | None) -> bool:
    """True where the header says that a plan is the vendor's once it has been launched."""
    if life is None or any(set(split(u.name)) & _KEEPS for u in life.users):
        return life is not None
    return bool(_USED_UP.search(launch.comment)) or any(_USED_UP.search(e.comment) for e in life.ends)
