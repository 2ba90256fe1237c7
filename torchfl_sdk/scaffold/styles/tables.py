"""Tensors that are numbers: a library's table gives one out for a type and sizes, and copies a tensor to it and back.

Such a tensor is made for the length of a call, over the host's memory: operands are put into it, the result is got out
of it. The styles see it as a struct that says type and sizes, for it knows both. What stands for an opened card is a
number too, one for each thread.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from torchfl_sdk.header.model import CType, Enum, Enumerator, Field, Function, HeaderModel, Param, Struct
from torchfl_sdk.match.elements import named_dtypes
from torchfl_sdk.match.model import OpMatch
from torchfl_sdk.match.standins import TENSORS, WRITTEN, Seen, StandIn
from torchfl_sdk.match.tokens import split, words
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.texts import definition

#: The struct that the styles see, and the C++ class that stands for it.
TENSOR = "TableTensor"
_OPENS = frozenset(words("open connect attach start begin init acquire request session"))
_CLOSES = frozenset(words("close disconnect detach stop end finish release"))
_INDEX = frozenset(words("card device dev index board chip id number unit"))
_MAKES = frozenset(words("new create make alloc add declare tensor"))
_TYPES = frozenset(words("type dtype datatype kind elemtype"))
_RANKS = frozenset(words("ndim rank ndims numdims dims n"))
_BYTES = frozenset(words("bytes size len length nbytes n"))
_DELETES = frozenset(words("del delete destroy free release drop discard"))
_DTYPES = ("float32", "float16", "float64", "int8", "uint8", "int32", "int64", "int16", "bool", "bfloat16")


@dataclass(frozen=True)
class Table:
    """``ctype``: of a tensor's number; ``opens``: None for a library that needs no session; ``dtypes``: torchfl's name
    of an element type -> the vendor's constant."""

    ctype: str
    session: str  # its C type, "" without one
    opens: Function | None
    closes: Function | None
    makes: Function
    puts: Function
    gets: Function
    deletes: Function
    dtypes: Mapping[str, str]

    @property
    def symbols(self) -> tuple[str, ...]:
        found = (self.opens, self.closes, self.makes, self.puts, self.gets, self.deletes)
        return tuple(f.name for f in found if f is not None)

    def struct(self, model: HeaderModel) -> HeaderModel:
        """The header's model with the struct that the styles see for one of its tensors."""
        number = CType("int64_t", "long", "int", bits=64, signed=True)
        void = CType("void", "void", "void")
        sizes = replace(number, spelled="int64_t[8]", kind="array", pointee=number, extent=8)
        fields = (
            Field("data", CType("void *", "void *", "pointer", pointee=void)),
            Field("dtype", CType(TENSOR, TENSOR, "enum", name=TENSOR, bits=32)),
            Field("rank", number),
            Field("dims", sizes),
        )
        place = self.makes.place
        types = Enum(TENSOR, tuple(Enumerator(f"TABLE_{name.upper()}", i) for i, name in enumerate(self.dtypes)), place)
        structs = {**model.structs, TENSOR: Struct(TENSOR, fields, place)}
        return replace(model, structs=structs, enums={**model.enums, TENSOR: types})

    def helper(self) -> str:
        """The class that stands for one of its tensors, and the function that opens a session."""
        given = {"session": "session_"} if self.session else {}
        rank = f"static_cast<{self._of(self.makes, _RANKS)}>(t.rank > 0 ? t.rank : 1)"
        copied = {**given, "tensor": "id_", "data": "torchfl::data(t)", "bytes": "bytes"}
        return definition(
            "table_tensor.cpp.j2",
            table=self,
            tensor=TENSOR,
            dtypes=[(cxx.TFL_DTYPES[d], constant) for d, constant in self.dtypes.items() if d in cxx.TFL_DTYPES],
            opening=", ".join("call->device" for _ in self.opens.params) if self.opens is not None else "",
            make=self._call(self.makes, {**given, "type": "type", "rank": rank, "dims": "dims"}),
            delete=self._call(self.deletes, {**given, "tensor": "id_"}),
            put=self._call(self.puts, copied),
            get=self._call(self.gets, copied),
            size=self._of(self.puts, _BYTES),
            dim=self._dim(),
        )

    def _call(self, function: Function, given: Mapping[str, str]) -> str:
        """The call, with every argument by what it is."""
        arguments = []
        for i, p in enumerate(function.params):
            named = set(split(p.name))
            if i == 0 and self.session:
                arguments.append(given["session"])
            elif p.type.kind == "pointer":
                arguments.append(given.get("dims") or given["data"])
            elif "type" in given and named & _TYPES:
                arguments.append(f"static_cast<{cxx.bare(p.type.spelled)}>({given['type']})")
            elif "rank" in given and named & _RANKS:
                arguments.append(given["rank"])
            elif "bytes" in given and named & _BYTES:
                arguments.append(given["bytes"])
            else:
                arguments.append(given["tensor"])
        return f"vendor::{function.name}({', '.join(arguments)})"

    @staticmethod
    def _of(function: Function, names: frozenset[str]) -> str:
        return next(
            cxx.bare(p.type.spelled) for p in function.params if set(split(p.name)) & names and p.type.kind == "int"
        )

    def _dim(self) -> str:
        return next(cxx.bare(cxx.pointee(p.type.spelled)) for p in self.makes.params if p.type.kind == "pointer")


def table_of(model: HeaderModel) -> Table | None:
    """The table of a header, or None where it has none whose tensors could be made, filled, read and deleted."""
    plain = [
        f for f in model.functions if f.linkage == "c" and not f.variadic and not f.inline and f.result.kind == "int"
    ]
    for makes in plain:
        ints = [p for p in makes.params if p.type.kind == "int"]
        lists = [p for p in makes.params if _points(p.type, "int")]
        typed = [p for p in ints if set(split(p.name)) & _TYPES]
        ranks = [p for p in ints if set(split(p.name)) & _RANKS]
        if not (_MAKES & set(split(makes.name)) and len(lists) == len(typed) == len(ranks) == 1):
            continue
        left = len(makes.params) - 3
        opens = next((f for f in plain if _OPENS & set(split(f.name)) and _indexed(f)), None) if left == 1 else None
        if left > 1 or (left == 1 and (opens is None or makes.params[0] in (*lists, *typed, *ranks))):
            continue
        session = cxx.bare(makes.params[0].type.spelled) if left else ""
        takes = left + 1
        puts = next((f for f in plain if _copies(f, takes, const=True)), None)
        gets = next((f for f in plain if _copies(f, takes, const=False)), None)
        deletes = next((f for f in plain if len(f.params) == takes and _DELETES & set(split(f.name))
                        and all(p.type.kind == "int" for p in f.params)), None)  # fmt: skip
        closes = next((f for f in plain if len(f.params) == 1 and left and _CLOSES & set(split(f.name))
                       and f.params[0].name == makes.params[0].name), None)  # fmt: skip
        dtypes = _constants(model)
        if puts is None or gets is None or deletes is None or "float32" not in dtypes:
            continue
        ctype = cxx.bare(makes.result.aliases[0] if makes.result.aliases else makes.result.spelled)
        return Table(ctype, session, opens, closes, makes, puts, gets, deletes, dtypes)
    return None


def _points(type_: CType, kind: str) -> bool:
    inner = type_.pointee
    return type_.kind == "pointer" and inner is not None and inner.const and inner.kind == kind and inner.bits >= 32


def _indexed(function: Function) -> bool:
    """True for an opener that takes a card's number, or nothing."""
    return len(function.params) <= 1 and all(
        p.type.kind == "int" and set(split(p.name)) <= _INDEX for p in function.params
    )


def _copies(function: Function, before: int, *, const: bool) -> bool:
    """True for ``put(session, tensor, const void *host, bytes)``, or the way back."""
    params = function.params
    if len(params) != before + 2 or any(p.type.kind != "int" for p in params[:before]):
        return False
    inner, last = params[before].type.pointee, params[before + 1]
    return (
        inner is not None and inner.kind == "void" and inner.const == const
        and last.type.kind == "int" and bool(set(split(last.name)) & _BYTES)
    )  # fmt: skip


def _constants(model: HeaderModel) -> dict[str, str]:
    """Element types by the names of constants and macros that are nothing else: ``ACME_F32``."""
    names = [*model.constants, *(c.name for e in model.enums.values() for c in e.constants)]
    found = {dtype: name for dtype, name in named_dtypes(names).items() if dtype in _DTYPES}
    if "uint8" in found:
        found.setdefault("bool", found["uint8"])  # PyTorch's truth values are bytes of 0 and 1
    return found


def numbered(table: Table, match: OpMatch, function: Function) -> dict[int, Seen]:
    """The arguments of a function that are numbers of such tensors, as pointers to the struct that the styles see."""
    found: dict[int, Seen] = {}
    for i, (param, (_, role)) in enumerate(zip(function.params, match.arguments, strict=True)):
        if role in TENSORS and _is_number(table, param):
            stands = StandIn("table", written=role in WRITTEN)
            inner = CType(TENSOR, TENSOR, "struct", name=TENSOR, const=not stands.written)
            found[i] = Seen(stands, CType(f"{TENSOR} *", f"{TENSOR} *", "pointer", pointee=inner))
    return found


def _is_number(table: Table, param: Param) -> bool:
    return param.type.kind == "int" and cxx.bare(param.type.spelled) == table.ctype
