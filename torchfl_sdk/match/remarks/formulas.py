"""Formulas of a comment over the function's own arguments: ``C[n] = A[n] - B[n]``, ``sel ? a : b``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from torchfl_sdk.match.recognise.part import Part
from torchfl_sdk.match.remarks.expressions import NoFormula, Parser, Tree
from torchfl_sdk.match.remarks.table import FORMS, MATRICES, matching
from torchfl_sdk.match.remarks.values import FUNCTIONS, KNOWN, calls, names_of

_CARRIERS = ("data", "tensor", "list")
_NO_NUMBERS = ("stream", "out_handle", "desc", "text", "function")
_ASSIGNED = re.compile(
    r"(?<![\w.>])([A-Za-z_]\w*)\s*((?:\[[^\]]*\])*|\([ijkn](?:,[ijkn])*\))\s*"
    r"(:=|<-|\u2190|\+=|-=|\*=|/=|<=|=)(?![=])\s*"
)
#: What may stand behind a formula: the end, a sign that ends it, words that say of what it is.
_ENDS = re.compile(
    r"\s*(?:$|\n|[;,.)\]`\"]|(?:of|for|where|with|per|in|on|over|element\w*|each|as|if|note|when)\b|--|//|\(|:)", re.I
)
_EXTENTS = (frozenset("mnk"), frozenset(("rows", "inner", "cols")), frozenset(("rows", "cols", "depth")))
_STRUCTURES = tuple((aten, re.compile(pattern, re.IGNORECASE)) for aten, pattern in (
    ("_softmax", r"\bexp\((\w+)(?:\[\w+\])?\) */ *(?:sum|total)\w*\(? *\(?exp\(\1(?:\[\w+\])?\)"),
    ("_log_softmax", r"\blog\(exp\((\w+)\) */ *(?:sum|total)\(exp\(\1\)\)\)"),
    ("bmm", r"\[\s*\w+\s*,\s*\w+\s*,\s*(\w+)\s*\]\s*(?:x|\*|@)\s*\[\s*\w+\s*,\s*\1\s*,\s*\w+\s*\]"),
    ("mm", r"\[\s*\w+\s*,\s*(\w+)\s*\]\s*(?:x|\*|@)\s*\[\s*\1\s*,\s*\w+\s*\]"),
    ("flip", r"\w+\[(\w+)\] *=? *\w+\[(?:n|len|length|count|size) *- *1 *- *\1\]"),
    ("gather", r"\w+\[(\w+)\]\[(\w+)\] *= *\w+\[\1\]\[\w+\[\1\]\[\2\]\]"),
    ("index_select", r"\w+\[(\w+)(, *:)?\] *= *\w+\[\w+\[\1\]\2?(?:, *:)?\]"),
))  # fmt: skip
_BITS = {
    "&": "bitwise_and.Tensor", "|": "bitwise_or.Tensor", "<<": "bitwise_left_shift.Tensor",
    ">>": "bitwise_right_shift.Tensor", "u~": "bitwise_not",
}  # fmt: skip
_NUMBERS = frozenset(("scalar", "number", "real", "value"))
_FACTORS = ("alpha", "beta")
_RESULTS = ("y", "c", "d", "r", "z", "out", "dst", "result", "output")
_WRITES = {"+=": "+", "-=": "-", "*=": "*", "/=": "/"}


@dataclass(frozen=True)
class Formula:
    """The op that a formula computes, with the roles of the arguments that it names, by their index."""

    aten: str
    text: str
    roles: dict[int, str] = field(default_factory=dict)
    constant: bool = False
    said: bool = False  # every operand is an argument, or its usual letter


class _Names:
    """Names of a formula as arguments of the function."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = [p for p in parts if p.sort not in _NO_NUMBERS and p.name]

    def part(self, name: str) -> Part | None:
        """The argument meant, or None."""
        exact = [p for p in self._parts if p.name == name]
        low = name.lower()
        alike = exact or [p for p in self._parts if p.name.lower() == low or p.base == low]
        behind = alike or [p for p in self._parts if self._ends(p.name, name)]
        return behind[0] if len(behind) == 1 else None

    @staticmethod
    def _ends(long: str, name: str) -> bool:
        """``pSrcA`` for A, ``d_out`` for out."""
        head = long[: -len(name)] if long.lower().endswith(name.lower()) else ""
        return bool(head) and (head.endswith("_") or (long.endswith(name) and name[:1].isupper()))


def formulas(comment: str, parts: Sequence[Part], free: bool = True) -> Iterator[Formula]:
    """The ops that formulas of a comment compute. ``free``: operands may have letters that no argument has."""
    names = _Names(parts)
    for line in comment.splitlines():
        if re.match(r"\s*[@\\]param", line):
            continue
        yield from _of_line(line, names, parts, free)


def structural(comment: str) -> str:
    """The op of formulas over whole operands or other places: a softmax, rows of a table, shapes of a product."""
    return next((f"aten::{aten}" for aten, pattern in _STRUCTURES if pattern.search(comment)), "")


def computes_more(comment: str, parts: Sequence[Part]) -> bool:
    """Whether it says of a tensor what it becomes, in words or a formula that is none of these."""
    names = _Names(parts)
    found = [(m, p) for m in _ASSIGNED.finditer(comment) if (p := names.part(m[1])) is not None]
    tensors = [(m, p) for m, p in found if p.sort in _CARRIERS and m[3] != "<="]
    return any(_formula(comment[m.end() :].partition("\n")[0], m, p, names, parts, True) is None for m, p in tensors)


def _of_line(line: str, names: _Names, parts: Sequence[Part], free: bool) -> Iterator[Formula]:
    assigned = [m for m in _ASSIGNED.finditer(line) if m[3] != "<=" or _writes(names, m[1])]
    for match in assigned:
        result = names.part(match[1])
        if result is not None and result.sort not in _CARRIERS:
            continue
        made = _formula(line[match.end() :], match, result, names, parts, free)
        if made is not None:
            yield made
    if not assigned:
        begins = re.sub(r"^\s*(?:[-*\u2022]\s+|(?:\w+):\s+(?=\S))", "", line)
        made = _formula(begins, None, None, names, parts, free)
        if made is not None:
            yield made


def _writes(names: _Names, name: str) -> bool:
    part = names.part(name)
    return part is not None and part.sort in _CARRIERS and part.written and name[:1].isupper()


def _formula(
    text: str, match: re.Match[str] | None, result: Part | None, names: _Names, parts: Sequence[Part], free: bool
) -> Formula | None:
    parser = Parser(text, lambda n: names.part(n) is not None, KNOWN)
    try:
        tree = parser.parse()
    except (NoFormula, RecursionError):
        return None
    if not _ENDS.match(parser.rest) or not (calls(tree) or (match and match[3] in _WRITES)):
        return None
    written = text[: len(text) - len(parser.rest)].strip(" ,.")
    left = ""
    if match is not None:
        left = match[1]
        places = {re.sub(r"\s", "", i) for i in re.findall(r"\[([^\]]*)\]", match[2])}
        if match[3] in _WRITES:
            tree = (_WRITES[match[3]], ("name", left), tree)
        if parser.indices and len({"".join(re.findall(r"[^;]+", i)) for i in parser.indices} | {"".join(places)}) > 1:
            return None  # elements of other places
        written = f"{match[0].strip()} {written}"
    elif len(parser.indices) > 1:
        return None
    return _meant(tree, written, left, result, parser.matrices, names, parts, free)


def _meant(
    tree: Tree, text: str, left: str, result: Part | None, matrices: bool, names: _Names, parts: Sequence[Part],
    free: bool,
) -> Formula | None:  # fmt: skip
    found = {n: names.part(n) for n in names_of(tree)}
    tensors = [n for n, p in found.items() if p is not None and p.sort in _CARRIERS]
    numbers = [n for n, p in found.items() if p is not None and p.sort not in _CARRIERS]
    if not all(_is_number(p) for n, p in found.items() if p is not None and n in numbers):
        return None
    unknown = [n for n, p in found.items() if p is None]
    if unknown:
        held = [p for p in parts if p.sort in _CARRIERS and p is not result]
        inputs = len(held) if result is not None else len(held) - 1
        if (
            not free
            or tensors
            or any(len(n) > 1 for n in unknown)
            or len(unknown) != max(inputs, 1)
            or len(unknown) > 2
        ):
            return None
        tensors = unknown
    if not tensors or len(tensors) > 3 or len(numbers) > 2:
        return None
    if (
        result is None
        and left
        and not unknown
        and left.lower() not in ("y", "c", "d", "r", "z", "out", "dst", "result")
    ):
        return None
    bits = _bits(tree, tensors, numbers)
    if bits:
        roles = dict(zip(tensors, ("input", "input2"), strict=False))
        return _made(f"aten::{bits}", text, roles, found, left, result, parts, not numbers)
    forms = MATRICES if matrices or _products(tree, tensors, parts) else FORMS
    plain, transposed = _untransposed(tree)
    if forms is MATRICES and plain[0] == "name":
        return Formula("aten::permute", text, said=True) if transposed else None
    fitting = list(matching(plain, tensors, numbers, forms))
    fitting = [f for f in fitting if f[1] == tuple(tensors)] or fitting  # a < b, not b > a
    if len({form.aten for form, _, _ in fitting}) != 1:
        return None
    form, given, more = fitting[0]
    roles = {**dict(zip(given, form.tensors, strict=True)), **dict(zip(more, form.numbers, strict=True))}
    aten = form.aten
    if aten == "aten::addmm" and not more and transposed and any("bias" in n.lower() for n in given[:1]):
        aten, roles = "aten::linear", {given[0]: "bias", given[1]: "input", given[2]: "weight"}
    return _made(aten, text, roles, found, left, result, parts, not unknown, form.constant)


def _is_number(part: Part) -> bool:
    return part.sort in ("float", "scalar_pointer") or bool(part.type_words & _NUMBERS) or part.joined in _FACTORS


def _made(
    aten: str, text: str, roles: dict[str, str], found: dict[str, Part | None], left: str, result: Part | None,
    parts: Sequence[Part], said: bool, constant: bool = False,
) -> Formula:  # fmt: skip
    told = {p.index: r for n, r in roles.items() if (p := found.get(n)) is not None}
    open_ = [p for p in parts if p.sort in _CARRIERS and p.index not in told]
    if result is None and len(open_) == 1 and told:
        result = open_[0]
    if result is not None:
        told[result.index] = "inout" if result.index in told or left in roles else "output"
    return Formula(aten, text, told if said else {}, constant, said)


def _bits(tree: Tree, tensors: Sequence[str], numbers: Sequence[str]) -> str:
    """The op of a tree that is one operation on bits."""
    op = _BITS.get(tree[0], "")
    plain = all(isinstance(t, tuple) and t[0] == "name" for t in tree[1:])
    return op if op and plain and len(tensors) == len(tree) - 1 and not numbers else ""


def _products(tree: Tree, tensors: Sequence[str], parts: Sequence[Part]) -> bool:
    """Whether operands are multiplied as matrices are: side by side, or over three extents."""
    said = {p.joined for p in parts if p.sort == "int"}
    three = any(e <= said for e in _EXTENTS)

    def multiplies(node: Tree) -> bool:
        inner = [t for t in node[1:] if isinstance(t, tuple)]
        sides = [set(names_of(t)) & set(tensors) for t in inner]
        own = len(sides) == 2 and all(sides) and (node[0] == "@" or (node[0] == "*" and three))
        return own or any(multiplies(t) for t in inner)

    return multiplies(tree)


def _untransposed(tree: Tree) -> tuple[Tree, bool]:
    """The tree without marks of transposed operands, and whether it had any."""
    if tree[0] == "transposed":
        return _untransposed(tree[1])[0], True
    made = [_untransposed(t) if isinstance(t, tuple) else (t, False) for t in tree[1:]]
    return (tree[0], *(t for t, _ in made)), any(said for _, said in made)


__all__ = ["FUNCTIONS", "Formula", "formulas"]
