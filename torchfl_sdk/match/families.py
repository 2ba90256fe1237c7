"""Groups drafts into bindings: functions that differ only in element type are one vendor op."""

from __future__ import annotations

import re
from collections import defaultdict

from torchfl.catalogue import OpSpec
from torchfl_sdk.match.casts import Pair, combined, every, pair_of, way
from torchfl_sdk.match.draft import Draft
from torchfl_sdk.match.model import Binding, Call
from torchfl_sdk.match.tokens import Prefixes, prefix_of

_Key = tuple[str, str, str, tuple[tuple[str, tuple[int | float | str, ...]], ...], bool]


def bind(drafts: dict[str, list[tuple[OpSpec, Draft]]], prefix: Prefixes) -> tuple[list[Binding], dict[str, str]]:
    """One binding per op, from the family of functions that serves it best; and why each other function is left out.

    ``drafts``: function -> the ops it may serve.
    """
    families: dict[str, dict[_Key, list[Draft]]] = defaultdict(lambda: defaultdict(list))
    for pairs in drafts.values():
        for op, draft in pairs:
            stem = "" if draft.call.results else draft.stem.lower()  # a cast's name says both types
            key = (stem, draft.style, draft.layout, draft.constraints, draft.inplace)
            families[op.name][key].append(draft)
    bindings: list[Binding] = []
    used: set[str] = set()
    reasons: dict[str, str] = {}
    shared = _shared_functions(drafts)
    for op_name, groups in families.items():
        best = max(groups.values(), key=_worth)
        calls, rejected = _calls(best)
        binding = _binding(op_name, best, calls, prefix, shared)
        bindings.append(binding)
        used |= {call.function for call in calls}
        for draft, by in rejected:
            dtypes = ", ".join(draft.call.dtypes)
            own = f"{op_name} has fewer casts of which every combination is served where it is among them"
            reason = own if by == draft.call.function else f"{op_name} for {dtypes} is served by {by}"
            reasons.setdefault(draft.call.function, reason)
        for members in groups.values():
            for draft in members if members is not best else ():
                reasons.setdefault(draft.call.function, f"{op_name} is served by {calls[0].function}")
    return bindings, {name: reason for name, reason in reasons.items() if name not in used}


def _shared_functions(drafts: dict[str, list[tuple[OpSpec, Draft]]]) -> set[str]:
    """Functions that serve more than one op: their kernels need a name per op."""
    return {name for name, pairs in drafts.items() if len(pairs) > 1}


def _worth(members: list[Draft]) -> tuple[float, int, int]:
    """Sureness, then how many dtypes, then how little is refused."""
    return max(d.confidence for d in members), len(_dtypes(members)), -len(members[0].constraints)


def _dtypes(members: list[Draft]) -> set[str]:
    return {dtype for draft in members for dtype in draft.call.dtypes}


def _calls(members: list[Draft]) -> tuple[list[Call], list[tuple[Draft, str]]]:
    """Calls whose dtypes do not overlap, surest first then in header order; and the drafts that lost a dtype."""
    if members[0].call.results:
        return _casts(members)
    owner: dict[str, str] = {}
    calls: list[Call] = []
    rejected: list[tuple[Draft, str]] = []
    for draft in sorted(members, key=lambda d: -d.confidence):
        clash = next((owner[d] for d in draft.call.dtypes if d in owner), "")
        if clash:
            rejected.append((draft, clash))
            continue
        owner |= dict.fromkeys(draft.call.dtypes, draft.call.function)
        calls.append(draft.call)
    return sorted(calls, key=lambda c: (c.source.file, c.source.line)), rejected


def _casts(members: list[Draft]) -> tuple[list[Call], list[tuple[Draft, str]]]:
    """The casts of which every combination is served, and the drafts that are none of them."""
    owner: dict[Pair, Draft] = {}
    for draft in sorted(members, key=lambda d: -d.confidence):
        owner.setdefault(pair_of(draft.call), draft)
    used = {pair for asked in every(combined(owner)) for pair in way(asked, owner) or ()}
    calls = [owner[pair].call for pair in used]
    rejected = [(d, owner[pair_of(d.call)].call.function) for d in members if d.call not in calls]
    return sorted(calls, key=lambda c: (c.source.file, c.source.line)), rejected


def _binding(op: str, members: list[Draft], calls: list[Call], prefix: Prefixes, shared: set[str]) -> Binding:
    kept = [d for d in members if d.call in calls]
    first = kept[0]
    sentences = [
        f"the name {calls[0].function} reads as {op.removeprefix('aten::')}",
        *(s for d in kept for s in d.evidence),
    ]
    if len(calls) > 1:
        sentences.append(f"{len(calls)} functions that differ in element type: {', '.join(c.function for c in calls)}")
    sentences += [f"{c.source.file}:{c.source.line}" for c in calls]
    constraints = first.constraints
    if first.call.results:
        dtypes, targets = combined({pair_of(c) for c in calls})
        constraints += (("dtype", targets),) if set(targets) != set(dtypes) else ()
        sentences.append(f"casts to {', '.join(targets)}")
    return Binding(
        op=op,
        impl=_impl(op, first, prefix, any(c.function in shared for c in calls)),
        style=first.style,
        calls=tuple(calls),
        evidence=tuple(dict.fromkeys(sentences)),
        confidence=round(min(d.confidence for d in kept), 3),
        constraints=constraints,
        unverified=first.unverified,
        layout=first.layout,
        inplace=first.inplace,
        first_output=first.first_output,
        int8_zero_point=max(d.int8_zero_point for d in kept),
    )


def _impl(op: str, draft: Draft, prefix: Prefixes, shared: bool) -> str:
    """The kernel's name: the function without its element type, or prefix and op where one function serves several."""
    if not shared and not draft.call.results:
        return re.sub(r"\W", "_", draft.stem)
    return "_".join([*prefix_of(draft.call.function, prefix), op.removeprefix("aten::").lstrip("_")])
