"""Functions whose op the recogniser found: one draft for each op, by the styles of functions that have one op.

Where an argument chooses among ops, the styles see the function without it; the constant that chooses the op takes its
place in the call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from torchfl import catalogue
from torchfl.catalogue import OpSpec
from torchfl_sdk.match.arguments import Parameter
from torchfl_sdk.match.draft import Candidate, Draft, Refusal
from torchfl_sdk.match.model import OpMatch

Style = Callable[[Candidate], Draft | Refusal]


def chosen(
    matches: Sequence[OpMatch], candidate: Callable[[OpSpec], Candidate], style: Style
) -> Iterator[tuple[OpSpec, Draft | Refusal]]:
    """Each catalogue op of a function's matches, with its draft or the reason against one: of a match that nothing
    chooses, the first of its ops and alternatives that a style takes."""
    for match in (m for m in matches if not m.constants):
        others = [spec_of(replace(match, aten=name)) for name in match.alternatives]
        tries = [(op, style(candidate(op))) for op in dict.fromkeys([spec_of(match), *others]) if op is not None]
        best = next((t for t in tries if isinstance(t[1], Draft)), next(iter(tries), None))
        if best is not None:
            op, draft = best
            yield (
                op,
                replace(draft, confidence=min(draft.confidence, match.confidence))
                if isinstance(draft, Draft)
                else draft,
            )
    tried: list[tuple[OpSpec, Candidate, dict[int, str], OpMatch]] = []
    for match in (m for m in matches if m.constants):
        op_or_none = spec_of(match)
        if op_or_none is None:
            continue
        whole = candidate(op_or_none)
        fixed = _fixed(whole.parameters, match)
        if fixed:
            tried.append((op_or_none, whole, fixed, match))
    found = [_without(whole, fixed, match, style) for _, whole, fixed, match in tried]
    named = _attributes_of(found)
    for (op, whole, fixed, match), draft in zip(tried, found, strict=True):
        if isinstance(draft, Refusal):
            # a number for other ops of the same function: activation(KIND_RELU, x, y, n, slope)
            spare = {p.index: "0" for p in whole.parameters if p.sort == "float" and p.name in named}
            again = _without(whole, fixed | spare, match, style) if spare else draft
            if isinstance(again, Draft):
                names = ", ".join(f"'{whole.parameters[i].name}'" for i in spare)
                draft = replace(again, evidence=(*again.evidence, f"{names} is for other ops: 0 is passed"))
        yield op, draft


def spec_of(match: OpMatch) -> OpSpec | None:
    """The catalogue's op of a match."""
    return catalogue.get(match.aten) or catalogue.by_overload(match.aten)


def _fixed(parameters: Sequence[Parameter], match: OpMatch) -> dict[int, str]:
    """The parameters that choose, with their constants; none where a constant goes elsewhere, into a descriptor."""
    places = {p.name: p.index for p in parameters if p.sort in ("enum", "int") and p.name}
    if any(name not in places for name, _ in match.constants):
        return {}
    return {places[name]: constant for name, constant in match.constants}


def _attributes_of(found: Sequence[Draft | Refusal]) -> set[str]:
    """The arguments that carry a number of some op."""
    roles = {"numel", "constant", "dtype", "out"}
    return {a.name for d in found if isinstance(d, Draft) for a in d.call.arguments if a.role not in roles and a.name}


def _without(whole: Candidate, fixed: dict[int, str], match: OpMatch, style: Style) -> Draft | Refusal:
    left = tuple(p for p in whole.parameters if p.index not in fixed)
    draft = style(replace(whole, parameters=left))
    if isinstance(draft, Refusal):
        return draft
    arguments = list(draft.call.arguments)
    for index in sorted(fixed):
        arguments.insert(index, whole.argument(whole.parameters[index], "constant", value=fixed[index]))
    said = tuple(f"{constant} for '{name}' chooses it" for name, constant in match.constants)
    return replace(
        draft,
        call=replace(draft.call, arguments=tuple(arguments)),
        evidence=(*draft.evidence, *said),
        confidence=min(draft.confidence, match.confidence),
    )
