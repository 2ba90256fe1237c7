"""A header as large as a grown SDK's: what reading time is measured on.

Plain C: a runtime, typed element-wise functions, reductions, products, each with a comment as vendors write them; the
rest of the wanted lines are functions that no PyTorch op needs, as in the imaging and signal parts of real SDKs.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

TYPES = {"f32": "float", "f64": "double", "s8": "int8_t", "s32": "int32_t"}
FLOATS = ("f32", "f64")
UNARY = """abs neg relu exp log sqrt rsqrt sigmoid tanh silu sin cos tan atan erf exp2 expm1 log2 log10 log1p floor ceil
round trunc sign reciprocal""".split()  # noqa: SIM905
BINARY = ("add", "sub", "mul", "div", "maximum", "minimum", "atan2", "fmod")
REDUCTIONS = ("sum", "mean", "prod", "max", "min")
SUBJECTS = ("Histogram", "Warp", "Fft", "Resample", "Threshold", "Contour", "Demosaic", "Codec", "Filter", "Trace")
VERBS = ("Plan", "Create", "Query", "Apply", "Reset", "Bind", "Export", "Attach", "Lock", "Stat")

_HEAD = """#ifndef BIG_SDK_H
#define BIG_SDK_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
typedef enum big_status { BIG_OK = 0, BIG_INVALID = 1, BIG_NO_MEMORY = 2, BIG_NO_DEVICE = 3 } big_status_t;
typedef enum big_copy_kind { BIG_HOST_TO_DEVICE = 1, BIG_DEVICE_TO_HOST = 2, BIG_DEVICE_TO_DEVICE = 3 } big_copy_kind_t;
big_status_t big_init(void);
big_status_t big_shutdown(void);
big_status_t big_get_device_count(int *count);
big_status_t big_set_device(int device);
big_status_t big_device_synchronize(void);
big_status_t big_malloc(void **ptr, size_t size);
big_status_t big_free(void *ptr);
big_status_t big_memcpy(void *dst, const void *src, size_t size, big_copy_kind_t kind);
""".splitlines()
_TAIL = ["#ifdef __cplusplus", "}", "#endif", "#endif"]


def text(lines: int) -> str:
    """The header, of exactly ``lines`` lines. Raises ValueError if its ops alone need more."""
    found = [*_HEAD, *(line for function in _ops() for line in function)]
    others = _others()
    while len(found) + 12 + len(_TAIL) <= lines:
        found += next(others)
    if len(found) + len(_TAIL) > lines:
        raise ValueError(f"{lines} lines do not hold the ops: {len(found) + len(_TAIL)} do")
    found += ["/* reserved */"] * (lines - len(found) - len(_TAIL))
    return "\n".join([*found, *_TAIL]) + "\n"


def _function(brief: str, parameters: dict[str, str], name: str) -> list[str]:
    """A declaration under a comment that names each parameter."""
    notes = [f" * @param {word.split()[-1].strip('*')}  {note}" for word, note in parameters.items()]
    return ["/**", f" * {brief}", " *", *notes, " * @return BIG_OK, or what went wrong", " */",
            f"big_status_t {name}({', '.join(parameters)});", ""]  # fmt: skip


def _ops() -> Iterator[list[str]]:
    count = {"size_t n": "number of elements"}
    for name, kind in product(UNARY, TYPES):
        if kind in FLOATS or name in ("abs", "neg", "relu", "sign"):
            tensors = {f"const {TYPES[kind]} *in": "operand, in device memory", f"{TYPES[kind]} *out": "result"}
            yield _function(f"Element by element: {name}.", tensors | count, f"big_{name}_{kind}")
    for name, kind in product(BINARY, TYPES):
        if kind in FLOATS or name in ("add", "sub", "mul", "maximum", "minimum"):
            left, right = f"const {TYPES[kind]} *a", f"const {TYPES[kind]} *b"
            tensors = {left: "first operand", right: "second operand", f"{TYPES[kind]} *out": "result"}
            yield _function(f"Element by element: {name} of a and b.", tensors | count, f"big_{name}_{kind}")
    for name, kind in product(REDUCTIONS, FLOATS):
        tensors = {f"const {TYPES[kind]} *in": "[outer][n][inner]", f"{TYPES[kind]} *out": "[outer][inner]"}
        axes = {"size_t outer": "before the axis", "size_t n": "of the axis", "size_t inner": "after the axis"}
        yield _function(f"Along one axis: {name}.", tensors | axes, f"big_reduce_{name}_{kind}")
    for kind in FLOATS:
        real = TYPES[kind]
        words = ("int trans_a", "int trans_b", "int m", "int n", "int k", f"{real} alpha", f"const {real} *a",
                 "int lda", f"const {real} *b", "int ldb", f"{real} beta", f"{real} *c", "int ldc")  # fmt: skip
        yield _function(
            "C = alpha op(A) op(B) + beta C, row-major.", dict.fromkeys(words, "as BLAS"), f"big_gemm_{kind}"
        )


def _others() -> Iterator[list[str]]:
    """Functions of 11 lines each that no PyTorch op needs, without end."""
    for number in range(10**9):
        for subject, verb in product(SUBJECTS, VERBS):
            settings = f"const struct big_{subject.lower()} *settings"
            parameters = {"void *context": "from big_context", settings: "options", "uint32_t flags": "a set of bits",
                          "uint64_t *ticket": "may be NULL"}  # fmt: skip
            name = f"big{subject}{verb}{number or ''}"
            yield [f"struct big_{subject.lower()};", *_function(f"{verb} of {subject}.", parameters, name)]
