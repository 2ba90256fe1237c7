"""Kernels over ops that are objects of C++ classes: one is made, set up and run for every call."""

from __future__ import annotations

from collections.abc import Iterator

from torchfl.catalogue import OpSpec
from torchfl_sdk.header.model import Class, Member
from torchfl_sdk.match.model import OpMatch
from torchfl_sdk.scaffold.classes.operations import Operation
from torchfl_sdk.scaffold.compose.composer import Composer
from torchfl_sdk.scaffold.compose.makers import Makers
from torchfl_sdk.scaffold.kernel_plan import NotGenerated
from torchfl_sdk.scaffold.styles.ground import Extra, Ground, Lacking
from torchfl_sdk.scaffold.styles.objects import finished, ops_of, results_of


def plan(ground: Ground) -> Iterator[Extra | Lacking]:
    """A kernel for every op that such a class computes, or what stands in its way."""
    makers = ground.makers()
    done = set(ground.served)
    for match, of, member in sorted(_found(ground), key=lambda f: "inout" in dict(f[0].arguments).values()):
        known = ops_of(match)
        ops = [op for op in known if op.name not in done]
        reason = "" if ops else f"another function serves {known[0].name}" if known else (
            f"{match.aten} is not in torchfl's op catalogue")  # fmt: skip
        for op in ops:
            try:
                extra = _extra(ground, makers, match, of, member, op)
            except NotGenerated as e:
                reason = reason or str(e)
                continue
            done.add(op.name)
            reason = ""
            yield extra
        if reason:
            yield Lacking(match, reason)


def _found(ground: Ground) -> Iterator[tuple[OpMatch, Class, Member]]:
    """The matches of member functions, with their classes."""
    for match in ground.match.matches:
        owner, _, last = match.function.rpartition("::")
        of = ground.model.classes.get(owner)
        if match.complete or of is None:
            continue
        names = [name for name, _ in match.arguments]
        for member in of.members:
            if member.name == last and member.kind == "method" and [p.name for p in member.function.params] == names:
                yield match, of, member
                break


def _extra(ground: Ground, makers: Makers, match: OpMatch, of: Class, member: Member, op: OpSpec) -> Extra:
    results_of(op, set())
    composer = Composer(makers, match, op, {})
    symbols = Operation(composer, of, member).write()
    composer.wait()
    impl = f"{of.name.partition('::')[0].lower()}_{op.name.removeprefix('aten::').lstrip('_')}"
    return finished(ground, composer, match, member.function, op, symbols, impl)
