"""Names that SDKs copy from public vocabularies of ops, in the usual spellings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from header_helpers import matched
from public_names import FORMS, OTHERS, TABLE

HEAD = """#include <stddef.h>
#include <stdint.h>
typedef struct acme_tensor { void *data; int ndim; int64_t dims[8]; int dtype; } acme_tensor;
typedef struct acme_context *acme_handle;
"""
ELEMENTS = ("unary", "binary", "compare", "scalar", "bits", "bits2", "slope", "limits", "ternary", "predicate")
VECTORS = (*ELEMENTS, "reduce", "dot", "place", "copy", "fill", "zero")
LAYERS = ("pool", "conv", "linear", "norm", "stats", "softmax", "unary")
IMAGES = ("pool", "conv", "sizes", "stats")
BLAS = ("axpy", "gemm", "gemv")


def _pascal(words: list[str]) -> str:
    return "".join(word.capitalize() for word in words)


def _snake(words: list[str]) -> str:
    return "_".join(words)


#: spelling -> the name made of an op's words, and the forms that are spelled so (all without one)
SPELLINGS: dict[str, tuple[Callable[[list[str]], str], tuple[str, ...]]] = {
    "acme_add": (lambda w: f"acme_{_snake(w)}", ()),
    "acmeAdd": (lambda w: f"acme{_pascal(w)}", ()),
    "ACME_ADD": (lambda w: f"ACME_{_snake(w).upper()}", ()),
    "acme_add_f32": (lambda w: f"acme_{_snake(w)}_f32", ()),
    "acme_float_add": (lambda w: f"acme_f32_{_snake(w)}", ()),
    "acme_add_float": (lambda w: f"acme_{_snake(w)}_float", ()),
    "add_float": (lambda w: f"{_snake(w)}_float", ()),
    "add_cpu": (lambda w: f"{_snake(w)}_cpu", ()),
    "acme_add_cuda": (lambda w: f"acme_{_snake(w)}_cuda", ()),
    "acmeAddForward": (lambda w: f"acme{_pascal(w)}Forward", ()),
    "acme_add_fwd": (lambda w: f"acme_{_snake(w)}_fwd", ()),
    "launch_add_kernel": (lambda w: f"launch_{_snake(w)}_kernel", ()),
    "acmeLaunchAdd": (lambda w: f"acmeLaunch{_pascal(w)}", ()),
    "acme_add_op": (lambda w: f"acme_{_snake(w)}_op", ()),
    "acme_op_add": (lambda w: f"acme_op_{_snake(w)}", ()),
    "do_add": (lambda w: f"do_{_snake(w)}", ()),
    "acme_run_add": (lambda w: f"acme_run_{_snake(w)}", ()),
    "acmeComputeAdd": (lambda w: f"acmeCompute{_pascal(w)}", ()),
    "acme_nn_add": (lambda w: f"acme_nn_{_snake(w)}", ()),
    "acmeAdd_v2": (lambda w: f"acme{_pascal(w)}_v2", ()),
    "acme_add_async": (lambda w: f"acme_{_snake(w)}_async", ()),
    "acmeAddEx": (lambda w: f"acme{_pascal(w)}Ex", ()),
    "acme_add_out": (lambda w: f"acme_{_snake(w)}_out", ()),
    "acme_tensor_add": (lambda w: f"acme_tensor_{_snake(w)}", ()),
    "acmeAddTensor": (lambda w: f"acme{_pascal(w)}Tensor", ()),
    "acme_saxpy": (lambda w: f"acme_s{''.join(w)}", BLAS),
    "acme_add_layer": (lambda w: f"acme_{_snake(w)}_layer", LAYERS),
    "acme_add_nhwc": (lambda w: f"acme_{_snake(w)}_nhwc", IMAGES),
    "acme_vadd": (lambda w: f"acme_v{''.join(w)}", ELEMENTS),
    "acme_v_add": (lambda w: f"acme_v_{_snake(w)}", ELEMENTS),
    "acme_add_v": (lambda w: f"acme_{_snake(w)}_v", ELEMENTS),
    "acmeAddVec": (lambda w: f"acme{_pascal(w)}Vec", ELEMENTS),
    "acmeVecAdd": (lambda w: f"acmeVec{_pascal(w)}", ELEMENTS),
    "acme_vector_add": (lambda w: f"acme_vector_{_snake(w)}", VECTORS),
    "acme_array_add": (lambda w: f"acme_array_{_snake(w)}", VECTORS),
    "acme_elementwise_add": (lambda w: f"acme_elementwise_{_snake(w)}", ELEMENTS),
    "acme_eltwise_add": (lambda w: f"acme_eltwise_{_snake(w)}", ELEMENTS),
    "acmeEwAdd": (lambda w: f"acmeEw{_pascal(w)}", ELEMENTS),
}

#: What one spelling makes ambiguous: an op's words together with those of the spelling are another name, or a shorter
#: name beside them with the same arguments says that the further word makes a difference.
_WITHOUT_PREFIX = {"group_convolution", "bitwise_invert"}
_WITHOUT_PREFIX |= {f"bitwise_{name}" for name in ("left_shift", "right_shift", "and", "or", "xor")}
AMBIGUOUS = {"add_cpu": _WITHOUT_PREFIX, "add_float": _WITHOUT_PREFIX, "acme_add_v": {"invert"}}


def rows(table: str) -> Iterator[tuple[str, set[str], list[str]]]:
    for line in table.strip().splitlines():
        form, *ops, names = [part.strip() for part in line.split("|")]
        for name in names.split():
            yield form, set(ops[0].split()) if ops else set(), name.split("_")


def _stems(aten: str) -> set[str]:
    stem = aten.removeprefix("aten::").partition(".")[0]
    return {stem, stem.rstrip("_")}


def named(folder: Path, functions: dict[str, str]) -> dict[str, set[str]]:
    """The ops, without overloads, that a header of these functions (name -> form) offers, by function."""
    text = "".join(f"int {name}({FORMS[form]});\n" for name, form in functions.items())
    found: dict[str, set[str]] = defaultdict(set)
    for match in matched(folder, HEAD + text).matches:
        for aten in (match.aten, *match.alternatives):
            found[match.function] |= _stems(aten)
    return found


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_names_of_public_vocabularies_are_read(tmp_path: Path, spelling: str) -> None:
    spell, forms = SPELLINGS[spelling]
    meant: dict[str, tuple[str, set[str], str]] = {}
    for form, ops, words in rows(TABLE):
        name = "_".join(words)
        if (not forms or form in forms) and name not in AMBIGUOUS.get(spelling, ()):
            spelled = spell(words)
            if form.startswith("bits"):
                spelled = spelled.replace("f32", "i32").replace("float", "int")
            meant.setdefault(spelled, (form, ops, name))
    found = named(tmp_path, {name: form for name, (form, _, _) in meant.items()})
    missed = {name: sorted(found[name]) for name, (_, ops, _) in meant.items() if not found[name] & ops}
    assert not missed, f"{len(missed)} of {len(meant)}"


@pytest.mark.parametrize("spelling", ["acme_add", "acmeAdd", "acme_add_f32", "acme_add_cuda"])
def test_what_only_resembles_an_op_is_none(tmp_path: Path, spelling: str) -> None:
    spell, _ = SPELLINGS[spelling]
    words = [("unary", ["relu"]), ("binary", ["add"])]  # that the header has ops at all
    words += [(form, name) for form, _, name in rows(OTHERS)]
    found = named(tmp_path, {spell(name): form for form, name in words})
    assert {name for name, ops in found.items() if ops} == {spell(["relu"]), spell(["add"])}
