"""Functions some of whose arguments carry nothing of an op, and those that serve a part of one.

The scaffold's styles ask for them after the matcher's own bindings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from torchfl.catalogue import OpSpec
from torchfl_sdk.header.model import Function, HeaderModel
from torchfl_sdk.match.arguments import Parameters
from torchfl_sdk.match.draft import Candidate, Draft, Refusal
from torchfl_sdk.match.families import bind
from torchfl_sdk.match.finder import CERTAIN, Finder
from torchfl_sdk.match.matcher import header_prefixes
from torchfl_sdk.match.model import Argument, Binding, MatchResult, OpMatch
from torchfl_sdk.match.parts import part_ops
from torchfl_sdk.match.standins import Seen
from torchfl_sdk.match.tokens import readings


def match_beside(
    model: HeaderModel,
    result: MatchResult,
    ops: Sequence[OpSpec],
    beside: Mapping[str, Mapping[int, str]],
    stands: Mapping[str, Mapping[int, Seen]],
) -> tuple[list[Binding], dict[str, str]]:
    """Bindings of functions some of whose arguments carry nothing of an op, and why each other function has none.

    ``beside``: function -> the places of those arguments, with the roles that they get in the calls. The styles see
    the function without them. ``stands``: function -> the places of arguments that stand for a tensor's memory, with
    the pointers that the styles see instead.
    """
    prefix = header_prefixes(model)
    finder = Finder(model, ops, result.status, prefix)
    drafts: dict[str, list[tuple[OpSpec, Draft]]] = {}
    reasons: dict[str, str] = {}
    for function in model.functions:
        roles, seen = beside.get(function.name, {}), stands.get(function.name, {})
        if not roles and not seen:
            continue
        plain = _plain(function, roles, seen)
        found = finder.decide(plain)
        if isinstance(found, Refusal):
            found = finder.recognised(plain, [m for m in result.matches if m.function == function.name], found)
        if isinstance(found, Refusal):
            reasons[function.name] = found.reason
        else:
            drafts[function.name] = [(op, _with_arguments(draft, function, roles, seen)) for op, draft in found]
    bindings, served = bind(drafts, prefix)
    return bindings, reasons | served


def match_parts_beside(
    model: HeaderModel,
    result: MatchResult,
    matches: Mapping[str, Sequence[OpMatch]],
    beside: Mapping[str, Mapping[int, str]],
    stands: Mapping[str, Mapping[int, Seen]],
) -> tuple[list[Binding], dict[str, str]]:
    """The same for functions that serve a part of an op's calls; ``matches``: function -> what it computes."""
    prefix = header_prefixes(model)
    parameters = Parameters(model)
    drafts: dict[str, list[tuple[OpSpec, Draft]]] = {}
    reasons: dict[str, str] = {}
    for function in model.functions:
        roles, seen = beside.get(function.name, {}), stands.get(function.name, {})
        plain = _plain(function, roles, seen)
        named = list(readings(function.name, prefix))
        reading = next((r for r in named if r.dtype and not r.letter), named[0])
        for found in matches.get(function.name, ()):
            for op, style in part_ops(found) if found.confidence >= CERTAIN else ():
                drafted = style(Candidate(model, result.status, plain, op, reading, parameters.of(plain)))
                if isinstance(drafted, Refusal):
                    reasons.setdefault(function.name, drafted.reason)
                elif drafted.confidence >= CERTAIN:
                    drafts.setdefault(function.name, []).append((op, _with_arguments(drafted, function, roles, seen)))
    bindings, served = bind(drafts, prefix)
    reasons = {name: reason for name, reason in reasons.items() if name not in drafts}
    return bindings, reasons | served


def _plain(function: Function, roles: Mapping[int, str], seen: Mapping[int, Seen]) -> Function:
    params = (replace(p, type=seen[i].type) if i in seen else p for i, p in enumerate(function.params))
    return replace(function, params=tuple(p for i, p in enumerate(params) if i not in roles))


def _with_arguments(draft: Draft, function: Function, roles: Mapping[int, str], seen: Mapping[int, Seen]) -> Draft:
    arguments = list(draft.call.arguments)
    for i in sorted(roles):
        param = function.params[i]
        arguments.insert(i, Argument(param.name or f"arg{i}", param.type.spelled, roles[i]))
    for i, one in seen.items():
        arguments[i] = one.stands.passed(arguments[i], function.params[i].type.spelled)
    return replace(draft, call=replace(draft.call, arguments=tuple(arguments)))
