"""Kernels over vendors' objects: descriptors and handles, tensor objects launched in two phases, operators that are
created, set up and run, primitives over numbered arguments.

One planner serves them all, because they differ only in which function takes what: :mod:`torchfl_sdk.scaffold.compose`
finds how each object is made, filled and given back. What the header does not say (which dtypes, what a parameter of
an activation means) is a guess that the probe settles: every entry is unverified until it has.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from torchfl import catalogue
from torchfl.catalogue import Attr, OpSpec
from torchfl_sdk.header.model import Function
from torchfl_sdk.match.model import OpMatch
from torchfl_sdk.match.tokens import split
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.classes.types import value_of
from torchfl_sdk.scaffold.compose.composer import Composer
from torchfl_sdk.scaffold.compose.makers import Makers
from torchfl_sdk.scaffold.compose.protocols import write
from torchfl_sdk.scaffold.compose.values import literal
from torchfl_sdk.scaffold.kernel_plan import Kernel, NotGenerated, function_name
from torchfl_sdk.scaffold.styles.ground import Extra, Ground, Lacking

#: Roles of objects that a function over plain pointers may take, and that a kernel here fills.
_OBJECTS = {"op_out", "threadpool"}
_STYLES = ("descriptor", "handle", "operator", "two_phase", "tensor", "pointer")


def plan(ground: Ground) -> Iterator[Extra | Lacking]:
    """A kernel for every op that some function of these styles serves, or what stands in its way."""
    makers = ground.makers()
    known = {m.function: m for m in ground.match.matches}
    done = set(ground.served)
    own = _own(ground)
    for match, function in sorted(ground.open_matches(*_STYLES), key=_order):
        of_classes = value_of(function.result).text in ground.model.classes
        if match.style == "pointer" and not _OBJECTS & set(dict(match.arguments).values()) and not of_classes:
            continue
        reason = ""
        known_ops = ops_of(match)
        if of_classes:
            known_ops = [op for op in known_ops if match.aten in op.overloads or own.get(op.name, match) is match]
        ops = [op for op in known_ops if op.name not in done]
        if not known_ops:
            reason = f"{match.aten} is not in torchfl's op catalogue"
        elif not ops and not _prepares(match):
            reason = f"another function serves {known_ops[0].name}"
        for op in ops:
            try:
                extra = _extra(ground, makers, known, match, function, op)
            except NotGenerated as e:
                reason = reason or str(e)
                if of_classes and match.aten in op.overloads:
                    break  # what it cannot do as itself it cannot do as another either
                continue
            done.add(op.name)
            reason = ""
            yield extra
            if of_classes and match.aten in op.overloads:
                break  # the others are what it may be instead
        if reason:
            yield Lacking(match, reason)


def _order(found: tuple[OpMatch, Function]) -> tuple[bool, bool]:
    """The better of two functions for one op first: of convolutions and poolings the one that takes dilations serves
    more calls, as does one that takes two tensors, and one that writes to a place of its own saves a copy."""
    match, _ = found
    roles = {role.partition(".")[2] or role for _, role in match.arguments}
    return not _dilates(match), "inout" in roles or match.aten.endswith(".Scalar")


def _own(ground: Ground) -> dict[str, OpMatch]:
    """The first function that computes an op itself, of which another may be said to be capable too."""
    found: dict[str, OpMatch] = {}
    for match, _ in ground.open_matches(*_STYLES):
        for op in catalogue.OPS:
            if match.aten in (*op.overloads, op.name, op.reference):
                found.setdefault(op.name, match)
    return found


def _dilates(match: OpMatch) -> bool:
    return any(role.partition("_")[0] == "dilation" for _, role in match.arguments)


def _prepares(match: OpMatch) -> bool:
    """True for a function that is a step of another's kernel: it binds an operator, or launches a plan."""
    return bool({"op", "plan"} & {role for _, role in match.arguments})


def ops_of(match: OpMatch) -> list[OpSpec]:
    """The catalogue's ops that a match computes, the best first."""
    found: dict[str, OpSpec] = {}
    # A transposed convolution shares its overload with the plain one, and computes another thing.
    others = () if "transpose" in match.aten else match.alternatives
    for name in (match.aten, *others):
        for op in catalogue.OPS:
            if name in (op.overload, op.name, op.reference):
                found.setdefault(op.name, op)
    return list(found.values())


def _extra(
    ground: Ground, makers: Makers, known: dict[str, OpMatch], match: OpMatch, function: Function, op: OpSpec
) -> Extra:
    if function.inline or function.linkage != "c":
        raise NotGenerated("no symbol of the library can be looked up for it")
    results_of(op, set())  # before anything is written
    composer = Composer(makers, match, op, known)
    symbols = write(composer, function)
    composer.wait()
    return finished(ground, composer, match, function, op, symbols, _impl(function, op))


def finished(
    ground: Ground,
    composer: Composer,
    match: OpMatch,
    function: Function,
    op: OpSpec,
    symbols: tuple[str, ...],
    impl: str,
) -> Extra:
    """The kernel whose calls a composer has written. Raises NotGenerated where they leave something of the op out.

    ``symbols``: the names, in generated code, of what computes; ``impl``: the kernel's name."""
    makers = composer.makers
    results = results_of(op, composer.tensors)
    if composer.dtypes is None and match.dtype:
        composer.limit([match.dtype])
    told = set(composer.objects)
    if op.output_kinds[0] == "named" and not any(k.endswith(f" {op.inputs[0]}") for k in told):
        raise NotGenerated("nothing tells it both element types")
    missing = [i for i in (*op.inputs, "out") if i not in composer.tensors and i not in op.optional_inputs]
    if missing:
        raise NotGenerated(f"no argument takes the tensor {missing[0]!r}")
    dtypes = tuple(d for d in op.dtypes if composer.dtypes is not None and d in composer.dtypes and d in cxx.TFL_DTYPES)
    if not dtypes:
        raise NotGenerated("nothing says which element types it takes")
    checks, constraints = _defaults(composer, op)
    flags = (*results, *(("TFL_KERNEL_NHWC",) if composer.channels_last else ()),
             *(("TFL_KERNEL_BROADCAST",) if composer.broadcast else ()))  # fmt: skip
    place = f"{function.name}, {ground.model.short(function.place.file)}:{function.place.line}"
    kernel = Kernel(
        impl=impl,
        op=op.name,
        function=function_name(impl),
        template="objects",
        sources=(place,),
        symbols=symbols,
        support=tuple(u for u in composer.code.used if u not in symbols),
        called=(function.name,),
        flags=flags,
        inputs=()
        if op.list_input
        else tuple((name, i) for i, name in enumerate(op.inputs) if name in composer.tensors),
        checks=checks,
        before=tuple(_wrapped(line) for line in composer.code.lines),
        uniform=not op.input_kinds and op.output_kinds[0] == "common",
    )
    evidence = (*match.evidence, *(f"passes {constant}" for _, constant in match.constants), place)
    return Extra(
        kernel, dtypes, tuple(dict.fromkeys(evidence)), proved=False, constraints=constraints,
        layout="channels_last" if composer.channels_last else "contiguous",
        helpers=tuple(composer.helpers), matches=tuple(_completed(ground, composer, match)),
        broadcast=composer.broadcast,
        members=tuple(makers.members.symbols[u] for u in composer.code.used if u in makers.members.symbols),
    )  # fmt: skip


def results_of(op: OpSpec, written: set[str]) -> tuple[str, ...]:
    """The kernel's flags for the op's results. Raises NotGenerated for results that no call here gives."""
    if op.output_kinds[0] == "index" or op.name.endswith(".dim"):
        raise NotGenerated("places are told in a type and by a count that the header leaves open")
    if set(op.outputs[1:]) <= written or op.shape_rule == "batch_norm":  # whose further results are empty in inference
        return ()
    return ("TFL_KERNEL_FIRST_OUTPUT",)


def _wrapped(line: str) -> str:
    """A check that is longer than a line, with its return on a line of its own."""
    head, found, tail = line.partition(") return torchfl::")
    if len(line) <= cxx.WIDTH or not found or "\n" in line:
        return line
    return f"{head}) {{\n    return torchfl::{tail}\n  }}"


def _completed(ground: Ground, composer: Composer, match: OpMatch) -> Iterator[OpMatch]:
    """The match, and those of further functions that its kernel calls for the same op: setup and launch."""
    for found in ground.match.matches:
        if found is match or (found.aten == match.aten and found.function in composer.code.used):
            yield found


def _defaults(
    composer: Composer, op: OpSpec
) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, tuple[Any, ...]], ...]]:
    """What an attribute that no argument takes must be: as a check of the kernel, and as the profile's constraint."""
    checks: list[tuple[str, str]] = []
    constraints: list[tuple[str, tuple[Any, ...]]] = list(composer.constraints.items())
    wanted = composer.attributes.parameters
    if len(wanted) > 1 and composer.covered & set(wanted) and set(wanted) - composer.covered:
        raise NotGenerated(
            f"it has no argument for {(set(wanted) - composer.covered).pop()!r}, only for the other bound"
        )
    for i, attr in enumerate(op.attrs):
        if attr.name in composer.covered:
            continue
        if attr.kind in ("absent", "dtype"):
            continue  # the router gives a kernel no call that has it, or only the dtype that the result has anyway
        value, source = attr.default, f"call->attrs[{i}]"
        why = f"the vendor's function has no {attr.name}"
        if value is None or isinstance(value, tuple):
            raise NotGenerated(f"no argument takes {attr.name!r}, which has no default")
        if attr.kind == "choice":
            text, place = _choice(composer, attr)
            checks.append((f"torchfl::integer({source}, {place}) != {place}", why))
            constraints.append((attr.name, (text,)))
            continue
        if attr.kind == "int_list":
            checks.append((f"!torchfl::all_equal({source}, {int(value)})", why))
        elif attr.kind in ("int", "bool"):
            checks.append((f"torchfl::integer({source}, {int(value)}) != {int(value)}", why))
        else:
            number = literal(value) if isinstance(value, (int, float)) else str(value)
            checks.append((f"torchfl::number({source}, {number}) != {number}", why))
        if not (isinstance(value, float) and math.isinf(value)):  # no profile says infinity
            constraints.append((attr.name, (value,)))
    for name in op.optional_inputs:
        if name not in composer.tensors:
            checks.append(
                (f"torchfl::present(call->inputs[{op.inputs.index(name)}])", f"the vendor's function has no {name}")
            )
    if op.shape_rule == "conv" or composer.channels_last:
        checks.append((f"{op.inputs[0]}.rank != 4", "not a batch of images"))
    return tuple(checks), tuple(constraints)


def _choice(composer: Composer, attr: Attr) -> tuple[str, int]:
    """The text that the matched constant stands for, else the default, and its place among the choices."""
    choices: tuple[str, ...] = getattr(attr, "choices", ())
    said = {w for constant in composer.constants.values() for w in split(constant)}
    text = next((c for c in choices if c in said), str(attr.default))
    return text, choices.index(text)


def _impl(function: Function, op: OpSpec) -> str:
    """The kernel's name: the header's prefix and the op."""
    prefix = function.name.split("_", 1)[0] if "_" in function.name else _lower_head(function.name)
    return f"{prefix}_{op.name.removeprefix('aten::').lstrip('_')}"


def _lower_head(name: str) -> str:
    head = name[: next((i for i, c in enumerate(name) if c.isupper()), len(name))]
    return head or "vendor"
