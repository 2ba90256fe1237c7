"""Kernels of several calls over objects: what is made anew for every call, asked first, bound before it runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers import ROOT
from test_scaffold_planned import run, why

BUNTING = (ROOT / "tests" / "sdks" / "bunting.h").read_text()
EMBER = (ROOT / "tests" / "sdks" / "ember.h").read_text()


def text_of(tmp_path: Path, op: str, prefix: str) -> str:
    text = (tmp_path / "ac" / "src" / "ac_kernels.cpp").read_text()
    return " ".join(text[text.index(f"tfl_status {prefix}_{op}(") :].partition("\n}\n")[0].split())


def test_what_says_how_an_op_is_computed_is_shared_by_no_two_calls(tmp_path: Path) -> None:
    # The act object, whose type says nothing, is told apart from the handle, which has setters too.
    run(tmp_path, BUNTING.replace("ActDesc", "ActCard"))
    text = text_of(tmp_path, "relu", "bt")
    assert "owned<btActCard_t>(vendor::btDestroyActCard)" in text
    assert "btSetActCard(act, BT_ACT_RELU)" in text
    assert "kept_btHandle_t(call, &handle)" in text
    assert "btSetDeterministic" not in text


def test_how_large_a_workspace_is_may_be_asked_in_other_words(tmp_path: Path) -> None:
    run(tmp_path, BUNTING)
    text = text_of(tmp_path, "sum", "bt")
    assert text.index("vendor::btReduceScratchBytes(") < text.index("vendor::btReduce(")
    assert "along.values, static_cast<int>(along.count), BT_REDUCE_ADD, elem" in text
    pool = text_of(tmp_path, "avg_pool2d", "bt")
    assert "handle, BT_POOL_AVERAGE_COUNT_INCLUDE_PADDING, &workspace_bytes)" in pool


def test_without_the_question_it_stays_a_skeleton(tmp_path: Path) -> None:
    begin = BUNTING.index("btResult_t btReduceScratchBytes")
    end = BUNTING.index("btResult_t btReduce(")
    bound = {b.op for b in run(tmp_path, BUNTING[:begin] + BUNTING[end:]).bound}
    assert "aten::sum" not in bound
    assert "nothing says how large its workspace must be" in why(tmp_path, "btReduce")


@pytest.mark.parametrize("missing", [True, False])
def test_an_operator_is_told_how_many_elements_there_are(tmp_path: Path, missing: bool) -> None:
    begin = EMBER.index("enum em_status em_reshape_sigmoid_nc_f32")
    end = EMBER.index("enum em_status em_setup_sigmoid_nc_f32")
    bound = {b.op for b in run(tmp_path, EMBER[:begin] + EMBER[end:] if missing else EMBER).bound}
    assert ("aten::sigmoid" in bound) == (not missing)
    if missing:
        assert "no function tells the operator how many elements there are" in why(tmp_path, "em_create_sigmoid_nc_f32")


def test_an_operator_s_workspace_is_as_large_as_its_shaping_says(tmp_path: Path) -> None:
    product = """
enum em_status em_create_batch_matrix_multiply_nc_f32(uint32_t flags, em_operator_t *batch_matrix_multiply_op_out);
enum em_status em_reshape_batch_matrix_multiply_nc_f32(em_operator_t batch_matrix_multiply_op, size_t batch_size,
    size_t m, size_t k, size_t n, size_t *workspace_size, em_threadpool_t threadpool);
enum em_status em_setup_batch_matrix_multiply_nc_f32(em_operator_t batch_matrix_multiply_op, void *workspace,
    const float *lhs_input, const float *rhs_input, float *output);
"""
    run(tmp_path, EMBER.replace("/* In three steps", product + "/* In three steps"))
    text = text_of(tmp_path, "bmm", "em")
    steps = ("em_reshape_batch_matrix_multiply_nc_f32( op, ", "&workspace_size", "workspace.reserve(workspace_size)",
             "em_setup_batch_matrix_multiply_nc_f32( op, workspace.data(), ", "em_run_operator(op, ")  # fmt: skip
    places = [text.replace("(op, ", "( op, ").index(s.replace("(op, ", "( op, ")) for s in steps]
    assert places == sorted(places)
    assert "self.sizes[0]" in text
    assert "mat2.sizes[2]" in text


def test_threads_are_those_of_the_calling_one_without_an_operator_too(tmp_path: Path) -> None:
    divide = """
enum em_status em_run_divide_nd_f32(size_t num_input1_dims, const size_t *input1_shape, size_t num_input2_dims,
    const size_t *input2_shape, const float *input1, const float *input2, float *output, em_threadpool_t threadpool);
"""
    run(tmp_path, EMBER.replace("/* In three steps", divide + "/* In three steps"))
    assert "nullptr)" in text_of(tmp_path, "div", "em")


def test_a_header_of_graphs_says_that_no_op_runs_at_once(tmp_path: Path) -> None:
    header = """
#include <stdint.h>
#include <stddef.h>
typedef struct ac_builder *acBuilder;
typedef struct ac_graph *acGraph;
typedef uint32_t acOperand;
acBuilder ac_builder_new(void);
void ac_builder_free(acBuilder builder);
acOperand ac_builder_input(acBuilder builder, const char *name);
acGraph ac_builder_build(acBuilder builder, const acOperand *outputs, uint32_t count);
int ac_graph_dispatch(acGraph graph);
acOperand ac_builder_relu(acBuilder builder, acOperand x);
acOperand ac_builder_tanh(acBuilder builder, acOperand x);
acOperand ac_builder_add(acBuilder builder, acOperand a, acOperand b);
acOperand ac_builder_mul(acBuilder builder, acOperand a, acOperand b);
"""
    result = run(tmp_path, header)
    assert not result.bound
    assert [w for w in result.warnings if w.startswith("no op of the header runs at once: ")]


FAMILY = """
#include <stddef.h>
#include <stdint.h>
enum fa_status { fa_status_success = 0, fa_status_invalid, fa_status_out_of_memory };
enum fa_unary_op { fa_unary_negate, fa_unary_exp, fa_unary_square_root };
typedef struct fa_operator *fa_operator_t;
typedef struct fa_workers *fa_workers_t;
fa_workers_t fa_create_workers(size_t how_they_are_pinned);
void fa_delete_workers(fa_workers_t workers);
/* Runs an operator which has been set up. Blocks. %s */
enum fa_status fa_run_operator(fa_operator_t op, fa_workers_t workers);
enum fa_status fa_delete_operator(fa_operator_t op);
enum fa_status fa_create_unary_f32(enum fa_unary_op type, uint32_t flags, fa_operator_t *op_out);
enum fa_status fa_setup_unary_f32(fa_operator_t op, size_t count, const float *input, float *output);
"""


def test_what_sets_up_an_operator_of_a_family_is_told_by_what_made_it(tmp_path: Path) -> None:
    """The enum goes to the maker alone; workers that nothing makes are left out where the comment lets them be."""
    bound = {b.op for b in run(tmp_path, FAMILY % "workers may be NULL (the caller's thread).").bound}
    assert bound == {"aten::neg", "aten::exp", "aten::sqrt"}
    text = text_of(tmp_path, "exp", "fa")
    assert "fa_create_unary_f32(fa_unary_exp, " in text.replace("( ", "(")
    assert "fa_setup_unary_f32(" in text
    assert "fa_run_operator(op, nullptr)" in text


def test_workers_that_a_call_must_have_and_nothing_makes_keep_it_back(tmp_path: Path) -> None:
    assert run(tmp_path, FAMILY % "workers must be given.").bound == ()
    assert "how_they_are_pinned" in why(tmp_path, "fa_create_unary_f32")
