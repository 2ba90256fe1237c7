"""One function, many ops: the constants of an enum, of macros or of a comment that choose among them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from torchfl_sdk.header.model import CType, Enum, Function, HeaderModel
from torchfl_sdk.match.handles import object_key, out_key
from torchfl_sdk.match.model import OpMatch
from torchfl_sdk.match.recognise.names import Naming
from torchfl_sdk.match.recognise.part import Part
from torchfl_sdk.match.tokens import common_prefix, split, words
from torchfl_sdk.match.vocabulary import BACKWARD, BY_NAME, RARE, Family, Word

#: Names of an argument that chooses the op.
_SELECTS = frozenset(
    words("""op mode kind type algkind alg optype opkind operation algo algorithm activationtype func opcode
    cmpop rtype reducetype""")
)
_REDUCTIONS = {"add": "sum", "mul": "prod", "avg": "mean"}
_BASES = {"e": "log", "2": "log2", "10": "log10"}
_ENOUGH = 3  # ops that an enum must name before it is taken for the one that is meant
_NEVER = frozenset(words("linear none identity"))


@dataclass(frozen=True)
class Choice:
    """One op that a constant chooses: ``carrier`` is the argument, or the setter's argument of a descriptor."""

    word: Word
    constant: str
    carrier: str
    source: str  # what to say as evidence


def choices(model: HeaderModel, function: Function, parts: Sequence[Part], naming: Naming) -> list[Choice]:
    """The ops that a family function serves, each with the constant that chooses it."""
    kinds = tuple(kind for family in naming.families for kind in family.kinds)
    found: list[Choice] = []
    for part in parts:
        enum = _enum_of(model, part.param.type)
        if enum is not None and part.sort != "dtype":
            found += _from_enum(enum, kinds, naming, part.name, f"{enum.name or 'an enum'} chooses the op")
    if found:
        return _unique(found)
    owned = [m for m in model.methods if m.namespace == function.namespace and m.name != function.name]
    for method in owned if function.namespace else []:
        for param in method.params:
            enum = _enum_of(model, param.type)
            if enum is not None:
                found += _from_enum(
                    enum, kinds, naming, f"{method.name}: {param.name}", f"{method.name} sets {{enum.name}}"
                )
    for said, enum in _of_class(model, function) if not found else ():
        found += _from_enum(enum, kinds, naming, f"{said}: {enum.name}", f"{said} is told {enum.name}")
    if found:
        return _unique(found)
    for part in parts:
        if part.sort not in ("desc", "params", "handle"):
            continue
        for setter, name, enum in (*_setters(model, part), *_held(model, part)):
            words = _from_enum(
                enum, kinds, naming, f"{part.name}: {name}", f"{setter} sets {enum.name} in '{part.name}'"
            )
            found += words
        if found:
            return _unique(found)
    maker = _maker(model, function)
    for param in maker.params if maker is not None else ():
        enum = _enum_of(model, param.type)
        if maker is not None and enum is not None:
            said = f"{maker.name}: {param.name}"
            found += _from_enum(enum, kinds, naming, said, f"{maker.name} is told {enum.name}")
    if found:
        return _unique(found)
    if "pool" in kinds:
        for part in parts:
            struct = model.structs.get(part.param.type.name) if part.sort == "params" else None
            flag = (
                next((f.name for f in struct.fields if {"avg", "average"} & set(split(f.name))), "") if struct else ""
            )
            if flag:
                said = f"{flag} in '{part.name}' chooses"
                found += [Choice(w, v, f"{part.name}: {flag}", said) for name, v in (("maxpool", "0"), ("avgpool", "1"))
                          for w in BY_NAME[name][:1]]  # fmt: skip
        if found:
            return _unique(found)
    for part in parts:
        found += _from_flag(part, kinds, naming)
    if found:
        return _unique(found)
    for part in parts:
        if part.sort == "int" and (part.joined in _SELECTS or (part.words and part.words[-1] in _SELECTS)):
            found += (
                _from_comment(function.comment, kinds, part.name)
                or _from_macros(model, kinds, naming, part.name)
                or _from_any_enum(model, kinds, naming, part)
            )
    return _unique(found)


_MAKES = frozenset(words("create make new init build open"))
_RUNS = frozenset(words("setup reshape run execute launch invoke"))


def _maker(model: HeaderModel, function: Function) -> Function | None:
    """What makes the operator that a function sets up or runs, by the same name but for the verb."""
    taken = {key for p in function.params if (key := object_key(p.type))}
    about = [w for w in split(function.name) if w not in _RUNS]
    if not taken or len(about) == len(split(function.name)):
        return None
    for other in model.functions:
        made = {key for p in other.params if (key := out_key(p.type))} | {object_key(other.result)}
        if taken & made and [w for w in split(other.name) if w not in _MAKES] == about:
            return other
    return None


_GROUPS = (("unary",), ("binary",), ("reduce", "arg_reduce"), ("pool",))
_MOSTLY = 0.7  # of an enum's constants


def family_of(model: HeaderModel, function: Function) -> Family | None:
    """The family of ops that an enum among the arguments chooses from, whatever the function is called; or ``None``."""
    for param in function.params:
        enum = _enum_of(model, param.type)
        if enum is None:
            continue
        for kinds in _GROUPS:
            found = {c.word.aten for c in _from_enum(enum, kinds, Naming(""), param.name, "")}
            if len(found) >= _ENOUGH and len(found) >= _MOSTLY * len(enum.constants):
                return Family((), kinds)
    return None


#: What a flag that is set chooses, and what one that is not set does.
_FLAGS = {"avg": ("avgpool", "maxpool"), "average": ("avgpool", "maxpool"), "max": ("maxpool", "avgpool")}
_SMOOTH = frozenset({"aligncorners", "aligncorner", "halfpixelcenters", "halfpixel", "aligncentres", "aligncenters"})


def _from_flag(part: Part, kinds: tuple[str, ...], naming: Naming) -> list[Choice]:
    """``is_avg_pooling``: a flag that chooses between two ops; ``align_corners`` is one of linear interpolation."""
    if part.sort not in ("int", "bool"):
        return []
    if "pool" in kinds and set(part.words) & {"is", "use", "pool", "pooling", "flag", "type"}:
        chosen = next((_FLAGS[w] for w in part.words if w in _FLAGS), ())
        place = "adaptive" if "adaptive" in "".join(naming.tokens) else ""
        found = [
            (BY_NAME.get(f"{place}{name}", BY_NAME[name])[0], flag) for name, flag in zip(chosen, "10", strict=False)
        ]
        return [Choice(word, flag, part.name, f"'{part.name}' chooses") for word, flag in found]
    if "resize" in kinds and part.joined in _SMOOTH:
        return [Choice(BY_NAME["resizebilinear"][0], "", part.name, f"'{part.name}' belongs to linear interpolation")]
    return []


def has_log(model: HeaderModel, parts: Sequence[Part]) -> tuple[str, str]:
    """The argument and constant by which a softmax becomes a log-softmax; empty strings without one."""
    for part in parts:
        enum = _enum_of(model, part.param.type)
        for constant in enum.constants if enum is not None else ():
            words = split(constant.name)
            if "softmax" not in "".join(words) and "softmax" not in "".join(split(enum.name if enum else "")):
                continue
            if words[-1] == "log" or "logsoftmax" in "".join(words) or words[-2:] == ["softmax", "log"]:
                return part.name, constant.name
    return "", ""


def logarithms(model: HeaderModel, found: OpMatch, parts: Sequence[Part]) -> tuple[OpMatch, ...]:
    """One match for each base of a logarithm that an enum chooses, or the match itself."""
    for part in parts:
        enum = _enum_of(model, part.param.type)
        bases = {split(c.name)[-1]: c.name for c in enum.constants} if enum is not None else {}
        chosen = {op: bases[base] for base, op in _BASES.items() if base in bases}
        if len(chosen) > 1:
            roles = tuple((name, "op_kind" if name == part.name else role) for name, role in found.arguments)
            return tuple(
                replace(found, aten=f"aten::{op}", arguments=roles, constants=((part.name, constant),))
                for op, constant in chosen.items()
            )
    return (found,)


def _enum_of(model: HeaderModel, type_: CType) -> Enum | None:
    if type_.kind == "enum":
        return model.enums.get(type_.name)
    if type_.kind == "int" and type_.aliases:  # typedef int acme_op_t; enum { ... } of the same stem
        stem = "".join(split(type_.aliases[0].removesuffix("_t")))
        return next(
            (e for e in model.enums.values() if stem and "".join(split(e.name.removesuffix("_t"))) == stem), None
        )
    return None


def _setters(model: HeaderModel, part: Part) -> Iterable[tuple[str, str, Enum]]:
    """Functions that set an enum in the descriptor of ``part``'s type."""
    wanted = part.param.type.pointee.name if part.param.type.pointee is not None else part.param.type.name
    if not wanted:
        return
    for function in model.functions:
        words = split(function.name)
        if not any(w.startswith("set") for w in words) and "init" not in words and "create" not in words:
            continue
        first = function.params[0].type if function.params else None
        if first is None or (first.pointee.name if first.pointee is not None else first.name) != wanted:
            continue
        for param in function.params[1:]:
            enum = _enum_of(model, param.type)
            if enum is not None:
                yield function.name, param.name, enum


def _of_class(model: HeaderModel, method: Function) -> Iterable[tuple[str, Enum]]:
    """Enums by which an object is made that runs: declared in its class, or taken by the factory that gives it."""
    owner = method.namespace if method.linkage == "c++" else ""
    if not owner or method.name not in {m.name for m in model.methods if m.namespace == owner}:
        return
    plain = owner.rpartition("::")[2]
    for name, enum in model.enums.items():
        if name.startswith(f"{owner}::"):
            yield plain, enum
    for made in (*model.methods, *model.functions):
        if re.search(rf"\b{re.escape(plain)}\b", made.result.canonical) and made.namespace != owner:
            for taken in filter(None, (_enum_of(model, param.type) for param in made.params)):
                yield made.name, taken


def _held(model: HeaderModel, part: Part) -> Iterable[tuple[str, str, Enum]]:
    """Enums that the struct or class of ``part`` holds: in a field, or declared inside it."""
    type_ = part.param.type.pointee if part.param.type.pointee is not None else part.param.type
    struct = model.structs.get(type_.name)
    for member in struct.fields if struct is not None else ():
        enum = _enum_of(model, member.type)
        if enum is not None:
            yield f"{type_.name}.{member.name}", member.name, enum
    for name, enum in model.enums.items():
        if type_.name and name.startswith(f"{type_.name}::"):
            yield type_.name, name.rsplit("::", 1)[-1], enum


def _from_enum(enum: Enum, kinds: tuple[str, ...], naming: Naming, carrier: str, source: str) -> list[Choice]:
    pairs = [(c.name, split(c.name)) for c in enum.constants]
    prefix = common_prefix(name for name, _ in pairs) if len(pairs) > 2 else ()
    stripped = [
        (name, words[len(prefix) :] if tuple(words[: len(prefix)]) == prefix else words) for name, words in pairs
    ]
    core = [t for t in naming.tokens if len(t) > 1]
    about = [(n, w) for n, w in stripped if any(t in w for t in core)]
    chosen = about if about and len(about) < len(stripped) else stripped
    found: list[Choice] = []
    names = {"".join(_behind(words, core)) for _, words in chosen}
    for name, tokens in chosen:
        key = "".join(_behind(tokens, core))
        if "amax" in key and key.replace("amax", "max") in names:
            continue  # beside a plain max it is the largest absolute value
        last = tokens[-1] if tokens else ""
        word = _word(key, kinds) or _word("".join(tokens), kinds) or _word(last, kinds, last=True)
        if word is not None:
            found.append(Choice(word, name, carrier, source))
    return found if len({c.word.aten for c in found}) > 1 or len(chosen) <= 3 else []


def _behind(words: list[str], core: list[str]) -> list[str]:
    """What stands behind the family's own word: eltwise relu use dst -> relu use dst."""
    position = max((i for i, word in enumerate(words) if word in core), default=-1)
    kept = words[position + 1 :] or words
    return [w for w in kept if w not in ("activation", "act", "op", "operation")] or kept


def _word(key: str, kinds: tuple[str, ...], *, last: bool = False) -> Word | None:
    if key in _NEVER or (last and len(key) < 3):
        return None
    if "reduce" in kinds:
        key = _REDUCTIONS.get(key, key)
    for kind, stem in (("pool", "pool"), ("resize", "resize"), ("random", "random")):
        if kind in kinds and not key.startswith(stem) and (found := _word(stem + key, kinds)) is not None:
            return found
    table = BACKWARD if kinds[:1] == ("backward",) else BY_NAME
    known = table.get(key, ()) or (RARE.get(key, ()) if table is BY_NAME and not last else ())
    return next((word for kind in kinds for word in known if word.kind == kind), None)


def _from_any_enum(model: HeaderModel, kinds: tuple[str, ...], naming: Naming, part: Part) -> list[Choice]:
    """An int that an enum of the header is meant for: the one with most ops of the family."""
    chosen = [
        _from_enum(enum, kinds, naming, part.name, f"{name} chooses the op") for name, enum in model.enums.items()
    ]
    best = max(chosen, key=lambda c: len({x.word.aten for x in c}), default=[])
    return best if len({c.word.aten for c in best}) >= _ENOUGH else []


def _from_macros(model: HeaderModel, kinds: tuple[str, ...], naming: Naming, carrier: str) -> list[Choice]:
    """``#define ACME_EW_ADD 0``: integer macros that end in ops of the family, with one prefix."""
    found: dict[str, list[Choice]] = {}
    for constant in model.constants.values():
        words = split(constant.name)
        for size in (1, 2, 3):
            word = _word("".join(words[-size:]), kinds)
            if word is not None and len(words) > size and isinstance(constant.value, int):
                head = "_".join(words[:-size])
                choice = Choice(word, constant.name, carrier, f"the macros {head.upper()}_... choose the op")
                found.setdefault(head, []).append(choice)
                break
    groups = [g for g in found.values() if len({c.word.aten for c in g}) > 1]
    del naming
    return max(groups, key=len, default=[])


def _from_comment(comment: str, kinds: tuple[str, ...], carrier: str) -> list[Choice]:
    """``op: 0=add, 1=sub`` or ``0: relu``."""
    found: list[Choice] = []
    for number, name in re.findall(r"(?<![\w.])(\d{1,3})\s*(?:=|:|-|->|=>|\)|is)\s*['\"]?([A-Za-z_]\w*)", comment):
        word = _word("".join(split(name)), kinds)
        if word is not None:
            found.append(Choice(word, number, carrier, "its comment lists the values"))
    return found if len({c.word.aten for c in found}) > 1 else []


#: Words of a constant by which it stands for a cheaper form of its op; the exact form is preferred.
_APPROXIMATE = frozenset(words("tanh approx approximate fast quick"))


def _unique(found: list[Choice]) -> list[Choice]:
    by_op: dict[str, Choice] = {}
    for choice in found:
        before = by_op.get(choice.word.aten)
        if before is None or (_approximate(before) and not _approximate(choice)):
            by_op[choice.word.aten] = choice
    return list(by_op.values())


def _approximate(choice: Choice) -> bool:
    about = set(split(choice.constant)) & _APPROXIMATE
    return bool(about - set(choice.word.names))
