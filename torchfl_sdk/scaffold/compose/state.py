"""What is known while the calls of one kernel are written: the op, the code so far, the objects that it has."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

from torchfl.catalogue import OpSpec
from torchfl_sdk.header.model import CType, Function
from torchfl_sdk.match.model import OpMatch
from torchfl_sdk.match.recognise import scalars
from torchfl_sdk.match.recognise.parts import Part
from torchfl_sdk.match.vocabulary import WORDS, Word
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.compose.code import Code
from torchfl_sdk.scaffold.compose.helper import Helper, add_texts
from torchfl_sdk.scaffold.compose.makers import Makers
from torchfl_sdk.scaffold.compose.values import Attributes
from torchfl_sdk.scaffold.kernel_plan import NotGenerated

#: Roles of the matcher that are tensors of an op.
TENSORS = ("input", "input2", "input3", "weight", "bias", "output", "inout")
#: What has been found so far, beside the code.
_STATE = (
    "helpers",
    "covered",
    "tensors",
    "objects",
    "dtypes",
    "constraints",
    "channels_last",
    "broadcast",
    "_parameters",
)


class State(ABC):
    """``objects``: variables by the role, the parameter or the kind of object that they are for."""

    def __init__(self, makers: Makers, match: OpMatch, op: OpSpec, known: Mapping[str, OpMatch]) -> None:
        self.makers, self.match, self.op, self.known = makers, match, op, known
        self.model = makers.model
        self.word = word_of(match)
        self.kind = self.word.kind if self.word else ""
        if self.kind == "arg_reduce" and op.output_kinds == ("common",):
            self.kind = "reduce"  # the value alone
        self.attributes = Attributes(op)
        self.code = Code(makers.status, names={*op.inputs, "out", "call"})
        self.helpers: list[str] = []
        self.covered: set[str] = set()
        self.tensors: set[str] = set()
        self.objects: dict[str, str] = {}
        self.waited: set[str] = set()  # kinds of the thread's objects that the kernel has waited for
        self.dtypes: set[str] | None = None
        self.constraints: dict[str, tuple[int, ...]] = {}
        self.channels_last = False  # its images have their channels innermost
        self.broadcast = False  # it takes a second operand of one element as a number
        self.constants = dict(match.constants)
        self._parameters = 0

    def tensor(self, role: str) -> str:
        """The C++ variable of the tensor that a role of the matcher means; "" for an optional one that is not there."""
        inputs = self.op.inputs
        if role in ("output", "inout"):
            return "out"
        if role in inputs:
            return role
        if role == "indices" and self.index:
            return self.index
        plain = [i for i in inputs if self.op.input_kind(i) == "common"]
        if self.kind == "matmul" and len(plain) == 3:  # what is added comes first to PyTorch
            added = ("bias", "input", "input2") if role != "weight" else ("bias", "input", "weight")
            return plain[added.index(role)] if role in added else self._no_tensor(role)
        if role == "bias":
            return ""
        positions = {"input": 0, "input2": 1, "input3": 2}
        if role == "weight" and self.kind in ("matmul", "linear") and len(inputs) > 1:
            return inputs[1]
        if role in positions and positions[role] < len(plain):
            return plain[positions[role]]
        return self._no_tensor(role)

    def _no_tensor(self, role: str) -> str:
        raise NotGenerated(f"{self.op.name} has no tensor for the role {role!r}")

    @property
    def index(self) -> str:
        """The op's tensor of indices; "" for an op that has none."""
        return next((i for i in self.op.inputs if self.op.input_kind(i) == "index"), "")

    @property
    def subject(self) -> str:
        """The tensor that has the dtype in which the op computes."""
        return "out" if self.op.output_kinds[0] == "common" else self.op.inputs[0]

    def use(self, helper: Helper) -> None:
        add_texts(self.helpers, helper)
        self.code.used += [u for u in helper.used if u not in self.code.used]

    def limit(self, dtypes: Sequence[str]) -> None:
        """The call serves no other dtypes than these."""
        known = {d for d in dtypes if d in self.op.dtypes}
        self.dtypes = known if self.dtypes is None else self.dtypes & known

    def arguments(self, function: Function, roles: Mapping[str, str], own: str = "") -> list[str]:
        """The arguments of a call in C order. ``own``: the key of the object that the function makes or fills."""
        parts = self.makers.parts.of(function)
        return [self.argument(function, p, roles.get(p.name, ""), own) for p in parts]

    @abstractmethod
    def argument(self, function: Function, part: Part, role: str, own: str) -> str:
        """One argument of a vendor call, as C++. Raises :class:`NotGenerated` where nothing says what it is."""

    @abstractmethod
    def made(self, key: str, part: Part) -> str:
        """A variable with an object of this kind that holds what the op's attributes say."""

    def roles(self, function: Function, found: Mapping[str, str] | None = None) -> dict[str, str]:
        """What the matcher says about a function's arguments, and where it says nothing, what their names say."""
        parts = self.makers.parts.of(function)
        match = self.match if function.name == self.match.function else self.known.get(function.name)
        roles = dict(match.arguments) if match is not None else {}
        roles |= found or {}
        names = {p.base: roles[p.name] for p in parts if roles.get(p.name) in TENSORS}
        for p in parts:
            if not roles.get(p.name):
                named = p.sort in ("handle", "out_handle", "stream")
                roles[p.name] = scalars.handle_role(p) if named else scalars.scalar_role(p, self.kind, names)
        return roles

    def of_objects(self, function: Function) -> bool:
        """True for a function whose tensors are objects, or described by some."""
        return any(p.sort in ("tensor", "desc") for p in self.makers.parts.of(function))

    def save(self) -> dict[str, Any]:
        """What a failed attempt must not change; :meth:`restore` takes it as often as needed."""
        state = {name: copy(getattr(self, name)) for name in _STATE}
        return state | {"code": replace(self.code, lines=list(self.code.lines), used=list(self.code.used),
                                        names=set(self.code.names))}  # fmt: skip

    def restore(self, saved: dict[str, Any]) -> None:
        for name in _STATE:
            setattr(self, name, copy(saved[name]))
        code = saved["code"]
        self.code.lines, self.code.used, self.code.names = list(code.lines), list(code.used), set(code.names)


def word_of(match: OpMatch) -> Word | None:
    """The vocabulary's word of a match."""
    found = [w for w in WORDS if match.aten in (w.aten, w.scalar, w.inplace, *w.alternatives)]
    return next((w for w in found if w.aten == match.aten), found[0] if found else None)


def variable(name: str) -> str:
    """A parameter's name as a local variable: ``xDesc`` -> x_desc."""
    text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().strip("_")
    return text if text.isidentifier() else "value"


def as_type(t: CType, text: str) -> str:
    bare = cxx.bare(t.spelled)
    return text if bare == "double" or text in ("0", "1") else f"static_cast<{bare}>({text})"


def is_const(part: Part) -> bool:
    return part.param.type.pointee is not None and part.param.type.pointee.const
