"""Plain pointers in forms that PyTorch has otherwise: what is matched, what is written, what a form cannot serve."""

from __future__ import annotations

from pathlib import Path

import pytest

from header_helpers import header
from torchfl import catalogue
from torchfl_sdk.header import read_headers
from torchfl_sdk.match import match
from torchfl_sdk.match.casts import combined, named_pair, way
from torchfl_sdk.match.packed import unpacked
from torchfl_sdk.scaffold import NewChipRequest
from torchfl_sdk.scaffold.kernel_plan import Kernel
from torchfl_sdk.scaffold.plan import ChipPlan, plan_chip

RUNTIME = """
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
typedef enum { ACME_OK, ACME_ERROR } acme_rc;
typedef uint16_t acme_half;
typedef struct acme_context *acme_handle_t;
acme_rc acme_create(acme_handle_t *h);
acme_rc acme_destroy(acme_handle_t h);
acme_rc acme_malloc(void **p, size_t bytes);
acme_rc acme_free(void *p);
acme_rc acme_memcpy_h2d(void *dst, const void *src, size_t bytes);
acme_rc acme_memcpy_d2h(void *dst, const void *src, size_t bytes);
"""


def planned(folder: Path, text: str) -> ChipPlan:
    path = header(folder, RUNTIME + text)
    model = unpacked(read_headers([path]))
    return plan_chip(NewChipRequest("acme", (path,), out=folder), model, match(model, catalogue.OPS))


def kernel(plan: ChipPlan, op: str) -> Kernel:
    found = [k for k in plan.kernels if k.op == f"aten::{op}" and k.template != "skeleton"]
    assert len(found) == 1, [(u.function, u.reason) for u in plan.unbound]
    return found[0]


def text_of(k: Kernel) -> str:
    """The lines of a kernel, joined and without breaks."""
    checks = (f"{condition} -> {why}" for condition, why in k.checks)
    lines = [*checks, *k.before, *(line for c in k.cases for line in (*c.before, c.statement))]
    return " ".join(" ".join(lines).split())


def limits(plan: ChipPlan, op: str) -> dict[str, tuple[object, ...]]:
    return dict(next(e for e in plan.entries if e.name == f"aten::{op}").constraints)


def why(plan: ChipPlan, function: str) -> str:
    """Why no kernel calls a function."""
    assert not [k for k in plan.kernels if function in k.symbols and k.template != "skeleton"]
    return next(u.reason for u in plan.unbound if u.function == function)


@pytest.mark.parametrize(
    ("declaration", "op", "written"),
    [
        ("acme_rc acme_adds(const float *x, float s, float *y, size_t n);", "add", "static_cast<float>(number)"),
        ("acme_rc acmeAddScalar(float *dst, const float *src, float value, int count);", "add", "static_cast<float>("),
        ("acme_rc acme_add_scalar_f64(const double *x, double *y, double c, long n);", "add", ", number, "),
        ("acme_rc acme_scale_f32(const float *x, float *y, float c, int64_t n);", "mul", "static_cast<float>(number)"),
        ("acme_rc acme_pow_scalar(const float *x, float *y, float p, int64_t n);", "pow", "static_cast<float>(number)"),
        ("acme_rc acme_add_scalar_i32(const int32_t *x, int32_t value, int32_t *y, size_t n);", "add",
         "torchfl::holds<int32_t>(number)"),
        ("acme_rc acme_sub_scalar(acme_handle_t h, const float *x, float s, float *y, size_t n);", "sub",
         "vendor::acme_sub_scalar( handle, "),
    ],
)  # fmt: skip
def test_a_number_in_a_tensor_s_place(tmp_path: Path, declaration: str, op: str, written: str) -> None:
    plan = planned(tmp_path, declaration)
    found = kernel(plan, op)
    assert written in text_of(found)
    assert "torchfl::first_number(device::api, *call, " in text_of(found)
    assert ("number *= torchfl::number(call->attrs[0], 1);" in text_of(found)) == (op in ("add", "sub"))
    assert "TFL_KERNEL_BROADCAST" in found.flags
    assert limits(plan, op)["second_numel"] == (1,)
    entry = next(e for e in plan.entries if e.name == f"aten::{op}")
    assert (entry.provenance, entry.broadcast) == ("unverified", True)


@pytest.mark.parametrize(
    ("declaration", "op", "arguments"),
    [
        ("acme_rc acme_relu_inplace(float *x, size_t n);", "relu", "torchfl::data<float>(out), static_cast<size_t>("),
        ("acme_rc acmeFloorInPlace(float *x, size_t n);", "floor", "torchfl::data<float>(out), static_cast<size_t>("),
        ("acme_rc acme_add_inplace(float *y, const float *x, size_t n);", "add",
         "torchfl::data<float>(out), torchfl::data<const float>(other), "),
        ("acme_rc acme_scale_inplace(float *x, float s, size_t n);", "mul",
         "torchfl::data<float>(out), static_cast<float>("),
    ],
)  # fmt: skip
def test_an_operand_that_is_overwritten(tmp_path: Path, declaration: str, op: str, arguments: str) -> None:
    plan = planned(tmp_path, declaration)
    found = text_of(kernel(plan, op))
    assert "TFL_TRY(torchfl::begin_as(device::api, *call, self, out));" in found
    assert f"({arguments}" in found.replace("( ", "(")
    assert "TFL_KERNEL_INPLACE" in kernel(plan, op).flags
    entry = plan.entries[0]
    assert (entry.provenance, entry.inplace) == ("unverified", True)


def test_a_function_for_the_whole_op_comes_before_one_for_a_number(tmp_path: Path) -> None:
    both = (
        "acme_rc acme_add_scalar(const float *x, float s, float *y, size_t n);\n"
        "acme_rc acme_add(const float *a, const float *b, float *y, size_t n);\n"
    )
    plan = planned(tmp_path, both)
    assert kernel(plan, "add").symbols == ("acme_add",)
    assert "serves aten::add as a whole" in why(plan, "acme_add_scalar")
    few = planned(tmp_path, "acme_rc acme_add_scalar(const double *x, float s, double *y, size_t n);")
    assert "holds few of the numbers that float64 has" in why(few, "acme_add_scalar")


@pytest.mark.parametrize(
    ("declaration", "turned"),
    [
        ("acme_rc acme_fc(const float *x, const float *w, const float *bias, float *y, int batch, int in, int out);",
         True),
        ("acme_rc acmeFullyConnected(float *dst, const float *src, const float *weights, const float *biases,"
         " uint32_t inputSize, uint32_t outputSize, uint32_t batchSize);", True),
        ("acme_rc acme_linear_f32(const float *d_x, const float *d_weight, const float *d_bias, float *d_y, int64_t m,"
         " int64_t n, int64_t k);", False),
        ("/* w is [in_features, out_features]. */\n"
         "acme_rc acme_linear(const float *x, const float *w, const float *b, float *y, int batch, int in_features,"
         " int out_features);", False),
        ("/* y = x * w^T + b */\n"
         "acme_rc acme_linear(acme_handle_t h, const float *x, const float *w, const float *b, float *y, int m, int n,"
         " int k);", True),
    ],
)  # fmt: skip
def test_linear_layers(tmp_path: Path, declaration: str, turned: bool) -> None:
    plan = planned(tmp_path, declaration)
    addmm, mm = kernel(plan, "addmm"), kernel(plan, "mm")
    assert f"TFL_TRY(b.fill(mat2, {'true' if turned else 'false'}));" in addmm.before
    assert "TFL_TRY(added.fill(self, out));" in addmm.before
    assert "TFL_TRY(added.zeros(out));" in mm.before
    assert ("TFL_KERNEL_MATRIX" in addmm.flags) == turned
    assert "TFL_KERNEL_BROADCAST" in addmm.flags
    assert limits(plan, "addmm") == {"beta": (1,), "alpha": (1,)}
    assert not limits(plan, "mm")
    assert all(e.provenance == "unverified" for e in plan.entries)


def test_a_layer_without_bias_is_a_product_alone(tmp_path: Path) -> None:
    plan = planned(tmp_path, "acme_rc acme_fc(const float *x, const float *w, float *y, int batch, int in, int out);")
    assert "added" not in text_of(kernel(plan, "mm"))
    assert [e.name for e in plan.entries] == ["aten::mm"]


@pytest.mark.parametrize(
    ("declaration", "sizes"),
    [
        ("acme_rc acme_bmm(const float *a, const float *b, float *c, int batch, int m, int n, int k);", "0 1 2 k"),
        ("acme_rc acmeBatchMatMul(float *dst, const float *lhs, const float *rhs, int m, int n, int k,"
         " int batchCount);", "1 2 k 0"),
        ("acme_rc acme_bmm_f32(const float *d_A, const float *d_B, float *d_C, int b, int m, int k, int n);",
         "0 1 k 2"),
        ("/* column-major */\n"
         "acme_rc acme_bmm(const float *a, const float *b, float *c, int batch, int m, int n, int k);", "0 2 1 k"),
    ],
)  # fmt: skip
def test_products_of_a_batch(tmp_path: Path, declaration: str, sizes: str) -> None:
    found = text_of(kernel(planned(tmp_path, declaration), "bmm"))
    expected = ["self.sizes[2]" if size == "k" else f"out.sizes[{size}]" for size in sizes.split()]
    assert ", ".join(f"static_cast<int>({size})" for size in expected) in found
    exchanged = "column" in declaration
    first, second = ("mat2", "self") if exchanged else ("self", "mat2")
    assert f"torchfl::data<const float>({first}), torchfl::data<const float>({second})" in found


def test_transpose_flags_of_dense_products_say_no(tmp_path: Path) -> None:
    plan = planned(
        tmp_path,
        "acme_rc acme_matmul(const float *a, const float *b, float *c, int m, int k, int n, bool trans_a,"
        " bool trans_b);\n"
        "acme_rc acme_bmm(const float *a, const float *b, float *c, int batch, int m, int k, int n, bool trans_a,"
        " bool trans_b);\n",
    )
    assert text_of(kernel(plan, "bmm")).endswith("static_cast<int>(out.sizes[2]), 0, 0));")
    assert "am.transposed ? 1 : 0" in " ".join(c.statement for p in plan.products for c in p.cases)
    assert {e.name: (e.layout, e.provenance) for e in plan.entries} == dict.fromkeys(
        ("aten::mm", "aten::bmm"), ("contiguous", "unverified")
    )


def test_a_product_with_a_bias_is_a_linear_layer(tmp_path: Path) -> None:
    text = "acme_rc acme_matmul_bias(const float *a, const float *b, const float *bias, float *c, int m, int n, int k);"
    plan = planned(tmp_path, text)
    assert "TFL_TRY(added.fill(self, out));" in kernel(plan, "addmm").before
    assert "TFL_TRY(b.fill(mat2, false));" in kernel(plan, "addmm").before


@pytest.mark.parametrize(
    "declaration",
    [
        "acme_rc acme_transpose2d(const float *in, float *out, int rows, int cols);",
        "acme_rc acmeTranspose(float *dst, const float *src, int height, int width);",
        "acme_rc acme_mat_transpose_f32(const float *d_x, float *d_y, int m, int n);",
    ],
)
def test_matrices_are_turned_and_copied_by_a_transpose(tmp_path: Path, declaration: str) -> None:
    plan = planned(tmp_path, declaration)
    found = text_of(kernel(plan, "permute_copy"))
    assert "(turns ? self.sizes[0] : self.numel)" in found
    assert "(turns ? self.sizes[1] : 1)" in found
    assert limits(plan, "permute_copy") == {"rank": (2,)}


@pytest.mark.parametrize(
    ("declaration", "written"),
    [
        ("acme_rc acme_concat(const float *const *inputs, const int *sizes, int count, float *out, int outer,"
         " int inner);",
         ["torchfl::runs(*call, along.outer * along.inner, &shares)", "tensors.data(), shares.data()"]),
        ("acme_rc acmeConcat(float *dst, const float **srcs, const uint32_t *lengths, uint32_t numInputs,"
         " uint32_t outer);",
         ["torchfl::runs(*call, along.outer, &shares)", "std::vector<uint32_t> shares;"]),
        ("acme_rc acme_cat_f32(const float **d_xs, float *d_y, int64_t num, const int64_t *d_widths, int64_t rows);",
         ["torchfl::DeviceArray<const float *> device_tensors(device::api, *call);", "device_shares.data()"]),
        ("acme_rc acme_concat2(const float *a, const float *b, float *out, int outer, int a_size, int b_size);",
         ["call->num_inputs != 2", "static_cast<int>(call->inputs[1].numel / (along.outer))"]),
        ("acme_rc acme_cat2_f32(const float *d_a, const float *d_b, float *d_y, long rows, long na, long nb);",
         ["torchfl::data<const float>(call->inputs[1])"]),
    ],
)  # fmt: skip
def test_lists_of_pointers_are_joined(tmp_path: Path, declaration: str, written: list[str]) -> None:
    plan = planned(tmp_path, declaration)
    found = text_of(kernel(plan, "cat"))
    assert all(line in found for line in written), found
    assert limits(plan, "cat") == ({"count": (2,)} if "2" in declaration.split("(")[0].split("_f32")[0] else {})


def test_casts_named_by_both_types_are_one_kernel(tmp_path: Path) -> None:
    plan = planned(
        tmp_path,
        "acme_rc acme_f32_to_f16(const float *in, acme_half *out, size_t n);\n"
        "acme_rc acmeCastF16ToF32(float *dst, const uint16_t *src, size_t count);\n"
        "acme_rc acme_int8_to_float(const int8_t *in, float *out, size_t n);\n"
        "acme_rc acme_float_to_int8(const float *in, int8_t *out, size_t n, float scale);\n",
    )
    found, entry = kernel(plan, "_to_copy"), plan.entries[0]
    assert set(entry.dtypes) == {"float16", "float32", "int8"}
    assert dict(entry.constraints) == {"dtype": ("float16", "float32")}
    labels = {c.label: c.statement for c in found.cases}
    assert labels["case torchfl::cast(TFL_I8, TFL_F16):"] == (
        "return torchfl::cast_twice(device::api, *call, TFL_F32, int8_to_float32, float32_to_float16);"
    )
    assert len(labels) == 4


@pytest.mark.parametrize(
    ("name", "pair"),
    [
        ("acme_f32_to_f16", ("float32", "float16")),
        ("npuCastF16ToF32", ("float16", "float32")),
        ("zz_cast_s8_f32", ("int8", "float32")),
        ("vec_half2float", ("float16", "float32")),
        ("convert_int32_to_bf16", ("int32", "bfloat16")),
        ("float_from_half", ("float16", "float32")),
        ("fp32tofp16", ("float32", "float16")),
        ("acme_cast", None),
        ("acme_to_float", None),
    ],
)
def test_the_two_types_in_a_name(name: str, pair: tuple[str, str] | None) -> None:
    assert named_pair(name) == pair


def test_a_way_through_a_third_type_loses_nothing_on_its_first_half() -> None:
    pairs = {("int8", "float32"), ("float64", "float32"), ("float32", "float16"), ("int32", "float32")}
    assert way(("int8", "float16"), pairs) == (("int8", "float32"), ("float32", "float16"))
    assert way(("float64", "float16"), pairs) is None  # would round twice
    assert way(("int32", "float16"), pairs) is not None  # what float32 rounds is beyond float16's largest number
    assert combined(pairs) == (("float32", "float64", "int32", "int8"), ("float32",))


CONV = (
    "typedef struct { %s stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w, groups; } acme_conv_params;\n"
    "acme_rc acme_conv2d(const float *x, const float *w, const float *bias, float *y, int n, int c, int h, int width,"
    " int oc, int kh, int kw, %s);\n"
)


@pytest.mark.parametrize(
    ("text", "op"),
    [
        (CONV % ("int", "const acme_conv_params *p"), "conv2d"),
        (CONV % ("uint32_t", "acme_conv_params p"), "conv2d"),
        ("struct acme_conv { int batch, in_c, in_h, in_w, out_c, k_h, k_w, s_h, s_w, p_h, p_w; };\n"
         "acme_rc acme_conv2d(const float *d_x, const float *d_w, float *d_y, const struct acme_conv *prm);\n",
         "conv2d"),
        ("typedef struct { uint32_t kernel[2], stride[2], pad[2]; bool ceilMode, countIncludePad; } AcmePool;\n"
         "acme_rc acmeMaxPool2d(float *dst, const float *src, int batch, int channels, int height, int width,"
         " const AcmePool *d);\n", "max_pool2d"),
        ("typedef struct { int n, c, h, w, kh, kw, sh, sw, ph, pw, exclude_pad; } acme_pool;\n"
         "acme_rc acme_avg_pool2d(acme_handle_t hd, const float *x, float *y, const acme_pool *p);\n", "avg_pool2d"),
    ],
)  # fmt: skip
def test_sizes_in_a_struct_beside_operands(tmp_path: Path, text: str, op: str) -> None:
    plan = planned(tmp_path, text)
    symbol = next(s for s in plan.symbols if s.name in kernel(plan, op).symbols)
    assert symbol.packed is not None
    assert symbol.packed.by_value == ("acme_conv_params p)" in text)
    assert symbol.packed.lists == (("kernel", "stride", "pad") if "AcmePool" in text else ())
    if "exclude_pad" in text:
        assert "torchfl::integer(call->attrs[4], 1) != 0 ? 0 : 1" in text_of(kernel(plan, op))


def test_structs_that_say_no_sizes_stay(tmp_path: Path) -> None:
    quantised = (
        "typedef struct { int32_t input_offset, output_offset, act_min, act_max; int stride; } acme_quant;\n"
        "acme_rc acme_conv2d(const float *x, const float *w, float *y, const acme_quant *q, int n, int c, int h,"
        " int wd, int oc, int kh, int kw);\n"
    )
    assert unpacked(model := read_headers([header(tmp_path, RUNTIME + quantised)])) == model


@pytest.mark.parametrize(
    ("argument", "none", "tanh"),
    [
        ("int approximate", "0", "1"),
        ("bool use_tanh", "0", "1"),
        ("int exact", "1", "0"),
        ("acme_gelu_kind kind", "ACME_GELU_ERF", "ACME_GELU_TANH"),
    ],
)
def test_a_choice_as_a_flag(tmp_path: Path, argument: str, none: str, tanh: str) -> None:
    kinds = "typedef enum { ACME_GELU_TANH, ACME_GELU_ERF } acme_gelu_kind;\n"
    plan = planned(tmp_path, f"{kinds}acme_rc acme_gelu(const float *x, float *y, size_t n, {argument});")
    assert f"torchfl::integer(call->attrs[0], 0) == 0 ? {none} : {tanh}" in text_of(kernel(plan, "gelu"))
    entry = plan.entries[0]
    assert (entry.provenance, entry.constraints) == ("unverified", ())


@pytest.mark.parametrize("flag", ["int keepdim", "bool keep_dims", "int keepdims"])
def test_whether_a_dimension_stays_is_passed_where_asked_for(tmp_path: Path, flag: str) -> None:
    declaration = f"acme_rc acme_sum(const float *x, float *y, int outer, int reduce, int inner, {flag});"
    assert "torchfl::integer(call->attrs[1], 0)" in text_of(kernel(planned(tmp_path, declaration), "sum"))


@pytest.mark.parametrize(
    ("declaration", "op", "written"),
    [
        ("acme_rc acme_argmax(const float *x, int32_t *out, int outer, int dim, int inner);", "argmax",
         ["torchfl::Recast<int32_t> out_recast(device::api, *call);", "return out_recast.give(out);"]),
        ("acme_rc acme_argmin(const float *x, uint32_t *out, int rows, int cols);", "argmin",
         ["torchfl::Recast<uint32_t>"]),
        ("acme_rc acme_max_with_index(const float *x, float *values, int32_t *indices, int rows, int cols);", "max.dim",
         ["TFL_TRY(indices_recast.reserve(indices));", "return indices_recast.give(indices);"]),
        ("acme_rc acme_greater(const float *a, const float *b, int32_t *out, size_t n);", "gt",
         ["torchfl::Recast<int32_t> out_recast"]),
        ("acme_rc acme_less(const float *a, const float *b, float *out, size_t n);", "lt",
         ["torchfl::Recast<float> out_recast"]),
        ("acme_rc acme_where(const int32_t *cond, const float *a, const float *b, float *out, size_t n);", "where",
         ["TFL_TRY(condition_recast.fill(condition));"]),
        ("acme_rc acme_where(const uint8_t *cond, const float *a, const float *b, float *out, size_t n);", "where",
         ["torchfl::data<const uint8_t>(condition)"]),
        ("acme_rc acme_masked_fill(const float *x, const uint8_t *mask, float *y, float value, size_t n);",
         "masked_fill", ["torchfl::data<const uint8_t>(mask)"]),
    ],
)  # fmt: skip
def test_places_and_masks_of_other_elements(tmp_path: Path, declaration: str, op: str, written: list[str]) -> None:
    found = text_of(kernel(planned(tmp_path, declaration), op))
    assert all(line in found for line in written), found
