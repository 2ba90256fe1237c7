/*
 * Copyright (c) 2022-2025 Brexa Microsystems. All rights reserved.
 *
 * Licensed under the Brexa Software License, Version 1.1. You may not use this
 * file except in compliance with the License.
 */
/**
 * @file brx_kernels.hpp
 * Kernels over device pointers. Tensors are dense and row major unless said
 * otherwise. T is float, brx::half or brx::bfloat16; integer kernels are
 * overloads of their own. Instances live in libbrx_kernels.so.
 */
#pragma once

#include <cstdint>

#include "brx_rt.hpp"

namespace brx {

struct half {
  std::uint16_t bits;
};
struct bfloat16 {
  std::uint16_t bits;
};

namespace kernels {

using rt::stream_t;

// ---- element by element -------------------------------------------------------------

template <typename T>
errc add(const T* a, const T* b, T* c, std::int64_t n, stream_t stream);
template <typename T>
errc add(const T* a, T value, T* c, std::int64_t n, stream_t stream);
template <typename T>
errc sub(const T* a, const T* b, T* c, std::int64_t n, stream_t stream);
template <typename T>
errc mul(const T* a, const T* b, T* c, std::int64_t n, stream_t stream);
template <typename T>
errc mul(const T* a, T value, T* c, std::int64_t n, stream_t stream);
template <typename T>
errc div(const T* a, const T* b, T* c, std::int64_t n, stream_t stream);
template <typename T>
errc maximum(const T* a, const T* b, T* c, std::int64_t n, stream_t stream);
template <typename T>
errc minimum(const T* a, const T* b, T* c, std::int64_t n, stream_t stream);
/// c = base ^ exponent
template <typename T>
errc pow(const T* base, const T* exponent, T* c, std::int64_t n, stream_t stream);
/// Remainder with the sign of the dividend
template <typename T>
errc fmod(const T* a, const T* b, T* c, std::int64_t n, stream_t stream);
template <typename T>
errc hypot(const T* a, const T* b, T* c, std::int64_t n, stream_t stream);
template <typename T>
errc copysign(const T* magnitude, const T* sign, T* c, std::int64_t n, stream_t stream);
/// y = alpha * x + y
template <typename T>
errc axpy(std::int64_t n, float alpha, const T* x, T* y, stream_t stream);
/// y = alpha * x + beta * y, both coefficents on the host
template <typename T>
errc axpby(std::int64_t n, float alpha, const T* x, float beta, T* y, stream_t stream);
/// out = acc + value * t1 * t2
template <typename T>
errc addcmul(const T* acc, const T* t1, const T* t2, float value, T* out, std::int64_t n, stream_t stream);

errc bit_and(const std::int32_t* a, const std::int32_t* b, std::int32_t* c, std::int64_t n, stream_t stream);
errc bit_or(const std::int32_t* a, const std::int32_t* b, std::int32_t* c, std::int64_t n, stream_t stream);
errc bit_xor(const std::int32_t* a, const std::int32_t* b, std::int32_t* c, std::int64_t n, stream_t stream);
errc bit_not(const std::int32_t* a, std::int32_t* c, std::int64_t n, stream_t stream);
errc shift_left(const std::int32_t* a, int bits, std::int32_t* c, std::int64_t n, stream_t stream);

// Comparisons write bytes of 0 or 1.
template <typename T>
errc equal(const T* a, const T* b, bool* c, std::int64_t n, stream_t stream);
template <typename T>
errc not_equal(const T* a, const T* b, bool* c, std::int64_t n, stream_t stream);
template <typename T>
errc less(const T* a, const T* b, bool* c, std::int64_t n, stream_t stream);
template <typename T>
errc greater(const T* a, const T* b, bool* c, std::int64_t n, stream_t stream);
template <typename T>
errc greater_equal(const T* a, const T* b, bool* c, std::int64_t n, stream_t stream);
/// out = mask ? yes : no
template <typename T>
errc select(const bool* mask, const T* yes, const T* no, T* out, std::int64_t n, stream_t stream);
template <typename T>
errc fill_where(const T* x, const bool* mask, T value, T* y, std::int64_t n, stream_t stream);

template <typename T> errc abs(const T* x, T* y, std::int64_t n, stream_t stream);
template <typename T> errc neg(const T* x, T* y, std::int64_t n, stream_t stream);
template <typename T> errc exp(const T* x, T* y, std::int64_t n, stream_t stream);
template <typename T> errc log(const T* x, T* y, std::int64_t n, stream_t stream);
template <typename T> errc log1p(const T* x, T* y, std::int64_t n, stream_t stream);
template <typename T> errc sqrt(const T* x, T* y, std::int64_t n, stream_t stream);
template <typename T> errc rsqrt(const T* x, T* y, std::int64_t n, stream_t stream);
template <typename T> errc rcp(const T* x, T* y, std::int64_t n, stream_t stream);
template <typename T> errc sin(const T* x, T* y, std::int64_t n, stream_t stream);
template <typename T> errc cos(const T* x, T* y, std::int64_t n, stream_t stream);
template <typename T> errc atan(const T* x, T* y, std::int64_t n, stream_t stream);
template <typename T> errc erf(const T* x, T* y, std::int64_t n, stream_t stream);
template <typename T> errc floor(const T* x, T* y, std::int64_t n, stream_t stream);
template <typename T> errc ceil(const T* x, T* y, std::int64_t n, stream_t stream);
/// Half to even
template <typename T> errc rint(const T* x, T* y, std::int64_t n, stream_t stream);
template <typename T> errc relu(const T* x, T* y, std::int64_t n, stream_t stream);
template <typename T> errc sigmoid(const T* x, T* y, std::int64_t n, stream_t stream);
template <typename T> errc tanh(const T* x, T* y, std::int64_t n, stream_t stream);
template <typename T> errc swish(const T* x, T* y, std::int64_t n, stream_t stream);
template <typename T> errc mish(const T* x, T* y, std::int64_t n, stream_t stream);
template <typename T> errc gelu(const T* x, T* y, std::int64_t n, bool approximate, stream_t stream);
template <typename T> errc leaky_relu(const T* x, T* y, float slope, std::int64_t n, stream_t stream);
template <typename T> errc elu(const T* x, T* y, float alpha, std::int64_t n, stream_t stream);
template <typename T> errc clip(const T* x, T* y, T low, T high, std::int64_t n, stream_t stream);
template <typename From, typename To> errc convert(const From* x, To* y, std::int64_t n, stream_t stream);

/// relu(x + bias), bias over the last dimension
template <typename T>
errc bias_relu(const T* x, const T* bias, T* y, std::int64_t rows, std::int64_t cols, stream_t stream);
/// Gated unit: y = swish(x[:, :cols]) * x[:, cols:]
template <typename T>
errc swiglu(const T* x, T* y, std::int64_t rows, std::int64_t cols, stream_t stream);
/// q = round(x / scale) + zero_point
template <typename T>
errc quantize(const T* x, std::int8_t* q, float scale, int zero_point, std::int64_t n, stream_t stream);
template <typename T>
errc dequantize(const std::int8_t* q, T* x, float scale, int zero_point, std::int64_t n, stream_t stream);

// ---- reductions and rows: x is [rows][cols] -----------------------------------------

template <typename T>
errc row_sum(const T* x, T* y, std::int64_t rows, std::int64_t cols, stream_t stream);
template <typename T>
errc row_mean(const T* x, T* y, std::int64_t rows, std::int64_t cols, stream_t stream);
template <typename T>
errc row_max(const T* x, T* y, std::int64_t rows, std::int64_t cols, stream_t stream);
template <typename T>
errc row_argmax(const T* x, std::int64_t* index, std::int64_t rows, std::int64_t cols, stream_t stream);
template <typename T>
errc softmax(const T* x, T* y, std::int64_t rows, std::int64_t cols, stream_t stream);
/// softmax(x * scale + mask), used inside of attention
template <typename T>
errc masked_softmax(const T* x, const T* mask, T* y, float scale, std::int64_t rows, std::int64_t cols, stream_t stream);
template <typename T>
errc layer_norm(const T* x, const T* gamma, const T* beta, T* y, std::int64_t rows, std::int64_t cols, float eps, stream_t stream);
template <typename T>
errc rms_norm(const T* x, const T* gamma, T* y, std::int64_t rows, std::int64_t cols, float eps, stream_t stream);
/// Running sum along the row
template <typename T>
errc prefix_sum(const T* x, T* y, std::int64_t rows, std::int64_t cols, stream_t stream);

// ---- matrices ---------------------------------------------------------------------

/// C[m][n] = A[m][k] * B[k][n]
template <typename T>
errc gemm(const T* A, const T* B, T* C, int m, int n, int k, stream_t stream);
/// C = alpha * op(A) * op(B) + beta * C
template <typename T>
errc gemm_ex(bool ta, bool tb, int m, int n, int k, float alpha, const T* A, int lda, const T* B, int ldb, float beta, T* C, int ldc,
             stream_t stream);
template <typename T>
errc batched_gemm(const T* A, const T* B, T* C, int batch, int m, int n, int k, stream_t stream);
/// y[m] = A[m][n] * x[n]
template <typename T>
errc gemv(const T* A, const T* x, T* y, int m, int n, stream_t stream);
template <typename T>
errc gemm_bias_gelu(const T* A, const T* B, const T* bias, T* C, int m, int n, int k, stream_t stream);
/// 2-d transposition, y[cols][rows]
template <typename T>
errc transpose(const T* x, T* y, std::int64_t rows, std::int64_t cols, stream_t stream);
template <typename T>
errc transpose(const T* x, T* y, const std::int64_t* shape, const int* order, int rank, stream_t stream);
/// y[i] = table[ids[i]]
template <typename T, typename Index>
errc lookup(const T* table, const Index* ids, T* y, std::int64_t count, std::int64_t width, stream_t stream);

// ---- convolution, NCHW --------------------------------------------------------------

template <typename T>
errc conv2d(const T* x, const T* filter, const T* bias, T* y, int n, int c, int h, int w, int k, int r, int s, int pad_h, int pad_w,
            int stride_h, int stride_w, int dil_h, int dil_w, int groups, stream_t stream);
template <typename T>
errc max_pool2d(const T* x, T* y, int n, int c, int h, int w, int r, int s, int pad_h, int pad_w, int stride_h, int stride_w,
                stream_t stream);
template <typename T>
errc avg_pool2d(const T* x, T* y, int n, int c, int h, int w, int r, int s, int pad_h, int pad_w, int stride_h, int stride_w,
                stream_t stream);

errc fill_uniform(float* x, std::int64_t n, std::uint64_t seed, stream_t stream);
[[deprecated("use gemm_ex")]] errc sgemm(const float* A, const float* B, float* C, int m, int n, int k, float alpha, float beta,
                                         stream_t stream);

}  // namespace kernels
}  // namespace brx
