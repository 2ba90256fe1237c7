"""From a match's wide roles to the parts of a call: whose offset an argument is, which object a queue is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from torchfl_sdk.header.model import Function, HeaderModel, Param
from torchfl_sdk.match.elements import element_dtype
from torchfl_sdk.match.flags import order_values, transpose_values
from torchfl_sdk.match.model import Argument, OpMatch
from torchfl_sdk.match.tokens import LETTERS, prefix_of, split
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.kernel_plan import NotGenerated
from torchfl_sdk.scaffold.object_calls import object_name
from torchfl_sdk.scaffold.objects import Objects

#: Roles of tensors in a match.
TENSORS = frozenset({"input", "input2", "input3", "weight", "bias", "output", "output2", "inout"})

_C_NUMBERS = {"float32": "float", "float64": "double"}

#: Roles of the lengths of lists -> what the lists hold; one queue is passed, and no event.
LENGTHS = {
    "num_queues": frozenset({"queue", "queues", "streams"}),
    "num_events": frozenset({"event", "events", "wait"}),
}
LENGTH_VALUES = {"num_queues": "1", "num_events": "0"}

#: The variable that holds a call's queue where the vendor wants its address.
QUEUE = "vendor_queue"


def paired(found: OpMatch, function: Function) -> tuple[tuple[Param, str], ...]:
    """Each parameter with its role; an ``offset`` belongs to the tensor before it. Raises NotGenerated for a hole."""
    if len(found.arguments) != len(function.params):
        raise NotGenerated(f"{function.name} lacks an argument")
    pairs = []
    tensor = ""
    for param, (_, role) in zip(function.params, found.arguments, strict=True):
        if role in TENSORS:
            tensor = role
        if tensor and (role == "offset" or (not role and "offset" in split(param.name))):
            role = f"offset.{tensor}"
        role = role or length_role(param)
        if not role:
            raise NotGenerated(f"nothing says what the argument {param.name!r} ({param.type.spelled}) means")
        pairs.append((param, role))
    return tuple(pairs)


def length_role(param: Param) -> str:
    """The role of the length of a list of queues or of events to wait for."""
    named = set(split(param.name))
    if param.type.kind != "int" or not named & {"num", "count", "n", "number"}:
        return ""
    return next((role for role, of in LENGTHS.items() if named & of), "")


def in_bytes(param: Param) -> bool:
    """True for an offset that its name gives in bytes; a BLAS counts in elements."""
    return bool(set(split(param.name)) & {"byte", "bytes"})


def queue_argument(param: Param, objects: Objects) -> tuple[tuple[str, ...], str]:
    """(statements ahead of the call, the argument) for a parameter that takes the call's queue."""
    if object_name(param.type) == objects.queue:
        return (), "queue(call->device, call->stream)"
    if param.type.kind == "pointer" and object_name(param.type.pointee) == objects.queue:
        return (f"{objects.queue} {QUEUE} = queue(call->device, call->stream);",), f"&{QUEUE}"
    raise NotGenerated(f"its queue {param.name!r} is a {param.type.spelled}, which nothing makes")


def flag_values(model: HeaderModel, param: Param, role: str) -> tuple[tuple[str, str], ...]:
    """The constants of an order or transpose flag, as :class:`Argument` keeps them. Raises NotGenerated without any."""
    enum = model.enums.get(param.type.name) if param.type.kind == "enum" else None
    orders = order_values(enum) if enum is not None else {}
    found = orders if role == "order" else transpose_values(param.type, enum)
    if not found:
        raise NotGenerated(f"{param.name!r} ({param.type.spelled}) has no constants that torchfl knows for {role}")
    return tuple(found.items())


#: A statement that clears a result which the vendor multiplies by 0 and adds to.
CLEARED = "if (const tfl_status cleared = torchfl::clear(device::api, *call, out); cleared != TFL_OK) return cleared;"


def argument(param: Param, role: str, index: int, **more: object) -> Argument:
    """The argument for a parameter; unnamed ones are called by position."""
    return Argument(param.name or f"arg{index}", param.type.spelled, role, **more)  # type: ignore[arg-type]


def impl_name(function: str, op: str, prefixes: tuple[tuple[str, ...], ...]) -> str:
    """The vendor's prefix and the op, ``acme_mv``; ``vendor_mv`` where the functions have no prefix in common."""
    letters = sum(map(len, prefix_of(function, prefixes)))
    head, left = "", letters
    for char in function if letters else "":
        if char != "_":
            if left == 0:
                break
            left -= 1
        head += char
    return f"{head.strip('_').lower() or 'vendor'}_{op.removeprefix('aten::')}"


def scalar_dtype_fits(param: Param, dtype: str) -> bool:
    """True if a scalar's C type is the element type of a function, so that a double converts to it."""
    t = param.type.pointee if cxx.is_pointer(param.type.spelled) else param.type
    if dtype == "float16":  # its bits
        return t is not None and t.kind == "int" and t.bits == 16 and not t.signed
    return t is not None and cxx.bare(t.spelled) == _C_NUMBERS.get(dtype, "")


def letter_dtype(found: OpMatch, matches: Iterable[OpMatch]) -> str:
    """The element type in a function's name, "" without one: where the name is a word of its own with its letter, as
    its siblings' names tell, that differ from it in that letter alone or have their own at the same place."""
    name = found.function
    if found.dtype:
        return found.dtype
    letters: Counter[int] = Counter()
    for other in (m for m in matches if m.dtype):
        at = _letter_after(name, other)
        letters.update([at] if at else [])
        if other.aten != found.aten or len(other.function) != len(name):
            continue
        differ = [(a, b) for a, b in zip(name, other.function, strict=True) if a != b]
        if len(differ) == 1 and LETTERS.get(differ[0][1].lower()) == other.dtype:
            return LETTERS.get(differ[0][0].lower(), "")
    place = max(letters, key=lambda at: letters[at], default=0)
    return LETTERS.get(name[place].lower(), "") if letters[place] >= 3 and _capital(name, place) else ""


def _letter_after(name: str, other: OpMatch) -> int:
    """Where the letter of another function's element type stands, if that is right behind what both names begin with or
    the last of it; 0 for elsewhere."""
    same = next((i for i, (a, b) in enumerate(zip(name, other.function, strict=False)) if a != b), 0)
    for at in (same, same - 1):
        if _capital(other.function, at) and LETTERS.get(other.function[at].lower()) == other.dtype:
            return at
    return 0


def _capital(name: str, at: int) -> bool:
    """True for a capital letter that stands alone between small ones: the S of ``AcmeSrelu``."""
    return 0 < at < len(name) - 1 and name[at - 1].islower() and name[at].isupper() and name[at + 1].islower()


def pointer_dtype(found: OpMatch, function: Function) -> str:
    """The one element type of a function's pointers, factors and result; "" where there is none, or several."""
    roles = dict(found.arguments)
    carriers = ("input", "input2", "inout", "output", "alpha", "beta")
    types = [p.type.pointee or p.type for p in function.params if roles.get(p.name) in carriers]
    if "inout" not in roles.values() and "output" not in roles.values():
        types.append(function.result)  # the result is returned
    dtypes = {element_dtype(t) for t in types}
    dtype = dtypes.pop() if len(dtypes) == 1 else None
    return dtype if dtype in _C_NUMBERS else ""


def c_number(dtype: str) -> str:
    """The C type of a number of an element type."""
    return _C_NUMBERS[dtype]
