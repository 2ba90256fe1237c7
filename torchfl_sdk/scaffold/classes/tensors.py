"""Tensors that are objects of a class: how one is made over memory of PyTorch's, and how its numbers come back.

Both are read off the header: a constructor, a static member or a function that takes an address, extents and an element
type, and an accessor that gives the address or copies the numbers out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchfl_sdk.header.model import Class, Function, Member
from torchfl_sdk.match.tokens import split, words
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.classes.filled import by_setters, setters
from torchfl_sdk.scaffold.classes.filler import HOSTS, Filler, dtype_enum, enum_field, is_address, with_size
from torchfl_sdk.scaffold.classes.standard import default
from torchfl_sdk.scaffold.classes.types import Value, value_of
from torchfl_sdk.scaffold.compose.helper import Helper, plain
from torchfl_sdk.scaffold.compose.keepers import Keepers
from torchfl_sdk.scaffold.kernel_plan import NotGenerated

if TYPE_CHECKING:
    from torchfl_sdk.match.recognise.parts import Part
    from torchfl_sdk.scaffold.compose.state import State

_BYTES = frozenset(words("bytes nbytes size bytesize sizeinbytes length"))
_ADDRESS = frozenset(words("data ptr dataptr address addr raw rawptr buffer pointer devptr deviceptr"))
_COPIES = frozenset(words("copy read download to host tohost copyto readto get fetch"))
_EXTENTS = frozenset(words("shape sizes extents dims dimensions"))
_DENSE = frozenset(words("iscontiguous contiguous isdense"))
_COMPUTES = frozenset(words("eval evaluate realize materialize"))
#: Element types that an accessor which is a template over them is asked for.
_ELEMENTS = {
    "float32": "float", "float64": "double", "int32": "int", "int64": "long", "uint8": "unsigned char",
    "int8": "signed char", "bool": "bool",
}  # fmt: skip


@dataclass(frozen=True)
class Source:
    """Something that makes a tensor. ``member`` is None for a function of a namespace."""

    function: Function
    member: Member | None = None


@dataclass(frozen=True)
class TensorHelpers:
    """``made``: ``T name(call, tensor)``; ``given``: ``tfl_status name(call, object, tensor)``. ``dtypes``: torchfl's
    names of the element types that the class has; ``checked``: that a result's type is compared."""

    ctype: str
    made: Helper
    given: Helper | None
    dtypes: tuple[str, ...]
    checked: bool
    why: str = ""  # no result can be read
    fills: bool = False  # ``made`` is ``void name(tensor, T* made)``: it tells an empty one


class Tensors:
    """The tensor classes of one header; ``makers`` plans the functions that they share with other objects."""

    def __init__(self, makers: Keepers) -> None:
        self.makers, self.model = makers, makers.model
        self._known: dict[str, TensorHelpers | NotGenerated] = {}

    def of(self, name: str) -> TensorHelpers:
        """The helpers for a class. Raises :class:`NotGenerated` where the header does not say how one is made."""
        if name not in self._known:
            try:
                self._known[name] = self._plan(name)
            except NotGenerated as e:
                self._known[name] = e
        found = self._known[name]
        if isinstance(found, NotGenerated):
            raise found
        return found

    def is_tensor(self, value: Value) -> bool:
        """True for a class of the header some function of which takes an address to make one."""
        of = self.model.classes.get(value.text)
        return of is not None and (any(self._sources(value.text)) or bool(setters(self.makers, of)))

    def dtype_of(self, composer: State, part: Part, tensor: str) -> str:
        """The element type of a tensor, for a parameter that takes one; "" for other parameters."""
        enum = dtype_enum(self.makers, part.param.type)
        if enum is None:
            return ""
        helper = self.makers.dtype(enum)
        composer.use(helper)
        name = composer.code.name("dtype")
        why = cxx.string(f"no {helper.ctype} for this dtype")
        composer.code.add(
            f"{helper.ctype} {name};",
            f"if (!{helper.name}({tensor}.dtype, &{name})) return torchfl::unsupported({why});",
        )
        return with_size(self.makers, part.param.type, name, tensor)

    def _sources(self, name: str) -> Iterator[Source]:
        of = self.model.classes[name]
        for member in of.members:
            made = member.kind == "constructor" or (
                member.kind == "static" and value_of(member.function.result).text == name
            )
            if made and _from_address(member.function) and not member.function.template:
                yield Source(member.function, member)
        for function in self.model.functions:
            value = value_of(function.result)
            if value.text == name and not value.written and _from_address(function) and function.linkage == "c":
                yield Source(function)

    def _plan(self, name: str) -> TensorHelpers:
        of = self.model.classes.get(name)
        if of is None:
            raise NotGenerated(f"the header does not define {name}")
        reasons = []
        for source in sorted(self._sources(name), key=lambda s: len(s.function.params)):
            try:
                made, dtypes, on_host = self._made(of, source)
            except NotGenerated as e:
                reasons.append(str(e))
                continue
            why, given, checked = "", None, False
            try:
                given, checked = self._given(of, on_host=on_host)
            except NotGenerated as e:
                why = str(e)
            return TensorHelpers(f"::{name}", made, given, dtypes, checked, why)
        if not reasons and setters(self.makers, of):
            made, dtypes = by_setters(self.makers, of)
            return TensorHelpers(f"::{name}", made, None, dtypes, False, f"no {name} is made of another", fills=True)
        raise NotGenerated(reasons[0] if reasons else f"no constructor or function makes a {name} over given memory")

    def _made(self, of: Class, source: Source) -> tuple[Helper, tuple[str, ...], bool]:
        filler = Filler(self.makers, source.function)
        arguments = [filler.argument(p) for p in source.function.params]
        if not filler.sized or not filler.dtypes:
            what = "element type" if filler.sized else "extents"
            raise NotGenerated(f"{source.function.name} takes an address, but no {what}")
        code, used = filler.code, [*filler.code.used, *self.makers.members.lifecycle(of.name)]
        if source.member is None:
            head = f"vendor::{source.function.name}"
            used.append(source.function.name)
        else:
            head = f"::{of.name}" if source.member.kind == "constructor" else f"::{source.function.name}"
            used += self.makers.members.use(of, source.member)
        text = cxx.call(head, arguments, "", 2)
        on_host = bool(set(split(source.function.name)) & HOSTS)
        if on_host:
            text, moved = self._moved(of, text, filler)
            used += moved
        name = f"vendor_{plain(of.name)}"
        lines = "".join(f"  {line}\n" for line in code.lines)
        parameters = "const tfl_call* call, const tfl_tensor& t"
        if filler.staged:
            parameters = "const tfl_call* call, const tfl_tensor& t, torchfl::OnHost& held"
        body = f"{lines}  return {text};"
        if not any(w in body for w in ("call->", "(call,", "*call")):
            parameters = parameters.replace("tfl_call* call", "tfl_call*")
        helper = Helper(
            name, f"// A tensor of the vendor's over the memory of one of PyTorch's.\n"
            f"::{of.name} {name}({parameters}) {{\n{body}\n}}",
            (*filler.before, ), tuple(dict.fromkeys(used)), f"::{of.name}", borrows=not filler.staged,
        )  # fmt: skip
        return helper, filler.dtypes, on_host

    def _moved(self, of: Class, text: str, filler: Filler) -> tuple[str, list[str]]:
        """A tensor of the host's, moved to the device that the class's member for that wants."""
        for member in of.members:
            first, *rest = member.function.params or (None,)
            if member.kind != "method" or value_of(member.function.result).text != of.name or first is None:
                continue
            if first.type.kind != "pointer" or first.type.pointee is None or first.type.pointee.kind != "struct":
                continue
            others = [default(member.function, p) for p in rest if p is not None]
            if None in others:
                continue
            device = self.makers.kept_must(first.type.pointee.name, filler.code, filler.before)
            used = [*filler.code.used, *self.makers.members.use(of, member)]
            return f"{text}\n      .{member.name}({', '.join([device, *(o for o in others if o)])})", used
        return text, []

    def _given(self, of: Class, *, on_host: bool) -> tuple[Helper, bool]:
        """The function that puts what an object holds into a tensor of PyTorch's."""
        members, lines, used = self.makers.members, list[str](), list[str]()
        subject, before = "from", list[str]()
        for member in of.members:
            if member.kind == "method" and set(split(member.name)) <= _COMPUTES and not member.function.params:
                lines.append(f"from.{member.name}();")
                used += members.use(of, member)
        checked = self._check(of, lines, used, before)
        self._form(of, lines, used)
        for member in of.members if on_host else ():
            needed = [p for p in member.function.params if not p.default]
            if member.name in HOSTS and not needed and value_of(member.function.result).text == of.name:
                lines.append(f"const ::{of.name} host = from.{member.name}();")
                used += members.use(of, member)
                subject = "host"
                break
        lines += self._read(of, subject, used)
        name = f"give_{plain(of.name)}"
        body = "".join(f"  {line}\n" for line in lines)
        text = (
            f"// Puts the numbers of a vendor's tensor into one of PyTorch's.\n"
            f"tfl_status {name}(const tfl_call* call, ::{of.name}& from, const tfl_tensor& out) {{\n{body}}}"
        )
        return Helper(name, text, tuple(before), tuple(dict.fromkeys(used)), f"::{of.name}"), checked

    def _check(self, of: Class, lines: list[str], used: list[str], before: list[str]) -> bool:
        """Compare the result's element type with the one that is wanted, where an accessor tells it."""
        for member in of.members:
            enum = dtype_enum(self.makers, member.function.result)
            if member.kind != "method" or member.function.params or enum is None:
                continue
            helper = self.makers.dtype(enum)
            before += [text for text in helper.texts if text not in before]
            why = cxx.string("the vendor's result has another element type")
            told = f"from.{member.name}(){enum_field(self.makers, member.function.result)}"
            lines += [
                f"{helper.ctype} wanted;",
                f"if (!{helper.name}(out.dtype, &wanted) || {told} != wanted) {{",
                f"  return torchfl::unsupported({why});",
                "}",
            ]
            used += self.makers.members.use(of, member)
            return True
        return False

    def _form(self, of: Class, lines: list[str], used: list[str]) -> None:
        """Compare the result's number of elements, and how they lie, where accessors tell them."""
        for member in of.members:
            name, function = "".join(split(member.name)), member.function
            if member.kind != "method" or function.params or function.template:
                continue
            value = value_of(function.result)
            if name in _EXTENTS and value.integers and value.grows:
                why = cxx.string("the vendor's result has another number of elements")
                lines += [
                    "int64_t count = 1;",
                    f"for (const auto extent : from.{member.name}()) count *= static_cast<int64_t>(extent);",
                    f"if (count != out.numel) return torchfl::unsupported({why});",
                ]
            elif name in _DENSE and value.text == "bool":
                why = cxx.string("the vendor's result does not lie in one piece")
                lines.append(f"if (!from.{member.name}()) return torchfl::unsupported({why});")
            else:
                continue
            used += self.makers.members.use(of, member)

    def _read(self, of: Class, subject: str, used: list[str]) -> list[str]:
        for member in of.members:
            function = member.function
            if member.kind != "method" or function.params or "".join(split(member.name)) not in _ADDRESS:
                continue
            if function.result.kind == "pointer" and not function.template:
                used += self.makers.members.use(of, member)
                return [f"return torchfl::give(device::api, *call, {subject}.{member.name}(), out);"]
            if len(function.template) == 1 and function.result.kind == "pointer":
                return self._instances(of, member, subject, used)
        copied = self._copied(of, subject, used)
        if copied:
            return copied
        raise NotGenerated(f"no member of {of.name} gives its address, and nothing copies its numbers out")

    def _instances(self, of: Class, member: Member, subject: str, used: list[str]) -> list[str]:
        lines = ["switch (out.dtype) {"]
        for dtype, element in _ELEMENTS.items():
            if not member.function.inline:
                used += self.makers.members.instance(of, member, element)
            lines += [
                f"  case {cxx.TFL_DTYPES[dtype]}:",
                f"    return torchfl::give(device::api, *call, {subject}.{member.name}<{element}>(), out);",
            ]
        why = cxx.string("no C++ type for this element type")
        return [*lines, "  default:", f"    return torchfl::unsupported({why});", "}"]

    def _copied(self, of: Class, subject: str, used: list[str]) -> list[str]:
        """By a function, or a member, that takes the address to copy to."""
        found: list[tuple[Function, Member | None]] = [
            (m.function, m) for m in of.members if m.kind == "method" and not m.function.template
        ]
        found += [(f, None) for f in self.model.functions if f.linkage == "c"]
        for function, member in found:
            if not set(split(function.name)) & _COPIES or function.result.kind not in ("void", "bool"):
                continue
            arguments: list[str] = []
            for p in function.params:
                value = value_of(p.type)
                if value.text == of.name and not value.written and member is None:
                    arguments.append(subject)
                elif is_address(p.type) and not (p.type.pointee and p.type.pointee.const):
                    arguments.append("to")
                elif p.type.kind == "int" and set(split(p.name)) & _BYTES:
                    bytes_ = "static_cast<uint64_t>(out.numel) * torchfl::element_size(out.dtype)"
                    arguments.append(f"static_cast<{cxx.bare(p.type.canonical)}>({bytes_})")
                else:
                    break
            if len(arguments) != len(function.params) or "to" not in arguments:
                continue
            if member is None and subject not in arguments:
                continue
            call = f"vendor::{function.name}({', '.join(arguments)});"
            if member is not None:
                call = f"{subject}.{member.name}({', '.join(arguments)});"
                used += self.makers.members.use(of, member)
            else:
                used.append(function.name)
            if self.makers.host:
                return ["void* const to = torchfl::data(out);", call, "return TFL_OK;"]
            return [
                "torchfl::OnHost held(device::api, *call);", "void* const to = held.room_for(out);", call,
                "held.give(to, out);", "return TFL_OK;",
            ]  # fmt: skip
        return []


def _from_address(function: Function) -> bool:
    return sum(is_address(p.type) for p in function.params) == 1
