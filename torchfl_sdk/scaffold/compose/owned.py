"""Objects in a vendor's call: tensors described, attributes put into descriptors, handles that are kept."""

from __future__ import annotations

import re
from collections.abc import Sequence

from torchfl_sdk.header.model import CType, Function
from torchfl_sdk.match.handles import object_key, out_key, variable_type
from torchfl_sdk.match.recognise.parts import Part
from torchfl_sdk.match.tokens import split
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.classes import kept
from torchfl_sdk.scaffold.compose.geometry import described
from torchfl_sdk.scaffold.compose.helper import Helper
from torchfl_sdk.scaffold.compose.lifecycle import Lifecycle
from torchfl_sdk.scaffold.compose.numbers import Numbers
from torchfl_sdk.scaffold.compose.state import variable
from torchfl_sdk.scaffold.compose.structs import SPACE
from torchfl_sdk.scaffold.kernel_plan import NotGenerated

#: What the comment of a function says that gives a list back together with the tensors in it.
_MEMBERS = re.compile(r"\b(?:and|with) (?:its|the|all|their) (?:tensors|members|elements|entries)\b", re.IGNORECASE)


class Objects(Numbers):
    """Makes the objects that a call needs, and gives them to it."""

    def described(self, key: str, tensor: str, given: str = "") -> str:
        """A variable with the vendor's description of a tensor of the op, made once per kernel and kind.

        ``given``: its extents, as C++, where they are not those that the op's kind has.
        """
        mark = f"{key} {tensor}"
        if mark in self.objects:
            return self.objects[mark]
        helper = self.makers.tensor(key)
        self.use(helper)
        life = self.makers.lifecycles.by_key(key)
        self._limit_to(helper, life)
        wanted = f"{tensor}_{'desc' if {'desc', 'descriptor'} & set(split(helper.ctype)) else 'object'}"
        name, out = self.code.place(life, helper.ctype, wanted)
        roles = dict(self.match.arguments).values()
        makes = {"out_pd", "out_desc"} & set(roles)
        extents = given or described(self.op, self.kind, tensor, axis="axis" in roles)
        if not given and tensor == "weight" and self.kind == "conv" and makes and "groups" not in roles:
            # A primitive without an argument for groups can learn them from the weight's extents alone.
            extents = f"torchfl::grouped(weight, torchfl::integer({self.attributes.source('groups')}, 1))"
            self.covered.add("groups")
        if "torchfl::around" in extents:
            self.covered.add("dim")
        if "torchfl::reduced" in extents:
            self.covered |= {"dim", "keepdim"}
        if life is not None and life.layout is not None and not life.layout.max_rank:
            space = self.code.name(f"{name.removeprefix('&')}{SPACE}")
            self.code.add(f"torchfl::ExtentSpace {space};")
            out = f"{out}, &{space}"
        made = f"{helper.name}(call, {tensor}, {extents}, {out})"
        if tensor in self.op.optional_inputs and not given:
            self.code.add(f"if (torchfl::present({tensor})) TFL_TRY({made});")
            self.code.filled(life, name, borrows=helper.borrows, when=f"if (torchfl::present({tensor})) ")
            if life is not None and life.held:
                name = f"torchfl::present({tensor}) ? {name} : nullptr"
        else:
            self.code.add(f"TFL_TRY({made});")
            self.code.filled(life, name, borrows=helper.borrows)
        self.objects[mark] = name
        return name

    def listed(self, key: str) -> str:
        """A variable with the vendor's objects for every tensor of the op's list."""
        mark = f"list {key}"
        if mark in self.objects:
            return self.objects[mark]
        helper = self.makers.tensor(key)
        self.use(helper)
        life = self.makers.lifecycles.by_key(key)
        self._limit_to(helper, life)
        if life is not None and life.layout is not None and not life.layout.max_rank:
            raise NotGenerated(f"a list of {life.ctype} needs room for the extents of each")
        what = self.op.inputs[0]
        self.tensors.add(what)
        if life is not None and life.held:
            if life.end is not None and not helper.borrows:
                raise NotGenerated(f"nothing gives a list of {life.ctype} back")
            name = self.code.name(f"{what}_list")
            self.code.add(f"std::vector<{helper.ctype}> {name};")
            out = f"&{name}.emplace_back()"
        else:
            name = self.code.own(helper.ctype, life.end if life else None, f"{what}_list", many=True)
            out = f"{name}.out()"
        extents = described(self.op, self.kind, "call->inputs[i]", axis=True)
        self.code.add(
            "for (uint32_t i = 0; i < call->num_inputs; ++i) {",
            f"  TFL_TRY({helper.name}(call, call->inputs[i], {extents}, {out}));",
            "}",
        )
        self.objects[mark] = name
        return name

    def _limit_to(self, helper: Helper, life: Lifecycle | None) -> None:
        """The dtypes that what describes a tensor has names for."""
        if life is not None and life.layout is not None:
            element = self.makers.element(life)
            self.limit([d for d, _ in life.layout.dtype_values] or ([element] if element else []))
        for t in self._dtype_types(helper):
            self.limit(self.makers.served(t))

    def _list(self, function: Function, part: Part) -> str:
        """An array of objects that describe the op's tensors."""
        inner = part.param.type.pointee
        key = object_key(inner) if inner is not None else ""
        of_structs = self.makers.lifecycles.of(part.param.type)
        if of_structs is not None and of_structs.held:
            key = of_structs.key
        if not key and inner is not None and inner.kind == "pointer":
            return self._pointers(inner)
        if not key:
            return self._list_object(function, part)
        life = self.makers.lifecycles.by_key(key)
        if life is not None and life.held and inner is not None and inner.kind == "pointer":
            const = inner.pointee is not None and inner.pointee.const
            return self._addresses(self.listed(key), life.ctype, const=const)
        return f"{self.listed(key)}.data()"

    def _addresses(self, filled: str, ctype: str, *, const: bool) -> str:
        """An array of pointers to the structs of a list."""
        name, element = self.code.name("addresses"), f"{'const ' if const else ''}{ctype}*"
        self.code.add(f"std::vector<{element}> {name};", f"for (auto& entry : {filled}) {name}.push_back(&entry);")
        return f"{name}.data()"

    def _pointers(self, element: CType) -> str:
        """An array of pointers to the elements of the op's tensors."""
        self.tensors.add(self.op.inputs[0])
        name, ctype = self.code.name("pointers"), variable_type(element)
        self.code.add(
            f"std::vector<{ctype}> {name};",
            f"for (uint32_t i = 0; i < call->num_inputs; ++i) {name}.push_back({cxx.data('call->inputs[i]', ctype)});",
        )
        return f"{name}.data()"

    def _list_object(self, function: Function, part: Part) -> str:
        """An object that holds the op's tensors, made from an array of their objects and a count. Both are given back:
        a list is not said to own what is in it."""
        key = object_key(part.param.type)
        life = self.makers.lifecycles.by_key(key) if key else None
        for maker in life.makers if life else []:
            parts = self.makers.parts.of(maker)
            plain = [p for p in parts if out_key(p.param.type) != key]
            arrays = [p for p in plain if p.param.type.pointee is not None and object_key(p.param.type.pointee)]
            count = [p for p in plain if p.sort == "int"]
            if life is None or len(arrays) != 1 or len(count) != 1 or len(plain) != 2:
                continue
            inner = object_key(arrays[0].param.type.pointee)  # type: ignore[arg-type]
            tensors = self.listed(inner)
            made = self.code.own(life.ctype, self._keeps_members(life.end), variable(part.name))
            number = self.integer(count[0], "call->num_inputs", "a number of tensors")
            chosen = {arrays[0].name: f"{tensors}.data()", count[0].name: number}
            self._finish(maker, key, made, [chosen.get(p.name, f"{made}.out()") for p in parts])
            return made
        raise NotGenerated(f"{part.name!r} of {function.name} is a list of what nothing fills")

    def _keeps_members(self, end: Function | None) -> Function | None:
        """The function that gives a list back. Raises :class:`NotGenerated` if that ends what is in the list too."""
        if end is not None and _MEMBERS.search(end.comment):
            raise NotGenerated(f"{end.name} gives back what is in the list as well")
        return end

    def _dtype_types(self, helper: Helper) -> list[CType]:
        """The dtype enums of the functions that describe a tensor."""
        found = []
        for name in helper.used:
            function = self.model.function(name)
            found += [p.type for p in (function.params if function else ()) if p.type.name in self.makers.dtypes]
        return found

    def made(self, key: str, part: Part) -> str:
        """An object that a maker makes and fillers fill with what the op's attributes say."""
        if key in self.objects:
            return self.objects[key]
        life = self.makers.lifecycles.by_key(key)
        if life is None or not life.makers:
            raise NotGenerated(f"no function of the header makes a {part.param.type.spelled}")
        reasons: list[str] = []
        best: tuple[int, Function, Function | None] | None = None
        before = self.save()
        for maker in life.makers:
            for filler in [*life.fillers, None]:
                try:
                    self._made(key, part, maker, filler)
                except NotGenerated as e:
                    reasons.append(str(e))
                else:
                    points = len(self.covered)  # of several setters, the one that takes most of the op's attributes
                    best = best if best is not None and best[0] >= points else (points, maker, filler)
                self.restore(before)
        if best is None:
            raise NotGenerated(reasons[0])
        return self._made(key, part, *best[1:])

    def _made(self, key: str, part: Part, maker: Function, filler: Function | None) -> str:
        life = self.makers.lifecycles.by_key(key)
        assert life is not None
        if filler is None and life.fillers and len(maker.params) == 1:
            raise NotGenerated(f"nothing fills a {life.ctype}")
        name, out = self.code.place(life, life.ctype, variable(part.name))
        self.objects[key] = name
        self._run(maker, key, out, name, part)
        if filler is not None:
            self._run(filler, key, out, name, part)
            self._complete(life.fillers, filler, key, out, name, part)
        self.code.filled(life, name)
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
                arguments.append(self.argument(function, part, roles.get(part.name, ""), key))
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

    def kept(self, key: str) -> str:
        """The thread's handle, engine or queue; a handle that takes a queue gets the call's."""
        if f"kept {key}" in self.objects:
            return self.objects[f"kept {key}"]
        name = self.objects[f"kept {key}"] = self.makers.current(key, self.code, self.helpers)
        return name

    def wait(self) -> None:
        """Waits for each object of the thread's that a function of the header waits for: nobody else can."""
        for key, name in [(k.removeprefix("kept "), n) for k, n in self.objects.items() if k.startswith("kept ")]:
            waiting, of = self.makers.waiting(key), self.model.classes.get(key)
            if waiting is not None and key not in self.waited:
                self.code.call(waiting, [name])
            elif (
                of is not None and key not in self.waited and (step := kept.waiting(self.makers, of, name)) is not None
            ):
                self.code.used += [n for n in step[1] if n not in self.code.used]
                self.code.add(f"TFL_TRY({step[0]});")
            self.waited.add(key)
        kept.wait(self)
