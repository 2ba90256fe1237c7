"""Changes single values of a YAML or JSON file and leaves every other byte as it is.

ruamel.yaml parses the text and says where each value begins and ends; new values are spliced in at these places.
Comments, order, quoting, indentation, line ends and whatever a person wrote beside a changed value stay.
"""

from __future__ import annotations

import json
import re
from typing import Any

from torchfl.errors import TorchflError
from torchfl.profile.tree import parse_any, parse_tree

#: Longest line that a map is put on.
_WIDTH = 100


class Splice:
    """The :attr:`text` of one file under edit. Paths are keys and indices, ``("supported_ops", 2, "impl")``."""

    def __init__(self, text: str, name: str = "") -> None:
        self.text = text
        self.is_json = name.endswith(".json")
        self._plain: tuple[str, Any] = ("", None)
        self._tree: tuple[str, Any] = ("", None)
        self._newline = "\r\n" if "\r\n" in text else "\n"

    def set(self, path: tuple[str | int, ...], value: Any) -> None:
        """Give a key this value, adding the key (after the last one of its map) where it is missing.

        The map must exist. A value that is already there stays as it is written.
        """
        node, key = self._find(path[:-1]), str(path[-1])
        pair = _pair(node, key)
        if pair is None:
            self._insert(node, key, value)
            return
        old = self._value(path)
        if old == value and type(old) is type(value):
            return
        if isinstance(value, dict) and value and isinstance(old, dict) and old:
            self._set_map(path, value)
        elif isinstance(value, list) and isinstance(old, list) and old and old == value[: len(old)]:
            self._extend_list(pair[1], value[len(old) :])
        elif isinstance(value, list) and _is_block_list(pair[1]):
            self._set_list(path, value)
        elif pair[1].id == "scalar" and not pair[1].value and pair[1].start_mark.index == pair[1].end_mark.index:
            self._replace(pair[0].end_mark.index + 1, pair[0].end_mark.index + 1, " " + self._flow(value))
        else:
            self._replace(pair[1].start_mark.index, _end(pair[1]), self._flow(value))

    def set_items(self, path: tuple[str | int, ...], changes: dict[int, dict[str, Any]]) -> None:
        """Set keys of several maps in one list, by index.

        Each map of a block list is edited as a text of its own, from the last to the first, so that a long file is
        parsed once. What cannot stand alone (a flow list, JSON, an alias to elsewhere) is edited in place.
        """
        items, values = (self._find(path), self._value(path)) if changes else (None, [])
        for index in sorted(changes, reverse=True):
            start, end = self._lines_of(items, index)
            part = Splice(self.text[start:end]) if end else None
            if part is not None and part.is_list([values[index]]):
                for key, value in changes[index].items():
                    part.set((0, key), value)
                self._replace(start, end, part.text)
            else:
                for key, value in changes[index].items():
                    self.set((*path, index, key), value)

    def is_list(self, values: list[Any]) -> bool:
        """Whether the text by itself is this list."""
        try:
            return bool(self.plain() == values)
        except TorchflError:
            return False

    def _lines_of(self, items: Any, index: int) -> tuple[int, int]:
        """Where the lines of a block list's item begin and end; (0, 0) for a flow list."""
        if items.flow_style:
            return 0, 0
        item = items.value[index]
        dash = self.text.rindex("-", 0, item.start_mark.index)
        return self._line_start(dash), self._line_end(max(_end(item) - 1, 0))

    def remove(self, path: tuple[str | int, ...]) -> None:
        """Take a key and its value out; a key that is missing is no error."""
        node = self._find(path[:-1])
        pair = _pair(node, str(path[-1]))
        if pair is None:
            return
        if node.flow_style:
            self._remove_flow(node, pair)
        elif len(node.value) == 1:
            self._replace(node.start_mark.index, _end(node), "{}")
        else:
            self._remove_lines(pair[0].start_mark.index, _end(pair[1]))

    def append(self, path: tuple[str | int, ...], value: dict[str, Any]) -> None:
        """Add a map at the end of a list, which must exist."""
        node = self._find(path)
        text = self._flow(value)
        if node.flow_style or not node.value:
            inside = ", " if node.value else ""
            at = _end(node.value[-1]) if node.value else node.start_mark.index + 1
            self._replace(at, at, inside + text)
            return
        dash = self.text.rindex("-", 0, node.value[-1].start_mark.index)
        column = dash - self._line_start(dash)
        lines = [f"{' ' * column}- {text}"]
        if len(lines[0]) > _WIDTH:
            inner = [line for key, item in value.items() for line in self._block(key, item, column + 2)]
            lines = [f"{' ' * column}- {inner[0].lstrip()}", *inner[1:]]
        self._insert_line(_end(node.value[-1]), self._newline.join(lines))

    # -- places ------------------------------------------------------------------------------------------------

    def _compose(self) -> Any:
        """The parser's tree of the text as it is now."""
        if self._tree[0] == self.text:
            return self._tree[1]
        from ruamel.yaml import YAML

        yaml = YAML(typ="rt", pure=True)
        yaml.composer.warn_double_anchors = False
        # In JSON a tab is only white space; one blank for it keeps every place.
        self._tree = (self.text, yaml.compose(self.text.replace("\t", " ") if self.is_json else self.text))
        return self._tree[1]

    def _find(self, path: tuple[str | int, ...]) -> Any:
        node = self._compose()
        for part in path:
            if isinstance(part, int):
                node = node.value[part]
            else:
                pair = _pair(node, part)
                if pair is None:
                    raise KeyError(".".join(map(str, path)))
                node = pair[1]
        return node

    def plain(self) -> Any:
        """The text as maps, lists and scalars. Not for changing."""
        if self._plain[0] != self.text:
            tree = parse_any(self.text, "x.json" if self.is_json else "x.yaml")
            self._plain = (self.text, tree.plain() if tree else {})
        return self._plain[1]

    def _value(self, path: tuple[str | int, ...]) -> Any:
        value = self.plain()
        for part in path:
            value = value[part]
        return value

    def _line_start(self, at: int) -> int:
        return self.text.rfind("\n", 0, at) + 1

    def _line_end(self, at: int) -> int:
        end = self.text.find("\n", at)
        return len(self.text) if end < 0 else end + 1

    # -- changes -----------------------------------------------------------------------------------------------

    def _replace(self, start: int, end: int, new: str) -> None:
        self.text = self.text[:start] + new + self.text[end:]

    def _insert_line(self, after: int, line: str) -> None:
        """A line after the one in which the character before ``after`` stands."""
        at = self._line_end(max(after - 1, 0))
        lead = "" if at == 0 or self.text[at - 1] == "\n" else self._newline
        self._replace(at, at, f"{lead}{line}{self._newline}")

    def _insert(self, node: Any, key: str, value: Any) -> None:
        if node.flow_style:
            written = f"{self._key(key)}: {self._flow(value)}"
            at = _end(node.value[-1][1]) if node.value else node.start_mark.index + 1
            self._replace(at, at, f", {written}" if node.value else written)
            return
        first = node.value[0][0].start_mark
        lines = self._block(key, value, first.column)
        self._insert_line(_end(node.value[-1][1]), self._newline.join(lines))

    def _extend_list(self, node: Any, more: list[Any]) -> None:
        at = _end(node.value[-1])
        if node.flow_style:
            self._replace(at, at, "".join(f", {self._flow(item)}" for item in more))
            return
        dash = self.text.rindex("-", 0, node.value[-1].start_mark.index)
        indent = self.text[self._line_start(dash) : dash]
        for item in reversed(more):
            self._insert_line(at, f"{' ' * len(indent)}- {self._flow(item)}")

    def _block(self, key: str, value: Any, column: int) -> list[str]:
        """``key: value`` as lines of a block map; a value that is too long for its line, or has maps inside, is spread
        over several."""
        line = f"{' ' * column}{self._key(key)}: {self._flow(value)}"
        nested = isinstance(value, dict) and any(isinstance(item, dict) for item in value.values())
        if not (isinstance(value, dict) and value) or not (nested or column == 0 or len(line) > _WIDTH):
            return [line]
        inner = [text for name, item in value.items() for text in self._block(name, item, column + 2)]
        return [f"{' ' * column}{self._key(key)}:", *inner]

    def _set_map(self, path: tuple[str | int, ...], value: dict[str, Any]) -> None:
        """Key by key, so that what is said beside a key that stays is kept; a map on one line that would grow too long
        becomes a block."""
        node, parent = self._find(path), self._find(path[:-1])
        pair = _pair(parent, str(path[-1]))
        assert pair is not None
        column = pair[0].start_mark.column
        lines = self._block(str(path[-1]), value, column)
        old = self.text[node.start_mark.index : _end(node)]
        if node.flow_style and not parent.flow_style and len(lines) > 1 and "#" not in old and "\n" not in old:
            start, end = pair[0].end_mark.index + 1, _end(node)
            rest = self.text[end : self._line_end(end)].rstrip("\r\n")
            body = self._newline.join(lines[1:])
            self._replace(start, end + len(rest), f"{rest}{self._newline}{body}")
            return
        for key, item in value.items():
            self.set((*path, key), item)
        for old in [str(k.value) for k, _ in self._find(path).value]:
            if old not in value:
                self.remove((*path, old))

    def _set_list(self, path: tuple[str | int, ...], value: list[Any]) -> None:
        """A block list loses the lines of items that go and gains lines at its end; where that does not give the new
        order, the list is written anew in flow form."""
        old = self._value(path)
        kept = [item for item in old if item in value]
        if not kept or kept != value[: len(kept)]:
            pair = _pair(self._find(path[:-1]), str(path[-1]))
            assert pair is not None
            self._replace(pair[0].end_mark.index + 1, _end(pair[1]), " " + self._flow(value))
            return
        for index in reversed(range(len(old))):
            if old[index] not in value:
                item = self._find(path).value[index]
                self._remove_lines(self.text.rindex("-", 0, item.start_mark.index), _end(item))
        if value[len(kept) :]:
            self._extend_list(self._find(path), value[len(kept) :])

    def _remove_lines(self, start: int, end: int) -> None:
        """From the start of the line of ``start`` to the end of the line of ``end``; what stands before ``start`` on
        its line (the dash of a list) goes to the next line's key."""
        line = self._line_start(start)
        lead = self.text[line:start]
        stop = self._line_end(max(end - 1, start))
        if lead.strip():
            following = re.compile(r"[ ]*").match(self.text, stop)
            stop = following.end() if following else stop
            self._replace(start, stop, "")
        else:
            self._replace(line, stop, "")

    def _remove_flow(self, node: Any, pair: Any) -> None:
        index = next(i for i, item in enumerate(node.value) if item[0] is pair[0])
        if len(node.value) == 1:
            self._replace(pair[0].start_mark.index, _end(pair[1]), "")
        elif index == 0:
            self._replace(pair[0].start_mark.index, node.value[1][0].start_mark.index, "")
        else:
            self._replace(_end(node.value[index - 1][1]), _end(pair[1]), "")

    # -- writing -----------------------------------------------------------------------------------------------

    def _key(self, key: str) -> str:
        return json.dumps(key) if self.is_json else key

    def _flow(self, value: Any) -> str:
        if self.is_json:
            return json.dumps(value)
        if isinstance(value, dict):
            return "{" + ", ".join(f"{self._key(k)}: {self._flow(v)}" for k, v in value.items()) + "}"
        if isinstance(value, list):
            return "[" + ", ".join(self._flow(item) for item in value) + "]"
        if isinstance(value, str) and not _reads_back(value):
            return json.dumps(value, ensure_ascii=False)
        return value if isinstance(value, str) else json.dumps(value)


def _reads_back(text: str) -> bool:
    """Whether a text can stand in a flow list without quotes."""
    if not re.fullmatch(r"[A-Za-z_$][\w./$:-]*", text, re.ASCII):
        return False
    try:
        return bool(
            parse_tree(f"[{text}, {{k: {text}}}]\n".join(("k: ", "")), "").plain() == {"k": [text, {"k": text}]}
        )
    except TorchflError:
        return False


def _pair(node: Any, key: str) -> tuple[Any, Any] | None:
    return next(((k, v) for k, v in node.value if k.id == "scalar" and k.value == key), None)


def _is_block_list(node: Any) -> bool:
    return node.id == "sequence" and not node.flow_style and bool(node.value)


def _end(node: Any) -> int:
    """Where a value's text ends; a block collection's own mark is after the comments that follow it."""
    if node.id == "mapping" and not node.flow_style and node.value:
        return _end(node.value[-1][1]) or int(node.value[-1][0].end_mark.index) + 1
    if node.id == "sequence" and not node.flow_style and node.value:
        return _end(node.value[-1])
    return int(node.end_mark.index)
