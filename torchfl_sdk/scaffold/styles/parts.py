"""Functions over plain pointers that serve a part of an op's calls, for ops that no other style serves: a number in a
tensor's place, one row that is added, two dimensions alone; with a handle or a queue beside them or without."""

from __future__ import annotations

from collections.abc import Iterator

from torchfl_sdk.match.beside import match_parts_beside
from torchfl_sdk.scaffold.kernel_plan import NotGenerated
from torchfl_sdk.scaffold.styles.contexts import Contexts
from torchfl_sdk.scaffold.styles.ground import Extra, Ground, Lacking


def plan(ground: Ground) -> Iterator[Extra | Lacking]:
    """A kernel for each such op."""
    contexts = Contexts(ground, plain=True)
    bindings, reasons = match_parts_beside(
        ground.model, ground.match, contexts.matches, contexts.beside, contexts.stands
    )
    for name, why in reasons.items():
        yield from (Lacking(match, why) for match in contexts.matches[name])
    for binding in bindings:
        matches = tuple(m for call in binding.calls for m in contexts.matches[call.function])
        if binding.op in ground.served:
            why = f"another function serves {binding.op} as a whole"
            yield from (Lacking(match, why) for match in matches)
            continue
        try:
            yield contexts.kernel(binding, matches)
        except NotGenerated as e:
            yield from (Lacking(match, str(e)) for match in matches)
