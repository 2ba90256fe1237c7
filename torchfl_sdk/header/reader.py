"""Reads a vendor's headers into a :class:`HeaderModel`; :func:`read_headers` is the whole public interface."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import clang.cindex as cx

from torchfl.errors import Place, Problem, TorchflError
from torchfl_sdk.header import errors, guarded, platforms, toolchain
from torchfl_sdk.header.extract import Extractor, read_bytes
from torchfl_sdk.header.fixpoint import Fixpoint, Parse
from torchfl_sdk.header.model import Excluded, HeaderModel
from torchfl_sdk.header.paths import absolute
from torchfl_sdk.header.stubs import problems_of
from torchfl_sdk.header.tables import Tables

PathLike: TypeAlias = "str | os.PathLike[str]"
_STANDARD = {"c": "-std=gnu17", "c++": "-std=gnu++17"}
#: __fp16 by value, which compilers for the chips' own processors take and libclang for this machine's does not.
_HALF = ("-Xclang", "-fnative-half-arguments-and-returns")
#: What a header may use that C++ has had since 2020 only: its library, which is missing before, and its language,
#: which libclang takes before, too, and other compilers do not.
_LATER_LIBRARY = re.compile(
    rb"\bstd::(?:span|bit_width|bit_cast|remove_cvref|same_as|ranges|integral|floating_point)\b"
    rb"|^\s*#\s*include\s*<(?:span|concepts|compare|ranges|bit|source_location|coroutine|format)>",
    re.MULTILINE,
)
_LATER_LANGUAGE = re.compile(
    rb"<=>|\boperator==[^;{}]*=\s*default\b|^\s*concept\s+\w+\s*=|\btemplate\s*<[^;{}]*>\s*requires\b"
    rb"|\b(?:consteval|constinit|co_await|co_return)\b",
    re.MULTILINE,
)


def read_headers(
    paths: Sequence[PathLike], include_dirs: Sequence[PathLike] = (), defines: Sequence[str] = ()
) -> HeaderModel:
    """Everything that a vendor's headers declare and prove.

    ``paths`` are the public headers, ``include_dirs`` further folders for their includes, ``defines`` are
    ``NAME`` or ``NAME=VALUE``. The headers are read as C, and as C++ where that leaves fewer errors. Includes,
    types and macros that are missing do not stop it: what depends on them is left out and reported in
    ``excluded`` and ``problems``.

    Raises :class:`TorchflError` (exit code 2) for a header that cannot be read, is a folder or is no C text
    (TFL0301-0303, TFL0312), for a malformed define (TFL0309), and where no function is left (TFL0304); with exit
    code 70 where libclang itself is missing (TFL0308).
    """
    contents = {path: _as_utf8(data) for path, data in errors.check_inputs(paths, include_dirs, defines).items()}
    try:
        index = cx.Index.create()
        with tempfile.TemporaryDirectory(prefix="torchfl-header-") as scratch:
            parse = _better_language(index, contents, include_dirs, defines, Path(scratch))
            parse, defines, chosen = _with_platform(parse, index, contents, include_dirs, defines, Path(scratch))
            vendor = _vendor_files(parse, contents)
            tables = Extractor(parse.unit, vendor, parse.distrust).run()
            only_c = False
            if parse.language == "c" and any(b"__cplusplus" in data for data in vendor.values()):
                other = _parse("c++", index, contents, include_dirs, defines, Path(scratch) / "also")
                only_c = bool(other.stubs.size() or other.errors)
                if any(guarded.declares(data) for data in vendor.values()):
                    _add_guarded(tables, Extractor(other.unit, vendor, other.distrust).run(), only_c)
            problems = [*chosen, *problems_of(parse.stubs, parse.errors, vendor)]
    except cx.LibclangError as error:
        raise TorchflError(Problem(errors.NO_LIBCLANG, str(error), "pip install --force-reinstall libclang")) from error
    except cx.TranslationUnitLoadError as error:
        place = Place(str(next(iter(contents))))
        cause = "libclang gave up on this header"
        raise TorchflError(Problem(errors.NOT_PARSED, cause, "check that it is C or C++", place)) from error
    except UnicodeDecodeError as error:
        place = Place(str(next(iter(contents))))
        raise TorchflError(
            Problem(errors.NOT_A_HEADER, "names in it are not UTF-8", "save it as UTF-8", place)
        ) from error
    model = _model(parse, tables, vendor, contents, include_dirs, defines, problems, only_c)
    if not model.functions and not model.methods and not model.untrusted:
        raise TorchflError(_nothing(model))
    return model


def _better_language(
    index: cx.Index,
    contents: dict[Path, bytes],
    include_dirs: Sequence[PathLike],
    defines: Sequence[str],
    scratch: Path,
) -> Parse:
    """The C reading if it is clean, else the one with fewer errors. Of a header that declares functions for C++ alone a
    clean one says nothing."""
    first = _parse("c", index, contents, include_dirs, defines, scratch / "c")
    clean = not first.errors and not first.unsuitable
    if clean and (_declares(first, contents) or not any(b"__cplusplus" in data for data in contents.values())):
        return first
    second = _parse("c++", index, contents, include_dirs, defines, scratch / "cpp")
    texts = _vendor_files(second, contents).values()
    newer = any(_LATER_LANGUAGE.search(data) for data in texts)
    if newer or (_lacks(second) and any(_LATER_LIBRARY.search(data) for data in texts)):
        later = _parse("c++", index, contents, include_dirs, defines, scratch / "later", standard=20)
        second = later if _lacks(later) < _lacks(second) + newer else second
    if clean:
        return second if _declares(second, contents) else first
    return second if first.unsuitable or len(second.errors) < len(first.errors) else first


def _declares(parse: Parse, contents: dict[Path, bytes]) -> bool:
    """True if a function is declared in the vendor's files."""
    vendor = _vendor_files(parse, contents)
    kinds = (cx.CursorKind.FUNCTION_DECL, cx.CursorKind.FUNCTION_TEMPLATE)
    scopes = [parse.unit.cursor]
    while scopes:
        for cursor in scopes.pop().get_children():
            if cursor.location.file is None or cursor.location.file.name not in vendor:
                continue
            if cursor.kind in kinds:
                return True
            if cursor.kind in (cx.CursorKind.NAMESPACE, cx.CursorKind.LINKAGE_SPEC, cx.CursorKind.UNEXPOSED_DECL):
                scopes.append(cursor)
    return False


def _lacks(parse: Parse) -> int:
    """How much of what the headers need is missing or wrong."""
    return len(parse.errors) + parse.stubs.size()


def _with_platform(
    parse: Parse,
    index: cx.Index,
    contents: dict[Path, bytes],
    include_dirs: Sequence[PathLike],
    defines: Sequence[str],
    scratch: Path,
) -> tuple[Parse, Sequence[str], list[Problem]]:
    """The parse with the platform macro under which a header that insists on one declares most."""
    names, words = platforms.wanted(parse.unit, contents, defines)
    best: tuple[int, str, Parse] | None = None
    for position, name in enumerate(names):
        folder = scratch / f"platform{position}"
        folder.mkdir()
        tried = _better_language(index, contents, include_dirs, [*defines, name], folder)
        if platforms.wanted(tried.unit, contents, [*defines, name])[1] == words:
            continue
        vendor = _vendor_files(tried, contents)
        found = len(Extractor(tried.unit, vendor, tried.distrust).run().functions)
        if best is None or found > best[0]:
            best = (found, name, tried)
    if best is None:
        return parse, defines, []
    _, name, tried = best
    others = [n for n in names if n != name]
    cause = f'the header asks for a platform ("{words}"): read with {name}'
    fix = f"pass -D {name}" + (f", or -D {others[0]} if that is the chip's" if others else "")
    place = Place(str(next(iter(contents))))
    return tried, [*defines, name], [Problem(errors.PLATFORM_CHOSEN, cause, fix, place)]


def _parse(
    language: str,
    index: cx.Index,
    contents: dict[Path, bytes],
    include_dirs: Sequence[PathLike],
    defines: Sequence[str],
    scratch: Path,
    standard: int = 17,
) -> Parse:
    chosen = _STANDARD[language].replace("++17", f"++{standard}")
    arguments = ["-x", language, chosen, "-ferror-limit=0", "-fno-spell-checking", "-w", *_HALF]
    for folder in include_dirs:
        arguments += ["-I", absolute(folder)]
    arguments += [f"-D{define}" for define in defines]
    arguments += toolchain.include_arguments(language)
    scratch.mkdir()
    return replace(Fixpoint(index, contents, arguments, language, scratch).run(), standard=standard)


def _vendor_files(parse: Parse, contents: dict[Path, bytes]) -> dict[str, bytes]:
    """Contents by the name libclang uses: the given headers and the vendor's own files that they include.

    A file below a given header's folder is the vendor's. Where that folder is one the compiler searches, such as
    /usr/include, it holds everybody's headers: there only what the vendor's files include in quotes counts.
    """
    shared = {Path(d) for language in ("c", "c++") for d in toolchain.system_include_dirs(language)}
    folders = [path.parent for path in contents if path.parent not in shared]
    vendor: dict[str, bytes] = {str(path): data for path, data in contents.items()}
    for inclusion in parse.unit.get_includes():
        if inclusion.source is None or inclusion.include is None:
            continue
        name = inclusion.include.name
        if name in vendor or toolchain.SHIM in Path(name).parents:
            continue
        below = any(Path(absolute(name)).is_relative_to(folder) for folder in folders)
        if below or (
            inclusion.source.name in vendor and _quoted(vendor[inclusion.source.name], inclusion.location.line)
        ):
            vendor[name] = read_bytes(name)
    return vendor


def _quoted(data: bytes, line: int) -> bool:
    lines = data.split(b"\n")
    return 0 < line <= len(lines) and b'"' in lines[line - 1]


def _add_guarded(tables: Tables, other: Tables, only_c: bool) -> None:
    """Adds what only C++ sees: C functions that a header declares under ``#ifdef __cplusplus``, and their types.

    ``only_c``: generated code cannot see them either, so they are recognised and not used.
    """
    known = set(tables.functions)
    for name, function in other.functions.items():
        if name in known or function.linkage != "c":
            continue
        if only_c:
            why = "declared for C++ alone, and what the header's C++ half needs is missing"
            tables.untrusted[name] = function
            tables.excluded[name] = Excluded(name, why, function.place, True)
        else:
            tables.functions[name] = function
            tables.excluded.pop(name, None)
    tables.structs = {**other.structs, **tables.structs}
    tables.enums = {**other.enums, **tables.enums}
    tables.typedefs = {**other.typedefs, **tables.typedefs}


def _model(
    parse: Parse,
    tables: Tables,
    vendor: dict[str, bytes],
    contents: dict[Path, bytes],
    include_dirs: Sequence[PathLike],
    defines: Sequence[str],
    problems: list[Problem],
    only_c: bool,
) -> HeaderModel:
    given = [Path(absolute(folder)) for folder in include_dirs]
    return HeaderModel(
        files=tuple(parse.files),
        vendor_files=tuple(Path(name) for name in vendor),
        include_dirs=(*given, *parse.stubs.include_dirs),
        prelude=parse.stubs.prelude().strip(),
        missing_includes=tuple(sorted(parse.stubs.includes)),
        defines=tuple(defines),
        language=parse.language,
        only_c=only_c,
        standard=parse.standard,
        functions=tuple(tables.functions.values()),
        methods=tuple(tables.methods.values()),
        classes=tables.classes,
        views=tables.views,
        untrusted=tuple(f for name, f in tables.untrusted.items() if name not in tables.functions),
        structs=tables.structs,
        enums=tables.enums,
        typedefs=tables.typedefs,
        constants=tables.constants,
        aliases=tables.aliases,
        excluded=tuple(e for e in tables.excluded.values() if e.name not in tables.functions),
        problems=tuple(problems),
    )


def _nothing(model: HeaderModel) -> list[Problem]:
    place = Place(str(model.files[0]))
    if model.excluded:
        cause = f"none of its {len(model.excluded)} declarations can be trusted, because what they need is missing"
        return [
            Problem(errors.NOTHING_DECLARED, cause, "add the folders of its includes with -I", place),
            *model.problems,
        ]
    cause = "no function is declared in it or in the files under its folder that it includes"
    return [
        Problem(errors.NOTHING_DECLARED, cause, "give the header that declares the functions", place),
        *model.problems,
    ]


def _as_utf8(data: bytes) -> bytes:
    """The same bytes, with what is not UTF-8 replaced one for one, so that offsets stay."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return bytes(byte if byte < 128 else ord("?") for byte in data)
    return data
