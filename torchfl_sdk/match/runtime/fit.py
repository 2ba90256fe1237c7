"""Whether a function can be called in a role: every one of its arguments has a meaning, or a value that does no harm.

What a role's forms do not name is told by its type and its name: the queue that a copy runs in, the room behind a
destination, an alignment, flags.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from torchfl_sdk.header.model import CType, Function, HeaderModel, Param
from torchfl_sdk.match.handles import is_numbered_queue, object_key, out_key
from torchfl_sdk.match.idle import need_not
from torchfl_sdk.match.model import Argument, RoleMatch, RuntimeFunction, Source, StatusType
from torchfl_sdk.match.recognise.runtime_shapes import memory_only
from torchfl_sdk.match.runtime import directions
from torchfl_sdk.match.runtime.roles import Role, Slot, is_memory, is_number_out, is_text
from torchfl_sdk.match.status import PLAIN, c_name
from torchfl_sdk.match.tokens import split, words

#: Bytes that memory is asked to be aligned to: a cache line, and a power of two that every allocator has.
ALIGNMENT = "64"
_COPIES = ("memcpy", "memcpy_h2d", "memcpy_d2h", "memcpy_d2d", "memset")
_ADDRESSES = ("handle_out", "handle", "dst", "src")
_QUEUED = (*_COPIES, "malloc", "free")
_SIZES = frozenset(words("size bytes nbytes len length count max cap capacity limit room avail dstmax destmax dmax"))
_ELEMENT = frozenset(words("elem element item unit esize elt"))
_SETTINGS = frozenset(
    words("flag flags offset mode option options policy hint type heap pool location priority reserved attr placement "
          "bank usage access zone tier memtype cache props property")
)  # fmt: skip
_USUAL = frozenset(words("default normal none device any local hbm ddr global auto standard common regular"))
_ALIGN = frozenset(words("align alignment aligned"))
_FILES = frozenset(words("config cfg conf path file options settings json ini"))
_LABELS = frozenset(words("name tag label app application"))
_TIMEOUTS = frozenset(words("timeout ms msec usec millis milliseconds wait"))
_UNITS = frozenset(words("device dev card board chip core npu gpu index id ordinal unit"))


class Fitter:
    """Fits the functions of one header into roles. ``wide``: the roles that the recogniser gave."""

    def __init__(self, model: HeaderModel, status: StatusType, wide: Sequence[RoleMatch]) -> None:
        self._model = model
        self._status = status
        self.context = ""  # the object that an opened device is, as object_key calls it
        self._wide = {(entry.role, entry.function) for entry in wide}
        makers = (model.function(entry.function) for entry in wide if entry.role == "stream_create")
        self._streams = {key for f in makers if f is not None for key in _made(f)}
        allocators = [model.function(entry.function) for entry in wide if entry.role == "malloc"]
        self._numbered = any(_number_out(p.type) for f in allocators[:1] if f is not None for p in f.params)

    def fit(self, role: Role, function: Function) -> RuntimeFunction | str:
        """The call with every argument explained, or why there is none."""
        returns = self.returns(function.result)
        if returns == "status" and self._status.ctype in PLAIN and role.role.endswith(("count", "get_device")):
            returns = "status" if function.params else "value"  # an int that is the answer, not a status
        if returns not in role.returns or function.variadic or function.inline or function.linkage != "c":
            return f"it returns {function.result.spelled}"
        unexplained = ""
        for form in role.forms:
            held = {s.role for s in form}
            any_way = ("memcpy", function.name) in self._wide or function.name.lower().endswith("memcpy")
            if role.role == "memcpy" and "kind" not in held and not any_way:
                continue
            arguments = self._around(role, form, function)
            if isinstance(arguments, str):
                unexplained = unexplained or arguments
                continue
            answers = {"value": not any(s.fits is is_number_out for s in form), "text": "text" not in held,
                       "pointer": "handle_out" not in held}  # fmt: skip
            if role.role in ("device_count", "get_device") and returns != "value" and not arguments:
                continue
            if role.role == "last_error" and returns != "text" and "text" not in held:
                continue
            if role.role == "malloc" and returns != "pointer" and "handle_out" not in held:
                continue
            if role.role == "malloc" and not memory_only(self._model, function):
                continue
            if answers.get(returns, True):
                source = Source(self._model.short(function.place.file), function.place.line)
                return RuntimeFunction(role.role, function.name, arguments, returns, source)
        return f"its arguments do not fit{unexplained and f': {unexplained}'}"

    def returns(self, result: CType) -> str:
        """How a function reports: "status", "void", "value", "pointer", "text" or "other"."""
        if result.kind == "void":
            return "void"
        if is_text(result):
            return "text"
        if result.kind == "pointer":
            return "pointer" if is_memory(result) or object_key(result) else "other"
        if self._status.ctype and (result.aliases[:1] == (self._status.ctype,) or c_name(result) == self._status.ctype):
            return "status"
        if self._status.of(result) is not None:
            return "status"
        if self._status.ctype and result.kind == "enum":
            enum = self._model.enums.get(result.name)
            return "status" if enum and c_name(result, enum) == self._status.ctype else "other"
        return "value" if result.kind == "int" else "other"

    def _around(self, role: Role, form: tuple[Slot, ...], function: Function) -> tuple[Argument, ...] | str:
        """As :meth:`_arguments`, with the opened context, and NULL for what an initialiser needs not be given."""
        beside: dict[int, Argument] = {}
        for i, p in enumerate(function.params):
            if self.context and object_key(p.type) == self.context:
                beside[i] = Argument(p.name, p.type.spelled, "context")
            elif role.role == "init" and need_not(p, function.comment):
                beside[i] = Argument(p.name, p.type.spelled, "constant", "nullptr")
        rest = self._arguments(role, form, tuple(p for i, p in enumerate(function.params) if i not in beside))
        if isinstance(rest, str):
            return rest
        given = iter(rest)
        return tuple(beside[i] if i in beside else next(given) for i in range(len(function.params)))

    def _arguments(self, role: Role, form: tuple[Slot, ...], params: tuple[Param, ...]) -> tuple[Argument, ...] | str:
        """Each parameter's role in C order; what is left over or empty where one is."""
        chosen: dict[int, Slot] = {}
        empty: list[Slot] = []
        for slot in form:  # names first, then what only the type can tell
            index = next((i for i in self._fitting(slot, params, chosen) if slot.named_by(params[i])), None)
            if index is None:
                empty.append(slot)
            else:
                chosen[index] = slot
        beside: dict[int, Argument] = {}
        for i, p in enumerate(params):
            spare = self._spare(role, p) if i not in chosen else None
            if spare is not None:
                beside[i] = spare
        for slot in empty:
            index = None if slot.named else next(self._fitting(slot, params, {**chosen, **beside}), None)
            if index is None and not slot.named:  # what might be spare is wanted after all
                index = next(self._fitting(slot, params, chosen), None)
                beside.pop(-1 if index is None else index, None)
            if index is not None:
                chosen[index] = slot
            elif not slot.optional:
                return f"none for {slot.role}"
        arguments: list[Argument] = []
        for i, param in enumerate(params):
            argument = self._slot_argument(param, chosen[i]) if i in chosen else beside.get(i)
            if argument is None:
                return f"'{param.name}' ({param.type.spelled})"
            arguments.append(argument)
        return tuple(arguments)

    def _fitting(self, slot: Slot, params: Sequence[Param], taken: Collection[int]) -> Iterator[int]:
        fits: Callable[[Param], bool] = lambda p: slot.fits(p.type)  # noqa: E731
        if slot.role == "kind":
            fits = lambda p: bool(directions.directions_of(self._model, p))  # noqa: E731
        elif self._numbered and slot.role in _ADDRESSES:
            fits = lambda p: slot.fits(p.type) or self._address(slot, p)  # noqa: E731
        return (i for i, p in enumerate(params) if i not in taken and fits(p))

    def _address(self, slot: Slot, param: Param) -> bool:
        """Whether a number is an address of the device's memory, in a header whose allocator gives numbers."""
        if slot.role == "handle_out":
            return _number_out(param.type)
        return param.type.kind == "int" and param.type.bits == 64 and not set(split(param.name)) & _SIZES

    def _spare(self, role: Role, param: Param) -> Argument | None:
        """The value for an argument that no form of the role has; None where nothing is sure to do."""
        said, type_ = set(split(param.name)), param.type
        key = object_key(type_)
        if role.role in _QUEUED and key and (key in self._streams or _queue_type(type_)):
            return Argument(param.name, type_.spelled, "stream")
        if role.role in _QUEUED and is_numbered_queue(type_):
            return Argument(param.name, type_.spelled, "stream", address="integer")
        if type_.kind == "int":
            return self._spare_number(role, param, said)
        if type_.kind == "bool" and said & {"sync", "blocking", "block", "wait"}:
            return Argument(param.name, type_.spelled, "constant", "true")
        if type_.kind == "bool" and said & {"async", "nonblocking"}:
            return Argument(param.name, type_.spelled, "constant", "false")
        if type_.kind == "enum" and role.role in ("malloc", "free", "init"):
            constant = self._usual(param)
            return Argument(param.name, type_.spelled, "constant", constant) if constant else None
        if is_text(type_) and type_.pointee is not None and type_.pointee.const:
            if role.role == "init" and said & _FILES:
                return Argument(param.name, type_.spelled, "constant", "nullptr")
            if role.role in ("init", "malloc") and said & _LABELS:
                return Argument(param.name, type_.spelled, "constant", '"torchfl"')
        return None

    def _spare_number(self, role: Role, param: Param, said: set[str]) -> Argument | None:
        spelled, joined = param.type.spelled, "".join(split(param.name))
        if role.role in (*_COPIES, "malloc") and said & _ELEMENT and said & _SIZES | {joined} & {"esize"}:
            return Argument(param.name, spelled, "constant", "1")  # bytes are the elements
        if role.role in _COPIES and (said & _SIZES or joined in _SIZES):
            return Argument(param.name, spelled, "bytes")  # the room there, or the same size again
        if said & _ALIGN:
            return Argument(param.name, spelled, "constant", ALIGNMENT)
        if said & _SETTINGS:
            return Argument(param.name, spelled, "constant", "0")
        if role.role == "init" and said and said <= _UNITS:
            return Argument(param.name, spelled, "constant", "0")  # the first device
        if role.role in ("synchronize", "stream_sync") and said & _TIMEOUTS:
            return Argument(param.name, spelled, "constant", f"static_cast<{spelled}>(-1)")  # as long as it takes
        if role.role in _COPIES and said & {"sync", "blocking", "block"}:
            return Argument(param.name, spelled, "constant", "1")
        return None

    def _usual(self, param: Param) -> str:
        """The constant of an enum of settings that asks for nothing special, else that of value 0; "" without one."""
        enum = self._model.enums.get(param.type.name)
        for constant in enum.constants if enum is not None else ():
            if split(constant.name)[-1] in _USUAL:
                return constant.name
        return next((c.name for c in enum.constants if c.value == 0), "") if enum is not None else ""

    def _slot_argument(self, param: Param, slot: Slot) -> Argument | None:
        spelled = param.type.spelled
        if slot.role == "kind":
            kinds = directions.directions_of(self._model, param)
            return Argument(param.name, spelled, "kind", values=tuple(kinds.items())) if kinds else None
        value = ""
        if slot.role == "constant":
            value = self._usual(param) if param.type.kind == "enum" else "0"
            if not value:
                return None
        held = param.type.pointee if slot.role == "handle_out" else param.type
        integer = slot.role in (*_ADDRESSES, "stream") and held is not None and held.kind == "int"
        return Argument(param.name, spelled, slot.role, value, address="integer" if integer else "")


def _made(function: Function) -> list[str]:
    """The objects that a function makes."""
    keys = [object_key(function.result), *(out_key(p.type) for p in function.params)]
    return [key for key in keys if key]


def _number_out(type_: CType) -> bool:
    """True for a place for a number that is wide enough for an address, and is no size's: ``uint64_t *where``."""
    inner = type_.pointee if type_.kind == "pointer" else None
    wide = inner is not None and inner.kind == "int" and inner.bits == 64 and not inner.const
    return wide and inner is not None and "size_t" not in inner.aliases


def _queue_type(type_: CType) -> bool:
    named = {w for name in (*type_.aliases, object_key(type_)) for w in split(name)}
    return bool({"stream", "queue"} & named)
