"""Tensor structs with structs in them, beside contexts and parameters that are structs of the caller."""

from __future__ import annotations

from pathlib import Path

import pytest

from header_helpers import header
from helpers import ROOT
from torchfl import catalogue
from torchfl_sdk.header import read_headers
from torchfl_sdk.match import match
from torchfl_sdk.match.packed import unpacked
from torchfl_sdk.match.structs import tensor_structs
from torchfl_sdk.scaffold import NewChipRequest
from torchfl_sdk.scaffold.kernel_plan import Kernel
from torchfl_sdk.scaffold.plan import ChipPlan, plan_chip

TYPES = """
#include <stdbool.h>
#include <stddef.h>
enum ac_dtype { AC_F32 = 0, AC_S32, AC_BOOL };
struct ac_shape { int rank; int dim[5]; };
struct ac_buf { void *data; enum ac_dtype dtype; struct ac_shape shape; struct { float scale; int zero; } q; };
"""
CONTEXT = "struct ac_ctx { void *scratch; size_t scratch_len; unsigned cores; };\n"
RELU = "bool ac_relu(const struct ac_ctx *ctx, const struct ac_buf *in, struct ac_buf *out);\n"


def planned(folder: Path, text: str) -> ChipPlan:
    path = header(folder, text)
    model = unpacked(read_headers([path]))
    return plan_chip(NewChipRequest("ac", (path,), out=folder), model, match(model, catalogue.OPS))


def kernel(plan: ChipPlan, op: str) -> Kernel:
    found = [k for k in plan.kernels if k.op == f"aten::{op}" and k.template != "skeleton"]
    assert len(found) == 1, [(u.function, u.reason) for u in plan.unbound]
    return found[0]


def why(plan: ChipPlan, function: str) -> str:
    assert not [k for k in plan.kernels if function in k.symbols and k.template != "skeleton"]
    return next(m.lacking for m in plan.match.matches if m.function == function)


def test_a_shape_within_a_tensor_struct_is_reached_through_it(tmp_path: Path) -> None:
    layout = tensor_structs(read_headers([header(tmp_path, TYPES + CONTEXT + RELU)]))["ac_buf"]
    assert (layout.rank, layout.sizes, layout.max_rank) == ("shape.rank", "shape.dim", 5)
    assert layout.ones == ("q.scale",)


def test_a_context_of_the_caller_has_no_room_and_one_core(tmp_path: Path) -> None:
    relu = kernel(planned(tmp_path, TYPES + CONTEXT + RELU), "relu")
    assert relu.before[:2] == ("ac_ctx own_context = {};", "own_context.cores = 1;")
    assert "vendor::ac_relu(&own_context, &self_desc, &out_desc)" in relu.cases[0].statement


def test_a_context_with_something_else_is_nobodys_to_fill(tmp_path: Path) -> None:
    strange = CONTEXT.replace("unsigned cores", "unsigned voltage")
    assert why(planned(tmp_path, TYPES + strange + RELU), "ac_relu") == (
        "nothing says what ac_ctx should have as 'voltage'"
    )


def test_a_function_whose_room_another_tells_is_not_given_none(tmp_path: Path) -> None:
    told = "size_t ac_relu_scratch_len(const struct ac_shape *in);\n"
    assert why(planned(tmp_path, TYPES + CONTEXT + RELU + told), "ac_relu") == (
        "ac_relu_scratch_len says how much room it needs, which is not asked yet"
    )


@pytest.mark.parametrize(
    ("op", "struct", "function", "called"),
    [
        ("leaky_relu", "float alpha;", "leaky_relu", "&own_context, static_cast<float>(torchfl::number("),
        ("clamp", "float lo, hi;", "clamp", "vendor::ac_clamp("),
        ("softmax", "float beta;", "softmax", "vendor::ac_softmax(&own_context, 1, &self_desc, &out_desc)"),
        ("sum", "int n_axis; int axis[5]; bool keep_dims;", "reduce_sum", "static_cast<int>(num_reduced), dims, "),
        ("permute_copy", "int n; int perm[5];", "transpose", "static_cast<int>(self.rank), perm, &self_desc"),
        ("max_pool2d", "int filter_h, filter_w, stride_h, stride_w, pad_top, pad_left, pad_bottom, pad_right;",
         "maxpool",
         "kernel_size_0, kernel_size_1, stride_0, stride_1, padding_0, padding_1, padding_0, padding_1, &self_desc"),
    ],
)  # fmt: skip
def test_parameters_come_in_structs_of_their_own(
    op: str, struct: str, function: str, called: str, tmp_path: Path
) -> None:
    text = f"""
struct ac_{function}_params {{ {struct} }};
bool ac_{function}(const struct ac_ctx *ctx, const struct ac_{function}_params *p, const struct ac_buf *in,
                   struct ac_buf *out);
"""
    assert called in " ".join(kernel(planned(tmp_path, TYPES + CONTEXT + text), op).cases[0].statement.split())


def test_over_the_last_dimension_where_no_argument_says_which(tmp_path: Path) -> None:
    text = "bool ac_softmax(const struct ac_ctx *ctx, const struct ac_buf *in, struct ac_buf *out);\n"
    plan = planned(tmp_path, TYPES + CONTEXT + text)
    assert 'if (along.inner != 1) return torchfl::unsupported("over the last dimension only");' in (
        kernel(plan, "softmax").before
    )
    assert ("inner", (1,)) in next(e for e in plan.entries if e.name == "aten::softmax").constraints


def test_what_is_reduced_along_one_dimension_is_seen_as_one(tmp_path: Path) -> None:
    text = "bool ac_reduce_max(const struct ac_ctx *ctx, int axis, const struct ac_buf *in, struct ac_buf *out);\n"
    plan = planned(tmp_path, TYPES + CONTEXT + text)
    amax = kernel(plan, "amax")
    assert amax.before[:2] == (
        "torchfl::AlongOne along_one(self, out);",
        "if (!along_one.set(call->attrs[0], torchfl::integer(call->attrs[1], 0) != 0)) "
        'return torchfl::unsupported("the dimensions lie apart");',
    )
    assert "static_cast<int>(along_one.dim()), &self_desc, &out_desc" in amax.cases[0].statement
    assert any("describe(along_one.from(), &self_desc)" in line for line in amax.before)
    assert any("describe(along_one.to(), &out_desc)" in line for line in amax.before)
    assert ("spans", (1,)) in next(e for e in plan.entries if e.name == "aten::amax").constraints


def test_norms_over_several_dimensions_are_over_one(tmp_path: Path) -> None:
    text = """
bool ac_layer_norm(const struct ac_ctx *ctx, float eps, const struct ac_buf *in, const struct ac_buf *gamma,
                   const struct ac_buf *beta, struct ac_buf *out);
"""
    before = kernel(planned(tmp_path, TYPES + CONTEXT + text), "layer_norm").before
    assert "if (call->attrs[0].count > 1) input_seen.as({rows, cols});" in before
    assert "if (call->attrs[0].count > 1) weight_seen.as({cols});" in before
    assert any("describe(weight_seen, &weight_desc)" in line for line in before)


def test_one_image_is_a_batch_of_one(tmp_path: Path) -> None:
    text = """
struct ac_pool_params { int filter_h, filter_w, stride_h, stride_w, pad_h, pad_w; };
bool ac_maxpool(const struct ac_ctx *ctx, const struct ac_pool_params *p, const struct ac_buf *in, struct ac_buf *out);
"""
    before = kernel(planned(tmp_path, TYPES + CONTEXT + text), "max_pool2d").before
    assert "if (self.rank == 3) self_seen.as({1, self.sizes[0], self.sizes[1], self.sizes[2]});" in before
    assert any("describe(out_seen, &out_desc)" in line for line in before)


def test_truth_values_are_tensors_of_a_type_of_their_own(tmp_path: Path) -> None:
    less = (
        "bool ac_less(const struct ac_ctx *ctx, const struct ac_buf *a, const struct ac_buf *b, struct ac_buf *out);\n"
    )
    assert kernel(planned(tmp_path, TYPES + CONTEXT + less), "lt").cases
    without = TYPES.replace(", AC_BOOL", "")
    assert why(planned(tmp_path / "without", without + CONTEXT + less), "ac_less") != ""


def test_a_layer_is_no_product_of_its_operands_as_they_lie(tmp_path: Path) -> None:
    dense = """
bool ac_dense(const struct ac_ctx *ctx, const struct ac_buf *in, const struct ac_buf *filter, const struct ac_buf *bias,
              struct ac_buf *out);
"""
    assert why(planned(tmp_path, TYPES + CONTEXT + dense), "ac_dense") != ""


def test_every_op_of_a_small_sdk_has_a_kernel(tmp_path: Path) -> None:
    path = ROOT / "tests" / "build_data" / "nests.h"
    model = unpacked(read_headers([path]))
    plan = plan_chip(NewChipRequest("nt", (path,), out=tmp_path), model, match(model, catalogue.OPS))
    assert {k.op.removeprefix("aten::") for k in plan.kernels if k.template != "skeleton"} == {
        "add", "amax", "bmm", "clamp", "layer_norm", "leaky_relu", "lt", "max_pool2d", "permute_copy", "relu",
        "softmax", "sum", "where",
    }  # fmt: skip
