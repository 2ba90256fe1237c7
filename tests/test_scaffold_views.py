"""Which structs are vectors and matrices of the caller, and which say more than a kernel could fill in."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchfl_sdk.header import read_headers
from torchfl_sdk.scaffold.styles.views import View, view_of


def read(tmp_path: Path, fields: str, before: str = "") -> View | None:
    header = tmp_path / "acme.h"
    text = (
        f"#include <stddef.h>\n{before}\ntypedef struct {{ {fields} }} acme_array;\nvoid acme_f(const acme_array *a);\n"
    )
    header.write_text(text)
    model = read_headers((header,))
    function = model.function("acme_f")
    assert function is not None
    return view_of(model, function.params[0].type)


@pytest.mark.parametrize(
    ("fields", "extents", "step", "dtype", "narrow"),
    [
        ("size_t size; size_t stride; float *data;", ("size",), "stride", "float32", ""),
        ("double *v; int n;", ("n",), "", "float64", "int"),
        ("float *p; long len; int owner; struct acme_block *block;", ("len",), "", "float32", ""),
        ("size_t size1; size_t size2; size_t tda; double *data;", ("size1", "size2"), "tda", "float64", ""),
        ("int rows, cols, ld; float *values;", ("rows", "cols"), "ld", "float32", "int"),
        ("long m, n; float *a;", ("m", "n"), "", "float32", ""),
    ],
)
def test_a_pointer_and_its_extents(
    tmp_path: Path, fields: str, extents: tuple[str, ...], step: str, dtype: str, narrow: str
) -> None:
    view = read(tmp_path, fields, "struct acme_block;")
    assert view is not None
    assert (view.extents, view.step, view.dtype, view.narrow) == (extents, step, dtype, narrow)
    assert view.is_matrix == (len(extents) == 2)


@pytest.mark.parametrize(
    "fields",
    [
        "float *data;",  # how many?
        "float *data; size_t size; int flags;",  # flags of what?
        "float *re; float *im; size_t size;",  # two memories
        "const float *data; size_t size;",  # nothing to write to
        "void *data; size_t size;",  # of what?
        "int *data; size_t size;",
        "float *data; size_t size; float scale;",
        "float *data; size_t size; void (*release)(float *);",
        "float *data; size_t size; size_t capacity;",
        "float *data; int rows, cols, depth;",
        "float data[4]; size_t size;",
        "float *data; size_t size; char *name;",
    ],
)
def test_what_says_more_or_less_is_none(tmp_path: Path, fields: str) -> None:
    assert read(tmp_path, fields) is None


def test_a_struct_is_filled_over_memory_that_stays_the_tensors(tmp_path: Path) -> None:
    view = read(tmp_path, "int rows, cols; int ld; float *values; int owned;")
    assert view is not None
    assert view.helper == "\n".join(
        [
            "// A matrix over memory that it does not own.",
            "acme_array acme_array_over(void* data, int64_t rows, int64_t columns, int64_t step) {",
            "  acme_array made{};",
            "  made.values = static_cast<float*>(data);",
            "  made.rows = static_cast<decltype(made.rows)>(rows);",
            "  made.cols = static_cast<decltype(made.cols)>(columns);",
            "  made.ld = static_cast<decltype(made.ld)>(step);",
            "  return made;",
            "}",
        ]
    )
