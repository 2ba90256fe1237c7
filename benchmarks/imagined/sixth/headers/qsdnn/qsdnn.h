/***************************************************************************
 *  Quarrystone Technologies - QSDNN library
 *  Copyright (C) 2019-2024 Quarrystone Technologies Inc.
 *
 *  This source code and/or documentation is subject to the SDK license
 *  agreement you accepted at download.
 **************************************************************************/
#ifndef __QSDNN_H__
#define __QSDNN_H__

#include <stdint.h>
#include "qs_runtime.h"

#define QSDNN_MAJOR 2
#define QSDNN_MINOR 7
#define QSDNN_PATCHLEVEL 1
#define QSDNN_DIM_MAX 8

#ifndef QSDNN_WIN_API
#ifdef _WIN32
#define QSDNN_WIN_API __stdcall
#else
#define QSDNN_WIN_API
#endif
#endif

#if defined(__cplusplus)
extern "C" {
#endif

/*! Return codes */
typedef enum {
  QSDNN_STATUS_SUCCESS          = 0,
  QSDNN_STATUS_NOT_INITIALIZED  = 1,
  QSDNN_STATUS_ALLOC_FAILED     = 2,
  QSDNN_STATUS_BAD_PARAM        = 3,
  QSDNN_STATUS_INTERNAL_ERROR   = 4,
  QSDNN_STATUS_NOT_SUPPORTED    = 9,
  QSDNN_STATUS_EXECUTION_FAILED = 8
} qsdnnStatus_t;

typedef struct qsdnnContext             *qsdnnHandle_t;
typedef struct qsdnnTensorStruct        *qsdnnTensorDesc_t;
typedef struct qsdnnFilterStruct        *qsdnnFilterDesc_t;
typedef struct qsdnnConvolutionStruct   *qsdnnConvDesc_t;
typedef struct qsdnnPoolingStruct       *qsdnnPoolDesc_t;
typedef struct qsdnnActivationStruct    *qsdnnActDesc_t;
typedef struct qsdnnReduceStruct        *qsdnnReduceDesc_t;

typedef enum {
  QSDNN_DATA_FLOAT = 0, QSDNN_DATA_DOUBLE = 1, QSDNN_DATA_HALF = 2, QSDNN_DATA_INT8 = 3,
  QSDNN_DATA_INT32 = 4, QSDNN_DATA_BFLOAT16 = 9, QSDNN_DATA_INT64 = 10, QSDNN_DATA_BOOLEAN = 11
} qsdnnDataType_t;

typedef enum { QSDNN_TENSOR_NCHW = 0, QSDNN_TENSOR_NHWC = 1 } qsdnnTensorFormat_t;

/*! Activation modes. coef is the ceiling of CLIPPED_RELU, the alpha of ELU and the slope of LEAKY */
typedef enum {
  QSDNN_ACT_SIGMOID      = 0,
  QSDNN_ACT_RELU         = 1,
  QSDNN_ACT_TANH         = 2,
  QSDNN_ACT_CLIPPED_RELU = 3,
  QSDNN_ACT_ELU          = 4,
  QSDNN_ACT_LEAKY_RELU   = 5,
  QSDNN_ACT_SWISH        = 6,
  QSDNN_ACT_GELU         = 7,
  QSDNN_ACT_SOFTPLUS     = 8
} qsdnnActivationMode_t;

typedef enum {
  QSDNN_POOLING_MAX = 0,
  QSDNN_POOLING_AVG_INCLUDE_PAD = 1,
  QSDNN_POOLING_AVG_EXCLUDE_PAD = 2
} qsdnnPoolingMode_t;

typedef enum {
  QSDNN_REDUCE_ADD = 0, QSDNN_REDUCE_AVG = 1, QSDNN_REDUCE_MUL = 2, QSDNN_REDUCE_MAX = 3, QSDNN_REDUCE_MIN = 4,
  QSDNN_REDUCE_NORM1 = 5, QSDNN_REDUCE_NORM2 = 6, QSDNN_REDUCE_AND = 7, QSDNN_REDUCE_OR = 8
} qsdnnReduceOp_t;

typedef enum {
  QSDNN_OP_TENSOR_ADD = 0, QSDNN_OP_TENSOR_SUB = 1, QSDNN_OP_TENSOR_MUL = 2, QSDNN_OP_TENSOR_DIV = 3,
  QSDNN_OP_TENSOR_MIN = 4, QSDNN_OP_TENSOR_MAX = 5
} qsdnnOpTensorOp_t;

typedef enum {
  QSDNN_UNARY_ABS, QSDNN_UNARY_NEG, QSDNN_UNARY_EXP, QSDNN_UNARY_LN, QSDNN_UNARY_SQRT, QSDNN_UNARY_RSQRT,
  QSDNN_UNARY_RECIP, QSDNN_UNARY_SIN, QSDNN_UNARY_COS, QSDNN_UNARY_FLOOR, QSDNN_UNARY_CEIL, QSDNN_UNARY_ROUND,
  QSDNN_UNARY_ERF
} qsdnnUnaryOp_t;

typedef enum {
  QSDNN_CMP_EQ = 0, QSDNN_CMP_NE = 1, QSDNN_CMP_GT = 2, QSDNN_CMP_GE = 3, QSDNN_CMP_LT = 4, QSDNN_CMP_LE = 5
} qsdnnCompareOp_t;

typedef enum { QSDNN_SOFTMAX_FAST = 0, QSDNN_SOFTMAX_ACCURATE = 1, QSDNN_SOFTMAX_LOG = 2 } qsdnnSoftmaxAlgo_t;
typedef enum { QSDNN_SOFTMAX_INSTANCE = 0, QSDNN_SOFTMAX_CHANNEL = 1 } qsdnnSoftmaxMode_t;
typedef enum { QSDNN_BN_PER_ACTIVATION = 0, QSDNN_BN_SPATIAL = 1 } qsdnnBatchNormMode_t;
typedef enum { QSDNN_CONV_ALGO_DIRECT = 0, QSDNN_CONV_ALGO_GEMM = 1, QSDNN_CONV_ALGO_WINOGRAD = 2 } qsdnnConvAlgo_t;

size_t QSDNN_WIN_API qsdnnVersion(void);
const char *QSDNN_WIN_API qsdnnStatusString(qsdnnStatus_t status);

qsdnnStatus_t QSDNN_WIN_API qsdnnCreate(qsdnnHandle_t *handle);
qsdnnStatus_t QSDNN_WIN_API qsdnnDestroy(qsdnnHandle_t handle);
qsdnnStatus_t QSDNN_WIN_API qsdnnSetQueue(qsdnnHandle_t handle, qsrtQueue_t queue);
qsdnnStatus_t QSDNN_WIN_API qsdnnGetQueue(qsdnnHandle_t handle, qsrtQueue_t *queue);

/* ---- descriptors ---- */
qsdnnStatus_t QSDNN_WIN_API qsdnnCreateTensorDesc(qsdnnTensorDesc_t *desc);
qsdnnStatus_t QSDNN_WIN_API qsdnnSetTensor4dDesc(qsdnnTensorDesc_t desc, qsdnnTensorFormat_t format,
                                                 qsdnnDataType_t dataType, int n, int c, int h, int w);
qsdnnStatus_t QSDNN_WIN_API qsdnnSetTensorNdDesc(qsdnnTensorDesc_t desc, qsdnnDataType_t dataType, int nbDims,
                                                 const int dimA[], const int strideA[]);
qsdnnStatus_t QSDNN_WIN_API qsdnnDestroyTensorDesc(qsdnnTensorDesc_t desc);

qsdnnStatus_t QSDNN_WIN_API qsdnnCreateFilterDesc(qsdnnFilterDesc_t *desc);
qsdnnStatus_t QSDNN_WIN_API qsdnnSetFilter4dDesc(qsdnnFilterDesc_t desc, qsdnnDataType_t dataType, int k, int c,
                                                 int h, int w);
qsdnnStatus_t QSDNN_WIN_API qsdnnDestroyFilterDesc(qsdnnFilterDesc_t desc);

qsdnnStatus_t QSDNN_WIN_API qsdnnCreateConvDesc(qsdnnConvDesc_t *desc);
qsdnnStatus_t QSDNN_WIN_API qsdnnSetConv2dDesc(qsdnnConvDesc_t desc, int padH, int padW, int strideH, int strideW,
                                               int dilationH, int dilationW, int groupCount,
                                               qsdnnDataType_t computeType);
qsdnnStatus_t QSDNN_WIN_API qsdnnDestroyConvDesc(qsdnnConvDesc_t desc);

qsdnnStatus_t QSDNN_WIN_API qsdnnCreatePoolDesc(qsdnnPoolDesc_t *desc);
qsdnnStatus_t QSDNN_WIN_API qsdnnSetPool2dDesc(qsdnnPoolDesc_t desc, qsdnnPoolingMode_t mode, int windowH,
                                               int windowW, int padH, int padW, int strideH, int strideW);
qsdnnStatus_t QSDNN_WIN_API qsdnnDestroyPoolDesc(qsdnnPoolDesc_t desc);

qsdnnStatus_t QSDNN_WIN_API qsdnnCreateActDesc(qsdnnActDesc_t *desc);
qsdnnStatus_t QSDNN_WIN_API qsdnnSetActDesc(qsdnnActDesc_t desc, qsdnnActivationMode_t mode, double coef);
qsdnnStatus_t QSDNN_WIN_API qsdnnDestroyActDesc(qsdnnActDesc_t desc);

qsdnnStatus_t QSDNN_WIN_API qsdnnCreateReduceDesc(qsdnnReduceDesc_t *desc);
qsdnnStatus_t QSDNN_WIN_API qsdnnSetReduceDesc(qsdnnReduceDesc_t desc, qsdnnReduceOp_t op, qsdnnDataType_t compType);
qsdnnStatus_t QSDNN_WIN_API qsdnnDestroyReduceDesc(qsdnnReduceDesc_t desc);

/* ---- element wise ---- */

/*! C = op(alpha1 * A, alpha2 * B) + beta * C, the dims of B are those of A or 1 */
qsdnnStatus_t QSDNN_WIN_API qsdnnOpTensor(qsdnnHandle_t handle, qsdnnOpTensorOp_t op,
    const void *alpha1, const qsdnnTensorDesc_t aDesc, const void *A,
    const void *alpha2, const qsdnnTensorDesc_t bDesc, const void *B,
    const void *beta, const qsdnnTensorDesc_t cDesc, void *C);

/*! y = f(x) */
qsdnnStatus_t QSDNN_WIN_API qsdnnUnary(qsdnnHandle_t handle, qsdnnUnaryOp_t op,
    const qsdnnTensorDesc_t xDesc, const void *x, const qsdnnTensorDesc_t yDesc, void *y);

/*! result is QSDNN_DATA_BOOLEAN */
qsdnnStatus_t QSDNN_WIN_API qsdnnCompare(qsdnnHandle_t handle, qsdnnCompareOp_t cmp,
    const qsdnnTensorDesc_t aDesc, const void *A, const qsdnnTensorDesc_t bDesc, const void *B,
    const qsdnnTensorDesc_t outDesc, void *out);

/*! y = pow(x, exponent), exponent is a host value */
qsdnnStatus_t QSDNN_WIN_API qsdnnPowScalar(qsdnnHandle_t handle, const qsdnnTensorDesc_t xDesc, const void *x,
    double exponent, const qsdnnTensorDesc_t yDesc, void *y);

qsdnnStatus_t QSDNN_WIN_API qsdnnClip(qsdnnHandle_t handle, const qsdnnTensorDesc_t xDesc, const void *x,
    const void *lower, const void *upper, void *y);

/*! y = alpha * y  (in place) */
qsdnnStatus_t QSDNN_WIN_API qsdnnScaleTensor(qsdnnHandle_t handle, const qsdnnTensorDesc_t yDesc, void *y,
    const void *alpha);

/*! out = cond ? A : B */
qsdnnStatus_t QSDNN_WIN_API qsdnnSelect(qsdnnHandle_t handle, const qsdnnTensorDesc_t condDesc, const void *cond,
    const qsdnnTensorDesc_t aDesc, const void *A, const qsdnnTensorDesc_t bDesc, const void *B,
    const qsdnnTensorDesc_t outDesc, void *out);

/*! converts between data types, shapes must agree */
qsdnnStatus_t QSDNN_WIN_API qsdnnCastTensor(qsdnnHandle_t handle, const qsdnnTensorDesc_t srcDesc, const void *src,
    const qsdnnTensorDesc_t dstDesc, void *dst);

/* ---- activations, softmax ---- */
qsdnnStatus_t QSDNN_WIN_API qsdnnActivationForward(qsdnnHandle_t handle, qsdnnActDesc_t actDesc,
    const void *alpha, const qsdnnTensorDesc_t xDesc, const void *x,
    const void *beta, const qsdnnTensorDesc_t yDesc, void *y);

qsdnnStatus_t QSDNN_WIN_API qsdnnSoftmaxForward(qsdnnHandle_t handle, qsdnnSoftmaxAlgo_t algo, qsdnnSoftmaxMode_t mode,
    const void *alpha, const qsdnnTensorDesc_t xDesc, const void *x,
    const void *beta, const qsdnnTensorDesc_t yDesc, void *y);

/* ---- reduction ---- */
qsdnnStatus_t QSDNN_WIN_API qsdnnGetReduceWorkspaceSize(qsdnnHandle_t handle, const qsdnnReduceDesc_t reduceDesc,
    const qsdnnTensorDesc_t aDesc, const qsdnnTensorDesc_t cDesc, size_t *sizeInBytes);

/*! dims of c which are 1 get reduced */
qsdnnStatus_t QSDNN_WIN_API qsdnnReduceTensor(qsdnnHandle_t handle, const qsdnnReduceDesc_t reduceDesc,
    void *workspace, size_t workspaceSizeInBytes,
    const void *alpha, const qsdnnTensorDesc_t aDesc, const void *A,
    const void *beta, const qsdnnTensorDesc_t cDesc, void *C);

qsdnnStatus_t QSDNN_WIN_API qsdnnArgMax(qsdnnHandle_t handle, int axis, const qsdnnTensorDesc_t xDesc, const void *x,
    const qsdnnTensorDesc_t idxDesc, void *idx);

qsdnnStatus_t QSDNN_WIN_API qsdnnCumulativeSum(qsdnnHandle_t handle, int axis, const qsdnnTensorDesc_t xDesc,
    const void *x, const qsdnnTensorDesc_t yDesc, void *y);

/* ---- convolution, pooling, norm ---- */
qsdnnStatus_t QSDNN_WIN_API qsdnnGetConvolutionForwardWorkspaceSize(qsdnnHandle_t handle,
    const qsdnnTensorDesc_t xDesc, const qsdnnFilterDesc_t wDesc, const qsdnnConvDesc_t convDesc,
    const qsdnnTensorDesc_t yDesc, qsdnnConvAlgo_t algo, size_t *sizeInBytes);

qsdnnStatus_t QSDNN_WIN_API qsdnnConvolutionForward(qsdnnHandle_t handle,
    const void *alpha, const qsdnnTensorDesc_t xDesc, const void *x,
    const qsdnnFilterDesc_t wDesc, const void *w, const qsdnnConvDesc_t convDesc, qsdnnConvAlgo_t algo,
    void *workspace, size_t workspaceSizeInBytes,
    const void *beta, const qsdnnTensorDesc_t yDesc, void *y);

/*! y = act(alpha1 * conv(x, w) + alpha2 * z + bias) */
qsdnnStatus_t QSDNN_WIN_API qsdnnConvolutionBiasActivation(qsdnnHandle_t handle,
    const void *alpha1, const qsdnnTensorDesc_t xDesc, const void *x,
    const qsdnnFilterDesc_t wDesc, const void *w, const qsdnnConvDesc_t convDesc, qsdnnConvAlgo_t algo,
    void *workspace, size_t workspaceSizeInBytes, const void *alpha2, const qsdnnTensorDesc_t zDesc, const void *z,
    const qsdnnTensorDesc_t biasDesc, const void *bias, const qsdnnActDesc_t actDesc,
    const qsdnnTensorDesc_t yDesc, void *y);

qsdnnStatus_t QSDNN_WIN_API qsdnnPoolingForward(qsdnnHandle_t handle, const qsdnnPoolDesc_t poolDesc,
    const void *alpha, const qsdnnTensorDesc_t xDesc, const void *x,
    const void *beta, const qsdnnTensorDesc_t yDesc, void *y);

qsdnnStatus_t QSDNN_WIN_API qsdnnBatchNormInference(qsdnnHandle_t handle, qsdnnBatchNormMode_t mode,
    const void *alpha, const void *beta, const qsdnnTensorDesc_t xDesc, const void *x,
    const qsdnnTensorDesc_t yDesc, void *y, const qsdnnTensorDesc_t bnDesc, const void *bnScale, const void *bnBias,
    const void *estMean, const void *estVar, double epsilon);

qsdnnStatus_t QSDNN_WIN_API qsdnnLayerNormForward(qsdnnHandle_t handle, int axis, const qsdnnTensorDesc_t xDesc,
    const void *x, const qsdnnTensorDesc_t gammaDesc, const void *gamma, const void *shift, float eps,
    const qsdnnTensorDesc_t yDesc, void *y);

/*! local response normalisation accross channels */
qsdnnStatus_t QSDNN_WIN_API qsdnnLRNForward(qsdnnHandle_t handle, unsigned lrnN, double lrnAlpha, double lrnBeta,
    double lrnK, const qsdnnTensorDesc_t xDesc, const void *x, const qsdnnTensorDesc_t yDesc, void *y);

/* ---- matrix, movement ---- */

/*! D = alpha * op(A) * op(B) + beta * C */
qsdnnStatus_t QSDNN_WIN_API qsdnnGemm(qsdnnHandle_t handle, int transA, int transB,
    const void *alpha, const qsdnnTensorDesc_t aDesc, const void *A, const qsdnnTensorDesc_t bDesc, const void *B,
    const void *beta, const qsdnnTensorDesc_t cDesc, const void *C, const qsdnnTensorDesc_t dDesc, void *D);

qsdnnStatus_t QSDNN_WIN_API qsdnnBatchedMatmul(qsdnnHandle_t handle,
    const qsdnnTensorDesc_t aDesc, const void *A, const qsdnnTensorDesc_t bDesc, const void *B,
    const qsdnnTensorDesc_t cDesc, void *C);

/*! perm[i] is the source axis of the i-th axis of y */
qsdnnStatus_t QSDNN_WIN_API qsdnnTransposeTensor(qsdnnHandle_t handle, const int perm[], int nbPerm,
    const qsdnnTensorDesc_t xDesc, const void *x, const qsdnnTensorDesc_t yDesc, void *y);

qsdnnStatus_t QSDNN_WIN_API qsdnnConcat(qsdnnHandle_t handle, int axis, int num, const qsdnnTensorDesc_t xDescs[],
    const void *const xs[], const qsdnnTensorDesc_t yDesc, void *y);

/*! y[.., i, ..] = x[.., idx[i], ..] on one axis */
qsdnnStatus_t QSDNN_WIN_API qsdnnGather(qsdnnHandle_t handle, int axis, const qsdnnTensorDesc_t xDesc, const void *x,
    const qsdnnTensorDesc_t idxDesc, const void *idx, const qsdnnTensorDesc_t yDesc, void *y);

/*! y = dropped x, mask of bits in reserve */
qsdnnStatus_t QSDNN_WIN_API qsdnnDropoutForward(qsdnnHandle_t handle, float ratio, unsigned long long seed,
    const qsdnnTensorDesc_t xDesc, const void *x, const qsdnnTensorDesc_t yDesc, void *y, void *reserve);

#if defined(__cplusplus)
}
#endif
#endif /* __QSDNN_H__ */
