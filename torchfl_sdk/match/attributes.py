"""Attributes of an op among a function's parameters, by name and type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from torchfl.catalogue import Attr, OpSpec
from torchfl_sdk.header.model import Enum
from torchfl_sdk.match.arguments import Parameter
from torchfl_sdk.match.tokens import split

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
    "count_include_pad": ("includepad", "includepadding", "countpadding", "countpad", "padincluded"),
    "ceil_mode": ("ceil", "useceil", "ceiling", "roundup"),
    "keepdim": ("keepdims", "keep", "keepdimension", "keepdimensions"),
    "approximate": ("approx", "tanh", "usetanh", "approximation", "approxtanh", "tanhapprox", "useapprox"),
    "diagonal": ("diag", "k"),
    "value": ("val", "fillvalue", "alpha"),
    "min": ("lo", "low", "minval", "lower", "minvalue"),
    "max": ("hi", "high", "maxval", "upper", "maxvalue"),
    "group": ("groups", "numgroups", "ngroups"),
    "alpha": (),
}
#: Spellings that say the opposite.
OPPOSITES: dict[str, tuple[str, ...]] = {
    "count_include_pad": ("excludepad", "excludepadding", "countexcludepad", "exclusive"),
    "approximate": ("exact", "erf", "useerf"),
    "ceil_mode": ("floor", "floormode", "usefloor"),
}
#: Words of constants for each text of a choice.
_CHOICES: dict[str, frozenset[str]] = {
    "none": frozenset(("none", "erf", "exact", "precise", "standard", "default")),
    "tanh": frozenset(("tanh", "approx", "approximate", "fast")),
}
#: What the integers of windows are where an op has none.
_NEUTRAL = {"dilation": "1", "groups": "1", "ceil_mode": "0", "count_include_pad": "0"}
_KNOWN = frozenset(
    word.replace("_", "") for table in (SYNONYMS, OPPOSITES) for name, more in table.items() for word in (name, *more)
)
_AXES = (("h", "height", "y", "0"), ("w", "width", "x", "1"))
#: Both ends of each axis, which PyTorch pads alike.
_SIDES = (("top", "bottom", "t", "b"), ("left", "right", "l", "r"))


@dataclass
class Assigned:
    """Parameters that carry attributes: index -> role; ``names``: the attributes found; ``values``: the C constants of
    those that are chosen."""

    roles: dict[int, str] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    values: dict[int, tuple[tuple[str, str], ...]] = field(default_factory=dict)


def assign(
    op: OpSpec, parameters: Sequence[Parameter], spatial: int = 2, enums: Mapping[str, Enum] | None = None
) -> Assigned | str:
    """Attribute roles of the parameters, or why they do not fit. ``spatial``: entries an int_list has; ``enums``: the
    header's, by name."""
    assigned = Assigned()
    for attr in op.attrs:
        names = spellings(attr)
        named = [p for p in parameters if p.index not in assigned.roles and p.joined in names
                 and (p.sort == "int" or len(p.joined) > 1)]  # fmt: skip
        if attr.kind == "choice":  # an enum's constants say it, whatever the argument is called
            named += [p for p in parameters if p.index not in assigned.roles and _values(attr, p, enums or {})
                      and p.sort == "enum"]  # fmt: skip
        for parameter in named[:1]:
            values = _values(attr, parameter, enums or {})
            trouble = "" if values else _misfit(attr, parameter, spatial)
            if trouble:
                return trouble
            assigned.roles[parameter.index] = attr.name
            assigned.names.add(attr.name)
            if values:
                assigned.values[parameter.index] = values
        if attr.kind == "int_list" and attr.name not in assigned.names:
            trouble = _split(attr, names, parameters, assigned, spatial)
            if trouble:
                return trouble
    return assigned


def heads(joined: str) -> set[str]:
    """The names that a joined name is for one spatial dimension, and itself: ``strideh`` -> ``stride``."""
    ends = [end for axis in _AXES for end in axis] + [end for axis in _SIDES for end in axis if len(end) > 1]
    found = {joined, *(joined.removesuffix(end) for end in ends if joined.endswith(end))}
    return found | {joined.removeprefix(end) for axis in _AXES for end in axis if joined.startswith(end)}


def spellings(attr: Attr) -> set[str]:
    """Joined words by which an attribute goes, or its opposite."""
    return {attr.name.replace("_", ""), *SYNONYMS.get(attr.name, ()), *OPPOSITES.get(attr.name, ())}


def is_attribute(joined: str) -> bool:
    """True for a name of some op's attribute, or of its entry for one spatial dimension."""
    return bool(heads(joined) & _KNOWN)


def without(joined: str) -> str:
    """The C value of an attribute of other ops with which it changes nothing, or ""."""
    return next(
        (value for name, value in _NEUTRAL.items() if heads(joined) & {name.replace("_", ""), *SYNONYMS.get(name, ())}),
        "",
    )


def _values(attr: Attr, parameter: Parameter, enums: Mapping[str, Enum]) -> tuple[tuple[str, str], ...]:
    """The C constants of an attribute that a flag or an enum carries; none where it is passed as it is."""
    opposite = parameter.joined in OPPOSITES.get(attr.name, ())
    if attr.kind == "bool" and parameter.sort == "int" and opposite:
        return (("false", "1"), ("true", "0"))
    if attr.kind != "choice" or len(attr.choices) != 2:
        return ()
    if parameter.sort == "int":
        return tuple(zip(attr.choices, ("1", "0") if opposite else ("0", "1"), strict=True))
    enum = enums.get(parameter.param.type.name) if parameter.sort == "enum" else None
    found: dict[str, str] = {}
    for constant in enum.constants if enum is not None else ():
        said = set(split(constant.name))
        for choice in attr.choices:
            if said & _CHOICES.get(choice, frozenset()):
                found.setdefault(choice, constant.name)
    return tuple(found.items()) if len(set(found.values())) == len(attr.choices) else ()


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


def _split(attr: Attr, names: set[str], parameters: Sequence[Parameter], assigned: Assigned, spatial: int) -> str:
    """``stride_h, stride_w``: one integer per dimension."""
    found: dict[int, list[Parameter]] = {}
    for parameter in parameters:
        if parameter.sort != "int" or parameter.index in assigned.roles:
            continue
        for axis, endings in enumerate(_AXES[:spatial]):
            if any(parameter.joined in (name + end, end + name) for name in names for end in endings):
                found.setdefault(axis, found.get(axis) or [parameter])
            sides = _SIDES[axis] if attr.name == "padding" else ()
            if any(parameter.joined in (name + end, end + name) for name in names for end in sides):
                found.setdefault(axis, []).append(parameter)
    if not found:
        return ""
    if len(found) != spatial:
        return f"only {len(found)} of {spatial} entries of {attr.name} are there"
    for axis, each in found.items():
        assigned.roles.update({parameter.index: f"{attr.name}.{axis}" for parameter in each})
    assigned.names.add(attr.name)
    return ""
