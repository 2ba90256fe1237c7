"""Structs of C++ that say type and extents of a tensor and hold no memory: ``struct Plate { Grain grain;
std::vector<int> sides; }``. A kernel fills one for each tensor that an op is prepared for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchfl_sdk.header.model import Struct
from torchfl_sdk.match.tokens import split, words
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.classes.arguments import shaped, suits
from torchfl_sdk.scaffold.classes.filler import outside
from torchfl_sdk.scaffold.classes.types import Value, parse, value_of
from torchfl_sdk.scaffold.compose.helper import Helper, plain

if TYPE_CHECKING:
    from torchfl_sdk.match.recognise.parts import Part
    from torchfl_sdk.scaffold.compose.composer import Composer
    from torchfl_sdk.scaffold.compose.keepers import Keepers

_STEPS = frozenset(words("strides stride steps step pitch pitches"))


def described(composer: Composer, part: Part, tensor: str) -> str | None:
    """The description of a tensor of the op for a parameter that is one; None for parameters of other types."""
    t = part.param.type
    pointed = t.kind == "pointer" and t.pointee is not None
    value = value_of(t.pointee) if pointed and t.pointee is not None else value_of(t)
    if not tensor or _fields(composer.makers, value) is None:
        return None
    helper = composer.makers.once("plate", value.text, lambda _: _filler(composer.makers, value))
    composer.use(helper)
    found = _fields(composer.makers, value)
    assert found is not None
    enum = next(f.type for f in composer.model.structs[value.text].fields if f.name == found[1])
    suits(composer, tensor, value.text, composer.makers.served(enum))
    mark = f"plate {tensor}"
    if mark not in composer.objects:
        name = composer.objects[mark] = composer.code.name(f"{tensor}_{plain(value.text.rpartition('::')[2]).lower()}")
        said = f"{helper.name}({shaped(composer, tensor)})"
        if tensor in composer.op.optional_inputs:
            composer.code.add(f"::{value.text} {name};", f"if (torchfl::present({tensor})) {name} = {said};")
        else:
            composer.code.add(f"::{value.text} {name} = {said};")
    name = composer.objects[mark]
    if not pointed:
        return name
    return f"torchfl::present({tensor}) ? &{name} : nullptr" if tensor in composer.op.optional_inputs else f"&{name}"


def _fields(makers: Keepers, value: Value) -> tuple[str, str, str] | None:
    """(extents, element type, steps or "") of such a struct; None for another type."""
    struct: Struct | None = makers.model.structs.get(value.text)
    if struct is None or not struct.complete:
        return None
    lists = [f.name for f in struct.fields if (v := parse(f.type.canonical)).integers and v.grows]
    steps = [name for name in lists if set(split(name)) & _STEPS]
    types = [f.name for f in struct.fields if f.type.kind == "enum" and f.type.name in makers.dtypes]
    address = any(f.type.kind == "pointer" for f in struct.fields)
    if len(types) != 1 or len(lists) - len(steps) != 1 or len(steps) > 1 or address:
        return None
    return next(name for name in lists if name not in steps), types[0], steps[0] if steps else ""


def _filler(makers: Keepers, value: Value) -> Helper:
    """``T name(tensor)``."""
    found = _fields(makers, value)
    assert found is not None
    extents, dtype, steps = found
    struct = makers.model.structs[value.text]
    types = {f.name: f.type for f in struct.fields}
    enum = makers.dtype(outside(types[dtype]))
    name = f"describe_{plain(value.text)}"
    why = cxx.string(f"no {enum.ctype} for this dtype")
    lines = [
        f"::{value.text} made;",
        f"if (!{enum.name}(t.dtype, &made.{dtype})) torchfl::decline({why});",
        f"made.{extents} = torchfl::sizes_of<{types[extents].canonical}>(t);",
    ]
    if steps:
        lines.append(f"made.{steps} = torchfl::strides_of<{types[steps].canonical}>(t);")
    body = "".join(f"  {line}\n" for line in [*lines, "return made;"])
    head = "// Type and extents of a tensor, as the vendor's struct says them."
    text = f"{head}\n::{value.text} {name}(const tfl_tensor& t) {{\n{body}}}"
    return Helper(name, text, enum.texts, (), f"::{value.text}")
