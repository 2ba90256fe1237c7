"""The styles in the order in which they are asked: an op goes to the first that can serve it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from torchfl_sdk.scaffold.styles import blas, buffers, contexts, handles, objects, operations, parts, view_products
from torchfl_sdk.scaffold.styles.ground import Extra, Ground, Lacking

Planner = Callable[[Ground], Iterable[Extra | Lacking]]

#: One line per style.
PLANNERS: tuple[Planner, ...] = (
    contexts.plan,
    blas.plan,
    buffers.plan,
    handles.plan,
    contexts.plan_matrices,
    view_products.plan,
    objects.plan,
    operations.plan,
    parts.plan,
    blas.plan_parts,
)  # fmt: skip


def plan_styles(ground: Ground) -> tuple[tuple[Extra, ...], tuple[Lacking, ...]]:
    """Every kernel that a style makes, one per op, and the matches that a style looked at in vain."""
    extras: list[Extra] = []
    lacking: list[Lacking] = []
    for planner in PLANNERS:
        for outcome in planner(ground):
            if isinstance(outcome, Lacking):
                lacking.append(outcome)
            elif outcome.kernel.op not in ground.served:
                extras.append(outcome)
                served = ground.served | {outcome.kernel.op}
                ground = replace(ground, served=served, products=ground.products + outcome.products)
    return tuple(extras), tuple(lacking)
