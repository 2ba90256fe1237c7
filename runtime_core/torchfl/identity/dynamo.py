"""What dynamo knows torch.xpu's functions and classes by: their identity, in tables and in answers that it keeps.

Where dynamo was imported before ``init()``, its tables have torch's own; where it was imported after, ours. Both
ways they follow what torch.xpu has, so that dynamo folds, guards and traces the same calls at any time.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from types import BuiltinFunctionType, FunctionType
from typing import Any

_ROOM = "torch._dynamo"
#: Those of its modules whose functions keep answers made from the tables.
_KEEPING = tuple(f"{_ROOM}.{name}" for name in ("trace_rules", "variables.torch", "variables.user_defined",
                                                 "variables.builder"))  # fmt: skip


_methods: dict[tuple[int, str], Any] = {}  # class and name -> the static method that was there before


def follow(pairs: Iterable[tuple[Any, Any]]) -> None:
    """Puts the second of each pair where dynamo's tables have the first. Does nothing where dynamo is not imported."""
    known = {id(old): new for old, new in pairs if isinstance(old, FunctionType | BuiltinFunctionType | type)}
    for name, module in list(sys.modules.items()):
        if module is None or not (name == _ROOM or name.startswith(f"{_ROOM}.")):
            continue
        for holder in _holders(module, name):
            for attribute, value in list(vars(holder).items()):
                _follow_in(holder, attribute, value, known)
                if name in _KEEPING:
                    _forget(value)


def _holders(module: Any, name: str) -> Iterable[Any]:
    yield module
    for value in list(vars(module).values()):
        if isinstance(value, type) and value.__module__ == name:
            yield value


def _follow_in(holder: Any, attribute: str, value: Any, known: dict[int, Any]) -> None:
    if id(value) in known:
        setattr(holder, attribute, known[id(value)])
    elif isinstance(value, staticmethod) and id(value.__func__) in known:
        new = known[id(value.__func__)]
        before = _methods.pop((id(holder), attribute), None)
        if before is not None and before.__func__ is new:  # back to torch's own
            setattr(holder, attribute, before)
        else:
            _methods[id(holder), attribute] = value
            setattr(holder, attribute, staticmethod(new))
    elif isinstance(value, dict) and any(id(key) in known for key in value):
        items = [(known.get(id(key), key), item) for key, item in value.items()]
        value.clear()
        value.update(items)
    elif isinstance(value, list):
        value[:] = [known.get(id(item), item) for item in value]
    elif isinstance(value, set):
        for item in [item for item in value if id(item) in known]:
            value.remove(item)
            value.add(known[id(item)])


def _forget(value: Any) -> None:
    clear = getattr(getattr(value, "__func__", value), "cache_clear", None)
    if callable(clear):
        clear()
