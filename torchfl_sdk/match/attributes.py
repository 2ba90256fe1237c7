"""Attributes of an op among a function's parameters, by name and type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from torchfl.catalogue import Attr, OpSpec
from torchfl_sdk.match.arguments import Parameter

#: Spellings of an attribute beside its own name; joined words.
SYNONYMS: dict[str, tuple[str, ...]] = {
    "stride": ("strides", "convstride", "stridehw", "s", "str"),
    "padding": ("pad", "pads", "paddings", "padhw", "p"),
    "dilation": ("dilations", "dilate", "dil", "d"),
    "groups": ("group", "ngroups", "groupcount", "numgroups", "ngroup"),
    "negative_slope": ("slope", "negslope", "leak", "leakyslope", "alpha", "leakage"),
    "output_padding": ("outputpad", "outpad", "outpadding"),
    "dim": ("axis", "dimension"),
    "kernel_size": ("kernel", "window", "ksize", "kernelshape", "pool", "poolsize", "filter", "k", "f", "win"),
    "eps": ("epsilon",),
    "is_causal": ("causal", "iscausal"),
    "count_include_pad": ("countincludepad", "includepad", "includepadding", "countpadding"),
    "diagonal": ("diag", "k"),
    "value": ("val", "fillvalue", "alpha"),
    "min": ("lo", "low", "minval", "lower", "minvalue"),
    "max": ("hi", "high", "maxval", "upper", "maxvalue"),
    "group": ("groups", "numgroups", "ngroups"),
    "alpha": (),
}
_AXES = (("h", "height", "y", "0"), ("w", "width", "x", "1"))


@dataclass
class Assigned:
    """Parameters that carry attributes: index -> role; ``names``: the attributes found."""

    roles: dict[int, str] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)


def assign(op: OpSpec, parameters: Sequence[Parameter], spatial: int = 2) -> Assigned | str:
    """Attribute roles of the parameters, or why they do not fit. ``spatial``: entries an int_list has."""
    assigned = Assigned()
    for attr in op.attrs:
        spellings = {attr.name.replace("_", ""), *SYNONYMS.get(attr.name, ())}
        named = [p for p in parameters if p.index not in assigned.roles and p.joined in spellings
                 and (p.sort == "int" or len(p.joined) > 1)]  # fmt: skip
        for parameter in named[:1]:
            trouble = _misfit(attr, parameter, spatial)
            if trouble:
                return trouble
            assigned.roles[parameter.index] = attr.name
            assigned.names.add(attr.name)
        if attr.kind == "int_list" and attr.name not in assigned.names:
            trouble = _split(attr, spellings, parameters, assigned, spatial)
            if trouble:
                return trouble
    return assigned


def _misfit(attr: Attr, parameter: Parameter, spatial: int) -> str:
    wanted = {"int_list": ("ints", "tensor", "int"), "int": ("int",), "bool": ("int",)}.get(attr.kind, ("float",))
    extent = parameter.param.type.extent
    if parameter.sort not in wanted or (parameter.sort == "tensor" and parameter.element not in ("int32", "int64")):
        return f"'{parameter.name}' ({parameter.param.type.spelled}) cannot carry {attr.name}"
    if attr.kind == "int_list" and extent not in (None, spatial):
        return f"'{parameter.name}' has {extent} entries, {attr.name} has {spatial}"
    if attr.kind == "int_list" and parameter.written:
        return f"'{parameter.name}' may be written, {attr.name} is read only"
    return ""


def _split(attr: Attr, spellings: set[str], parameters: Sequence[Parameter], assigned: Assigned, spatial: int) -> str:
    """``stride_h, stride_w``: one integer per dimension."""
    found: dict[int, Parameter] = {}
    for parameter in parameters:
        if parameter.sort != "int" or parameter.index in assigned.roles:
            continue
        for axis, endings in enumerate(_AXES[:spatial]):
            if any(parameter.joined in (spelling + end, end + spelling) for spelling in spellings for end in endings):
                found.setdefault(axis, parameter)
    if not found:
        return ""
    if len(found) != spatial:
        return f"only {len(found)} of {spatial} entries of {attr.name} are there"
    for axis, parameter in found.items():
        assigned.roles[parameter.index] = f"{attr.name}.{axis}"
    assigned.names.add(attr.name)
    return ""
