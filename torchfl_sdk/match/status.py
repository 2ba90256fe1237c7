"""The vendor's status type: which return type reports errors, and what its values mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from torchfl_sdk.header.model import CType, Enum, HeaderModel
from torchfl_sdk.match.model import StatusType
from torchfl_sdk.match.tokens import split

_SUCCESS = ({"success"}, {"ok"}, {"no", "error"}, {"noerror"}, {"none"}, {"good"}, {"successful"})

#: torchfl status -> sets of words, all of which a constant's name must contain; the first status that fits wins
_MEANINGS: tuple[tuple[str, tuple[frozenset[str], ...]], ...] = tuple(
    (status, tuple(frozenset(choice.split()) for choice in text.split(",")))
    for status, text in (
        (
            "OUT_OF_MEMORY",
            "out memory,outofmemory,oom,no memory,nomem,nomemory,enomem,memory allocation,insufficient memory,"
            "alloc failed,alloc failure,allocation failed,allocation failure,bad alloc",
        ),
        ("NO_DRIVER", "no device,no driver,nodevice,driver not found,insufficient driver,device not found"),
        ("NOT_READY", "not ready,notready,pending,in progress,again,still running"),
        (
            "UNSUPPORTED",
            "unsupported,not supported,notsupported,not support,not implemented,unimplemented,no half precision,"
            "no double precision",
        ),
        (
            "INVALID_ARGUMENT",
            "invalid,inval,einval,bad param,bad parameter,bad argument,bad arg,illegal argument,null pointer",
        ),
        ("DEVICE_ERROR", "device,hardware,launch,internal,execution,timeout,fatal,unknown,failed,failure,fail,io"),
    )
)


def meaning(name: str) -> str:
    """The torchfl status that a constant's name states ("SUCCESS" included), or ""."""
    words = split(name)
    bag = set(words) | {"".join(words[i : i + 2]) for i in range(len(words) - 1)}
    for status, choices in _MEANINGS:
        if any(choice <= bag for choice in choices):
            return status
    if any(choice <= bag for choice in _SUCCESS) and "not" not in bag:
        return "SUCCESS"
    return ""


def find_status(model: HeaderModel) -> tuple[StatusType, tuple[str, ...]]:
    """The status type of the header, and what a person should confirm about it.

    It is the enum that most functions return, if one of its constants is a success value; else an integer typedef
    or plain ``int`` that most functions return, whose values may be macros; else there is none.
    """
    returned = Counter(_key(f.result) for f in model.functions if f.result.kind in ("enum", "int"))
    for (kind, _), _count in returned.most_common():
        sample = next(f.result for f in model.functions if _key(f.result) == (kind, _))
        if kind == "enum":
            status = _from_enum(sample, model.enums.get(sample.name))
            if status:
                return replace(status, others=_others(model, returned, status)), ()
    if not returned:
        return StatusType("", ""), ()
    (kind, name), count = returned.most_common(1)[0]
    if kind == "int" and 2 * count >= len(model.functions):
        return _from_integers(model, name)
    return StatusType("", ""), ()


def _others(model: HeaderModel, returned: Counter[tuple[str, str]], first: StatusType) -> tuple[StatusType, ...]:
    """Enums beside the first that several functions return, that name a success and errors."""
    found = {first.ctype: first}
    for (kind, name), count in returned.most_common():
        if kind != "enum" or count < 2:
            continue
        sample = next(f.result for f in model.functions if _key(f.result) == (kind, name))
        status = _from_enum(sample, model.enums.get(name))
        if status is not None and status.values:
            found.setdefault(status.ctype, status)
    return tuple(found.values())[1:]


def _key(type_: CType) -> tuple[str, str]:
    if type_.kind == "enum":
        return "enum", type_.name
    return "int", type_.aliases[0] if type_.aliases else type_.canonical


def c_name(type_: CType, enum: Enum | None = None) -> str:
    """A C spelling of an enum or typedef without qualifiers."""
    if type_.aliases:
        return type_.aliases[0]
    if enum is not None and enum.typedefs:
        return enum.typedefs[0]
    return type_.canonical.removeprefix("const ")


def _from_enum(type_: CType, enum: Enum | None) -> StatusType | None:
    if enum is None or not enum.constants:
        return None
    good = sorted((c for c in enum.constants if meaning(c.name) == "SUCCESS"), key=lambda c: c.value != 0)
    success = good[0].name if good else ""
    errors = _errors(c.name for c in enum.constants)
    if success and not errors and {"status", "error", "result", "err", "ret", "return"}.isdisjoint(split(type_.name)):
        return None  # an enum with a constant called "none" is not a status for that alone
    if not success and errors:
        success = next((c.name for c in enum.constants if c.value == 0 and not meaning(c.name)), "")
    return StatusType(c_name(type_, enum), success, errors) if success else None


def _from_integers(model: HeaderModel, name: str) -> tuple[StatusType, tuple[str, ...]]:
    if name not in model.typedefs and name != "int":
        return StatusType("", ""), ()
    ctype = name
    named = {c.name: c.value for c in model.constants.values() if isinstance(c.value, int)}
    for enum in model.enums.values():
        named.update({c.name: c.value for c in enum.constants})
    success = next((n for n, value in named.items() if value == 0 and meaning(n) == "SUCCESS"), "")
    # only an enum's or a macro's name ties it to the status; vague words would catch unrelated constants
    vague = ("", "SUCCESS", "DEVICE_ERROR")
    values = _errors(n for n, value in named.items() if value != 0 and meaning(n) not in vague)
    if success:
        return StatusType(ctype, success, values), ()
    question = f"functions return {ctype} and no constant names its values: 0 is taken as success"
    return StatusType(ctype, "0", values), (question,)


def _errors(names: Iterable[str]) -> tuple[tuple[str, str], ...]:
    pairs = ((name, meaning(name)) for name in names)
    return tuple((name, status) for name, status in pairs if status not in ("", "SUCCESS"))
