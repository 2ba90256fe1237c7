"""What each parameter of a possible op function is, before any op is known: tensor, count, type selector, scalar."""

from __future__ import annotations

from dataclasses import dataclass, replace

from torchfl_sdk.header.model import CType, Function, HeaderModel, Param
from torchfl_sdk.match.elements import dtype_enums, element_dtype
from torchfl_sdk.match.handles import is_numbered_queue
from torchfl_sdk.match.model import StructLayout
from torchfl_sdk.match.structs import tensor_structs
from torchfl_sdk.match.tokens import split, words

_COUNT = frozenset(words("n num count cnt len length size numel elements elems total nelem numelements nelems number"))
_OUTPUT = frozenset(words("out output dst dest destination result res ret y z c r o"))
_STREAM = frozenset(words("stream queue cmdqueue"))
_MARKS = frozenset(words("d dev device gpu p ptr"))
_SCALAR_POINTERS = frozenset(words("alpha beta"))


@dataclass(frozen=True)
class Parameter:
    """One parameter with what its C type makes it.

    ``sort``: tensor | struct | dtype | enum | int | float | ints (an array of integers) | scalar_pointer | stream |
    text | opaque | other. ``element`` is the dtype behind a tensor pointer ("" for void).
    """

    index: int
    param: Param
    sort: str
    written: bool = False  # the function may write what it points to
    element: str = ""
    layout: StructLayout | None = None
    values: tuple[tuple[str, str], ...] = ()  # dtype selector

    @property
    def name(self) -> str:
        return self.param.name

    @property
    def words(self) -> tuple[str, ...]:
        """The words of its name, those of pointers without the mark of where they point to: ``d_gamma``."""
        points = self.param.type.kind in ("pointer", "array")
        return _unmarked(self.param.name) if points else tuple(split(self.param.name))

    @property
    def joined(self) -> str:
        return "".join(self.words)

    @property
    def looks_like_count(self) -> bool:
        return self.sort == "int" and bool(set(self.words) & _COUNT)

    @property
    def looks_like_output(self) -> bool:
        return bool(set(self.words) & _OUTPUT) or self.joined.endswith(("out", "output", "dst", "result"))


class Parameters:
    """Classifies parameters of one header's functions."""

    def __init__(self, model: HeaderModel) -> None:
        self._model = model
        self._dtypes = dtype_enums(model)
        self._structs = tensor_structs(model)

    def of(self, function: Function) -> tuple[Parameter, ...]:
        found = tuple(self._one(i, param) for i, param in enumerate(function.params))
        if not any("gamma" in split(p.name) for p in found):
            return found
        # Beside gamma, beta is what a normalisation adds, not a factor.
        return tuple(
            replace(p, sort="tensor") if p.sort == "scalar_pointer" and p.joined == "beta" else p for p in found
        )

    def _one(self, index: int, param: Param) -> Parameter:
        type_ = param.type
        if type_.kind == "enum":
            values = self._dtypes.get(type_.name)
            return Parameter(index, param, "dtype" if values else "enum", values=tuple((values or {}).items()))
        if type_.kind in ("int", "bool"):
            return Parameter(index, param, "stream" if is_numbered_queue(type_) else "int")
        if type_.kind == "float":
            return Parameter(index, param, "float")
        if type_.kind == "struct" and type_.name in self._structs:
            # A copy of the struct: const would say nothing about the memory that it points to.
            return Parameter(index, param, "struct", True, layout=_by_value(self._structs[type_.name]))
        if type_.kind in ("pointer", "array") and type_.pointee is not None:
            return self._pointer(index, param, type_, type_.pointee)
        return Parameter(index, param, "opaque" if type_.kind == "struct" else "other")

    def _pointer(self, index: int, param: Param, type_: CType, inner: CType) -> Parameter:
        written = not inner.const
        name = set(split(param.name))
        if inner.kind == "struct" and inner.name in self._structs:
            return Parameter(index, param, "struct", written, layout=self._structs[inner.name])
        if name & _STREAM and inner.kind in ("struct", "void") and type_.aliases:
            return Parameter(index, param, "stream")
        if inner.canonical.removeprefix("const ") == "char":
            return Parameter(index, param, "text", written)
        if type_.kind == "pointer" and type_.aliases:
            return Parameter(index, param, "opaque", written)  # typedef'd pointer: a handle
        element = element_dtype(inner)
        if type_.kind == "array" and inner.kind == "int" and inner.bits >= 32:
            return Parameter(index, param, "ints", written)
        if element is None:
            return Parameter(index, param, "opaque", written)
        if "".join(_unmarked(param.name)) in _SCALAR_POINTERS and not written:
            return Parameter(index, param, "scalar_pointer", element=element)
        return Parameter(index, param, "tensor", written, element)


def _unmarked(name: str) -> tuple[str, ...]:
    found = tuple(split(name))
    return found[1:] if len(found) > 1 and found[0] in _MARKS else found


def _by_value(layout: StructLayout) -> StructLayout:
    return replace(layout, by_value=True)
