/* Vela: an invented accelerator. Handles, descriptors that setters fill, workspaces that the caller brings. */
#ifndef VELA_H
#define VELA_H
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  VL_STATUS_SUCCESS = 0,
  VL_STATUS_NOT_INITIALIZED = 1,
  VL_STATUS_ALLOC_FAILED = 2,
  VL_STATUS_BAD_PARAM = 3,
  VL_STATUS_NOT_SUPPORTED = 4
} vlStatus_t;
typedef enum { VL_DATA_FLOAT = 0, VL_DATA_DOUBLE = 1, VL_DATA_HALF = 2 } vlDataType_t;
typedef enum { VL_TENSOR_NHWC = 0, VL_TENSOR_NCHW = 1 } vlTensorFormat_t;
typedef enum { VL_NOT_PROPAGATE_NAN = 0, VL_PROPAGATE_NAN = 1 } vlNanPropagation_t;
typedef enum { VL_MEMCPY_HOST_TO_DEVICE = 1, VL_MEMCPY_DEVICE_TO_HOST = 2, VL_MEMCPY_DEVICE_TO_DEVICE = 3 } vlMemcpyKind_t;
typedef enum {
  VL_ACTIVATION_SIGMOID = 0,
  VL_ACTIVATION_RELU = 1,
  VL_ACTIVATION_TANH = 2,
  VL_ACTIVATION_ELU = 3
} vlActivationMode_t;
typedef enum { VL_OP_TENSOR_ADD = 0, VL_OP_TENSOR_MUL = 1, VL_OP_TENSOR_MIN = 2, VL_OP_TENSOR_MAX = 3 } vlOpTensorOp_t;
typedef enum { VL_SOFTMAX_FAST = 0, VL_SOFTMAX_ACCURATE = 1, VL_SOFTMAX_LOG = 2 } vlSoftmaxAlgorithm_t;
typedef enum { VL_SOFTMAX_MODE_INSTANCE = 0, VL_SOFTMAX_MODE_CHANNEL = 1 } vlSoftmaxMode_t;
typedef enum { VL_CONVOLUTION = 0, VL_CROSS_CORRELATION = 1 } vlConvolutionMode_t;
typedef enum { VL_CONVOLUTION_FWD_ALGO_DIRECT = 0, VL_CONVOLUTION_FWD_ALGO_GEMM = 1 } vlConvolutionFwdAlgo_t;

typedef struct vlContext *vlHandle_t;
typedef struct vlQueue *vlStream_t;
typedef struct vlTensorStruct *vlTensorDescriptor_t;
typedef struct vlFilterStruct *vlFilterDescriptor_t;
typedef struct vlActivationStruct *vlActivationDescriptor_t;
typedef struct vlOpTensorStruct *vlOpTensorDescriptor_t;
typedef struct vlConvolutionStruct *vlConvolutionDescriptor_t;

/* The runtime. */
vlStatus_t vlInit(void);
vlStatus_t vlFinalize(void);
vlStatus_t vlGetDeviceCount(int *count);
vlStatus_t vlSetDevice(int device);
vlStatus_t vlDeviceSynchronize(void);
vlStatus_t vlMalloc(void **ptr, size_t size);
vlStatus_t vlFree(void *ptr);
vlStatus_t vlMemcpy(void *dst, const void *src, size_t size, vlMemcpyKind_t kind);
const char *vlGetErrorString(vlStatus_t status);

/* A handle belongs to one thread. */
vlStatus_t vlCreate(vlHandle_t *handle);
vlStatus_t vlDestroy(vlHandle_t handle);
vlStatus_t vlSetStream(vlHandle_t handle, vlStream_t stream);

vlStatus_t vlCreateTensorDescriptor(vlTensorDescriptor_t *tensorDesc);
vlStatus_t vlSetTensor4dDescriptor(vlTensorDescriptor_t tensorDesc, vlTensorFormat_t format, vlDataType_t dataType,
                                   int n, int c, int h, int w);
vlStatus_t vlSetTensorNdDescriptor(vlTensorDescriptor_t tensorDesc, vlDataType_t dataType, int nbDims,
                                   const int dimA[], const int strideA[]);
vlStatus_t vlDestroyTensorDescriptor(vlTensorDescriptor_t tensorDesc);

vlStatus_t vlCreateFilterDescriptor(vlFilterDescriptor_t *filterDesc);
vlStatus_t vlSetFilter4dDescriptor(vlFilterDescriptor_t filterDesc, vlDataType_t dataType, vlTensorFormat_t format,
                                   int k, int c, int h, int w);
vlStatus_t vlDestroyFilterDescriptor(vlFilterDescriptor_t filterDesc);

vlStatus_t vlCreateActivationDescriptor(vlActivationDescriptor_t *activationDesc);
/* coef: alpha of ELU. */
vlStatus_t vlSetActivationDescriptor(vlActivationDescriptor_t activationDesc, vlActivationMode_t mode,
                                     vlNanPropagation_t nanOpt, double coef);
vlStatus_t vlDestroyActivationDescriptor(vlActivationDescriptor_t activationDesc);

vlStatus_t vlCreateOpTensorDescriptor(vlOpTensorDescriptor_t *opTensorDesc);
vlStatus_t vlSetOpTensorDescriptor(vlOpTensorDescriptor_t opTensorDesc, vlOpTensorOp_t opTensorOp,
                                   vlDataType_t compType, vlNanPropagation_t nanOpt);
vlStatus_t vlDestroyOpTensorDescriptor(vlOpTensorDescriptor_t opTensorDesc);

vlStatus_t vlCreateConvolutionDescriptor(vlConvolutionDescriptor_t *convDesc);
vlStatus_t vlSetConvolution2dDescriptor(vlConvolutionDescriptor_t convDesc, int pad_h, int pad_w, int u, int v,
                                        int dilation_h, int dilation_w, vlConvolutionMode_t mode,
                                        vlDataType_t computeType);
vlStatus_t vlSetConvolutionGroupCount(vlConvolutionDescriptor_t convDesc, int groupCount);
vlStatus_t vlDestroyConvolutionDescriptor(vlConvolutionDescriptor_t convDesc);

/* y = alpha * op(x) + beta * y; alpha and beta are float, or double for tensors of doubles. */
vlStatus_t vlActivationForward(vlHandle_t handle, vlActivationDescriptor_t activationDesc, const void *alpha,
                               const vlTensorDescriptor_t xDesc, const void *x, const void *beta,
                               const vlTensorDescriptor_t yDesc, void *y);
vlStatus_t vlOpTensor(vlHandle_t handle, const vlOpTensorDescriptor_t opTensorDesc, const void *alpha1,
                      const vlTensorDescriptor_t aDesc, const void *A, const void *alpha2,
                      const vlTensorDescriptor_t bDesc, const void *B, const void *beta,
                      const vlTensorDescriptor_t cDesc, void *C);
/* C = alpha * A + beta * C, where A may have extents of one. */
vlStatus_t vlAddTensor(vlHandle_t handle, const void *alpha, const vlTensorDescriptor_t aDesc, const void *A,
                       const void *beta, const vlTensorDescriptor_t cDesc, void *C);
/* Tensors of floats alone. */
vlStatus_t vlSoftmaxForward(vlHandle_t handle, vlSoftmaxAlgorithm_t algo, vlSoftmaxMode_t mode, const void *alpha,
                            const vlTensorDescriptor_t xDesc, const void *x, const void *beta,
                            const vlTensorDescriptor_t yDesc, void *y);
vlStatus_t vlGetConvolutionForwardWorkspaceSize(vlHandle_t handle, const vlTensorDescriptor_t xDesc,
                                                const vlFilterDescriptor_t wDesc,
                                                const vlConvolutionDescriptor_t convDesc,
                                                const vlTensorDescriptor_t yDesc, vlConvolutionFwdAlgo_t algo,
                                                size_t *sizeInBytes);
vlStatus_t vlConvolutionForward(vlHandle_t handle, const void *alpha, const vlTensorDescriptor_t xDesc, const void *x,
                                const vlFilterDescriptor_t wDesc, const void *w,
                                const vlConvolutionDescriptor_t convDesc, vlConvolutionFwdAlgo_t algo,
                                void *workSpace, size_t workSpaceSizeInBytes, const void *beta,
                                const vlTensorDescriptor_t yDesc, void *y);

#ifdef __cplusplus
}
#endif
#endif
