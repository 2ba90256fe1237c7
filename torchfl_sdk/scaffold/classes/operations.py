"""Ops that are objects of a class: made, set up by member functions, and run with tensor objects.

    Softmax softmax;
    softmax.setAxis(1);
    softmax.run(input, output);

An object lives as long as the call: nothing says that two calls may share one.
"""

from __future__ import annotations

from collections.abc import Iterator

from torchfl_sdk.header.model import Class, CType, Function, Member
from torchfl_sdk.match.recognise.parts import Part
from torchfl_sdk.match.tokens import split, words
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.classes.arguments import operand
from torchfl_sdk.scaffold.classes.attributes import Settings
from torchfl_sdk.scaffold.classes.types import value_of
from torchfl_sdk.scaffold.compose import norms
from torchfl_sdk.scaffold.compose.code import returns_status
from torchfl_sdk.scaffold.compose.composer import Composer
from torchfl_sdk.scaffold.compose.state import TENSORS
from torchfl_sdk.scaffold.kernel_plan import NotGenerated

#: First words of member functions that set an object up, of those that have to be called before it runs, and of those
#: that tell how much memory it works in.
_SETS = frozenset(words("set with"))
_PREPARES = frozenset(words("prepare configure setup compile plan init build"))
_ROOM = frozenset(words("scratch workspace workbuffer temp temporary"))
_SIZE = frozenset(words("size bytes nbytes"))


class Operation:
    """The calls of one kernel over an object of ``of``, which ``member`` runs."""

    def __init__(self, composer: Composer, of: Class, member: Member) -> None:
        self.composer, self.of, self.member = composer, of, member
        self.members = composer.makers.members
        self.settings = Settings(composer, of, dict(composer.roles(member.function)))
        self.works = False  # it takes memory to work in

    def write(self) -> tuple[str, ...]:
        """Write the calls; the name of what computes. Raises :class:`NotGenerated`."""
        composer, code = self.composer, self.composer.code
        if self.of.abstract:
            raise NotGenerated(f"{self.of.name} has functions that only derived classes define")
        norms.rows_and_columns(composer)
        roles = composer.roles(self.member.function)
        arguments = [self._argument(p, roles.get(p.name, "")) for p in self._parts(self.member.function)]
        name = code.name("operation")
        self._make(name)
        for setter in self._setters():
            self._set(name, setter)
        self._room(name)
        self._call(name, self.member, arguments)
        (computes,) = self._used(self.member) or ("",)
        if not computes:
            raise NotGenerated(f"{self.member.function.name} has no symbol that could be looked up")
        return (computes,)

    def _parts(self, function: Function) -> tuple[Part, ...]:
        return self.composer.makers.parts.of(function)

    def _argument(self, part: Part, role: str) -> str:
        """One argument of the call that runs the object."""
        composer, t = self.composer, part.param.type
        if role == "workspace":
            self.works = True
            room = "workspace.data()"
            return room if t.kind == "pointer" else _address(t, room)
        if t.kind == "int" and t.bits == 64 and role in (*TENSORS, *composer.op.inputs, "indices", "mask", "condition"):
            tensor = operand(composer, role)
            if not tensor:
                raise NotGenerated(f"{composer.op.name} has no tensor for {part.name!r} of {self.member.function.name}")
            composer.tensors.add(tensor)
            made = _address(t, f"torchfl::data({tensor})")
            return f"torchfl::present({tensor}) ? {made} : 0" if tensor in composer.op.optional_inputs else made
        return composer.argument(self.member.function, part, role, "")

    def _make(self, name: str) -> None:
        """The object, by the constructor whose arguments are all known; of several the one with most."""
        code = self.composer.code
        lifecycle = self.members.lifecycle(self.of.name)
        begins = sorted(self._constructors(), key=lambda m: -len(m.function.params))
        reasons = []
        given: list[str] | None = None if begins else []
        for begin in begins:
            try:
                given = [self.settings.argument(begin.function, p) for p in self._parts(begin.function)]
            except NotGenerated as e:
                reasons.append(str(e))
                continue
            break
        if given is None:
            raise NotGenerated(reasons[0])
        code.used += [n for n in lifecycle if n not in code.used]
        tables = (n for n in lifecycle if self.members.symbols[n].words)
        code.add(*(f"torchfl::needs(vendor::table[vendor::at_{n}]);" for n in tables))
        text = cxx.call(f"::{self.of.name} {name}", given, ";", 2) if given else f"::{self.of.name} {name};"
        code.add(text)

    def _constructors(self) -> Iterator[Member]:
        """Those that make an object of something else than another one."""
        for m in self.of.members:
            if m.kind == "constructor" and not any(value_of(p.type).text == self.of.name for p in m.function.params):
                yield m

    def _setters(self) -> Iterator[Member]:
        """What sets the object up, in the header's order; what must be called before it runs is last."""
        found = [m for m in self._members() if m.kind == "method" and not m.const and not m.function.template]
        yield from (m for m in found if m.name != self.member.name and _SETS & set(split(m.name)[:1]))
        yield from (m for m in found if m.name != self.member.name and _PREPARES & set(split(m.name)[:1]))

    def _members(self) -> Iterator[Member]:
        """The class's members and those of its bases."""
        line: list[Class | None] = [self.of]
        while line and (of := line.pop(0)) is not None:
            yield from of.members
            line += [self.composer.model.classes.get(b) for b in of.bases]

    def _set(self, name: str, setter: Member) -> None:
        """Call a setter, if it sets something of the op; one that must be called whether or not it does."""
        composer = self.composer
        saved, covered = composer.save(), set(composer.covered)
        try:
            given = [self.settings.argument(setter.function, p) for p in self._parts(setter.function)]
            if not _PREPARES & set(split(setter.name)[:1]) and not self.settings.told and composer.covered == covered:
                raise NotGenerated(f"{setter.function.name} sets nothing of {composer.op.name}")
        except NotGenerated:
            if _PREPARES & set(split(setter.name)[:1]):
                raise
            composer.restore(saved)
            return
        finally:
            self.settings.told = False
        self._call(name, setter, given)

    def _room(self, name: str) -> None:
        """Memory to work in, where a member tells how much and another takes it."""
        about = [(m, set(split(m.name))) for m in self._members() if _ROOM & set(split(m.name))]
        takes = next((m for m, said in about if _SETS & said), None)
        tells = next((m for m, said in about if m.const and _SIZE & said and m.function.result.kind == "int"), None)
        if takes is None and not self.works:
            return
        if tells is None:
            wants = takes.function.name if takes is not None else self.member.function.name
            raise NotGenerated(f"nothing says how much room {wants} wants")
        code = self.composer.code
        roles = {p.name: r for p, r in zip(self._parts(self.member.function), self._roles(), strict=True)}
        asked = [self._asked(p, roles.get(p.name, "")) for p in self._parts(tells.function)]
        size = code.name("workspace_bytes")
        code.names.add("workspace")
        code.used += [n for n in self._used(tells) if n not in code.used]
        code.add(f"const auto {size} = {name}.{tells.name}({', '.join(asked)});",
                 "torchfl::Workspace workspace(device::api, *call);",
                 f"TFL_TRY(workspace.reserve(static_cast<uint64_t>({size})));")  # fmt: skip
        if takes is None:
            return
        given = ["workspace.data()" if p.param.type.kind == "pointer" else cxx.integer(p.param.type.canonical, size)
                 for p in self._parts(takes.function)]  # fmt: skip
        self._call(name, takes, given)

    def _asked(self, part: Part, role: str) -> str:
        """An argument of what tells how much room is wanted: the tensors of the call itself, results among them."""
        composer, value = self.composer, value_of(part.param.type)
        if role and not value.optional and composer.makers.tensors.is_tensor(value):
            name = operand(composer, role)
            made = composer.objects.get(f"{composer.makers.tensors.of(value.text).ctype} {name}", "")
            if made and name not in composer.op.optional_inputs:
                return made
        return composer.argument(self.member.function, part, role, "")

    def _roles(self) -> list[str]:
        roles = self.composer.roles(self.member.function)
        return [roles.get(p.name, "") for p in self._parts(self.member.function)]

    def _call(self, name: str, member: Member, arguments: list[str]) -> None:
        """A call of a member, which must succeed."""
        code, result = self.composer.code, member.function.result
        code.used += [n for n in self._used(member) if n not in code.used]
        head = f"{name}.{member.name}"
        if returns_status(member.function, code.status):
            code.add(cxx.call(f"TFL_TRY(status({head}", arguments, "));", 2))
        elif result.kind == "void" or result.canonical.rstrip(" &") == self.of.name:  # setters that can be chained
            code.add(cxx.call(head, arguments, ";", 2))
        elif result.kind == "bool":
            why = cxx.string(f"{member.function.name} says that it failed")
            code.add(cxx.call(f"if (!{head}", arguments, f") return torchfl::fail(TFL_DEVICE_ERROR, {why});", 2))
        else:
            raise NotGenerated(f"{member.function.name} returns {result.spelled}, which is no status")

    def _used(self, member: Member) -> list[str]:
        of = self.composer.model.classes.get(member.function.namespace, self.of)
        return self.members.use(of, member)


def _address(t: CType, pointer: str) -> str:
    """A pointer as the vendor's integer."""
    return f"static_cast<{cxx.bare(t.canonical)}>(reinterpret_cast<uintptr_t>({pointer}))"
