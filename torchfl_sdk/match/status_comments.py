"""What a header's comments say about the value that its functions return when they worked."""

from __future__ import annotations

import re
from collections.abc import Iterable

from torchfl_sdk.header.comments import texts
from torchfl_sdk.header.model import Function, HeaderModel

_VALUES = {"zero": "zero|0|false", "one": "one|1|true", "nonzero": r"non[- ]?zero|any other value|a positive value"}
_VALUE = "|".join(f"(?P<{name}>{text})" for name, text in _VALUES.items())
_GOOD = r"success\w*|succe\w+|(?:it|they|this|that|the (?:call|function))? ?(?:worked|works)|ok(?:ay)?|no error"
_BAD = r"fail\w*|(?:an? )?errors?"
_ON = r"(?:on|if|when|upon|for|in case of|indicates?|means?|signals?|is|are|stands for|=+|:|->|-)"
_WHO = r"(?:all |every |the )?(?:it |they |call |function )?"
#: "1 on success", "returns non-zero if the call succeeded", "0 = ok"; and the other way round: "success is 1".
_VALUE_FIRST = re.compile(
    rf"(?<![\w.+-])(?:{_VALUE})\s*(?:\([^)]{{0,20}}\)\s*)?{_ON}\s*{_WHO}(?:(?P<good>{_GOOD})|(?P<bad>{_BAD}))\b", re.I
)
_MEANING_FIRST = re.compile(
    rf"\b(?:(?P<good>success\w*|ok(?:ay)?)|(?P<bad>failure|errors?))\s*(?:is|=+|:|returns?|gives?)\s*(?:{_VALUE})(?![\w.])",
    re.I,
)


def told(model: HeaderModel, functions: Iterable[Function]) -> set[str]:
    """The values that comments call success: "zero", "one", "nonzero". A value that is failure says the opposite.

    The comments of ``functions`` come first; where none says anything, those of the whole files do.
    """
    said = set().union(*map(_said, dict.fromkeys(f.comment for f in functions)), set())
    if not said:
        said = set().union(*(_said(text) for file in model.files for text in texts(file.read_bytes())), set())
    return said


def _said(comment: str) -> set[str]:
    found: dict[str, set[str]] = {"good": set(), "bad": set()}
    for pattern in (_VALUE_FIRST, _MEANING_FIRST):
        for match in pattern.finditer(comment):
            value = next(name for name in _VALUES if match[name])
            found["good" if match["good"] else "bad"].add(value)
    if found["good"]:
        return found["good"]
    # what failure is says what success is: 0 of everything else, everything else of 0
    return {"nonzero" if bad == "zero" else "zero" for bad in found["bad"]}
