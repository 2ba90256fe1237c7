/**
 * @file kestrel.h
 * @brief Kestrel Operator Library (KOL) for K-Series NPUs.
 *
 * Usage: describe operands with ksTensor objects, plan an operation, give it scratch memory, run the plan.
 * @code
 *   size_t scratch;  ksPlan plan;
 *   ksPlanAdd(ctx, a, b, c, &scratch, &plan);
 *   ksDevAlloc(ctx, scratch, &mem);
 *   ksPlanRun(plan, mem, scratch, queue);
 * @endcode
 */
#ifndef KESTREL_H
#define KESTREL_H

#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KS_API __attribute__((visibility("default")))

typedef struct ks_context_ *ksContext;
typedef struct ks_tensor_  *ksTensor;
typedef struct ks_scalar_  *ksScalar;
typedef struct ks_dims_    *ksDims;
typedef struct ks_list_    *ksTensorList;
typedef struct ks_plan_    *ksPlan;
typedef struct ks_queue_   *ksQueue;
typedef struct ks_event_   *ksEvent;

/** Result of every call. */
typedef enum ksStatus {
    ksStatusOk            = 0,
    ksStatusBadArgument   = 161001,
    ksStatusBadTensor     = 161002,
    ksStatusRuntime       = 361001,
    ksStatusInner         = 561000
} ksStatus;

typedef enum ksType {
    ksTypeFloat = 0, ksTypeHalf = 1, ksTypeInt8 = 2, ksTypeInt32 = 3, ksTypeUint8 = 4,
    ksTypeInt16 = 6, ksTypeInt64 = 9, ksTypeDouble = 11, ksTypeBool = 12, ksTypeBf16 = 27
} ksType;

typedef enum ksCopyDir { ksCopyHostToHost = 0, ksCopyHostToDevice = 1, ksCopyDeviceToHost = 2, ksCopyDeviceToDevice = 3 } ksCopyDir;

/* ------------------------------------------------------------------------------------------- */
/** @defgroup rt Runtime
 *  @{ */
KS_API ksStatus ksInit(const char *configFile);
KS_API ksStatus ksFinalize(void);
KS_API ksStatus ksDeviceCount(uint32_t *count);
KS_API ksStatus ksContextOpen(int32_t device, ksContext *ctx);
KS_API ksStatus ksContextClose(ksContext ctx);
KS_API ksStatus ksContextSync(ksContext ctx);
KS_API ksStatus ksDevAlloc(ksContext ctx, size_t size, void **devPtr);
KS_API ksStatus ksDevFree(ksContext ctx, void *devPtr);
/** @param dstMax size of the destination, checked against @p count */
KS_API ksStatus ksCopy(void *dst, size_t dstMax, const void *src, size_t count, ksCopyDir dir);
KS_API ksStatus ksCopyAsync(void *dst, size_t dstMax, const void *src, size_t count, ksCopyDir dir, ksQueue queue);
KS_API ksStatus ksSet(void *devPtr, size_t maxCount, int32_t value, size_t count);
KS_API ksStatus ksQueueOpen(ksContext ctx, ksQueue *queue);
KS_API ksStatus ksQueueClose(ksQueue queue);
KS_API ksStatus ksQueueSync(ksQueue queue);
KS_API ksStatus ksEventOpen(ksContext ctx, ksEvent *event);
KS_API ksStatus ksEventClose(ksEvent event);
KS_API ksStatus ksEventMark(ksEvent event, ksQueue queue);
KS_API ksStatus ksEventSync(ksEvent event);
KS_API ksStatus ksEventElapsed(float *ms, ksEvent start, ksEvent end);
KS_API const char *ksRecentErrMsg(void);
/** @} */

/** @defgroup obj Objects
 *  @{ */
/**
 * @brief Makes a tensor over device memory.
 * @param viewDims    extents, outermost first
 * @param strides     in elements; NULL for a dense tensor
 * @param offset      in elements from @p devPtr
 */
KS_API ksTensor ksTensorNew(const int64_t *viewDims, uint64_t rank, ksType type, const int64_t *strides, int64_t offset, void *devPtr);
KS_API ksStatus ksTensorDelete(ksTensor t);
KS_API ksStatus ksTensorSetAddr(ksTensor t, void *devPtr);
KS_API ksScalar ksScalarNew(const void *value, ksType type);
KS_API ksStatus ksScalarDelete(ksScalar s);
KS_API ksDims   ksDimsNew(const int64_t *values, uint64_t count);
KS_API ksStatus ksDimsDelete(ksDims d);
KS_API ksTensorList ksTensorListNew(const ksTensor *tensors, uint64_t count);
KS_API ksStatus ksTensorListDelete(ksTensorList l);
/** @} */

/** @defgroup run Running
 *  @{ */
KS_API ksStatus ksPlanRun(ksPlan plan, void *scratch, size_t scratchSize, ksQueue queue);
KS_API ksStatus ksPlanSetReusable(ksPlan plan);
KS_API ksStatus ksPlanDelete(ksPlan plan);
/** @} */

/** @defgroup ops Operations
 *  @{ */
#define KS_PLAN_UNARY(Name) \
    KS_API ksStatus ksPlan##Name(ksContext ctx, ksTensor self, ksTensor out, size_t *scratchSize, ksPlan *plan)
KS_PLAN_UNARY(Abs);
KS_PLAN_UNARY(Ceil);
KS_PLAN_UNARY(Cos);
KS_PLAN_UNARY(Erf);
KS_PLAN_UNARY(Exp);
KS_PLAN_UNARY(Floor);
KS_PLAN_UNARY(LogicalNot);
KS_PLAN_UNARY(Neg);
KS_PLAN_UNARY(Relu);
KS_PLAN_UNARY(Rsqrt);
KS_PLAN_UNARY(Sigmoid);
KS_PLAN_UNARY(Silu);
KS_PLAN_UNARY(Tanh);

/** out = self + alpha * other, with broadcasting */
KS_API ksStatus ksPlanAdd(ksContext ctx, ksTensor self, ksTensor other, ksScalar alpha, ksTensor out, size_t *scratchSize, ksPlan *plan);
KS_API ksStatus ksPlanSub(ksContext ctx, ksTensor self, ksTensor other, ksScalar alpha, ksTensor out, size_t *scratchSize, ksPlan *plan);
KS_API ksStatus ksPlanMul(ksContext ctx, ksTensor self, ksTensor other, ksTensor out, size_t *scratchSize, ksPlan *plan);
KS_API ksStatus ksPlanMuls(ksContext ctx, ksTensor self, ksScalar other, ksTensor out, size_t *scratchSize, ksPlan *plan);
KS_API ksStatus ksPlanDiv(ksContext ctx, ksTensor self, ksTensor other, ksTensor out, size_t *scratchSize, ksPlan *plan);
KS_API ksStatus ksPlanPowTensorScalar(ksContext ctx, ksTensor self, ksScalar exponent, ksTensor out, size_t *scratchSize, ksPlan *plan);
KS_API ksStatus ksPlanInplaceAdd(ksContext ctx, ksTensor selfRef, ksTensor other, ksScalar alpha, size_t *scratchSize, ksPlan *plan);
KS_API ksStatus ksPlanGtScalar(ksContext ctx, ksTensor self, ksScalar other, ksTensor out, size_t *scratchSize, ksPlan *plan);
KS_API ksStatus ksPlanEqTensor(ksContext ctx, ksTensor self, ksTensor other, ksTensor out, size_t *scratchSize, ksPlan *plan);
KS_API ksStatus ksPlanWhere(ksContext ctx, ksTensor condition, ksTensor self, ksTensor other, ksTensor out, size_t *scratchSize, ksPlan *plan);
KS_API ksStatus ksPlanMaskedFillScalar(ksContext ctx, ksTensor selfRef, ksTensor mask, ksScalar value, size_t *scratchSize, ksPlan *plan);
KS_API ksStatus ksPlanClamp(ksContext ctx, ksTensor self, ksScalar minValue, ksScalar maxValue, ksTensor out, size_t *scratchSize, ksPlan *plan);
KS_API ksStatus ksPlanCast(ksContext ctx, ksTensor self, ksType type, ksTensor out, size_t *scratchSize, ksPlan *plan);
KS_API ksStatus ksPlanGelu(ksContext ctx, ksTensor self, bool tanhApprox, ksTensor out, size_t *scratchSize, ksPlan *plan);
KS_API ksStatus ksPlanSoftmax(ksContext ctx, ksTensor self, int64_t dim, ksTensor out, size_t *scratchSize, ksPlan *plan);
KS_API ksStatus ksPlanLogSoftmax(ksContext ctx, ksTensor self, int64_t dim, ksTensor out, size_t *scratchSize, ksPlan *plan);
KS_API ksStatus ksPlanReduceSum(ksContext ctx, ksTensor self, ksDims dims, bool keepDims, ksType type, ksTensor out, size_t *scratchSize, ksPlan *plan);
KS_API ksStatus ksPlanMean(ksContext ctx, ksTensor self, ksDims dims, bool keepDims, ksType type, ksTensor out, size_t *scratchSize, ksPlan *plan);
KS_API ksStatus ksPlanAmax(ksContext ctx, ksTensor self, ksDims dims, bool keepDims, ksTensor out, size_t *scratchSize, ksPlan *plan);
KS_API ksStatus ksPlanArgMax(ksContext ctx, ksTensor self, int64_t dim, bool keepDims, ksTensor out, size_t *scratchSize, ksPlan *plan);
KS_API ksStatus ksPlanCumsum(ksContext ctx, ksTensor self, int64_t dim, ksType type, ksTensor out, size_t *scratchSize, ksPlan *plan);
/** @param cubeMath 0: full precision, 1: may use half */
KS_API ksStatus ksPlanMatmul(ksContext ctx, ksTensor self, ksTensor mat2, ksTensor out, int8_t cubeMath, size_t *scratchSize, ksPlan *plan);
KS_API ksStatus ksPlanBatchMatmul(ksContext ctx, ksTensor self, ksTensor mat2, ksTensor out, int8_t cubeMath, size_t *scratchSize, ksPlan *plan);
KS_API ksStatus ksPlanAddmm(ksContext ctx, ksTensor self, ksTensor mat1, ksTensor mat2, ksScalar beta, ksScalar alpha, ksTensor out, int8_t cubeMath, size_t *scratchSize, ksPlan *plan);
/** @param bias may be NULL */
KS_API ksStatus ksPlanConvolution(ksContext ctx, ksTensor input, ksTensor weight, ksTensor bias, ksDims stride, ksDims padding, ksDims dilation, bool transposed, ksDims outputPadding, int64_t groups, ksTensor output, int8_t cubeMath, size_t *scratchSize, ksPlan *plan);
KS_API ksStatus ksPlanMaxPool2d(ksContext ctx, ksTensor self, ksDims kernelSize, ksDims stride, ksDims padding, ksDims dilation, bool ceilMode, ksTensor out, ksTensor indices, size_t *scratchSize, ksPlan *plan);
KS_API ksStatus ksPlanLayerNorm(ksContext ctx, ksTensor input, ksDims normalizedShape, ksTensor weight, ksTensor bias, double eps, ksTensor out, ksTensor meanOut, ksTensor rstdOut, size_t *scratchSize, ksPlan *plan);
KS_API ksStatus ksPlanEmbedding(ksContext ctx, ksTensor weight, ksTensor indices, ksTensor out, size_t *scratchSize, ksPlan *plan);
KS_API ksStatus ksPlanIndexSelect(ksContext ctx, ksTensor self, int64_t dim, ksTensor index, ksTensor out, size_t *scratchSize, ksPlan *plan);
KS_API ksStatus ksPlanGather(ksContext ctx, ksTensor self, int64_t dim, ksTensor index, ksTensor out, size_t *scratchSize, ksPlan *plan);
KS_API ksStatus ksPlanPermute(ksContext ctx, ksTensor self, ksDims dims, ksTensor out, size_t *scratchSize, ksPlan *plan);
KS_API ksStatus ksPlanCat(ksContext ctx, ksTensorList tensors, int64_t dim, ksTensor out, size_t *scratchSize, ksPlan *plan);
KS_API ksStatus ksPlanTriu(ksContext ctx, ksTensor self, int64_t diagonal, ksTensor out, size_t *scratchSize, ksPlan *plan);
KS_API ksStatus ksPlanFill(ksContext ctx, ksTensor selfRef, ksScalar value, size_t *scratchSize, ksPlan *plan);
KS_API ksStatus ksPlanTopk(ksContext ctx, ksTensor self, int64_t k, int64_t dim, bool largest, bool sorted, ksTensor values, ksTensor indices, size_t *scratchSize, ksPlan *plan);

/* fused */
KS_API ksStatus ksPlanFfn(ksContext ctx, ksTensor x, ksTensor w1, ksTensor w2, ksTensor b1, ksTensor b2, const char *activation, ksTensor out, size_t *scratchSize, ksPlan *plan);
KS_API ksStatus ksPlanSwiGlu(ksContext ctx, ksTensor x, int64_t dim, ksTensor out, size_t *scratchSize, ksPlan *plan);
KS_API ksStatus ksPlanQuantMatmulV3(ksContext ctx, ksTensor x1, ksTensor x2, ksTensor scale, ksTensor offset, ksTensor bias, bool transposeX1, bool transposeX2, ksTensor out, size_t *scratchSize, ksPlan *plan);
KS_API ksStatus ksPlanRotaryMul(ksContext ctx, ksTensor x, ksTensor r1, ksTensor r2, ksTensor out, size_t *scratchSize, ksPlan *plan);
KS_API ksStatus ksPlanApplyAdamW(ksContext ctx, ksTensor varRef, ksTensor mRef, ksTensor vRef, ksTensor grad, ksScalar lr, ksScalar beta1, ksScalar beta2, ksScalar eps, ksScalar weightDecay, size_t *scratchSize, ksPlan *plan);
/** @} */

#ifdef __cplusplus
}
#endif
#endif /* KESTREL_H */
