/**************************************************************************//**
 * @file     ncd_dsp.h
 * @brief    Vector and matrix functions for NC-D8 cores
 * @version  V1.9.2
 * @date     14. March 2023
 ******************************************************************************/
/*
 * Copyright (c) 2015-2023 Norrcore AB. All rights reserved.
 *
 * Redistribution and use in source and binary forms, with or without
 * modification, are permitted provided that the source is used on a
 * NC-D8 core.
 */
#ifndef NCD_DSP_H_
#define NCD_DSP_H_

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NCD_DSP_VERSION 0x010902u

typedef float    f32_t;
typedef int8_t   q7_t;
typedef int16_t  q15_t;
typedef int32_t  q31_t;

/** complex, interleaved */
typedef struct { f32_t re; f32_t im; } c32_t;

/**
 * @brief Row-major matrix. The library never owns the data.
 */
typedef struct {
    uint16_t rows;
    uint16_t cols;
    f32_t   *data;
} ncd_f32_matrix_t;

typedef struct {
    uint16_t rows;
    uint16_t cols;
    q15_t   *data;
} ncd_q15_matrix_t;

typedef struct { uint16_t taps; f32_t *line; const f32_t *coeff; } ncd_f32_fir_t;
typedef struct { uint16_t log2n; bool inverse; const c32_t *twiddle; } ncd_f32_fft_t;

/******************************************************************************
 * Vectors. Sources first, then the destination, then the number of elements.
 * In-place operation is allowed.
 *****************************************************************************/

void ncd_f32_vec_add(const f32_t *srcA, const f32_t *srcB, f32_t *dst, uint32_t count);
void ncd_f32_vec_sub(const f32_t *srcA, const f32_t *srcB, f32_t *dst, uint32_t count);
/** @brief Reversed subtraction, dst[i] = srcB[i] - srcA[i] */
void ncd_f32_vec_rsub(const f32_t *srcA, const f32_t *srcB, f32_t *dst, uint32_t count);
void ncd_f32_vec_mul(const f32_t *srcA, const f32_t *srcB, f32_t *dst, uint32_t count);
void ncd_f32_vec_div(const f32_t *srcA, const f32_t *srcB, f32_t *dst, uint32_t count);
/** @brief Elementwise maximum of two vectors. For the maximum of one vector see ncd_f32_max() */
void ncd_f32_vec_max(const f32_t *srcA, const f32_t *srcB, f32_t *dst, uint32_t count);
void ncd_f32_vec_min(const f32_t *srcA, const f32_t *srcB, f32_t *dst, uint32_t count);
/** @brief The larger magnitude, dst[i] = max(|srcA[i]|, |srcB[i]|) */
void ncd_f32_vec_maxmag(const f32_t *srcA, const f32_t *srcB, f32_t *dst, uint32_t count);
void ncd_f32_vec_atan2(const f32_t *srcY, const f32_t *srcX, f32_t *dst, uint32_t count);
void ncd_f32_vec_hypot(const f32_t *srcA, const f32_t *srcB, f32_t *dst, uint32_t count);
/** @brief Multiply and accumulate: dst[i] += srcA[i] * srcB[i] */
void ncd_f32_vec_mac(const f32_t *srcA, const f32_t *srcB, f32_t *dst, uint32_t count);
/** @brief dst[i] += gain * src[i] */
void ncd_f32_vec_macs(const f32_t *src, f32_t gain, f32_t *dst, uint32_t count);
void ncd_f32_vec_offset(const f32_t *src, f32_t offset, f32_t *dst, uint32_t count);
void ncd_f32_vec_gain(const f32_t *src, f32_t gain, f32_t *dst, uint32_t count);
/** @brief Saturates to [low, high] */
void ncd_f32_vec_limit(const f32_t *src, f32_t low, f32_t high, f32_t *dst, uint32_t count);
void ncd_f32_vec_copy(const f32_t *src, f32_t *dst, uint32_t count);
void ncd_f32_vec_fill(f32_t value, f32_t *dst, uint32_t count);
/** @brief dst[i] = src[count - 1 - i] */
void ncd_f32_vec_reverse(const f32_t *src, f32_t *dst, uint32_t count);

void ncd_f32_vec_abs(const f32_t *src, f32_t *dst, uint32_t count);
void ncd_f32_vec_neg(const f32_t *src, f32_t *dst, uint32_t count);
void ncd_f32_vec_inv(const f32_t *src, f32_t *dst, uint32_t count);    /* 1 / x */
void ncd_f32_vec_sqrt(const f32_t *src, f32_t *dst, uint32_t count);
void ncd_f32_vec_rsqrt(const f32_t *src, f32_t *dst, uint32_t count);
void ncd_f32_vec_exp(const f32_t *src, f32_t *dst, uint32_t count);
void ncd_f32_vec_ln(const f32_t *src, f32_t *dst, uint32_t count);
void ncd_f32_vec_lg(const f32_t *src, f32_t *dst, uint32_t count);     /* base 10 */
void ncd_f32_vec_ld(const f32_t *src, f32_t *dst, uint32_t count);     /* base 2 */
void ncd_f32_vec_sin(const f32_t *src, f32_t *dst, uint32_t count);
void ncd_f32_vec_cos(const f32_t *src, f32_t *dst, uint32_t count);
void ncd_f32_vec_db20(const f32_t *src, f32_t *dst, uint32_t count);   /* 20 * lg|x| */
void ncd_f32_vec_floor(const f32_t *src, f32_t *dst, uint32_t count);
void ncd_f32_vec_frac(const f32_t *src, f32_t *dst, uint32_t count);
void ncd_f32_vec_tanh(const f32_t *src, f32_t *dst, uint32_t count);
void ncd_f32_vec_relu(const f32_t *src, f32_t *dst, uint32_t count);
void ncd_f32_vec_sigmoid(const f32_t *src, f32_t *dst, uint32_t count);

void ncd_u32_vec_and(const uint32_t *srcA, const uint32_t *srcB, uint32_t *dst, uint32_t count);
void ncd_u32_vec_or(const uint32_t *srcA, const uint32_t *srcB, uint32_t *dst, uint32_t count);
void ncd_u32_vec_xor(const uint32_t *srcA, const uint32_t *srcB, uint32_t *dst, uint32_t count);
void ncd_u32_vec_not(const uint32_t *src, uint32_t *dst, uint32_t count);
void ncd_i32_vec_add(const int32_t *srcA, const int32_t *srcB, int32_t *dst, uint32_t count);
void ncd_i32_vec_mul(const int32_t *srcA, const int32_t *srcB, int32_t *dst, uint32_t count);

/* saturating fixed point */
void ncd_q15_vec_add(const q15_t *srcA, const q15_t *srcB, q15_t *dst, uint32_t count);
void ncd_q15_vec_mul(const q15_t *srcA, const q15_t *srcB, q15_t *dst, uint32_t count);
void ncd_q15_vec_gain(const q15_t *src, q15_t gain, int8_t shift, q15_t *dst, uint32_t count);
void ncd_q31_vec_add(const q31_t *srcA, const q31_t *srcB, q31_t *dst, uint32_t count);
void ncd_q15_vec_sqrt(const q15_t *src, q15_t *dst, uint32_t count);

/* conversions */
void ncd_f32_to_i32(const f32_t *src, int32_t *dst, uint32_t count);
void ncd_i32_to_f32(const int32_t *src, f32_t *dst, uint32_t count);
void ncd_f32_to_q15(const f32_t *src, q15_t *dst, uint32_t count);      /* x * 32768, saturated */
void ncd_q15_to_f32(const q15_t *src, f32_t *dst, uint32_t count);

/* complex */
void ncd_c32_vec_mul(const c32_t *srcA, const c32_t *srcB, c32_t *dst, uint32_t count);
void ncd_c32_vec_mulconj(const c32_t *srcA, const c32_t *srcB, c32_t *dst, uint32_t count);
void ncd_c32_vec_mag(const c32_t *src, f32_t *dst, uint32_t count);
void ncd_c32_vec_magsq(const c32_t *src, f32_t *dst, uint32_t count);

/******************************************************************************
 * Statistics
 *****************************************************************************/

f32_t ncd_f32_sum(const f32_t *src, uint32_t count);
f32_t ncd_f32_mean(const f32_t *src, uint32_t count);
f32_t ncd_f32_var(const f32_t *src, uint32_t count);                     /* divides by count - 1 */
f32_t ncd_f32_std(const f32_t *src, uint32_t count);
f32_t ncd_f32_rms(const f32_t *src, uint32_t count);
f32_t ncd_f32_dot(const f32_t *srcA, const f32_t *srcB, uint32_t count);
f32_t ncd_f32_norm(const f32_t *src, uint32_t count);                    /* euclidian */
f32_t ncd_f32_energy(const f32_t *src, uint32_t count);                  /* sum of squares */
void ncd_f32_max(const f32_t *src, uint32_t count, f32_t *value, uint32_t *index);
void ncd_f32_min(const f32_t *src, uint32_t count, f32_t *value, uint32_t *index);
/** @brief Index of the element with the largest magnitude */
uint32_t ncd_f32_imax(const f32_t *src, uint32_t count);
/** @brief Index of the largest element */
uint32_t ncd_f32_argmax(const f32_t *src, uint32_t count);
/** @brief Sum of magnitudes */
f32_t ncd_f32_asum(const f32_t *src, uint32_t count);
q31_t ncd_q15_dot(const q15_t *srcA, const q15_t *srcB, uint32_t count);
void ncd_f32_cumsum(const f32_t *src, f32_t *dst, uint32_t count);

/******************************************************************************
 * Matrices. Destination first (as in the old library), false if the sizes do
 * not fit.
 *****************************************************************************/

bool ncd_f32_mat_add(ncd_f32_matrix_t *dst, const ncd_f32_matrix_t *a, const ncd_f32_matrix_t *b);
bool ncd_f32_mat_sub(ncd_f32_matrix_t *dst, const ncd_f32_matrix_t *a, const ncd_f32_matrix_t *b);
bool ncd_f32_mat_gain(ncd_f32_matrix_t *dst, const ncd_f32_matrix_t *a, f32_t gain);
bool ncd_f32_mat_mul(ncd_f32_matrix_t *dst, const ncd_f32_matrix_t *a, const ncd_f32_matrix_t *b);
/** @brief dst = a * b' */
bool ncd_f32_mat_mult(ncd_f32_matrix_t *dst, const ncd_f32_matrix_t *a, const ncd_f32_matrix_t *b);
/** @brief Product of the elements, not the matrix product */
bool ncd_f32_mat_hadamard(ncd_f32_matrix_t *dst, const ncd_f32_matrix_t *a, const ncd_f32_matrix_t *b);
bool ncd_f32_mat_vec(f32_t *dst, const ncd_f32_matrix_t *a, const f32_t *x);
bool ncd_f32_mat_trans(ncd_f32_matrix_t *dst, const ncd_f32_matrix_t *a);
bool ncd_f32_mat_inv(ncd_f32_matrix_t *dst, const ncd_f32_matrix_t *a, f32_t *scratch);
bool ncd_q15_mat_mul(ncd_q15_matrix_t *dst, const ncd_q15_matrix_t *a, const ncd_q15_matrix_t *b);
/** @brief Transposes a tensor: dst has the axes of src in the order of perm[], rank up to 4 */
void ncd_f32_transpose(const f32_t *src, f32_t *dst, const uint16_t *dims, const uint8_t *perm, uint8_t rank);

/******************************************************************************
 * Filters, transforms
 *****************************************************************************/

void ncd_f32_fir(ncd_f32_fir_t *fir, const f32_t *src, f32_t *dst, uint32_t count);
void ncd_f32_conv(const f32_t *src, uint32_t count, const f32_t *taps, uint32_t ntaps, f32_t *dst);
void ncd_f32_correlate(const f32_t *srcA, uint32_t countA, const f32_t *srcB, uint32_t countB, f32_t *dst);
void ncd_c32_fft(const ncd_f32_fft_t *fft, c32_t *data);
void ncd_f32_window_hamming(f32_t *dst, uint32_t count);
void ncd_f32_interp_linear(const f32_t *src, const f32_t *pos, f32_t *dst, uint32_t count);
void ncd_f32_softmax(const f32_t *src, f32_t *dst, uint32_t count);
void ncd_q7_softmax(const q7_t *src, uint16_t count, q7_t *dst);         /* 2^x, not e^x */
/* dst = W * src + bias, W is [nout][nin] */
void ncd_f32_fully_connected(const f32_t *src, const f32_t *weights, const f32_t *bias, f32_t *dst, uint16_t nin, uint16_t nout);
void ncd_q7_fully_connected(const q7_t *src, const q7_t *weights, const q7_t *bias, q7_t *dst, uint16_t nin, uint16_t nout,
                            uint16_t bias_shift, uint16_t out_shift);

#ifdef __cplusplus
}
#endif

#endif /* NCD_DSP_H_ */
