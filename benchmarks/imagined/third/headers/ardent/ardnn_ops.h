/**
 * Copyright (c) Ardent Computing Inc. 2023-2026. All rights reserved.
 * This file is part of the Ardent Neural Kit. It is licensed under the terms in LICENSE.txt.
 */
#ifndef ARD_NN_OPS_H
#define ARD_NN_OPS_H

#include <stdbool.h>
#include <stdint.h>

#if defined(_MSC_VER)
#define ARD_NN_API __declspec(dllimport)
#else
#define ARD_NN_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define ARD_NN_VERSION 20400

typedef int32_t ardRc;
#define ARD_RC_GOOD              0
#define ARD_RC_PARAM_NULL        507001
#define ARD_RC_PARAM_BAD         507002
#define ARD_RC_RUNTIME           507100
#define ARD_RC_NO_KERNEL         507203

typedef struct ardView ardView;           /* strided view of device memory */
typedef struct ardViewList ardViewList;
typedef struct ardIntList ardIntList;
typedef struct ardNumber ardNumber;       /* a host number with a type */
typedef struct ardRecipe ardRecipe;       /* what the first phase leaves to the second */
typedef struct ardTrackImpl *ardTrack;

typedef enum ardDtype {
    ARD_DT_UNDEFINED = -1, ARD_DT_FLOAT32 = 0, ARD_DT_FLOAT16 = 1, ARD_DT_BFLOAT16 = 2, ARD_DT_INT8 = 3, ARD_DT_UINT8 = 4,
    ARD_DT_INT32 = 5, ARD_DT_INT64 = 6, ARD_DT_BOOL = 7, ARD_DT_DOUBLE = 8
} ardDtype;

/* ---- objects of the host. They do not own device memory. ---- */
ARD_NN_API ardView *ardMakeView(const int64_t *dims, uint64_t rank, ardDtype dtype, const int64_t *strides, int64_t offset, void *deviceData);
ARD_NN_API ardRc ardFreeView(const ardView *view);
ARD_NN_API ardRc ardViewData(const ardView *view, void **deviceData);
ARD_NN_API ardViewList *ardMakeViewList(const ardView *const *views, uint64_t count);
ARD_NN_API ardRc ardFreeViewList(const ardViewList *list);
ARD_NN_API ardIntList *ardMakeIntList(const int64_t *values, uint64_t count);
ARD_NN_API ardRc ardFreeIntList(const ardIntList *list);
ARD_NN_API ardNumber *ardMakeNumber(const void *value, ardDtype dtype);
ARD_NN_API ardRc ardFreeNumber(const ardNumber *number);

/**
 * @brief Must come before every other call of the kit.
 * @param [in] configPath: json file, may be NULL
 */
ARD_NN_API ardRc ardnnStart(const char *configPath);
ARD_NN_API ardRc ardnnStop(void);
/* text of the last failure of this thread; "" if there was none */
ARD_NN_API const char *ardnnRecentMessage(void);

/*
 * Every operator has two phases:
 *     ardnn<Name>Plan   checks its arguments and makes a recipe; nothing runs
 *     ardnn<Name>       puts the recipe onto a track. scratch may be NULL when scratchBytes is 0.
 * A recipe is good for one launch unless ardRecipeKeep() has been called.
 */
ARD_NN_API ardRc ardRecipeKeep(ardRecipe *recipe);
ARD_NN_API ardRc ardRecipeDrop(ardRecipe *recipe);

/**
 * @brief ardnnAdd: out = a + alpha * b. Broadcast follows the NumPy rules; ranks up to 8.
 * @param [out] scratchBytes: bytes of device memory that ardnnAdd wants.
 * @param [out] recipe: used up by ardnnAdd.
 */
ARD_NN_API ardRc ardnnAddPlan(
    const ardView *a,
    const ardView *b,
    const ardNumber *alpha,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnAdd(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

/**
 * @brief ardnnSub: out = a - alpha * b
 * @param [out] scratchBytes: bytes of device memory that ardnnSub wants.
 * @param [out] recipe: used up by ardnnSub.
 */
ARD_NN_API ardRc ardnnSubPlan(
    const ardView *a,
    const ardView *b,
    const ardNumber *alpha,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnSub(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

ARD_NN_API ardRc ardnnMulPlan(
    const ardView *a,
    const ardView *b,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnMul(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

/**
 * @brief ardnnDiv: True division of the elements.
 * @param [out] scratchBytes: bytes of device memory that ardnnDiv wants.
 * @param [out] recipe: used up by ardnnDiv.
 */
ARD_NN_API ardRc ardnnDivPlan(
    const ardView *a,
    const ardView *b,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnDiv(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

ARD_NN_API ardRc ardnnPowTensorScalarPlan(
    const ardView *base,
    const ardNumber *exponent,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnPowTensorScalar(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

/**
 * @brief ardnnMaximum: elementwise
 * @param [out] scratchBytes: bytes of device memory that ardnnMaximum wants.
 * @param [out] recipe: used up by ardnnMaximum.
 */
ARD_NN_API ardRc ardnnMaximumPlan(
    const ardView *a,
    const ardView *b,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnMaximum(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

/**
 * @brief ardnnMax: Largest value along axis, and where it was. rank of values and of where is one less unless keepAxis.
 * @param [out] scratchBytes: bytes of device memory that ardnnMax wants.
 * @param [out] recipe: used up by ardnnMax.
 */
ARD_NN_API ardRc ardnnMaxPlan(
    const ardView *self,
    int64_t axis,
    bool keepAxis,
    ardView *values,
    ardView *where,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnMax(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

ARD_NN_API ardRc ardnnReduceSumPlan(
    const ardView *self,
    const ardIntList *axes,
    bool keepAxes,
    ardDtype accumulate,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnReduceSum(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

ARD_NN_API ardRc ardnnMeanPlan(
    const ardView *self,
    const ardIntList *axes,
    bool keepAxes,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnMean(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

/**
 * @brief ardnnVar: correction is 1 for the unbiased estimate.
 * @param [out] scratchBytes: bytes of device memory that ardnnVar wants.
 * @param [out] recipe: used up by ardnnVar.
 */
ARD_NN_API ardRc ardnnVarPlan(
    const ardView *self,
    const ardIntList *axes,
    int64_t correction,
    bool keepAxes,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnVar(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

ARD_NN_API ardRc ardnnArgMinPlan(
    const ardView *self,
    int64_t axis,
    bool keepAxis,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnArgMin(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

ARD_NN_API ardRc ardnnCumProdPlan(
    const ardView *self,
    int64_t axis,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnCumProd(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

ARD_NN_API ardRc ardnnSigmoidPlan(
    const ardView *self,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnSigmoid(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

ARD_NN_API ardRc ardnnTanhPlan(
    const ardView *self,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnTanh(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

ARD_NN_API ardRc ardnnErfPlan(
    const ardView *self,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnErf(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

/**
 * @brief ardnnExpm1: exp(x) - 1, exact for small x
 * @param [out] scratchBytes: bytes of device memory that ardnnExpm1 wants.
 * @param [out] recipe: used up by ardnnExpm1.
 */
ARD_NN_API ardRc ardnnExpm1Plan(
    const ardView *self,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnExpm1(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

ARD_NN_API ardRc ardnnRsqrtPlan(
    const ardView *self,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnRsqrt(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

/**
 * @brief ardnnSign: -1, 0 or 1. NaN stays NaN.
 * @param [out] scratchBytes: bytes of device memory that ardnnSign wants.
 * @param [out] recipe: used up by ardnnSign.
 */
ARD_NN_API ardRc ardnnSignPlan(
    const ardView *self,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnSign(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

/**
 * @brief ardnnElu: alpha * (exp(x) - 1) for x < 0
 * @param [out] scratchBytes: bytes of device memory that ardnnElu wants.
 * @param [out] recipe: used up by ardnnElu.
 */
ARD_NN_API ardRc ardnnEluPlan(
    const ardView *self,
    float alpha,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnElu(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

/**
 * @brief ardnnSoftplus: log(1 + exp(beta * x)) / beta; linear above threshold
 * @param [out] scratchBytes: bytes of device memory that ardnnSoftplus wants.
 * @param [out] recipe: used up by ardnnSoftplus.
 */
ARD_NN_API ardRc ardnnSoftplusPlan(
    const ardView *self,
    float beta,
    float threshold,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnSoftplus(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

ARD_NN_API ardRc ardnnBitwiseXorPlan(
    const ardView *a,
    const ardView *b,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnBitwiseXor(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

ARD_NN_API ardRc ardnnLogicalNotPlan(
    const ardView *self,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnLogicalNot(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

/**
 * @brief ardnnGeScalar: out is of type bool
 * @param [out] scratchBytes: bytes of device memory that ardnnGeScalar wants.
 * @param [out] recipe: used up by ardnnGeScalar.
 */
ARD_NN_API ardRc ardnnGeScalarPlan(
    const ardView *self,
    const ardNumber *other,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnGeScalar(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

/**
 * @brief ardnnSelectWhere: out = cond ? a : b
 * @param [out] scratchBytes: bytes of device memory that ardnnSelectWhere wants.
 * @param [out] recipe: used up by ardnnSelectWhere.
 */
ARD_NN_API ardRc ardnnSelectWherePlan(
    const ardView *cond,
    const ardView *a,
    const ardView *b,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnSelectWhere(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

/**
 * @brief ardnnMaskedFill: self where mask is false, value where it is true
 * @param [out] scratchBytes: bytes of device memory that ardnnMaskedFill wants.
 * @param [out] recipe: used up by ardnnMaskedFill.
 */
ARD_NN_API ardRc ardnnMaskedFillPlan(
    const ardView *self,
    const ardView *mask,
    const ardNumber *value,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnMaskedFill(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

/**
 * @brief ardnnMm: Product of two matrices. mathMode: 0 exact, 1 allow reduced precision of f32.
 * @param [out] scratchBytes: bytes of device memory that ardnnMm wants.
 * @param [out] recipe: used up by ardnnMm.
 */
ARD_NN_API ardRc ardnnMmPlan(
    const ardView *a,
    const ardView *b,
    int8_t mathMode,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnMm(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

/**
 * @brief ardnnAddmm: out = beta * c + alpha * (a @ b)
 * @param [out] scratchBytes: bytes of device memory that ardnnAddmm wants.
 * @param [out] recipe: used up by ardnnAddmm.
 */
ARD_NN_API ardRc ardnnAddmmPlan(
    const ardView *c,
    const ardView *a,
    const ardView *b,
    const ardNumber *beta,
    const ardNumber *alpha,
    int8_t mathMode,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnAddmm(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

ARD_NN_API ardRc ardnnBatchMatMulPlan(
    const ardView *a,
    const ardView *b,
    int8_t mathMode,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnBatchMatMul(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

/**
 * @brief ardnnConvolution: weight is OIHW. bias may be NULL. pads has 2 or 4 numbers.
 * @param [out] scratchBytes: bytes of device memory that ardnnConvolution wants.
 * @param [out] recipe: used up by ardnnConvolution.
 */
ARD_NN_API ardRc ardnnConvolutionPlan(
    const ardView *input,
    const ardView *weight,
    const ardView *bias,
    const ardIntList *strides,
    const ardIntList *pads,
    const ardIntList *dilations,
    int64_t groups,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnConvolution(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

ARD_NN_API ardRc ardnnAvgPool2dPlan(
    const ardView *self,
    const ardIntList *kernel,
    const ardIntList *strides,
    const ardIntList *pads,
    bool ceilMode,
    bool countPads,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnAvgPool2d(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

/**
 * @brief ardnnLayerNorm: The axes that are normalised are the last ones, of extent normShape.
 * @param [out] scratchBytes: bytes of device memory that ardnnLayerNorm wants.
 * @param [out] recipe: used up by ardnnLayerNorm.
 */
ARD_NN_API ardRc ardnnLayerNormPlan(
    const ardView *self,
    const ardIntList *normShape,
    const ardView *gamma,
    const ardView *beta,
    double epsilon,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnLayerNorm(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

/**
 * @brief ardnnBatchNormInfer: Running statistics only; nothing is updated.
 * @param [out] scratchBytes: bytes of device memory that ardnnBatchNormInfer wants.
 * @param [out] recipe: used up by ardnnBatchNormInfer.
 */
ARD_NN_API ardRc ardnnBatchNormInferPlan(
    const ardView *self,
    const ardView *gamma,
    const ardView *beta,
    const ardView *runningMean,
    const ardView *runningVar,
    double epsilon,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnBatchNormInfer(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

ARD_NN_API ardRc ardnnGroupNormPlan(
    const ardView *self,
    const ardView *gamma,
    const ardView *beta,
    int64_t groups,
    double epsilon,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnGroupNorm(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

ARD_NN_API ardRc ardnnLogSoftmaxPlan(
    const ardView *self,
    int64_t axis,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnLogSoftmax(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

/**
 * @brief ardnnGather: out[i][j] = self[index[i][j]][j] for axis 0. index has the rank of self.
 * @param [out] scratchBytes: bytes of device memory that ardnnGather wants.
 * @param [out] recipe: used up by ardnnGather.
 */
ARD_NN_API ardRc ardnnGatherPlan(
    const ardView *self,
    int64_t axis,
    const ardView *index,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnGather(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

/**
 * @brief ardnnIndexPick: Takes the slices of self given by index (rank 1).
 * @param [out] scratchBytes: bytes of device memory that ardnnIndexPick wants.
 * @param [out] recipe: used up by ardnnIndexPick.
 */
ARD_NN_API ardRc ardnnIndexPickPlan(
    const ardView *self,
    int64_t axis,
    const ardView *index,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnIndexPick(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

/**
 * @brief ardnnScatter: out is self with the elements of src put at index.
 * @param [out] scratchBytes: bytes of device memory that ardnnScatter wants.
 * @param [out] recipe: used up by ardnnScatter.
 */
ARD_NN_API ardRc ardnnScatterPlan(
    const ardView *self,
    int64_t axis,
    const ardView *index,
    const ardView *src,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnScatter(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

ARD_NN_API ardRc ardnnConcatPlan(
    const ardViewList *views,
    int64_t axis,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnConcat(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

ARD_NN_API ardRc ardnnPermutePlan(
    const ardView *self,
    const ardIntList *order,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnPermute(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

ARD_NN_API ardRc ardnnCastToPlan(
    const ardView *self,
    ardDtype to,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnCastTo(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

/**
 * @brief ardnnSdpa: Scaled dot product attention; mask may be NULL, scale 0 means 1/sqrt(depth).
 * @param [out] scratchBytes: bytes of device memory that ardnnSdpa wants.
 * @param [out] recipe: used up by ardnnSdpa.
 */
ARD_NN_API ardRc ardnnSdpaPlan(
    const ardView *query,
    const ardView *key,
    const ardView *value,
    const ardView *mask,
    double scale,
    bool causal,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnSdpa(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

/**
 * @brief ardnnInplaceAdd: a += alpha * b
 * @param [out] scratchBytes: bytes of device memory that ardnnInplaceAdd wants.
 * @param [out] recipe: used up by ardnnInplaceAdd.
 */
ARD_NN_API ardRc ardnnInplaceAddPlan(
    ardView *a,
    const ardView *b,
    const ardNumber *alpha,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnInplaceAdd(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

ARD_NN_API ardRc ardnnInplaceSigmoidPlan(
    ardView *self,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnInplaceSigmoid(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

/**
 * @brief ardnnMatMulBiasGelu: one kernel for the feed forward block
 * @param [out] scratchBytes: bytes of device memory that ardnnMatMulBiasGelu wants.
 * @param [out] recipe: used up by ardnnMatMulBiasGelu.
 */
ARD_NN_API ardRc ardnnMatMulBiasGeluPlan(
    const ardView *a,
    const ardView *b,
    const ardView *bias,
    bool approximate,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnMatMulBiasGelu(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

/**
 * @brief ardnnQuantMatMul: int8 x int8, scale per channel of the weight
 * @param [out] scratchBytes: bytes of device memory that ardnnQuantMatMul wants.
 * @param [out] recipe: used up by ardnnQuantMatMul.
 */
ARD_NN_API ardRc ardnnQuantMatMulPlan(
    const ardView *a,
    const ardView *b,
    const ardView *scale,
    const ardView *offset,
    const ardView *bias,
    bool transposeB,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnQuantMatMul(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

/**
 * @brief ardnnApplyRotary: rotates query and key in place
 * @param [out] scratchBytes: bytes of device memory that ardnnApplyRotary wants.
 * @param [out] recipe: used up by ardnnApplyRotary.
 */
ARD_NN_API ardRc ardnnApplyRotaryPlan(
    ardView *query,
    ardView *key,
    const ardView *cosTable,
    const ardView *sinTable,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnApplyRotary(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

/**
 * @brief ardnnAllReduceAdd: sums self over the ranks of the ring
 * @param [out] scratchBytes: bytes of device memory that ardnnAllReduceAdd wants.
 * @param [out] recipe: used up by ardnnAllReduceAdd.
 */
ARD_NN_API ardRc ardnnAllReduceAddPlan(
    const ardView *self,
    const char *ring,
    ardView *out,
    uint64_t *scratchBytes,
    ardRecipe **recipe);
ARD_NN_API ardRc ardnnAllReduceAdd(void *scratch, uint64_t scratchBytes, ardRecipe *recipe, ardTrack track);

#ifdef __cplusplus
}
#endif
#endif
