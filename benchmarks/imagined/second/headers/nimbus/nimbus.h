/**
 * Nimbus Operator Library
 * An imagined vendor's header.
 *
 * Every operator is called in two steps. The Plan function checks the operands
 * and says how large a workspace is wanted; the Run function enqueues the task.
 * A task is used up by its run.
 */
#ifndef NIMBUS_OPS_H
#define NIMBUS_OPS_H

#include "nimbus_base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NIM_RUN(op) nimRet nim##op##Run(void *workspace, uint64_t workspaceSize, nimTask *task, nimStream stream)

/* out = self + alpha * other */
nimRet nimAddPlan(const nimTensor *self, const nimTensor *other, const nimScalar *alpha, nimTensor *out, uint64_t *workspaceSize, nimTask **task);
NIM_RUN(Add);
nimRet nimInplaceAddPlan(nimTensor *selfRef, const nimTensor *other, const nimScalar *alpha, uint64_t *workspaceSize, nimTask **task);
NIM_RUN(InplaceAdd);
nimRet nimMulsPlan(const nimTensor *self, const nimScalar *other, nimTensor *out, uint64_t *workspaceSize, nimTask **task);
NIM_RUN(Muls);
nimRet nimPowTensorScalarPlan(const nimTensor *self, const nimScalar *exponent, nimTensor *out, uint64_t *workspaceSize, nimTask **task);
NIM_RUN(PowTensorScalar);
nimRet nimSiluPlan(const nimTensor *self, nimTensor *out, uint64_t *workspaceSize, nimTask **task);
NIM_RUN(Silu);
nimRet nimClampPlan(const nimTensor *self, const nimScalar *clipMin, const nimScalar *clipMax, nimTensor *out, uint64_t *workspaceSize, nimTask **task);
NIM_RUN(Clamp);
nimRet nimLtScalarPlan(const nimTensor *self, const nimScalar *other, nimTensor *out, uint64_t *workspaceSize, nimTask **task);
NIM_RUN(LtScalar);
nimRet nimInplaceMaskedFillScalarPlan(nimTensor *selfRef, const nimTensor *mask, const nimScalar *value, uint64_t *workspaceSize, nimTask **task);
NIM_RUN(InplaceMaskedFillScalar);
nimRet nimSWherePlan(const nimTensor *condition, const nimTensor *self, const nimTensor *other, nimTensor *out, uint64_t *workspaceSize, nimTask **task);
NIM_RUN(SWhere);
nimRet nimReduceSumPlan(const nimTensor *self, const nimIntArray *dim, int8_t keepDim, nimDataType dtype, nimTensor *out, uint64_t *workspaceSize, nimTask **task);
NIM_RUN(ReduceSum);
nimRet nimVarPlan(const nimTensor *self, const nimIntArray *dim, int8_t unbiased, int8_t keepDim, nimTensor *out, uint64_t *workspaceSize, nimTask **task);
NIM_RUN(Var);
nimRet nimMaxDimPlan(const nimTensor *self, int64_t dim, int8_t keepDim, nimTensor *out, nimTensor *indices, uint64_t *workspaceSize, nimTask **task);
NIM_RUN(MaxDim);
nimRet nimTopkPlan(const nimTensor *self, int64_t k, int64_t dim, int8_t largest, int8_t sorted, nimTensor *valuesOut, nimTensor *indicesOut, uint64_t *workspaceSize, nimTask **task);
NIM_RUN(Topk);
/* cubeMathType: 0 keep, 1 down to f16, 2 hf32 */
nimRet nimMatmulPlan(const nimTensor *self, const nimTensor *mat2, nimTensor *out, int8_t cubeMathType, uint64_t *workspaceSize, nimTask **task);
NIM_RUN(Matmul);
nimRet nimAddmmPlan(const nimTensor *self, const nimTensor *mat1, const nimTensor *mat2, const nimScalar *beta, const nimScalar *alpha, nimTensor *out, int8_t cubeMathType, uint64_t *workspaceSize, nimTask **task);
NIM_RUN(Addmm);
nimRet nimQuantMatmulV3Plan(const nimTensor *x1, const nimTensor *x2, const nimTensor *scale, const nimTensor *offset, const nimTensor *bias, int8_t transposeX1, int8_t transposeX2, nimTensor *out, uint64_t *workspaceSize, nimTask **task);
NIM_RUN(QuantMatmulV3);
nimRet nimConvolutionPlan(const nimTensor *input, const nimTensor *weight, const nimTensor *bias, const nimIntArray *stride, const nimIntArray *padding, const nimIntArray *dilation, int8_t transposed, const nimIntArray *outputPadding, int64_t groups, nimTensor *output, int8_t cubeMathType, uint64_t *workspaceSize, nimTask **task);
NIM_RUN(Convolution);
nimRet nimAvgPool2dPlan(const nimTensor *self, const nimIntArray *kernelSize, const nimIntArray *stride, const nimIntArray *paddings, int8_t ceilMode, int8_t countIncludePad, nimTensor *out, uint64_t *workspaceSize, nimTask **task);
NIM_RUN(AvgPool2d);
nimRet nimSoftmaxPlan(const nimTensor *self, int64_t dim, nimTensor *out, uint64_t *workspaceSize, nimTask **task);
NIM_RUN(Softmax);
nimRet nimLayerNormPlan(const nimTensor *input, const nimIntArray *normalizedShape, const nimTensor *weightOptional, const nimTensor *biasOptional, double eps, nimTensor *out, nimTensor *meanOutOptional, nimTensor *rstdOutOptional, uint64_t *workspaceSize, nimTask **task);
NIM_RUN(LayerNorm);
nimRet nimAddRmsNormPlan(const nimTensor *x1, const nimTensor *x2, const nimTensor *gamma, double eps, nimTensor *yOut, nimTensor *rstdOut, nimTensor *xOut, uint64_t *workspaceSize, nimTask **task);
NIM_RUN(AddRmsNorm);
nimRet nimEmbeddingPlan(const nimTensor *weight, const nimTensor *indices, nimTensor *out, uint64_t *workspaceSize, nimTask **task);
NIM_RUN(Embedding);
nimRet nimCatPlan(const nimTensorList *tensors, int64_t dim, nimTensor *out, uint64_t *workspaceSize, nimTask **task);
NIM_RUN(Cat);
nimRet nimFlashAttentionScorePlan(const nimTensor *query, const nimTensor *key, const nimTensor *value, const nimTensor *maskOptional, double scaleValue, double keepProb, int64_t headNum, const char *inputLayout, nimTensor *softmaxMaxOut, nimTensor *softmaxSumOut, nimTensor *attentionOut, uint64_t *workspaceSize, nimTask **task);
NIM_RUN(FlashAttentionScore);
nimRet nimAllReducePlan(const nimTensor *self, const char *group, const char *reduceOp, nimTensor *out, uint64_t *workspaceSize, nimTask **task);
NIM_RUN(AllReduce);
nimRet nimTransDataPlan(const nimTensor *self, nimFormat dstFormat, nimTensor *out, uint64_t *workspaceSize, nimTask **task);
NIM_RUN(TransData);

#ifdef __cplusplus
}
#endif
#endif
