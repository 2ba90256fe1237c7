/* Bunting: an invented accelerator. Tensors and ops are described by descriptors; lists of dimensions go into them. */
#ifndef BUNTING_H
#define BUNTING_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef enum { BT_OK = 0, BT_BAD_PARAM = 1, BT_NOT_SUPPORTED = 2, BT_ALLOC_FAILED = 3 } btResult_t;
typedef enum { BT_FLOAT = 0, BT_HALF = 1, BT_INT32 = 2 } btElem_t;
typedef enum { BT_NCHW = 0, BT_NHWC = 1, BT_ARRAY = 2 } btOrder_t;
typedef enum { BT_COPY_HOST_TO_DEVICE = 0, BT_COPY_DEVICE_TO_HOST = 1, BT_COPY_DEVICE_TO_DEVICE = 2 } btCopyKind_t;
typedef enum { BT_ACT_RELU = 0, BT_ACT_SIGMOID = 1, BT_ACT_TANH = 2 } btActMode_t;
typedef enum { BT_REDUCE_ADD = 0, BT_REDUCE_AVG = 1, BT_REDUCE_MAX = 2 } btReduceOp_t;
typedef enum { BT_POOL_MAX = 0, BT_POOL_AVERAGE_COUNT_INCLUDE_PADDING = 1 } btPoolMode_t;

typedef struct btContext *btHandle_t;
typedef struct btQueueSt *btQueue_t;
typedef struct btTensorDesc *btTensorDesc_t;
typedef struct btActDesc *btActDesc_t;
typedef struct btReduceDesc *btReduceDesc_t;
typedef struct btPoolDesc *btPoolDesc_t;

btResult_t btGetDeviceCount(int *count);
btResult_t btSetDevice(int device);
btResult_t btDeviceSynchronize(void);
btResult_t btMalloc(void **ptr, size_t size);
btResult_t btFree(void *ptr);
btResult_t btMemcpy(void *dst, const void *src, size_t size, btCopyKind_t kind);

btResult_t btCreate(btHandle_t *handle);
btResult_t btDestroy(btHandle_t handle);
btResult_t btSetQueue(btHandle_t handle, btQueue_t queue);
btResult_t btSetDeterministic(btHandle_t handle, int on);

btResult_t btCreateTensorDesc(btTensorDesc_t *desc);
btResult_t btSetTensorDesc(btTensorDesc_t desc, btOrder_t order, btElem_t elem, int rank, const int64_t dims[],
                           const int64_t strides[]);
btResult_t btDestroyTensorDesc(btTensorDesc_t desc);

btResult_t btCreateActDesc(btActDesc_t *desc);
btResult_t btSetActDesc(btActDesc_t desc, btActMode_t mode);
btResult_t btDestroyActDesc(btActDesc_t desc);
btResult_t btActForward(btHandle_t handle, const btActDesc_t act, const btTensorDesc_t xDesc, const void *x,
                        const btTensorDesc_t yDesc, void *y);

btResult_t btCreateReduceDesc(btReduceDesc_t *desc);
btResult_t btSetReduceDesc(btReduceDesc_t desc, const int axes[], int axesNum, btReduceOp_t reduceOp, btElem_t elem);
btResult_t btDestroyReduceDesc(btReduceDesc_t desc);
btResult_t btReduceScratchBytes(btHandle_t handle, const btReduceDesc_t reduce, const btTensorDesc_t xDesc,
                                const btTensorDesc_t yDesc, size_t *bytes);
btResult_t btReduce(btHandle_t handle, const btReduceDesc_t reduce, const btTensorDesc_t xDesc, const void *x,
                    void *scratch, size_t scratchBytes, const btTensorDesc_t yDesc, void *y);

btResult_t btCreatePoolDesc(btPoolDesc_t *desc);
btResult_t btSetPoolDesc2d(btPoolDesc_t desc, btPoolMode_t mode, int kh, int kw, int ph, int pw, int sh, int sw,
                           int ceilMode);
btResult_t btDestroyPoolDesc(btPoolDesc_t desc);
btResult_t btPoolWorkspaceBytes(btHandle_t handle, btPoolMode_t mode, size_t *bytes);
btResult_t btPoolForward(btHandle_t handle, const btPoolDesc_t pool, const btTensorDesc_t xDesc, const void *x,
                         void *workspace, size_t workspaceBytes, const btTensorDesc_t yDesc, void *y);

/* Normalises from axis on. */
btResult_t btLayerNorm(btHandle_t handle, int axis, const btTensorDesc_t xDesc, const void *x,
                       const btTensorDesc_t paramDesc, const void *gamma, const void *beta, double epsilon,
                       const btTensorDesc_t yDesc, void *y, const btTensorDesc_t statDesc, void *mean, void *rstd);
btResult_t btMatMul(btHandle_t handle, int transA, int transB, const btTensorDesc_t aDesc, const void *a,
                    const btTensorDesc_t bDesc, const void *b, const btTensorDesc_t cDesc, void *c);
btResult_t btPermute(btHandle_t handle, int rank, const int perm[], const btTensorDesc_t xDesc, const void *x,
                     const btTensorDesc_t yDesc, void *y);
btResult_t btConcat(btHandle_t handle, int axis, int count, const btTensorDesc_t xDescs[], const void *const xs[],
                    const btTensorDesc_t yDesc, void *y);

#ifdef __cplusplus
}
#endif
#endif
