"""Turns the vendor's runtime functions into the bodies of the chip's device functions (entry_points.def).

Each body is the C++ between the braces of ``torchfl::guard([&]() -> tfl_status { ... })``. A slot whose vendor
function is missing, or has an argument that nothing fills, stays NULL, and the reason is kept for a comment.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from torchfl_sdk.header.model import HeaderModel
from torchfl_sdk.match.handles import object_key, variable_type
from torchfl_sdk.match.model import Argument, MatchResult, RuntimeFunction, StatusType
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.objects import Objects, plan_objects


@dataclass(frozen=True)
class DeviceFunction:
    """One filled slot: its name, C++ parameters, body lines, and the header places it comes from."""

    slot: str
    parameters: str
    body: tuple[str, ...]
    source: str


@dataclass(frozen=True)
class Opened:
    """A runtime whose devices are opened: C++ for the device template and for the kernels.

    ``statements`` fill ``made`` for ``device``; ``closing`` gives it back, "" where no function does.
    """

    key: str  # as torchfl_sdk.match.handles.object_key calls it
    ctype: str
    statements: tuple[str, ...]
    closing: str
    by_number: bool  # of the device; False where there is only one to open
    source: str


@dataclass(frozen=True)
class DevicePlan:
    """The device functions of a chip, in the ABI's order, and what could not be made."""

    functions: tuple[DeviceFunction, ...]
    missing: tuple[tuple[str, str], ...]  # slot, reason
    set_device: str  # statements of the vendor's set_device call, "" if it has none
    last_error: str  # vendor function, "" if none
    said: tuple[str, ...]  # C++ that sets `const char* said` from it, given the status `result`
    said_of: str  # the status type that it is asked about, "" for the vendor's first
    symbols: tuple[str, ...]
    host_memory: bool
    slack: str = ""  # C++ of the bytes past a buffer's end that functions may read
    objects: Objects | None = None  # a runtime of contexts, queues and buffers, in place of pointers
    opened: Opened | None = None


class _Unfilled(Exception):
    """An argument of a runtime function that nothing fills."""


#: slot -> (C++ parameters, role that serves it, whether the device must be current). In the ABI's order.
_SLOTS: tuple[tuple[str, str, str, bool], ...] = (
    ("init", "", "init", False),
    ("finalize", "", "finalize", False),
    ("device_count", "int32_t* count", "device_count", False),
    ("device_name", "int32_t device, char* text, uint64_t size", "device_name", True),
    ("synchronize", "int32_t device", "synchronize", True),
    ("memory_info", "int32_t device, uint64_t* free_bytes, uint64_t* total_bytes", "memory_info", True),
    ("alloc", "int32_t device, uint64_t bytes, void** handle", "malloc", True),
    ("free", "int32_t device, void* handle", "free", True),
    (
        "copy_h2d",
        "int32_t device, void* dst, uint64_t dst_offset, const void* src, uint64_t bytes, void* /*stream*/",
        "memcpy_h2d",
        True,
    ),
    (
        "copy_d2h",
        "int32_t device, void* dst, const void* src, uint64_t src_offset, uint64_t bytes, void* /*stream*/",
        "memcpy_d2h",
        True,
    ),
    (
        "copy_d2d",
        "int32_t device, void* dst, uint64_t dst_offset, const void* src, uint64_t src_offset, uint64_t bytes, "
        "void* /*stream*/",
        "memcpy_d2d",
        True,
    ),
    (
        "fill",
        "int32_t device, void* dst, uint64_t dst_offset, int32_t byte, uint64_t bytes, void* /*stream*/",
        "memset",
        True,
    ),
    ("map_host", "int32_t device, void* host, uint64_t bytes, void** handle", "map_host", True),
    ("unmap_host", "int32_t device, void* host, void* handle", "unmap_host", True),
)

#: In C++: the addresses that the copy slots work on.
_AT_DST, _AT_SRC = "static_cast<char*>(dst) + dst_offset", "static_cast<const char*>(src) + src_offset"
_ADDRESS = "int32_t /*device*/, void* handle, uint64_t offset, void** address"
_POINTER = ("*address = static_cast<char*>(handle) + offset;", "return TFL_OK;")
_EXPRESSIONS: dict[str, dict[str, str]] = {
    "copy_h2d": {"dst": _AT_DST, "src": "src", "kind": "h2d"},
    "copy_d2h": {"dst": "dst", "src": _AT_SRC, "kind": "d2h"},
    "copy_d2d": {"dst": _AT_DST, "src": _AT_SRC, "kind": "d2d"},
    "fill": {"dst": _AT_DST, "handle": _AT_DST},
}


def plan_device(match: MatchResult, model: HeaderModel | None = None) -> DevicePlan:
    """The device functions that the vendor's runtime roles make possible: over pointers, else over objects."""
    roles = {f.role: f for f in match.runtime}
    if "malloc" not in roles and model is not None:
        planned = _over_objects(match, model)
        if planned is not None:
            return planned
    host = match.memory == "host"
    opened = _opened(match, model, roles)
    wait = roles.get("synchronize") or roles.get("stream_sync")
    functions: list[DeviceFunction] = []
    missing: list[tuple[str, str]] = []
    used: list[str] = []
    # The template has the whole host-memory device; only the vendor's own init and shutdown go into it.
    wanted = [s for s in _SLOTS if not host or s[0] in ("init", "finalize")]
    for slot, parameters, role, current in wanted:
        function = roles.get(role) or (roles.get("memcpy") if role.startswith("memcpy_") else None)
        if function is None:
            shared = _shared(slot, parameters, wait, match) if match.shared_memory else None
            if shared is not None:
                functions.append(shared)
                used += [wait.function] if wait is not None else []
            elif slot == "init":
                functions.append(
                    DeviceFunction(slot, parameters, ("return TFL_OK;",), "the vendor has no initialisation")
                )
            elif slot == "finalize" and opened is not None:
                body = ["close_devices();", "return TFL_OK;"]
                functions.append(DeviceFunction(slot, parameters, tuple(body), "the vendor has no shutdown"))
            elif slot == "device_count" and "malloc" in roles and "set_device" not in roles:
                one = ("*count = 1;", "return TFL_OK;")
                functions.append(DeviceFunction(slot, parameters, one, "the vendor counts no devices: there is one"))
            else:
                missing.append((slot, f"no vendor function found for the role {role!r}"))
            continue
        try:
            body = _body(slot, function, match)
            if any(a.role == "stream" for a in function.arguments):
                body = _waited(body, wait, match)
                used += [wait.function] if wait is not None else []
        except _Unfilled as e:
            missing.append((slot, str(e)))
            continue
        body = [*_narrow(slot, function), *body]
        if slot in ("init", "finalize") and "set_device" in roles and not host:
            body = ["epoch.fetch_add(1, std::memory_order_relaxed);", *body]
        if current and "set_device" in roles and not any(a.role == "device" for a in function.arguments):
            body = ["if (const tfl_status current = make_current(device); current != TFL_OK) return current;", *body]
        if any(a.role == "context" for a in function.arguments):
            if "device" not in parameters:
                missing.append((slot, f"{function.function} wants an opened device, and none is yet"))
                continue
            body = ["const OpenDevice opened(device);", "if (opened.status() != TFL_OK) return opened.status();", *body]
        elif slot == "finalize" and opened is not None:
            body = ["close_devices();", *body]
        functions.append(DeviceFunction(slot, parameters, tuple(body), f"{function.function}, {_place(function)}"))
        used.append(function.function)
    if "malloc" in roles and not host:
        functions.append(DeviceFunction("address", _ADDRESS, _POINTER, "memory of this vendor has addresses"))
    set_device = ""
    if "set_device" in roles and not host:
        function = roles["set_device"]
        try:
            set_device = "\n    ".join(_checked(function, _arguments("set_device", function, {}), match))
            used.append(function.function)
        except _Unfilled as e:
            missing.append(("set_device", str(e)))
    last_error, said, said_of = _last_error(roles.get("last_error"), match.status)
    if last_error:
        used.append(last_error)
    used += [roles[r].function for r in ("context_create", "context_destroy") if r in roles]
    return DevicePlan(tuple(functions), tuple(missing), set_device, last_error, said, said_of,
                      tuple(dict.fromkeys(used)), host, opened=opened)  # fmt: skip


def _opened(match: MatchResult, model: HeaderModel | None, roles: Mapping[str, RuntimeFunction]) -> Opened | None:
    """How the runtime's devices are opened and closed; None for one that opens none."""
    opens, closes = roles.get("context_create"), roles.get("context_destroy")
    declared = model.function(opens.function) if model is not None and opens is not None else None
    if opens is None or declared is None:
        return None
    place = next((p.type for p, a in zip(declared.params, opens.arguments, strict=True) if a.role == "context_out"),
                 None)  # fmt: skip
    type_ = place.pointee if place is not None and place.pointee is not None else declared.result
    arguments = _arguments("context_create", opens, {"context_out": "&made", "context": "made"})
    if place is None:
        call = cxx.call(f"made = vendor::{opens.function}", arguments, ";", 2)
        why = cxx.string(f"{opens.function} opened nothing")
        statements = [call, f"if (made == nullptr) return torchfl::fail(TFL_NO_DRIVER, {why});"]
    else:
        statements = _checked(opens, arguments, match)[:1]
        statements = [statements[0].replace("return status(", "const tfl_status opened = status(", 1),
                      "if (opened != TFL_OK) return opened;"] if opens.returns == "status" else statements  # fmt: skip
    closing = f"vendor::{closes.function}(made);" if closes is not None else ""
    numbered = any(a.role == "device" for a in opens.arguments)
    return Opened(object_key(type_), variable_type(type_), tuple(statements), closing, numbered,
                  f"{opens.function}, {_place(opens)}")  # fmt: skip


def _over_objects(match: MatchResult, model: HeaderModel) -> DevicePlan | None:
    """The device functions of a runtime of objects, or None if the headers have none."""
    runtime = plan_objects(model, match)
    if runtime is None:
        return None
    parameters = {slot: parameters for slot, parameters, _, _ in _SLOTS}
    places = {f.name: f"{model.short(f.place.file)}:{f.place.line}" for f in model.functions}
    functions = [
        DeviceFunction(s.slot, parameters[s.slot], s.body, f"{s.function}, {places[s.function]}") for s in runtime.slots
    ]
    roles = {f.role: f for f in match.runtime}
    around: dict[str, tuple[str, ...]] = {}
    for role in ("init", "finalize"):
        try:
            call = _checked(roles[role], _arguments(role, roles[role], {}), match) if role in roles else []
        except _Unfilled:
            continue
        if len(call) == 1 and role == "init":
            first = call[0].replace("return status(", "const tfl_status begun = status(", 1)
            call = [first, "if (begun != TFL_OK) return begun;"]
        around[role] = tuple(line.removeprefix("return ") for line in call if line != "return TFL_OK;")
    own = tuple(roles[role].function for role in around if around[role])
    objects = replace(runtime.objects, starting=around.get("init", ()), ending=around.get("finalize", ()))
    return DevicePlan(
        tuple(functions), runtime.missing, "", "", (), "", (*own, *runtime.symbols), False, objects=objects
    )


def release_objects(device: DevicePlan) -> DevicePlan:
    """The same device, whose finalize gives back what kernels keep before the vendor's runtime goes."""
    clear = "torchfl::Kept::all().clear();"
    given = next((f for f in device.functions if f.slot == "finalize"), None)
    if given is not None:
        functions = tuple(replace(f, body=(clear, *f.body)) if f is given else f for f in device.functions)
    else:
        made = DeviceFunction("finalize", "", (clear, "return TFL_OK;"), "gives back the handles that kernels keep")
        at = next((i + 1 for i, f in enumerate(device.functions) if f.slot == "init"), 0)
        functions = (*device.functions[:at], made, *device.functions[at:])
    return replace(device, functions=functions, missing=tuple(m for m in device.missing if m[0] != "finalize"))


def _last_error(function: RuntimeFunction | None, status: StatusType) -> tuple[str, tuple[str, ...], str]:
    """The function that gives an error's text, C++ lines that set ``said`` from it, the status type it speaks of."""
    if function is None or not status.success:
        return "", (), ""
    head = f"vendor::{function.function}"
    roles = {a.role for a in function.arguments}
    if function.returns == "text" and roles <= {"status"}:
        arguments = [f"static_cast<{cxx.bare(a.ctype)}>(result)" for a in function.arguments]
        asked = {cxx.bare(a.ctype).removeprefix("enum ") for a in function.arguments}
        known = [s.ctype for s in (status, *status.others) if s.ctype in asked]
        if asked and status.others and not known:
            return "", (), ""  # the text of a number of another type would mislead
        return function.function, (cxx.call(f"const char* said = {head}", arguments, ";", 4),), (known or [""])[0]
    if roles == {"text", "text_size"}:
        arguments = ["said" if a.role == "text" else "sizeof said" for a in function.arguments]
        return function.function, ('char said[512] = "";', cxx.call(head, arguments, ";", 4)), ""
    return "", (), ""


def _place(function: RuntimeFunction) -> str:
    return f"{function.source.file.rsplit('/', 1)[-1]}:{function.source.line}"


def _checked(function: RuntimeFunction, arguments: list[str], match: MatchResult) -> list[str]:
    """The statements of a call whose result is a status or nothing."""
    head = f"vendor::{function.function}"
    if function.returns == "status" and match.status.success:
        return [cxx.call(f"return status({head}", arguments, ");", 4)]
    if function.returns == "void":
        return [cxx.call(head, arguments, ";", 4), "return TFL_OK;"]
    raise _Unfilled(f"{function.function} returns neither a status nor nothing")


#: slot -> what it does by the C library, where the host reaches the device's memory.
_SHARED = {
    "copy_h2d": f"std::memcpy({_AT_DST}, src, bytes);",
    "copy_d2h": f"std::memcpy(dst, {_AT_SRC}, bytes);",
    "copy_d2d": f"std::memcpy({_AT_DST}, {_AT_SRC}, bytes);",
    "fill": f"std::memset({_AT_DST}, byte, bytes);",
}


def _shared(slot: str, parameters: str, wait: RuntimeFunction | None, match: MatchResult) -> DeviceFunction | None:
    """A copy that the vendor leaves to the host, behind what the device may still be at."""
    if slot not in _SHARED:
        return None
    body = [_SHARED[slot], "return TFL_OK;"]
    if wait is not None:
        try:
            body = cxx.then(_waiting(wait, match), body)
        except _Unfilled:
            return None
    return DeviceFunction(slot, parameters, tuple(body), "the vendor copies nothing: the host reaches its memory")


def _waiting(wait: RuntimeFunction, match: MatchResult) -> list[str]:
    """The wait for the device, or for the default queue."""
    return _checked(wait, _arguments("synchronize", wait, {}), match)


def _waited(body: list[str], wait: RuntimeFunction | None, match: MatchResult) -> list[str]:
    """The same call, which runs in the default queue, and then a wait until it has ended there."""
    if wait is None:
        raise _Unfilled("it runs in a queue, and no function waits for one or for the device")
    if body[-1] != "return TFL_OK;" and not body[-1].startswith("return status("):
        raise _Unfilled("it runs in a queue, and reports neither a status nor nothing")
    return cxx.then(body, _waiting(wait, match))


def _out(function: RuntimeFunction, arguments: list[str], after: list[str], match: MatchResult) -> list[str]:
    """A call that fills local variables; ``after`` hands them on once it succeeded."""
    head = f"vendor::{function.function}"
    if function.returns == "void":
        return [cxx.call(head, arguments, ";", 4), *after, "return TFL_OK;"]
    if function.returns != "status" or not match.status.success:
        raise _Unfilled(f"{function.function} returns neither a status nor nothing")
    lines = [cxx.call(f"const tfl_status result = status({head}", arguments, ");", 4)]
    return [*lines, "if (result != TFL_OK) return result;", *after, "return TFL_OK;"]


def _body(slot: str, function: RuntimeFunction, match: MatchResult) -> list[str]:
    given = {a.role: a for a in function.arguments}
    head = f"vendor::{function.function}"
    if slot == "device_count":
        if function.returns == "value":
            call = cxx.call(head, _arguments(slot, function, {}), ");", 4)
            return [f"*count = static_cast<int32_t>({call}", "return TFL_OK;"]
        argument = _given(given, "count", function)
        body = _out(
            function, _arguments(slot, function, {"count": "&found"}), ["*count = static_cast<int32_t>(found);"], match
        )
        return [f"{_local(argument)} found = 0;", *body]
    if slot == "device_name":
        if function.returns == "text":
            call = cxx.call(head, _arguments(slot, function, {}), "", 4)
            return [f"torchfl::copy_text({call}, text, size);", "return TFL_OK;"]
        _given(given, "text", function)
        return _checked(function, _arguments(slot, function, {"text": "text", "text_size": "size"}), match)
    if slot == "memory_info":
        total, used = _given(given, "total_bytes", function), given.get("used_bytes")
        now = used or _given(given, "free_bytes", function)
        body = _out(
            function,
            _arguments(slot, function, {now.role: "&now", "total_bytes": "&total"}),
            [f"*free_bytes = {'total - now' if used else 'now'};", "*total_bytes = total;"],
            match,
        )
        return [f"{_local(now)} now = 0;", f"{_local(total)} total = 0;", *body]
    if slot in ("alloc", "map_host"):
        if function.returns == "pointer":
            call = cxx.call(head, _arguments(slot, function, {}), ";", 4)
            return [f"*handle = {call}", "return *handle != nullptr ? TFL_OK : TFL_OUT_OF_MEMORY;"]
        argument = _given(given, "handle_out", function)
        if cxx.bare(argument.ctype).replace(" ", "") == "void**":
            return _checked(function, _arguments(slot, function, {"handle_out": "handle"}), match)
        arguments = _arguments(slot, function, {"handle_out": "&made"})
        if argument.address:
            why = cxx.string(f"{function.function} gave no memory")
            given_out = ("if (made == 0) return torchfl::fail(TFL_OUT_OF_MEMORY, " + why + ");",
                         "*handle = reinterpret_cast<void*>(static_cast<uintptr_t>(made));")  # fmt: skip
            return [f"{cxx.pointee(argument.ctype)} made = 0;", *_out(function, arguments, list(given_out), match)]
        body = _out(function, arguments, ["*handle = made;"], match)
        return [f"{cxx.pointee(argument.ctype)} made = nullptr;", *body]
    return _checked(function, _arguments(slot, function, _EXPRESSIONS.get(slot, {})), match)


#: C types that hold every size.
_WIDE = frozenset({"size_t", "uint64_t", "int64_t", "long", "unsigned long", "long long", "unsigned long long"})


def _narrow(slot: str, function: RuntimeFunction) -> list[str]:
    """Statements that end a call whose size the vendor's own type does not hold."""
    types = {cxx.bare(a.ctype).removeprefix("std::") for a in function.arguments if a.role == "bytes"}
    held = [f"!torchfl::fits<{t}>(static_cast<int64_t>(bytes))" for t in sorted(types - _WIDE)]
    if not held:
        return []
    status = "TFL_OUT_OF_MEMORY" if slot in ("alloc", "map_host") else "TFL_INVALID_ARGUMENT"
    why = cxx.string(f"more bytes than {function.function} counts")
    return [f"if ({' || '.join(held)}) return torchfl::fail({status}, {why});"]


def _given(given: dict[str, Argument], role: str, function: RuntimeFunction) -> Argument:
    if role not in given:
        raise _Unfilled(f"{function.function} has no argument for {role}")
    return given[role]


def _local(argument: Argument) -> str:
    """The type of a local variable behind an out-pointer."""
    return cxx.bare(cxx.pointee(argument.ctype))


def _arguments(slot: str, function: RuntimeFunction, extra: dict[str, str]) -> list[str]:
    """The C++ arguments of a vendor call, in C order."""
    plain = {"device": "device", "bytes": "bytes", "handle": "handle", "host": "host", "byte": "byte",
             "context": "opened.get()", "stream": "nullptr", **extra}  # fmt: skip
    written = []
    for a in function.arguments:
        if a.role == "constant":
            written.append(a.value)
        elif a.role == "kind":
            values, kind = dict(a.values), extra.get("kind", "")
            if kind not in values:
                raise _Unfilled(f"{function.function} has no copy kind {kind!r}")
            written.append(values[kind])
        elif a.role in plain:
            expression = "0" if a.role == "stream" and a.address else plain[a.role]
            if a.address and a.role != "stream":
                address = f"reinterpret_cast<uintptr_t>({expression})"
                written.append(f"static_cast<{cxx.bare(a.ctype)}>({address})" if a.role != "handle_out" else expression)
                continue
            if a.role == "src" and "const" not in a.ctype.split():  # the vendor reads it all the same
                expression = f"const_cast<void*>(static_cast<const void*>({expression}))"
            if a.role in ("dst", "src", "handle", "host") and cxx.is_pointer(a.ctype) and not _of_void(a.ctype):
                expression = f"static_cast<{a.ctype}>({_untyped(expression, a.ctype)})"
            written.append(expression if cxx.is_pointer(a.ctype) else _cast(a.ctype, expression))
        else:
            raise _Unfilled(f"argument {a.name!r} of {function.function} has the role {a.role!r}, which nothing fills")
    return written


def _of_void(ctype: str) -> bool:
    """Whether a pointer leads to bytes of no type."""
    return cxx.pointee(ctype).replace("const", "").strip() == "void"


def _untyped(expression: str, ctype: str) -> str:
    """An address as a pointer that casts to any other; what the ABI gives is one already, what it computes is chars."""
    if "static_cast" not in expression or expression.startswith("const_cast"):
        return expression
    return f"static_cast<{'const ' if 'const' in ctype.split() else ''}void*>({expression})"


#: C types of the ABI's own integers, which need no cast to the same type.
_OWN = {"device": "int32_t", "bytes": "uint64_t", "byte": "int32_t", "size": "uint64_t"}


def _cast(ctype: str, expression: str) -> str:
    """An ABI integer as the vendor's integer; handles that are no pointers are opaque objects and pass as they are."""
    own = _OWN.get(expression)
    if own is None or cxx.bare(ctype) == own or (own == "int32_t" and cxx.bare(ctype) == "int"):
        return expression
    return f"static_cast<{cxx.bare(ctype)}>({expression})"
