"""What member functions that set an op up are told: constants that the matcher chose, attributes, sizes of images."""

from __future__ import annotations

from collections.abc import Mapping

from torchfl_sdk.header.model import Class, Function
from torchfl_sdk.match.recognise.parts import Part
from torchfl_sdk.match.tokens import split, words
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.classes.arguments import operand
from torchfl_sdk.scaffold.classes.plates import described
from torchfl_sdk.scaffold.classes.standard import default
from torchfl_sdk.scaffold.classes.types import value_of
from torchfl_sdk.scaffold.compose.composer import Composer
from torchfl_sdk.scaffold.kernel_plan import NotGenerated

#: Words of a setter's name -> the attribute of images that its numbers are.
_OF_IMAGES = {
    "stride": frozenset(words("stride strides step steps")),
    "padding": frozenset(words("padding paddings pad pads")),
    "dilation": frozenset(words("dilation dilations")),
    "kernel_size": frozenset(words("window kernel windowsize kernelsize ksize filter")),
}
_ROWS = frozenset(words("y h height top bottom begin_y rows"))
_COLUMNS = frozenset(words("x w width left right cols columns"))
#: Words of a switch's name, all of which must be there -> the attribute.
_SWITCHES = (
    (("ceil",), "ceil_mode"),
    (("count", "padding"), "count_include_pad"),
    (("count", "pad"), "count_include_pad"),
    (("include", "padding"), "count_include_pad"),
    (("include", "pad"), "count_include_pad"),
    (("causal",), "is_causal"),
    (("unbiased",), "unbiased"),
    (("largest",), "largest"),
    (("sorted",), "sorted"),
)
_TURNS = frozenset(words("flip flipped trans turn turned flipa flipb transa transb"))
#: Words of the vendor's constants for a choice of the op's.
_CHOICES = {"none": {"none", "exact", "erf", "precise"}, "tanh": {"tanh", "approximate", "approx"}}
_KEEPS = frozenset(words("keep keepdim keepdims"))
_GROUPS = frozenset(words("groups group groupcount"))


class Settings:
    """Fills the arguments of a class's constructors and setters. ``told``: one was the matcher's constant, or a tensor;
    ``roles``: of the arguments of the member that runs it, whose names mean the same tensors here."""

    def __init__(self, composer: Composer, of: Class, roles: Mapping[str, str]) -> None:
        self.composer, self.of, self.roles, self.told = composer, of, roles, False

    def argument(self, function: Function, part: Part) -> str:
        """One argument as C++. Raises :class:`NotGenerated` where nothing says what it is."""
        constant = self._constant(function, part)
        if constant:
            self.told = True
            return constant
        role = self.roles.get(part.name, "")
        plate = described(self.composer, part, operand(self.composer, role) if role else "")
        if plate is not None:
            self.told = True
            return plate
        for found in (
            self._of_images(function, part),
            self._switch(function, part),
            self._axis(function, part),
            self._choice(part),
        ):
            if found:
                return found
        composer = self.composer
        role = composer.roles(function).get(part.name, "")
        if part.sort == "float" and composer.attributes.index(role) is None:
            role = self._named(function, part) or role
        before = set(composer.covered)
        try:
            made = composer.argument(function, part, role, "")
        except NotGenerated:
            return self._default(function, part)
        listed = "dims" in composer.roles(function).values()  # the list is told, and its length
        tells = part.sort in ("float", "int", "scalar_pointer") or value_of(part.param.type).integers
        if tells and not listed and composer.covered == before and composer.op.shape_rule != "layer_norm":
            return self._default(function, part)
        return made

    def _default(self, function: Function, part: Part) -> str:
        given = default(function, part.param)
        if given is None:
            raise NotGenerated(f"nothing says what {function.name} should get as {part.name!r}")
        return given

    def _constant(self, function: Function, part: Part) -> str:
        """The matcher's constant: under the parameter's name behind that of the setter, or of the class."""
        own, last = part.param.type.canonical.removeprefix("const ").rstrip("& "), self.of.name.rpartition("::")[2]
        for key, constant in self.composer.match.constants:
            where, _, what = key.rpartition(": ")
            here = where == function.name and what in (part.name, own)
            made = where == last and what == own and function.name.rpartition("::")[2] == last
            if here or made:
                enum = self.composer.model.enums.get(part.param.type.name)
                scope = f"{enum.name}::" if enum is not None and enum.scoped else f"{own.rpartition('::')[0]}::"
                return constant if "::" in constant else f"::{scope}{constant}"
        return ""

    def _named(self, function: Function, part: Part) -> str:
        """The attribute that a setter's name or its argument's says."""
        spelled = {"".join(split(a.name)): a.name for a in self.composer.op.attrs}
        said = ["".join(w for w in split(function.name.rpartition("::")[2]) if w != "set"), part.joined]
        short = {"epsilon": "eps", "slope": "negative_slope", "negativeslope": "negative_slope", "minimum": "min",
                 "maximum": "max", "lo": "min", "hi": "max", "low": "min", "high": "max"}  # fmt: skip
        for text in said:
            for name in (spelled.get(text, ""), short.get(text, "")):
                if name and self.composer.attributes.index(name) is not None:
                    return name
        return ""

    def _of_images(self, function: Function, part: Part) -> str:
        """One number of a stride, a padding, a dilation or a window."""
        composer, said = self.composer, set(split(function.name.rpartition("::")[2]))
        if part.sort != "int" or composer.kind not in ("conv", "pool"):
            return ""
        if said & _GROUPS and composer.attributes.index("groups") is not None:
            composer.covered.add("groups")
            return composer.integer(part, f"torchfl::integer({composer.attributes.source('groups')}, 1)", "groups")
        about = next((a for a, names in _OF_IMAGES.items() if said & names), "")
        place = 0 if part.joined in _ROWS else 1 if part.joined in _COLUMNS else -1
        if not about or place < 0:
            return ""
        if about == "kernel_size" and composer.attributes.index(about) is None:
            return composer.integer(part, f"weight.sizes[{2 + place}]", "a window")
        if composer.attributes.index(about) is None:
            raise NotGenerated(f"{composer.op.name} has no {about}")
        composer.covered.add(about)
        entry = composer.attributes.entry(about, place)
        if about == "stride" and composer.kind == "pool":  # none means the window's own
            if "steps" not in composer.code.names:
                composer.code.names.add("steps")
                stride, window = (composer.attributes.source(n) for n in ("stride", "kernel_size"))
                absent = f"{stride}.kind == TFL_ATTR_NONE || {stride}.count == 0"
                composer.code.add(f"const tfl_attr& steps =\n      {absent} ? {window} : {stride};")
            entry = f"torchfl::at(steps, {place}, 1)"
        return composer.integer(part, entry, about)

    def _switch(self, function: Function, part: Part) -> str:
        if value_of(part.param.type).text != "bool":
            return ""
        said = {*split(function.name.rpartition("::")[2]), *part.words}
        for wanted, name in _SWITCHES:
            index = self.composer.attributes.index(name)
            if set(wanted) <= said and index is not None:
                self.composer.covered.add(name)
                usual = int(self.composer.attributes.default(name))
                return f"torchfl::integer(call->attrs[{index}], {usual}) != 0"
        if said & _KEEPS and self.composer.attributes.index("keepdim") is not None:
            self.composer.covered.add("keepdim")
            self.told = True
            index = self.composer.attributes.index("keepdim")
            return f"torchfl::integer(call->attrs[{index}], 0) != 0"
        if set(part.words) & _TURNS or any(w.startswith("transpos") for w in part.words):
            return "false"  # operands are given as they lie
        raise NotGenerated(f"nothing says what {function.name} should get as {part.name!r}")

    def _choice(self, part: Part) -> str:
        """One of two constants, by the op's choice between two ways of computing it: exact, or by way of tanh."""
        composer, enum = self.composer, self.composer.model.enums.get(part.param.type.name)
        spec = next((a for a in composer.op.attrs if a.kind == "choice" and len(a.choices) == 2), None)
        if enum is None or spec is None:
            return ""
        said = {c.name: set(split(c.name.rpartition("::")[2])) for c in enum.constants}
        found = [
            next((name for name, own in said.items() if _CHOICES.get(choice, {choice}) & own), "")
            for choice in spec.choices
        ]
        if not all(found) or len(set(found)) != 2:
            return ""
        composer.covered.add(spec.name)
        usual, source = spec.choices.index(str(spec.default)), composer.attributes.source(spec.name)
        scope = "" if "::" in found[0] else f"::{enum.name.rpartition('::')[0]}::"
        return f"torchfl::integer({source}, {usual}) == 0 ? {scope}{found[0]} : {scope}{found[1]}"

    def _axis(self, function: Function, part: Part) -> str:
        """The dimension that an op works along; of a norm, whose tensors are rows here, the last of two."""
        composer, said = self.composer, {*split(function.name.rpartition("::")[2]), *part.words}
        alone = len(function.params) == 1 or bool({*part.words} & {"axis", "dim", "dimension"})
        if part.sort != "int" or not alone or not said & {"axis", "dim", "dimension"}:
            return ""
        if composer.op.shape_rule == "layer_norm":
            self.told = True
            return cxx.integer(part.param.type.canonical, "1")
        if composer.attributes.index("dim") is None:
            return ""
        composer.covered.add("dim")
        first = "out" if composer.op.list_input else composer.op.inputs[0]
        source = composer.attributes.source("dim")
        spec = next(a for a in composer.op.attrs if a.name == "dim")
        if spec.kind == "int_list":
            raise NotGenerated(
                f"{part.name!r} of {function.name} takes one dimension, and {composer.op.name} has several"
            )
        return cxx.integer(part.param.type.canonical, f"torchfl::from_front({first}, torchfl::integer({source}, -1))")
