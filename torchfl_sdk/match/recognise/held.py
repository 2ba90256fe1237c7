"""Objects that hold an op's operands, and the functions that run one each: ``exec_relu(node *)``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from torchfl_sdk.header.model import Function
from torchfl_sdk.match.recognise.induction import carried
from torchfl_sdk.match.recognise.names import Naming
from torchfl_sdk.match.tokens import split

_RUNS = ("run", "execute", "exec", "launch", "invoke", "forward", "compute", "eval")
_TWOS = 3  # such functions called after ops of two operands and "2"
_LEAST = 4  # functions called after ops that run an object of one type


def sole_object(function: Function) -> str:
    """The name of the type of the only argument, where that is a pointer or a reference to an object that is written
    and nothing but a status comes back; or ""."""
    if len(function.params) != 1 or function.params[0].type.pointee is None:
        return ""
    type_ = function.params[0].type
    inner = type_.pointee
    if inner is None or inner.kind not in ("struct", "union", "void") or inner.const:
        return ""
    if function.result.kind not in ("void", "int", "enum", "bool") and not function.result.unresolved:
        return ""
    return next(iter(carried(type_)), "")


def runs(function: Function, naming: Naming | None) -> bool:
    """Whether a name says that an op is run: ``exec_relu``, ``relu_forward``."""
    if naming is None or not (naming.words or naming.families):
        return False
    said = split(function.name.partition("(")[0].rpartition("::")[2])
    return naming.protocol in _RUNS or bool({*said[:1], *said[-1:]} & set(_RUNS))


def _of_two(function: Function, naming: Naming | None) -> bool:
    """True for ``exec_add2``."""
    words_ = naming.words if naming is not None else ()
    return function.name.endswith("2") and bool(words_) and words_[0].kind == "binary"


class Held:
    """The types of which functions called after ops run one object each, and how many do."""

    def __init__(
        self, named: Iterable[tuple[Function, Naming | None]] = (), functions: Iterable[Function] = ()
    ) -> None:
        """``functions``: all of the header. What one of them takes two of carries an operand, not all of them."""
        run: dict[str, set[str]] = {}
        twos = 0
        for function, naming in named:
            if (name := sole_object(function)) and runs(function, naming):
                run.setdefault(name, set()).add(naming.key if naming is not None else "")
                twos += _of_two(function, naming)
        taken = [Counter(n for p in f.params for n in carried(p.type)) for f in functions]
        several = {name for counts in taken for name, count in counts.items() if count > 1}
        self._counts = Counter({n: len(keys) for n, keys in run.items() if len(keys) >= _LEAST and n not in several})

        self._twos = twos >= _TWOS

    def without_count(self, name: str) -> str:
        """A name without the number of its operands, where a header writes that behind ops of two: ``add2``."""
        return name[:-1] if self._twos and re.search(r"[A-Za-z]2$", name) else name

    def sentence(self, function: Function, naming: Naming) -> str:
        """What shows that a function runs an object which holds its operands, or ""."""
        name = sole_object(function)
        if not self._counts[name] or not runs(function, naming):
            return ""
        return f"{self._counts[name]} functions run one {name} each, which holds their operands"
