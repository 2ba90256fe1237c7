"""A convolution's bias where the convolution takes none: added to the result by the vendor's own blending sum."""

from __future__ import annotations

from collections.abc import Iterator

from torchfl_sdk.header.model import Function
from torchfl_sdk.match.handles import object_key
from torchfl_sdk.match.model import OpMatch
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.compose.composer import Composer
from torchfl_sdk.scaffold.kernel_plan import NotGenerated


def add_bias(composer: Composer) -> tuple[str, ...]:
    """Write the sum behind a convolution, if the op has a bias that no argument took; the functions that compute it."""
    if composer.kind != "conv" or "bias" in composer.tensors or "bias" not in composer.op.optional_inputs:
        return ()
    for match, function in _sums(composer):
        saved = composer.save()
        start = len(composer.code.lines)
        try:
            composer.code.call(function, [_argument(composer, function, name, role) for name, role in match.arguments])
        except NotGenerated:
            composer.restore(saved)
            continue
        inside = composer.code.lines[start:]
        del composer.code.lines[start:]
        composer.tensors.add("bias")
        composer.code.add("if (torchfl::present(bias)) {  // one value per channel, added to what the result holds")
        composer.code.add(*("  " + line.replace("\n", "\n  ") for line in inside), "}")
        return (function.name,)
    return ()


def _sums(composer: Composer) -> Iterator[tuple[OpMatch, Function]]:
    """Functions that add a tensor, which may have extents of one, to what another holds: C = alpha A + beta C."""
    for match in composer.known.values():
        roles = {r for _, r in match.arguments}
        function = composer.model.function(match.function)
        if match.aten == "aten::add_.Tensor" and {"inout", "desc.inout", "beta", "alpha"} <= roles and function:
            yield match, function


def _argument(composer: Composer, function: Function, name: str, role: str) -> str:
    part = next(p for p in composer.makers.parts.of(function) if p.name == name)
    about, _, tensor = role.rpartition(".")
    if tensor == "inout":
        return (
            composer.described(object_key(part.param.type), "out")
            if about == "desc"
            else cxx.data("out", part.param.type.spelled)
        )
    if about == "desc":
        extents = "torchfl::shape({1, bias.numel, 1, 1})"
        return composer.described(object_key(part.param.type), "bias", extents)
    if tensor in ("input", "input2"):
        return cxx.data("bias", part.param.type.spelled)
    if part.sort == "scalar_pointer" and role in ("alpha", "beta"):
        return composer.factor(part, "1")
    return composer.argument(function, part, role, "")
