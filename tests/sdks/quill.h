/* Quill: an invented accelerator. Tensors are objects; every op is asked for its workspace, then launched. */
#ifndef QUILL_H
#define QUILL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t qlStatus;
#define QL_SUCCESS 0
#define QL_ERROR_INVALID_PARAM 161001
#define QL_ERROR_NOT_SUPPORTED 161002
#define QL_ERROR_OUT_OF_MEMORY 161003

typedef enum { QL_FLOAT = 0, QL_FLOAT16 = 1, QL_INT8 = 2, QL_INT32 = 3, QL_INT64 = 9, QL_DOUBLE = 11 } qlDataType;
typedef enum { QL_FORMAT_NCHW = 0, QL_FORMAT_NHWC = 1, QL_FORMAT_ND = 2 } qlFormat;
typedef enum { QL_MEMCPY_HOST_TO_DEVICE = 1, QL_MEMCPY_DEVICE_TO_HOST = 2, QL_MEMCPY_DEVICE_TO_DEVICE = 3 } qlMemcpyKind;

typedef struct qlTensor qlTensor;
typedef struct qlScalar qlScalar;
typedef struct qlIntArray qlIntArray;
typedef struct qlOpExecutor qlOpExecutor;
typedef void *qlrtStream;

qlStatus qlInit(void);
qlStatus qlFinalize(void);
qlStatus qlrtGetDeviceCount(uint32_t *count);
qlStatus qlrtSetDevice(int32_t deviceId);
qlStatus qlrtSynchronizeDevice(void);
qlStatus qlrtMalloc(void **devPtr, size_t size);
qlStatus qlrtFree(void *devPtr);
qlStatus qlrtMemcpy(void *dst, const void *src, size_t count, qlMemcpyKind kind);

qlTensor *qlCreateTensor(const int64_t *viewDims, uint64_t viewDimsNum, qlDataType dataType, const int64_t *stride,
                         int64_t offset, qlFormat format, const int64_t *storageDims, uint64_t storageDimsNum,
                         void *tensorData);
qlStatus qlDestroyTensor(const qlTensor *tensor);
qlScalar *qlCreateScalar(void *value, qlDataType dataType);
qlStatus qlDestroyScalar(const qlScalar *scalar);
qlIntArray *qlCreateIntArray(const int64_t *value, uint64_t size);
qlStatus qlDestroyIntArray(const qlIntArray *array);
/* For an executor that is not launched; a launch gives it back itself. */
qlStatus qlDestroyOpExecutor(qlOpExecutor *executor);

qlStatus qlnnAddGetWorkspaceSize(const qlTensor *self, const qlTensor *other, const qlScalar *alpha, qlTensor *out,
                                 uint64_t *workspaceSize, qlOpExecutor **executor);
qlStatus qlnnAdd(void *workspace, uint64_t workspaceSize, qlOpExecutor *executor, qlrtStream stream);
qlStatus qlnnSubGetWorkspaceSize(const qlTensor *self, const qlTensor *other, const qlScalar *alpha, qlTensor *out,
                                 uint64_t *workspaceSize, qlOpExecutor **executor);
qlStatus qlnnSub(void *workspace, uint64_t workspaceSize, qlOpExecutor *executor, qlrtStream stream);
qlStatus qlnnMulGetWorkspaceSize(const qlTensor *self, const qlTensor *other, qlTensor *out, uint64_t *workspaceSize,
                                 qlOpExecutor **executor);
qlStatus qlnnMul(void *workspace, uint64_t workspaceSize, qlOpExecutor *executor, qlrtStream stream);
qlStatus qlnnReluGetWorkspaceSize(const qlTensor *self, qlTensor *out, uint64_t *workspaceSize, qlOpExecutor **executor);
qlStatus qlnnRelu(void *workspace, uint64_t workspaceSize, qlOpExecutor *executor, qlrtStream stream);
qlStatus qlnnExpGetWorkspaceSize(const qlTensor *self, qlTensor *out, uint64_t *workspaceSize, qlOpExecutor **executor);
qlStatus qlnnExp(void *workspace, uint64_t workspaceSize, qlOpExecutor *executor, qlrtStream stream);
qlStatus qlnnSoftmaxGetWorkspaceSize(const qlTensor *self, int64_t dim, qlTensor *out, uint64_t *workspaceSize,
                                     qlOpExecutor **executor);
qlStatus qlnnSoftmax(void *workspace, uint64_t workspaceSize, qlOpExecutor *executor, qlrtStream stream);
qlStatus qlnnMatmulGetWorkspaceSize(const qlTensor *self, const qlTensor *mat2, qlTensor *out,
                                    uint64_t *workspaceSize, qlOpExecutor **executor);
qlStatus qlnnMatmul(void *workspace, uint64_t workspaceSize, qlOpExecutor *executor, qlrtStream stream);
/* bias may be null. */
qlStatus qlnnConvolutionGetWorkspaceSize(const qlTensor *input, const qlTensor *weight, const qlTensor *bias,
                                         const qlIntArray *stride, const qlIntArray *padding,
                                         const qlIntArray *dilation, int64_t groups, qlTensor *output,
                                         uint64_t *workspaceSize, qlOpExecutor **executor);
qlStatus qlnnConvolution(void *workspace, uint64_t workspaceSize, qlOpExecutor *executor, qlrtStream stream);

#ifdef __cplusplus
}
#endif
#endif
