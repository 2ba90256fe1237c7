"""Numbers in a vendor's call: factors, parameters, entries of strides and paddings; by value, pointer or object."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from torchfl_sdk.header.model import CType, Function
from torchfl_sdk.match.elements import element_dtype
from torchfl_sdk.match.handles import object_key, out_key, variable_type
from torchfl_sdk.match.recognise.parts import Part
from torchfl_sdk.match.tokens import split
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.compose import choose
from torchfl_sdk.scaffold.compose.helper import Helper
from torchfl_sdk.scaffold.compose.state import State, as_type, is_const, variable
from torchfl_sdk.scaffold.kernel_plan import NotGenerated

#: Arguments that count the dimensions of a window.
SPATIAL = ("spatial", "spatialdims", "spatialdim", "spatialrank", "nspatial", "numspatialdims", "nspatialdims")
_SIDES = 4  # entries of a list that may be the sides of an image, or its dimensions
_DOUBLE = CType("double", "double", "float", bits=64)


class Numbers(State):
    """Fills arguments that are numbers."""

    def number(self, function: Function, part: Part, role: str, own: str) -> str:
        t = part.param.type
        if (helper := self.makers.tagged(t)) is not None:
            return self._tagged(function, part, role, own, helper)
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
            return as_type(t, self.attributes.number(role))
        if part.sort == "float":
            if own or role in ("alpha", "beta", "scalar", ""):
                text, attribute = self.attributes.parameter(self._parameters)
                if role == "scalar" and not own and text == "0":
                    raise NotGenerated(f"nothing says what {function.name} should get as {part.name!r}")
                self._parameters += 1
                self.covered |= {attribute} - {""}
                return as_type(t, text)
            if role == "p" and self.attributes.index("ord") is not None:
                if any("power" in split(constant) for constant in self.constants.values()):
                    raise NotGenerated(f"{part.name!r} of {function.name} gives a norm's power, not the norm")
                self.covered.add("ord")
                return as_type(t, self.attributes.number("ord"))
            if role == "p":
                return "0"
            if role == "eps":
                return "0"
        raise NotGenerated(f"nothing says what {function.name} should get as {part.name!r}")

    def _tagged(self, function: Function, part: Part, role: str, own: str, helper: Helper) -> str:
        """A number in a struct beside its type. One that a call has not, and that the header allows to be NULL, is."""
        t = part.param.type
        value = self.number(function, replace(part, sort="float", param=replace(part.param, type=_DOUBLE)), role, own)
        self.use(helper)
        name = self.code.name(variable(part.name))
        self.code.add(f"{helper.ctype} {name};", f"TFL_TRY({helper.name}({self.subject}.dtype, {value}, &{name}));")
        if t.kind != "pointer":
            return name
        if self.attributes.index(role) is not None and "NULL" in function.comment:
            return f"{self.attributes.source(role)}.kind == TFL_ATTR_NONE ? nullptr : &{name}"
        return f"&{name}"

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

    def second(self) -> str:
        """The op's second operand, where the vendor's function takes a number in its place; ""."""
        plain = [i for i in self.op.inputs if self.op.input_kind(i) == "common"]
        taken = {"input2", "weight"} & set(dict(self.match.arguments).values())
        return plain[1] if self.op.shape_rule == "broadcast" and len(plain) == 2 and not taken else ""

    def operand(self, part: Part, tensor: str) -> str:
        """The number that a tensor of the op holds, multiplied by what the op multiplies it by.

        The profile limits calls to those whose second operand has one element, however often it comes by then."""
        self.tensors.add(tensor)
        self.broadcast, self.constraints["second_numel"] = True, (1,)
        number = self.code.name("number")
        self.code.add(
            f"double {number} = 0;",
            f"TFL_TRY(torchfl::first_number(device::api, *call, {tensor}, &{number}));",
        )
        if self.attributes.index("alpha") is not None and "alpha" not in dict(self.match.arguments).values():
            self.covered.add("alpha")
            self.code.add(f"{number} *= {self.attributes.number('alpha')};")
        if (key := object_key(part.param.type)) and self.makers.lifecycles.by_key(key) is not None:
            return self.number_object(key, part, number)
        if part.sort == "scalar_pointer":
            return self.factor(part, number)
        return as_type(part.param.type, number)

    def begin(self) -> None:
        """For functions that overwrite their first operand: the result begins as a copy of that."""
        first = self.op.inputs[0]
        if first not in self.tensors:
            self.tensors.add(first)
            self.code.add(f"TFL_TRY(torchfl::begin_as(device::api, *call, {first}, out));")

    def factor(self, part: Part, value: str) -> str:
        """A pointer to a number that scales a tensor."""
        pointee = part.param.type.pointee
        element = element_dtype(pointee) if pointee is not None else None
        name = self.code.name(variable(part.name))
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
        if role == "scalar" and self.attributes.index("value") is not None:
            attribute = "value"
        value = self.attributes.number(attribute)
        self.covered.add(attribute)
        return self.number_object(key, part, value)

    def number_object(self, key: str, part: Part, value: str) -> str:
        """An object that holds the number ``value``, a double, as a float."""
        life = self.makers.lifecycles.by_key(key)
        assert life is not None
        for maker in life.makers:
            parts = self.makers.parts.of(maker)
            sources = [p for p in parts if p.sort in ("data", "scalar_pointer") and out_key(p.param.type) != key]
            types = [p for p in parts if p.sort == "dtype"]
            if len(sources) != 1 or len(sources) + len(types) + (out_key(parts[0].param.type) == key) != len(parts):
                continue
            made, number = self.code.own(life.ctype, life.end, variable(part.name)), self.code.name("value")
            self.code.add(f"{'const ' if is_const(sources[0]) else ''}float {number} = static_cast<float>({value});")
            arguments = []
            for p in parts:
                if p in sources:
                    arguments.append(f"&{number}")
                elif p in types:
                    constant = self.makers.dtypes[p.param.type.name].get("float32", "")
                    if not constant:
                        raise NotGenerated(f"{p.param.type.spelled} has no constant for float32")
                    arguments.append(constant)
                else:
                    arguments.append(f"{made}.out()")
            self._finish(maker, key, made, arguments)
            return made
        raise NotGenerated(f"no function makes a {life.ctype} from a number")

    def _finish(self, maker: Function, key: str, name: str, arguments: list[str]) -> None:
        if object_key(maker.result) == key:
            self.code.use(maker)
            self.code.add(f"TFL_TRY({cxx.call(f'{name}.take(vendor::{maker.name}', arguments, ')', 2)});")
        else:
            self.code.call(maker, arguments)

    def entries(self, function: Function, part: Part, attribute: str, index: int | None) -> str:
        """An attribute with one value per dimension, or one of them, in the form in which the vendor takes it."""
        t = part.param.type
        if attribute == "kernel_size" and self.attributes.index(attribute) is None:
            sizes = [f"weight.sizes[{i}]" for i in (2, 3)]
        elif attribute == "dilation" and self.attributes.index(attribute) is None:
            sizes = ["1", "1"]
        elif self.attributes.index(attribute) is None:
            raise NotGenerated(f"{self.op.name} has no {attribute}")
        elif attribute == "groups":
            self.covered.add(attribute)
            return self.integer(part, f"torchfl::integer({self.attributes.source(attribute)}, 1)", attribute)
        else:
            sizes = [self.attributes.entry(attribute, i) for i in (0, 1)]
            self.covered.add(attribute)
        shift = choose.dilation_offset(self.model, function.comment) if attribute == "dilation" else 0
        if shift:
            sizes = [f"{s} - {-shift}" for s in sizes]
        if index is not None:
            return self.integer(part, sizes[index], attribute)
        if part.sort == "int":
            first, second = sizes
            self.code.add(
                f"if ({first} != {second}) return torchfl::unsupported("
                f"{cxx.string(f'{attribute} differs between dimensions')});"
            )
            return self.integer(part, first, attribute)
        key = object_key(t)
        if key:
            return self.list_object(key, part, self._literals(sizes))
        if t.pointee is None or t.pointee.kind != "int":
            raise NotGenerated(f"{part.name!r} of {function.name} is a {t.spelled}, which nothing fills")
        name = self.code.name(variable(part.name))
        element = variable_type(t.pointee)
        told = any(p.joined in SPATIAL for p in self.makers.parts.of(function))
        if t.extent == _SIDES and not told:
            raise NotGenerated(f"nothing says which of the 4 entries of {part.name!r} are an image's")
        if function.packed is not None and (t.extent or 2) > 2:
            return self._spatial(part, sizes, name, attribute)
        if self.attributes.index(attribute) is None:
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

    def _spatial(self, part: Part, sizes: Sequence[str], name: str, attribute: str) -> str:
        """A list with room for more dimensions than images have: that of a struct, which is copied whole."""
        t = part.param.type
        assert t.pointee is not None
        element = variable_type(t.pointee)
        for size in sizes if not cxx.is_wide(element) else ():
            why = cxx.string(f"{attribute} beyond {element}")
            self.code.add(f"if (!torchfl::fits<{element}>({size})) return torchfl::unsupported({why});")
        values = ", ".join(cxx.integer(element, size) for size in sizes)
        self.code.add(f"const {element} {name}[{t.extent}] = {{{values}}};")
        return name

    def list_object(self, key: str, part: Part, values: Callable[[CType], tuple[str, str]]) -> str:
        """An object that holds a list of integers, made from a pointer and a count. ``values``: for the type behind the
        pointer an array and the number of its entries, as C++, declared by then."""
        life = self.makers.lifecycles.by_key(key)
        for maker in life.makers if life else []:
            parts = self.makers.parts.of(maker)
            plain = [p for p in parts if out_key(p.param.type) != key]
            source = [p for p in plain if p.param.type.pointee is not None and p.param.type.pointee.kind == "int"]
            count = [p for p in plain if p.sort == "int"]
            if life is None or len(source) != 1 or len(count) != 1 or len(plain) != 2:
                continue
            assert source[0].param.type.pointee is not None
            array, number = values(source[0].param.type.pointee)
            made = self.code.own(life.ctype, life.end, variable(part.name))
            number = number if number.isdigit() else cxx.integer(count[0].param.type.spelled, number)
            out, chosen = f"{made}.out()", {source[0].name: array, count[0].name: number}
            self._finish(maker, key, made, [chosen.get(p.name, out) for p in parts])
            return made
        raise NotGenerated(f"no function makes a {part.param.type.spelled} from integers")

    def _literals(self, values: Sequence[str]) -> Callable[[CType], tuple[str, str]]:
        """A list of known length, declared for the element type that is asked for."""

        def declare(element: CType) -> tuple[str, str]:
            name = self.code.name("values")
            const = "const " if element.const else ""
            self.code.add(f"{const}{variable_type(element)} {name}[] = {{{', '.join(values)}}};")
            return name, str(len(values))

        return declare

    def integer(self, part: Part, expression: str, what: str) -> str:
        ctype = part.param.type.spelled
        if not cxx.is_wide(ctype):
            why = cxx.string(f"{what} beyond {cxx.bare(ctype)}")
            check = f"if (!torchfl::fits<{cxx.bare(ctype)}>({expression})) return torchfl::unsupported({why});"
            if check not in self.code.lines:
                self.code.add(check)
        return cxx.integer(ctype, expression)
