"""C++ functions that keep handles, engines and queues: one per thread and device, made at its first use."""

from __future__ import annotations

import re

from torchfl_sdk.header.model import Function, HeaderModel, Param
from torchfl_sdk.match.handles import is_numbered_queue, object_key, out_key, variable_type
from torchfl_sdk.match.recognise.parts import Part
from torchfl_sdk.match.recognise.uses import uses
from torchfl_sdk.match.tokens import split
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.classes.kept import keeper
from torchfl_sdk.scaffold.classes.standard import default
from torchfl_sdk.scaffold.compose import choose
from torchfl_sdk.scaffold.compose.code import Code
from torchfl_sdk.scaffold.compose.helper import Helper, add_texts, plain, short
from torchfl_sdk.scaffold.compose.library import Library
from torchfl_sdk.scaffold.compose.lifecycle import Lifecycle
from torchfl_sdk.scaffold.kernel_plan import NotGenerated

_DEVICE_INDEX = frozenset(
    {"index", "device", "dev", "deviceid", "devid", "id", "ordinal", "deviceindex", "card", "cardid", "board", "chip"}
)


class Keepers(Library):
    """Plans the functions that give a thread's object of some kind."""

    def waiting(self, key: str) -> Function | None:
        """The function that waits for what runs in a thread's own object: nobody but the kernel can call it."""
        life = self.lifecycles.by_key(key) if key != self.opened else None
        alone = [u for u in (life.users if life else []) if len(u.params) == 1]
        return next((use.function for use in uses(alone, ()) if use.waits), None)

    def kept(self, key: str) -> Helper:
        """``tfl_status name(call, ctype* object)`` for an object that is made once per thread and device, by a
        function or by a constructor of its class."""
        of, life = self.model.classes.get(key), self.lifecycles.by_key(key)
        if of is not None and (life is None or not life.makers) and any(m.kind == "constructor" for m in of.members):
            return self.once("object", key, lambda _: keeper(self, of))
        return self.once("kept", key, self._kept)

    def _kept(self, key: str) -> Helper:
        life = self.life(key)
        if life.held:
            raise NotGenerated(f"a {life.ctype} is a struct of the caller's, which no kernel keeps")
        reasons: list[str] = []
        for maker in life.makers:
            code = Code(self.status, names={"call", "object", "made"})
            before: list[str] = []
            try:
                arguments = [self._context(maker, p, key, code, before) for p in self.parts.of(maker)]
                if object_key(maker.result) == key:
                    code.use(maker)
                    code.add(cxx.call(f"*made = vendor::{maker.name}", arguments, ";", 10))
                    code.add("return *made != nullptr ? TFL_OK : TFL_OUT_OF_MEMORY;")
                else:
                    code.add(code.statement(maker, arguments, 10), "return TFL_OK;")
            except NotGenerated as e:
                reasons.append(str(e))
                continue
            return self._keeper(life, code, before)
        raise NotGenerated(reasons[0] if reasons else f"no function of the header makes a {life.ctype or key}")

    def _keeper(self, life: Lifecycle, code: Code, before: list[str]) -> Helper:
        name, end = f"kept_{plain(life.ctype)}", life.end
        undo = "(void)made;"
        if end is not None:
            code.use(end)
            undo = f"if (vendor::{end.name}) vendor::{end.name}(made);"
        body = "".join(f"        {line}\n" for line in code.lines)
        capture = "call" if "call" in body else ""
        text = (
            f"// The calling thread's {life.ctype} for the call's device, made at its first use.\n"
            f"tfl_status {name}(const tfl_call* call, {life.ctype}* object) {{\n"
            "  static const char kind = 0;\n"
            "  return torchfl::Kept::all().get(\n"
            "      &kind, call->device, object,\n"
            f"      [{capture}]({life.ctype}* made) -> tfl_status {{\n{body}      }},\n"
            f"      []({life.ctype} made) {{ {undo} }});\n}}"
        )
        return Helper(name, text, tuple(before), tuple(code.used), life.ctype)

    def _context(self, maker: Function, part: Part, key: str, code: Code, before: list[str]) -> str:
        t = part.param.type
        if out_key(t) == key:
            return "made"
        if object_key(t):
            return self.kept_argument(object_key(t), code, before)
        if t.kind == "enum":
            constant = choose.device_kind(self.model, t, host=self.host) or choose.default(self.model, t)
            if constant:
                return constant
        flags = bool({"flags", "flag", "options"} & set(part.words))
        if t.kind == "int" and flags:
            return _default_flag(self.model, maker) or "0"
        if t.kind == "int" and part.joined in _DEVICE_INDEX:
            return cxx.integer(t.spelled, "call->device")
        given = default(maker, part.param)
        if given is not None:
            return given
        raise NotGenerated(f"nothing says what {maker.name} should get as {part.name!r}")

    def current(self, key: str, code: Code, before: list[str]) -> str:
        """The thread's object, as :meth:`kept_argument`; one that takes a queue gets the call's."""
        name = self.kept_argument(key, code, before)
        life = self.lifecycles.by_key(key)
        for filler in life.fillers if life else []:
            parts = self.parts.of(filler)
            if len(parts) == 2 and parts[1].sort == "stream" and "*" in parts[1].param.type.canonical:
                if not self.host:
                    queue = f"static_cast<{variable_type(parts[1].param.type)}>(call->stream)"
                    code.call(filler, [name, queue])
                break
        return name

    def queue(self, function: Function, param: Param, *, foreign: bool = False) -> str:
        """The call's queue for an argument. Raises NotGenerated where the header neither makes one nor says that NULL,
        which is what a call has unless the core made one, is the default queue. ``foreign``: it need not say
        so, because the runtime of another header makes them."""
        t = param.type
        if is_numbered_queue(t):
            return f"static_cast<{variable_type(t)}>(reinterpret_cast<uintptr_t>(call->stream))"
        if "*" not in t.canonical:
            raise NotGenerated(f"{param.name!r} of {function.name} is a queue of a type that is no pointer")
        life = self.lifecycles.by_key(object_key(t))
        said = function.comment.lower()
        if not foreign and (life is None or not life.makers) and not ("null" in said and "default" in said):
            raise NotGenerated(
                f"no function of the header makes a {variable_type(t)}, and no comment of {function.name} says that "
                "NULL is the default queue"
            )
        return f"static_cast<{variable_type(t)}>(call->stream)"

    def kept_argument(self, key: str, code: Code, before: list[str]) -> str:
        """A variable with the thread's object of this kind, declared in ``code``; of opened devices with the device's,
        which no other thread has meanwhile."""
        if key == self.opened:
            opened = code.name("opened")
            code.add(f"const OpenDevice {opened}(call->device);", f"TFL_TRY({opened}.status());")
            return f"{opened}.get()"
        helper = self.kept(key)
        add_texts(before, helper)
        code.used += [u for u in helper.used if u not in code.used]
        name = code.name("handle" if "handle" in plain(helper.ctype).lower() else short(helper.ctype))
        code.add(f"{helper.ctype} {name};", f"TFL_TRY({helper.name}(call, &{name}));")
        return name

    def kept_must(self, key: str, code: Code, before: list[str]) -> str:
        """As :meth:`kept_argument`, within a function that gives a value and no status."""
        text = Code(self.status, names=code.names)
        name = self.kept_argument(key, text, before)
        code.lines += [re.sub(r"^TFL_TRY\((.*)\);$", r"torchfl::must(\1);", line) for line in text.lines]
        code.used += [u for u in text.used if u not in code.used]
        return name


def _default_flag(model: HeaderModel, maker: Function) -> str:
    """The constant of an enum of flags of the made object that is called the default."""
    about = set(split(maker.name))
    for enum in model.enums.values():
        named = set(split(enum.name))
        if "flags" in named and named - {"flags", "t"} <= about:
            for constant in enum.constants:
                if "default" in split(constant.name):
                    return constant.name
    return ""
