"""Matrices that are structs of the caller which a function of the header fills in: type, extents, memory, steps.

Of such a struct only its maker knows the fields. Rows and columns may lie any distance apart, so a transposed operand
is one with its steps exchanged, and a vector is a matrix of one column. Factors may come in such structs too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from torchfl_sdk.header.model import CType, Function
from torchfl_sdk.match.handles import object_key
from torchfl_sdk.match.recognise.parts import Part
from torchfl_sdk.match.tokens import words
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.compose.code import Code
from torchfl_sdk.scaffold.compose.geometry import tensor_role
from torchfl_sdk.scaffold.compose.makers import Makers
from torchfl_sdk.scaffold.kernel_plan import NotGenerated

#: What a maker's parameters may be called -> what they mean.
_CALLED: Mapping[str, frozenset[str]] = {
    "rows": frozenset(words("m rows nrows nrow numrows height")),
    "columns": frozenset(words("n columns cols ncols ncol numcols width")),
    "row_step": frozenset(words("rs rowstride rowstep rstride strider stridem")),
    "column_step": frozenset(words("cs colstride columnstride colstep columnstep cstride stridec striden")),
}
_BUFFER = frozenset(words("p ptr buf buffer data addr address pointer"))
_ALL = {"dtype", "own", "data", *_CALLED}


@dataclass(frozen=True)
class Filled:
    """One such struct. ``roles``: what its maker's arguments are, in C order."""

    ctype: str
    maker: Function
    roles: tuple[tuple[Part, str], ...]

    def made(self, makers: Makers, name: str, given: Mapping[str, str]) -> tuple[str, ...]:
        """The statements that declare and fill one. ``given``: C++ of data, extents and steps."""
        code = Code(makers.status)
        code.hold(self.ctype, name)
        arguments = []
        for part, role in self.roles:
            ctype = part.param.type.spelled
            if role in _CALLED:
                if part.param.type.bits < 64 and not given[role].isdigit():
                    why = cxx.string(f"an extent beyond {cxx.bare(ctype)}")
                    check = f"!torchfl::fits<{cxx.bare(ctype)}>({given[role]})"
                    code.add(f"if ({check}) return torchfl::unsupported({why});")
                arguments.append(given[role] if given[role].isdigit() else cxx.integer(ctype, given[role]))
            else:
                arguments.append({"dtype": "dtype", "own": f"&{name}"}.get(role) or given[role])
        code.call(self.maker, arguments)
        return tuple(code.lines)

    def number(self, makers: Makers, name: str, like: str, value: str) -> tuple[str, ...]:
        """The same for a single number of the element type of the tensor ``like``. Raises NotGenerated where numbers
        would have to lie in a device's memory."""
        if not makers.host:
            raise NotGenerated("its factors are structs over numbers, which the device's memory would have to hold")
        factor = f"const torchfl::Factor {name}_number({like}.dtype, {value});"
        data = f"const_cast<void*>({name}_number.data())"
        return factor, *self.made(makers, name, {"data": data, **dict.fromkeys(_CALLED, "1")})

    def typed(self, makers: Makers, like: str) -> tuple[tuple[str, ...], str]:
        """The statements that declare ``dtype``, and the function that they call."""
        helper = makers.dtype(next(p.param.type for p, role in self.roles if role == "dtype"))
        why = cxx.string(f"no {helper.ctype} for this dtype")
        check = f"if (!{helper.name}({like}.dtype, &dtype)) return torchfl::unsupported({why});"
        return (f"{helper.ctype} dtype;", check), helper.text

    def dtypes(self, makers: Makers) -> tuple[str, ...]:
        """Those of its element types of which a number can be given."""
        served = makers.served(next(p.param.type for p, role in self.roles if role == "dtype"))
        return tuple(d for d in ("float32", "float64") if d in served)


def filled_of(makers: Makers, t: CType) -> Filled | None:
    """The matrix that a parameter of this type points to, with the first function that fills one in over memory."""
    life = makers.lifecycles.of(t)
    for maker in life.makers if life is not None and life.held else ():
        parts = makers.parts.of(maker)
        roles = [_role(makers, part, parts, object_key(t)) for part in parts]
        if set(roles) == _ALL and len(roles) == len(_ALL):
            assert life is not None
            found = Filled(life.ctype, maker, tuple(zip(parts, roles, strict=True)))
            return found if found.dtypes(makers) else None
    return None


def _role(makers: Makers, part: Part, parts: tuple[Part, ...], key: str) -> str:
    t = part.param.type
    if object_key(t) == key:
        return "own"
    if t.name in makers.dtypes:
        return "dtype"
    if t.kind == "int":
        return next((role for role, names in _CALLED.items() if part.joined in names), "")
    raw = t.kind == "pointer" and t.pointee is not None and t.pointee.kind == "void" and not t.pointee.const
    return "data" if raw and (part.joined in _BUFFER or tensor_role(part, parts) == "data") else ""
