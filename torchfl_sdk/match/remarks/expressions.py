"""A small parser for formulas in comments: C's operators, ``|x|``, ``a if c else b``, products without a sign.

Trees are tuples: ("name", n), ("number", x), (operator, *operands), ("call", function, *arguments).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Tree = tuple[Any, ...]

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d*)?(?:e[-+]?\d+)?f?|\.\d+)|(?P<name>[A-Za-z_](?:\w|->)*)"
    r"|(?P<sign>\*\*|<<|>>|<=|>=|==|!=|&&|\|\||\.\*|\./|[-+*/%^&|~!?:<>()\[\],'\u00d7\u00b7]))"
)
#: (binding power, right-associative) of what stands between two operands.
_BETWEEN = {
    "?": 1, "if": 1, "||": 2, "or": 2, "&&": 3, "and": 3, "|": 4, "^": 11, "&": 6, "==": 7, "!=": 7, "<": 8, ">": 8,
    "<=": 8, ">=": 8, "<<": 9, ">>": 9, "+": 10, "-": 10, "*": 12, "/": 12, "%": 12, ".*": 12, "./": 12,
    "**": 15, "\u00d7": 12, "\u00b7": 12,
}  # fmt: skip
_POWER = 15
_SIDE_BY_SIDE = 13  # binds closer than a sign: alpha A * B
_UNARY = 14


class NoFormula(Exception):
    """The text is no formula."""


@dataclass(frozen=True)
class Token:
    kind: str  # "number" | "name" | "sign" | "index"
    text: str
    end: int  # where it ends in the text


def tokens(text: str) -> list[Token]:
    """The tokens up to the first character that no formula has; what is in brackets is one token."""
    made: list[Token] = []
    position = 0
    while match := _TOKEN.match(text, position):
        if match["sign"] == "[":
            closed = text.find("]", match.end())
            if closed < 0:
                break
            made.append(Token("index", re.sub(r"\s", "", text[match.end() : closed]), closed + 1))
            position = closed + 1
            continue
        kind = match.lastgroup or "sign"
        made.append(Token(kind, match[kind], match.end()))
        position = match.end()
    return made


class Parser:
    """Parses the longest formula that ``text`` begins with. ``known``: names that may stand side by side as factors."""

    def __init__(self, text: str, known: Callable[[str], bool], functions: frozenset[str]) -> None:
        self._tokens = tokens(text)
        self._known = known
        self._functions = functions
        self._position = 0
        self._bars = 0  # open |
        self.indices: set[str] = set()
        self.matrices = False  # a product that only matrices have, or a transposed operand
        self.text = text

    @property
    def rest(self) -> str:
        """The text behind the formula."""
        return self.text[self._tokens[self._position - 1].end :] if self._position else self.text

    def parse(self) -> Tree:
        """The tree; raises ``NoFormula``."""
        return self._expression(0)

    def _peek(self) -> Token | None:
        return self._tokens[self._position] if self._position < len(self._tokens) else None

    def _next(self) -> Token:
        token = self._peek()
        if token is None:
            raise NoFormula
        self._position += 1
        return token

    def _expect(self, text: str) -> None:
        if self._next().text != text:
            raise NoFormula

    def _expression(self, power: int) -> Tree:
        left = self._prefix()
        while (token := self._peek()) is not None:
            sign, binds = token.text, _BETWEEN.get(token.text, 0)
            if token.kind == "name" and binds and sign in ("if", "or", "and") and power >= binds:
                return left
            if (token.kind == "name" and not binds) or (token.kind == "sign" and sign == "(" and left[0] != "call"):
                product = self._side_by_side(left, token, power)
                if product is None:
                    return left
                left = product
                continue
            if sign == "'" and power < _POWER:
                self._next()
                left, self.matrices = ("transposed", left), True
                continue
            if sign == "|" and self._bars:
                return left
            if not binds or binds <= power or token.kind in ("number", "index"):
                return left
            before = self._position
            self._next()
            try:
                left = self._infix(left, sign, binds)
            except NoFormula:
                self._position = before
                return left
        return left

    def _side_by_side(self, left: Tree, token: Token, power: int) -> Tree | None:
        """``alpha A B``, ``lhs x rhs``: a product without a sign, or with the letter for one."""
        factor = left[0] in ("name", "transposed", "@", "call")
        if not factor or power >= _SIDE_BY_SIDE:
            return None
        if token.text in ("x", "X") and not self._known(token.text):
            before = self._position
            self._next()
            following = self._peek()
            if following is None or following.kind != "name" or not self._known(following.text):
                self._position = before
                return None
            self.matrices = True
        elif not (token.kind == "name" and self._known(token.text)):
            return None
        return ("@", left, self._expression(_SIDE_BY_SIDE))

    def _infix(self, left: Tree, sign: str, binds: int) -> Tree:
        if sign == "?":
            yes = self._expression(0)
            self._expect(":")
            return ("?", left, yes, self._expression(0))
        if sign == "if":  # a if a >= t, else t
            condition = self._expression(1)
            if (comma := self._peek()) is not None and comma.text == ",":
                self._next()
            self._expect("else")
            return ("?", condition, left, self._expression(0))
        if sign == "^" and (raised := self._peek()) is not None and raised.text in ("T", "t", "H"):
            self._next()
            self.matrices = True
            return ("transposed", left)
        right = self._expression(binds - 1 if sign in ("^", "**") else binds)
        plain = {"or": "||", "and": "&&", ".*": "*", "./": "/", "\u00d7": "*", "\u00b7": "*"}.get(sign, sign)
        return (plain, left, right)

    def _prefix(self) -> Tree:
        token = self._next()
        if token.kind == "number":
            return ("number", float(token.text.rstrip("f")))
        if token.kind == "name":
            return self._named(token.text)
        if token.kind == "sign" and token.text in ("-", "+", "!", "~"):
            inner = self._expression(_UNARY)
            return inner if token.text == "+" else (f"u{token.text}", inner)
        if token.text == "(":
            inner = self._expression(0)
            self._expect(")")
            return inner
        if token.text == "|":
            self._bars += 1
            inner = self._expression(0)
            self._expect("|")
            self._bars -= 1
            return ("call", "abs", inner)
        raise NoFormula

    def _named(self, name: str) -> Tree:
        index = ""
        while (token := self._peek()) is not None and token.kind == "index":
            index += self._next().text + ";"
        if index:
            self.indices.add(index)
            return ("name", name)
        opened = token is not None and token.text == "("
        if not opened:
            return ("call", name.lower(), ("name", "_")) if name.lower() in self._functions else ("name", name)
        if name.lower() not in self._functions:
            if self._known(name):
                return ("name", name)  # a product, or an index in round brackets, which is refused
            raise NoFormula
        self._next()
        arguments = [self._expression(0)]
        while (token := self._peek()) is not None and token.text == ",":
            self._next()
            arguments.append(self._expression(0))
        self._expect(")")
        if name.lower() in ("transpose", "t", "trans"):
            self.matrices = True
            return ("transposed", arguments[0])
        return ("call", name.lower(), *arguments)
