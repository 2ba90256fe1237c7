"""Operands that are views by value: ``span<const float>(data, size)``, ``matrix<T>{data, rows, cols, pitch}``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchfl_sdk.header.model import Param, View
from torchfl_sdk.match.recognise.parts import Part
from torchfl_sdk.match.tokens import split, words
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.classes.types import Value, parse
from torchfl_sdk.scaffold.kernel_plan import NotGenerated

if TYPE_CHECKING:
    from torchfl_sdk.scaffold.compose.composer import Composer

#: Element types of C++ -> torchfl's names.
_ELEMENTS = {
    "float": "float32", "double": "float64", "bool": "bool", "int": "int32", "long": "int64", "short": "int16",
    "unsigned char": "uint8", "signed char": "int8",
}  # fmt: skip
_COUNT = frozenset(words("size n num count len length numel elements total"))
_ROWS = frozenset(words("rows nrows height"))
_COLUMNS = frozenset(words("cols columns ncols width"))
_PITCH = frozenset(words("pitch ld stride step rowstride"))
_EXTENTS = frozenset(words("extent extents shape sizes size dims dim e"))
_STEPS = frozenset(words("stride strides step steps"))
#: Rules of ops that work on elements wherever they lie, so that any dense tensor is one row of them.
_ANYWHERE = ("same", "broadcast")


def view_of(composer: Composer, value: Value) -> View | None:
    """The class template of a value that is a view of memory; None for other types."""
    return composer.model.views.get(value.template.removeprefix("::"))


def viewed(composer: Composer, part: Part, value: Value, tensor: str) -> str:
    """A view of a tensor of the op, as C++. Raises :class:`NotGenerated` where the parts of one have no meaning."""
    view = view_of(composer, value)
    assert view is not None
    element = value.arguments[0]
    dtype = _ELEMENTS.get(element.text)
    if dtype is None:
        raise NotGenerated(f"{part.name!r} has elements of {element.text}, which PyTorch has not")
    rank = _rank(view, value)
    from torchfl_sdk.scaffold.classes.arguments import shaped, suits

    suits(composer, tensor, value.text, (dtype,))
    name = shaped(composer, tensor)
    if rank == 1:
        _in_a_row(composer, name, tensor)
        extents, steps = [f"{name}.numel"], ["1"]
    else:
        extents, steps = _matrix(composer, part, name, tensor, rank)
    const = "const " if element.const else ""
    made = [f"torchfl::data<{const}{element.text}>({name})"]
    for p in view.parts[1:]:
        made.append(_part(p, extents, steps, part))
    own = composer.code.name(f"{tensor}_view")
    left, right = ("{", "}") if view.aggregate else ("(", ")")
    head = f"const ::{value.text.removeprefix('::')} {own}{left}"
    line = f"{head}{', '.join(made)}{right};"
    composer.code.add(
        line if len(line) + 2 <= cxx.WIDTH else f"{head}\n      {(',' + chr(10) + '      ').join(made)}{right};"
    )
    return own


def _rank(view: View, value: Value) -> int:
    """How many dimensions a view has."""
    numbers = [int(a.text) for a in value.arguments[1:] if a.text.isdigit()]
    named = {w for p in view.parts for w in split(p.name)}
    if numbers:
        return numbers[0]
    return 2 if named & _ROWS and named & _COLUMNS else 1


def _in_a_row(composer: Composer, name: str, tensor: str) -> None:
    """Elements of an op over each of them lie in one row; of another op they must be of one dimension."""
    if composer.op.shape_rule in (*_ANYWHERE, "layer_norm"):
        return
    if composer.op.shape_rule in ("reduce", "along_dim"):
        raise NotGenerated(f"{tensor!r} goes to it without its dimensions, and {composer.op.name} works along some")
    why = cxx.string("the vendor's function takes one dimension")
    composer.code.add(f"if ({name}.rank > 1) return torchfl::unsupported({why});")


def _matrix(composer: Composer, part: Part, name: str, tensor: str, rank: int) -> tuple[list[str], list[str]]:
    """Extents and steps of a dense tensor: its own, or rows of the last dimension for an op along that."""
    if rank == 2 and composer.op.shape_rule == "along_dim":
        _last(composer)
        columns = composer.code.name(f"{tensor}_columns")
        said = f"{tensor}.rank == 0 ? 1 : {tensor}.sizes[{tensor}.rank - 1]"
        composer.code.add(f"const int64_t {columns} = {said};")
        return [f"{tensor}.numel / {columns}", columns], [columns, "1"]
    if rank == 2 and composer.op.shape_rule == "bmm":
        raise NotGenerated(f"{part.name!r} is one matrix, and {composer.op.name} works on stacks of them")
    if rank != 2:
        raise NotGenerated(f"{tensor!r} is a view of {rank} dimensions, whose order nothing says")
    why = cxx.string("the vendor's function takes matrices")
    composer.code.add(f"if ({name}.rank != 2) return torchfl::unsupported({why});")
    return [f"{name}.sizes[{i}]" for i in range(2)], [f"{name}.sizes[1]", "1"]


def _last(composer: Composer) -> None:
    """The op must work along the last dimension, as a function over rows does."""
    if "dim" in composer.covered or composer.attributes.index("dim") is None:
        return
    composer.covered.add("dim")
    composer.constraints["dim"] = (-1,)
    first, source = composer.op.inputs[0], composer.attributes.source("dim")
    why = cxx.string("the vendor's function works along the last dimension only")
    composer.code.add(
        f"if (torchfl::from_front({first}, torchfl::integer({source}, -1)) != "
        f"({first}.rank == 0 ? 0 : {first}.rank - 1)) return torchfl::unsupported({why});"
    )


def _part(p: Param, extents: list[str], steps: list[str], part: Part) -> str:
    """One part of a view behind its address."""
    named, value = set(split(p.name)), parse(p.type.canonical)
    listed = p.type.kind == "array" or value.template.rpartition("::")[2] == "array"
    if listed:
        entries = steps if named & _STEPS else extents if named & _EXTENTS else None
        if entries is None:
            raise NotGenerated(f"nothing says what {part.name!r} should have as {p.name!r}")
        return f"{{{', '.join(entries)}}}"
    if p.type.kind == "int":
        if named & _ROWS:
            return cxx.integer(p.type.canonical, extents[0])
        if named & _COLUMNS:
            return cxx.integer(p.type.canonical, extents[-1])
        if named & _PITCH and len(steps) > 1:
            return cxx.integer(p.type.canonical, steps[0])
        if named & _COUNT and len(extents) == 1:
            return cxx.integer(p.type.canonical, extents[0])
    raise NotGenerated(f"nothing says what {part.name!r} should have as {p.name!r}")
