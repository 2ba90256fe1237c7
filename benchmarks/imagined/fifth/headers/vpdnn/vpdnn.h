/*
 * Copyright (c) 2019-2025 VertexPoint Semiconductor Co., Ltd. All rights reserved.
 *
 * NOTICE TO LICENSEE: this source code and/or documentation ("Licensed Deliverables") are subject to
 * VertexPoint intellectual property rights. Any use, reproduction or disclosure without an express license
 * agreement from VertexPoint is strictly prohibited.
 */
#ifndef VPDNN_H_
#define VPDNN_H_

#include <stddef.h>
#include <stdint.h>

#define VPDNN_MAJOR 2
#define VPDNN_MINOR 11
#define VPDNN_PATCHLEVEL 3
#define VPDNN_VERSION (VPDNN_MAJOR * 10000 + VPDNN_MINOR * 100 + VPDNN_PATCHLEVEL)

#ifndef VPDNN_WIN_API
#define VPDNN_WIN_API
#endif

#if defined(__cplusplus)
extern "C" {
#endif

/* queue of the runtime (vprt.h) */
typedef struct vprtQueue_st *vprtQueue_t;

typedef struct vpdnnContext *vpdnnHandle_t;
typedef struct vpdnnTensorStruct *vpdnnTensorDescriptor_t;
typedef struct vpdnnFilterStruct *vpdnnFilterDescriptor_t;
typedef struct vpdnnConvStruct *vpdnnConvolutionDescriptor_t;
typedef struct vpdnnPoolStruct *vpdnnPoolingDescriptor_t;
typedef struct vpdnnActStruct *vpdnnActivationDescriptor_t;
typedef struct vpdnnReduceStruct *vpdnnReduceDescriptor_t;
typedef struct vpdnnRNNStruct *vpdnnRNNDescriptor_t;

/*! Return codes of all the library functions. */
typedef enum {
  VPDNN_STATUS_SUCCESS = 0,
  VPDNN_STATUS_NOT_INITIALIZED = 1,
  VPDNN_STATUS_ALLOC_FAILED = 2,
  VPDNN_STATUS_BAD_PARAM = 3,
  VPDNN_STATUS_ARCH_MISMATCH = 4,
  VPDNN_STATUS_EXECUTION_FAILED = 5,
  VPDNN_STATUS_NOT_SUPPORTED = 6,
} vpdnnStatus_t;

typedef enum {
  VPDNN_DTYPE_HALF = 0,
  VPDNN_DTYPE_BFLOAT16 = 1,
  VPDNN_DTYPE_FLOAT = 2,
  VPDNN_DTYPE_INT8 = 3,
  VPDNN_DTYPE_INT32 = 4,
  VPDNN_DTYPE_INT64 = 5,
  VPDNN_DTYPE_BOOL = 6,
} vpdnnDataType_t;

typedef enum { VPDNN_LAYOUT_NCHW = 0, VPDNN_LAYOUT_NHWC = 1, VPDNN_LAYOUT_ARRAY = 2 } vpdnnTensorLayout_t;

typedef enum {
  VPDNN_ACTIVATION_SIGMOID = 0,
  VPDNN_ACTIVATION_RELU = 1,
  VPDNN_ACTIVATION_TANH = 2,
  VPDNN_ACTIVATION_CLIPPED_RELU = 3, /*!< min(coef, max(0, x)) */
  VPDNN_ACTIVATION_ELU = 4,
  VPDNN_ACTIVATION_LEAKY_RELU = 5,
  VPDNN_ACTIVATION_SWISH = 6, /*!< x * sigmoid(x) */
  VPDNN_ACTIVATION_HARD_SWISH = 7,
} vpdnnActivationMode_t;

typedef enum { VPDNN_POOLING_MAX = 0, VPDNN_POOLING_AVG_INCLUDE_PAD = 1, VPDNN_POOLING_AVG_EXCLUDE_PAD = 2 } vpdnnPoolingMode_t;

typedef enum {
  VPDNN_REDUCE_ADD = 0,
  VPDNN_REDUCE_AVG = 1,
  VPDNN_REDUCE_MUL = 2,
  VPDNN_REDUCE_MAX = 3,
  VPDNN_REDUCE_MIN = 4,
  VPDNN_REDUCE_NORM2 = 5,
} vpdnnReduceOp_t;

typedef enum { VPDNN_SOFTMAX_FAST = 0, VPDNN_SOFTMAX_ACCURATE = 1, VPDNN_SOFTMAX_LOG = 2 } vpdnnSoftmaxAlgorithm_t;

typedef enum {
  VPDNN_OP_TENSOR_ADD = 0,
  VPDNN_OP_TENSOR_MUL = 1,
  VPDNN_OP_TENSOR_SUB = 2,
  VPDNN_OP_TENSOR_MIN = 3,
  VPDNN_OP_TENSOR_MAX = 4,
} vpdnnOpTensorKind_t;

typedef enum { VPDNN_LOGIC_EQ = 0, VPDNN_LOGIC_NE, VPDNN_LOGIC_GT, VPDNN_LOGIC_GE, VPDNN_LOGIC_LT, VPDNN_LOGIC_LE, VPDNN_LOGIC_AND, VPDNN_LOGIC_OR } vpdnnLogicOp_t;

typedef enum { VPDNN_COMPUTATION_FAST = 0, VPDNN_COMPUTATION_HIGH_PRECISION = 1 } vpdnnComputationPreference_t;

typedef enum { VPDNN_SCATTER = 0, VPDNN_SCATTER_ADD = 1, VPDNN_SCATTER_MAX = 2 } vpdnnScatterMode_t;

/* ---------------------------------------------------------------- library ---- */
size_t VPDNN_WIN_API vpdnnGetVersion(void);
const char *VPDNN_WIN_API vpdnnGetErrorString(vpdnnStatus_t status);
vpdnnStatus_t VPDNN_WIN_API vpdnnCreate(vpdnnHandle_t *handle);
vpdnnStatus_t VPDNN_WIN_API vpdnnDestroy(vpdnnHandle_t handle);
vpdnnStatus_t VPDNN_WIN_API vpdnnSetQueue(vpdnnHandle_t handle, vprtQueue_t queue);
vpdnnStatus_t VPDNN_WIN_API vpdnnGetQueue(vpdnnHandle_t handle, vprtQueue_t *queue);

/* ---------------------------------------------------------------- tensor descriptor ---- */
vpdnnStatus_t VPDNN_WIN_API vpdnnCreateTensorDescriptor(vpdnnTensorDescriptor_t *desc);
vpdnnStatus_t VPDNN_WIN_API vpdnnSetTensorDescriptor(vpdnnTensorDescriptor_t desc, vpdnnTensorLayout_t layout,
                                                     vpdnnDataType_t dtype, int dimNb, const int dimSize[]);
/*! Strides are counted in elements. */
vpdnnStatus_t VPDNN_WIN_API vpdnnSetTensorDescriptorEx(vpdnnTensorDescriptor_t desc, vpdnnTensorLayout_t layout,
                                                       vpdnnDataType_t dtype, int dimNb, const int dimSize[], const int dimStride[]);
vpdnnStatus_t VPDNN_WIN_API vpdnnGetTensorDescriptor(const vpdnnTensorDescriptor_t desc, vpdnnTensorLayout_t *layout,
                                                     vpdnnDataType_t *dtype, int *dimNb, int dimSize[]);
vpdnnStatus_t VPDNN_WIN_API vpdnnSetTensorDescriptorScale(vpdnnTensorDescriptor_t desc, int position, float scale);
vpdnnStatus_t VPDNN_WIN_API vpdnnDestroyTensorDescriptor(vpdnnTensorDescriptor_t desc);

vpdnnStatus_t VPDNN_WIN_API vpdnnCreateConvolutionDescriptor(vpdnnConvolutionDescriptor_t *convDesc);
vpdnnStatus_t VPDNN_WIN_API vpdnnSetConvolutionDescriptor(vpdnnConvolutionDescriptor_t convDesc, int dimNb, const int pad[],
                                                          const int stride[], const int dilation[], int groupCount,
                                                          vpdnnDataType_t computeType);
vpdnnStatus_t VPDNN_WIN_API vpdnnDestroyConvolutionDescriptor(vpdnnConvolutionDescriptor_t convDesc);
vpdnnStatus_t VPDNN_WIN_API vpdnnCreatePoolingDescriptor(vpdnnPoolingDescriptor_t *poolDesc);
vpdnnStatus_t VPDNN_WIN_API vpdnnSetPooling2dDescriptor(vpdnnPoolingDescriptor_t poolDesc, vpdnnPoolingMode_t mode, int windowH,
                                                        int windowW, int padT, int padB, int padL, int padR, int strideH,
                                                        int strideW, int ceilMode);
vpdnnStatus_t VPDNN_WIN_API vpdnnDestroyPoolingDescriptor(vpdnnPoolingDescriptor_t poolDesc);
vpdnnStatus_t VPDNN_WIN_API vpdnnCreateActivationDescriptor(vpdnnActivationDescriptor_t *actDesc);
vpdnnStatus_t VPDNN_WIN_API vpdnnSetActivationDescriptor(vpdnnActivationDescriptor_t actDesc, vpdnnActivationMode_t mode, float coef);
vpdnnStatus_t VPDNN_WIN_API vpdnnDestroyActivationDescriptor(vpdnnActivationDescriptor_t actDesc);
vpdnnStatus_t VPDNN_WIN_API vpdnnCreateReduceDescriptor(vpdnnReduceDescriptor_t *reduceDesc);
vpdnnStatus_t VPDNN_WIN_API vpdnnSetReduceDescriptor(vpdnnReduceDescriptor_t reduceDesc, const int axis[], int axisNb,
                                                     vpdnnReduceOp_t op, vpdnnDataType_t computeType);
vpdnnStatus_t VPDNN_WIN_API vpdnnDestroyReduceDescriptor(vpdnnReduceDescriptor_t reduceDesc);

/* ---------------------------------------------------------------- element-wise ---- */
/*!
 * \brief Broadcasting binary operation.
 *   C = op(alpha1 * A, alpha2 * B) + beta * C
 * \param[in] alpha1,alpha2,beta host pointers to the scaling factors
 */
vpdnnStatus_t VPDNN_WIN_API vpdnnOpTensor(vpdnnHandle_t handle, vpdnnOpTensorKind_t kind, const void *alpha1,
                                          const vpdnnTensorDescriptor_t aDesc, const void *a, const void *alpha2,
                                          const vpdnnTensorDescriptor_t bDesc, const void *b, const void *beta,
                                          const vpdnnTensorDescriptor_t cDesc, void *c);

/*! \brief Quotient of two tensors, input1 / input2. */
vpdnnStatus_t VPDNN_WIN_API vpdnnDiv(vpdnnHandle_t handle, vpdnnComputationPreference_t prefer, const vpdnnTensorDescriptor_t xDesc,
                                     const void *x, const vpdnnTensorDescriptor_t yDesc, const void *y,
                                     const vpdnnTensorDescriptor_t zDesc, void *z);
vpdnnStatus_t VPDNN_WIN_API vpdnnPow(vpdnnHandle_t handle, vpdnnComputationPreference_t prefer, const vpdnnTensorDescriptor_t xDesc,
                                     const void *x, const vpdnnTensorDescriptor_t yDesc, const void *y,
                                     const vpdnnTensorDescriptor_t zDesc, void *z);
vpdnnStatus_t VPDNN_WIN_API vpdnnFloorMod(vpdnnHandle_t handle, const vpdnnTensorDescriptor_t xDesc, const void *x,
                                          const vpdnnTensorDescriptor_t yDesc, const void *y,
                                          const vpdnnTensorDescriptor_t zDesc, void *z, void *workspace, size_t workspaceSize);
vpdnnStatus_t VPDNN_WIN_API vpdnnLogicOp(vpdnnHandle_t handle, vpdnnLogicOp_t op, const vpdnnTensorDescriptor_t xDesc, const void *x,
                                         const vpdnnTensorDescriptor_t yDesc, const void *y, void *workspace, size_t workspaceSize,
                                         const vpdnnTensorDescriptor_t zDesc, void *z);
vpdnnStatus_t VPDNN_WIN_API vpdnnExp(vpdnnHandle_t handle, vpdnnComputationPreference_t prefer, const vpdnnTensorDescriptor_t xDesc,
                                     const void *x, const vpdnnTensorDescriptor_t yDesc, void *y);
/*! \brief Natural logarithm. */
vpdnnStatus_t VPDNN_WIN_API vpdnnLog(vpdnnHandle_t handle, vpdnnComputationPreference_t prefer, const vpdnnTensorDescriptor_t xDesc,
                                     const void *x, const vpdnnTensorDescriptor_t yDesc, void *y);
vpdnnStatus_t VPDNN_WIN_API vpdnnSqrt(vpdnnHandle_t handle, vpdnnComputationPreference_t prefer, const vpdnnTensorDescriptor_t xDesc,
                                      const void *x, const vpdnnTensorDescriptor_t yDesc, void *y);
vpdnnStatus_t VPDNN_WIN_API vpdnnRsqrt(vpdnnHandle_t handle, vpdnnComputationPreference_t prefer, const vpdnnTensorDescriptor_t xDesc,
                                       const void *x, const vpdnnTensorDescriptor_t yDesc, void *y);
vpdnnStatus_t VPDNN_WIN_API vpdnnErf(vpdnnHandle_t handle, vpdnnComputationPreference_t prefer, const vpdnnTensorDescriptor_t xDesc,
                                     const void *x, const vpdnnTensorDescriptor_t yDesc, void *y);
vpdnnStatus_t VPDNN_WIN_API vpdnnAbs(vpdnnHandle_t handle, const vpdnnTensorDescriptor_t xDesc, const void *x,
                                     const vpdnnTensorDescriptor_t yDesc, void *y);
vpdnnStatus_t VPDNN_WIN_API vpdnnNegTensor(vpdnnHandle_t handle, const vpdnnTensorDescriptor_t xDesc, const void *x,
                                           const vpdnnTensorDescriptor_t yDesc, void *y);
vpdnnStatus_t VPDNN_WIN_API vpdnnSign(vpdnnHandle_t handle, const vpdnnTensorDescriptor_t xDesc, const void *x,
                                      const vpdnnTensorDescriptor_t yDesc, void *y);
vpdnnStatus_t VPDNN_WIN_API vpdnnFloor(vpdnnHandle_t handle, const vpdnnTensorDescriptor_t xDesc, const void *x,
                                       const vpdnnTensorDescriptor_t yDesc, void *y);
vpdnnStatus_t VPDNN_WIN_API vpdnnCeil(vpdnnHandle_t handle, const vpdnnTensorDescriptor_t xDesc, const void *x,
                                      const vpdnnTensorDescriptor_t yDesc, void *y);
/*! \brief y = min(max(x, lowerBound), upperBound); the bounds are host pointers of the type of x */
vpdnnStatus_t VPDNN_WIN_API vpdnnClip(vpdnnHandle_t handle, const vpdnnTensorDescriptor_t xDesc, const void *x, const void *lowerBound,
                                      const void *upperBound, const vpdnnTensorDescriptor_t yDesc, void *y);
vpdnnStatus_t VPDNN_WIN_API vpdnnCastDataType(vpdnnHandle_t handle, const vpdnnTensorDescriptor_t inputDesc, const void *input,
                                              const vpdnnTensorDescriptor_t outputDesc, void *output);
/*! \brief output = condition ? then : otherwise */
vpdnnStatus_t VPDNN_WIN_API vpdnnSelect(vpdnnHandle_t handle, const vpdnnTensorDescriptor_t conditionDesc, const void *condition,
                                        const vpdnnTensorDescriptor_t thenDesc, const void *thenPtr,
                                        const vpdnnTensorDescriptor_t otherwiseDesc, const void *otherwise,
                                        const vpdnnTensorDescriptor_t outputDesc, void *output);
/*! \brief output = input with *value where mask is true. */
vpdnnStatus_t VPDNN_WIN_API vpdnnMaskedFill(vpdnnHandle_t handle, const vpdnnTensorDescriptor_t inputDesc, const void *input,
                                            const vpdnnTensorDescriptor_t maskDesc, const void *mask, const void *value,
                                            const vpdnnTensorDescriptor_t outputDesc, void *output);
vpdnnStatus_t VPDNN_WIN_API vpdnnFill(vpdnnHandle_t handle, const void *value, const vpdnnTensorDescriptor_t outputDesc, void *output);
/*! \brief In-place scaling of a tensor: y = alpha * y. */
vpdnnStatus_t VPDNN_WIN_API vpdnnScaleTensor(vpdnnHandle_t handle, const vpdnnTensorDescriptor_t yDesc, void *y, const void *alpha);

/* ---------------------------------------------------------------- activations, softmax ---- */
vpdnnStatus_t VPDNN_WIN_API vpdnnActivationForward(vpdnnHandle_t handle, vpdnnActivationDescriptor_t actDesc, const void *alpha,
                                                   const vpdnnTensorDescriptor_t xDesc, const void *x, const void *beta,
                                                   const vpdnnTensorDescriptor_t yDesc, void *y);
vpdnnStatus_t VPDNN_WIN_API vpdnnActivationBackward(vpdnnHandle_t handle, vpdnnActivationDescriptor_t actDesc, const void *alpha,
                                                    const vpdnnTensorDescriptor_t yDesc, const void *y,
                                                    const vpdnnTensorDescriptor_t dyDesc, const void *dy,
                                                    const vpdnnTensorDescriptor_t xDesc, const void *x, const void *beta,
                                                    const vpdnnTensorDescriptor_t dxDesc, void *dx);
/*! \param approximate nonzero: the tanh approximation */
vpdnnStatus_t VPDNN_WIN_API vpdnnGeluForward(vpdnnHandle_t handle, int approximate, const vpdnnTensorDescriptor_t xDesc, const void *x,
                                             const vpdnnTensorDescriptor_t yDesc, void *y);
vpdnnStatus_t VPDNN_WIN_API vpdnnPrelu(vpdnnHandle_t handle, const vpdnnTensorDescriptor_t xDesc, const void *x,
                                       const vpdnnTensorDescriptor_t alphaDesc, const void *alpha,
                                       const vpdnnTensorDescriptor_t yDesc, void *y);
vpdnnStatus_t VPDNN_WIN_API vpdnnSoftmaxForward(vpdnnHandle_t handle, vpdnnSoftmaxAlgorithm_t algo, int axis,
                                                const vpdnnTensorDescriptor_t xDesc, const void *x,
                                                const vpdnnTensorDescriptor_t yDesc, void *y);

/* ---------------------------------------------------------------- reductions ---- */
vpdnnStatus_t VPDNN_WIN_API vpdnnGetReduceWorkspaceSize(vpdnnHandle_t handle, const vpdnnTensorDescriptor_t aDesc,
                                                        const vpdnnTensorDescriptor_t cDesc, const vpdnnReduceDescriptor_t reduceDesc,
                                                        size_t *workspaceSize);
vpdnnStatus_t VPDNN_WIN_API vpdnnReduce(vpdnnHandle_t handle, const vpdnnReduceDescriptor_t reduceDesc, void *workspace,
                                        size_t workspaceSize, const void *alpha, const vpdnnTensorDescriptor_t aDesc, const void *a,
                                        const void *beta, const vpdnnTensorDescriptor_t cDesc, void *c);
vpdnnStatus_t VPDNN_WIN_API vpdnnArgMax(vpdnnHandle_t handle, int axis, const vpdnnTensorDescriptor_t xDesc, const void *x,
                                        const vpdnnTensorDescriptor_t idxDesc, int32_t *idx);
vpdnnStatus_t VPDNN_WIN_API vpdnnTopK(vpdnnHandle_t handle, const vpdnnTensorDescriptor_t inputDesc, const void *input, int k, int dim,
                                      int largest, int sorted, void *workspace, size_t workspaceSize,
                                      const vpdnnTensorDescriptor_t valDesc, void *values, const vpdnnTensorDescriptor_t idxDesc,
                                      void *indices);
vpdnnStatus_t VPDNN_WIN_API vpdnnCumsum(vpdnnHandle_t handle, const vpdnnTensorDescriptor_t inputDesc, const void *input, int axis,
                                        int exclusive, int reverse, const vpdnnTensorDescriptor_t outputDesc, void *output);

/* ---------------------------------------------------------------- matmul, convolution, pooling, norm ---- */
/*! \brief C = alpha * op(A) * op(B) + beta * C, 2-D tensors */
vpdnnStatus_t VPDNN_WIN_API vpdnnMatMul(vpdnnHandle_t handle, int transA, int transB, const void *alpha,
                                        const vpdnnTensorDescriptor_t aDesc, const void *a, const vpdnnTensorDescriptor_t bDesc,
                                        const void *b, const void *beta, const vpdnnTensorDescriptor_t cDesc, void *c);
vpdnnStatus_t VPDNN_WIN_API vpdnnBatchMatMul(vpdnnHandle_t handle, int transA, int transB, const vpdnnTensorDescriptor_t aDesc,
                                             const void *a, const vpdnnTensorDescriptor_t bDesc, const void *b,
                                             const vpdnnTensorDescriptor_t cDesc, void *c);
vpdnnStatus_t VPDNN_WIN_API vpdnnGetConvolutionForwardWorkspaceSize(vpdnnHandle_t handle, const vpdnnTensorDescriptor_t xDesc,
                                                                    const vpdnnTensorDescriptor_t wDesc,
                                                                    const vpdnnConvolutionDescriptor_t convDesc,
                                                                    const vpdnnTensorDescriptor_t yDesc, size_t *workspaceSize);
vpdnnStatus_t VPDNN_WIN_API vpdnnConvolutionForward(vpdnnHandle_t handle, const vpdnnConvolutionDescriptor_t convDesc,
                                                    const vpdnnTensorDescriptor_t xDesc, const void *x,
                                                    const vpdnnTensorDescriptor_t wDesc, const void *w,
                                                    const vpdnnTensorDescriptor_t biasDesc, const void *bias, void *workspace,
                                                    size_t workspaceSize, const vpdnnTensorDescriptor_t yDesc, void *y);
/*! \brief Convolution, bias, residual and activation in one kernel. */
vpdnnStatus_t VPDNN_WIN_API vpdnnFusedConvBiasActivation(vpdnnHandle_t handle, const vpdnnConvolutionDescriptor_t convDesc,
                                                         const vpdnnActivationDescriptor_t actDesc,
                                                         const vpdnnTensorDescriptor_t xDesc, const void *x,
                                                         const vpdnnTensorDescriptor_t wDesc, const void *w,
                                                         const vpdnnTensorDescriptor_t zDesc, const void *z,
                                                         const vpdnnTensorDescriptor_t biasDesc, const void *bias,
                                                         const vpdnnTensorDescriptor_t yDesc, void *y);
vpdnnStatus_t VPDNN_WIN_API vpdnnPoolingForward(vpdnnHandle_t handle, const vpdnnPoolingDescriptor_t poolDesc,
                                                const vpdnnTensorDescriptor_t xDesc, const void *x,
                                                const vpdnnTensorDescriptor_t yDesc, void *y);
vpdnnStatus_t VPDNN_WIN_API vpdnnAdaptiveAvgPool(vpdnnHandle_t handle, const vpdnnTensorDescriptor_t xDesc, const void *x,
                                                 const vpdnnTensorDescriptor_t yDesc, void *y);
vpdnnStatus_t VPDNN_WIN_API vpdnnBatchNormForwardInference(vpdnnHandle_t handle, const vpdnnTensorDescriptor_t xDesc, const void *x,
                                                           const vpdnnTensorDescriptor_t paramDesc, const void *weight,
                                                           const void *bias, const void *estMean, const void *estVar, float eps,
                                                           const vpdnnTensorDescriptor_t yDesc, void *y);
/*! \param axis normalisation starts at this dimension. meanRstd desc may be NULL together with mean and rstd. */
vpdnnStatus_t VPDNN_WIN_API vpdnnLayerNormForward(vpdnnHandle_t handle, const vpdnnTensorDescriptor_t xDesc, const void *x, int axis,
                                                  const vpdnnTensorDescriptor_t weightBiasDesc, const void *weight, const void *bias,
                                                  float eps, const vpdnnTensorDescriptor_t yDesc, void *y,
                                                  const vpdnnTensorDescriptor_t meanRstdDesc, void *mean, void *rstd);
vpdnnStatus_t VPDNN_WIN_API vpdnnRNNForward(vpdnnHandle_t handle, const vpdnnRNNDescriptor_t rnnDesc, int seqLen, const void *x,
                                            const void *hx, const void *cx, const void *w, void *y, void *hy, void *cy,
                                            void *workspace, size_t workspaceSize);

/* ---------------------------------------------------------------- data movement ---- */
vpdnnStatus_t VPDNN_WIN_API vpdnnTranspose(vpdnnHandle_t handle, int dimNb, const int permute[], const vpdnnTensorDescriptor_t xDesc,
                                           const void *x, const vpdnnTensorDescriptor_t yDesc, void *y);
/*! \brief Joins inputNum tensors along axis. */
vpdnnStatus_t VPDNN_WIN_API vpdnnConcat(vpdnnHandle_t handle, int inputNum, int axis, const vpdnnTensorDescriptor_t inputDescs[],
                                        const void *const inputs[], const vpdnnTensorDescriptor_t outputDesc, void *output);
vpdnnStatus_t VPDNN_WIN_API vpdnnSplit(vpdnnHandle_t handle, int splitNum, int axis, const vpdnnTensorDescriptor_t inputDesc,
                                       const void *input, const vpdnnTensorDescriptor_t outputDescs[], void *const outputs[]);
/*! \brief Takes the slices of params along axis that are named by the 1-D tensor indices. */
vpdnnStatus_t VPDNN_WIN_API vpdnnGather(vpdnnHandle_t handle, int axis, const vpdnnTensorDescriptor_t paramsDesc, const void *params,
                                        const vpdnnTensorDescriptor_t indicesDesc, const int32_t *indices,
                                        const vpdnnTensorDescriptor_t outputDesc, void *output);
/*! \brief output[i][j][k] = input[i][index[i][j][k]][k] for dim 1, and so on. */
vpdnnStatus_t VPDNN_WIN_API vpdnnGatherElements(vpdnnHandle_t handle, int dim, const vpdnnTensorDescriptor_t inputDesc,
                                                const void *input, const vpdnnTensorDescriptor_t indexDesc, const void *index,
                                                const vpdnnTensorDescriptor_t outputDesc, void *output);
vpdnnStatus_t VPDNN_WIN_API vpdnnEmbeddingForward(vpdnnHandle_t handle, const vpdnnTensorDescriptor_t tableDesc, const void *table,
                                                  int paddingIdx, const vpdnnTensorDescriptor_t indicesDesc, const void *indices,
                                                  const vpdnnTensorDescriptor_t outputDesc, void *output);
/*! \param keepUpper nonzero keeps the upper triangle, zero the lower one */
vpdnnStatus_t VPDNN_WIN_API vpdnnTri(vpdnnHandle_t handle, int diagonal, int keepUpper, const vpdnnTensorDescriptor_t xDesc,
                                     const void *x, const vpdnnTensorDescriptor_t yDesc, void *y);
vpdnnStatus_t VPDNN_WIN_API vpdnnExpandTensor(vpdnnHandle_t handle, const vpdnnTensorDescriptor_t xDesc, const void *x,
                                              const vpdnnTensorDescriptor_t yDesc, void *y);
/*! \brief Layout or stride change, no type change. */
vpdnnStatus_t VPDNN_WIN_API vpdnnCopy(vpdnnHandle_t handle, const vpdnnTensorDescriptor_t xDesc, const void *x,
                                      const vpdnnTensorDescriptor_t yDesc, void *y);
vpdnnStatus_t VPDNN_WIN_API vpdnnQuantizeLinear(vpdnnHandle_t handle, const vpdnnTensorDescriptor_t xDesc, const void *x,
                                                const void *scale, const void *zeroPoint, const vpdnnTensorDescriptor_t yDesc, void *y);
vpdnnStatus_t VPDNN_WIN_API vpdnnNms(vpdnnHandle_t handle, float iouThreshold, const vpdnnTensorDescriptor_t boxesDesc,
                                     const void *boxes, const vpdnnTensorDescriptor_t scoresDesc, const void *scores, int *keep,
                                     int *keepNum, void *workspace, size_t workspaceSize);

#if defined(__cplusplus)
}
#endif
#endif /* VPDNN_H_ */
