"""Runtime functions: which vendor function initialises, allocates, copies, waits, and what its arguments carry.

A function takes a role only if its name says so and every one of its arguments fits; otherwise the reason is kept. In a
runtime that is opened (:mod:`torchfl_sdk.match.context`) each function takes the context beside.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from torchfl_sdk.header.model import CType, Enum, Function, HeaderModel, Param
from torchfl_sdk.match.context import Context, contexts
from torchfl_sdk.match.handles import object_key
from torchfl_sdk.match.idle import need_not
from torchfl_sdk.match.model import Argument, RoleMatch, RuntimeFunction, Source, StatusType
from torchfl_sdk.match.recognise.runtime_shapes import memory_only
from torchfl_sdk.match.standins import is_address
from torchfl_sdk.match.status import PLAIN, c_name
from torchfl_sdk.match.tokens import Prefixes, cores, split, words

Fits = Callable[[CType], bool]


def _int(type_: CType) -> bool:
    return type_.kind in ("int", "enum")


def _int_out(type_: CType) -> bool:
    return _pointer(type_) and type_.pointee is not None and type_.pointee.kind == "int" and not _text(type_)


def _pointer(type_: CType) -> bool:
    return type_.kind == "pointer" and type_.pointee is not None and type_.pointee.kind not in ("pointer", "function")


def _writable(type_: CType) -> bool:
    return is_address(type_) or _memory(type_)


def _memory(type_: CType) -> bool:
    return _pointer(type_) and type_.pointee is not None and not type_.pointee.const and type_.pointee.kind == "void"


def _readable(type_: CType) -> bool:
    return is_address(type_) or (_pointer(type_) and type_.pointee is not None and type_.pointee.kind == "void")


def _pointer_out(type_: CType) -> bool:
    inner = type_.pointee if type_.kind == "pointer" else None
    return inner is not None and not inner.const and (_pointer(inner) or is_address(inner))


def _text(type_: CType) -> bool:
    return _pointer(type_) and type_.pointee is not None and type_.pointee.canonical in ("char", "const char")


def _text_out(type_: CType) -> bool:
    return _text(type_) and type_.pointee is not None and not type_.pointee.const


def _enum(type_: CType) -> bool:
    return type_.kind == "enum"


@dataclass(frozen=True)
class Slot:
    """An argument that a role may have. ``named``: only a parameter with one of these words in its name fits."""

    role: str
    fits: Fits
    words: tuple[str, ...] = ()
    optional: bool = False
    named: bool = False


_DEVICE = Slot("device", _int, ("device", "dev", "id", "index", "ordinal"), optional=True, named=True)
_BYTES = Slot("bytes", _int, ("size", "bytes", "nbytes", "count", "len", "length", "n", "sz"))
_DST = Slot("dst", _writable, ("dst", "dest", "destination", "to", "out"))
_SRC = Slot("src", _readable, ("src", "source", "from", "in"))
_HOST = Slot("host", _memory, ("host", "hptr", "ptr", "addr"))


@dataclass(frozen=True)
class Role:
    """A runtime role: the names vendors use (joined words, the commonest first) and its argument forms."""

    role: str
    names: tuple[str, ...]
    forms: tuple[tuple[Slot, ...], ...]
    returns: tuple[str, ...] = ("status", "void")
    #: names that say it only in a header that has what goes with them; see :meth:`RuntimeMatcher._means`
    plain: tuple[str, ...] = ()


_COPY = (_DST, _SRC, _BYTES)
ROLES: tuple[Role, ...] = (
    Role("init", words("init initialize initialise runtimeinit libinit initruntime startup libraryinit"),
         ((Slot("constant", _int, ("flags", "flag", "mode"), optional=True, named=True),),),
         plain=words("start boot setup open attach")),
    Role("finalize", words("shutdown finalize finalise deinit deinitialize exit fini terminate uninit runtimeshutdown "
                           "teardown cleanup close"), ((),), plain=words("stop quit halt detach")),
    Role("device_count", words("getdevicecount devicecount getnumdevices numdevices devicegetcount countdevices "
                               "getdevicenum devicenum numcards getnumcards cardcount getcardcount"),
         ((Slot("count", _int_out),), ()), ("status", "void", "value"), words("count devices howmany cards")),
    Role("set_device", words("setdevice deviceset setcurrentdevice selectdevice usedevice switchdevice activatedevice "
                             "choosedevice setactivedevice makecurrent"),
         ((Slot("device", _int),),), plain=words("use select switch activate choose target")),
    Role("get_device", words("getdevice deviceget getcurrentdevice currentdevice"),
         ((Slot("device", _int_out),), ()), ("status", "void", "value")),
    Role("device_name", words("getdevicename devicegetname devicename"),
         ((Slot("device", _int, ("device", "dev", "id", "index")), Slot("text", _text_out),
           Slot("text_size", _int, ("size", "len", "length", "n", "max", "bytes"))),
          (Slot("text", _text_out), Slot("text_size", _int), _DEVICE),
          (_DEVICE,)), ("status", "void", "text")),
    Role("synchronize", words("devicesynchronize synchronize sync devicesync synchronizedevice finish wait waitidle "
                              "syncdevice"), ((_DEVICE,),)),
    Role("malloc", words("malloc memalloc alloc allocate devicemalloc mallocdevice memoryallocate memoryalloc devalloc "
                         "devicealloc allocdevice"),
         ((Slot("handle_out", _pointer_out), _BYTES, _DEVICE), (_BYTES, _DEVICE)), ("status", "void", "pointer"),
         words("reserve acquire obtain grab")),
    Role("free", words("free memfree devicefree deallocate dealloc freedevice memoryfree devfree memrelease"),
         ((Slot("handle", _writable), _DEVICE),),
         plain=words("release unreserve giveback dispose discard drop delete")),
    Role("memcpy", words("memcpy copy memcopy memorycopy devicememcpy"),
         ((*_COPY, Slot("kind", _enum)),)),
    Role("memcpy_h2d", words("memcpyhtod memcpyh2d copyh2d h2d copyhosttodevice memcpyhosttodevice copytodevice "
                             "upload htod copyin hosttodevice"), (_COPY,),
         plain=words("push send write put store")),
    Role("memcpy_d2h", words("memcpydtoh memcpyd2h copyd2h d2h copydevicetohost memcpydevicetohost copytohost "
                             "download dtoh copyout copyfromdevice devicetohost"), (_COPY,),
         plain=words("pull receive recv read fetch get load")),
    Role("memcpy_d2d", words("memcpydtod memcpyd2d copyd2d d2d copydevicetodevice memcpydevicetodevice dtod "
                             "devicetodevice"), (_COPY,)),
    Role("memset", words("memset memfill fill memoryset setmemory memsetd8 devicememset"),
         ((Slot("dst", _writable), Slot("byte", _int, ("value", "val", "byte", "c", "v", "pattern")), _BYTES),)),
    Role("memory_info", words("memgetinfo getmeminfo getmemoryinfo memoryinfo memgetmeminfo meminfo memquery"),
         ((Slot("free_bytes", _int_out, ("free", "avail", "available")),
           Slot("total_bytes", _int_out, ("total",)), _DEVICE),)),
    Role("map_host", words("memmap maphost hostmap maphostmemory hostregister mapmemory memmaphost"),
         ((_HOST, _BYTES, Slot("handle_out", _pointer_out)),)),
    Role("unmap_host", words("memunmap unmaphost hostunmap unmaphostmemory hostunregister unmapmemory"),
         ((_HOST,),)),
    Role("last_error", words("getlasterror lasterror getlasterrorstring lasterrorstring geterrorstring errorstring "
                             "strerror getlasterrormessage geterrortext statusstring getstatusstring "
                             "statustostring"),
         ((), (Slot("status", _int),), (Slot("text", _text_out), Slot("text_size", _int))),
         ("text", "status", "void")),
)  # fmt: skip

#: Of roles whose plain names say nothing alone, the one that has to be there too.
_WITH = {"init": "finalize", "finalize": "init", "set_device": "device_count", "free": "malloc",
         "memcpy_h2d": "memcpy_d2h", "memcpy_d2h": "memcpy_h2d"}  # fmt: skip
_DEVICES = frozenset(words("device devices dev card cards gpu npu accelerator accelerators board boards ordinal id "
                           "index"))  # fmt: skip
#: What a function may start and stop, use or count that is no device and no runtime.
_OTHERWISE = re.compile(r"profil|tim(?:er|ing)|trac(?:e|ing)|record|captur|measur|batch|thread|stream|queue", re.I)

#: What the wider vocabulary calls roles that go by another name here.
_NARROW = {"device_sync": "synchronize", "error_string": "last_error", "host_map": "map_host",
           "host_unmap": "unmap_host"}  # fmt: skip

_SHORT_KINDS = {
    "h2d": "h2d", "htod": "h2d", "todevice": "h2d", "upload": "h2d",
    "d2h": "d2h", "dtoh": "d2h", "tohost": "d2h", "fromdevice": "d2h", "download": "d2h",
    "d2d": "d2d", "dtod": "d2d", "h2h": "h2h", "htoh": "h2h",
}  # fmt: skip


def _holds_tensors(found: Sequence[RuntimeFunction]) -> bool:
    """True for a runtime that reserves memory by an opened context, and copies to it and back."""
    roles = {f.role for f in found}
    opened = any(f.role == "malloc" and any(a.role == "context" for a in f.arguments) for f in found)
    return opened and "free" in roles and ("memcpy" in roles or {"memcpy_h2d", "memcpy_d2h"} <= roles)


def copy_kinds(enum: Enum | None) -> dict[str, str]:
    """Direction -> constant for an enum of copy directions; empty for another enum."""
    found: dict[str, str] = {}
    for constant in enum.constants if enum else ():
        words = split(constant.name)
        ends = "".join(word[0] for word in words if word in ("host", "device"))
        kind = {"hd": "h2d", "dh": "d2h", "dd": "d2d", "hh": "h2h"}.get(ends, "")
        if not kind:
            joined = "".join(words)
            kind = next((kind for short, kind in _SHORT_KINDS.items() if joined.endswith(short)), "")
        if kind:
            found.setdefault(kind, constant.name)
    return found


class RuntimeMatcher:
    """Finds the runtime functions of one header."""

    def __init__(
        self, model: HeaderModel, prefix: Prefixes, status: StatusType, wide: Sequence[RoleMatch] = ()
    ) -> None:
        self._model = model
        self._prefix = prefix
        self._status = status
        self._wide = wide
        self._context: Context | None = None
        self.reasons: dict[str, str] = {}  # function -> why a function named like a role does not take it

    def run(self) -> list[RuntimeFunction]:
        """One function per role, in the order of :data:`ROLES`; the best-named one that fits."""
        found = self._roles()
        if any(f.role == "malloc" for f in found):
            return found
        plain, reasons = found, self.reasons
        for context in contexts(self._model, lambda f: self._returns(f.result)):
            self._context, self.reasons = context, {}
            found = self._roles()
            if _holds_tensors(found):
                return [*found, *(f for f in (context.opens, context.closes) if f is not None)]
        self._context, self.reasons = None, reasons
        return plain

    def _roles(self) -> list[RuntimeFunction]:
        called = {f.name: {"".join(c) for c in cores(f.name, self._prefix)} for f in self._model.functions}
        own = self._context.functions if self._context is not None else ()
        found: list[RuntimeFunction] = []
        for role in ROLES:
            named = [f for name in role.names for f in self._model.functions if name in called[f.name]]
            taken = ""
            for function in named:
                if function.name in own:
                    continue
                if taken:
                    self.reasons.setdefault(function.name, f"runtime role {role.role} is served by {taken}")
                    continue
                fitted = self._fit(role, function)
                if fitted is not None:
                    found.append(fitted)
                    taken = function.name
        found = self._with_plain(found)
        return self._with_wide(found) if self._context is not None else found

    def _with_wide(self, found: list[RuntimeFunction]) -> list[RuntimeFunction]:
        """The same and functions that the wider vocabulary of runtimes knows, where everything about them fits."""
        roles, taken = {f.role: f for f in found}, {f.function for f in found}
        for role in ROLES:
            for entry in self._wide if role.role not in roles else ():
                function = self._model.function(entry.function)
                if _NARROW.get(entry.role, entry.role) != role.role or function is None or function.name in taken:
                    continue
                fitted = self._fit(role, function)
                if fitted is not None and function.name not in (self._context.functions if self._context else ()):
                    roles[role.role] = fitted
                    taken.add(function.name)
                    break
        return [roles[r.role] for r in ROLES if r.role in roles]

    def _with_plain(self, found: list[RuntimeFunction]) -> list[RuntimeFunction]:
        """The same and functions by plain names, ``acme_start``, each with what it needs beside it."""
        roles, taken = {f.role: f for f in found}, {f.function for f in found}
        core = {f.name: "".join(cores(f.name, self._prefix)[0]) for f in self._model.functions}  # behind no part's name
        for role in ROLES:
            for function in self._model.functions if role.plain and role.role not in roles else ():
                if (
                    function.name in taken
                    or (self._context is not None and function.name in self._context.functions)
                    or core[function.name] not in role.plain
                    or _OTHERWISE.search(function.comment)
                ):
                    continue
                fitted = self._fit(role, function)
                if fitted is not None and self._means(role, function, core):
                    roles[role.role] = fitted
                    taken.add(function.name)
                    break
        plain = set(roles) - {f.role for f in found}
        for name in [n for n in _WITH if n in plain and _WITH[n] not in roles]:
            roles.pop(name)
        return [roles[r.role] for r in ROLES if r.role in roles]

    def _means(self, role: Role, function: Function, core: Mapping[str, str]) -> bool:
        """True if arguments or neighbours say what a plain name leaves open."""
        named = {w for p in function.params for w in split(p.name)}
        if role.role == "device_count":
            selects = next(r for r in ROLES if r.role == "set_device")
            about = _DEVICES & (
                named | set(split(function.name)) | set(re.findall(r"[a-z]+", function.comment.lower()))
            )
            return bool(about) or any(c in (*selects.names, *selects.plain) for c in core.values())
        if role.role == "set_device":
            return bool(_DEVICES & named)
        if role.role == "malloc":
            return bool(set(_BYTES.words) & named)
        params = [p for p in function.params if not self._is_context(p)]
        return not any(p.type.kind == "pointer" and p.type.aliases for p in params)  # no object of its own

    def _is_context(self, param: Param) -> bool:
        return self._context is not None and object_key(param.type) == self._context.key

    def _fit(self, role: Role, function: Function) -> RuntimeFunction | None:
        returns = self._returns(function.result)
        if returns == "status" and self._status.ctype in PLAIN and role.role.endswith(("count", "get_device")):
            returns = "status" if function.params else "value"  # an int that is the answer, not a status
        if returns not in role.returns or function.variadic or function.inline or function.linkage != "c":
            why = f"named like the runtime role {role.role}, but it returns {function.result.spelled}"
            self.reasons.setdefault(function.name, why)
            return None
        for form in role.forms:
            arguments = self._around_idle(role, form, function)
            needed = {"value": not any(s.fits is _int_out for s in form), "text": "text" not in {s.role for s in form},
                      "pointer": not any(s.role == "handle_out" for s in form)}  # fmt: skip
            if role.role in ("device_count", "get_device") and returns != "value" and not arguments:
                continue
            if role.role == "last_error" and returns != "text" and "text" not in {s.role for s in form}:
                continue
            if role.role == "malloc" and returns != "pointer" and "handle_out" not in {s.role for s in form}:
                continue
            if role.role == "malloc" and not memory_only(self._model, function):
                continue
            if arguments is not None and needed.get(returns, True):
                source = Source(self._model.short(function.place.file), function.place.line)
                return RuntimeFunction(role.role, function.name, arguments, returns, source)
        why = f"named like the runtime role {role.role}, but its arguments do not fit"
        self.reasons.setdefault(function.name, why)
        return None

    def _returns(self, result: CType) -> str:
        if result.kind == "void":
            return "void"
        if _text(result):
            return "text"
        if result.kind == "pointer":
            return "pointer"
        if self._status.ctype and (result.aliases[:1] == (self._status.ctype,) or c_name(result) == self._status.ctype):
            return "status"
        if self._status.of(result) is not None:
            return "status"
        if self._status.ctype and result.kind == "enum":
            enum = self._model.enums.get(result.name)
            return "status" if enum and c_name(result, enum) == self._status.ctype else "other"
        return "value" if result.kind == "int" else "other"

    def _around_idle(self, role: Role, form: tuple[Slot, ...], function: Function) -> tuple[Argument, ...] | None:
        """As :meth:`_arguments`, with the opened context, and NULL for what an initialiser needs not be given."""
        beside: dict[int, Argument] = {}
        for i, p in enumerate(function.params):
            if self._is_context(p):
                beside[i] = Argument(p.name, p.type.spelled, "context")
            elif role.role == "init" and need_not(p, function.comment):
                beside[i] = Argument(p.name, p.type.spelled, "constant", "nullptr")
        rest = self._arguments(form, tuple(p for i, p in enumerate(function.params) if i not in beside))
        if rest is None:
            return None
        given = iter(rest)
        return tuple(beside[i] if i in beside else next(given) for i in range(len(function.params)))

    def _arguments(self, form: tuple[Slot, ...], params: tuple[Param, ...]) -> tuple[Argument, ...] | None:
        """Each parameter's role in C order, or None if one is left over or a slot stays empty."""
        chosen: dict[int, Slot] = {}
        empty: list[Slot] = []
        for slot in form:  # names first, then what only the type can tell
            fitting = (i for i, p in enumerate(params) if i not in chosen and slot.fits(p.type))
            index = next((i for i in fitting if set(split(params[i].name)) & set(slot.words)), None)
            if index is None:
                empty.append(slot)
            else:
                chosen[index] = slot
        for slot in empty:
            fitting = (i for i, p in enumerate(params) if i not in chosen and slot.fits(p.type))
            index = None if slot.named else next(fitting, None)
            if index is not None:
                chosen[index] = slot
            elif not slot.optional:
                return None
        arguments: list[Argument] = []
        for index, param in enumerate(params):
            slot_or_none = chosen.get(index)
            argument = self._argument(param, slot_or_none)
            if argument is None:
                return None
            arguments.append(argument)
        return tuple(arguments)

    def _zero(self, param: Param) -> str | None:
        """The constant of value 0, by its name where the parameter is an enum; None for an enum that has none."""
        if param.type.kind != "enum":
            return "0"
        enum = self._model.enums.get(param.type.name)
        return next((c.name for c in enum.constants if c.value == 0), None) if enum is not None else None

    def _argument(self, param: Param, slot: Slot | None) -> Argument | None:
        if slot is None:
            if param.type.kind == "int" and {"flags", "flag", "offset"} & set(split(param.name)):
                return Argument(param.name, param.type.spelled, "constant", "0")
            return None
        if slot.role == "kind":
            kinds = copy_kinds(self._model.enums.get(param.type.name))
            if not {"h2d", "d2h"} <= set(kinds):
                return None
            return Argument(param.name, param.type.spelled, "kind", values=tuple(kinds.items()))
        value = self._zero(param) if slot.role == "constant" else ""
        if value is None:
            return None
        held = param.type.pointee if slot.role == "handle_out" else param.type
        integer = slot.role in ("handle_out", "handle", "dst", "src") and held is not None and is_address(held)
        return Argument(param.name, param.type.spelled, slot.role, value, address="integer" if integer else "")
