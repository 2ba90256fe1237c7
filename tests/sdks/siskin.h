/* Siskin: an invented accelerator. Every op is planned by a function of its own, and one function launches any plan. */
#ifndef SISKIN_H
#define SISKIN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef enum { SK_OK = 0, SK_BAD_ARGUMENT = 1, SK_NOT_SUPPORTED = 2, SK_OUT_OF_MEMORY = 3 } skStatus;
typedef enum { SK_FLOAT = 0, SK_HALF = 1, SK_INT32 = 3, SK_INT64 = 9, SK_BOOL = 12 } skType;
typedef enum { SK_HOST_TO_DEVICE = 1, SK_DEVICE_TO_HOST = 2, SK_DEVICE_TO_DEVICE = 3 } skCopyKind;

typedef struct sk_tensor *skTensor;
typedef struct sk_scalar *skScalar;
typedef struct sk_dims *skDims;
typedef struct sk_list *skTensorList;
typedef struct sk_plan *skPlan;
typedef struct sk_queue *skQueue;

skStatus skDeviceCount(uint32_t *count);
skStatus skSetDevice(int32_t deviceId);
skStatus skDeviceSynchronize(void);
skStatus skMalloc(void **devPtr, size_t size);
skStatus skFree(void *devPtr);
skStatus skMemcpy(void *dst, const void *src, size_t count, skCopyKind kind);
skStatus skQueueCreate(skQueue *queue);
skStatus skQueueDestroy(skQueue queue);
skStatus skQueueSynchronize(skQueue queue);

/* Strides are in elements; NULL for a dense tensor. */
skTensor skTensorNew(const int64_t *viewDims, uint64_t rank, skType type, const int64_t *strides, int64_t offset,
                     void *devPtr);
skStatus skTensorDelete(skTensor tensor);
skScalar skScalarNew(const void *value, skType type);
skStatus skScalarDelete(skScalar scalar);
skDims skDimsNew(const int64_t *values, uint64_t count);
skStatus skDimsDelete(skDims dims);
skTensorList skTensorListNew(const skTensor *tensors, uint64_t count);
skStatus skTensorListDelete(skTensorList list);

skStatus skPlanRun(skPlan plan, void *scratch, size_t scratchSize, skQueue queue);
/* Without this a plan is gone after its run. */
skStatus skPlanSetReusable(skPlan plan);
skStatus skPlanDelete(skPlan plan);

skStatus skPlanRelu(skTensor self, skTensor out, size_t *scratchSize, skPlan *plan);
skStatus skPlanGelu(skTensor self, bool tanhApprox, skTensor out, size_t *scratchSize, skPlan *plan);
/* out = self + alpha * other */
skStatus skPlanAdd(skTensor self, skTensor other, skScalar alpha, skTensor out, size_t *scratchSize, skPlan *plan);
skStatus skPlanMuls(skTensor self, skScalar other, skTensor out, size_t *scratchSize, skPlan *plan);
skStatus skPlanGtScalar(skTensor self, skScalar other, skTensor out, size_t *scratchSize, skPlan *plan);
skStatus skPlanWhere(skTensor condition, skTensor self, skTensor other, skTensor out, size_t *scratchSize,
                     skPlan *plan);
skStatus skPlanMaskedFillScalar(skTensor selfRef, skTensor mask, skScalar value, size_t *scratchSize, skPlan *plan);
skStatus skPlanReduceSum(skTensor self, skDims dims, bool keepDims, skType type, skTensor out, size_t *scratchSize,
                         skPlan *plan);
skStatus skPlanAmax(skTensor self, skDims dims, bool keepDims, skTensor out, size_t *scratchSize, skPlan *plan);
skStatus skPlanCumsum(skTensor self, int64_t dim, skType type, skTensor out, size_t *scratchSize, skPlan *plan);
skStatus skPlanPermute(skTensor self, skDims dims, skTensor out, size_t *scratchSize, skPlan *plan);
skStatus skPlanCat(skTensorList tensors, int64_t dim, skTensor out, size_t *scratchSize, skPlan *plan);
skStatus skPlanEmbedding(skTensor weight, skTensor indices, skTensor out, size_t *scratchSize, skPlan *plan);
skStatus skPlanTriu(skTensor self, int64_t diagonal, skTensor out, size_t *scratchSize, skPlan *plan);
/* cubeMath: 0 full precision, 1 may use half */
skStatus skPlanMatmul(skTensor self, skTensor mat2, skTensor out, int8_t cubeMath, size_t *scratchSize, skPlan *plan);
skStatus skPlanAddmm(skTensor self, skTensor mat1, skTensor mat2, skScalar beta, skScalar alpha, skTensor out,
                     int8_t cubeMath, size_t *scratchSize, skPlan *plan);
skStatus skPlanAvgPool2d(skTensor self, skDims kernelSize, skDims stride, skDims padding, bool ceilMode,
                         bool countIncludePad, skTensor out, size_t *scratchSize, skPlan *plan);
/* meanOut and rstdOut may be NULL. */
skStatus skPlanLayerNorm(skTensor input, skDims normalizedShape, skTensor weight, skTensor bias, double eps,
                         skTensor out, skTensor meanOut, skTensor rstdOut, size_t *scratchSize, skPlan *plan);

#ifdef __cplusplus
}
#endif
#endif
