"""Functions whose name and tensors fit an op, and which another operand or word makes another function."""

from __future__ import annotations

from pathlib import Path

import pytest

from header_helpers import header, matched
from torchfl import catalogue
from torchfl_sdk.header import read_headers
from torchfl_sdk.match import match

HEAD = """
#include <stddef.h>
typedef struct acme_tensor_s *acme_tensor;
typedef struct acme_handle_s *acme_handle;
"""

#: what it is -> the function that is none, and one with as much of a name that is an op
FUNCTIONS = {
    "sparse": ("int acme_scsrsm2_solve(acme_tensor a, acme_tensor b, acme_tensor x);",
               "int acme_solve(acme_tensor a, acme_tensor b, acme_tensor x);"),
    "factored": ("int acme_getri(int n, float *a, int lda, const int *ipiv);", ""),
    "weighted": ("int acme_linear_combination(acme_tensor x, acme_tensor y, acme_tensor z);", ""),
    "shifted": ("int acme_transform(acme_tensor x, acme_tensor y, float shift, float scale);",
                "int acme_transform(acme_tensor x, acme_tensor y);"),
    "asked": ("int acme_zero(acme_tensor x, int *is_zero);", "int acme_zero(acme_tensor x);"),
    "windowed": ("int acme_median3x3(const float *x, float *r, int rows, int cols);",
                 "int acme_median(const float *x, float *r, int n);"),
    "divided": ("int acme_norm(acme_tensor x, acme_tensor out, int axis, float epsilon);",
                "int acme_norm(acme_tensor x, acme_tensor out, int axis);"),
    "listed": ("int acme_add(const acme_tensor *inputs, int num_inputs, acme_tensor out);",
               "int acme_add(acme_tensor a, acme_tensor b, acme_tensor out);"),
    "ordered": ("int acme_sort_by_index(acme_tensor x, acme_tensor index, acme_tensor out);",
                "int acme_sort(acme_tensor x, acme_tensor out);"),
    "laid out": ("int acme_identity(acme_tensor x, acme_tensor out, int format);",
                 "int acme_identity(acme_tensor x, acme_tensor out);"),
    "of an object": ("int acme_vmul(struct acme_matrix_s *q, const float *x, float *y);", ""),
}  # fmt: skip


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_another_function(tmp_path: Path, kind: str) -> None:
    none, op = FUNCTIONS[kind]
    result = matched(tmp_path, f"{HEAD}struct acme_matrix_s;\n{none}\n")
    assert result.matches == (), kind
    assert not op or len(matched(tmp_path, f"{HEAD}{op}\n").matches) >= 1


def test_a_letter_over_objects_is_no_element_type(tmp_path: Path) -> None:
    """A scaled hyperbolic tangent takes objects, of which no type says that its letter means single precision."""
    text = (
        "namespace acme {\nclass Tensor { void *p; };\nTensor %s(const Tensor &x, float a = 0.6, float b = 1.7);\n}\n"
    )
    for name, found in (("stanh", 0), ("tanh", 1)):
        assert len(match(read_headers([header(tmp_path, text % name, "acme.hpp")]), catalogue.OPS).matches) == found


def test_a_library_that_a_header_includes_serves_no_op(tmp_path: Path) -> None:
    """One of three hundred functions is a product of floats: of the helpers of what it includes."""
    others = "\n".join(f"int acme_part{i}_open(const char *path);" for i in range(300))
    product = "void acme_mul(const float *a, const float *b, float *c, int n);"
    assert matched(tmp_path, f"{product}\n{others}").matches == ()


def test_a_number_of_another_reduction_takes_no_norm_back(tmp_path: Path) -> None:
    """An enum chooses which reduction it is; epsilon belongs to some of them and makes nothing else of the norm."""
    text = """
    typedef enum { ACME_REDUCTION_SUM, ACME_REDUCTION_MEAN, ACME_REDUCTION_NORM2 } acme_reduction;
    int acme_reduce(acme_reduction kind, acme_tensor x, acme_tensor out, int axis, float eps);
    """
    found = {m.aten for m in matched(tmp_path, HEAD + text).matches}
    assert any("norm" in aten for aten in found)
    assert any(aten.startswith("aten::sum") for aten in found)
