"""Movement: elements chosen by an index, joined, reordered, cut to a triangle."""

from __future__ import annotations

from torchfl.catalogue.elementwise import NUMBER
from torchfl.catalogue.spec import Attr, OpSpec

_DIM = Attr("dim", "int")


def _move(
    name: str,
    inputs: tuple[str, ...],
    rule: str,
    attrs: tuple[Attr, ...],
    *vendor_names: str,
    overload: str = "",
    out: str = ".out",
    inplace: str = "",
    index: str = "",
    list_input: bool = False,
) -> OpSpec:
    return OpSpec(
        name=f"aten::{name}",
        overload=f"aten::{name}{overload}",
        inputs=inputs,
        input_kinds=((index, "index"),) if index else (),
        shape_rule=rule,
        dtype_rule="same",
        tier="T0",
        samples=name,
        vendor_names=vendor_names,
        attrs=attrs,
        inplace=f"aten::{inplace}" if inplace else "",
        out=f"aten::{name}{out}" if out else "",
        dtypes=NUMBER,
        list_input=list_input,
    )


OPS: tuple[OpSpec, ...] = (
    _move("embedding", ("weight", "indices"), "embedding", (), "embedding", "embedding_lookup", out="",
          index="indices"),
    _move("index_select", ("self", "index"), "index_select", (_DIM,), "index_select", "gather_rows", "take", "gather",
          index="index"),
    _move("gather", ("self", "index"), "gather", (_DIM,), "gather", "gather_elements", index="index"),
    _move("scatter", ("self", "index", "src"), "scatter", (_DIM,), "scatter", "scatter_elements", overload=".src",
          out=".src_out", inplace="scatter_.src", index="index"),
    _move("cat", ("tensors",), "cat", (_DIM,), "concat", "cat", "concatenate", list_input=True),
    _move("permute_copy", ("self",), "permute", (Attr("dims", "int_list"),), "permute", "transpose", out=""),
    _move("triu", ("self",), "triangle", (Attr("diagonal", "int", 0),), "triu", "upper_triangle", inplace="triu_"),
    _move("tril", ("self",), "triangle", (Attr("diagonal", "int", 0),), "tril", "lower_triangle", inplace="tril_"),
)  # fmt: skip
