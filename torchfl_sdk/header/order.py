"""The order in which several headers read: one that uses a type goes behind the one that declares it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import clang.cindex as cx

from torchfl.errors import Place


class Order:
    """The given headers, moved where one needs another that was named after it."""

    def __init__(self, headers: dict[Path, bytes]) -> None:
        self.files = list(headers)
        self._texts = {path: data.decode("utf-8", "replace") for path, data in headers.items()}
        self._folders = {folder for path in headers for folder in (path.parent, path.parent.parent)}
        self._moved: set[tuple[Path, Path]] = set()

    def first(self, file: str, user: Place | None) -> bool:
        """Reads ``file`` before all others, if it is none of the given headers nor the one that uses what it declares;
        False where it cannot be moved or is first already. Only a vendor's file is moved: not the C++ library's, nor
        the stand-ins that are read ahead of it."""
        path = Path(file)
        if not any(folder in path.parents for folder in self._folders):
            return False
        if path in self.files or path in self._texts or user is None or user.file == file or not path.is_file():
            return False
        try:
            self._texts[path] = path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return False
        self.files.insert(0, path)
        return True

    def improve(self, unknown: Sequence[tuple[str, Place]], unit: cx.TranslationUnit) -> bool:
        """Moves one header before another that uses a name which it declares; False if no move helps.

        ``unknown``: the names that the parse did not know, and where.
        """
        if len(self.files) < 2:
            return False
        given = _given(self.files, unit)
        for name, place in unknown:
            user = given.get(place.file)
            if user is None:
                continue
            for maker in self.files[self.files.index(user) + 1 :]:
                pair = (maker, user)
                if pair in self._moved or pair[::-1] in self._moved or not declares(self._texts[maker], name):
                    continue
                self._moved.add(pair)
                self.files.remove(maker)
                self.files.insert(self.files.index(user), maker)
                return True
        return False


def declares(text: str, name: str) -> bool:
    """True if a header's text declares a type, a constant or a macro of this name."""
    word = re.escape(name)
    return bool(
        re.search(
            rf"\}}\s*{word}\s*[;,]"  # typedef struct { ... } name;
            rf"|\btypedef\b[^;{{}}]*\b{word}\s*(?:\[\w*\])?\s*;"
            rf"|\btypedef\b[^;{{}}]*\(\s*\*\s*{word}\s*\)"
            rf"|\b(?:struct|class|union|enum|enum\s+class|enum\s+struct)\s+(?:[A-Z][A-Z0-9_]*\s+)?{word}\b\s*[:{{;]"
            rf"|\busing\s+{word}\s*="
            rf"|#\s*define\s+{word}\b",
            text,
        )
    )


def _given(files: Sequence[Path], unit: cx.TranslationUnit) -> dict[str, Path]:
    """The given header that each file was read for."""
    found = {str(path): path for path in files}
    for inclusion in unit.get_includes():
        if inclusion.source is not None and inclusion.include is not None:
            owner = found.get(inclusion.source.name)
            if owner is not None:
                found.setdefault(inclusion.include.name, owner)
    return found
