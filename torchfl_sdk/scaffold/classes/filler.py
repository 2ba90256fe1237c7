"""Arguments of what makes a tensor object over given memory: its address, extents, element type and where it is."""

from __future__ import annotations

from dataclasses import replace

from torchfl_sdk.header.model import CType, Function, Param
from torchfl_sdk.match.tokens import split, words
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.classes.standard import default
from torchfl_sdk.scaffold.classes.types import Value, value_of
from torchfl_sdk.scaffold.compose import choose
from torchfl_sdk.scaffold.compose.code import Code
from torchfl_sdk.scaffold.compose.helper import plain
from torchfl_sdk.scaffold.compose.keepers import Keepers
from torchfl_sdk.scaffold.kernel_plan import NotGenerated

_STRIDES = frozenset(words("strides stride steps"))
_BYTES = frozenset(words("bytes nbytes size bytesize sizeinbytes length"))
_RANK = frozenset(words("rank ndim ndims numdims dims n"))
HOSTS = frozenset(words("host cpu"))


class Filler:
    """Fills the arguments of what makes a tensor, over the C++ variables call and t."""

    def __init__(self, makers: Keepers, function: Function) -> None:
        self.makers, self.function = makers, function
        self.code = Code(makers.status, names={"call", "t", "held"})
        self.before: list[str] = []
        self.sized = self.staged = False
        self.dtypes: tuple[str, ...] = ()

    def argument(self, p: Param) -> str:
        t, value, named = p.type, value_of(p.type), set(split(p.name))
        if is_address(t):
            return self._address(t)
        if value.integers and value.grows:
            if named & _STRIDES:
                return f"torchfl::strides_of<{value.text}>(t)"
            self.sized = True
            return f"torchfl::sizes_of<{value.text}>(t)"
        if t.kind == "pointer" and t.pointee is not None and t.pointee.kind == "int" and t.pointee.const:
            return self._array(p, t.pointee, strides=bool(named & _STRIDES))
        if dtype_enum(self.makers, t) is not None:
            return self._dtype(t)
        if t.kind == "int" and named & _BYTES:
            return cxx.integer(t.canonical, "static_cast<int64_t>(t.numel * torchfl::element_size(t.dtype))")
        if t.kind == "int" and named & _RANK:
            return cxx.integer(t.canonical, "t.rank == 0 ? 1 : t.rank")
        shape = self._shape_class(value)
        if shape:
            self.sized = True
            return shape
        if t.kind == "enum":
            constant = choose.layout(self.makers.model, t, images=False)
            if constant:
                return constant
        given = default(self.function, p)
        if given is not None:
            return given
        if t.kind == "pointer" and t.pointee is not None and t.pointee.kind == "struct":
            return self.makers.kept_must(t.pointee.name, self.code, self.before)
        raise NotGenerated(f"nothing says what {self.function.name} should get as {p.name!r}")

    def _address(self, t: CType) -> str:
        inner = "const void" if t.pointee is not None and t.pointee.const else "void"
        if set(split(self.function.name)) & HOSTS and not self.makers.host:
            self.staged = True
            return "held.of(t)" if "const" in inner else "const_cast<void*>(held.of(t))"
        pointee = t.pointee.canonical if t.pointee is not None else inner
        return f"torchfl::data<{pointee}>(t)" if "void" not in pointee else "torchfl::data(t)"

    def _array(self, p: Param, element: CType, *, strides: bool) -> str:
        """Extents, or the steps between elements, as an array; steps that may be left out are those of dense rows."""
        given = default(self.function, p) if strides else None
        if given is not None:
            return given
        self.sized = self.sized or not strides
        ctype = cxx.bare(element.canonical.removeprefix("const "))
        name = self.code.name("steps" if strides else "sizes")
        self.code.add(f"const auto {name} = torchfl::{'strides' if strides else 'sizes'}_of<std::vector<{ctype}>>(t);")
        return f"{name}.data()"

    def _dtype(self, t: CType) -> str:
        enum = dtype_enum(self.makers, t)
        assert enum is not None
        helper = self.makers.dtype(enum)
        self.before += [text for text in helper.texts if text not in self.before]
        self.dtypes = self.makers.served(enum)
        name = self.code.name("dtype")
        why = cxx.string(f"no {helper.ctype} for this dtype")
        self.code.add(f"{helper.ctype} {name};", f"if (!{helper.name}(t.dtype, &{name})) torchfl::decline({why});")
        return with_size(self.makers, t, name, "t")

    def _shape_class(self, value: Value) -> str:
        """A class of extents that is made from a list of them."""
        of = self.makers.model.classes.get(value.text)
        for member in of.members if of is not None else ():
            if member.kind != "constructor" or len(member.function.params) != 1:
                continue
            entries = value_of(member.function.params[0].type)
            if entries.integers and entries.grows:
                made = f"torchfl::sizes_of<{entries.text}>(t)"
            elif entries.template == "std::initializer_list" and entries.arguments[0].integer:
                made = ""
            else:
                continue
            assert of is not None
            self.code.used += [n for n in self.makers.members.lifecycle(of.name) if n not in self.code.used]
            if made:
                return f"::{value.text}({made})"
            self._listed(value.text, entries.arguments[0].text)
            return f"shape_{plain(value.text)}(t)"
        return ""

    def _listed(self, name: str, element: str) -> None:
        """A function for a class that is made from a list in braces, whose length is the rank."""
        rows = []
        for rank in range(1, 9):
            entries = ", ".join(f"e({i})" for i in range(rank))
            rows.append(f"    case {rank}:\n      return ::{name}({{{entries}}});\n")
        text = (
            f"// The extents of a tensor, as the vendor's class has them.\n"
            f"::{name} shape_{plain(name)}(const tfl_tensor& t) {{\n"
            "  const auto e = [&](int32_t i) {\n"
            f"    return torchfl::integral<{element}>(t.rank == 0 ? 1 : t.sizes[i]);\n  }};\n"
            f"  switch (t.rank == 0 ? 1 : t.rank) {{\n{''.join(rows)}    default:\n"
            f'      torchfl::decline("more dimensions than fit");\n  }}\n}}'
        )
        if text not in self.before:
            self.before.append(text)


def dtype_enum(makers: Keepers, t: CType) -> CType | None:
    """The enum of element types that a parameter is, or that a struct of it and of a size holds; None for others."""
    value = value_of(t)
    if value.text in makers.dtypes:
        plain_enum = t if t.kind == "enum" else t.pointee
        return outside(plain_enum) if plain_enum is not None else None
    struct = makers.model.structs.get(value.text)
    if struct is None or not 1 <= len(struct.fields) <= 2 or value.text in makers.model.typedefs:
        return None
    first, *rest = struct.fields
    known = first.type.kind == "enum" and first.type.name in makers.dtypes
    sized = all(f.type.kind == "int" and set(split(f.name)) & _BYTES for f in rest)
    return outside(first.type) if known and sized else None


def enum_field(makers: Keepers, t: CType) -> str:
    """How the enum is read from a value of such a type."""
    struct = makers.model.structs.get(value_of(t).text)
    return f".{struct.fields[0].name}" if struct is not None else ""


def with_size(makers: Keepers, t: CType, name: str, tensor: str) -> str:
    """A value of such a type for a tensor, whose enum is in a variable."""
    value = value_of(t)
    struct = makers.model.structs.get(value.text)
    if struct is None:
        return name
    size = ""
    if len(struct.fields) == 2:
        ctype = struct.fields[1].type.canonical
        size = f", static_cast<{ctype}>(torchfl::element_size({tensor}.dtype))"
    return f"::{value.text}{{{name}{size}}}"


def outside(enum: CType) -> CType:
    """An enum by the name that it has outside its class and namespace."""
    return replace(enum, spelled=enum.canonical.removeprefix("const "), aliases=())


def is_address(t: CType) -> bool:
    """True for a pointer to bytes or to elements of any kind."""
    if t.kind != "pointer" or t.pointee is None:
        return False
    return t.pointee.kind == "void" or (t.pointee.kind == "int" and t.pointee.bits == 8)
