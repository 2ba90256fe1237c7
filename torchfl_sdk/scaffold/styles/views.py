"""Vectors and matrices that are structs of the caller: a pointer to numbers, how many there are, how far apart.

Such a struct is filled for the length of a call, over memory that stays the tensor's. Matrices are taken for row-major,
whose rows lie a leading dimension apart; the probe finds it where a vendor means columns.
"""

from __future__ import annotations

from dataclasses import dataclass

from torchfl_sdk.header.model import CType, Field, HeaderModel
from torchfl_sdk.match.elements import element_dtype
from torchfl_sdk.match.tokens import words
from torchfl_sdk.scaffold import cxx

_DTYPES = frozenset({"float32", "float64"})
_COUNT = frozenset(words("size n len length count num numel nelem elements dim"))
_STEP = frozenset(words("stride inc increment step incx"))
_ROWS = frozenset(words("size1 rows nrows nrow row m height dim1 numrows"))
_COLUMNS = frozenset(words("size2 cols columns ncols ncol col n width dim2 numcols"))
_LEADING = frozenset(words("tda ld lda ldim leadingdim leadingdimension rowstride stride rowstep"))
#: Numbers that say whose the memory is: 0 for "not the struct's".
_OWNER = frozenset(words("owner own owned owns owning mine"))


@dataclass(frozen=True)
class View:
    """One such struct. ``extents``: the field of the count, or those of rows and columns; ``step``: that of the
    distance of elements or of rows, "" where they lie side by side."""

    struct: str  # its C name
    element: CType
    dtype: str
    data: str
    extents: tuple[str, ...]
    step: str
    narrow: str = ""  # an integer type among its fields that does not hold every extent

    @property
    def is_matrix(self) -> bool:
        return len(self.extents) == 2

    @property
    def function(self) -> str:
        """The helper that fills one."""
        return f"{self.struct.rsplit('::', 1)[-1].removeprefix('struct ')}_over"

    @property
    def helper(self) -> str:
        """Its definition, which new-chip writes once ahead of the kernels."""
        kind, sizes = ("matrix", ("rows", "columns")) if self.is_matrix else ("vector", ("count",))
        names = [*sizes, "step"]
        head = f"{self.struct} {self.function}(void* data, {', '.join(f'int64_t {n}' for n in names)}) {{"
        fields = [*zip(self.extents, sizes, strict=True), *([(self.step, "step")] if self.step else [])]
        filled = [f"  made.{field} = static_cast<decltype(made.{field})>({name});" for field, name in fields]
        head = head if self.step else head.replace("int64_t step", "int64_t")
        return "\n".join(
            [
                f"// A {kind} over memory that it does not own.",
                head,
                f"  {self.struct} made{{}};",
                f"  made.{self.data} = static_cast<{cxx.bare(self.element.spelled)}*>(data);",
                *filled,
                "  return made;",
                "}",
            ]
        )

    def made(self, data: str, *extents: str) -> str:
        """An argument that points to one, for as long as the call lasts; ``extents`` end with the step."""
        return f"torchfl::ByAddress<{self.struct}>{{{self.function}({', '.join([data, *extents])})}}"


def view_of(model: HeaderModel, type_: CType) -> View | None:
    """The vector or matrix that a parameter of this type points to; None where the struct says more, or less."""
    inner = type_.pointee
    if type_.kind != "pointer" or inner is None or inner.kind != "struct":
        return None
    name = inner.aliases[0] if inner.aliases else inner.name
    struct = model.structs.get(inner.name) or next((s for s in model.structs.values() if name in s.typedefs), None)
    if struct is None or not struct.complete or struct.union or struct.unresolved:
        return None
    numbers = {f.name: _plain(f.name) for f in struct.fields if f.type.kind == "int"}
    data = [f for f in struct.fields if _is_data(f)]
    others = [f for f in struct.fields if f not in data and f.name not in numbers]
    if len(data) != 1 or not all(_is_object(f) for f in others):
        return None
    left = {n: w for n, w in numbers.items() if w not in _OWNER}
    element = data[0].type.pointee
    assert element is not None
    dtype = element_dtype(element) or ""
    for sizes, steps in (((_ROWS, _COLUMNS), _LEADING), ((_COUNT,), _STEP)):
        found = [next((n for n, w in left.items() if w in some), "") for some in sizes]
        rest = [n for n in left if n not in found]
        if all(found) and len(set(found)) == len(found) and all(left[n] in steps for n in rest) and len(rest) <= 1:
            types = [cxx.bare(f.type.spelled) for f in struct.fields if f.name in (*found, *rest) and f.type.bits < 64]
            return View(name, element, dtype, data[0].name, tuple(found), (rest or [""])[0], (types or [""])[0])
    return None


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def _is_data(field: Field) -> bool:
    inner = field.type.pointee
    return field.type.kind == "pointer" and inner is not None and not inner.const and element_dtype(inner) in _DTYPES


def _is_object(field: Field) -> bool:
    """A pointer to what else the struct may belong to; none for memory of the caller's."""
    inner = field.type.pointee
    return field.type.kind == "pointer" and inner is not None and inner.kind == "struct"
