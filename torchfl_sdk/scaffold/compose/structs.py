"""Structs of the caller that a kernel fills field by field: tensors by what they hold, numbers beside their type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from torchfl_sdk.header.model import CType
from torchfl_sdk.match.model import StructLayout
from torchfl_sdk.match.tagged import Tagged
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.compose.helper import Helper, plain
from torchfl_sdk.scaffold.kernel_plan import NotGenerated

if TYPE_CHECKING:
    from torchfl_sdk.scaffold.compose.library import Library

#: A variable's own room for extents, where a struct only points to them.
SPACE = "_space"
#: True for a dtype of whole numbers.
_WHOLE = " && ".join(f"dtype != {cxx.TFL_DTYPES[d]}" for d in ("float64", "float32", "float16", "bfloat16"))


def tensor_struct(library: Library, layout: StructLayout, dtype: CType | None) -> Helper:
    """``tfl_status name(tensor, shape, struct* out[, space])``: the struct over a dense tensor's memory.

    ``dtype``: the type of the field that says the element type; None where the pointer's own type does.
    """
    ctype = layout.struct
    if layout.integer_address or layout.strides_in_bytes or layout.plain_constant:
        raise NotGenerated(f"{ctype} holds addresses, steps or layouts that kernels over objects do not fill yet")
    before: list[str] = []
    lines = [*_bounds(layout), "*out = {};"]
    lines.append(f"out->{layout.data} = static_cast<decltype(out->{layout.data})>(torchfl::data(t));")
    if dtype is not None:
        helper = library.dtype(dtype)
        before.append(helper.text)
        why = cxx.string(f"no {helper.ctype} for this dtype")
        lines.append(f"if (!{helper.name}(t.dtype, &out->{layout.dtype})) return torchfl::unsupported({why});")
    if layout.layout:
        if "nchw" not in dict(layout.layout_values):
            raise NotGenerated(f"{ctype} has no constant for row-major tensors")
        lines.append(f"out->{layout.layout} = {layout.layout_constant};")
    lines += [f"out->{field} = 1;" for field in layout.ones]
    wide = cxx.string(f"an extent beyond {ctype}")
    if layout.rank:
        lines.append(f"if (!torchfl::assign(out->{layout.rank}, shape.rank)) return torchfl::unsupported({wide});")
    arrays = [(layout.sizes, "sizes"), *([(layout.strides, "strides")] if layout.strides else [])]
    if not layout.max_rank:
        lines += [f"auto* {n} = torchfl::extents(out->{field}, space->{n});" for field, n in arrays]
    lines.append("for (int32_t i = 0; i < shape.rank; ++i) {")
    for field, n in arrays:
        place = f"out->{field}[i]" if layout.max_rank else f"{n}[i]"
        lines.append(f"  if (!torchfl::assign({place}, shape.{n}[i])) return torchfl::unsupported({wide});")
    lines.append("}")
    parameters = ["const tfl_call*", "const tfl_tensor& t", "const torchfl::Shape& shape", f"{ctype}* out"]
    if not layout.max_rank:
        parameters.append("torchfl::ExtentSpace* space")
    name = f"make_{plain(ctype)}"
    body = "\n".join(f"  {line}" for line in [*lines, "return TFL_OK;"])
    head = cxx.call(f"tfl_status {name}", parameters, " {")
    text = f"// Fills the vendor's {ctype} over the memory of a dense tensor.\n{head}\n{body}\n}}"
    return Helper(name, text, tuple(before), (), ctype, borrows=True)


def _bounds(layout: StructLayout) -> list[str]:
    why = cxx.string(f"not of as many dimensions as a {layout.struct}")
    if layout.rank and layout.max_rank:
        return [f"if (shape.rank == 0 || shape.rank > {layout.max_rank}) return torchfl::unsupported({why});"]
    if layout.max_rank:
        return [f"if (shape.rank != {layout.max_rank}) return torchfl::unsupported({why});"]
    return [f"if (shape.rank == 0) return torchfl::unsupported({why});"]


def tagged_number(found: Tagged, constants: Mapping[str, str]) -> Helper:
    """``tfl_status name(dtype, value, struct* out)``: the number as the member that suits tensors of a dtype, said
    to be of that member's type. ``constants``: of the tag, by dtype."""
    floats = _widest(found, ("float",), (("float64", 64), ("float32", 32)), constants)
    whole = _widest(found, ("int",), (("int64", 64), ("int32", 32)), constants)
    if floats is None:
        raise NotGenerated(f"{found.ctype} holds no floating-point number of a type that it has a name for")
    lines = ["*out = {};"]
    if whole is not None:
        constant, member, ctype = whole
        lines += [
            f"if ({_WHOLE}) {{",
            f"  out->{found.tag_field} = {constant};",
            f"  out->{member} = static_cast<{ctype}>(value);",
            "  return TFL_OK;",
            "}",
        ]
    else:
        lines.append(
            f"if ({_WHOLE}) return torchfl::unsupported({cxx.string(f'{found.ctype} holds no whole number')});"
        )
    constant, member, ctype = floats
    lines += [f"out->{found.tag_field} = {constant};", f"out->{member} = {_cast(ctype, 'value')};", "return TFL_OK;"]
    name = f"make_{plain(found.ctype)}"
    body = "\n".join(f"  {line}" for line in lines)
    head = cxx.call(f"tfl_status {name}", ["tfl_dtype dtype", "double value", f"{found.ctype}* out"], " {")
    return Helper(
        name, f"// A number for tensors of a dtype, beside its own type.\n{head}\n{body}\n}}", ctype=found.ctype
    )


def _widest(
    found: Tagged, kinds: tuple[str, ...], wanted: tuple[tuple[str, int], ...], constants: Mapping[str, str]
) -> tuple[str, str, str] | None:
    """(constant, member, its C type) of the widest member; one that has no constant of its own width takes another."""
    members = [m for m in found.members if m[1].kind in kinds and (m[1].kind != "int" or m[1].signed)]
    for name, type_ in sorted(members, key=lambda m: -m[1].bits):
        same = [c for dtype, bits in wanted if bits == type_.bits and (c := constants.get(dtype))]
        other = [c for dtype, _ in wanted if len(members) == 1 and (c := constants.get(dtype))]
        if same or other:
            return (same or other)[0], name, cxx.bare(type_.spelled)
    return None


def _cast(ctype: str, text: str) -> str:
    return text if ctype == "double" else f"static_cast<{ctype}>({text})"
