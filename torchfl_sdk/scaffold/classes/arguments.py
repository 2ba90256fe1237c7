"""Arguments and results that are tensor objects, and what stands beside them: switches, numbers by reference."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from torchfl_sdk.header.model import Function
from torchfl_sdk.match.recognise.parts import Part
from torchfl_sdk.match.tokens import split
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.classes.kept import by_reference
from torchfl_sdk.scaffold.classes.standard import default
from torchfl_sdk.scaffold.classes.tensors import TensorHelpers
from torchfl_sdk.scaffold.classes.types import Value, value_of
from torchfl_sdk.scaffold.classes.views import view_of, viewed
from torchfl_sdk.scaffold.kernel_plan import NotGenerated

if TYPE_CHECKING:
    from torchfl_sdk.scaffold.compose.composer import Composer

#: What comments say of images whose channels lie innermost.
_INNERMOST = re.compile(r"\bn[dh]*wc\b|channels?[- _]last", re.IGNORECASE)
#: A function of the caller's that lends memory for as long as what it gives lives.
_LENT = re.compile(r"std::function<std::unique_ptr<void, std::function<void ?\(void \*\)>> ?\(unsigned long\)>")
#: Words of switches that trade exactness for speed.
_INEXACT = frozenset(("approximate", "approx", "fast"))
#: What the operands of sums of products are called, in the matcher's order: what is added, then the factors.
_ADDED = ("aten::addmm", "aten::baddbmm", "aten::addmv", "aten::addr")
_POSITIONS = ("input", "input2", "input3")
#: Roles of the matcher -> inputs of the catalogue of the same meaning.
_NAMES = {"indices": "index", "mask": "attn_mask", "source": "src"}
_NUMBERS = {"scalar": "value"}


def of_class(composer: Composer, function: Function, part: Part, role: str) -> str | None:
    """An argument that is a tensor object, a list of them, or optional; None for a parameter of another type."""
    value = value_of(part.param.type)
    tensors = composer.makers.tensors
    if (pointed := _pointed(composer, part)) is not None:
        return _address(composer, function, part, role, pointed)
    if view_of(composer, value.optional or value) is not None:
        return _view(composer, function, part, value, role)
    if _LENT.fullmatch(value.text):
        return "torchfl::Lender(device::api, *call)"
    if value.grows and value.arguments and tensors.is_tensor(value.arguments[0]):
        return _listed(composer, value)
    inner = value.optional or value
    if not tensors.is_tensor(inner):
        own = role in ("", "handle", "stream", "ctx") and default(function, part.param) is None
        kept = by_reference(composer, part) if own else None
        return _beside(composer, function, part, value, role) if kept is None else kept
    if role == "output" and (value.optional or not value.written):
        role = ""  # where a result may be put; it is returned all the same
    name = operand(composer, role) if role else ""
    if not name:
        given = default(function, part.param)
        if given is None:
            raise NotGenerated(f"nothing says which tensor {part.name!r} of {function.name} is")
        return given
    helpers = tensors.of(inner.text)
    if name == "out" and not helpers.made.borrows:
        raise NotGenerated(f"a {inner.text} holds memory of its own, and {function.name} writes to one")
    suits(composer, name, helpers.ctype, helpers.dtypes)
    made = _made(composer, helpers, name)
    if value.optional is None:
        if name in composer.op.optional_inputs:
            why = cxx.string(f"the vendor's function wants {name}")
            composer.code.lines.insert(0, f"if (!torchfl::present({name})) return torchfl::unsupported({why});")
            return f"*{made}"
        return made
    return f"{value.text}({made})" if name not in composer.op.optional_inputs else made


def _view(composer: Composer, function: Function, part: Part, value: Value, role: str) -> str:
    """An operand that is a view by value, or an optional one."""
    name = operand(composer, role) if role else ""
    if not name:
        given = default(function, part.param)
        if given is None:
            raise NotGenerated(f"nothing says which tensor {part.name!r} of {function.name} is")
        return given
    made = viewed(composer, part, value.optional or value, name)
    if value.optional is not None and name in composer.op.optional_inputs:
        return f"torchfl::present({name}) ? {value.text}({made}) : std::nullopt"
    if name in composer.op.optional_inputs:
        why = cxx.string(f"the vendor's function wants {name}")
        composer.code.lines.insert(0, f"if (!torchfl::present({name})) return torchfl::unsupported({why});")
    return made


def _pointed(composer: Composer, part: Part) -> Value | None:
    """The tensor class to an object of which a parameter points; None for other parameters."""
    t = part.param.type
    if t.kind != "pointer" or t.pointee is None or t.pointee.kind != "struct":
        return None
    value = value_of(t.pointee)
    return value if composer.makers.tensors.is_tensor(value) else None


def _address(composer: Composer, function: Function, part: Part, role: str, value: Value) -> str:
    """The address of a tensor object; NULL for an operand that a call does not have."""
    name = operand(composer, role) if role else ""
    if not name or part.plural:
        given = default(function, part.param)
        if given is None:
            raise NotGenerated(f"nothing says which tensor {part.name!r} of {function.name} is")
        return given
    helpers = composer.makers.tensors.of(value.text)
    suits(composer, name, helpers.ctype, helpers.dtypes)
    made = _made(composer, helpers, name)
    return f"{made} ? &*{made} : nullptr" if name in composer.op.optional_inputs else f"&{made}"


def operand(composer: Composer, role: str) -> str:
    """The tensor of the op that a role means; "" for none."""
    op, roles = composer.op, dict(composer.match.arguments).values()
    if role == "output":
        return "out"
    if role in op.inputs:
        return role
    if _NAMES.get(role) in op.inputs:
        return _NAMES[role]
    if op.name in _ADDED:
        order = ("bias", *_POSITIONS)
        return op.inputs[order.index(role)] if role in order[: len(op.inputs)] else ""
    taken = {n for r in roles for n in (r, _NAMES.get(r, "")) if n in op.inputs}
    free = [n for n in op.inputs if n not in taken]
    if role in _POSITIONS and _POSITIONS.index(role) < len(free):
        return free[_POSITIONS.index(role)]
    return composer.tensor(role)


def suits(composer: Composer, name: str, ctype: str, dtypes: Sequence[str]) -> None:
    """The class ``ctype`` must have the tensor's element type, one of ``dtypes``."""
    composer.tensors.add(name)
    kind = "common" if name == "out" else composer.op.input_kind(name)
    if name == "out" and composer.op.output_kinds[0] != "common":
        kind = composer.op.output_kinds[0]
    if kind == "common":
        composer.limit(dtypes)
    elif kind == "index" and "int64" not in dtypes:
        raise NotGenerated(f"{ctype} has no integers of 64 bits, which PyTorch's indices are")
    elif kind == "bool" and not {"bool", "uint8", "int8"} & set(dtypes):
        raise NotGenerated(f"{ctype} has no element type for truth values")


def _made(composer: Composer, helpers: TensorHelpers, name: str) -> str:
    """A variable with the vendor's object over a tensor of the op."""
    mark = f"{helpers.ctype} {name}"
    if mark in composer.objects:
        return composer.objects[mark]
    composer.use(helpers.made)
    given = _given(composer, helpers, shaped(composer, name))
    call = f"{helpers.made.name}({', '.join(given)})"
    object_ = composer.code.name(f"{name}_object")
    if helpers.fills and name in composer.op.optional_inputs:
        fill = f"{helpers.made.name}({given[1]}, &{object_}.emplace());"
        composer.code.add(f"std::optional<{helpers.ctype}> {object_};", f"if (torchfl::present({name})) {fill}")
    elif helpers.fills:
        composer.code.add(f"{helpers.ctype} {object_};", f"{helpers.made.name}({given[1]}, &{object_});")
    elif name in composer.op.optional_inputs:
        composer.code.add(f"std::optional<{helpers.ctype}> {object_};",
                          f"if (torchfl::present({name})) {object_}.emplace({call});")  # fmt: skip
    else:
        composer.code.add(f"{helpers.ctype} {object_} = {call};")
    composer.objects[mark] = object_
    return object_


def shaped(composer: Composer, name: str) -> str:
    """The tensor as the vendor sees it: what is normalised over several dimensions has them as one, the last."""
    if composer.op.shape_rule != "layer_norm":
        return name
    first = name in (composer.op.inputs[0], "out")
    sizes, strides = ("{rows, columns}", "{columns, 1}") if first else ("{columns}", "{1}")
    rank, shaped = (2 if first else 1), composer.code.name(f"{name}_rows")
    composer.code.add(
        f"const int64_t {shaped}_sizes[] = {sizes}, {shaped}_strides[] = {strides};",
        f"tfl_tensor {shaped} = {name};",
        f"if (torchfl::present({name})) {shaped}.rank = {rank};",
        f"{shaped}.sizes = {shaped}_sizes;",
        f"{shaped}.strides = {shaped}_strides;",
    )
    return shaped


def _given(composer: Composer, helpers: TensorHelpers, name: str) -> list[str]:
    if helpers.made.borrows:
        return ["call", name]
    if "held" not in composer.code.names:
        composer.code.names.add("held")
        composer.code.add("torchfl::OnHost held(device::api, *call);")
    return ["call", name, "held"]


def _listed(composer: Composer, value: Value) -> str:
    """A list of objects for the op's list of tensors."""
    if not composer.op.list_input:
        raise NotGenerated(f"{composer.op.name} has no list of tensors")
    inner = value.arguments[0]
    helpers = composer.makers.tensors.of(inner.text)
    if helpers.fills:
        raise NotGenerated(f"nothing says that a {inner.text} can be copied into a list")
    composer.use(helpers.made)
    what = composer.op.inputs[0]
    composer.tensors.add(what)
    composer.limit(helpers.dtypes)
    name = composer.code.name(f"{what}_list")
    call = f"{helpers.made.name}({', '.join(_given(composer, helpers, 'call->inputs[i]'))})"
    composer.code.add(
        f"std::vector<{helpers.ctype}> {name};",
        f"for (uint32_t i = 0; i < call->num_inputs; ++i) {name}.push_back({call});",
    )
    return name


def _beside(composer: Composer, function: Function, part: Part, value: Value, role: str) -> str | None:
    """A switch or a number of a function over tensor objects; None where the usual ways know it."""
    if not takes_objects(composer, function):
        return None
    attribute = _NUMBERS.get(role, role)
    index = composer.attributes.index(attribute)
    if index is None and role in ("", "handle", "scalar"):
        attribute = part.name
        index = composer.attributes.index(attribute)
    if composer.op.output_kinds[0] == "named" and (made := composer.makers.tensors.dtype_of(composer, part, "out")):
        return made
    if value.text == "bool":
        if index is not None:
            composer.covered.add(attribute)
            return f"torchfl::integer(call->attrs[{index}], {int(composer.attributes.default(attribute))}) != 0"
        if role == "keepdim":
            return default(function, part.param) or "false"
        if role.startswith("trans.") or set(split(part.name)) & _INEXACT:
            return "false"
    elif value.number and index is not None and role not in ("axis", "dims"):
        composer.covered.add(attribute)
        number = composer.attributes.number(attribute)
        if composer.op.shape_rule == "attention" and attribute == "scale":
            usual = "1 / std::sqrt(static_cast<double>(query.sizes[query.rank - 1]))"
            number = f"torchfl::number({composer.attributes.source(attribute)}, {usual})"
        return f"static_cast<{value.text}>({number})" if value.text != "double" else number
    own = role in ("", "params", "handle", "stream", "layout", "compute_type", "flags", "attr", "workspace", "numel")
    if own or (value.optional is not None and role.partition(".")[0] in ("dtype", "ctx")):
        return default(function, part.param)
    return None


def takes_objects(composer: Composer, function: Function) -> bool:
    """True for a function over tensors that are objects of a class."""
    for p in function.params:
        value = value_of(p.type)
        inner = value.optional or (value.arguments[0] if value.grows and value.arguments else value)
        if p.type.kind == "pointer" and p.type.pointee is not None:
            inner = value_of(p.type.pointee)
        if composer.makers.tensors.is_tensor(inner):
            return True
    return False


def result_of(composer: Composer, function: Function) -> tuple[str, str] | None:
    """(the class of a function's first result, C++ around the call that gives it); None for results of other types."""
    value = value_of(function.result)
    if value.written:
        return None
    if value.template in ("std::tuple", "std::pair") and value.arguments:
        if composer.makers.tensors.is_tensor(value.arguments[0]):
            return value.arguments[0].text, "std::get<0>({})"
        return None
    return (value.text, "{}") if composer.makers.tensors.is_tensor(value) else None


def write_returned(composer: Composer, function: Function, roles: dict[str, str]) -> tuple[str, ...]:
    """The call of a function that returns its result, which goes into PyTorch's own."""
    found = result_of(composer, function)
    assert found is not None
    name, around = found
    helpers = composer.makers.tensors.of(name)
    if helpers.given is None:
        raise NotGenerated(helpers.why)
    if composer.op.output_kinds[0] != "common" and not helpers.checked:
        raise NotGenerated(f"nothing tells which element type the result of {function.name} has")
    suits(composer, "out", helpers.ctype, helpers.dtypes)
    if composer.kind in ("conv", "pool") and any(_INNERMOST.search(f.comment) for f in composer.model.functions):
        raise NotGenerated("the header speaks of images with their channels innermost, and its tensors do not say so")
    arguments = composer.arguments(function, roles)
    composer.use(helpers.given)
    composer.code.use(function)
    result = composer.code.name("result")
    text = around.format(cxx.call(f"vendor::{function.name}", arguments, "", 2))
    composer.code.add(f"{helpers.ctype} {result} = {text};")
    composer.wait()
    composer.code.add(f"TFL_TRY({helpers.given.name}(call, {result}, out));")
    return (function.name,)
