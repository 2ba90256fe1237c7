"""Functions over plain pointers that take a handle or a queue: which calls are planned, and why others are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from header_helpers import header
from torchfl import catalogue
from torchfl_sdk.header import read_headers
from torchfl_sdk.match import match
from torchfl_sdk.scaffold import NewChipRequest
from torchfl_sdk.scaffold.kernel_plan import Kernel
from torchfl_sdk.scaffold.plan import ChipPlan, plan_chip

RUNTIME = """
#include <stddef.h>
typedef enum { ACME_OK, ACME_ERROR } acme_rc;
typedef enum { ACME_ACT_RELU, ACME_ACT_TANH } acme_act;
typedef enum { ACME_F32, ACME_F16 } acme_dtype;
typedef struct acme_context *acme_handle_t;
typedef struct acme_queue *acme_stream_t;
acme_rc acme_malloc(void **p, size_t bytes);
acme_rc acme_free(void *p);
acme_rc acme_memcpy_h2d(void *dst, const void *src, size_t bytes);
acme_rc acme_memcpy_d2h(void *dst, const void *src, size_t bytes);
acme_rc acme_destroy(acme_handle_t h);
"""
CREATE = "acme_rc acme_create(acme_handle_t *h);\n"
ADD = "acme_rc acme_add(acme_handle_t h, const float *a, const float *b, float *out, size_t n);\n"
EXP = "acme_rc acme_exp(const float *x, float *y, size_t n, acme_stream_t stream);\n"


def planned(folder: Path, text: str) -> ChipPlan:
    path = header(folder, RUNTIME + text)
    model = read_headers([path])
    return plan_chip(NewChipRequest("acme", (path,), out=folder), model, match(model, catalogue.OPS))


def kernel(plan: ChipPlan, op: str) -> Kernel:
    found = [k for k in plan.kernels if k.op == f"aten::{op}" and k.template != "skeleton"]
    assert len(found) == 1, [(u.function, u.reason) for u in plan.unbound]
    return found[0]


def why(plan: ChipPlan, function: str) -> str:
    """Why no kernel calls a function."""
    assert not [k for k in plan.kernels if function in k.symbols and k.template != "skeleton"]
    return next(u.reason for u in plan.unbound if u.function == function)


@pytest.mark.parametrize(
    ("waits", "called"),
    [
        ("acme_rc acme_finish(acme_handle_t h);", "status(vendor::acme_finish(handle))"),
        ("void acme_drain(acme_handle_t h);", "(vendor::acme_drain(handle), TFL_OK)"),
        (
            "acme_rc acme_settle(acme_handle_t h); /* blocks until all of it is done */",
            "status(vendor::acme_settle(handle))",
        ),
    ],
)
def test_what_runs_in_the_threads_own_object_is_waited_for(tmp_path: Path, waits: str, called: str) -> None:
    """Nobody else has that object: a kernel that returned before could be read too soon."""
    add = kernel(planned(tmp_path, CREATE + ADD + waits), "add")
    statement = add.cases[0].statement
    assert statement.index("vendor::acme_add(") < statement.index(f"return {called};")
    assert set(add.support) == {"acme_create", "acme_destroy", called.partition("vendor::")[2].partition("(")[0]}


def test_what_only_asks_about_the_object_is_not_called(tmp_path: Path) -> None:
    add = kernel(
        planned(tmp_path, CREATE + ADD + "acme_rc acme_query(acme_handle_t h); /* whether it is done */"), "add"
    )
    assert add.support == ("acme_create", "acme_destroy")


def test_the_handle_is_made_ahead_of_the_call(tmp_path: Path) -> None:
    plan = planned(tmp_path, CREATE + ADD)
    add = kernel(plan, "add")
    assert "TFL_TRY(kept_acme_handle_t(call, &handle));" in add.before
    assert "vendor::acme_add(\n          handle, " in add.cases[0].statement
    assert add.support == ("acme_create", "acme_destroy")
    assert any("vendor::acme_create(made)" in text for text in plan.definitions)
    assert plan.match.matches[0].complete


@pytest.mark.parametrize("place", ["first", "last"])
def test_the_handle_keeps_its_place_beside_a_constant(tmp_path: Path, place: str) -> None:
    rest = "acme_act kind, const float *x, float *y, size_t n"
    arguments = f"acme_handle_t h, {rest}" if place == "first" else f"{rest}, acme_handle_t h"
    plan = planned(tmp_path, CREATE + f"acme_rc acme_activation({arguments});")
    for op in ("relu", "tanh"):
        call = kernel(plan, op).cases[0].statement
        constant = f"ACME_ACT_{op.upper()}"
        assert constant in call
        assert (call.index("handle") < call.index(constant)) == (place == "first")


def test_functions_of_several_element_types_are_one_kernel(tmp_path: Path) -> None:
    text = "".join(
        f"acme_rc acme_mul_{s}(acme_handle_t h, const {t} *a, const {t} *b, {t} *out, size_t n);\n"
        for s, t in (("f32", "float"), ("f64", "double"))
    )
    plan = planned(tmp_path, CREATE + text)
    assert kernel(plan, "mul").symbols == ("acme_mul_f32", "acme_mul_f64")
    assert next(e.dtypes for e in plan.entries if e.name == "aten::mul") == ("float32", "float64")


def test_an_element_type_as_argument_has_its_function(tmp_path: Path) -> None:
    text = "acme_rc acme_mul(acme_handle_t h, const void *a, const void *b, void *out, size_t n, acme_dtype type);"
    plan = planned(tmp_path, CREATE + text)
    assert any("vendor_dtype(" in line for line in kernel(plan, "mul").before)
    assert plan.helpers.dtypes["vendor_dtype"] == {"float32": "ACME_F32", "float16": "ACME_F16"}


def test_rows_and_matrices(tmp_path: Path) -> None:
    text = """
    acme_rc acme_softmax(acme_handle_t ctx, const float *x, float *y, size_t rows, size_t cols);
    /* Row-major. */
    acme_rc acme_matmul(acme_handle_t ctx, const float *a, const float *b, float *c, int m, int n, int k);
    """
    plan = planned(tmp_path, CREATE + text)
    assert kernel(plan, "softmax").symbols == ("acme_softmax",)
    assert kernel(plan, "mm").symbols == kernel(plan, "bmm").symbols == ("acme_matmul",)
    assert "handle" in plan.products[0].cases[0].statement


def test_matrices_of_unknown_order(tmp_path: Path) -> None:
    """With distances of rows they may be a BLAS's, by columns; without, they are taken as C's arrays until asked."""
    dense = "acme_rc acme_matmul(acme_handle_t h, const float *a, const float *b, float *c, int m, int n, int k);"
    plan = planned(tmp_path, CREATE + dense)
    assert kernel(plan, "mm").symbols == ("acme_matmul",)
    assert next(e for e in plan.entries if e.name == "aten::mm").provenance == "unverified"
    wide = dense.replace("*a,", "*a, int lda,").replace("*b,", "*b, int ldb,").replace("*c,", "*c, int ldc,")
    plan = planned(tmp_path, CREATE + wide)
    assert why(plan, "acme_matmul")
    assert "row- or column-major" in plan.match.matches[0].lacking


@pytest.mark.parametrize(
    ("create", "reason"),
    [
        ("", "no function of the header makes a acme_context"),
        ("acme_rc acme_create(acme_handle_t *h, const char *license);\n", "should get as 'license'"),
        ("acme_rc acme_create(acme_handle_t *h, int slots);\n", "should get as 'slots'"),
    ],
)
def test_handles_that_cannot_be_made(tmp_path: Path, create: str, reason: str) -> None:
    assert reason in why(planned(tmp_path, create + ADD), "acme_add")


def test_a_handle_for_a_device(tmp_path: Path) -> None:
    plan = planned(tmp_path, "acme_rc acme_create(acme_handle_t *h, int device);\n" + ADD)
    kernel(plan, "add")
    assert any("vendor::acme_create(made, static_cast<int>(call->device))" in text for text in plan.definitions)


@pytest.mark.parametrize(
    "said", ["/* NULL is the default stream. */\n", "acme_rc acme_stream_create(acme_stream_t *s);\n"]
)
def test_a_queue_beside_the_handle_or_alone(tmp_path: Path, said: str) -> None:
    exp = kernel(planned(tmp_path, said + EXP), "exp")
    assert "static_cast<acme_stream_t>(call->stream)" in exp.cases[0].statement


@pytest.mark.parametrize("handle", ["", "acme_handle_t h, "])
def test_a_queue_that_nothing_makes(tmp_path: Path, handle: str) -> None:
    plan = planned(tmp_path, CREATE + EXP.replace("acme_exp(", f"acme_exp({handle}"))
    assert "no function of the header makes a acme_stream_t" in why(plan, "acme_exp")


FERRY = """
typedef struct acme_ferry acme_ferry;
acme_rc acme_ferry_board(acme_ferry **f);
acme_rc acme_ferry_scrap(acme_ferry *f);
acme_rc acme_ferry_await(acme_ferry *f);
acme_rc acme_carry(void *dst, const void *src, size_t bytes, acme_ferry *f);
acme_rc acme_exp(const float *x, float *y, size_t n, acme_ferry *f);
acme_rc acme_matmul(const float *lhs, const float *rhs, float *dst, long rows, long inner, long cols, acme_ferry *f);
"""


def test_an_object_whose_maker_has_a_verb_of_its_own_is_made_and_ended_by_what_functions_take(tmp_path: Path) -> None:
    plan = planned(tmp_path, FERRY)
    kept = next(text for text in plan.definitions if "kept_acme_ferry" in text)
    assert "vendor::acme_ferry_board(made)" in kept
    assert "vendor::acme_ferry_scrap(made)" in kept
    assert "acme_ferry_await(" in "".join(case.statement for case in kernel(plan, "exp").cases)


def test_a_product_is_waited_for_where_it_runs_in_an_object_of_the_threads(tmp_path: Path) -> None:
    plan = planned(tmp_path, FERRY)
    assert kernel(plan, "mm").product
    (case,) = plan.products[0].cases
    assert case.statement.endswith("return status(vendor::acme_ferry_await(ferry));")
    assert not plan.products[0].batched  # a stack of products is one call after another


def test_a_function_of_one_product_is_no_stack_of_them(tmp_path: Path) -> None:
    """Without a number of products only the first would be computed."""
    plan = planned(tmp_path, FERRY.replace("inner,", "inner, int strange,"))
    assert not [k for k in plan.kernels if k.op == "aten::bmm" and k.template != "skeleton"]


def test_products_of_two_functions_have_names_of_their_own(tmp_path: Path) -> None:
    """A plain one serves mm, and one with factors serves addmm: each is a function of the generated file."""
    queue = "acme_rc acme_stream_create(acme_stream_t *stream);\n"
    factors = "int m, int n, int k, float alpha, float beta"
    plan = planned(
        tmp_path,
        queue
        + "acme_rc acme_matmul(const float *A, const float *B, float *C, int m, int n, int k, acme_stream_t stream);\n"
        + f"acme_rc acme_sgemm(const float *A, const float *B, float *C, {factors}, acme_stream_t stream);\n",
    )
    assert kernel(plan, "mm").symbols == ("acme_matmul",)
    assert kernel(plan, "addmm").symbols == ("acme_sgemm",)
    names = [product.name for product in plan.products]
    assert len(names) == len(set(names)) >= 2
    assert kernel(plan, "mm").product != kernel(plan, "addmm").product
