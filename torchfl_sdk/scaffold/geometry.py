"""C++ for the extents of a call: what a kernel computes first, and the expression of every role of match/extents.py.

The helpers stand in ``torchfl/extents.hpp`` and ``torchfl/kernel.hpp``; the core computes a profile's constraint
variables with the same ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from torchfl.catalogue import OpSpec
from torchfl_sdk.match.extents import FORMS, IMPLIED

_APART = 'return torchfl::unsupported("the dimensions lie apart");'
_NO_SHAPE = 'return torchfl::unsupported("an extent beyond the vendor\'s type, or too many dimensions");'


@dataclass(frozen=True)
class Geometry:
    """``setup``: C++ lines. ``expressions``: role -> an int64_t expression; ``arrays``: role -> the line that fills an
    array called ``<name>``; ``needs``: role -> when a call that passes it is refused, and why; ``lines``: role -> C++
    lines that only calls with it need; ``whole``: roles that need no ``setup``, since they say any dimensions."""

    setup: tuple[str, ...] = ()
    expressions: Mapping[str, str] = field(default_factory=dict)
    arrays: Mapping[str, str] = field(default_factory=dict)
    needs: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    lines: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    whole: frozenset[str] = frozenset()


def geometry(op: OpSpec) -> Geometry:
    """The geometry of an op's rule, with the op's own tensor and attribute names in it."""
    attr = {a.name: f"call->attrs[{i}]" for i, a in enumerate(op.attrs)}
    first, rule = op.inputs[0], op.shape_rule
    if rule in ("along_dim", "reduce", "index_select"):
        setup = (
            "torchfl::Along along;",
            f"if (!torchfl::along({first}, {attr['dim']}, &along) || along.spans != 1) {_APART}",
        )
        expressions = {name: f"along.{name}" for name in ("outer", "extent", "inner")}
        if rule == "along_dim":
            return Geometry(setup, expressions | {"dim": f"torchfl::dimension({attr['dim']}, {first}.rank)"})
        if rule == "reduce":
            listed = (
                "uint64_t among = 0;",
                "int64_t reduced[torchfl::ExtentSpace::max_rank], num_reduced = 0;",
                f"if ({first}.rank > torchfl::ExtentSpace::max_rank || "
                f"!torchfl::dimension_mask({first}.rank, {attr['dim']}, &among)) {_NO_SHAPE}",
                f"for (int32_t i = 0; i < {first}.rank; ++i)",
                "  if (among >> i & 1u) reduced[num_reduced++] = i;",
            )
            one = (*listed, 'if (num_reduced != 1) return torchfl::unsupported("more than one dimension");')
            fill = (
                "for (int64_t i = 0; i < num_reduced; ++i)\n"
                "    if (!torchfl::assign(<name>[i], reduced[i])) "
                'return torchfl::unsupported("a dimension beyond the vendor\'s type");'
            )
            return Geometry(
                setup,
                expressions | {"dim": "reduced[0]", "num_dims": "num_reduced"},
                {"dims": fill},
                lines={"dim": one, "num_dims": listed, "dims": listed},
                whole=frozenset({"dim", "dims", "num_dims"}),
            )
        if rule == "index_select":
            expressions["count"] = "index.numel"
        return Geometry(setup, expressions)
    if rule == "layer_norm":
        setup = (
            "int64_t rows = 0, cols = 0;",
            f"if (!torchfl::rows_and_cols({first}, {attr['normalized_shape']}.count, &rows, &cols)) "
            'return torchfl::unsupported("not over the last dimensions");',
        )
        return Geometry(setup, {"rows": "rows", "cols": "cols"})
    images = {
        "batch": f"{first}.sizes[0]",
        "channels": f"{first}.sizes[1]",
        "spatial": f"torchfl::per_channel({first}.rank, {first}.sizes)",
    }
    if rule == "conv":
        sides = {"height": 2, "width": 3}
        found = {name: f"{first}.sizes[{i}]" for name, i in sides.items()}
        found |= {f"out_{name}": f"out.sizes[{i}]" for name, i in sides.items()}
        found |= {f"kernel_{name}": f"weight.sizes[{i}]" for name, i in sides.items()}
        found |= {"out_channels": "weight.sizes[0]", "kernel": "weight.sizes[2]"}
        uneven = ("weight.sizes[2] != weight.sizes[3]", "the vendor's windows are square")
        return Geometry((), images | found, needs={"kernel": uneven})
    if rule in ("batch_norm", "group_norm"):
        area = {"height": f"({first}.rank > 2 ? {first}.sizes[2] : 1)", "width": f"torchfl::per_row({first})"}
        return Geometry((), images | area)
    if rule in ("pool", "adaptive_pool"):
        sides = {"height": 2, "width": 1}
        found = {name: f"{first}.sizes[{first}.rank - {back}]" for name, back in sides.items()}
        found |= {f"out_{name}": f"out.sizes[out.rank - {back}]" for name, back in sides.items()}
        found["planes"] = f"torchfl::planes({first})"
        found["channels"] = f"{first}.sizes[{first}.rank - 3]"
        found["batch"] = f"({first}.rank > 3 ? {first}.sizes[0] : 1)"
        return Geometry((), found)
    if rule == "embedding":
        return Geometry((), {"rows": "weight.sizes[0]", "cols": "weight.sizes[1]", "count": "indices.numel"})
    if rule in ("gather", "permute"):
        arrays = {
            f"sizes.{name}": f"if (!torchfl::assign_sizes(<name>, {name})) {_NO_SHAPE}" for name in (first, "index")
        }
        if rule == "permute":
            arrays["perm"] = f"if (!torchfl::assign_dimensions(<name>, {attr['dims']}, {first}.rank)) {_NO_SHAPE}"
        dim = f"torchfl::dimension({attr['dim']}, {first}.rank)" if "dim" in attr else ""
        found = {"rank": f"{first}.rank", "dim": dim}
        if rule == "gather":
            return Geometry((), found, arrays)
        lines: tuple[str, ...] = (
            "int64_t order[2];",
            f"if ({first}.rank != 2 || !torchfl::assign_dimensions(order, {attr['dims']}, 2)) "
            'return torchfl::unsupported("not the two dimensions of a matrix");',
            "const bool turns = order[0] == 1;  // else a column, whose transpose lies alike",
        )
        found |= {"rows": f"(turns ? {first}.sizes[0] : {first}.numel)", "cols": f"(turns ? {first}.sizes[1] : 1)"}
        return Geometry((), found, arrays, lines=dict.fromkeys(("rows", "cols"), lines))
    if rule == "cat":
        lines = ("torchfl::Along along;", f"if (!torchfl::along(out, {attr['dim']}, &along)) {_APART}")
        found = {"count": "call->num_inputs", "dim": f"torchfl::dimension({attr['dim']}, out.rank)"}
        found |= {"outer": "along.outer", "inner": "along.inner", "extent": "along.extent"}
        return Geometry((), found, lines=dict.fromkeys(("outer", "inner", "extent", "widths", "width"), lines))
    if rule == "attention":
        places = {"batch": "query.sizes[0]", "heads": "query.sizes[1]", "length": "query.sizes[2]"}
        return Geometry((), places | {"kv_length": "key.sizes[2]", "head_dim": "query.sizes[3]"})
    if rule == "bmm":
        sizes = {"batch": "out.sizes[0]", "M": "out.sizes[1]", "N": "out.sizes[2]"}
        return Geometry((), sizes | {"K": f"{first}.sizes[2]"})
    if rule == "triangle":
        return Geometry((), {"rows": f"{first}.sizes[{first}.rank - 2]", "cols": f"{first}.sizes[{first}.rank - 1]"})
    return Geometry()


def implied(op: OpSpec) -> frozenset[str]:
    """Attributes that no argument carries because the extents say them."""
    return IMPLIED.get(op.shape_rule, frozenset()) if op.shape_rule in FORMS or op.list_input else frozenset()


def absent_value(op: OpSpec, attr: str) -> str:
    """The C++ value of an attribute that may be absent without a number that stands for it, or ""."""
    if (op.shape_rule, attr) == ("attention", "scale"):
        return "1 / std::sqrt(static_cast<double>(query.sizes[3]))"
    return ""
