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
from torchfl_sdk.match.tokens import readings


def match_beside(
    model: HeaderModel, result: MatchResult, ops: Sequence[OpSpec], beside: Mapping[str, Mapping[int, str]]
) -> tuple[list[Binding], dict[str, str]]:
    """Bindings of functions some of whose arguments carry nothing of an op, and why each other function has none.

    ``beside``: function -> the places of those arguments, with the roles that they get in the calls. The styles see
    the function without them.
    """
    prefix = header_prefixes(model)
    finder = Finder(model, ops, result.status, prefix)
    drafts: dict[str, list[tuple[OpSpec, Draft]]] = {}
    reasons: dict[str, str] = {}
    for function in model.functions:
        roles = beside.get(function.name)
        if not roles:
            continue
        plain = replace(function, params=tuple(p for i, p in enumerate(function.params) if i not in roles))
        found = finder.decide(plain)
        if isinstance(found, Refusal):
            found = finder.recognised(plain, [m for m in result.matches if m.function == function.name], found)
        if isinstance(found, Refusal):
            reasons[function.name] = found.reason
        else:
            drafts[function.name] = [(op, _with_arguments(draft, function, roles)) for op, draft in found]
    bindings, served = bind(drafts, prefix)
    return bindings, reasons | served


def match_parts_beside(
    model: HeaderModel,
    result: MatchResult,
    matches: Mapping[str, Sequence[OpMatch]],
    beside: Mapping[str, Mapping[int, str]],
) -> tuple[list[Binding], dict[str, str]]:
    """The same for functions that serve a part of an op's calls; ``matches``: function -> what it computes."""
    prefix = header_prefixes(model)
    parameters = Parameters(model)
    drafts: dict[str, list[tuple[OpSpec, Draft]]] = {}
    reasons: dict[str, str] = {}
    for function in model.functions:
        roles = beside.get(function.name, {})
        plain = replace(function, params=tuple(p for i, p in enumerate(function.params) if i not in roles))
        named = list(readings(function.name, prefix))
        reading = next((r for r in named if r.dtype and not r.letter), named[0])
        for found in matches.get(function.name, ()):
            for op, style in part_ops(found) if found.confidence >= CERTAIN else ():
                drafted = style(Candidate(model, result.status, plain, op, reading, parameters.of(plain)))
                if isinstance(drafted, Refusal):
                    reasons.setdefault(function.name, drafted.reason)
                elif drafted.confidence >= CERTAIN:
                    drafts.setdefault(function.name, []).append((op, _with_arguments(drafted, function, roles)))
    bindings, served = bind(drafts, prefix)
    reasons = {name: reason for name, reason in reasons.items() if name not in drafts}
    return bindings, reasons | served


def _with_arguments(draft: Draft, function: Function, roles: Mapping[int, str]) -> Draft:
    arguments = list(draft.call.arguments)
    for i in sorted(roles):
        param = function.params[i]
        arguments.insert(i, Argument(param.name or f"arg{i}", param.type.spelled, roles[i]))
    return replace(draft, call=replace(draft.call, arguments=tuple(arguments)))
