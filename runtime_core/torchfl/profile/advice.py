"""Findings about a profile that loads: nothing is wrong, and something will not happen as its author may think."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torchfl import catalogue
from torchfl.errors import Place, Problem, did_you_mean, register
from torchfl.profile.expand import expand
from torchfl.profile.model import UNSET_VARIABLE, OpEntry, Origin, Profile

UNKNOWN_OP = register("TFL0150", "the catalogue of this release lacks an op, so its entry does not route", 0)
UNKNOWN_OVERLOAD = register("TFL0151", "an op has no such overload, so its entry does not route", 0)
EXCLUDED_DTYPE = register("TFL0152", "PyTorch has rules of its own for an op in a dtype, which no kernel serves", 0)
UNVERIFIED = register("TFL0153", "entries are unverified, and do not route until the chip is asked", 0)
RESERVED_KEY = register("TFL0154", "a key is checked, and has no effect in this release", 0)
UNKNOWN_FEATURE = register("TFL0155", "a feature is not one that torchfl knows", 0)


def advise(profile: Profile) -> list[Problem]:
    """All findings, in the order of the profile."""
    return [
        *_ops(profile),
        *_features(profile),
        *_reserved(profile),
        *_variables(profile),
    ]


def _place(origin: Origin | None, profile: Profile) -> Place:
    return Place(origin.file, origin.line) if origin else Place(str(profile.path))


def known_overloads(name: str) -> tuple[str, ...]:
    """The overload names that a profile may give for an op: ``Tensor`` of ``aten::add.Tensor``."""
    spec = catalogue.get(name)
    full = (spec.overload, spec.inplace, spec.out, spec.reference) if spec else ()
    return tuple(dict.fromkeys(o.partition(".")[2] for o in full if o.partition(".")[2]))


def has_route(entry: OpEntry) -> bool:
    """Whether the catalogue knows the op, and its overload where the entry names one."""
    if catalogue.by_overload(entry.full_name) is not None:
        return True
    known = catalogue.get(entry.name) is not None
    return known and (not entry.overload or entry.overload in known_overloads(entry.name))


def _ops(profile: Profile) -> Iterator[Problem]:
    names = [spec.name for spec in catalogue.OPS]
    for entry in profile.ops:
        place, where = _place(entry.origin, profile), f"supported_ops[{entry.full_name}]"
        if has_route(entry):
            yield from _excluded(entry, place, where)
            continue
        if catalogue.get(entry.name) is None:
            near = did_you_mean(entry.name, names)
            cause = f"this release has no op {entry.name}; the entry loads and does not route"
            yield Problem(UNKNOWN_OP, cause, near, place, where)
        else:
            known = known_overloads(entry.name)
            near = did_you_mean(entry.overload or "", known) or ", ".join(known) or "leave the overload out"
            cause = f"{entry.name} has no overload {entry.overload}; the entry loads and does not route"
            yield Problem(UNKNOWN_OVERLOAD, cause, near, place, where)
    unverified = [entry.full_name for entry in profile.ops if not entry.routes]
    if unverified:
        cause = (
            f"{len(unverified)} of {len(profile.ops)} entries are unverified and do not route: {', '.join(unverified)}"
        )
        fix = f"torchfl probe --device {profile.device_type} --write"
        yield Problem(UNVERIFIED, cause, fix, Place(str(profile.path)), "supported_ops")


def _excluded(entry: OpEntry, place: Place, where: str) -> Iterator[Problem]:
    spec = catalogue.by_overload(entry.full_name) or catalogue.get(entry.name)
    for dtype in entry.dtype_support:
        if spec is not None and dtype in spec.excluded_dtypes:
            cause = f"{entry.full_name} of {dtype} gives another dtype in PyTorch, or an error; such calls do not route"
            yield Problem(EXCLUDED_DTYPE, cause, f"take {dtype} out", place, f"{where}.dtype_support")


def _features(profile: Profile) -> Iterator[Problem]:
    from torchfl.profile.values import FEATURES

    for feature in profile.capabilities.features:
        if feature not in FEATURES:
            near = did_you_mean(feature, FEATURES) or "one of " + ", ".join(FEATURES)
            place = _place(profile.origins.get("capabilities.features"), profile)
            yield Problem(UNKNOWN_FEATURE, f"unknown feature '{feature}'", near, place, "capabilities.features")


def _reserved(profile: Profile) -> Iterator[Problem]:
    from torchfl.profile.reference import json_schema

    root = json_schema()
    reserved = set(_reserved_keys(root))
    for key, origin in profile.origins.items():
        plain = ".".join(part.partition("[")[0] if part.startswith("supported_ops[") else part for part in _split(key))
        for candidate in reserved:
            if plain == candidate or plain.startswith(candidate + "."):
                cause = "this release checks the key and does nothing with it"
                yield Problem(RESERVED_KEY, cause, "", _place(origin, profile), key)


def _split(key: str) -> list[str]:
    """Key path parts; the op's name in brackets has dots of its own."""
    head, bracket, rest = key.partition("[")
    if not bracket:
        return key.split(".")
    inside, _, tail = rest.partition("]")
    return [f"{head}[{inside}]", *[part for part in tail.split(".") if part]]


def _reserved_keys(root: dict[str, Any]) -> Iterator[str]:
    for key, field in root["properties"].items():
        if field.get("x-reserved"):
            yield key
    for prefix, name in (("supported_ops", "Op"), ("memory", "MemoryMap"), ("numerics", "NumericsMap")):
        for key, field in root["$defs"][name]["properties"].items():
            if field.get("x-reserved"):
                yield f"{prefix}.{key}"


def _variables(profile: Profile) -> Iterator[Problem]:
    place = _place(profile.origins.get("runtime_so"), profile)
    for text in profile.runtime_so_texts:
        for name in expand(text)[1]:
            cause = f"'{text}' uses ${name}, which is not set"
            fix = f"export {name}=DIR with the folder of the vendor's library"
            yield Problem(UNSET_VARIABLE, cause, fix, place, "runtime_so")
