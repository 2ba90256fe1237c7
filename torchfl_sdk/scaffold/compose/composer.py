"""Writes the calls of one kernel: finds for every argument of a vendor function what an op gives it, making the
objects that it needs on the way."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from torchfl.catalogue import OpSpec
from torchfl_sdk.header.model import CType, Function
from torchfl_sdk.match.elements import element_dtype
from torchfl_sdk.match.model import OpMatch
from torchfl_sdk.match.recognise import scalars
from torchfl_sdk.match.recognise.parts import Part
from torchfl_sdk.match.tokens import split
from torchfl_sdk.match.vocabulary import WORDS, Word
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.compose import choose
from torchfl_sdk.scaffold.compose.code import Code
from torchfl_sdk.scaffold.compose.extents import EXTENTS, extent
from torchfl_sdk.scaffold.compose.geometry import described
from torchfl_sdk.scaffold.compose.lifecycle import object_key, out_key, variable_type
from torchfl_sdk.scaffold.compose.makers import Helper, Makers, add_texts
from torchfl_sdk.scaffold.compose.values import Attributes
from torchfl_sdk.scaffold.kernel_plan import NotGenerated

_TENSORS = ("input", "input2", "input3", "weight", "bias", "output")
_NUMBER = ("alpha", "beta", "gamma", "alpha1", "alpha2", "alpha3", "scalar")
_CHOSEN = ("algo", "op_kind", "mode", "prop_kind", "layout", "hint", "kernel_mode", "")
_SIZED = ("scalar_pointer", "params")


class Composer:
    """The body of one kernel. ``image_dims``: a convolution's extents; ``objects``: variables by the role they have."""

    def __init__(self, makers: Makers, match: OpMatch, op: OpSpec, known: Mapping[str, OpMatch]) -> None:
        self.makers, self.match, self.op, self.known = makers, match, op, known
        self.model = makers.model
        self.word = word_of(match)
        self.kind = self.word.kind if self.word else ""
        self.attributes = Attributes(op)
        self.code = Code(makers.status, names={*op.inputs, "out", "call"})
        self.helpers: list[str] = []
        self.covered: set[str] = set()
        self.tensors: set[str] = set()
        self.objects: dict[str, str] = {}
        self.dtypes: set[str] | None = None
        self.constraints: dict[str, tuple[int, ...]] = {}
        self.constants = dict(match.constants)
        self._parameters = 0

    # Tensors of the op

    def tensor(self, role: str) -> str:
        """The C++ variable of the tensor that a role of the matcher means; "" for an optional one that is not there."""
        inputs = self.op.inputs
        if role == "output":
            return "out"
        if role == "bias":
            return "bias" if "bias" in inputs else ""
        positions = {"input": 0, "input2": 1, "input3": 2}
        if role in inputs:
            return role
        if role == "weight" and self.kind in ("matmul", "linear") and len(inputs) > 1:
            return inputs[1]
        if role in positions and positions[role] < len(inputs):
            return inputs[positions[role]]
        raise NotGenerated(f"{self.op.name} has no tensor for the role {role!r}")

    def use(self, helper: Helper) -> None:
        add_texts(self.helpers, helper)
        self.code.used += [u for u in helper.used if u not in self.code.used]

    def limit(self, dtypes: Sequence[str]) -> None:
        """The call serves no other dtypes than these."""
        known = {d for d in dtypes if d in self.op.dtypes}
        self.dtypes = known if self.dtypes is None else self.dtypes & known

    # Calls

    def arguments(self, function: Function, roles: Mapping[str, str], own: str = "") -> list[str]:
        """The arguments of a call in C order. ``own``: the key of the object that the function makes or fills."""
        parts = self.makers.parts.of(function)
        return [self.argument(function, p, roles.get(p.name, ""), parts, own) for p in parts]

    def roles(self, function: Function, found: Mapping[str, str] | None = None) -> dict[str, str]:
        """What the matcher says about a function's arguments, and where it says nothing, what their names say."""
        parts = self.makers.parts.of(function)
        match = self.match if function.name == self.match.function else self.known.get(function.name)
        roles = dict(match.arguments) if match is not None else {}
        roles |= found or {}
        names = {p.base: roles[p.name] for p in parts if roles.get(p.name) in _TENSORS}
        for p in parts:
            if not roles.get(p.name):
                named = p.sort in ("handle", "out_handle", "stream")
                roles[p.name] = scalars.handle_role(p) if named else scalars.scalar_role(p, self.kind, names)
        return roles

    def argument(self, function: Function, part: Part, role: str, parts: Sequence[Part], own: str) -> str:
        constant = self.constants.get(part.name)
        if constant is not None:
            return constant
        if role in self.objects:
            return self.objects[role]
        if part.name in self.objects:
            return self.objects[part.name]
        about, _, tensor = role.partition(".")
        if part.plural or about == "list":
            raise NotGenerated(f"{part.name!r} of {function.name} is a list of tensors")
        if role in _TENSORS or (role in self.op.inputs):
            return self._tensor(part, role)
        if about == "desc":
            return self._description(function, part, tensor, own)
        if part.sort in ("scalar_pointer", "float", "params") or role in _NUMBER:
            return self._number(function, part, role, own)
        entries = self.attributes.entries(role)
        if entries is not None:
            return self._entries(function, part, *entries)
        return self._other(function, part, role, parts, own)

    def _tensor(self, part: Part, role: str) -> str:
        tensor = self.tensor(role)
        key = object_key(part.param.type)
        optional = tensor in self.op.optional_inputs
        if not tensor:
            return "nullptr"
        self.tensors.add(tensor)
        if part.sort == "tensor" or (key and self.makers.lifecycles.by_key(key) is not None and part.sort != "data"):
            return self.described(key, tensor)
        ctype = part.param.type.spelled
        if not cxx.is_pointer(ctype):
            raise NotGenerated(f"argument {part.name!r} is a tensor but no pointer")
        if part.element:
            self.limit([part.element])
        data = cxx.data(tensor, ctype)
        return f"torchfl::present({tensor}) ? {data} : nullptr" if optional else data

    def described(self, key: str, tensor: str, given: str = "") -> str:
        """A variable with the vendor's description of a tensor of the op, made once per kernel and kind.

        ``given``: its extents, as C++, where they are not those that the op's kind has.
        """
        mark = f"{key} {tensor}"
        if mark in self.objects:
            return self.objects[mark]
        helper = self.makers.tensor(key)
        self.use(helper)
        for t in self._dtype_types(helper):
            self.limit(self.makers.served(t))
        life = self.makers.lifecycles.by_key(key)
        wanted = f"{tensor}_{'desc' if {'desc', 'descriptor'} & set(split(helper.ctype)) else 'object'}"
        name = self.code.own(helper.ctype, life.end if life else None, wanted)
        axis = "axis" in dict(self.match.arguments).values()
        extents = given or described(self.op, self.kind, tensor, axis=axis)
        if "torchfl::around" in extents:
            self.covered.add("dim")
        out = f"{name}.out()" if life and life.end else f"&{name}"
        made = f"{helper.name}(call, {tensor}, {extents}, {out})"
        if tensor in self.op.optional_inputs and not given:
            self.code.add(f"if (torchfl::present({tensor})) TFL_TRY({made});")
        else:
            self.code.add(f"TFL_TRY({made});")
        self.objects[mark] = name
        return name

    def _dtype_types(self, helper: Helper) -> list[CType]:
        """The dtype enums of the functions that describe a tensor."""
        found = []
        for name in helper.used:
            function = self.model.function(name)
            found += [p.type for p in (function.params if function else ()) if p.type.name in self.makers.dtypes]
        return found

    def _description(self, function: Function, part: Part, tensor: str, own: str) -> str:
        key = object_key(part.param.type)
        if tensor in _TENSORS or tensor in self.op.inputs:
            variable = self.tensor(tensor)
            if not variable:
                return "nullptr"
            self.tensors.add(variable)
            return self.described(key, variable)
        if own and own in (key, out_key(part.param.type)):
            return self.objects[own]
        if not key:
            raise NotGenerated(f"{part.name!r} of {function.name} is a {part.param.type.spelled}, which nothing fills")
        return self.made(key, part)

    # Objects that hold the op's attributes

    def made(self, key: str, part: Part) -> str:
        """An object that a maker makes and fillers fill with what the op's attributes say."""
        if key in self.objects:
            return self.objects[key]
        life = self.makers.lifecycles.by_key(key)
        if life is None or not life.makers:
            raise NotGenerated(f"no function of the header makes a {part.param.type.spelled}")
        reasons: list[str] = []
        for maker in life.makers:
            for filler in [*life.fillers, None]:
                saved = self.save()
                try:
                    return self._made(key, part, maker, filler)
                except NotGenerated as e:
                    reasons.append(str(e))
                    self.restore(saved)
        raise NotGenerated(reasons[0])

    def _made(self, key: str, part: Part, maker: Function, filler: Function | None) -> str:
        life = self.makers.lifecycles.by_key(key)
        assert life is not None
        if filler is None and life.fillers and len(maker.params) == 1:
            raise NotGenerated(f"nothing fills a {life.ctype}")
        name = self.code.own(life.ctype, life.end, _variable(part.name))
        out = f"{name}.out()" if life.end else f"&{name}"
        self.objects[key] = name
        self._run(maker, key, out, name, part)
        if filler is not None:
            self._run(filler, key, out, name, part)
            self._complete(life.fillers, filler, key, out, name, part)
        return name

    def _run(self, function: Function, key: str, out: str, name: str, holder: Part) -> None:
        inner = {p.split(": ", 1)[1]: c for p, c in self.constants.items() if p.startswith(f"{holder.name}: ")}
        roles = self.roles(function)
        self._by_elimination(function, roles)
        arguments = []
        for part in self.makers.parts.of(function):
            t = part.param.type
            if out_key(t) == key:
                arguments.append(out)
            elif object_key(t) == key:
                arguments.append(name)
            elif part.name in inner:
                arguments.append(inner[part.name])
            else:
                arguments.append(self.argument(function, part, roles.get(part.name, ""), (), key))
        if object_key(function.result) == key:
            self.code.use(function)
            taken = cxx.call(f"{name}.take(vendor::{function.name}", arguments, ")", 2)
            self.code.add(f"TFL_TRY({taken});")
        else:
            self.code.call(function, arguments)

    def _by_elimination(self, function: Function, roles: dict[str, str]) -> None:
        """Two integers of a convolution that nothing names are its strides, where it has paddings and no strides."""
        parts = self.makers.parts.of(function)
        named = set(roles.values())
        unnamed = [p for p in parts if p.sort == "int" and not self.attributes.entries(roles.get(p.name, ""))]
        wanted = {"stride", "stride_h"} & named or not {"pad_h", "padding"} & named
        if self.kind in ("conv", "pool") and len(unnamed) == 2 and not wanted:
            roles[unnamed[0].name], roles[unnamed[1].name] = "stride_h", "stride_w"

    def _complete(
        self, fillers: Sequence[Function], done: Function, key: str, out: str, name: str, holder: Part
    ) -> None:
        """Further fillers, for attributes that the first one does not set."""
        for filler in fillers:
            if filler is done:
                continue
            roles = self.roles(filler)
            about = [self.attributes.entries(r) for n, r in roles.items() if r]
            parts = [p for p in self.makers.parts.of(filler) if object_key(p.param.type) != key]
            new = {e[0] for e in about if e is not None} - self.covered
            known = all(self.attributes.entries(roles.get(p.name, "")) is not None for p in parts)
            if parts and known and new and not {e[0] for e in about if e is not None} & self.covered:
                self._run(filler, key, out, name, holder)

    # Numbers

    def _number(self, function: Function, part: Part, role: str, own: str) -> str:
        t = part.param.type
        key = object_key(t)
        if key and part.sort in ("scalar_pointer", "params") and self.makers.lifecycles.by_key(key) is not None:
            if part.sort == "params":
                return "nullptr" if t.pointee is not None and t.pointee.const else self.made(key, part)
            return self._scalar_object(key, part, role)
        if part.sort == "scalar_pointer":
            return self._blend(function, part, role)
        if role in ("out_min", "out_max") or (role in ("min", "max") and self.attributes.index(role) is None):
            sign = "-" if role.endswith("min") else ""
            return f"{sign}std::numeric_limits<{cxx.bare(t.spelled)}>::infinity()"
        if self.attributes.index(role) is not None:
            self.covered.add(role)
            return _as(t, self.attributes.number(role))
        if part.sort == "float":
            if own or role in ("alpha", "beta", "scalar", ""):
                text, attribute = self.attributes.parameter(self._parameters)
                self._parameters += 1
                self.covered |= {attribute} - {""}
                return _as(t, text)
            if role == "p":
                return "0"
            if role == "eps":
                return "0"
        raise NotGenerated(f"nothing says what {function.name} should get as {part.name!r}")

    def _blend(self, function: Function, part: Part, role: str) -> str:
        """What an operand, or the former result, is multiplied by: one, or an attribute; and zero."""
        value = {"alpha": "1", "alpha1": "1", "alpha2": "1", "beta": "0"}.get(role)
        if value is None:
            raise NotGenerated(f"nothing says what {function.name} should get as {part.name!r}")
        second = "alpha2" if "alpha2" in dict(self.match.arguments).values() else ""
        if self.attributes.index("alpha") is not None and role == second:
            value = self.attributes.number("alpha")
            self.covered.add("alpha")
        return self.factor(part, value)

    def factor(self, part: Part, value: str) -> str:
        """A pointer to a number that scales a tensor."""
        pointee = part.param.type.pointee
        element = element_dtype(pointee) if pointee is not None else None
        name = self.code.name(_variable(part.name))
        if element in ("float32", "float64"):
            ctype = "float" if element == "float32" else "double"
            self.code.add(f"const {ctype} {name} = {value if ctype == 'double' else f'static_cast<float>({value})'};")
            return f"&{name}"
        # By convention a factor behind void* is a float, and a double where the elements are.
        self.code.add(f"const torchfl::Factor {name}(out.dtype, {value});")
        return f"{name}.data()"

    def _scalar_object(self, key: str, part: Part, role: str) -> str:
        """An object that holds one number, made from a pointer to it and its dtype."""
        attribute = role if self.attributes.index(role) is not None else "alpha"
        life = self.makers.lifecycles.by_key(key)
        assert life is not None
        value = self.attributes.number(attribute)
        for maker in life.makers:
            parts = self.makers.parts.of(maker)
            sources = [p for p in parts if p.sort in ("data", "scalar_pointer") and out_key(p.param.type) != key]
            types = [p for p in parts if p.sort == "dtype"]
            if len(sources) != 1 or len(sources) + len(types) + (out_key(parts[0].param.type) == key) != len(parts):
                continue
            made, variable = self.code.own(life.ctype, life.end, _variable(part.name)), self.code.name("value")
            self.code.add(f"{'const ' if _const(sources[0]) else ''}float {variable} = static_cast<float>({value});")
            arguments = []
            for p in parts:
                if p in sources:
                    arguments.append(f"&{variable}")
                elif p in types:
                    constant = self.makers.dtypes[p.param.type.name].get("float32", "")
                    if not constant:
                        raise NotGenerated(f"{p.param.type.spelled} has no constant for float32")
                    arguments.append(constant)
                else:
                    arguments.append(f"{made}.out()" if life.end else f"&{made}")
            self.covered.add(attribute)
            self._finish(maker, key, made, arguments)
            return made
        raise NotGenerated(f"no function makes a {life.ctype} from a number")

    def _finish(self, maker: Function, key: str, name: str, arguments: list[str]) -> None:
        if object_key(maker.result) == key:
            self.code.use(maker)
            self.code.add(f"TFL_TRY({cxx.call(f'{name}.take(vendor::{maker.name}', arguments, ')', 2)});")
        else:
            self.code.call(maker, arguments)

    def _entries(self, function: Function, part: Part, attribute: str, index: int | None) -> str:
        """An attribute with one value per dimension, or one of them, in the form in which the vendor takes it."""
        t = part.param.type
        if attribute == "kernel_size" and self.attributes.index(attribute) is None:
            sizes = [f"weight.sizes[{i}]" for i in (2, 3)]
        elif self.attributes.index(attribute) is None:
            raise NotGenerated(f"{self.op.name} has no {attribute}")
        elif attribute == "groups":
            self.covered.add(attribute)
            return self._integer(part, f"torchfl::integer({self.attributes.source(attribute)}, 1)", attribute)
        else:
            sizes = [self.attributes.entry(attribute, i) for i in (0, 1)]
            self.covered.add(attribute)
        shift = choose.dilation_offset(function.comment) if attribute == "dilation" else 0
        if shift:
            sizes = [f"{s} - {-shift}" for s in sizes]
        if index is not None:
            return self._integer(part, sizes[index], attribute)
        if part.sort == "int":
            first, second = sizes
            self.code.add(
                f"if ({first} != {second}) return torchfl::unsupported("
                f"{cxx.string(f'{attribute} differs between dimensions')});"
            )
            return self._integer(part, first, attribute)
        key = object_key(t)
        if key and part.sort == "ints":
            return self.list_object(key, part, sizes)
        if t.pointee is None or t.pointee.kind != "int":
            raise NotGenerated(f"{part.name!r} of {function.name} is a {t.spelled}, which nothing fills")
        name = self.code.name(_variable(part.name))
        element = variable_type(t.pointee)
        if attribute == "kernel_size" and self.attributes.index(attribute) is None:
            self.code.add(f"const {element} {name}[] = {{{', '.join(cxx.integer(element, s) for s in sizes)}}};")
            return name
        absent = int(self.attributes.default(attribute)) if attribute == "padding" else 1
        why = cxx.string(f"{attribute} beyond {element}")
        self.code.add(
            f"{element} {name}[2];",
            f"if (!torchfl::assign_list({name}, {self.attributes.source(attribute)}, {absent})) "
            f"return torchfl::unsupported({why});",
        )
        if shift:
            self.code.add(f"for ({element}& {name}_of : {name}) {name}_of -= {-shift};  // zero is dense to the vendor")
        return name

    def list_object(self, key: str, part: Part, values: Sequence[str]) -> str:
        """An object that holds a list of integers, made from a pointer and a count."""
        life = self.makers.lifecycles.by_key(key)
        for maker in life.makers if life else []:
            parts = self.makers.parts.of(maker)
            plain = [p for p in parts if out_key(p.param.type) != key]
            source = [p for p in plain if p.param.type.pointee is not None and p.param.type.pointee.kind == "int"]
            count = [p for p in plain if p.sort == "int"]
            if life is None or len(source) != 1 or len(count) != 1 or len(plain) != 2:
                continue
            element = variable_type(source[0].param.type.pointee)  # type: ignore[arg-type]
            made, name = self.code.own(life.ctype, life.end, _variable(part.name)), self.code.name("values")
            const = "const " if _const(source[0]) else ""
            self.code.add(f"{const}{element} {name}[] = {{{', '.join(values)}}};")
            out = f"{made}.out()" if life.end else f"&{made}"
            chosen = {source[0].name: name, count[0].name: str(len(values))}
            self._finish(maker, key, made, [chosen.get(p.name, out) for p in parts])
            return made
        raise NotGenerated(f"no function makes a {part.param.type.spelled} from integers")

    def _integer(self, part: Part, expression: str, what: str) -> str:
        ctype = part.param.type.spelled
        if not cxx.is_wide(ctype):
            why = cxx.string(f"{what} beyond {cxx.bare(ctype)}")
            check = f"if (!torchfl::fits<{cxx.bare(ctype)}>({expression})) return torchfl::unsupported({why});"
            if check not in self.code.lines:
                self.code.add(check)
        return cxx.integer(ctype, expression)

    # The rest: selectors, axes, handles

    def _other(self, function: Function, part: Part, role: str, parts: Sequence[Part], own: str) -> str:
        t, about = part.param.type, role.partition(".")[0]
        if role == "axis" and part.sort == "int":
            return self._axis(part)
        if role in ("dtype", "compute_type") or part.sort == "dtype":
            return self._dtype(part, compute=role == "compute_type" or bool(own))
        if role == "layout" and (constant := choose.layout(self.model, t, images=self.kind in ("conv", "pool"))):
            return constant
        if t.kind == "enum":
            return choose.choose(self.model, t, part.name, self.kind, self.word)
        if role == "flags" or part.joined in ("flags", "flag"):
            return "0" if t.kind == "int" else "nullptr"
        if role == "attr" and cxx.is_pointer(t.canonical):
            return "nullptr"  # the vendor's defaults
        if role == "stream" and not self.makers.host:
            if "*" not in t.canonical:
                raise NotGenerated(f"{part.name!r} of {function.name} is a queue of a type that is no pointer")
            return f"static_cast<{variable_type(t)}>(call->stream)"
        if role == "threadpool":
            return "nullptr"  # the calling thread
        key = object_key(t)
        if key and self.makers.lifecycles.by_key(key) is not None:
            return self.kept(key, role)
        if about in EXTENTS:
            return self._extent(function, part, role)
        if part.sort == "bool" or (part.sort == "int" and role in ("mode", "hint", "keepdim")):
            raise NotGenerated(f"nothing says what {function.name} should get as {part.name!r}")
        raise NotGenerated(
            f"argument {part.name!r} of {function.name} has the role {role or 'none'}, which nothing fills"
        )

    def _extent(self, function: Function, part: Part, role: str) -> str:
        found = extent(self.op, self.kind, role, split(function.name))
        self.code.add(*(line for line in found.before if line not in self.code.lines))
        self.code.names |= set(found.names)
        self.covered |= set(found.covers)
        self.constraints |= dict(found.constraints)
        if part.sort == "int":
            return self._integer(part, found.values[0], "an extent")
        t = part.param.type.pointee
        if t is None or t.kind != "int":
            raise NotGenerated(f"{part.name!r} of {function.name} is a {part.param.type.spelled}, which nothing fills")
        element, name = variable_type(t), self.code.name(_variable(part.name))
        values = ", ".join(cxx.integer(element, v) for v in found.values)
        self.code.add(f"const {element} {name}[] = {{{values}}};")
        return name

    def _axis(self, part: Part) -> str:
        if self.attributes.index("dim") is None:
            raise NotGenerated(f"{self.op.name} has no dimension to give to {part.name!r}")
        self.covered.add("dim")
        first = self.op.inputs[0]
        expression = f"torchfl::from_front({first}, torchfl::integer({self.attributes.source('dim')}, -1))"
        return cxx.integer(part.param.type.spelled, expression)

    def _dtype(self, part: Part, *, compute: bool) -> str:
        helper = self.makers.dtype(part.param.type, compute=compute)
        self.use(helper)
        self.limit(self.makers.served(part.param.type))
        mark = f"{helper.name}()"
        if mark not in self.objects:
            name = self.code.name(_variable(part.name))
            why = cxx.string(f"no {helper.ctype} for this dtype")
            self.code.add(
                f"{helper.ctype} {name};",
                f"if (!{helper.name}(out.dtype, &{name})) return torchfl::unsupported({why});",
            )
            self.objects[mark] = name
        return self.objects[mark]

    def kept(self, key: str, role: str) -> str:
        """The thread's handle, engine or queue; a handle that takes a queue gets the call's."""
        if f"kept {key}" in self.objects:
            return self.objects[f"kept {key}"]
        name = self.makers.kept_argument(key, self.code, self.helpers)
        self.objects[f"kept {key}"] = name
        life = self.makers.lifecycles.by_key(key)
        for filler in life.fillers if life else []:
            parts = self.makers.parts.of(filler)
            if len(parts) == 2 and parts[1].sort == "stream" and "*" in parts[1].param.type.canonical:
                if not self.makers.host:
                    queue = f"static_cast<{variable_type(parts[1].param.type)}>(call->stream)"
                    self.code.call(filler, [name, queue])
                break
        del role
        return name

    # Alternatives are tried on a copy of what was written

    def save(self) -> tuple[object, ...]:
        code = self.code
        return (
            list(code.lines), list(code.used), set(code.names), list(self.helpers), set(self.covered),
            set(self.tensors), dict(self.objects), None if self.dtypes is None else set(self.dtypes), self._parameters,
        )  # fmt: skip

    def restore(self, saved: tuple[object, ...]) -> None:
        code = self.code
        (code.lines, code.used, code.names, self.helpers, self.covered, self.tensors, self.objects, self.dtypes,
         self._parameters) = saved  # type: ignore[assignment]  # fmt: skip


def word_of(match: OpMatch) -> Word | None:
    """The vocabulary's word of a match."""
    found = [w for w in WORDS if match.aten in (w.aten, w.scalar, w.inplace, *w.alternatives)]
    return next((w for w in found if w.aten == match.aten), found[0] if found else None)


def _variable(name: str) -> str:
    """A parameter's name as a local variable: ``xDesc`` -> x_desc."""
    text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().strip("_")
    return text if text.isidentifier() else "value"


def _as(t: CType, text: str) -> str:
    bare = cxx.bare(t.spelled)
    return text if bare == "double" or text in ("0", "1") else f"static_cast<{bare}>({text})"


def _const(part: Part) -> bool:
    return part.param.type.pointee is not None and part.param.type.pointee.const
