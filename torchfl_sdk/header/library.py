"""Names of the C and the C++ library that a vendor may use without including them; they mean the same everywhere."""

from __future__ import annotations

import re
from collections.abc import Iterable

#: Names of the C library, and the header that has each.
C_LIBRARY = {
    **dict.fromkeys(("size_t", "ptrdiff_t", "wchar_t"), "stddef.h"),
    **{f"{u}int{n}_t": "stdint.h" for u in ("", "u") for n in (8, 16, 32, 64)},
    **dict.fromkeys(("intptr_t", "uintptr_t"), "stdint.h"),
    "va_list": "stdarg.h",
    "FILE": "stdio.h",
}
#: The same of the C++ library, behind ``std::``.
CPP_LIBRARY = {
    **{n: n for n in ("vector", "string", "array", "optional", "complex", "map", "set", "list", "tuple", "deque",
                      "bitset", "variant", "any", "unordered_map", "unordered_set", "exception", "atomic", "mutex",
                      "thread", "queue", "span", "initializer_list", "string_view", "future", "condition_variable",
                      "filesystem", "chrono")},
    **dict.fromkeys(("shared_ptr", "unique_ptr", "weak_ptr", "enable_shared_from_this", "make_shared", "make_unique",
                     "allocator"), "memory"),
    **dict.fromkeys(("pair", "move", "forward", "make_pair", "in_place", "index_sequence"), "utility"),
    **dict.fromkeys(("nullopt", "nullopt_t", "make_optional"), "optional"),
    **dict.fromkeys(("monostate", "visit", "holds_alternative"), "variant"),
    **dict.fromkeys(("get", "tie", "make_tuple", "apply", "tuple_size"), "tuple"),
    **dict.fromkeys(("size_t", "ptrdiff_t", "nullptr_t", "byte", "max_align_t"), "cstddef"),
    **{f"{u}int{n}_t": "cstdint" for u in ("", "u") for n in (8, 16, 32, 64)},
    **dict.fromkeys(("intptr_t", "uintptr_t"), "cstdint"),
    **dict.fromkeys(("ostream", "istream", "stringstream", "ostringstream", "istringstream"), "sstream"),
    **dict.fromkeys(("ifstream", "ofstream", "fstream"), "fstream"),
    **dict.fromkeys(("cout", "cerr", "endl"), "iostream"),
    **dict.fromkeys(("enable_if", "enable_if_t", "is_same", "is_same_v", "decay_t", "true_type", "false_type",
                     "conditional_t", "is_integral_v", "is_floating_point_v", "is_arithmetic_v", "remove_cv_t",
                     "remove_reference_t", "integral_constant", "underlying_type_t", "is_base_of_v", "void_t",
                     "remove_cvref_t", "is_convertible_v", "invoke_result_t"), "type_traits"),
    **dict.fromkeys(("runtime_error", "logic_error", "invalid_argument", "out_of_range"), "stdexcept"),
    **dict.fromkeys(("function", "reference_wrapper", "hash", "plus", "less", "ref", "cref"), "functional"),
    **dict.fromkeys(("to_string", "getline", "basic_string", "wstring"), "string"),
    **dict.fromkeys(("lock_guard", "unique_lock", "recursive_mutex"), "mutex"),
    **dict.fromkeys(("begin", "end", "iterator_traits", "back_inserter"), "iterator"),
    **dict.fromkeys(("min", "max", "copy", "transform", "sort"), "algorithm"),
    "numeric_limits": "limits",
    "error_code": "system_error",
}  # fmt: skip
_SAID = re.compile(r"\bstd\s*::\s*(\w+)")


def wanted(texts: Iterable[str]) -> set[str]:
    """The C++ library's headers for what these texts name behind ``std::``, in macros too."""
    return {CPP_LIBRARY[name] for text in texts for name in _SAID.findall(text) if name in CPP_LIBRARY}
