"""A YAML or JSON file as a tree that knows the line and column of every key and value.

Parsing is ruamel.yaml's; the meaning of plain scalars is YAML 1.2's core schema, decided here, so that ``off``
is a string and ``1e-5`` a number in every version of the parser.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torchfl.errors import Place, Problem, TorchflError, register

UNREADABLE = register("TFL0101", "a profile cannot be read")
SYNTAX = register("TFL0102", "a profile is not valid YAML or JSON")
DUPLICATE = register("TFL0103", "a key stands twice in one map")

#: Far above any profile; what an alias bomb expands to is not.
MAX_VALUES = 50_000
#: The parser takes seconds to give up on hundreds of open brackets.
MAX_DEPTH = 100

_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_BOOL = {
    word: truth for truth, words in ((True, "true True TRUE"), (False, "false False FALSE")) for word in words.split()
}
_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_SPECIAL = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_STANDARD = "tag:yaml.org,2002:"

Scalar = str | int | float | bool | None


@dataclass(frozen=True)
class Node:
    """A value with its place; ``key`` is the place of its key (the value's own in a list).

    ``value`` is a scalar, a dict of Node or a list of Node. ``overrode`` is set by merging.
    """

    value: Any
    place: Place
    key: Place
    overrode: Node | None = field(default=None, repr=False)

    def plain(self, drop_null: bool = False) -> Any:
        """The value without places; with ``drop_null``, without the keys whose value is null."""
        if isinstance(self.value, dict):
            items = self.value.items()
            return {k: v.plain(drop_null) for k, v in items if not (drop_null and v.value is None)}
        if isinstance(self.value, list):
            return [item.plain(drop_null) for item in self.value]
        return self.value


def read_tree(path: Path) -> Node:
    """Parse one file; an empty one is an empty map.

    Raises TorchflError with TFL0101 (cannot be read), TFL0102 (syntax, or not a map) or TFL0103 (every
    duplicate key).
    """
    name = str(path)
    try:
        raw = path.read_bytes()
    except OSError as error:
        reason = error.strerror or "cannot be read"
        raise TorchflError(Problem(UNREADABLE, reason, "give the path of a profile", Place(name))) from None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise TorchflError(
            Problem(UNREADABLE, f"byte {error.start} is not UTF-8", "save the file as UTF-8", Place(name, line))
        ) from None
    return parse_tree(text, name)


def parse_tree(text: str, name: str) -> Node:
    """Parse the text of a profile, a map; ``name`` is the file that errors name, and ``.json`` makes it JSON."""
    node = parse_any(text, name)
    if node is None:
        start = Place(name, 1, 1)
        return Node({}, start, start)
    if not isinstance(node.value, dict):
        raise TorchflError(
            Problem(SYNTAX, "a profile is a map of keys", "begin with device_type: xpu:NAME", node.place)
        )
    return node


def parse_any(text: str, name: str) -> Node | None:
    """Parse YAML or JSON whose root may be anything; None where there is nothing. Raises as :func:`read_tree`."""
    if name.endswith(".json"):
        try:
            json.loads(text)
        except json.JSONDecodeError as error:
            place = Place(name, error.lineno, error.colno)
            raise TorchflError(Problem(SYNTAX, f"not JSON: {error.msg}", "", place)) from None
        except (RecursionError, ValueError) as error:
            raise TorchflError(Problem(SYNTAX, f"not JSON: {error}", "", Place(name))) from None
        # JSON is YAML but for tabs; in JSON they stand only between tokens, so one space keeps every column.
        text = text.replace("\t", " ")
    if _bracket_depth(text) > MAX_DEPTH:
        raise TorchflError(Problem(SYNTAX, "nested too deeply", "", Place(name)))
    root = _compose(text, name)
    if root is None:
        return None
    builder = _Builder(name)
    try:
        node = builder.build(root, None, ())
    except RecursionError:
        raise TorchflError(Problem(SYNTAX, "nested too deeply", "", Place(name))) from None
    if builder.problems:
        raise TorchflError(builder.problems)
    return node


def _bracket_depth(text: str) -> int:
    """Most brackets open at once, counting those in texts and comments too: a bound that costs nothing."""
    depth = most = 0
    for match in re.finditer(r"[][{}]", text):
        depth += 1 if match.group() in "[{" else -1
        most = max(most, depth)
    return most


def _compose(text: str, name: str) -> Any:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    yaml = YAML(typ="rt", pure=True)
    yaml.composer.warn_double_anchors = False
    try:
        return yaml.compose(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Place(name, mark.line + 1, mark.column + 1) if mark else Place(name)
        cause = " ".join(str(part) for part in (error.context, error.problem) if part)
        raise TorchflError(Problem(SYNTAX, cause or "not YAML", _syntax_fix(text, mark), place)) from None
    except YAMLError as error:
        raise TorchflError(Problem(SYNTAX, str(error).splitlines()[0], "", Place(name))) from None
    except RecursionError:
        raise TorchflError(Problem(SYNTAX, "nested too deeply", "", Place(name))) from None
    except (ValueError, OverflowError, AttributeError, TypeError, IndexError, KeyError, AssertionError) as error:
        # The parser's own slips on malformed input (bad escapes, impossible %YAML versions).
        raise TorchflError(Problem(SYNTAX, f"not YAML: {error}", "", Place(name))) from None


def _syntax_fix(text: str, mark: Any) -> str:
    lines = text.splitlines()
    line = lines[mark.line] if mark and mark.line < len(lines) else ""
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return "indent with spaces"
    return "quote a value that contains ': '" if line.count(": ") > 1 else ""


class _Builder:
    """Turns the parser's nodes into ours, collecting problems instead of stopping at the first."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self.count = 0

    def build(self, raw: Any, key: Place | None, parents: tuple[int, ...]) -> Node:
        place = self._place(raw)
        self.count += 1
        if self.count > MAX_VALUES:
            raise TorchflError(Problem(SYNTAX, f"more than {MAX_VALUES} values", "remove the aliases", place))
        kind = raw.id
        if kind == "scalar":
            return Node(self._scalar(raw, place), place, key or place)
        if id(raw) in parents:
            self.problems.append(Problem(SYNTAX, "an alias contains itself", "remove it", place))
            return Node(None, place, key or place)
        self._check_tag(raw, place)
        parents = (*parents, id(raw))
        if kind == "sequence":
            return Node([self.build(item, None, parents) for item in raw.value], place, key or place)
        return Node(self._mapping(raw, parents), place, key or place)

    def _mapping(self, raw: Any, parents: tuple[int, ...]) -> dict[str, Node]:
        out: dict[str, Node] = {}
        for key_raw, value_raw in raw.value:
            place = self._place(key_raw)
            name = self._scalar(key_raw, place) if key_raw.id == "scalar" else None
            if not isinstance(name, str):
                self.problems.append(Problem(SYNTAX, "a key is not a string", "quote it", place))
                continue
            node = self.build(value_raw, place, parents)
            if name in out:
                first = out[name].key.line
                self.problems.append(
                    Problem(DUPLICATE, f"'{name}' stands already at line {first}", "keep one of them", place, name)
                )
                continue
            out[name] = node
        return out

    def _scalar(self, raw: Any, place: Place) -> Scalar:
        text: str = raw.value
        tag = str(raw.tag or "")
        self._check_tag(raw, place)
        if raw.style is not None:  # quoted or block: a string, whatever it looks like
            return _join_surrogates(text)
        if text in _NULL:
            return None
        if tag == _STANDARD + "str" and (text in _BOOL or _INT.fullmatch(text) or _FLOAT.fullmatch(text)):
            return text  # an explicit !!str: the parser would have resolved it otherwise
        if text in _BOOL:
            return _BOOL[text]
        if _INT.fullmatch(text):
            try:
                return int(text, 0 if text[:2] in ("0o", "0x") else 10)
            except ValueError:  # Python's limit on digits
                self.problems.append(Problem(SYNTAX, "the number is too long", "", place))
                return None
        if _FLOAT.fullmatch(text):
            return float(text)
        if _SPECIAL.fullmatch(text):
            return math.nan if text[1:].lower() == "nan" else float(text.replace(".", ""))
        return text

    def _check_tag(self, raw: Any, place: Place) -> None:
        tag = str(raw.tag or "")
        if tag and not tag.startswith(_STANDARD):
            self.problems.append(Problem(SYNTAX, f"unknown tag '{tag}'", "remove it", place))

    def _place(self, raw: Any) -> Place:
        return Place(self.file, raw.start_mark.line + 1, raw.start_mark.column + 1)


def _join_surrogates(text: str) -> str:
    """JSON writes characters beyond 16 bits as two escapes, which a YAML parser leaves apart."""
    if not any("\ud800" <= c <= "\udfff" for c in text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
