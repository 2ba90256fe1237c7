/*
 * An imagined vendor's header.
 *
 * Device memory and streams come from the CX driver (cx_driver.h); this file is
 * the neural network library only. All data pointers are device pointers.
 */
#ifndef CVDNN_H_
#define CVDNN_H_

#include "cvdnn_types.h"

#define CVDNN_MAJOR 3
#define CVDNN_MINOR 2
#define CVDNN_PATCH 0

#if defined(_WIN32)
#define CVDNNAPI __declspec(dllexport)
#else
#define CVDNNAPI __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- library ---------------------------------------------------------- */
CVDNNAPI size_t cvdnnGetVersion(void);
CVDNNAPI const char* cvdnnGetResultString(cvdnnResult_t result);
CVDNNAPI cvdnnResult_t cvdnnCreate(cvdnnHandle_t* handle);
CVDNNAPI cvdnnResult_t cvdnnDestroy(cvdnnHandle_t handle);
CVDNNAPI cvdnnResult_t cvdnnSetStream(cvdnnHandle_t handle, cxStream_t stream);
CVDNNAPI cvdnnResult_t cvdnnGetStream(cvdnnHandle_t handle, cxStream_t* stream);
CVDNNAPI cvdnnResult_t cvdnnSetLogLevel(int level, const char* file);
CVDNNAPI cvdnnResult_t cvdnnSetDeterministic(cvdnnHandle_t handle, int on);

/* ---- tensor cards ------------------------------------------------------ */
CVDNNAPI cvdnnResult_t cvdnnCreateTensorCard(cvdnnTensorCard_t* card);
CVDNNAPI cvdnnResult_t cvdnnSetTensorCard(cvdnnTensorCard_t card, cvdnnOrder_t order, cvdnnElem_t elem, int rank, const int64_t dims[], const int64_t strides[]);
CVDNNAPI cvdnnResult_t cvdnnSetTensorCardQuant(cvdnnTensorCard_t card, float scale, int zero_point);
CVDNNAPI cvdnnResult_t cvdnnGetTensorCard(const cvdnnTensorCard_t card, cvdnnOrder_t* order, cvdnnElem_t* elem, int* rank, int64_t dims[], int64_t strides[]);
CVDNNAPI cvdnnResult_t cvdnnGetTensorBytes(const cvdnnTensorCard_t card, size_t* bytes);
CVDNNAPI cvdnnResult_t cvdnnDestroyTensorCard(cvdnnTensorCard_t card);

/* ---- convolution ------------------------------------------------------- */
CVDNNAPI cvdnnResult_t cvdnnCreateConvCard(cvdnnConvCard_t* card);
CVDNNAPI cvdnnResult_t cvdnnSetConvCard_v2(cvdnnConvCard_t card, int spatial, const int pads[], const int strides[], const int dilations[], int groups, cvdnnElem_t accum);
CVDNNAPI cvdnnResult_t cvdnnDestroyConvCard(cvdnnConvCard_t card);
CVDNNAPI cvdnnResult_t cvdnnPickConvAlg(cvdnnHandle_t handle, const cvdnnConvCard_t conv, const cvdnnTensorCard_t xCard, const cvdnnTensorCard_t wCard, const cvdnnTensorCard_t yCard, size_t limit, cvdnnConvAlg_t* alg);
CVDNNAPI cvdnnResult_t cvdnnConvForwardScratchBytes(cvdnnHandle_t handle, const cvdnnConvCard_t conv, const cvdnnTensorCard_t xCard, const cvdnnTensorCard_t wCard, const cvdnnTensorCard_t yCard, cvdnnConvAlg_t alg, size_t* bytes);

/*!
 * Computes \c y = conv(x, w) + b. \c bCard and \c b may be NULL.
 */
CVDNNAPI cvdnnResult_t cvdnnConvForward_v2(cvdnnHandle_t handle, const cvdnnConvCard_t conv, cvdnnConvAlg_t alg,
                                           const cvdnnTensorCard_t xCard, const void* x,
                                           const cvdnnTensorCard_t wCard, const void* w,
                                           const cvdnnTensorCard_t bCard, const void* b,
                                           void* scratch, size_t scratchBytes,
                                           const cvdnnTensorCard_t yCard, void* y);
/*! conv + bias + residual + activation in one kernel. */
CVDNNAPI cvdnnResult_t cvdnnConvBiasResidualActForward(cvdnnHandle_t handle, const cvdnnConvCard_t conv, cvdnnConvAlg_t alg,
                                           const cvdnnTensorCard_t xCard, const void* x,
                                           const cvdnnTensorCard_t wCard, const void* w,
                                           const cvdnnTensorCard_t bCard, const void* b,
                                           const cvdnnTensorCard_t zCard, const void* z, const cvdnnActCard_t act,
                                           void* scratch, size_t scratchBytes,
                                           const cvdnnTensorCard_t yCard, void* y);
CVDNNAPI cvdnnResult_t cvdnnConvBackwardData(cvdnnHandle_t handle, const cvdnnConvCard_t conv, cvdnnConvAlg_t alg,
                                           const cvdnnTensorCard_t wCard, const void* w,
                                           const cvdnnTensorCard_t dyCard, const void* dy,
                                           void* scratch, size_t scratchBytes,
                                           const cvdnnTensorCard_t dxCard, void* dx);
CVDNNAPI cvdnnResult_t cvdnnConvBackwardFilter(cvdnnHandle_t handle, const cvdnnConvCard_t conv, cvdnnConvAlg_t alg,
                                           const cvdnnTensorCard_t xCard, const void* x,
                                           const cvdnnTensorCard_t dyCard, const void* dy,
                                           void* scratch, size_t scratchBytes,
                                           const cvdnnTensorCard_t dwCard, void* dw);

/* ---- pooling, activation, softmax --------------------------------------- */
CVDNNAPI cvdnnResult_t cvdnnCreatePoolCard(cvdnnPoolCard_t* card);
CVDNNAPI cvdnnResult_t cvdnnSetPoolCard2d(cvdnnPoolCard_t card, cvdnnPoolMode_t mode, int kh, int kw, int ph, int pw, int sh, int sw, int ceilMode);
CVDNNAPI cvdnnResult_t cvdnnDestroyPoolCard(cvdnnPoolCard_t card);
CVDNNAPI cvdnnResult_t cvdnnPoolForward(cvdnnHandle_t handle, const cvdnnPoolCard_t pool, const cvdnnTensorCard_t xCard, const void* x, const cvdnnTensorCard_t yCard, void* y);
CVDNNAPI cvdnnResult_t cvdnnPoolBackward(cvdnnHandle_t handle, const cvdnnPoolCard_t pool, const cvdnnTensorCard_t yCard, const void* y, const cvdnnTensorCard_t dyCard, const void* dy, const cvdnnTensorCard_t xCard, const void* x, const cvdnnTensorCard_t dxCard, void* dx);

CVDNNAPI cvdnnResult_t cvdnnCreateActCard(cvdnnActCard_t* card);
CVDNNAPI cvdnnResult_t cvdnnSetActCard(cvdnnActCard_t card, cvdnnActMode_t mode, double coef);
CVDNNAPI cvdnnResult_t cvdnnDestroyActCard(cvdnnActCard_t card);
CVDNNAPI cvdnnResult_t cvdnnActForward(cvdnnHandle_t handle, const cvdnnActCard_t act, const cvdnnTensorCard_t xCard, const void* x, const cvdnnTensorCard_t yCard, void* y);
CVDNNAPI cvdnnResult_t cvdnnActBackward(cvdnnHandle_t handle, const cvdnnActCard_t act, const cvdnnTensorCard_t yCard, const void* y, const cvdnnTensorCard_t dyCard, const void* dy, const cvdnnTensorCard_t dxCard, void* dx);

CVDNNAPI cvdnnResult_t cvdnnSoftmaxForward(cvdnnHandle_t handle, int axis, const cvdnnTensorCard_t xCard, const void* x, const cvdnnTensorCard_t yCard, void* y);
CVDNNAPI cvdnnResult_t cvdnnLogSoftmaxForward(cvdnnHandle_t handle, int axis, const cvdnnTensorCard_t xCard, const void* x, const cvdnnTensorCard_t yCard, void* y);
CVDNNAPI cvdnnResult_t cvdnnSoftmaxBackward(cvdnnHandle_t handle, int axis, const cvdnnTensorCard_t yCard, const void* y, const cvdnnTensorCard_t dyCard, const void* dy, const cvdnnTensorCard_t dxCard, void* dx);

/* ---- normalization ------------------------------------------------------ */
CVDNNAPI cvdnnResult_t cvdnnBatchNormInference(cvdnnHandle_t handle, cvdnnNormMode_t mode,
                                           const cvdnnTensorCard_t xCard, const void* x,
                                           const cvdnnTensorCard_t paramCard, const void* gamma, const void* beta,
                                           const void* movingMean, const void* movingVar, double epsilon,
                                           const cvdnnTensorCard_t yCard, void* y);
CVDNNAPI cvdnnResult_t cvdnnBatchNormTraining(cvdnnHandle_t handle, cvdnnNormMode_t mode,
                                           const cvdnnTensorCard_t xCard, const void* x,
                                           const cvdnnTensorCard_t paramCard, const void* gamma, const void* beta,
                                           double momentum, void* movingMean, void* movingVar, double epsilon,
                                           void* savedMean, void* savedInvStd,
                                           const cvdnnTensorCard_t yCard, void* y);
CVDNNAPI cvdnnResult_t cvdnnLayerNorm(cvdnnHandle_t handle, int axis, const cvdnnTensorCard_t xCard, const void* x,
                                           const cvdnnTensorCard_t paramCard, const void* gamma, const void* beta, double epsilon,
                                           const cvdnnTensorCard_t yCard, void* y,
                                           const cvdnnTensorCard_t statCard, void* mean, void* rstd);
CVDNNAPI cvdnnResult_t cvdnnLocalResponseNorm(cvdnnHandle_t handle, int span, double alpha, double beta, double k, const cvdnnTensorCard_t xCard, const void* x, const cvdnnTensorCard_t yCard, void* y);

/* ---- tensor ops --------------------------------------------------------- */
CVDNNAPI cvdnnResult_t cvdnnCreateReduceCard(cvdnnReduceCard_t* card, cvdnnReduceMode_t mode, int naxes, const int axes[], int keepdims);
CVDNNAPI cvdnnResult_t cvdnnDestroyReduceCard(cvdnnReduceCard_t card);
CVDNNAPI cvdnnResult_t cvdnnReduce(cvdnnHandle_t handle, const cvdnnReduceCard_t reduce, const cvdnnTensorCard_t xCard, const void* x, void* scratch, size_t scratchBytes, const cvdnnTensorCard_t yCard, void* y);
CVDNNAPI cvdnnResult_t cvdnnMatMul(cvdnnHandle_t handle, int transA, int transB, const cvdnnTensorCard_t aCard, const void* a, const cvdnnTensorCard_t bCard, const void* b, const cvdnnTensorCard_t cCard, void* c);
CVDNNAPI cvdnnResult_t cvdnnFillTensor(cvdnnHandle_t handle, const void* hostValue, const cvdnnTensorCard_t yCard, void* y);
CVDNNAPI cvdnnResult_t cvdnnPermute(cvdnnHandle_t handle, int rank, const int perm[], const cvdnnTensorCard_t xCard, const void* x, const cvdnnTensorCard_t yCard, void* y);
CVDNNAPI cvdnnResult_t cvdnnCastTensor(cvdnnHandle_t handle, const cvdnnTensorCard_t xCard, const void* x, const cvdnnTensorCard_t yCard, void* y);
CVDNNAPI cvdnnResult_t cvdnnQuantizeTensor(cvdnnHandle_t handle, const cvdnnTensorCard_t xCard, const void* x, const cvdnnTensorCard_t yCard, void* y);
CVDNNAPI cvdnnResult_t cvdnnConcat(cvdnnHandle_t handle, int axis, int count, const cvdnnTensorCard_t xCards[], const void* const xs[], const cvdnnTensorCard_t yCard, void* y);
CVDNNAPI cvdnnResult_t cvdnnEmbeddingLookup(cvdnnHandle_t handle, const cvdnnTensorCard_t tableCard, const void* table, const cvdnnTensorCard_t idxCard, const void* idx, const cvdnnTensorCard_t yCard, void* y);
/*! Blends in place: y = alpha * x + beta * y. alpha and beta are host scalars. */
CVDNNAPI cvdnnResult_t cvdnnBlendTensor(cvdnnHandle_t handle, const void* alpha, const cvdnnTensorCard_t xCard, const void* x, const void* beta, const cvdnnTensorCard_t yCard, void* y);
CVDNNAPI cvdnnResult_t cvdnnProfileBegin(cvdnnHandle_t handle, const char* tag);
CVDNNAPI cvdnnResult_t cvdnnProfileEnd(cvdnnHandle_t handle, float* milliseconds);

#ifdef __cplusplus
}
#endif
#endif /* CVDNN_H_ */
