// SPDX-License-Identifier: LicenseRef-Ionix-Proprietary
// Copyright 2022-2025 Ionix Technologies, Inc.
//
// ixk - operator kernels for the Ionix IX7 family.
//
// Every operator is used in two steps:
//   1. ixk<Op>QueryScratch() tells how many bytes of device scratch the call will need (may be 0);
//   2. ixk<Op>Launch() puts the work on a stream and returns at once.
// Scratch must stay alive until the stream has passed the launch. All views describe device memory.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IXK_API_LEVEL 14
#define IXK_MAX_RANK 8

#if defined(_WIN32)
#define IXK_EXPORT __declspec(dllexport)
#else
#define IXK_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t ixResult;
#define IX_OK 0
#define IX_E_ARG (-1)
#define IX_E_SHAPE (-2)
#define IX_E_DTYPE (-3)
#define IX_E_SCRATCH (-4)
#define IX_E_LAUNCH (-5)
#define IX_E_NOMEM (-6)

typedef struct ixStreamImpl *ixStream;
typedef struct ixFenceImpl *ixFence;

typedef enum ixkElemType {
  IXK_F32 = 1, IXK_F16 = 2, IXK_BF16 = 3, IXK_I8 = 4, IXK_U8 = 5, IXK_I16 = 6, IXK_I32 = 7, IXK_I64 = 8, IXK_BOOL = 9,
} ixkElemType;

/// A view of device memory. Strides count elements; zero strides broadcast.
typedef struct ixkView {
  void *base;
  int64_t offset;  ///< in elements
  ixkElemType type;
  int32_t rank;
  int64_t size[IXK_MAX_RANK];
  int64_t stride[IXK_MAX_RANK];
} ixkView;

typedef struct ixkScalar {
  ixkElemType type;
  union { double f; int64_t i; bool b; } v;
} ixkScalar;

typedef struct ixkConvAttr {
  int32_t nspatial;
  int64_t stride[3], pad_lo[3], pad_hi[3], dilation[3];
  int64_t group;
  bool transposed;
} ixkConvAttr;

typedef struct ixkPoolAttr {
  int64_t window[2], stride[2], pad[2], dilation[2];
  bool ceil_mode, count_include_pad;
} ixkPoolAttr;

// ----------------------------------------------------------------------------------------------- device ------
IXK_EXPORT ixResult ixInitialize(uint32_t flags);
IXK_EXPORT ixResult ixShutdown(void);
IXK_EXPORT ixResult ixDeviceCount(int32_t *n);
IXK_EXPORT ixResult ixDeviceSelect(int32_t ordinal);
IXK_EXPORT ixResult ixDeviceCurrent(int32_t *ordinal);
IXK_EXPORT ixResult ixDeviceWaitIdle(void);
IXK_EXPORT ixResult ixMemAlloc(void **ptr, size_t bytes);
IXK_EXPORT ixResult ixMemFree(void *ptr);
IXK_EXPORT ixResult ixMemUpload(void *device_dst, const void *host_src, size_t bytes, ixStream stream);
IXK_EXPORT ixResult ixMemDownload(void *host_dst, const void *device_src, size_t bytes, ixStream stream);
IXK_EXPORT ixResult ixMemMove(void *device_dst, const void *device_src, size_t bytes, ixStream stream);
IXK_EXPORT ixResult ixMemSet8(void *ptr, int32_t value, size_t bytes, ixStream stream);
IXK_EXPORT ixResult ixMemQuota(size_t *free_bytes, size_t *total_bytes);
IXK_EXPORT ixResult ixStreamOpen(ixStream *stream, int32_t priority);
IXK_EXPORT ixResult ixStreamClose(ixStream stream);
IXK_EXPORT ixResult ixStreamWait(ixStream stream);
IXK_EXPORT ixResult ixFenceNew(ixFence *fence);
IXK_EXPORT ixResult ixFenceSignal(ixFence fence, ixStream stream);
IXK_EXPORT ixResult ixFenceWait(ixFence fence);
IXK_EXPORT ixResult ixFenceDelete(ixFence fence);
IXK_EXPORT const char *ixResultText(ixResult r);

// ----------------------------------------------------------------------------------------------- binary ------
// out = a (op) b, with broadcasting. One query serves them all.
IXK_EXPORT ixResult ixkBinaryQueryScratch(const ixkView *a, const ixkView *b, const ixkView *out, size_t *scratch_bytes);
IXK_EXPORT ixResult ixkMulLaunch(const ixkView *a, const ixkView *b, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
/// True division; integer views are rejected with IX_E_DTYPE.
IXK_EXPORT ixResult ixkDivLaunch(const ixkView *a, const ixkView *b, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkMaximumLaunch(const ixkView *a, const ixkView *b, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkMinimumLaunch(const ixkView *a, const ixkView *b, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
/// a to the power of b, elementwise
IXK_EXPORT ixResult ixkPowerLaunch(const ixkView *a, const ixkView *b, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkAtan2Launch(const ixkView *a, const ixkView *b, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
/// Comparisons write IXK_BOOL.
IXK_EXPORT ixResult ixkEqualLaunch(const ixkView *a, const ixkView *b, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkNotEqualLaunch(const ixkView *a, const ixkView *b, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkLessLaunch(const ixkView *a, const ixkView *b, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkLessEqualLaunch(const ixkView *a, const ixkView *b, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkGreaterLaunch(const ixkView *a, const ixkView *b, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkGreaterEqualLaunch(const ixkView *a, const ixkView *b, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkBitAndLaunch(const ixkView *a, const ixkView *b, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkBitOrLaunch(const ixkView *a, const ixkView *b, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkBitXorLaunch(const ixkView *a, const ixkView *b, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
/// out = a + alpha * b
IXK_EXPORT ixResult ixkAddLaunch(const ixkView *a, const ixkView *b, ixkScalar alpha, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
/// out = a - alpha * b
IXK_EXPORT ixResult ixkSubLaunch(const ixkView *a, const ixkView *b, ixkScalar alpha, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
/// a += b. `a` must not overlap b.
IXK_EXPORT ixResult ixkAddIntoLaunch(const ixkView *a, const ixkView *b, void *scratch, size_t scratch_bytes, ixStream stream);
/// out = a + scale * b * c
IXK_EXPORT ixResult ixkMulAdd3Launch(const ixkView *a, const ixkView *b, const ixkView *c, ixkScalar scale, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);

// ----------------------------------------------------------------------------------------------- unary ------
IXK_EXPORT ixResult ixkUnaryQueryScratch(const ixkView *in, const ixkView *out, size_t *scratch_bytes);
IXK_EXPORT ixResult ixkExpLaunch(const ixkView *in, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkLogLaunch(const ixkView *in, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkLog1pLaunch(const ixkView *in, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkSqrtLaunch(const ixkView *in, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkRsqrtLaunch(const ixkView *in, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
/// 1 / x
IXK_EXPORT ixResult ixkRecipLaunch(const ixkView *in, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkAbsLaunch(const ixkView *in, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkNegLaunch(const ixkView *in, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkSinLaunch(const ixkView *in, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkCosLaunch(const ixkView *in, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkTanhLaunch(const ixkView *in, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkErfLaunch(const ixkView *in, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkSigmoidLaunch(const ixkView *in, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkReluLaunch(const ixkView *in, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkSiluLaunch(const ixkView *in, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkBitNotLaunch(const ixkView *in, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
/// Value conversion between element types (round to nearest even).
IXK_EXPORT ixResult ixkConvertLaunch(const ixkView *in, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
/// Gaussian error linear unit. \p tanh_form selects the approximation.
IXK_EXPORT ixResult ixkGeluLaunch(const ixkView *in, bool tanh_form, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkLeakyReluLaunch(const ixkView *in, float slope, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
/// log(1 + exp(beta * x)) / beta, linear where beta * x > threshold
IXK_EXPORT ixResult ixkSoftplusLaunch(const ixkView *in, float beta, float threshold, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
/// Limits x to [lo, hi]; a NULL limit is none.
IXK_EXPORT ixResult ixkClampLaunch(const ixkView *in, const ixkScalar *lo, const ixkScalar *hi, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
/// out = cond ? a : b
IXK_EXPORT ixResult ixkWhereLaunch(const ixkView *cond, const ixkView *a, const ixkView *b, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
/// Writes value to all the elements.
IXK_EXPORT ixResult ixkFillLaunch(const ixkView *out, ixkScalar value, void *scratch, size_t scratch_bytes, ixStream stream);

// ----------------------------------------------------------------------------------------------- reductions ------
IXK_EXPORT ixResult ixkReduceQueryScratch(const ixkView *in, const int32_t *axes, int32_t naxes, const ixkView *out, size_t *scratch_bytes);
IXK_EXPORT ixResult ixkReduceSumLaunch(const ixkView *in, const int32_t *axes, int32_t naxes, bool keep, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkReduceMeanLaunch(const ixkView *in, const int32_t *axes, int32_t naxes, bool keep, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkReduceMaxLaunch(const ixkView *in, const int32_t *axes, int32_t naxes, bool keep, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkReduceMinLaunch(const ixkView *in, const int32_t *axes, int32_t naxes, bool keep, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkReduceAllLaunch(const ixkView *in, const int32_t *axes, int32_t naxes, bool keep, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkReduceAnyLaunch(const ixkView *in, const int32_t *axes, int32_t naxes, bool keep, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
/// Index of the greatest element, IXK_I64
IXK_EXPORT ixResult ixkArgmaxLaunch(const ixkView *in, int32_t axis, bool keep, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
/// Variance; correction 1 is the unbiased estimate
IXK_EXPORT ixResult ixkVarianceLaunch(const ixkView *in, const int32_t *axes, int32_t naxes, double correction, bool keep, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkTopkQueryScratch(const ixkView *in, int64_t k, int32_t axis, size_t *scratch_bytes);
IXK_EXPORT ixResult ixkTopkLaunch(const ixkView *in, int64_t k, int32_t axis, bool largest, bool sorted, const ixkView *values, const ixkView *indices, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkSortQueryScratch(const ixkView *in, int32_t axis, size_t *scratch_bytes);
IXK_EXPORT ixResult ixkSortLaunch(const ixkView *in, int32_t axis, bool descending, bool stable, const ixkView *values, const ixkView *indices, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkPrefixSumQueryScratch(const ixkView *in, int32_t axis, size_t *scratch_bytes);
/// Inclusive running sum
IXK_EXPORT ixResult ixkPrefixSumLaunch(const ixkView *in, int32_t axis, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);

// ----------------------------------------------------------------------------------------------- nn ------
IXK_EXPORT ixResult ixkSoftmaxQueryScratch(const ixkView *in, int32_t axis, size_t *scratch_bytes);
IXK_EXPORT ixResult ixkSoftmaxLaunch(const ixkView *in, int32_t axis, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkLogSoftmaxLaunch(const ixkView *in, int32_t axis, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkLayerNormQueryScratch(const ixkView *in, int32_t norm_rank, size_t *scratch_bytes);
/// Normalises over the last norm_rank dimensions. mean_out and rstd_out may be NULL.
IXK_EXPORT ixResult ixkLayerNormLaunch(const ixkView *in, int32_t norm_rank, const ixkView *gamma, const ixkView *beta, float epsilon, const ixkView *out, const ixkView *mean_out, const ixkView *rstd_out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkRmsNormLaunch(const ixkView *in, const ixkView *gamma, float epsilon, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
/// residual += in; out = rmsnorm(residual)
IXK_EXPORT ixResult ixkAddRmsNormLaunch(const ixkView *in, const ixkView *residual, const ixkView *gamma, float epsilon, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkMatMulQueryScratch(const ixkView *a, const ixkView *b, const ixkView *out, size_t *scratch_bytes);
/// 2-D by 2-D, or batched over equal leading dimensions.
IXK_EXPORT ixResult ixkMatMulLaunch(const ixkView *a, const ixkView *b, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
/// out = beta * bias + alpha * (a x b)
IXK_EXPORT ixResult ixkAddmmQueryScratch(const ixkView *bias, const ixkView *a, const ixkView *b, size_t *scratch_bytes);
IXK_EXPORT ixResult ixkAddmmLaunch(const ixkView *bias, const ixkView *a, const ixkView *b, ixkScalar alpha, ixkScalar beta, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
/// x8 * w8 with per-channel scales, int32 accumulation.
IXK_EXPORT ixResult ixkQMatMulLaunch(const ixkView *a, const ixkView *b, const ixkView *a_scale, const ixkView *b_scale, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkConvolutionQueryScratch(const ixkView *in, const ixkView *weight, const ixkConvAttr *attr, const ixkView *out, size_t *scratch_bytes);
IXK_EXPORT ixResult ixkConvolutionLaunch(const ixkView *in, const ixkView *weight, const ixkView *bias, const ixkConvAttr *attr, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
/// indices may be NULL
IXK_EXPORT ixResult ixkMaxPool2dLaunch(const ixkView *in, const ixkPoolAttr *attr, const ixkView *out, const ixkView *indices, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkAvgPool2dLaunch(const ixkView *in, const ixkPoolAttr *attr, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
/// weight[indices]; rows are copied
IXK_EXPORT ixResult ixkEmbeddingLookupLaunch(const ixkView *weight, const ixkView *indices, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkAttentionQueryScratch(const ixkView *q, const ixkView *k, const ixkView *v, size_t *scratch_bytes);
/// softmax(q k^T * scale + mask) v; layout B H S D
IXK_EXPORT ixResult ixkAttentionLaunch(const ixkView *q, const ixkView *k, const ixkView *v, const ixkView *mask, float scale, bool causal, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkRotaryEmbedLaunch(const ixkView *x, const ixkView *cos_tab, const ixkView *sin_tab, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);

// ----------------------------------------------------------------------------------------------- movement ------
IXK_EXPORT ixResult ixkConcatLaunch(const ixkView *const *ins, int32_t nins, int32_t axis, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkPermuteLaunch(const ixkView *in, const int32_t *order, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
/// Elements of `in` along axis at positions idx (same rank as out)
IXK_EXPORT ixResult ixkGatherLaunch(const ixkView *in, int32_t axis, const ixkView *idx, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
/// Whole slices along axis; idx is 1-D
IXK_EXPORT ixResult ixkTakeLaunch(const ixkView *in, int32_t axis, const ixkView *idx, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
/// Materialise any strided view.
IXK_EXPORT ixResult ixkCopyLaunch(const ixkView *in, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkPadConstantLaunch(const ixkView *in, const int64_t *pad_lo, const int64_t *pad_hi, ixkScalar value, const ixkView *out, void *scratch, size_t scratch_bytes, ixStream stream);
/// Philox 4x32-10
IXK_EXPORT ixResult ixkRandUniformLaunch(const ixkView *out, uint64_t seed, uint64_t offset, double lo, double hi, void *scratch, size_t scratch_bytes, ixStream stream);
IXK_EXPORT ixResult ixkAllReduceSumLaunch(const ixkView *in, const ixkView *out, int32_t world, void *scratch, size_t scratch_bytes, ixStream stream);

#ifdef __cplusplus
}  // extern "C"
#endif
