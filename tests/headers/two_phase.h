/* A two-phase SDK: the first call sizes the workspace and makes an executor, the second launches it on a stream. */
#include <stdbool.h>
#include <stdint.h>
typedef struct tpTensor tpTensor;
typedef struct tpScalar tpScalar;
typedef struct tpIntArray tpIntArray;
typedef struct tpTensorList tpTensorList;
typedef struct tpExecutor tpExecutor;
typedef void *tpStream;
typedef int32_t tpStatus;
tpStatus tpnnAddGetWorkspaceSize(const tpTensor *self, const tpTensor *other, const tpScalar *alpha, tpTensor *out,
                                 uint64_t *workspaceSize, tpExecutor **executor);
tpStatus tpnnAdd(void *workspace, uint64_t workspaceSize, tpExecutor *executor, tpStream stream);
tpStatus tpnnInplaceAddGetWorkspaceSize(tpTensor *selfRef, const tpTensor *other, const tpScalar *alpha,
                                        uint64_t *workspaceSize, tpExecutor **executor);
tpStatus tpnnConvolutionGetWorkspaceSize(const tpTensor *input, const tpTensor *weight, const tpTensor *bias,
                                         const tpIntArray *stride, const tpIntArray *padding,
                                         const tpIntArray *dilation, int64_t groups, tpTensor *output,
                                         uint64_t *workspaceSize, tpExecutor **executor);
tpStatus tpnnReduceSumGetWorkspaceSize(const tpTensor *self, const tpIntArray *dims, bool keepDims, tpTensor *out,
                                       uint64_t *workspaceSize, tpExecutor **executor);
tpStatus tpnnCatGetWorkspaceSize(const tpTensorList *tensors, int64_t dim, tpTensor *out, uint64_t *workspaceSize,
                                 tpExecutor **executor);
