"""Memory that a vendor's function works in: which other function says how much, and what it is asked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from torchfl_sdk.header.model import CType, Function
from torchfl_sdk.match.handles import variable_type
from torchfl_sdk.match.recognise.parts import Part
from torchfl_sdk.match.tokens import split, words
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.compose import choose, planned
from torchfl_sdk.scaffold.compose.code import returns_status
from torchfl_sdk.scaffold.compose.composer import Composer
from torchfl_sdk.scaffold.kernel_plan import NotGenerated

#: Letters that verbs and their nouns have in common.
_STEM = 5
#: How functions are called that say how much memory another one works in.
_SIZE = re.compile(r"(?:workspace|workbuffer|scratch(?:pad|space|buffer)?|buffer|temp(?:storage|buffer))(?:size|bytes)")
_ROOM = frozenset(words("workspace scratch scratchpad workbuffer tempstorage temporary"))
_ASKS = frozenset(words("query get calculate compute estimate size bytes needed need required require requirement"))
_VERSION = re.compile(r"v\d+")
#: What a question for many ops at once is called, by their kind.
_KINDS: dict[str, frozenset[str]] = {
    "unary": frozenset(words("unary elementwise eltwise pointwise")),
    "copy": frozenset(words("unary elementwise eltwise pointwise cast convert")),
    "binary": frozenset(words("binary elementwise eltwise pointwise")),
    "ternary": frozenset(words("ternary elementwise eltwise pointwise")),
    "reduce": frozenset(words("reduce reduction reductions")),
    "arg_reduce": frozenset(words("reduce reduction reductions")),
    "softmax": frozenset(words("softmax")),
    "matmul": frozenset(words("matmul gemm")),
    "pool": frozenset(words("pool pooling")),
    "norm": frozenset(words("norm normalization normalisation")),
    "conv": frozenset(words("conv convolution")),
}
_ANY = frozenset(words("op ops operator any generic common kernel kernels"))


def names(composer: Composer, roles: Mapping[str, str]) -> str:
    """Names for the workspace's size and memory, if the function takes one; the name of the size."""
    if "workspace" not in roles.values():
        return ""
    bytes_name = composer.code.name("workspace_bytes")
    composer.code.names.add("workspace")
    composer.objects["workspace"], composer.objects["workspace_size"] = "workspace.data()", bytes_name
    return bytes_name


def query(composer: Composer, function: Function, given: Mapping[str, str], size: str) -> None:
    """Ask how large the workspace must be, and reserve it. ``given``: the function's arguments by their names.

    By the function that is named after this one, else by the one that is named after ops of its kind.
    """
    asking = [f for f in composer.model.functions if _asks(composer, f)]
    own = {w for w in split(function.name) if not _VERSION.fullmatch(w)} - {"forward", "fwd", "tensor"} - planned.RUNS
    named = [f for f in asking if all(_has(split(f.name), w) for w in own)]
    # ``MatMulScratchQuery`` has the words of ``Mul``, too: what says nothing else comes first.
    alone = [f for f in named if not {w for w in split(f.name) if w not in _ROOM | _ASKS} - own]
    found = next(iter(alone), None) or _of_kind(composer, function, asking, given)
    if found is None:
        found = min(named, key=lambda f: len(split(f.name)), default=None)
    if found is None:
        raise NotGenerated("nothing says how large its workspace must be")
    _ask(composer, found, given, size)
    planned.reserve(composer, size)


def _of_kind(
    composer: Composer, function: Function, asking: Sequence[Function], given: Mapping[str, str]
) -> Function | None:
    """The question that is named after the op's kind, or after no op, and takes nothing that this function does not."""
    known = {_base(name) for name in given}
    own = split(function.name)
    kind = _KINDS.get(composer.kind, frozenset())
    found = []
    for f in asking:
        about = {w for w in split(f.name) if w not in _ROOM | _ASKS and w not in own[:1]}
        parts = [p for p in composer.makers.parts.of(f) if p.sort not in ("handle", "stream")]
        plain = [p for p in parts if _place(p.param.type) is None]
        if about <= kind | _ANY and all(_base(p.name) in known for p in plain):
            found.append(f)
    return max(found, key=lambda f: (bool(set(split(f.name)) & kind), len(f.params)), default=None)


def _ask(composer: Composer, asked: Function, given: Mapping[str, str], size: str) -> None:
    arguments = []
    by_base = {_base(name): text for name, text in given.items()}
    place = None
    for p in composer.makers.parts.of(asked):
        if (inner := _place(p.param.type)) is not None:
            place = inner
            arguments.append(f"&{size}")
        elif constant := _selected(composer, p):
            arguments.append(constant)
        elif p.name in given or _base(p.name) in by_base:
            arguments.append(given.get(p.name) or by_base[_base(p.name)])
        else:
            role = composer.roles(asked).get(p.name, "")
            arguments.append(composer.argument(asked, p, role, ""))
    if place is not None:
        composer.code.add(f"{variable_type(place)} {size} = 0;")
        composer.code.call(asked, arguments)
        return
    if not _returns(composer, asked):
        raise NotGenerated(f"{asked.name} gives no size")
    composer.code.use(asked)
    head = f"const {variable_type(asked.result)} {size} = vendor::{asked.name}"
    composer.code.add(cxx.call(head, arguments, ";", 2))


def _place(t: CType) -> CType | None:
    """What a place for a size holds; None for any other parameter."""
    inner = t.pointee if t.kind == "pointer" else None
    return inner if inner is not None and inner.kind == "int" and not inner.const else None


def _returns(composer: Composer, function: Function) -> bool:
    """True for a function that gives the size back as its result."""
    return function.result.kind == "int" and function.result.bits >= 32 and not returns_status(
        function, composer.makers.status
    )  # fmt: skip


def _asks(composer: Composer, function: Function) -> bool:
    name = split(function.name)
    if _SIZE.search("".join(name)):
        return True
    gives = any(_place(p.type) is not None for p in function.params) or _returns(composer, function)
    takes = any(r == "workspace" for r in composer.roles(function).values()) if gives else True
    return gives and not takes and bool(set(name) & _ROOM) and bool(set(name) & _ASKS)


def _selected(composer: Composer, part: Part) -> str:
    """The constant that makes the function compute this op, where a question takes it beside the object with it."""
    return next(
        (constant for name, constant in composer.constants.items() if name.rpartition(": ")[2] == part.name
         and constant in choose.constants(composer.model, part.param.type)), "",
    )  # fmt: skip


def _has(words: Sequence[str], word: str) -> bool:
    """True if a word is there, perhaps as a noun: ``reduce`` and ``reduction``."""
    return word in words or (len(word) > _STEM and any(w[:_STEM] == word[:_STEM] for w in words))


def _base(name: str) -> str:
    return "".join(w for w in split(name) if w not in ("desc", "descriptor", "dest"))
