"""Writes a header in a style, with the labels that say what each of its functions is."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from restyle.concepts import CONCEPTS, NO_OPS, Concept
from restyle.conventions import RETURNED, Style
from restyle.forms import Argument, arguments, desc_name, type_name


@dataclass
class Written:
    """A header's text; per function what it is and the roles of its arguments; per runtime role its function."""

    text: str
    functions: dict[str, tuple[Concept, dict[str, str]]] = field(default_factory=dict)
    runtime: dict[str, str] = field(default_factory=dict)


#: The C library's own, which a header cannot declare anew.
_KEYWORDS = frozenset(
    """abs exp log sqrt sin cos tan floor ceil round fmod pow select copysign hypot fabs log2 log10 exp2 log1p expm1
    atan2 erf erfc sinh cosh tanh asinh acosh atanh asin acos atan trunc mod div rint mean""".split()  # noqa: SIM905
)


def write(seed: int, ops: int = 24, no_ops: int = 6, *, odd: bool = False) -> tuple[Style, Written]:
    """The header of a seed."""
    style, r = Style.draw(seed, odd=odd), random.Random(seed * 7919 + 1)
    made = Written("")
    lines = _head(style)
    _runtime(style, made, lines)
    if style.scope:
        lines.append(f"}}\nnamespace {style.scope} {{")
    for concept in (*r.sample(CONCEPTS, ops), *r.sample(NO_OPS, no_ops)):
        words = r.choice(concept.names).split()
        elementwise = concept.form in ("unary", "binary", "scalar")
        told = elementwise or (style.carrier == "unnamed" and concept.form in _OF_OBJECTS)
        if (style.unnamed and not told) or (style.carrier in RETURNED and concept.form in _WRITING):
            continue
        if style.dtype == "prefix_letter" and len(words) > 1:
            words = ["".join(words)]
        name = style.function(words, elementwise=elementwise)
        full = f"{style.scope}::{name}" if style.scope else name
        if full in made.functions or (name in _KEYWORDS and not style.scope):
            continue
        given = arguments(concept, style, r)
        made.functions[full] = concept, {n: role for n, role, _ in given if role}
        lines += _comment(style, concept, given)
        declared = ", ".join(type_ if style.unnamed else _declare(type_, n) for n, _, type_ in given)
        more = ", ..." if style.carrier == "varargs" else ""
        lines.append(f"{_result(style)}{name}({declared}{more});")
    lines.append("}\n#endif" if style.scope else "#ifdef __cplusplus\n}\n#endif\n#endif")
    made.text = "\n".join(lines) + "\n"
    return style, made


#: Forms of which a function over objects needs nothing but its operands.
_OF_OBJECTS = ("reduce", "rows", "matmul", "copy")
#: Forms that write what they are given, which a function that returns a new object does not.
_WRITING = ("fill", "axpy", "gemm", "gemv", "topk")


def _comment(style: Style, concept: Concept, given: Sequence[Argument]) -> list[str]:
    if style.comments == "doxygen":
        told = "".join(f" * @param {name} see above\n" for name, _, _ in given)
        return [f"/**\n * @brief {concept.names[0].capitalize()}.\n{told} */"]
    return [f"/* {concept.names[0]} of the operands */"] if style.comments == "plain" else []


def _declare(type_: str, name: str) -> str:
    return f"{type_}{name}" if type_.endswith(("*", "&")) else f"{type_} {name}"


def _result(style: Style) -> str:
    if style.carrier in RETURNED:
        held = type_name(style, style.noun)
        return {"wrapped": f"Outcome<{held}> ", "shared": f"std::shared_ptr<{held}> "}.get(style.carrier, f"{held} ")
    upper, status = (style.prefix or "lib").upper(), type_name(style, "status")
    kinds = {
        "int": "int ",
        "enum": f"{status} ",
        "void": "void ",
        "bool": "bool ",
        "macro": f"{upper}_API {status} {upper}_CALL ",
    }
    return ("template <typename T> " if style.carrier == "template" else "") + kinds[style.status]


def _head(style: Style) -> list[str]:
    upper, base = (style.prefix or "lib").upper(), style.prefix or "lib"
    status, dtype, tensor = (type_name(style, what) for what in ("status", "dtype", "tensor"))
    lines = [
        f"#ifndef {upper}_H\n#define {upper}_H\n#include <stddef.h>\n#include <stdint.h>\n#include <stdbool.h>",
        f'#define {upper}_API __attribute__((visibility("default")))\n#define {upper}_CALL',
        'extern "C" {' if style.scope else '#ifdef __cplusplus\nextern "C" {\n#endif',
        f"typedef enum {{ {upper}_SUCCESS = 0, {upper}_INVALID = 1, {upper}_NO_MEMORY = 2 }} {status};",
        f"typedef enum {{ {upper}_FLOAT32 = 0, {upper}_FLOAT16 = 1, {upper}_INT8 = 2, {upper}_INT32 = 3 }} {dtype};",
        f"typedef struct {base}_stream_st *{type_name(style, 'stream')};",
        f"typedef struct {base}_ctx_st *{type_name(style, 'handle')};",
    ]
    fields = f"void *data; int32_t ndim; int64_t shape[8]; int64_t strides[8]; {dtype} dtype;"
    lines += {
        "struct": [f"typedef struct {{ {fields} }} {tensor};"],
        "value": [f"typedef struct {{ {fields} }} {tensor};"],
        "handle": [f"typedef struct {base}_tensor_st *{tensor};"],
        "desc": [f"typedef struct {base}_desc_st *{desc_name(style)};"],
        "buffer": [f"typedef struct {base}_mem_st *{type_name(style, 'mem')};"],
        "object": [f'}}\nclass {upper}_API {tensor} {{ public: {tensor}(); private: void *impl_; }};\nextern "C" {{'],
        **_odd(style),
    }.get(style.carrier, [])
    return lines


def _odd(style: Style) -> dict[str, list[str]]:
    """What declares the carriers of which neither name nor fields say what they are."""
    held = type_name(style, style.noun)
    opaque = [f"typedef struct {held}_s {held};"]
    body = f"{{ public: {held}(); private: void *impl_; }};"
    return {
        "expression": [f'}}\nclass {held} {body}\nextern "C" {{'],
        "wrapped": [f'}}\ntemplate <typename T> class Outcome {{ T held; }};\nclass {held} {body}\nextern "C" {{'],
        "shared": [f'}}\n#include <memory>\nclass {held} {body}\nextern "C" {{'],
        "integer": [f"typedef uint32_t {held};"],
        "ranked": [f"typedef struct {{ unsigned char *bits; short r; long e[6]; int flags; }} {held};"],
        "varargs": opaque,
        "unnamed": opaque,
        "pair": opaque,
        "address": [f"typedef struct {held}_s *{held};"],
    }


def _runtime(style: Style, made: Written, lines: list[str]) -> None:
    plain = replace(style, dtype="", verb="", carrier="typed")
    stream = type_name(style, "stream")
    for role, words, given in (
        ("malloc", ("malloc",), "void **ptr, size_t size"),
        ("free", ("free",), "void *ptr"),
        ("stream_create", ("stream", "create"), f"{stream} *stream"),
        ("stream_sync", ("stream", "synchronize"), f"{stream} stream"),
        ("memcpy_h2d", ("memcpy", "htod"), "void *dst, const void *src, size_t size"),
        ("memcpy_d2h", ("memcpy", "dtoh"), "void *dst, const void *src, size_t size"),
    ):
        if style.prefix:
            made.runtime[role] = plain.function(words)
            lines.append(f"{_result(plain)}{made.runtime[role]}({given});")
