"""Shapes of products by their extents, for every rule of a contraction but convolution."""

from __future__ import annotations

from collections.abc import Mapping

Shape = tuple[int, ...]

PRODUCTS = ("mm", "addmm", "bmm", "baddbmm", "mv", "addmv", "addr", "dot")

#: Those whose first input is added to the product.
ADDING = ("addmm", "baddbmm", "addmv", "addr")


def product_shapes(rule: str, extents: Mapping[str, int]) -> tuple[Shape, ...]:
    """Input shapes for ``batch``, ``M``, ``K``, ``N``; what is added has the result's shape."""
    b, m, k, n = (extents.get(name, 1) for name in ("batch", "M", "K", "N"))
    return {
        "mm": ((m, k), (k, n)),
        "addmm": ((m, n), (m, k), (k, n)),
        "bmm": ((b, m, k), (b, k, n)),
        "baddbmm": ((b, m, n), (b, m, k), (b, k, n)),
        "mv": ((m, k), (k,)),
        "addmv": ((m,), (m, k), (k,)),
        "addr": ((m, n), (m,), (n,)),
        "dot": ((k,), (k,)),
    }[rule]


def product_extents(rule: str, shapes: list[Shape]) -> dict[str, int]:
    """The inverse: the extents of a call."""
    left, right = shapes[-2], shapes[-1]
    if rule == "addr":
        return {"M": left[0], "N": right[0]}
    if rule == "dot":
        return {"K": left[0]}
    found = {"M": left[-2], "K": left[-1]}
    if rule not in ("mv", "addmv"):
        found["N"] = right[-1]
    if rule in ("bmm", "baddbmm"):
        found["batch"] = left[0]
    return found


def product_output(rule: str, shapes: list[Shape]) -> Shape:
    """The result's shape."""
    left, right = shapes[-2], shapes[-1]
    if rule == "addr":
        return (left[0], right[0])
    if rule == "dot":
        return ()
    return left[:-1] if rule in ("mv", "addmv") else (*left[:-1], right[-1])
