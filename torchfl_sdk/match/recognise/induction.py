"""Which types carry tensors, told by counting: functions named after ops take as many of them as the ops have operands.

Over a whole header, one operand more for ops of two operands than for those of one is no accident; a context, a queue
or an options struct is passed once. Names of types and arguments make no carrier; they only take one back, as where a
type holds a permutation or nothing speaks of many elements.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from torchfl_sdk.header.model import CType, Function, HeaderModel, Struct
from torchfl_sdk.match.elements import element_dtype
from torchfl_sdk.match.recognise.names import Naming
from torchfl_sdk.match.recognise.objects import CONTEXT, DESC, GRAPH, OPERATOR, STREAM, TENSOR
from torchfl_sdk.match.recognise.part import Part
from torchfl_sdk.match.tokens import split, words
from torchfl_sdk.match.vocabulary.arguments import ATTRIBUTES, OUTPUT

RETURNED, WRITTEN = "return the result", "write it to one more"
_LEAST = 4  # functions that must agree
_SHARE, _SHARE_OF_MANY = 0.7, 0.5  # of those that take the type, where few agree and where many do
_MANY_AGREE = 10
_SMALL = 20  # functions named after ops below which a header is too small to count everything
_EACH = 0.6  # of those of one number of operands
_KINDS = ("unary", "binary", "ternary", "matmul", "shape", "softmax", "copy", "vcopy", "dot")
_TO_ONE = ("dot", "reduce", "vector_reduce")
_BLAS = ("gemm", "gemv", "ger", "axpy", "trsm")
#: First words that do not keep a function from computing an op at once.
_LAUNCHES = ("", "run", "execute", "exec", "launch", "invoke")
_STANDARD = re.compile(
    r"_*u?int(?:_fast|_least)?\d*_t|s?size_t|ptrdiff_t|u?intptr_t|u?int|u?long|u?short|u?char|bool|byte"
)
_REGISTER = re.compile(r"__?m\d+\w*|\w+\d+x\d+\w*_t|v?simd\w*|sv\w+_t|__v\d+\w+", re.I)
_KNOWN = re.compile(f"{_STANDARD.pattern}|{_REGISTER.pattern}", re.I)
_OF_CONST = re.compile(r"^[\w:]+<\s*const\b")  # a view of what must not be written
_NAME = re.compile(r"[A-Za-z_][\w:]*")
_PLAIN = frozenset(
    words("const volatile struct class union enum typename unsigned signed void bool char short int long float double "
          "true false auto")
)  # fmt: skip
#: Words of types that are no tensors although functions of algebra take them.
_NEVER = frozenset(
    words("perm permutation stream queue event context status error command commands cmd builder graph network session")
)
_NO_OPERANDS = DESC | STREAM | CONTEXT | OPERATOR | GRAPH | frozenset(
    words("event comm communicator function kernel attr parameter params options config error status")
)  # fmt: skip
#: Ops that relate the elements of one operand; and those that numbers of several parts have too.
_MANY = words("""reduce arg_reduce vector_reduce matmul conv pool softmax norm linear attention list shape transpose
    sort select index resize gemm gemm_batched gemv ger geam trsm dot axpy rnn dropout""")
_OF_POINTS = ("aten::norm", "aten::linalg_vector_norm")
_EXTENTS = frozenset(
    words("axis axes dims ndim ndims shape shapes strides rank numel rows cols columns reshape height batch elements")
)
_COLLECTIONS = TENSOR | frozenset(words("vec vector signal column grid volume batch series field expr expression view"))
_FACTORS = (("alpha",), ("beta",))  # numbers, though they may be passed as tensors
_IDENTIFIES = frozenset(words("id handle index uid ref idx slot kind"))


@dataclass(frozen=True)
class Carrier:
    """A type that carries tensors, and how its functions give their results."""

    name: str
    convention: str
    fits: int  # functions whose count follows the op
    of: int  # functions named after such ops that take it
    place: str = ""  # "first" or "last": which of several the result is, where others of the header tell
    level: int = 0  # pointers that lead to one of its tensors
    describes: bool = False  # it stands beside the data, and says what lies there
    together: bool = False  # too few functions for more: some take several of it
    kinds: tuple[str, ...] = ()  # the types that were counted together, of vectors and of matrices

    @property
    def sentence(self) -> str:
        what = " or ".join(self.kinds) or self.name
        if self.together:
            return f"{self.fits} functions take several {what} at once"
        if self.describes:
            return f"{self.fits} of {self.of} functions named after ops take a {what} for each pointer"
        said = f"{self.fits} of {self.of} functions named after ops take as many {what} as their op has operands"
        return f"{said} and {self.convention}"


@dataclass(frozen=True)
class Weak:
    """What says that a type carries tensors, where it is too little."""

    count: int = 0  # functions that say so
    reason: str = ""


@dataclass
class Induced:
    """The carriers of a header by name; what was said of types that too few functions speak for."""

    carriers: dict[str, Carrier] = field(default_factory=dict)
    weak: dict[str, str] = field(default_factory=dict)

    def of(self, type_: CType) -> Carrier | None:
        return next((self.carriers[n] for n in carried(type_) if n in self.carriers), None)


@dataclass(frozen=True)
class Named:
    """A function that a name gives to ops of one number of operands."""

    function: Function
    parts: tuple[Part, ...]
    arity: int  # 0 where the name leaves it open
    many: int = 0  # operands that every op has which the name may mean, where all work on many elements


def arity(naming: Naming, function: Function) -> int:
    """How many tensors every op reads that a name may mean; 0 where they differ or a number may stand for one."""
    usable = not (naming.loose or naming.backward or naming.constant or naming.friend)
    meant = naming.words or naming.rare
    usable = usable and bool(meant) and naming.protocol in _LAUNCHES
    if usable and gives_number(function):
        counts = {len(w.required) for w in meant if w.kind in _TO_ONE}
        return counts.pop() if len(counts) == 1 else 0
    blas = [w for w in meant if w.kind in _BLAS and w.outputs == ("inout",)]
    if usable and len(meant) == len(blas):
        counts = {len(w.all_inputs) for w in blas}
        return counts.pop() if len(counts) == 1 else 0
    if not usable or any(w.kind not in _KINDS for w in meant):
        return 0
    numbers = any(innermost(p.type).kind == "float" for p in function.params)
    counts = {n for w in meant for n in (len(w.required), len(w.all_inputs))}
    return 0 if len(counts) != 1 or (numbers and counts != {1}) else counts.pop()


def many(naming: Naming | None) -> int:
    """How many tensors the ops read that a name may mean, if all relate elements of one operand to each other."""
    meant = (naming.words or naming.rare) if naming is not None else ()
    if not meant or any(w.kind not in _MANY or w.aten in _OF_POINTS for w in meant):
        return 0
    return min(len(w.required) for w in meant)


def gives_number(function: Function) -> bool:
    """Whether a function returns a number in floating point, for which it needs no tensor."""
    return function.result.kind == "float"


def innermost(type_: CType) -> CType:
    """What the last pointer or reference of a type leads to."""
    while type_.pointee is not None:
        type_ = type_.pointee
    return type_


@lru_cache(maxsize=65536)
def carried(type_: CType) -> tuple[str, ...]:
    """Names of what a type may carry, outermost first: without const, pointers, references and typedefs; of templates
    the template and its arguments."""
    alias, inner = "", type_
    while inner.pointee is not None and inner.kind in ("pointer", "array", "other"):
        alias = inner.aliases[0] if inner.kind == "pointer" and inner.aliases else alias
        inner = inner.pointee
    if inner.kind == "void":
        return (alias,) if alias else ()
    if inner.kind == "int":
        own = next((a for a in inner.aliases if not _STANDARD.fullmatch(a)), "")
        return (own,) if own and not element_dtype(inner) else (own,) if own and inner.bits >= 32 else ()
    if inner.kind not in ("struct", "union", "other") or "__attribute__" in inner.canonical:
        return ()
    text = re.sub(r"type-parameter-\d+-\d+", "", inner.name or inner.canonical)
    found = [n.rpartition("::")[2] for n in _NAME.findall(text) if not n.startswith(("std::", "__gnu"))]
    return tuple(dict.fromkeys(n for n in found if n and n not in _PLAIN and not _KNOWN.fullmatch(n)))


def depth(type_: CType) -> int:
    """How many pointers lead to what a type carries; a typedef of a pointer is none."""
    steps = 0
    while type_.kind == "pointer" and not type_.aliases and type_.pointee is not None:
        steps, type_ = steps + 1, type_.pointee
    return steps


def read_only(type_: CType) -> bool:
    """Whether a pointer or reference leads to something const."""
    return (type_.pointee is not None and type_.pointee.const) or _OF_CONST.search(type_.spelled) is not None


def induce(model: HeaderModel, named: Iterable[Named]) -> Induced:
    """The types that carry tensors in functions whose names give them to ops."""
    found = Induced()
    users: dict[str, list[Named]] = defaultdict(list)
    rank: dict[str, int] = {}
    every = list(named)
    for entry in every:
        for param in entry.function.params if entry.arity else ():
            for position, name in enumerate(carried(param.type)):
                rank[name] = min(rank.get(name, position), position)
                if entry not in users[name][-1:]:
                    users[name].append(entry)
    several = {n for e in every for n in _of_many(e)}
    numbers = {n for n, s in _structs(model).items() if _is_number(s)}
    partly: list[str] = []  # too few functions speak for them alone
    for name in sorted(users, key=lambda n: (-len(users[n]), rank[n], n)):
        if name in numbers or _NEVER & set(split(name)) or _inside(name, users[name], found.carriers):
            continue
        told = _tell((name,), users[name], found.carriers)
        if isinstance(told, Carrier) and not _holds_many(name, several, told):
            told = Weak(1, f"nothing says that {name} has more than one element")
        if isinstance(told, Carrier):
            found.carriers[name] = told
        elif told.count:
            found.weak[name] = told.reason
            partly += [name] if told.count > 1 else []
    kinds = [n for n in partly if not _inside(n, users[n], {m: None for m in partly if m != n and rank[m] < rank[n]})]
    if len(kinds) > 1 and not found.carriers:  # of vectors and of matrices: each alone says little
        told = _tell(tuple(kinds), list({id(e): e for n in kinds for e in users[n]}.values()), {})
        if isinstance(told, Carrier):
            found.carriers |= {n: replace(told, name=n, kinds=tuple(kinds)) for n in kinds}
    few = {n for n in found.weak if len({e.arity for e in users[n]}) < 2 or len(users[n]) < _LEAST}
    called = [e.function for e in every if e.arity or e.many]
    spoken = Counter(n for f in called for n in {c for p in f.params for c in carried(p.type)})
    for name, count in _taken_together(model).items() if len(called) < _SMALL else ():
        if name not in found.carriers and (name in few or name not in found.weak) and spoken[name] >= _LEAST - 1:
            found.carriers[name] = Carrier(name, WRITTEN, count, count, together=True)
    return found


def _of_many(entry: Named) -> set[str]:
    """Types of which a function takes as many as an op on many elements needs, or which it takes beside an extent."""
    function = entry.function
    held = [carried(p.type) for p in function.params]
    names = {n for names in held for n in names}
    said = {w for p in function.params for w in split(p.name)} | set(split(function.name))
    if said & _EXTENTS:
        return names
    given = set(carried(function.result))
    room = entry.many + (0 if gives_number(function) else 1)
    return {n for n in names if entry.many and sum(n in h for h in held) + (n in given) >= room}


def _holds_many(name: str, several: Collection[str], told: Carrier) -> bool:
    """Whether anything tells tensors from numbers of any length, polynomials or terms, which are added alike."""
    return told.describes or name in several or bool(set(split(name)) & _COLLECTIONS)


def _taken_together(model: HeaderModel) -> dict[str, int]:
    """Opaque types of which functions take several objects, and how many do: all that few functions can say.

    A context, a queue or a descriptor is passed once.
    """
    counts: Counter[str] = Counter()
    spelled: dict[str, set[str]] = defaultdict(set)
    for function in model.functions:
        opaque = [p.type for p in function.params if p.type.kind == "pointer" and p.type.aliases]
        held = [n for t in opaque if t.pointee is not None and t.pointee.kind in ("struct", "void") for n in carried(t)]
        for type_ in opaque:
            for name in carried(type_):
                spelled[name] |= set(split(type_.aliases[0].removesuffix("_t")))
        counts.update(n for n in set(held) if held.count(n) > 1)
    return {
        n: c for n, c in counts.items()
        if c > 1 and (not spelled[n] & _NO_OPERANDS or ("tensor" in spelled[n] and not spelled[n] & DESC))
    }  # fmt: skip


def _tell(names: tuple[str, ...], users: Sequence[Named], known: Mapping[str, Carrier]) -> Carrier | Weak:
    """The carrier that types are, or how little says so."""
    fitting: dict[str, dict[str, int]] = {RETURNED: {}, WRITTEN: {}}  # convention -> function that fits -> operands
    speak: dict[str, int] = {}
    places: Counter[str] = Counter()
    levels: Counter[int] = Counter()
    beside: set[str] = set()
    inline: set[str] = set()
    for entry in users:
        plain, operands = entry.function.name.partition("(")[0], entry.arity
        every = [p for p in entry.parts if _is(p.param.type, names, known) and p.words not in _FACTORS]
        own = [p for p in every if not p.param.default] or every  # what may be left out is no operand of every call
        plainly = [p for p in own if p.joined not in ATTRIBUTES]
        own = plainly if len(own) > operands and len(plainly) >= operands else own
        others = [p for p in entry.parts if p.sort in ("data", "list", "tensor") and p not in every]
        speak[plain] = max(operands, speak.get(plain, 0))
        if others:
            described = len(others) == len(own) > 1 and all(innermost(p.param.type).kind != "int" for p in own)
            beside |= {plain} if described else set()
            continue
        before = sum(_is(p.param.type, (), known) for p in own)  # those that are known fit alone
        returned = _is(entry.function.result, names, known) and entry.function.result.kind != "int"
        if returned and len(own) == operands > before:
            fitting[RETURNED][plain] = operands
            values = all(p.param.type.pointee is None for p in own) and entry.function.result.pointee is None
            inline |= {plain} if values and (entry.function.inline or entry.function.defined) else set()
        levels.update(depth(p.param.type) for p in own)
        alone = (operands == 1 and not returned) or gives_number(entry.function)
        if len(own) == operands + 1 > before or (len(own) == operands > before and alone):
            fitting[WRITTEN][plain] = operands
            place = _place(own) if len(own) > operands else ""
            places.update([place] if place else [])
    if len(beside) >= _LEAST and len(beside) >= _SHARE * len(speak):
        return Carrier(names[0], WRITTEN, len(beside), len(speak), describes=True)
    convention = max(fitting, key=lambda c: len(fitting[c]))
    fits = fitting[convention]
    if not fits or (known and convention not in {c.convention for c in known.values()}):
        return Weak()
    if 2 * len(inline) > len(fits):
        return Weak(1, f"functions that are inline take and give {names[0]} by value, as they do numbers")
    share = _SHARE_OF_MANY if len(fits) >= _MANY_AGREE else _SHARE
    each = min(share, _EACH)
    agreeing = [n for n in set(fits.values()) if sum(k == n for k in fits.values()) >= each * sum(
        k == n for k in speak.values())]  # fmt: skip
    if len(fits) < _LEAST or len(fits) < share * len(speak) or len(agreeing) < 2:
        what = " or ".join(names)
        said = f"{len(fits)} of {len(speak)} functions named after ops take as many {what} as operands: too few"
        return Weak(len(fits), said)
    side = places.most_common(1)[0][0] if places and 2 * max(places.values()) > sum(places.values()) else ""
    return Carrier(names[0], convention, len(fits), len(speak), side, levels.most_common(1)[0][0])


def _is(type_: CType, names: Collection[str], known: Collection[str]) -> bool:
    return any(n in names or n in known for n in carried(type_))


def _inside(name: str, users: Sequence[Named], known: Collection[str]) -> bool:
    """True for a name that mostly stands within the template of a carrier."""
    held = [carried(p.type) for e in users for p in e.function.params if name in carried(p.type)]
    return 2 * sum(any(n in known for n in names) for names in held) > len(held)


def _place(own: Sequence[Part]) -> str:
    """Where the result stands, by what may be written, by addresses of results, or by names."""
    levels = [depth(p.param.type) for p in own]
    written = [i for i, p in enumerate(own) if p.param.type.pointee is not None and not read_only(p.param.type)]
    deepest = [i for i, level in enumerate(levels) if level == max(levels)]
    called = [i for i, p in enumerate(own) if p.base in OUTPUT or p.base.startswith(("out", "dst", "res"))]
    for places in (deepest if len(deepest) < len(own) else [], written, called):
        if len(places) == 1:
            return {0: "first", len(own) - 1: "last"}.get(places[0], "")
    return ""


def _structs(model: HeaderModel) -> dict[str, Struct]:
    return {n.partition("<")[0].rpartition("::")[2]: s for n, s in model.structs.items()}


def _is_number(struct: Struct) -> bool:
    """True for a number or a few of them: a complex one, half precision, a point in space."""
    if not struct.complete or not struct.fields:
        return False
    if any(f.type.kind not in ("int", "float", "complex", "bool", "array") for f in struct.fields):
        return False
    return not (len(struct.fields) == 1 and _IDENTIFIES & set(split(struct.fields[0].name)))
