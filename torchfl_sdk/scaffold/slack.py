"""Bytes past the end of a buffer that the vendor's functions may read, as headers of vector code say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from torchfl_sdk.header.model import HeaderModel
from torchfl_sdk.match.tokens import split
from torchfl_sdk.scaffold.device_plan import DevicePlan

#: Constants of more bytes are the size of something.
_MOST = 4096
_SAID = re.compile(
    r"\b(?:read|reads|load|loads|access|accesses|touch|touches)\b[^.]{0,40}?\b(?:up to|at most|as many as)\s+"
    r"(\d+)\s+(?:extra\s+|more\s+)?bytes?\s+(?:past|beyond|after|behind)\b",
    re.IGNORECASE,
)


def with_slack(device: DevicePlan, model: HeaderModel) -> DevicePlan:
    """The same device, whose buffers have readable bytes behind them where the header asks for some."""
    extra = max(_found(model), default=None)
    if extra is None:
        return device
    line = f"bytes += {extra[1]};  // functions may read that far past a buffer's end"
    functions = tuple(replace(f, body=(line, *f.body)) if f.slot == "alloc" else f for f in device.functions)
    return replace(device, functions=functions, slack=extra[1])


def _found(model: HeaderModel) -> Iterator[tuple[int, str]]:
    """(bytes, as C++) by constants called EXTRA_BYTES, and by comments of functions and structs."""
    named = [(c.name, c.value) for c in model.constants.values()]
    named += [(c.name, c.value) for e in model.enums.values() for c in e.constants]
    for name, value in named:
        if {"extra", "bytes"} <= set(split(name)) and isinstance(value, int) and 0 < value <= _MOST:
            yield value, name
    for comment in (*(f.comment for f in model.functions), *(s.comment for s in model.structs.values())):
        for number in _SAID.findall(" ".join(comment.split())):
            if 0 < int(number) <= _MOST:
                yield int(number), number
