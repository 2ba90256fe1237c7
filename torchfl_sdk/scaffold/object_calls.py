"""The C++ of one call of a runtime that works on objects: every parameter explained by its type and its name.

Objects (devices, contexts, queues, buffers) are typedef'd pointers, told apart by their types; what is left are sizes,
offsets, flags, waiting lists and places for errors, told apart by the words of their names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from torchfl_sdk.header.model import CType, Function, HeaderModel, Param
from torchfl_sdk.match.model import StatusType
from torchfl_sdk.match.tokens import split
from torchfl_sdk.scaffold import cxx

_DST = frozenset({"dst", "dest", "destination", "to", "target", "out"})
_SRC = frozenset({"src", "source", "from", "in"})
_ERROR = frozenset({"err", "error", "errcode", "status", "ret", "result", "code"})
_CONFIGURES = frozenset(
    {"properties", "props", "property", "config", "attributes", "attrs", "options", "flags", "flag"}
)
_BYTES = frozenset({"size", "bytes", "nbytes", "cb", "len", "length", "count", "n", "sz", "nbyte"})
_WAITS = frozenset({"event", "events", "wait", "waitlist"})
#: Names of the numbers of devices and of their parts.
_UNIT = frozenset(
    {
        "device",
        "dev",
        "core",
        "tile",
        "unit",
        "chip",
        "card",
        "board",
        "cluster",
        "index",
        "id",
        "idx",
        "ordinal",
        "number",
    }
)
_BLOCKS = frozenset({"blocking", "block", "sync", "synchronous", "wait"})


class Unfilled(Exception):
    """A parameter of a runtime function that nothing fills, with the reason."""


def object_name(type_: CType | None) -> str:
    """The name of an object's type, ``acme_queue``, or "": a typedef'd pointer that C cannot look into."""
    if type_ is None or type_.kind != "pointer" or not type_.aliases or type_.pointee is None:
        return ""
    return type_.aliases[0] if type_.pointee.kind in ("struct", "void") else ""


def made_by(function: Function) -> tuple[str, str]:
    """(type of the object that a function makes, the parameter that it goes to or "" for the result)."""
    made = object_name(function.result)
    if made:
        return made, ""
    for param in reversed(function.params):
        inner = param.type.pointee
        written = param.type.kind == "pointer" and inner is not None and not inner.const
        if written and object_name(inner) and not set(split(param.name)) & _WAITS:
            return object_name(inner), param.name
    return "", ""


def constant(model: HeaderModel, *wanted: Iterable[str], without: Iterable[str] = ()) -> str:
    """The first constant, macro or enumerator, whose name has all the words of one of ``wanted``; "" if none has."""
    names = [*(c.name for e in model.enums.values() for c in e.constants), *model.constants]
    split_names = [(name, set(split(name))) for name in names]
    for words in wanted:
        need, avoid = set(words), set(without)
        for name, found in sorted(split_names, key=lambda pair: len(pair[1])):
            if need <= found and not avoid & found:
                return name
    return ""


@dataclass(frozen=True)
class Call:
    """One call, written: statements ahead of it, its arguments, and how it reports."""

    function: str
    arguments: tuple[str, ...]
    made: str = ""  # the type of the object that it makes
    returned: bool = False  # the object is the result, not an argument
    error: str = ""  # the type behind the pointer that takes the error, "" without one


@dataclass(frozen=True)
class Speaker:
    """Writes calls: ``objects`` maps the types that a device's record holds to C++ expressions."""

    model: HeaderModel
    status: StatusType
    buffer: str = ""
    objects: Mapping[str, str] = field(default_factory=dict)

    def call(self, function: Function, given: Mapping[str, str]) -> Call:
        """The call with every argument filled; ``given``: what the slot offers, by its name there. Raises Unfilled."""
        made, place = made_by(function)
        wanted = "made" in given
        made, place = (made, place) if wanted else ("", "")
        buffers = [p for p in function.params if self.buffer and object_name(p.type) == self.buffer]
        error = ""
        arguments = []
        for param in function.params:
            if wanted and place and param.name == place:
                arguments.append(given["made"])
                continue
            written = self._argument(function, param, given, len(buffers))
            if written == "&error":
                error = cxx.bare(cxx.pointee(param.type.spelled))
            arguments.append(written)
        return Call(function.name, tuple(arguments), made, wanted and not place, error)

    def _argument(self, function: Function, param: Param, given: Mapping[str, str], buffers: int) -> str:
        words, type_ = set(split(param.name)), param.type
        name = object_name(type_)
        if name:
            if name == self.buffer:
                return self._buffer(function, param, words, given, buffers)
            if name in given:
                return given[name]
            if name in self.objects:
                return self.objects[name]
            raise Unfilled(f"{function.name} wants a {name}, which nothing makes")
        if type_.kind in ("pointer", "array") and type_.pointee is not None:
            return self._pointer(function, param, words, type_.pointee, given)
        if type_.kind in ("int", "bool", "enum"):
            return self._number(function, param, words, given, buffers)
        raise Unfilled(f"argument {param.name!r} of {function.name} ({type_.spelled}), which nothing fills")

    def _buffer(self, function: Function, param: Param, words: set[str], given: Mapping[str, str], buffers: int) -> str:
        handle = f"static_cast<{self.buffer}>"
        if buffers == 1:
            return f"{handle}({given['buffer'] if 'buffer' in given else given.get('dst', 'handle')})"
        if words & _DST:
            return f"{handle}(dst)"
        if words & _SRC:
            return f"{handle}(const_cast<void*>(src))"
        raise Unfilled(f"{function.name} does not say whether {param.name!r} is copied from or to")

    def _pointer(
        self, function: Function, param: Param, words: set[str], inner: CType, given: Mapping[str, str]
    ) -> str:
        name = object_name(inner)
        if words & _WAITS or inner.kind == "function":
            return "nullptr"  # nothing to wait for, and nobody to call back
        if name and name in given:
            return given[name] if not inner.const else f"&{given[name]}"
        if name and name in self.objects:
            return f"&{self.objects[name]}"  # a list of one
        if words & _CONFIGURES:
            return "nullptr"
        if inner.kind == "enum" and not inner.const and words & _ERROR:
            return "&error"
        if inner.kind == "int" and not inner.const:
            if "count_out" in given and words & {"num", "count", "number", "n"}:
                return given["count_out"]
            if words & {"size", "len", "length"}:
                return "nullptr"  # how long the answer would be
            if words & _ERROR:
                return "&error"
        if inner.kind == "void" or (inner.canonical.removeprefix("const ") == "char"):
            if words & {"user", "userdata"}:
                return "nullptr"
            if "pattern" in words and "pattern" in given:
                return given["pattern"]
            return given.get("host", "nullptr")
        raise Unfilled(f"argument {param.name!r} of {function.name} ({param.type.spelled}), which nothing fills")

    def _number(self, function: Function, param: Param, words: set[str], given: Mapping[str, str], buffers: int) -> str:
        ctype = param.type.spelled
        if words & _WAITS and words & {"num", "count", "n", "number"}:
            return "0"
        if "offset" in words:
            return self._offset(function, param, words, given, buffers)
        if words & _BLOCKS:
            return "1"
        if words & {"num", "count", "entries", "max", "capacity"} and "entries" in given:
            return given["entries"]
        if words & {"num", "count"} and any(object_name(p.type.pointee) in self.objects for p in function.params):
            return "1"
        if "pattern" in words and "pattern" in given:
            return "1"  # its length
        if words & {"flags", "flag", "properties"}:
            return self._flags() if "made" in given else "0"
        if {"type", "kind"} & words:
            everything = constant(self.model, {"device", "type", "all"}, {"device", "kind", "all"})
            if everything:
                return everything
        if words & {"value", "byte", "val"} and "byte" in given:
            return given["byte"]
        if "made" in given and "mask" in words:
            return "1"  # of units, a bit for each: the first
        if "made" in given and words and words <= _UNIT:
            return "0"  # its number
        if words & _BYTES and "bytes" in given:
            return cxx.integer(ctype, given["bytes"])
        if words & {"param", "info", "attribute", "name", "property"} and "info" in given:
            return given["info"]
        raise Unfilled(f"argument {param.name!r} of {function.name} ({ctype}), which nothing fills")

    def _offset(self, function: Function, param: Param, words: set[str], given: Mapping[str, str], buffers: int) -> str:
        ctype = param.type.spelled
        if buffers < 2:
            return cxx.integer(ctype, given.get("offset", "0"))
        if words & _DST:
            return cxx.integer(ctype, "dst_offset")
        if words & _SRC:
            return cxx.integer(ctype, "src_offset")
        raise Unfilled(f"{function.name} does not say whose offset {param.name!r} is")

    def _flags(self) -> str:
        """Flags of a new buffer: both read and written by kernels, if the runtime has a word for that."""
        if not self.buffer:
            return "0"
        return (
            constant(self.model, {"mem", "read", "write"}, {"buffer", "read", "write"}, without={"host", "only"}) or "0"
        )

    def checked(self, call: Call, indent: int = 4) -> list[str]:
        """Statements of a call that reports a status, which the device function returns."""
        head = f"vendor::{call.function}"
        function = self.model.function(call.function)
        if function is not None and function.result.kind == "void":
            return [cxx.call(head, list(call.arguments), ";", indent), "return TFL_OK;"]
        return [cxx.call(f"return status({head}", list(call.arguments), ");", indent)]

    def making(self, call: Call, variable: str, indent: int = 4) -> list[str]:
        """Statements that put a new object into ``variable``, declared before; they return the error of a failure."""
        head, lines = f"vendor::{call.function}", []
        if not call.returned:
            text = cxx.call(f"if (const tfl_status failed = status({head}", list(call.arguments), ");", indent)
            return [f"{text} failed != TFL_OK) return failed;"]
        if call.error:
            lines.append(f"{call.error} error = {self.status.success};")
        lines.append(cxx.call(f"{variable} = {head}", list(call.arguments), ";", indent))
        if call.error:
            lines.append("if (const tfl_status failed = status(error); failed != TFL_OK) return failed;")
        text = cxx.string(f"{call.function} made nothing")
        lines.append(f"if ({variable} == nullptr) return torchfl::fail(TFL_OUT_OF_MEMORY, {text});")
        return lines
