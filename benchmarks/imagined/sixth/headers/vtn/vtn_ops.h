/*
 * Copyright (c) Vertane Compute Co., Ltd. 2021-2025. All rights reserved.
 * Licensed under the Vertane Software License 1.2 (see LICENSE in the root of the SDK).
 *
 * vtn_ops.h - operator library, two-phase interface.
 * First phase:  VtnXxxGetWorkspaceSize checks the arguments and builds an executor.
 * Second phase: VtnXxx launches the executor on a stream. An executor can be used once.
 */
#ifndef VTN_OPS_H_
#define VTN_OPS_H_

#include <stdbool.h>
#include "vtn_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct VtnTensor VtnTensor;
typedef struct VtnTensorList VtnTensorList;
typedef struct VtnScalar VtnScalar;
typedef struct VtnIntArray VtnIntArray;
typedef struct VtnExecutor VtnExecutor;

typedef enum VtnDataType {
    VTN_DT_UNDEFINED = -1,
    VTN_FLOAT = 0,
    VTN_FLOAT16 = 1,
    VTN_INT8 = 2,
    VTN_INT32 = 3,
    VTN_UINT8 = 4,
    VTN_INT64 = 9,
    VTN_BOOL = 12,
    VTN_BF16 = 27,
} VtnDataType;

typedef enum VtnFormat {
    VTN_FORMAT_ND = 2,
    VTN_FORMAT_NCHW = 0,
    VTN_FORMAT_NHWC = 1,
} VtnFormat;

/**
 * @brief make a tensor object over memory of the device, memory stays with the caller
 * @param shape   sizes, outermost first
 * @param strides in elements, NULL means contiguous
 * @param address device address of the first element
 */
VTN_API VtnTensor *VtnCreateTensor(VtnDataType dataType, const int64_t *shape, const int64_t *strides,
                                   uint64_t rank, VtnFormat format, void *address);
VTN_API VtnError VtnDestroyTensor(const VtnTensor *tensor);
VTN_API VtnTensorList *VtnCreateTensorList(const VtnTensor *const *value, uint64_t size);
VTN_API VtnError VtnDestroyTensorList(const VtnTensorList *list);
VTN_API VtnScalar *VtnCreateScalar(const void *value, VtnDataType dataType);
VTN_API VtnIntArray *VtnCreateIntArray(const int64_t *value, uint64_t size);

/* ------------------------------------------------------------------ math */

/**
 * @brief First phase of VtnAdd. out = self + alpha * other, with broadcast.
 *
 * @param [in] self: float, float16, bfloat16, int32, int64
 * @param [in] other: same as self
 * @param [in] alpha: host scalar
 * @param [out] out
 * @param [out] workspaceSize: bytes of the workspace on device
 * @param [out] executor: op executor
 * @return VtnError
 */
VTN_API VtnError VtnAddGetWorkspaceSize(const VtnTensor *self, const VtnTensor *other, const VtnScalar *alpha,
                                        VtnTensor *out, uint64_t *workspaceSize, VtnExecutor **executor);
/**
 * @brief Second phase of VtnAdd.
 */
VTN_API VtnError VtnAdd(void *workspace, uint64_t workspaceSize, VtnExecutor *executor, VtnrtStream stream);

/** @brief selfRef += alpha * other */
VTN_API VtnError VtnInplaceAddGetWorkspaceSize(VtnTensor *selfRef, const VtnTensor *other, const VtnScalar *alpha,
                                               uint64_t *workspaceSize, VtnExecutor **executor);
VTN_API VtnError VtnInplaceAdd(void *workspace, uint64_t workspaceSize, VtnExecutor *executor, VtnrtStream stream);

VTN_API VtnError VtnSubGetWorkspaceSize(const VtnTensor *self, const VtnTensor *other, const VtnScalar *alpha,
                                        VtnTensor *out, uint64_t *workspaceSize, VtnExecutor **executor);
VTN_API VtnError VtnSub(void *workspace, uint64_t workspaceSize, VtnExecutor *executor, VtnrtStream stream);

VTN_API VtnError VtnMulGetWorkspaceSize(const VtnTensor *self, const VtnTensor *other, VtnTensor *out,
                                        uint64_t *workspaceSize, VtnExecutor **executor);
VTN_API VtnError VtnMul(void *workspace, uint64_t workspaceSize, VtnExecutor *executor, VtnrtStream stream);

/** @brief out = self * other, other is a scalar */
VTN_API VtnError VtnMulsGetWorkspaceSize(const VtnTensor *self, const VtnScalar *other, VtnTensor *out,
                                         uint64_t *workspaceSize, VtnExecutor **executor);
VTN_API VtnError VtnMuls(void *workspace, uint64_t workspaceSize, VtnExecutor *executor, VtnrtStream stream);

VTN_API VtnError VtnRealDivGetWorkspaceSize(const VtnTensor *self, const VtnTensor *other, VtnTensor *out,
                                            uint64_t *workspaceSize, VtnExecutor **executor);
VTN_API VtnError VtnRealDiv(void *workspace, uint64_t workspaceSize, VtnExecutor *executor, VtnrtStream stream);

/** @brief remainder with the sign of the divisor, as python does */
VTN_API VtnError VtnFloorModGetWorkspaceSize(const VtnTensor *self, const VtnTensor *other, VtnTensor *out,
                                             uint64_t *workspaceSize, VtnExecutor **executor);
VTN_API VtnError VtnFloorMod(void *workspace, uint64_t workspaceSize, VtnExecutor *executor, VtnrtStream stream);

VTN_API VtnError VtnExpGetWorkspaceSize(const VtnTensor *self, VtnTensor *out, uint64_t *workspaceSize,
                                        VtnExecutor **executor);
VTN_API VtnError VtnExp(void *workspace, uint64_t workspaceSize, VtnExecutor *executor, VtnrtStream stream);

VTN_API VtnError VtnClampGetWorkspaceSize(const VtnTensor *self, const VtnScalar *clipValueMin,
                                          const VtnScalar *clipValueMax, VtnTensor *out, uint64_t *workspaceSize,
                                          VtnExecutor **executor);
VTN_API VtnError VtnClamp(void *workspace, uint64_t workspaceSize, VtnExecutor *executor, VtnrtStream stream);

/* ------------------------------------------------------------ activations */

VTN_API VtnError VtnSigmoidGetWorkspaceSize(const VtnTensor *self, VtnTensor *out, uint64_t *workspaceSize,
                                            VtnExecutor **executor);
VTN_API VtnError VtnSigmoid(void *workspace, uint64_t workspaceSize, VtnExecutor *executor, VtnrtStream stream);

/** @brief  @param [in] negativeSlope: slope for x < 0 */
VTN_API VtnError VtnLeakyReluGetWorkspaceSize(const VtnTensor *self, const VtnScalar *negativeSlope, VtnTensor *out,
                                              uint64_t *workspaceSize, VtnExecutor **executor);
VTN_API VtnError VtnLeakyRelu(void *workspace, uint64_t workspaceSize, VtnExecutor *executor, VtnrtStream stream);

/** @brief approximate: 0 erf, 1 tanh */
VTN_API VtnError VtnGeluGetWorkspaceSize(const VtnTensor *x, int64_t approximate, VtnTensor *y,
                                         uint64_t *workspaceSize, VtnExecutor **executor);
VTN_API VtnError VtnGelu(void *workspace, uint64_t workspaceSize, VtnExecutor *executor, VtnrtStream stream);

/** @brief x is halved along dim; y = x0 * sigmoid(x0) * x1 */
VTN_API VtnError VtnSwiGluGetWorkspaceSize(const VtnTensor *x, int64_t dim, VtnTensor *y, uint64_t *workspaceSize,
                                           VtnExecutor **executor);
VTN_API VtnError VtnSwiGlu(void *workspace, uint64_t workspaceSize, VtnExecutor *executor, VtnrtStream stream);

VTN_API VtnError VtnSoftmaxGetWorkspaceSize(const VtnTensor *self, int64_t dim, VtnTensor *out,
                                            uint64_t *workspaceSize, VtnExecutor **executor);
VTN_API VtnError VtnSoftmax(void *workspace, uint64_t workspaceSize, VtnExecutor *executor, VtnrtStream stream);

/* -------------------------------------------------------------- reductions */

/**
 * @brief sum over dims
 * @param [in] dims: axises to reduce, empty for all
 * @param [in] keepDims: keep the reduced axis as 1
 */
VTN_API VtnError VtnReduceSumGetWorkspaceSize(const VtnTensor *self, const VtnIntArray *dims, bool keepDims,
                                              VtnDataType dtype, VtnTensor *out, uint64_t *workspaceSize,
                                              VtnExecutor **executor);
VTN_API VtnError VtnReduceSum(void *workspace, uint64_t workspaceSize, VtnExecutor *executor, VtnrtStream stream);

/** @brief value and position of the largest element along dim */
VTN_API VtnError VtnMaxDimGetWorkspaceSize(const VtnTensor *self, int64_t dim, bool keepdim, VtnTensor *out,
                                           VtnTensor *indices, uint64_t *workspaceSize, VtnExecutor **executor);
VTN_API VtnError VtnMaxDim(void *workspace, uint64_t workspaceSize, VtnExecutor *executor, VtnrtStream stream);

VTN_API VtnError VtnCumsumGetWorkspaceSize(const VtnTensor *self, int64_t dim, VtnDataType dtype, VtnTensor *out,
                                           uint64_t *workspaceSize, VtnExecutor **executor);
VTN_API VtnError VtnCumsum(void *workspace, uint64_t workspaceSize, VtnExecutor *executor, VtnrtStream stream);

/* ------------------------------------------------------------------ matrix */

VTN_API VtnError VtnBatchMatMulGetWorkspaceSize(const VtnTensor *x1, const VtnTensor *x2, VtnTensor *y,
                                                int8_t cubeMathType, uint64_t *workspaceSize, VtnExecutor **executor);
VTN_API VtnError VtnBatchMatMul(void *workspace, uint64_t workspaceSize, VtnExecutor *executor, VtnrtStream stream);

/** @brief out = beta * self + alpha * (mat1 @ mat2) */
VTN_API VtnError VtnAddmmGetWorkspaceSize(const VtnTensor *self, const VtnTensor *mat1, const VtnTensor *mat2,
                                          const VtnScalar *beta, const VtnScalar *alpha, VtnTensor *out,
                                          int8_t cubeMathType, uint64_t *workspaceSize, VtnExecutor **executor);
VTN_API VtnError VtnAddmm(void *workspace, uint64_t workspaceSize, VtnExecutor *executor, VtnrtStream stream);

/** @brief int8 x int8 product, scale is per channel (uint64 coded), offset may be NULL */
VTN_API VtnError VtnQuantMatmulGetWorkspaceSize(const VtnTensor *x1, const VtnTensor *x2, const VtnTensor *scale,
                                                const VtnTensor *offset, const VtnTensor *bias, VtnTensor *out,
                                                uint64_t *workspaceSize, VtnExecutor **executor);
VTN_API VtnError VtnQuantMatmul(void *workspace, uint64_t workspaceSize, VtnExecutor *executor, VtnrtStream stream);

/* -------------------------------------------------------------------- nn */

/**
 * @brief convolution, NCHW
 * @param [in] bias: may be null
 * @param [in] transposed: must be false on VT300
 */
VTN_API VtnError VtnConvolutionGetWorkspaceSize(const VtnTensor *input, const VtnTensor *weight, const VtnTensor *bias,
                                                const VtnIntArray *stride, const VtnIntArray *padding,
                                                const VtnIntArray *dilation, bool transposed, int64_t groups,
                                                VtnTensor *output, uint64_t *workspaceSize, VtnExecutor **executor);
VTN_API VtnError VtnConvolution(void *workspace, uint64_t workspaceSize, VtnExecutor *executor, VtnrtStream stream);

VTN_API VtnError VtnMaxPool2dGetWorkspaceSize(const VtnTensor *self, const VtnIntArray *kernelShape,
                                              const VtnIntArray *strides, const VtnIntArray *pads, bool ceilMode,
                                              VtnTensor *out, uint64_t *workspaceSize, VtnExecutor **executor);
VTN_API VtnError VtnMaxPool2d(void *workspace, uint64_t workspaceSize, VtnExecutor *executor, VtnrtStream stream);

VTN_API VtnError VtnLayerNormGetWorkspaceSize(const VtnTensor *input, const VtnIntArray *normalizedShape,
                                              const VtnTensor *weightOptional, const VtnTensor *biasOptional,
                                              double eps, VtnTensor *out, VtnTensor *meanOutOptional,
                                              VtnTensor *rstdOutOptional, uint64_t *workspaceSize,
                                              VtnExecutor **executor);
VTN_API VtnError VtnLayerNorm(void *workspace, uint64_t workspaceSize, VtnExecutor *executor, VtnrtStream stream);

VTN_API VtnError VtnRmsNormGetWorkspaceSize(const VtnTensor *x, const VtnTensor *gamma, double epsilon, VtnTensor *y,
                                            VtnTensor *rstd, uint64_t *workspaceSize, VtnExecutor **executor);
VTN_API VtnError VtnRmsNorm(void *workspace, uint64_t workspaceSize, VtnExecutor *executor, VtnrtStream stream);

/* ----------------------------------------------------------------- index */

/** @brief picks whole slices of self along dim; index is 1-D */
VTN_API VtnError VtnGatherV2GetWorkspaceSize(const VtnTensor *self, int64_t dim, const VtnTensor *index, VtnTensor *out,
                                             uint64_t *workspaceSize, VtnExecutor **executor);
VTN_API VtnError VtnGatherV2(void *workspace, uint64_t workspaceSize, VtnExecutor *executor, VtnrtStream stream);

/** @brief out[i][j] = x[index[i][j]][j] for dim 0, out has the shape of index */
VTN_API VtnError VtnGatherElementsGetWorkspaceSize(const VtnTensor *x, const VtnTensor *index, int64_t dim,
                                                   VtnTensor *out, uint64_t *workspaceSize, VtnExecutor **executor);
VTN_API VtnError VtnGatherElements(void *workspace, uint64_t workspaceSize, VtnExecutor *executor, VtnrtStream stream);

/** @brief condition ? self : other */
VTN_API VtnError VtnSelectGetWorkspaceSize(const VtnTensor *condition, const VtnTensor *self, const VtnTensor *other,
                                           VtnTensor *out, uint64_t *workspaceSize, VtnExecutor **executor);
VTN_API VtnError VtnSelect(void *workspace, uint64_t workspaceSize, VtnExecutor *executor, VtnrtStream stream);

/** @brief reorder dimensons by perm and make the result dense */
VTN_API VtnError VtnTransposeGetWorkspaceSize(const VtnTensor *x, const VtnIntArray *perm, VtnTensor *y,
                                              uint64_t *workspaceSize, VtnExecutor **executor);
VTN_API VtnError VtnTranspose(void *workspace, uint64_t workspaceSize, VtnExecutor *executor, VtnrtStream stream);

VTN_API VtnError VtnConcatGetWorkspaceSize(const VtnTensorList *tensors, int64_t dim, VtnTensor *out,
                                           uint64_t *workspaceSize, VtnExecutor **executor);
VTN_API VtnError VtnConcat(void *workspace, uint64_t workspaceSize, VtnExecutor *executor, VtnrtStream stream);

VTN_API VtnError VtnCastGetWorkspaceSize(const VtnTensor *self, VtnDataType dtype, VtnTensor *out,
                                         uint64_t *workspaceSize, VtnExecutor **executor);
VTN_API VtnError VtnCast(void *workspace, uint64_t workspaceSize, VtnExecutor *executor, VtnrtStream stream);

#ifdef __cplusplus
}
#endif
#endif /* VTN_OPS_H_ */
