"""What a header leaves open, as rows of a sheet for the SDK's authors, with the probe that would answer each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from torchfl_sdk.header.model import HeaderModel
from torchfl_sdk.match.model import OpMatch, Question
from torchfl_sdk.match.tokens import split

_ORDERED = ("aten::sub.Tensor", "aten::div.Tensor")
_DEFINITIONS = {
    "aten::round": ("are halves rounded to even, or away from zero?", "compare 0.5, 1.5 and 2.5 with torch.round"),
    "aten::gelu": ("is it the erf form or the tanh approximation?", "compare values around 1 with both forms"),
    "aten::native_batch_norm": ("are statistics given as variance or as inverse deviation?", "run with variance 4"),
    "aten::avg_pool2d": ("does the divisor count padding?", "pool a padded border of ones"),
    "aten::remainder.Tensor": ("which sign has the result?", "compare -7 and 3 with torch.remainder"),
    "aten::fmod.Tensor": ("which sign has the result?", "compare -7 and 3 with torch.fmod"),
}


def ask(model: HeaderModel, matches: Sequence[OpMatch]) -> Iterator[Question]:
    """Rows for arguments without a role, operands whose order nothing says, and ops with several definitions."""
    comments = {f.name: f.comment for f in (*model.functions, *model.methods)}
    seen: set[tuple[str, str]] = set()
    for match in matches:
        for name, role in match.arguments:
            if not role and (match.function, name) not in seen:
                seen.add((match.function, name))
                yield Question(match.function, name, f"what does '{name}' mean in {match.aten}?", "", match.source)
        ordered = match.aten in _ORDERED and not any("operand" in e or "order of" in e for e in match.evidence)
        key = (match.aten, "".join(split(match.function))[:8])
        if ordered and key not in seen:
            seen.add(key)
            operator = "a - b" if "sub" in match.aten else "a / b"
            yield Question(
                match.function, "", f"is the result {operator} of its arguments in order, or the reverse?",
                "one call with 3 and 1", match.source,
            )  # fmt: skip
        if match.aten in _DEFINITIONS and (match.aten, "") not in seen and not comments.get(match.function, ""):
            seen.add((match.aten, ""))
            question, probe = _DEFINITIONS[match.aten]
            yield Question(match.function, "", question, probe, match.source)
