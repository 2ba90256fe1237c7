"""What the parameters of a function say of each other, once each has been classified alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from torchfl_sdk.header.model import CType
from torchfl_sdk.match.elements import element_dtype
from torchfl_sdk.match.recognise.objects import is_parameter
from torchfl_sdk.match.tokens import split, words
from torchfl_sdk.match.vocabulary.arguments import OUTPUT

if TYPE_CHECKING:
    from torchfl_sdk.match.recognise.part import Part

_OPERANDS = frozenset(words("input output in out src dst source destination x y in1 in2 input1 input2"))
_PLURAL = ("ins", "inputs", "srcs", "xs", "tensors", "inputtensors")
_EXTENTS = frozenset(
    words("shape axes axis perm permutation pad pads padding paddings stride strides dilation dilations kernel starts "
          "ends steps repeats sizes dims dim")
)  # fmt: skip
_STEP = frozenset(words("stride inc step incr increment"))


def settle(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """The same parameters, with what only their neighbours decide."""
    return _attributes(
        _alike(_lists(_named(_described(_single_values(_numbers(_results(_count(_fortran(_addresses(parts))))))))))
    )


_ADDRESSED = frozenset(words("a b c x y z in out input output src dst keys values data arr array ptr dest result"))


def _wide(type_: CType) -> bool:
    return type_.kind == "int" and type_.bits == 64 and not type_.signed and "size_t" not in type_.aliases


def _addresses(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Where nothing else can hold data, 64-bit integers called like operands are the addresses of it."""
    found = [p for p in parts if p.sort == "int" and p.base in _ADDRESSED and _wide(p.param.type)]
    if len(found) < 2 or any(p.sort in ("data", "tensor", "list") for p in parts):
        return parts
    return tuple(replace(p, sort="data", written=True) if p in found else p for p in parts)


def _fortran(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Where every argument is passed by address, as Fortran does, constant integers are single numbers."""
    addressed = len(parts) > 3 and all(p.param.type.kind == "pointer" for p in parts)
    if not addressed or not any(p.sort == "int" for p in parts):
        return parts
    made = []
    for part in parts:
        inner = part.param.type.pointee
        whole = part.sort in ("data", "ints") and not part.written and inner is not None and inner.kind == "int"
        factor = part.sort == "data" and not part.written and part.joined in ("a", "alpha", "beta")
        vectors = any(p.sort == "data" and p.joined == "x" for p in parts)
        single = factor and vectors and not any(p.joined.startswith("lda") for p in parts)
        made.append(replace(part, sort="int") if whole else replace(part, sort="scalar_pointer") if single else part)
    return tuple(made)


_COUNTS = frozenset(("", "n", "len", "length", "size", "count", "num"))


def _count(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Behind arrays of floating-point numbers, the only constant integer by address says how many there are."""
    last = parts[-1] if len(parts) > 1 else None
    whole = [
        p for p in parts if p.sort in ("int", "ints") or (p.sort == "data" and p.element.startswith(("int", "uint")))
    ]
    if last is None or whole != [last] or last.sort != "data" or last.written or last.name.lower() not in _COUNTS:
        return parts
    rest = parts[:-1]
    floats = all(p.sort == "data" and p.element.startswith("float") for p in rest)
    return (*rest, replace(last, sort="int")) if floats else parts


def _numbers(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Beside tensor objects, a pointer to one plain number is a number that may be absent."""
    if sum(p.sort in ("tensor", "list") for p in parts) < 2:
        return parts
    made = []
    for part in parts:
        inner = part.param.type.pointee
        plain = part.sort == "data" and part.param.type.kind == "pointer" and not part.param.type.aliases
        if plain and inner is not None and inner.kind in ("int", "bool", "float") and part.base not in OUTPUT:
            kind = "dtype" if part.joined in ("dtype", "datatype", "scalartype", "outdtype") else (
                "scalar_pointer" if inner.kind == "float" else "int" if inner.bits >= 32 or inner.kind == "bool" else ""
            )  # fmt: skip
            made.append(replace(part, sort=kind or part.sort, written=False) if kind else part)
        else:
            made.append(part)
    return tuple(made)


def _named(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Two objects of one opaque type, called like operands, are tensors."""
    opaque = [p for p in parts if p.sort == "handle" and p.base in _OPERANDS and p.param.type.aliases]
    types = {p.param.type.aliases[0] for p in opaque}
    if len(opaque) < 2 or len(types) != 1 or any(p.sort in ("data", "tensor") for p in parts):
        return parts
    return tuple(replace(p, sort="tensor") if p in opaque else p for p in parts)


def _lists(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """A pointer to constant tensor objects with their number beside it is a list of them."""
    counted = any(
        p.sort == "int"
        and {"num", "n", "count", "nb", "len", "size"} & set(p.words)
        and {"input", "inputs", "in", "tensors"} & set(p.words)
        for p in parts
    )
    return tuple(
        replace(p, sort="list")
        if (counted or p.joined in _PLURAL)
        and p.sort == "tensor"
        and not p.written
        and p.param.type.kind == "pointer"
        and not p.param.type.aliases
        else p
        for p in parts
    )


def _attributes(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Beside tensor objects, a pointer to integers called like extents is an attribute, const or not; where an
    op is created, any of constant integers is."""
    if any(p.sort == "data" and is_parameter(_pointee(p)) for p in parts):
        parts = tuple(replace(p, sort="ints") if _counts(p) else p for p in parts)
    created = any(p.sort == "out_handle" and {"primitive", "plan", "operator"} & p.type_words for p in parts)
    if created:
        return tuple(replace(p, sort="ints") if _whole(p) and not p.written else p for p in parts)
    if not any(p.sort in ("tensor", "list", "desc") for p in parts):
        return parts
    return tuple(replace(p, sort="ints", written=False) if _whole(p) and _EXTENTS & set(p.words) else p for p in parts)


def _pointee(part: Part) -> CType:
    type_ = part.param.type
    return type_.pointee if type_.pointee is not None else type_


def _counts(part: Part) -> bool:
    """True for constant integers of a template's type: ``const TIndex *dims``."""
    said = set(split(_pointee(part).spelled.removeprefix("const ")))
    fits = part.sort == "data" and not part.written and is_parameter(_pointee(part))
    return fits and bool(said & {"index", "int", "dim", "size"}) and bool(_EXTENTS & set(part.words))


def _whole(part: Part) -> bool:
    inner = part.param.type.pointee
    wide = inner is not None and inner.kind == "int" and inner.bits >= 32
    return wide and part.sort == "data" and part.base not in OUTPUT


def _alike(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Beside lists of constant data, pointers to pointers to the same elements are the list of the results."""
    elements = {_elements(p) for p in parts if p.sort == "list"} - {""}
    return tuple(
        replace(p, sort="list", written=True) if p.sort == "out_handle" and _elements(p) in elements else p
        for p in parts
    )


def _elements(part: Part) -> str:
    """What the pointers of a list lead to, "" where it is no list of plain pointers."""
    inner = part.param.type.pointee
    deepest = inner.pointee if inner is not None and not inner.aliases else None
    known = deepest is not None and (element_dtype(deepest) or is_parameter(deepest))
    return deepest.canonical.removeprefix("const ") if deepest is not None and known else ""


def _results(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """``T *out, T in``: of objects passed by handle, the one passed by address is written, the others are read."""
    by_value = {p.param.type.aliases[0] for p in parts if p.sort in ("tensor", "handle") and p.param.type.aliases}
    elements = [p.param.type.pointee for p in parts if p.sort == "list"]
    by_value |= {e.aliases[0] for e in elements if e is not None and e.aliases}
    made = []
    addressed = [p for p in parts if _by_address(p, by_value)]
    results = [p for p in addressed if p.base in OUTPUT or p.base.startswith(("ret", "out", "res"))]
    written = {p.index for p in results or addressed}  # beside a clear result, another is an operand that may be absent
    outputs = {p.param.type.pointee.aliases[0] for p in parts if _by_address(p, by_value)}  # type: ignore[union-attr]
    for part in parts:
        objects = any((p.sort == "tensor" and p.param.type.aliases) or p.sort == "list" for p in parts)
        if _by_address(part, by_value) and objects:
            made.append(replace(part, sort="tensor", written=part.index in written))
        elif part.sort == "tensor" and part.param.type.aliases and part.param.type.aliases[0] in outputs:
            made.append(replace(part, written=False))
        else:
            made.append(part)
    return tuple(made)


def _by_address(part: Part, by_value: set[str]) -> bool:
    inner = part.param.type.pointee
    plain = part.param.type.kind == "pointer" and not part.param.type.aliases and part.sort in ("out_handle", "tensor")
    return plain and inner is not None and not inner.const and bool(inner.aliases) and inner.aliases[0] in by_value


def _single_values(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Where every tensor is followed by its step, a pointer to constant numbers without one is a single number."""
    stepped = [p for p in parts if p.sort == "data" and _step_of(p, parts)]
    if not stepped:
        return parts
    made = []
    for part in parts:
        single = part.sort == "data" and not part.written and part not in stepped and part.element.startswith("float")
        made.append(replace(part, sort="scalar_pointer") if single else part)
    return tuple(made)


def _step_of(part: Part, parts: Sequence[Part]) -> bool:
    """True if the next parameter is the distance between the elements of this one."""
    following = parts[part.index + 1] if part.index + 1 < len(parts) else None
    if following is None or following.sort != "int":
        return False
    base = part.base
    if following.joined.startswith(("inc", "ld")) and len(following.joined) > 2:
        return True
    named = following.joined in (
        f"i{base}",
        f"inc{base}",
        f"{base}inc",
        f"stride{base}",
        f"{base}stride",
        f"ld{base}",
        "ld",
    )
    return bool(base) and (named or (following.joined in ("inc", "stride", "step") and len(parts) > 3) or bool(
        following.type_words & _STEP
    ))  # fmt: skip


def _described(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """A pointer with a descriptor of its own is data, whatever it is called (``desc_params, params``)."""
    bases = {p.base for p in parts if p.sort == "desc"}
    void = {p.index for p in parts if p.sort == "params" and p.param.type.pointee is not None}
    return tuple(
        replace(p, sort="data")
        if p.index in void and p.base in bases and p.param.type.pointee.kind == "void"  # type: ignore[union-attr]
        else p
        for p in parts
    )
