"""The chip's name: what it may be, and the C++ and Python identifiers made from it.

A name goes into file names, a C++ namespace, a Python module, the device selector and a CMake project, so it is a
C identifier that is no keyword of any of them. ``x1-v2`` is fine too: its ``-`` becomes ``_`` in identifiers.
"""

from __future__ import annotations

import keyword
import re

from torchfl.errors import Problem, TorchflError, register

TFL0401 = register("TFL0401", "a chip name that cannot name files, a C++ namespace and a Python module")
TFL0402 = register("TFL0402", "a device family that cannot stand in a device selector")

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*")

#: Words that the generated C++ cannot use as a namespace or function name.
_WORDS = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t class compl concept const
const_cast consteval constexpr constinit continue co_await co_return co_yield decltype default delete do double
dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace new
noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires return short
signed sizeof static static_assert static_cast struct switch template this thread_local throw true try typedef typeid
typename union unsigned using virtual void volatile wchar_t while xor xor_eq restrict std torchfl vendor kernels device
main linux unix
"""
CXX_RESERVED = frozenset(_WORDS.split())

#: Names that Windows file systems and make-like tools reserve; a project must be able to travel.
_RESERVED_FILES = frozenset({"con", "prn", "aux", "nul", "test", "install", "all", "clean", "help"})


def check_name(name: str) -> None:
    """Refuse a chip name that cannot serve; raises TorchflError TFL0401 with a name that could."""
    cause = ""
    if not name:
        cause = "the name is empty"
    elif not _NAME.fullmatch(name):
        cause = f"{name!r} is not a letter followed by letters, digits, '_' and single '-'"
    elif len(name) > 64:
        cause = f"{name!r} is longer than 64 characters"
    elif identifier(name) in CXX_RESERVED or keyword.iskeyword(identifier(name)):
        cause = f"{name!r} is a reserved word of C++ or Python, or of the generated code"
    elif name.lower() in _RESERVED_FILES:
        cause = f"{name!r} is reserved by file systems or build tools"
    if cause:
        raise TorchflError(Problem(TFL0401, cause, fix=f"a name like {suggest(name)!r}", where="NAME"))


def check_family(family: str) -> None:
    """Refuse a family that cannot stand in ``family:chip``; raises TorchflError TFL0402."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", family):
        cause = f"{family!r} is not a lower-case letter followed by lower-case letters, digits and '_'"
        raise TorchflError(Problem(TFL0402, cause, fix="xpu", where="--family"))


def identifier(name: str) -> str:
    """The C++ and Python identifier of a chip name: ``x1-v2`` -> ``x1_v2``."""
    return name.replace("-", "_")


def suggest(name: str) -> str:
    """A valid name near an invalid one, for the error's fix."""
    last = re.split(r"[/\\]", name.rstrip("/\\"))[-1]
    plain = re.sub(r"[^A-Za-z0-9_]+", "_", last).strip("_").lower()[:60]
    if not plain:
        return "mychip"
    if not plain[0].isalpha():
        plain = f"chip_{plain}"
    if plain in CXX_RESERVED or keyword.iskeyword(plain) or plain in _RESERVED_FILES:
        plain += "_chip"
    return plain
