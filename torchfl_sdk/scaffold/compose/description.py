"""Arguments of functions that describe a tensor to the vendor: extents, strides, dtype, layout, data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from torchfl_sdk.header.model import CType, Function
from torchfl_sdk.match.handles import object_key, out_key, variable_type
from torchfl_sdk.match.recognise.parts import Part
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.compose import choose
from torchfl_sdk.scaffold.compose.code import Code
from torchfl_sdk.scaffold.compose.geometry import tensor_role
from torchfl_sdk.scaffold.compose.helper import add_texts
from torchfl_sdk.scaffold.kernel_plan import NotGenerated

if TYPE_CHECKING:
    from torchfl_sdk.scaffold.compose.makers import Makers


class TensorArguments:
    """Fills the arguments of functions that describe a tensor, over the C++ variables call, t, shape, out."""

    def __init__(self, makers: Makers, key: str, code: Code, before: list[str], found: set[str]) -> None:
        self.makers, self.key, self.code, self.before, self.found = makers, key, code, before, found

    def of(self, function: Function) -> list[str]:
        parts = self.makers.parts.of(function)
        return [self._one(function, p, parts) for p in parts]

    def _one(self, function: Function, part: Part, parts: Sequence[Part]) -> str:
        t, model = part.param.type, self.makers.model
        if out_key(t) == self.key:
            return "out"
        if object_key(t) == self.key:
            life = self.makers.lifecycles.by_key(self.key)
            return "out" if life is not None and life.held else "*out"
        if part.sort == "dtype":
            return self._dtype(t)
        if part.sort == "enum":
            return self._layout(function, part)
        role = tensor_role(part, parts)
        if role:
            self.found.add(role)
            return self._extent(part, role)
        key = object_key(t)
        if key:
            return self._object(key)
        if t.kind == "enum" and (constant := choose.default(model, t)):
            return constant
        raise NotGenerated(f"nothing says what {function.name} should get as {part.name!r}")

    def _dtype(self, t: CType) -> str:
        helper = self.makers.dtype(t)
        if helper.text not in self.before:
            self.before.append(helper.text)
        name = self.code.name("dtype")
        why = cxx.string(f"no {helper.ctype} for this dtype")
        self.code.add(
            f"{helper.ctype} {name};",
            f"if (!{helper.name}(t.dtype, &{name})) return torchfl::unsupported({why});",
        )
        return name

    def _layout(self, function: Function, part: Part) -> str:
        model, t = self.makers.model, part.param.type
        images, plain = choose.layout(model, t, images=True), choose.layout(model, t, images=False)
        if not images or not plain:
            constant = choose.default(model, t)
            if constant:
                return constant
            raise NotGenerated(f"nothing says which {t.spelled} {function.name} should get as {part.name!r}")
        return images if images == plain else f"shape.rank == 4 ? {images} : {plain}"

    def _extent(self, part: Part, role: str) -> str:
        ctype = part.param.type.spelled
        why = cxx.string(f"an extent beyond {cxx.bare(cxx.pointee(ctype) if cxx.is_pointer(ctype) else ctype)}")
        if role in ("rank", "storage_rank"):
            return cxx.integer(ctype, "shape.rank")
        if role == "data":
            return "torchfl::data(t)" if "void" in part.param.type.canonical else cxx.data("t", ctype)
        if role == "offset":
            return "0"
        if role in ("sizes", "strides", "storage"):
            source = "strides" if role == "strides" else "sizes"
            name = self.code.name(role)
            t = part.param.type.pointee
            element = variable_type(t) if t is not None else "int"
            self.code.add(
                f"torchfl::Extents<{element}> {name};",
                f"if (!{name}.fill(shape.{source}, shape.rank)) return torchfl::unsupported({why});",
            )
            return f"{name}.values"
        what, _, index = role.partition(".")
        expression = f"shape.{'sizes' if what == 'size' else 'strides'}[{index}]"
        if not cxx.is_wide(ctype):
            self.code.add(f"if (!torchfl::fits<{cxx.bare(ctype)}>({expression})) return torchfl::unsupported({why});")
        return cxx.integer(ctype, expression)

    def _object(self, key: str) -> str:
        """Another description of the same tensor, or something that is kept."""
        try:
            helper = self.makers.tensor(key)
        except NotGenerated:
            return self.makers.kept_argument(key, self.code, self.before)
        self.found.add("description")
        add_texts(self.before, helper)
        self.code.used += [u for u in helper.used if u not in self.code.used]
        life = self.makers.lifecycles.by_key(key)
        name, out = self.code.place(life, helper.ctype, "description")
        self.code.add(f"TFL_TRY({helper.name}(call, t, shape, {out}));")
        self.code.filled(life, name, borrows=helper.borrows)
        return name
