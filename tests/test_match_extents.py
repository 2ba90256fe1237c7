"""Functions over plain pointers that get extents as integers: which argument is which, and what is left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from header_helpers import matched, reason
from torchfl_sdk.match import MatchResult
from torchfl_sdk.match.model import Binding


def only(result: MatchResult, op: str) -> tuple[Binding, list[str]]:
    binding = result.binding(f"aten::{op}")
    assert binding is not None, [u.reason for u in result.unbound]
    return binding, [a.role for a in binding.calls[0].arguments]


IMAGES = ["batch", "channels", "height", "width"]


@pytest.mark.parametrize(
    ("declaration", "op", "expected"),
    [
        ("int acme_conv2d(const float *input, const float *weight, const float *bias, float *output, int n, int ic,"
         " int ih, int iw, int oc, int kh, int kw, int stride_h, int stride_w, int pad_h, int pad_w, int groups);",
         "conv2d",
         ["input", "weight", "bias", "out", *IMAGES, "out_channels", "kernel_height", "kernel_width", "stride.0",
          "stride.1", "padding.0", "padding.1", "groups"]),
        ("int acme_conv2d(const float *x, const float *w, float *y, int batch, int in_channels, int height, int width,"
         " int out_channels, int kernel_size, int stride, int padding, int dilation, int out_h, int out_w);", "conv2d",
         ["input", "weight", "out", *IMAGES, "out_channels", "kernel", "stride", "padding", "dilation", "out_height",
          "out_width"]),
        ("int acme_maxpool2d(const float *input, float *output, int n, int c, int h, int w, int kh, int kw, int sh,"
         " int sw, int ph, int pw);", "max_pool2d",
         ["self", "out", *IMAGES, "kernel_size.0", "kernel_size.1", "stride.0", "stride.1", "padding.0", "padding.1"]),
        ("int acme_avg_pool2d(const float *x, float *y, int n, int c, int h, int w, int k, int s, int p);",
         "avg_pool2d", ["self", "out", *IMAGES, "kernel_size", "stride", "padding"]),
        ("int acme_global_avg_pool(const float *x, float *y, int n, int c, int h, int w);", "adaptive_avg_pool2d",
         ["self", "out", *IMAGES]),
        ("int acme_group_norm(const float *x, const float *gamma, const float *beta, float *y, int n, int c, int hw,"
         " int groups, float eps);", "group_norm",
         ["input", "weight", "bias", "out", "batch", "channels", "spatial", "group", "eps"]),
        ("int acme_gather_rows(const float *x, const long *idx, float *y, int n_idx, int cols);", "index_select",
         ["self", "index", "out", "count", "inner"]),
        ("int acme_embedding(const float *table, const long *ids, float *y, int num_ids, int dim);", "embedding",
         ["weight", "indices", "out", "count", "cols"]),
        ("int acme_gather_rows(const float *x, const int *idx, float *y, int n_idx, int cols);", "index_select",
         ["self", "index", "out", "count", "inner"]),
        ("int acme_gemm_nn(const float *A, const float *B, float *C, int M, int N, int K);", "mm",
         ["self", "mat2", "out", "m", "n", "k"]),
        ("int acme_mul(const float *a, const float *b, float *c, int m, int n, int k);", "mm",
         ["self", "mat2", "out", "m", "n", "k"]),
        ("int acme_max(const float *x, float *out, int n);", "amax", ["self", "out", "extent"]),
        ("int acme_act_relu_f32(const float *x, float *y, int n);", "relu", ["self", "out", "numel"]),
        ("int acme_row_sum_f32(const float *x, float *y, int rows, int cols);", "sum",
         ["self", "out", "outer", "extent"]),
        ("int acme_softmax_rows_f32(const float *x, float *y, int rows, int cols);", "softmax",
         ["self", "out", "outer", "extent"]),
        ("int acme_layernorm(const float *d_x, const float *d_gamma, const float *d_beta, float *d_y, int rows,"
         " int cols, float eps);", "layer_norm", ["input", "weight", "bias", "out", "rows", "cols", "eps"]),
    ],
)  # fmt: skip
def test_extents_of_plain_functions(tmp_path: Path, declaration: str, op: str, expected: list[str]) -> None:
    _, roles = only(matched(tmp_path, declaration), op)
    assert roles == expected


@pytest.mark.parametrize(
    ("declaration", "op", "limits"),
    [
        ("int acme_rmsnorm(const float *x, const float *gamma, float *y, int rows, int cols, float eps);", "rms_norm",
         {"weight": (True,)}),
        ("/* gamma may be NULL. */\n"
         "int acme_rmsnorm(const float *x, const float *gamma, float *y, int rows, int cols, float eps);",
         "rms_norm", {}),
        ("int acme_rmsnorm(const float *x, float *y, int rows, int cols, float eps);", "rms_norm",
         {"weight": (False,)}),
        ("int acme_sdpa(const float *q, const float *k, const float *v, float *o, int batch, int heads, int q_len,"
         " int kv_len, int head_dim, float scale);", "scaled_dot_product_attention", {"attn_mask": (False,)}),
        ("int acme_conv2d(const float *x, const float *w, float *y, int n, int c, int h, int width, int oc, int kh,"
         " int kw, int stride);", "conv2d", {"bias": (False,), "groups": (1,), "padding": (0,)}),
        ("int acme_global_avg_pool(const float *x, float *y, int n, int c, int h, int w);", "adaptive_avg_pool2d",
         {"output_size": (1,)}),
        ("int acme_gelu_tanh(const float *x, float *y, int n);", "gelu", {"approximate": ("tanh",)}),
        ("int acme_gelu(const float *x, float *y, int n);", "gelu", {"approximate": ("none",)}),
    ],
)  # fmt: skip
def test_what_a_function_has_no_argument_for_limits_its_entry(
    tmp_path: Path, declaration: str, op: str, limits: dict[str, tuple[object, ...]]
) -> None:
    binding, _ = only(matched(tmp_path, declaration), op)
    assert limits.items() <= dict(binding.constraints).items()
    assert limits or not {"weight", "bias"} & dict(binding.constraints).keys()


def test_products_without_distances_of_rows_are_asked_for_their_order(tmp_path: Path) -> None:
    plain, _ = only(
        matched(tmp_path, "int acme_mm(const float *A, const float *B, float *C, int M, int N, int K);"), "mm"
    )
    assert not plain.calls[0].dtypes_proved
    blas = "int acme_mm(const float *A, int lda, const float *B, int ldb, float *C, int ldc, int M, int N, int K);"
    assert "row- or column-major" in reason(matched(tmp_path, blas), "acme_mm")


def test_indices_of_32_bits_are_converted_on_the_host(tmp_path: Path) -> None:
    """What PyTorch gives is narrowed, what it gets is widened."""
    binding, roles = only(
        matched(tmp_path, "int acme_embedding(const float *table, const int *ids, float *y, int num_ids, int dim);"),
        "embedding",
    )
    assert binding.calls[0].arguments[roles.index("indices")].value == "int32"
    for element, own in (("int", "int32"), ("uint32_t", "uint32"), ("int64_t", "")):
        text = f"#include <stdint.h>\nint acme_argmax(const float *x, {element} *y, int rows, int cols);"
        binding, roles = only(matched(tmp_path, text), "argmax")
        assert binding.calls[0].arguments[roles.index("out")].value == own
    argmax = "int acme_argmax(const float *x, signed char *y, int rows, int cols);"
    assert "index elements" in reason(matched(tmp_path, argmax), "acme_argmax")
