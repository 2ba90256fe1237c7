"""Tensor objects that are made empty and told their address, extents and element type by members."""

from __future__ import annotations

from torchfl_sdk.header.model import Class, Member
from torchfl_sdk.match.tokens import split
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.classes.filler import Filler, dtype_enum, is_address
from torchfl_sdk.scaffold.compose.code import returns_status
from torchfl_sdk.scaffold.compose.helper import Helper, plain
from torchfl_sdk.scaffold.compose.keepers import Keepers
from torchfl_sdk.scaffold.kernel_plan import NotGenerated

#: What a tensor must be told.
_NEEDED = frozenset(("address", "extents", "dtype"))


def setters(makers: Keepers, of: Class) -> list[Member]:
    """The members that set something, where an empty object can be made and told all that makes a tensor."""
    found = [m for m in of.members if m.kind == "method" and not m.const and list(split(m.name)[:1]) == ["set"]]
    begins = [m for m in of.members if m.kind == "constructor"]
    empty = not begins or any(all(p.default for p in m.function.params) for m in begins)
    return found if empty and {_about(makers, m) for m in found} >= _NEEDED else []


def by_setters(makers: Keepers, of: Class) -> tuple[Helper, tuple[str, ...]]:
    """(``tfl_status name(call, tensor, T* made)``, the element types). Raises :class:`NotGenerated`."""
    used, lines, before, dtypes = list[str](), list[str](), list[str](), tuple[str, ...]()
    told: set[str] = set()
    for member in setters(makers, of):
        function = member.function
        what = _about(makers, member)
        if not what or what in told:
            continue
        filler = Filler(makers, function)
        filler.code.names |= {"made"} | {
            line.split()[1].rstrip(";") for line in lines if line.startswith("const auto ")
        }
        try:
            given = [filler.argument(p) for p in function.params]
        except NotGenerated:
            if what != "layout":
                raise
            continue
        told.add(what)
        dtypes = filler.dtypes or dtypes
        before += [text for text in filler.before if text not in before]
        used += [*filler.code.used, *makers.members.use(of, member)]
        call = f"made->{member.name}({', '.join(given)})"
        lines += filler.code.lines
        lines.append(f"torchfl::must(status({call}));" if returns_status(function, makers.status) else f"{call};")
    name = f"fill_{plain(of.name)}"
    body = "".join(f"  {line}\n" for line in lines)
    text = (
        f"// Tells a vendor's tensor where one of PyTorch's lies and what it is.\n"
        f"void {name}(const tfl_tensor& t, ::{of.name}* made) {{\n{body}}}"
    )
    used += makers.members.lifecycle(of.name)
    return Helper(name, text, tuple(before), tuple(dict.fromkeys(used)), f"::{of.name}", borrows=True), dtypes


def _about(makers: Keepers, member: Member) -> str:
    """What a setter is told: the address, the element type, the extents, the layout; "" for anything else."""
    params = [p.type for p in member.function.params]
    if len(params) == 1 and is_address(params[0]):
        return "address"
    if len(params) == 1 and dtype_enum(makers, params[0]) is not None:
        return "dtype"
    if any(
        t.kind == "pointer" and t.pointee is not None and t.pointee.kind == "int" and t.pointee.const for t in params
    ):
        return "extents"
    if len(params) == 1 and cxx.bare(params[0].canonical).startswith("std::vector<"):
        return "extents" if not set(split(member.name)) & {"strides", "stride"} else ""
    return "layout" if len(params) == 1 and params[0].kind == "enum" else ""
