// Tarn math kernels, header for the TM1 / TM1-lite
// generated from kernels.yaml on 2025-03-11, do not edit
//
// Copyright (c) Tarn Microsystems GmbH
// BSD-2-Clause

#pragma once
#include <stdint.h>
#include <stddef.h>

#ifndef TARN_NO_FP16
typedef uint16_t tnhalf;   // IEEE binary16 bits
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { TN_GOOD = 0, TN_ILLEGAL_DIM = 1, TN_ILLEGAL_PTR = 2, TN_LAUNCH = 3, TN_UNALIGNED = 4 } tn_report;
typedef struct tn_river_ *tn_river;

// All pointers are device pointers unless they begin with h_. The river may be 0 (default river).


// ---- vectors, two operands
tn_report tn_add_f32(const float *a, const float *b, float *c, int n, tn_river river);
tn_report tn_add_f16(const tnhalf *a, const tnhalf *b, tnhalf *c, int n, tn_river river);
tn_report tn_add_i32(const int32_t *a, const int32_t *b, int32_t *c, int n, tn_river river);
tn_report tn_sub_f32(const float *a, const float *b, float *c, int n, tn_river river);
tn_report tn_mul_f32(const float *a, const float *b, float *c, int n, tn_river river);
tn_report tn_mul_f16(const tnhalf *a, const tnhalf *b, tnhalf *c, int n, tn_river river);
tn_report tn_div_f32(const float *a, const float *b, float *c, int n, tn_river river);
// elementwise, see tn_rowmax for the largest of many
tn_report tn_max_f32(const float *a, const float *b, float *c, int n, tn_river river);
tn_report tn_min_f32(const float *a, const float *b, float *c, int n, tn_river river);
tn_report tn_atan2_f32(const float *a, const float *b, float *c, int n, tn_river river);
// remainder of the division rounded toward zero, as fmodf
tn_report tn_rem_f32(const float *a, const float *b, float *c, int n, tn_river river);
// result has the sign of b
tn_report tn_mod_f32(const float *a, const float *b, float *c, int n, tn_river river);
tn_report tn_mod_i32(const int32_t *a, const int32_t *b, int32_t *c, int n, tn_river river);
tn_report tn_xor_i32(const int32_t *a, const int32_t *b, int32_t *c, int n, tn_river river);
// reversed: c = b - a
tn_report tn_subr_f32(const float *a, const float *b, float *c, int n, tn_river river);
tn_report tn_addc_f32(const float *a, float k, float *c, int n, tn_river river);
tn_report tn_mulc_f32(const float *a, float k, float *c, int n, tn_river river);
// c = a + k * b
tn_report tn_lincomb_f32(const float *a, float k, const float *b, float *c, int n, tn_river river);
// d = a * b + s
tn_report tn_maddv_f32(const float *a, const float *b, const float *s, float *d, int n, tn_river river);

// ---- vectors, one operand
tn_report tn_abs_f32(const float *x, float *y, int n, tn_river river);
tn_report tn_abs_i32(const int32_t *x, int32_t *y, int n, tn_river river);
tn_report tn_neg_f32(const float *x, float *y, int n, tn_river river);
tn_report tn_recip_f32(const float *x, float *y, int n, tn_river river);
tn_report tn_sqrt_f32(const float *x, float *y, int n, tn_river river);
tn_report tn_invsqrt_f32(const float *x, float *y, int n, tn_river river);
tn_report tn_exp_f32(const float *x, float *y, int n, tn_river river);
tn_report tn_exp_f16(const tnhalf *x, tnhalf *y, int n, tn_river river);
tn_report tn_log_f32(const float *x, float *y, int n, tn_river river);
tn_report tn_log1p_f32(const float *x, float *y, int n, tn_river river);
tn_report tn_sin_f32(const float *x, float *y, int n, tn_river river);
tn_report tn_atan_f32(const float *x, float *y, int n, tn_river river);
tn_report tn_erf_f32(const float *x, float *y, int n, tn_river river);
tn_report tn_floor_f32(const float *x, float *y, int n, tn_river river);
tn_report tn_trunc_f32(const float *x, float *y, int n, tn_river river);
// ties to even
tn_report tn_rint_f32(const float *x, float *y, int n, tn_river river);
tn_report tn_sgn_f32(const float *x, float *y, int n, tn_river river);
tn_report tn_sigmoid_f32(const float *x, float *y, int n, tn_river river);
tn_report tn_sigmoid_f16(const tnhalf *x, tnhalf *y, int n, tn_river river);
tn_report tn_mish_f32(const float *x, float *y, int n, tn_river river);
// clamp(x + 3, 0, 6) / 6
tn_report tn_hsigmoid_f32(const float *x, float *y, int n, tn_river river);
tn_report tn_relu_f32(const float *x, float *y, int n, tn_river river);
tn_report tn_silu_f32(const float *x, float *y, int n, tn_river river);
tn_report tn_silu_f16(const tnhalf *x, tnhalf *y, int n, tn_river river);
// flips all bits
tn_report tn_inv_i32(const int32_t *x, int32_t *y, int n, tn_river river);
// min(max(x, 0), top)
tn_report tn_relun_f32(const float *x, float *y, float top, int n, tn_river river);
tn_report tn_lrelu_f32(const float *x, float *y, float slope, int n, tn_river river);
// log(1 + exp(x))
tn_report tn_softplus_f32(const float *x, float *y, int n, tn_river river);

// ---- masks are one byte for each element
tn_report tn_isgt_f32(const float *a, const float *b, uint8_t *m, int n, tn_river river);
tn_report tn_iseq_f32(const float *a, const float *b, uint8_t *m, int n, tn_river river);
tn_report tn_iseq_i32(const int32_t *a, const int32_t *b, uint8_t *m, int n, tn_river river);
// c = m ? a : b
tn_report tn_mux_f32(const uint8_t *m, const float *a, const float *b, float *c, int n, tn_river river);
// y = m ? value : x
tn_report tn_paint_f32(const float *x, const uint8_t *m, float value, float *y, int n, tn_river river);

// ---- rows: x is rows x cols, dense, the result has rows elements
tn_report tn_rowsum_f32(const float *x, float *y, int rows, int cols, tn_river river);
tn_report tn_rowmean_f32(const float *x, float *y, int rows, int cols, tn_river river);
tn_report tn_rowmax_f32(const float *x, float *y, int rows, int cols, tn_river river);
tn_report tn_rowargmax_f32(const float *x, int32_t *pos, int rows, int cols, tn_river river);
tn_report tn_rowvar_f32(const float *x, float *y, int rows, int cols, int unbiased, tn_river river);
// y is rows x cols
tn_report tn_rowsoftmax_f32(const float *x, float *y, int rows, int cols, tn_river river);
tn_report tn_rowsoftmax_f16(const tnhalf *x, tnhalf *y, int rows, int cols, tn_river river);
// root mean square normalisation, y is rows x cols
tn_report tn_rowrms_f32(const float *x, const float *g, float *y, int rows, int cols, float eps, tn_river river);
tn_report tn_rowrms_f16(const tnhalf *x, const tnhalf *g, tnhalf *y, int rows, int cols, float eps, tn_river river);
// layer norm
tn_report tn_rowlnorm_f32(const float *x, const float *g, const float *b, float *y, int rows, int cols, float eps, tn_river river);
// y is rows x cols
tn_report tn_rowcumprod_f32(const float *x, float *y, int rows, int cols, tn_river river);

// ---- shapes as host arrays, at most 6 long
tn_report tn_reduce_sum_f32(const float *x, const int *h_shape, int rank, const int *h_axes, int n_axes, float *y, tn_river river);
tn_report tn_transpose_f32(const float *x, const int *h_shape, int rank, const int *h_perm, float *y, tn_river river);
tn_report tn_transpose_f16(const tnhalf *x, const int *h_shape, int rank, const int *h_perm, tnhalf *y, tn_river river);
tn_report tn_cat_f32(const float *const *h_xs, int count, const int *h_sizes, int outer, int inner, float *y, tn_river river);

// ---- matrices, row-major
tn_report tn_matmul_f32(const float *a, const float *b, float *c, int m, int k, int n, tn_river river);
tn_report tn_matmul_f16(const tnhalf *a, const tnhalf *b, tnhalf *c, int m, int k, int n, tn_river river);
tn_report tn_matmul_batched_f32(const float *a, const float *b, float *c, int batch, int m, int k, int n, tn_river river);
tn_report tn_matmul_batched_f16(const tnhalf *a, const tnhalf *b, tnhalf *c, int batch, int m, int k, int n, tn_river river);
tn_report tn_matvec_f32(const float *a, const float *x, float *y, int m, int n, tn_river river);
// y = x * transpose(w) + bias, bias may be 0
tn_report tn_affine_f32(const float *x, const float *w, const float *bias, float *y, int rows, int nin, int nout, tn_river river);
tn_report tn_affine_f16(const tnhalf *x, const tnhalf *w, const tnhalf *bias, tnhalf *y, int rows, int nin, int nout, tn_river river);
// rows of a table
tn_report tn_take_f32(const float *table, const int32_t *ids, float *y, int n_ids, int width, tn_river river);
tn_report tn_take_f16(const tnhalf *table, const int32_t *ids, tnhalf *y, int n_ids, int width, tn_river river);
tn_report tn_tril_f32(const float *x, float *y, int rows, int cols, int k, tn_river river);

// ---- images, NCHW
// K outputs, window R x S
tn_report tn_conv2d_f32(const float *x, const float *w, const float *bias, float *y, int N, int C, int H, int W, int K, int R, int S, int sh, int sw, int ph, int pw, int dh, int dw, int groups, tn_river river);
tn_report tn_conv2d_f16(const tnhalf *x, const tnhalf *w, const tnhalf *bias, tnhalf *y, int N, int C, int H, int W, int K, int R, int S, int sh, int sw, int ph, int pw, int dh, int dw, int groups, tn_river river);
tn_report tn_maxpool2d_f32(const float *x, float *y, int N, int C, int H, int W, int R, int S, int sh, int sw, int ph, int pw, tn_river river);
tn_report tn_avgpool2d_adaptive_f32(const float *x, float *y, int N, int C, int H, int W, int OH, int OW, tn_river river);
tn_report tn_bnorm_f32(const float *x, const float *mean, const float *var, const float *g, const float *b, float *y, int N, int C, int HW, float eps, tn_river river);

// ---- types
tn_report tn_cvt_f32_f16(const float *x, tnhalf *y, int n, tn_river river);
tn_report tn_cvt_f16_f32(const tnhalf *x, float *y, int n, tn_river river);
tn_report tn_cvt_i32_f32(const int32_t *x, float *y, int n, tn_river river);
tn_report tn_quant_f32_i8(const float *x, int8_t *y, int n, float scale, int zero, tn_river river);
tn_report tn_matmul_i8_i32(const int8_t *a, const int8_t *b, int32_t *c, int m, int k, int n, const float *scales, tn_river river);

// ---- fused
tn_report tn_affine_relu_f32(const float *x, const float *w, const float *bias, float *y, int rows, int nin, int nout, tn_river river);
tn_report tn_swiglu_f16(const tnhalf *gate, const tnhalf *up, tnhalf *y, int rows, int width, tn_river river);
// adds to y
tn_report tn_accumulate_f32(const float *x, float *y, int n, tn_river river);
// signals
tn_report tn_fir_f32(const float *x, const float *taps, float *y, int n, int n_taps, tn_river river);
tn_report tn_rfft_f32(const float *x, float *spectrum, int log2n, tn_river river);
tn_report tn_debayer_u8(const uint8_t *raw, uint8_t *rgb, int w, int h, int pattern, tn_river river);

const char *tn_report_text(tn_report report);
int tn_kernel_count(void);

#ifdef __cplusplus
}
#endif
