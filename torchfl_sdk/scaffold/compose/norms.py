"""What normalisations have that other ops do not: optional scale and shift, statistics, and flags that say which."""

from __future__ import annotations

from collections.abc import Iterator

from torchfl_sdk.header.model import HeaderModel
from torchfl_sdk.match.tokens import split
from torchfl_sdk.scaffold.compose.state import State
from torchfl_sdk.scaffold.kernel_plan import NotGenerated

#: Input of an op -> words of a flag that says that the call has it.
_GIVEN = {"weight": "scale", "bias": "shift"}


def rows_and_columns(state: State) -> None:
    """Declare how the normalised dimensions fall into rows and columns, once, for ops over the last dimensions."""
    if state.op.shape_rule != "layer_norm" or "rows" in state.code.names:
        return
    state.code.names |= {"rows", "columns"}
    state.covered.add("normalized_shape")
    source = state.attributes.source("normalized_shape")
    state.code.add(
        "int64_t rows = 0, columns = 0;",
        f"if (!torchfl::rows_and_cols(input, {source}.count, &rows, &columns))",
        '  return torchfl::unsupported("dimensions that the input does not have");',
    )


def flags(state: State, about: str) -> str:
    """The flags argument: global statistics where the op is given them, scale and shift where the call has them.

    Raises NotGenerated where the header has no such flags, so that nobody can say what 0 would mean.
    """
    constants = dict(_constants(state.model))
    terms = []
    if "running_mean" in state.op.inputs:
        terms.append(_flag(constants, about, "global", "stats"))
    for name in state.op.inputs:
        if name in _GIVEN:
            flag = _flag(constants, about, _GIVEN[name])
            terms.append(f"(torchfl::present({name}) ? {flag} : 0)" if name in state.op.optional_inputs else flag)
    return " | ".join(f"static_cast<unsigned>({t})" for t in terms) if terms else "0"


def _flag(constants: dict[frozenset[str], str], about: str, *words: str) -> str:
    wanted = frozenset(("use", *words))
    found = next((name for has, name in constants.items() if wanted <= has and len(has - wanted) <= 1), "")
    if not found:
        raise NotGenerated(f"no constant for its argument {about!r} says that it uses {' '.join(words)}")
    return found


def _constants(model: HeaderModel) -> Iterator[tuple[frozenset[str], str]]:
    """Words and name of each constant of an enum whose name says that it holds flags."""
    for enum in model.enums.values():
        if "flags" in split(enum.name) or any("flags" in split(t) for t in enum.typedefs):
            for constant in enum.constants:
                yield frozenset(split(constant.name)), constant.name
