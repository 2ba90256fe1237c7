"""Error codes of the header reader, and the checks of its input."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from torchfl.errors import Place, Problem, TorchflError, register
from torchfl_sdk.header.paths import absolute

UNREADABLE = register("TFL0301", "a header or include folder cannot be read")
IS_DIRECTORY = register("TFL0302", "a folder was given where a header file is expected")
NOT_A_HEADER = register("TFL0303", "a file is not C text")
NOTHING_DECLARED = register("TFL0304", "the headers declare no function that can be used")
UNRESOLVED_TYPE = register("TFL0305", "a type is used that no header declares; what depends on it is left out")
MISSING_INCLUDE = register("TFL0306", "an included file was not found")
UNREADABLE_LINE = register("TFL0307", "a line is not valid C; the declarations on it are left out")
NO_LIBCLANG = register("TFL0308", "libclang cannot be loaded", 70)
BAD_DEFINE = register("TFL0309", "a -D definition is not NAME or NAME=VALUE")
UNDEFINED_MACRO = register("TFL0310", "a macro is used that no header defines; it was taken as empty")
UNRESOLVED_VALUE = register("TFL0311", "a constant is used that no header declares; what depends on it is left out")
NOT_PARSED = register("TFL0312", "libclang gives up on a header")

PLATFORM_CHOSEN = register("TFL0313", "a header asks for a platform macro; one was chosen")
LIBRARY_ADDED = register("TFL0314", "a header uses names of the C++ library that it does not include; that was added")

_LARGEST = 64 << 20  # bytes; a header beyond this is some other file


def check_inputs(
    paths: Iterable[str | os.PathLike[str]], include_dirs: Iterable[str | os.PathLike[str]], defines: Iterable[str]
) -> dict[Path, bytes]:
    """The headers' contents by absolute path. Raises every bad path and definition at once."""
    problems: list[Problem] = []
    contents: dict[Path, bytes] = {}
    for given in paths:
        shown = os.fspath(given)
        try:
            path = Path(absolute(shown))
            if path.is_dir():
                problems.append(_directory(shown, path))
                continue
            if path.stat().st_size > _LARGEST:
                problems.append(Problem(NOT_A_HEADER, "larger than 64 MiB, which no header is", place=Place(shown)))
                continue
            data = path.read_bytes()
        except (OSError, ValueError) as error:
            cause = getattr(error, "strerror", None) or str(error)
            problems.append(Problem(UNREADABLE, f"cannot read the header: {cause}", "check --header", Place(shown)))
            continue
        reason = _not_text(data)
        if reason:
            problems.append(Problem(NOT_A_HEADER, reason, "give the vendor's .h file", Place(shown)))
        else:
            contents[path] = data
    for folder in include_dirs:
        if not Path(folder).is_dir():
            problems.append(
                Problem(UNREADABLE, "the include folder does not exist", "check -I", Place(os.fspath(folder)))
            )
    for define in defines:
        if not re.fullmatch(r"[A-Za-z_]\w*(\([\w, .]*\))?(=.*)?", define, re.S):
            problems.append(Problem(BAD_DEFINE, f"'{define}' is not NAME or NAME=VALUE", "e.g. -D ACME_VERSION=3"))
    if not problems and not contents:
        problems.append(Problem(UNREADABLE, "no header was given", "pass --header"))
    if problems:
        raise TorchflError(problems)
    return contents


def _directory(shown: str, path: Path) -> Problem:
    try:
        headers = sorted(p.name for p in path.glob("*.h"))[:3]
    except OSError:
        headers = []
    fix = f"name a file in it, e.g. {Path(shown) / headers[0]}" if headers else "name the header file"
    return Problem(IS_DIRECTORY, "is a folder, a header file is expected", fix, Place(shown))


def _not_text(data: bytes) -> str:
    """Why this cannot be C source, or ""."""
    if not data.strip():
        return "the file is empty"
    for magic, what in ((b"\x7fELF", "an ELF library"), (b"MZ", "a Windows binary"), (b"PK\x03\x04", "a zip archive")):
        if data.startswith(magic):
            return f"is {what}, not a header"
    if b"\0" in data:
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            return "is UTF-16 text; save it as UTF-8"
        return "is binary, not a header"
    return ""
