"""The vendor's status type: which return type reports errors, and what its values mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from torchfl_sdk.header.model import CType, Enum, Function, HeaderModel
from torchfl_sdk.match import status_comments as comments
from torchfl_sdk.match.model import StatusType
from torchfl_sdk.match.tokens import prefixes, split

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


#: C types of no vendor's own that a status may have.
PLAIN = frozenset(
    ("int", "unsigned int", "long", "short", "signed char", "unsigned char",
     *(f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)))
)  # fmt: skip
#: First words of functions whose truth value is their answer.
_ASKS = frozenset(["is", "has", "have", "can", "are", "was", "supports", "should", "needs", "check", "valid", "equal"])
_OFFERS = {"true": "false", "yes": "no"}
#: Words that may stand beside "success" in a constant of the status.
_OF_STATUS = frozenset(["status", "result", "error", "err", "ret", "return", "returned", "code", "rc", "st", "stat"])


def find_status(model: HeaderModel) -> tuple[StatusType, tuple[str, ...]]:
    """The status type of the header, and what a person should confirm about it: of its functions, or where those have
    none, of the member functions of its classes."""
    found = _of_functions(model)
    members = [replace(m, result=_outside(m.result)) for m in model.methods if m.linkage == "c++"]
    if found[0].ctype or not members:
        return found
    told = _of_functions(replace(model, functions=tuple(members)))
    return told if told[0].ctype in {m.result.canonical for m in members if m.result.kind == "enum"} else found


def _outside(type_: CType) -> CType:
    """A type as it is written outside its class and namespace."""
    return replace(type_, spelled=type_.canonical, aliases=()) if type_.kind == "enum" else type_


def _of_functions(model: HeaderModel) -> tuple[StatusType, tuple[str, ...]]:
    """It is the enum that most functions return, if one of its constants is a success value; else the truth value or
    the integer that most functions return, whose values comments or constants name; else there is none.
    """
    reporting = [f for f in model.functions if f.result.kind in ("enum", "int") or _reports_truth(f)]
    returned = Counter(_key(f.result) for f in reporting)
    truths = sum(_key(f.result)[0] == "bool" for f in reporting)
    for key, count in returned.most_common():
        sample = next(f.result for f in reporting if _key(f.result) == key)
        if key[0] == "enum" and count >= truths:
            status = _from_enum(sample, model.enums.get(sample.name))
            if status:
                return replace(status, others=_others(model, returned, status)), ()
    if not returned:
        return StatusType("", ""), ()
    (kind, name), count = returned.most_common(1)[0]
    if kind == "enum" and 2 * count >= len(model.functions):
        return _by_convention(next(f.result for f in reporting if _key(f.result) == (kind, name)), model)
    if kind == "int" and (2 * count >= len(model.functions) or (name in PLAIN and _lists_errors(model))):
        return _from_integers(model, name)
    if kind == "bool" and 4 * count >= len(model.functions):
        return _from_truth(model, name)
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
    name = type_.aliases[0] if type_.aliases else type_.canonical.removeprefix("const ")
    if type_.kind == "bool" or _named_truth(name):
        return "bool", name.replace("_Bool", "bool")
    return "int", name


def _reporting(model: HeaderModel, name: str) -> list[Function]:
    return [f for f in model.functions if f.result.kind in ("int", "bool") and _key(f.result)[1] == name]


def _lists_errors(model: HeaderModel) -> bool:
    """True if an enum without a name, which is no type of anything, lists a success of 0 and errors beside it."""
    for enum in model.enums.values():
        named = [(c.value, meaning(c.name)) for c in enum.constants]
        nameless = not enum.typedefs and not all(part.isidentifier() for part in enum.name.split("::"))
        if nameless and (0, "SUCCESS") in named and any(m not in ("", "SUCCESS") for _, m in named):
            return True
    return False


def _named_truth(name: str) -> bool:
    """True for ``typedef int acme_bool``."""
    return bool({"bool", "boolean"} & set(split(name.removesuffix("_t"))))


def _reports_truth(function: Function) -> bool:
    """True for a function that may say by a truth value whether it worked; not for one that answers a question."""
    return function.result.kind == "bool" and not _ASKS & set(split(function.name)[:3])


def c_name(type_: CType, enum: Enum | None = None) -> str:
    """A C spelling of an enum or typedef without qualifiers."""
    if type_.aliases:
        return type_.aliases[0]
    if enum is not None and enum.typedefs:
        return enum.typedefs[0]
    return type_.canonical.removeprefix("const ").replace("_Bool", "bool")


def _from_enum(type_: CType, enum: Enum | None) -> StatusType | None:
    if enum is None or not enum.constants:
        return None
    last = {split(c.name)[-1]: c.name for c in enum.constants if split(c.name)}
    if len(enum.constants) == 2 and (truth := next((t for t, f in _OFFERS.items() if {t, f} <= set(last)), "")):
        return StatusType(c_name(type_, enum), last[truth])
    good = sorted((c for c in enum.constants if meaning(c.name) == "SUCCESS"), key=lambda c: c.value != 0)
    success = good[0].name if good else ""
    errors = _errors(c.name for c in enum.constants)
    told = errors or any({"error", "err"} & set(split(c.name)) for c in enum.constants if c.name != success)
    if success and not told and _OF_STATUS.isdisjoint(split(type_.name)):
        return None  # an enum with a constant called "none" is not a status for that alone
    if not success and errors:
        success = next((c.name for c in enum.constants if c.value == 0 and not meaning(c.name)), "")
    return StatusType(c_name(type_, enum), success, errors) if success else None


def _by_convention(type_: CType, model: HeaderModel) -> tuple[StatusType, tuple[str, ...]]:
    """The enum that most functions return, whose constants have names of the vendor's own: 0 is success, as in C."""
    enum = model.enums.get(type_.name)
    zero = next((c for c in enum.constants if c.value == 0), None) if enum is not None else None
    if enum is None or zero is None or len(enum.constants) < 3:
        return StatusType("", ""), ()
    question = f"no constant of {c_name(type_, enum)} is called a success: {zero.name}, which is 0, is taken"
    return StatusType(c_name(type_, enum), zero.name, _errors(c.name for c in enum.constants)), (question,)


def _from_truth(model: HeaderModel, name: str) -> tuple[StatusType, tuple[str, ...]]:
    """``bool``: true is success, unless comments say that it is failure; of an integer every value but 0 is true."""
    said = comments.told(model, _reporting(model, name))
    if said == {"zero"}:
        return StatusType(name, "false" if name == "bool" else "0"), ()
    question = f"comments disagree whether {name} is true or false on success: true is taken"
    values = ("true", "false") if not _named_truth(name) or name == "bool" else ("1", "0")
    return StatusType(name, values[0], failure=values[1]), (question,) if "zero" in said else ()


def _from_integers(model: HeaderModel, name: str) -> tuple[StatusType, tuple[str, ...]]:
    if name not in model.typedefs and name not in PLAIN:
        return StatusType("", ""), ()
    ctype = name
    named = {c.name: c.value for c in model.constants.values() if isinstance(c.value, int)}
    for enum in model.enums.values():
        if not enum.scoped:  # a function that returns an integer gives none of those
            named.update({c.name: c.value for c in enum.constants})
    success = next((n for n, value in named.items() if value == 0 and meaning(n) == "SUCCESS"), "")
    success = success or _stated_success(model, named)
    # only an enum's or a macro's name ties it to the status; vague words would catch unrelated constants
    vague = ("", "SUCCESS", "DEVICE_ERROR")
    good = named.get(success, 0)
    values = _errors(n for n, value in named.items() if value != good and meaning(n) not in vague)
    if success:
        return StatusType(ctype, success, values), ()
    said = comments.told(model, _reporting(model, name))
    if said == {"zero"}:
        return StatusType(ctype, "0", values), ()
    if said == {"one"}:
        return StatusType(ctype, "1", values), ()
    if said and said <= {"one", "nonzero"}:
        return StatusType(ctype, "1", failure="0"), ()
    why = "comments disagree about its values" if said else "no constant names its values"
    return StatusType(ctype, "0", values), (f"functions return {ctype} and {why}: 0 is taken as success",)


def _stated_success(model: HeaderModel, named: Mapping[str, int]) -> str:
    """A constant of another value than 0 that is called success and nothing else: ``ACME_SUCCESS``, ``STATUS_OK``."""
    heads = {w for p in prefixes([f.name for f in model.functions]) for w in p}
    for name in named:
        if set(split(name)) - heads - _OF_STATUS in ({"success"}, {"ok"}, {"successful"}):
            return name
    return ""


def _errors(names: Iterable[str]) -> tuple[tuple[str, str], ...]:
    pairs = ((name, meaning(name)) for name in names)
    return tuple((name, status) for name, status in pairs if status not in ("", "SUCCESS"))
