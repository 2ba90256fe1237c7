"""C++ for tensors that a vendor's structs describe under other extents than PyTorch's: dimensions that lie next to each
other as one, one image as a batch of one.

What a function over structs does not take is thereby served, as it is where the extents are arguments of their own. The
views stand in ``torchfl/views.hpp``.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field

from torchfl.catalogue import OpSpec

_APART = 'return torchfl::unsupported("the dimensions lie apart");'
_NOT_LAST = 'return torchfl::unsupported("not over the last dimensions");'


@dataclass(frozen=True)
class Shapes:
    """``setup``: C++ lines; ``seen``: tensor -> the expression that stands for it in a struct; ``expressions``: role ->
    an int64_t expression, where the view changes it; ``checks``: when a call is refused, and why; ``lines``: role
    -> C++ lines behind those that find the argument."""

    setup: tuple[str, ...] = ()
    seen: Mapping[str, str] = field(default_factory=dict)
    expressions: Mapping[str, str] = field(default_factory=dict)
    checks: tuple[tuple[str, str], ...] = ()
    lines: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def shapes(op: OpSpec, roles: Set[str], *, nhwc: bool) -> Shapes:
    """The views of an op's tensors, by the roles that the call's arguments have. ``nhwc``: images have their channels
    innermost, and nothing but whole images is laid so."""
    attr = {a.name: f"call->attrs[{i}]" for i, a in enumerate(op.attrs)}
    first, rule = op.inputs[0], op.shape_rule
    if rule == "reduce" and roles & {"dim", "dims"} and not nhwc:
        keep = f"torchfl::integer({attr['keepdim']}, 0) != 0" if "keepdim" in attr else "false"
        seen = {first: "along_one.from()", "out": "along_one.to()"}
        made, to_one = f"torchfl::AlongOne along_one({first}, out);", f"!along_one.set({attr['dim']}, {keep})) {_APART}"
        if "dim" in roles:
            return Shapes((made, f"if ({to_one}"), seen, {"dim": "along_one.dim()"})
        # Of several dimensions it takes a list; a result without any is given one all the same.
        lone = "if (out.rank == 0) reduced[0] = along_one.dim(), num_reduced = 1;"
        setup = (made, f"if (out.rank == 0 && {to_one}")
        return Shapes(setup, seen, lines=dict.fromkeys(("dims", "num_dims"), (lone,)))
    if rule == "layer_norm":
        count = f"{attr['normalized_shape']}.count"
        rows = (
            "int64_t rows = 0, cols = 0;",
            f"if (!torchfl::rows_and_cols({first}, {count}, &rows, &cols)) {_NOT_LAST}",
        )
        return _reshaped(
            "" if "dim" in roles else f"{count} > 1",
            {first: "rows, cols", "out": "rows, cols"}
            | dict.fromkeys((i for i in op.inputs[1:] if i in roles), "cols"),
            rows,
            {"dim": "1"},
        )
    if rule in ("pool", "adaptive_pool"):
        if nhwc:
            return Shapes(checks=((f"{first}.rank != 4", "not a batch of images"),))
        return _reshaped(f"{first}.rank == 3", {t: f"1, {_sizes(t, 3)}" for t in (first, "out")})
    if rule == "batch_norm" and not nhwc:
        spatial = f"torchfl::per_channel({first}.rank, {first}.sizes)"
        image = f"{_sizes(first, 2)}, {spatial}, 1"
        return _reshaped(f"{first}.rank > 1 && {first}.rank != 4", {first: image, "out": image})
    return Shapes()


def _sizes(tensor: str, count: int) -> str:
    return ", ".join(f"{tensor}.sizes[{i}]" for i in range(count))


def _reshaped(
    when: str, sizes: Mapping[str, str], setup: tuple[str, ...] = (), expressions: Mapping[str, str] | None = None
) -> Shapes:
    """Every tensor under these sizes, where the condition holds; "" for always."""
    lines = list(setup)
    for tensor in sizes:
        lines.append(f"torchfl::Reshaped {tensor}_seen({tensor});")
    condition = f"if ({when}) " if when else ""
    lines += [f"{condition}{tensor}_seen.as({{{told}}});" for tensor, told in sizes.items()]
    return Shapes(tuple(lines), {tensor: f"{tensor}_seen" for tensor in sizes}, expressions or {})
