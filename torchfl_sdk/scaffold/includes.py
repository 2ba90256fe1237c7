"""What the vendor's headers need around their #include, so that C++ accepts them as the reader did."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from torchfl_sdk.header.model import HeaderModel
from torchfl_sdk.match.tokens import words

#: Words of C++ that a C header may use as names, and that a macro can rename.
_KEYWORDS = frozenset(
    re.findall(
        r"\w+",
        "alignas alignof bool catch char16_t char32_t class concept const_cast constexpr decltype delete dynamic_cast "
        "explicit export false friend mutable namespace new noexcept nullptr operator private protected public "
        "reinterpret_cast requires static_assert static_cast template this thread_local throw true try typeid "
        "typename using virtual wchar_t",
    )
)
_STANDARD = re.compile(
    rb"^\s*#\s*include\s*<((?:assert|complex|ctype|errno|fenv|float|inttypes|limits|locale|math|setjmp|signal|stdalign"
    rb"|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|string|time|wchar|wctype)\.h)>",
    re.MULTILINE,
)

#: C's own headers, ahead of a view in which they would take C++ for C.
_BEFORE_C = words(
    "assert.h ctype.h errno.h float.h inttypes.h limits.h locale.h math.h setjmp.h signal.h stdarg.h stdbool.h "
    "stddef.h stdint.h stdio.h stdlib.h string.h time.h wchar.h"
)
_C_VIEW = (
    "// Their C++ half needs headers that are not there, so they are read as C, as they were for this project.",
    'extern "C" {',
    "#pragma GCC diagnostic push",
    '#pragma GCC diagnostic ignored "-Wbuiltin-macro-redefined"',
    '#pragma push_macro("__cplusplus")',
    "#undef __cplusplus",
)
_C_VIEW_ENDS = (
    '#pragma pop_macro("__cplusplus")',
    "#pragma GCC diagnostic pop",
    '}  // extern "C"',
    "#undef static_assert  // which C's assert.h defines, each time that it is included",
)

#: A C header that knows of C++ says of itself what has C's linkage.
_OF_CXX = re.compile(rb'extern\s+"C|\b(?:template|class|namespace|operator)\b')
_COMPLEX = re.compile(rb"#\s*include\s*<complex\.h>")
_DEFINED = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
#: Headers of a C library that declare nothing for C++ beyond what they declare for C.
_SYSTEM = re.compile(
    r"(?:sys|netinet|arpa|bits|linux)/[\w./]+|(?:unistd|pthread|fcntl|dlfcn|strings|memory|malloc|alloca|poll|semaphore"
    r"|sched|getopt|values|endian|byteswap|varargs)\.h"
)

_ANY = re.compile(rb"^[ \t]*#[ \t]*include[ \t]*[<\"]([\w./+-]+)[>\"]", re.MULTILINE)

#: Where stand-ins for missing includes go, below ``src``; the name says that every run rewrites it.
MISSING = "missing.gen.d"


@dataclass(frozen=True)
class Includes:
    """``before``: lines ahead of the vendor's headers; ``after``: behind them; ``missing``: stood in for."""

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def plan_includes(model: HeaderModel, own: Collection[str] = ()) -> Includes:
    """The lines around the #includes of a header that C++ does not take as it is; nothing for one that it does.

    ``own``: names of functions in the generated code, which no macro of the header may replace.
    """
    # A stand-in for a missing include counts as the vendor's, and is gone by now.
    texts = [f.read_bytes() for f in model.vendor_files if f.is_file()]
    renamed = sorted({n for n in _names(model) if n in _KEYWORDS}) if model.language == "c" else []
    c_only = model.language == "c" and (model.only_c or not any(b"__cplusplus" in t for t in texts))
    # Without it a function of the C library that the header declares too would be another one.
    bare = model.language == "c" and not model.only_c and not any(_OF_CXX.search(t) for t in texts)
    bare = bare and all(map(_SYSTEM.fullmatch, other_includes(model)))
    before: list[str] = []
    macros: list[str] = []
    if c_only or renamed or bare:
        before.append("// A header for C: its words that C++ spells otherwise. Nothing here is linked.")
        standard = {m.decode() for t in texts for m in _STANDARD.findall(t)}
        standard |= set(_BEFORE_C) if model.only_c or bare else set()
        # Ahead of the macros: these headers are C++'s own.
        before += [f"#include <{name}>" for name in sorted(standard | {"stddef.h", "stdint.h"})]
        macros += ["restrict __restrict", "_Bool bool"] if c_only else []
        macros += [f"{name} {name}_" for name in renamed]
        before += [f"#define {m}" for m in macros]
    if model.prelude:
        before.append("// Stands in for what no header of the SDK declares; what depends on it is not used here.")
        before += model.prelude.splitlines()
    if c_only and any(_COMPLEX.search(t) for t in (*texts, model.prelude.encode())):  # C's own header defines the word
        macros.append("complex _Complex")
        before.append(f"#define {macros[-1]}")
    before += ['extern "C" {'] if bare else []
    defined = {name.decode() for t in texts for name in _DEFINED.findall(t)}
    after = ['}  // extern "C"'] if bare else []
    after += [f"#undef {m.split()[0]}" for m in macros] + [f"#undef {name}" for name in sorted(defined & set(own))]
    if model.only_c:
        before += _C_VIEW
        after = [*_C_VIEW_ENDS, *after]
    return Includes(
        tuple(before),
        tuple(after),
        model.missing_includes,
    )


def other_includes(model: HeaderModel) -> tuple[str, ...]:
    """What the vendor's headers include that is neither theirs nor the C library's, as their #includes write it."""
    texts = [f.read_bytes() for f in model.vendor_files if f.is_file()]
    own = {f.name for f in model.vendor_files}
    standard = {name for t in texts for name in _STANDARD.findall(t)}
    found = dict.fromkeys(name for t in texts for name in _ANY.findall(t) if name not in standard)
    return tuple(name.decode() for name in found if name.decode().rsplit("/", 1)[-1] not in own)


def _names(model: HeaderModel) -> Iterator[str]:
    """Every name that a declaration gives, where a keyword may stand."""
    for function in model.functions:
        yield function.name
        yield from (p.name for p in function.params)
    for struct in model.structs.values():
        yield struct.name
        yield from (f.name for f in struct.fields)
    yield from (e.name for e in model.excluded)
    yield from model.typedefs
