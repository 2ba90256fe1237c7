"""What a person wrote into a project's kernels: the vendor functions that they call, and kernels of their own.

Generated files hold the table of vendor symbols and the table of kernels. A kernel that a person completes, changes or
adds needs its functions in the first, and is proved native only by the ones that the second binds to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from torchfl import catalogue
from torchfl.profile.tree import parse_tree
from torchfl_sdk.header.model import HeaderModel
from torchfl_sdk.scaffold.kernel_plan import Kernel, flags_of, function_name
from torchfl_sdk.scaffold.plan import ChipPlan
from torchfl_sdk.scaffold.symbols import plan_symbols

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)
_HEAD = re.compile(r"\b(\w+)\s*\(((?:[^(){};]|\([^(){};]*\))*)\)\s*(?:const\s*|noexcept\s*)*\{")
_VENDOR = re.compile(r"\bvendor::(\w+)")
_WORD = re.compile(r"\w+")
_KERNEL = re.compile(r"const\s+tfl_call\s*\*\s*\w+\Z")


def adopt(plan: ChipPlan, model: HeaderModel, base: str, kernels: str, profile: str) -> ChipPlan:
    """The plan with what ``kernels``, the person's file, calls beyond ``base``, the text that it came from.

    A kernel of the person's own joins where an entry of ``profile``, their text, names it.
    """
    mine, was = _functions(kernels), _functions(base)
    plumbing = {f.function for f in plan.match.runtime} | set(plan.device.symbols)
    known = {f.name for f in model.functions if f.name not in plumbing and (not f.inline or f.local)}

    entries = {k.function: k for k in _named(profile)}

    def bound(kernel: Kernel) -> Kernel:
        now, before = (set(_called(kernel.function, bodies)) & known for bodies in (mine, was))
        if kernel.template == "skeleton" and now:
            flags = entries[kernel.function].flags if kernel.function in entries else ()
            return replace(kernel, symbols=tuple(sorted(now)), flags=flags)
        more = now - before - {*kernel.symbols, *kernel.support}
        return replace(kernel, symbols=(*kernel.symbols, *sorted(more)))

    taken = {k.function for k in plan.kernels}
    signatures = _signatures(kernels)
    own = [k for k in entries.values() if k.function not in taken and _KERNEL.match(signatures.get(k.function, ""))]
    written, added = tuple(map(bound, plan.kernels)), tuple(map(bound, own))
    have = {s.name for s in plan.symbols}
    more = {s for k in (*written, *added) for s in k.symbols} | (set(_VENDOR.findall(_plain(kernels))) & known)
    symbols = (*plan.symbols, *plan_symbols(model, plan.match, sorted(more - have)))
    return replace(
        plan,
        kernels=written,
        added=added,
        completed=tuple(k.op for k in plan.kernels if k.template == "skeleton" and _differs(k, mine, was)),
        symbols=tuple(sorted(symbols, key=lambda s: s.name)),
    )


def _differs(kernel: Kernel, mine: Mapping[str, str], was: Mapping[str, str]) -> bool:
    return mine.get(kernel.function) != was.get(kernel.function)


def _named(profile: str) -> Iterator[Kernel]:
    """The kernel that each entry of a profile names, as far as its op is in the catalogue."""
    seen = set()
    for entry in parse_tree(profile, "").plain().get("supported_ops") or []:
        name, impl = (entry.get("name"), entry.get("impl")) if isinstance(entry, dict) else (None, None)
        if not isinstance(name, str) or not isinstance(impl, str):
            continue
        op = catalogue.by_overload(name) or catalogue.get(name)
        if op is not None and function_name(impl) not in seen:
            seen.add(function_name(impl))
            yield Kernel(impl, op.name, function_name(impl), "own", (), (), flags_of(entry))


def _called(function: str, bodies: Mapping[str, str]) -> Iterator[str]:
    """The vendor functions that a function calls, by itself or through others of its file."""
    waiting, seen = [function], {function}
    while waiting:
        body = bodies.get(waiting.pop(), "")
        yield from _VENDOR.findall(body)
        new = {word for word in _WORD.findall(body) if word in bodies} - seen
        seen |= new
        waiting += sorted(new)


def _functions(text: str) -> dict[str, str]:
    """Body by name of each function of a C++ file, without comments and strings."""
    return {name: body for name, _, body in _definitions(_plain(text))}


def _signatures(text: str) -> dict[str, str]:
    return {name: parameters.strip() for name, parameters, _ in _definitions(_plain(text))}


def _plain(text: str) -> str:
    return _COMMENT.sub(" ", text)


def _definitions(text: str) -> Iterator[tuple[str, str, str]]:
    """(name, parameters, body) of each function that is not within another."""
    at = 0
    while head := _HEAD.search(text, at):
        at, depth = head.end(), 1
        while at < len(text) and depth:
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
        yield head.group(1), head.group(2), text[head.end() : at]
