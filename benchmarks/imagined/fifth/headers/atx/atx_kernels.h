/**
 * @file atx_kernels.h
 * @brief Prebuilt ATX kernels on raw device pointers.
 *
 * (c) Altrix Microsystems 2021-2024. Redistribution of binaries is allowed under the ATX SDK EULA.
 *
 * All pointers are device pointers, all tensors are dense and row major. The suffix tells the element type
 * (f32, f16, bf16, i32). f16 and bf16 are passed as atx_half. Kernels run asynchronously on @p s.
 * Errors of the kernels themselfs are reported by the next atxrt_stream_join().
 */
#ifndef ATX_KERNELS_H
#define ATX_KERNELS_H

#include <stdint.h>
#include <stdbool.h>
#include "atx_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint16_t atx_half;

/* ===== element wise ===== */

atx_err_t atxk_add_f32(const float *a, const float *b, float *c, int64_t count, atx_stream_t s);
atx_err_t atxk_add_f16(const atx_half *a, const atx_half *b, atx_half *c, int64_t count, atx_stream_t s);
atx_err_t atxk_add_i32(const int32_t *a, const int32_t *b, int32_t *c, int64_t count, atx_stream_t s);
atx_err_t atxk_sub_f32(const float *a, const float *b, float *c, int64_t count, atx_stream_t s);
atx_err_t atxk_sub_f16(const atx_half *a, const atx_half *b, atx_half *c, int64_t count, atx_stream_t s);
atx_err_t atxk_mul_f32(const float *a, const float *b, float *c, int64_t count, atx_stream_t s);
atx_err_t atxk_mul_f16(const atx_half *a, const atx_half *b, atx_half *c, int64_t count, atx_stream_t s);
atx_err_t atxk_div_f32(const float *a, const float *b, float *c, int64_t count, atx_stream_t s);
/** c[i] = a[i] > b[i] ? a[i] : b[i] */
atx_err_t atxk_max_f32(const float *a, const float *b, float *c, int64_t count, atx_stream_t s);
atx_err_t atxk_min_f32(const float *a, const float *b, float *c, int64_t count, atx_stream_t s);
atx_err_t atxk_pow_f32(const float *base, const float *expo, float *c, int64_t count, atx_stream_t s);
/** b is one row of @p cols values that is added to every row of a */
atx_err_t atxk_add_row_f32(const float *a, const float *b, float *c, int rows, int cols, atx_stream_t s);
/** with a scalar on the right */
atx_err_t atxk_adds_f32(const float *a, float k, float *c, int64_t count, atx_stream_t s);
atx_err_t atxk_muls_f32(const float *a, float k, float *c, int64_t count, atx_stream_t s);
atx_err_t atxk_pows_f32(const float *a, float k, float *c, int64_t count, atx_stream_t s);
/** k - a[i] */
atx_err_t atxk_rsubs_f32(const float *a, float k, float *c, int64_t count, atx_stream_t s);

/** comparisons give bytes 0 or 1 */
atx_err_t atxk_cmp_eq_f32(const float *a, const float *b, uint8_t *c, int64_t count, atx_stream_t s);
atx_err_t atxk_cmp_gt_f32(const float *a, const float *b, uint8_t *c, int64_t count, atx_stream_t s);
atx_err_t atxk_cmp_lt_f32(const float *a, const float *b, uint8_t *c, int64_t count, atx_stream_t s);
atx_err_t atxk_and_u8(const uint8_t *a, const uint8_t *b, uint8_t *c, int64_t count, atx_stream_t s);
atx_err_t atxk_select_f32(const uint8_t *pred, const float *on_true, const float *on_false, float *c, int64_t count, atx_stream_t s);

atx_err_t atxk_exp_f32(const float *x, float *y, int64_t count, atx_stream_t s);
atx_err_t atxk_exp_f16(const atx_half *x, atx_half *y, int64_t count, atx_stream_t s);
atx_err_t atxk_ln_f32(const float *x, float *y, int64_t count, atx_stream_t s);
atx_err_t atxk_sqrt_f32(const float *x, float *y, int64_t count, atx_stream_t s);
atx_err_t atxk_rsqrt_f32(const float *x, float *y, int64_t count, atx_stream_t s);
atx_err_t atxk_square_f32(const float *x, float *y, int64_t count, atx_stream_t s);
atx_err_t atxk_abs_f32(const float *x, float *y, int64_t count, atx_stream_t s);
atx_err_t atxk_neg_f32(const float *x, float *y, int64_t count, atx_stream_t s);
atx_err_t atxk_sin_f32(const float *x, float *y, int64_t count, atx_stream_t s);
atx_err_t atxk_cos_f32(const float *x, float *y, int64_t count, atx_stream_t s);
atx_err_t atxk_tanh_f32(const float *x, float *y, int64_t count, atx_stream_t s);
atx_err_t atxk_sigmoid_f32(const float *x, float *y, int64_t count, atx_stream_t s);
atx_err_t atxk_sigmoid_f16(const atx_half *x, atx_half *y, int64_t count, atx_stream_t s);
atx_err_t atxk_relu_f32(const float *x, float *y, int64_t count, atx_stream_t s);
atx_err_t atxk_relu_f16(const atx_half *x, atx_half *y, int64_t count, atx_stream_t s);
atx_err_t atxk_gelu_erf_f32(const float *x, float *y, int64_t count, atx_stream_t s);
atx_err_t atxk_silu_f32(const float *x, float *y, int64_t count, atx_stream_t s);
/** silu(gate) * up */
atx_err_t atxk_swiglu_f16(const atx_half *gate, const atx_half *up, atx_half *y, int64_t count, atx_stream_t s);
atx_err_t atxk_lrelu_f32(const float *x, float slope, float *y, int64_t count, atx_stream_t s);
atx_err_t atxk_clip_f32(const float *x, float lo, float hi, float *y, int64_t count, atx_stream_t s);
/** x += bias (per channel) followed by relu, in place. */
atx_err_t atxk_bias_relu_f32(float *x, const float *bias, int n, int c, int hw, atx_stream_t s);

atx_err_t atxk_cvt_f32_f16(const float *x, atx_half *y, int64_t count, atx_stream_t s);
atx_err_t atxk_cvt_f16_f32(const atx_half *x, float *y, int64_t count, atx_stream_t s);
atx_err_t atxk_cvt_i32_f32(const int32_t *x, float *y, int64_t count, atx_stream_t s);
/** y = saturate(round(x / scale) + zp) */
atx_err_t atxk_quant_f32_i8(const float *x, int8_t *y, float scale, int zp, int64_t count, atx_stream_t s);
atx_err_t atxk_fill_f32(float *y, float value, int64_t count, atx_stream_t s);

/* ===== reductions: x is [outer][len][inner], y is [outer][inner] ===== */

atx_err_t atxk_reduce_sum_f32(const float *x, float *y, int outer, int len, int inner, atx_stream_t s);
atx_err_t atxk_reduce_mean_f32(const float *x, float *y, int outer, int len, int inner, atx_stream_t s);
atx_err_t atxk_reduce_max_f32(const float *x, float *y, int outer, int len, int inner, atx_stream_t s);
atx_err_t atxk_argmax_f32(const float *x, int32_t *idx, int outer, int len, int inner, atx_stream_t s);
atx_err_t atxk_cumsum_f32(const float *x, float *y, int outer, int len, int inner, atx_stream_t s);
/** Softmax over the len positions */
atx_err_t atxk_softmax_f32(const float *x, float *y, int outer, int len, int inner, atx_stream_t s);
/** rows only */
atx_err_t atxk_softmax_f16(const atx_half *x, atx_half *y, int rows, int cols, atx_stream_t s);
atx_err_t atxk_log_softmax_f32(const float *x, float *y, int outer, int len, int inner, atx_stream_t s);

/* ===== matrices and nn ===== */

/** C[m][n] = A[m][k] * B[k][n] */
atx_err_t atxk_matmul_f32(const float *A, const float *B, float *C, int m, int n, int k, atx_stream_t s);
atx_err_t atxk_matmul_f16(const atx_half *A, const atx_half *B, atx_half *C, int m, int n, int k, atx_stream_t s);
/** C[b] = A[b] * B[b] */
atx_err_t atxk_bmm_f32(const float *A, const float *B, float *C, int batch, int m, int n, int k, atx_stream_t s);
/** y[batch][out] = x[batch][in] * w[out][in]^T + bias; bias may be NULL */
atx_err_t atxk_fc_f32(const float *x, const float *w, const float *bias, float *y, int batch, int in_dim, int out_dim, atx_stream_t s);
/** NCHW, OIHW. pad is the same on both sides */
atx_err_t atxk_conv2d_f32(const float *x, const float *w, const float *bias, float *y, int n, int ic, int ih, int iw, int oc,
                          int kh, int kw, int stride_h, int stride_w, int pad_h, int pad_w, int dil_h, int dil_w, int groups,
                          atx_stream_t s);
atx_err_t atxk_maxpool2d_f32(const float *x, float *y, int n, int c, int ih, int iw, int kh, int kw, int stride_h, int stride_w,
                             int pad_h, int pad_w, atx_stream_t s);
atx_err_t atxk_avgpool2d_f32(const float *x, float *y, int n, int c, int ih, int iw, int kh, int kw, int stride_h, int stride_w,
                             int pad_h, int pad_w, bool count_pad, atx_stream_t s);
/** mean over h and w */
atx_err_t atxk_global_avgpool_f32(const float *x, float *y, int n, int c, int ih, int iw, atx_stream_t s);
atx_err_t atxk_layernorm_f32(const float *x, const float *gamma, const float *beta, float *y, int rows, int cols, float eps, atx_stream_t s);
atx_err_t atxk_rmsnorm_f16(const atx_half *x, const atx_half *gamma, atx_half *y, int rows, int cols, float eps, atx_stream_t s);
atx_err_t atxk_batchnorm_infer_f32(const float *x, const float *mean, const float *var, const float *gamma, const float *beta, float *y,
                                   int n, int c, int hw, float eps, atx_stream_t s);
/** ids are row numbers of table */
atx_err_t atxk_embedding_f32(const float *table, const int32_t *ids, float *y, int num_ids, int dim, int vocab, atx_stream_t s);

/* ===== shape ===== */

atx_err_t atxk_transpose2d_f32(const float *x, float *y, int rows, int cols, atx_stream_t s);
/** y.dims[i] = x.dims[perm[i]], up to 6 dims */
atx_err_t atxk_transpose_nd_f32(const float *x, float *y, const int *dims, const int *perm, int ndim, atx_stream_t s);
/** two tensors [outer][la][inner] and [outer][lb][inner] */
atx_err_t atxk_concat2_f32(const float *a, const float *b, float *y, int outer, int la, int lb, int inner, atx_stream_t s);
atx_err_t atxk_nchw_to_nhwc_f32(const float *x, float *y, int n, int c, int h, int w, atx_stream_t s);
atx_err_t atxk_resize_bilinear_u8(const uint8_t *src, uint8_t *dst, int ih, int iw, int oh, int ow, int ch, atx_stream_t s);
atx_err_t atxk_yuv420_to_rgb_u8(const uint8_t *y_plane, const uint8_t *uv_plane, uint8_t *rgb, int h, int w, atx_stream_t s);

#ifdef __cplusplus
}
#endif
#endif /* ATX_KERNELS_H */
