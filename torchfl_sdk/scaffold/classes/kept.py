"""Objects of classes that a call takes by reference and that live on: handles, queues. One per thread and device.

Where the header has the class, a constructor makes one, and waits for its work is a member; where it only names the
class, static members of another make and end one, as functions would.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from torchfl_sdk.header.model import Class, Function, HeaderModel, Member
from torchfl_sdk.match.recognise.uses import WAITS
from torchfl_sdk.match.tokens import split, words
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.classes.standard import default
from torchfl_sdk.scaffold.classes.types import value_of
from torchfl_sdk.scaffold.compose.code import returns_status
from torchfl_sdk.scaffold.compose.helper import Helper, plain, short
from torchfl_sdk.scaffold.kernel_plan import NotGenerated

if TYPE_CHECKING:
    from torchfl_sdk.match.recognise.parts import Part
    from torchfl_sdk.scaffold.compose.composer import Composer
    from torchfl_sdk.scaffold.compose.keepers import Keepers
    from torchfl_sdk.scaffold.compose.state import State

_INDEX = frozenset(words("device dev index ordinal id card board chip deviceid deviceindex"))


def by_reference(composer: Composer, part: Part) -> str | None:
    """The thread's object for a parameter that is a reference to one; None for parameters of other types."""
    value = value_of(part.param.type)
    if not value.written or value.template or composer.makers.tensors.is_tensor(value):
        return None
    life = composer.makers.lifecycles.by_key(value.text)
    if life is not None and life.makers:
        return f"*{composer.kept(value.text)}"
    of = composer.model.classes.get(value.text)
    return f"*{_of_class(composer, of)}" if of is not None else None


def _of_class(composer: Composer, of: Class) -> str:
    """A variable with the thread's object of a class, which the kernel waits for in the end."""
    mark = f"object {of.name}"
    if mark not in composer.objects:
        helper = composer.makers.once("object", of.name, lambda _: keeper(composer.makers, of))
        composer.use(helper)
        name = composer.objects[mark] = composer.code.name(short(of.name))
        composer.code.add(f"::{of.name}* {name};", f"TFL_TRY({helper.name}(call, &{name}));")
    return composer.objects[mark]


def keeper(makers: Keepers, of: Class) -> Helper:
    """``tfl_status name(call, T** object)`` for a class with a constructor that wants a device's number or nothing."""
    reasons: list[str] = []
    for begin in (m for m in of.members if m.kind == "constructor"):
        if any(value_of(p.type).text == of.name for p in begin.function.params):
            continue
        try:
            given = [_given(begin.function, i) for i in range(len(begin.function.params))]
        except NotGenerated as e:
            reasons.append(str(e))
            continue
        used = list(dict.fromkeys([*makers.members.lifecycle(of.name), *makers.members.use(of, begin)]))
        name, ctype = f"kept_{plain(of.name)}", f"::{of.name}"
        capture = "call" if any("call" in g for g in given) else ""
        text = (
            f"// The calling thread's {of.name} for the call's device, made at its first use.\n"
            f"tfl_status {name}(const tfl_call* call, {ctype}** object) {{\n"
            "  static const char kind = 0;\n"
            "  return torchfl::Kept::all().get(\n"
            "      &kind, call->device, object,\n"
            f"      [{capture}]({ctype}** made) -> tfl_status {{\n"
            f"        *made = new {ctype}({', '.join(given)});\n        return TFL_OK;\n      }},\n"
            f"      []({ctype}* made) {{ delete made; }});\n}}"
        )
        return Helper(name, text, (), tuple(used), f"{ctype}*")
    raise NotGenerated(reasons[0] if reasons else f"nothing in the header makes a {of.name}")


def _given(function: Function, index: int) -> str:
    """An argument of a constructor: the number of the call's device, else its default."""
    param = function.params[index]
    if param.type.kind == "int" and set(split(param.name)) & _INDEX:
        return cxx.integer(param.type.canonical, "call->device")
    given = default(function, param)
    if given is None:
        raise NotGenerated(f"nothing says what {function.name} should get as {param.name!r}")
    return given


def wait(composer: State) -> None:
    """Wait for each of the thread's objects that has a member for that."""
    for mark, name in [(k, n) for k, n in composer.objects.items() if k.startswith("object ")]:
        of = composer.model.classes[mark.removeprefix("object ")]
        waited = waiting(composer.makers, of, name) if mark not in composer.waited else None
        composer.waited.add(mark)
        if waited is not None:
            composer.code.used += [n for n in waited[1] if n not in composer.code.used]
            composer.code.add(f"TFL_TRY({waited[0]});")


def waiting(makers: Keepers, of: Class, name: str) -> tuple[str, list[str]] | None:
    """(the C++ expression of a status that waits for what runs in the object behind a pointer, what it uses); None for
    a class without a member that waits."""
    for member in of.members:
        if _waits(member):
            called = f"{name}->{member.name}()"
            status = returns_status(member.function, makers.status)
            return f"status({called})" if status else f"({called}, TFL_OK)", makers.members.use(of, member)
    return None


def _waits(member: Member) -> bool:
    """True for a member that waits until an object's work is done."""
    plain_ = member.kind == "method" and not member.function.params and not member.function.template
    return plain_ and bool(set(split(member.name)) & {*WAITS, "synchronize"})


def with_statics(model: HeaderModel) -> HeaderModel:
    """The model, whose static members of classes are functions too: ``acme::Device::open`` as ``acme_Device_open``."""
    known = {f.name for f in model.functions}
    made = []
    for of in model.classes.values():
        for member in of.members:
            function = member.function
            name = function.name.replace("::", "_")
            if member.kind != "static" or function.inline or function.template or not function.symbol or name in known:
                continue
            known.add(name)
            types = ", ".join(p.type.canonical for p in function.params)
            result = replace(function.result, spelled=function.result.canonical, aliases=())
            params = tuple(
                replace(p, type=replace(p.type, spelled=p.type.canonical)) if p.type.kind != "int" else p
                for p in function.params
            )
            signature = f"{function.result.canonical} (*)({types})"
            own = replace(function, name=name, params=params, result=result, linkage="c")
            made.append(replace(own, cxx=f"::{function.name}", signature=signature))
    return replace(model, functions=(*model.functions, *made)) if made else model
