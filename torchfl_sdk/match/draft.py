"""What a calling style returns for one function and one op: a call to keep, or the reason why not."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from torchfl.catalogue import OpSpec
from torchfl_sdk.header.model import Function, HeaderModel
from torchfl_sdk.match.arguments import Parameter
from torchfl_sdk.match.model import Argument, Call, Source, StatusType
from torchfl_sdk.match.tokens import Reading, split


@dataclass(frozen=True)
class Candidate:
    """A function that may serve an op, with everything the styles look at."""

    model: HeaderModel
    status: StatusType
    function: Function
    op: OpSpec
    reading: Reading
    parameters: tuple[Parameter, ...]
    roles: Mapping[str, str] = field(default_factory=dict)  # argument -> what the recogniser takes it for

    @property
    def source(self) -> Source:
        return Source(self.model.short(self.function.place.file), self.function.place.line)

    def argument(self, parameter: Parameter, role: str, **more: object) -> Argument:
        """The argument for a parameter; unnamed ones are called by position."""
        name = parameter.name or f"arg{parameter.index}"
        return Argument(name, parameter.param.type.spelled, role, **more)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Refusal:
    """Why a function does not serve an op. ``near``: the name fits, so this reason beats "no op is called that"."""

    reason: str


def lacks_results(op: OpSpec) -> Refusal:
    """For a function of an op's first result where the op's caller gets all."""
    return Refusal(f"gives no {' and no '.join(op.outputs[1:])}, which {op.name} gives to its caller")


QUEUE = Refusal("runs in a queue that the caller passes: queues are not generated yet")


@dataclass(frozen=True)
class Draft:
    """A call that serves an op, and what its signature proves about the op."""

    call: Call
    style: str
    confidence: float
    evidence: tuple[str, ...]
    stem: str
    constraints: tuple[tuple[str, tuple[int | float | str, ...]], ...] = ()
    unverified: tuple[str, ...] = ()
    layout: str = "contiguous"
    inplace: bool = False
    first_output: bool = False  # of the op's several results it gives the first alone
    int8_zero_point: int = 0  # it is given int8 tensors as uint8 with this zero point


@dataclass
class Evidence:
    """Collects sentences and multiplies their weight: what was read from a name counts less than what a type says."""

    sentences: list[str] = field(default_factory=list)
    confidence: float = 1.0

    def say(self, sentence: str, weight: float = 1.0) -> None:
        self.sentences.append(sentence)
        self.confidence *= weight


def returns(candidate: Candidate) -> str | Refusal:
    """How a function reports: "status", "void", or a refusal for a value that torchfl cannot take."""
    result = candidate.function.result
    if result.kind == "void":
        return "void"
    status = candidate.status
    if status.of(result) is not None:
        return "status"
    if status.ctype and result.kind == "enum":
        enum = candidate.model.enums.get(result.name)
        if enum is not None and status.ctype in enum.typedefs:
            return "status"
    return Refusal(f"returns its result ({result.spelled}) on the host; only results in device memory are generated")


def said_order(comment: str) -> tuple[bool, bool]:
    """Whether a comment speaks of row-major matrices, and whether of column-major ones."""
    row = re.search(r"\brow[- ]?major", comment, re.I)
    return bool(row), bool(re.search(r"\bcol(?:umn)?[- ]?major", comment, re.I))


_ZERO_POINT = frozenset(("zeropoint", "zp", "zeropt"))


def zero_points(parameters: Sequence[Parameter], dtypes: Collection[str]) -> tuple[dict[int, str], int]:
    """The C value of every argument that is a zero point, and the one that makes a uint8 kernel serve int8.

    PyTorch's integer tensors have none: 0 is passed, which makes the function plain. Where it takes uint8 and not int8,
    128 makes it compute on int8 values, which every chip that has such arguments can do.
    """
    found = [
        p.index
        for p in parameters
        if p.sort in ("int", "float") and ("".join(p.words[-2:]) in _ZERO_POINT or p.words[-1:] == ("zp",))
    ]
    shifted = 128 if found and "uint8" in dtypes and "int8" not in dtypes else 0
    return dict.fromkeys(found, str(shifted)), shifted


def missing_attributes(
    op: OpSpec, given: Collection[str], function: Function
) -> tuple[tuple[tuple[str, tuple[int | float | str, ...]], ...], str]:
    """Constraints for the attributes that a function has no argument for, and the name of one it cannot do without.

    A choice is the one that the function's name says: ``gelu_tanh``.
    """
    said = set(split(function.name))
    constraints: list[tuple[str, tuple[int | float | str, ...]]] = []
    for attr in op.attrs:
        if attr.name in given or not attr.is_variable or attr.kind == "dtype":  # the result's own says it
            continue
        if attr.default is None:
            return (), attr.name
        value = attr.default if isinstance(attr.default, tuple) else (attr.default,)
        value = next(((choice,) for choice in attr.choices if choice in said), value)
        if attr.kind in ("int_list", "bool", "int", "choice") or abs(float(value[0])) != float("inf"):
            constraints.append((attr.name, tuple(int(v) if isinstance(v, bool) else v for v in value)))
    return tuple(constraints), ""


def unverified_attributes(op: OpSpec, given: set[str]) -> tuple[str, ...]:
    """Integer attributes and choices passed to the chip: their limits are in no header, nor which number means what.
    Floating scalars are taken as they are."""
    return tuple(a.name for a in op.attrs if a.name in given and a.kind in ("int", "int_list", "bool", "choice"))
