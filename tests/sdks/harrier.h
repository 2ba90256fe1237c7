/* Harrier: invented accelerator. Results come first, extents are unsigned, what a layer is set to stands in a struct. */
#ifndef HARRIER_H
#define HARRIER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t HrrResult;
#define HRR_SUCCESS 0
#define HRR_ERROR_OUT_OF_MEMORY (-1)
#define HRR_ERROR_INVALID_ARGUMENT (-2)
#define HRR_ERROR_DEVICE (-3)
/* half precision by its bits */
typedef uint16_t HrrHalf;

HrrResult hrrMalloc(void **ptr, size_t bytes);
HrrResult hrrFree(void *ptr);
HrrResult hrrCopyToDevice(void *dst, const void *src, size_t bytes);
HrrResult hrrCopyToHost(void *dst, const void *src, size_t bytes);
HrrResult hrrSynchronize(void);

/* dst = src * weights^T + biases for every row; weights is [outputSize][inputSize] */
HrrResult hrrFullyConnected(float *dst, const float *src, const float *weights, const float *biases, uint32_t inputSize,
                            uint32_t outputSize, uint32_t batchSize);
HrrResult hrrBatchMatMul(float *dst, const float *lhs, const float *rhs, uint32_t m, uint32_t n, uint32_t k,
                         uint32_t batchCount);
HrrResult hrrTranspose2d(float *dst, const float *src, uint32_t height, uint32_t width);
HrrResult hrrConcat(float *dst, const float *const *srcs, const uint32_t *widths, uint32_t numInputs, uint32_t outer);

HrrResult hrrCastF32ToF16(HrrHalf *dst, const float *src, uint32_t count);
HrrResult hrrCastF16ToF32(float *dst, const HrrHalf *src, uint32_t count);
HrrResult hrrConvertInt8ToFloat(float *dst, const int8_t *src, uint32_t count);

HrrResult hrrAddScalar(float *dst, const float *src, float scalar, uint32_t count);
HrrResult hrrSubScalar(float *dst, const float *src, float scalar, uint32_t count);
HrrResult hrrMulScalar(float *dst, const float *src, float scalar, uint32_t count);
HrrResult hrrDivScalar(float *dst, const float *src, float scalar, uint32_t count);
HrrResult hrrPowScalar(float *dst, const float *src, float scalar, uint32_t count);
HrrResult hrrClip(float *dst, const float *src, float minValue, float maxValue, uint32_t count);
HrrResult hrrLeakyRelu(float *dst, const float *src, float alpha, uint32_t count);
HrrResult hrrReluInPlace(float *data, uint32_t count);
HrrResult hrrFloorInPlace(float *data, uint32_t count);
HrrResult hrrGelu(float *dst, const float *src, uint32_t count, bool useTanh);

typedef struct HrrConvDesc {
  uint32_t strideH, strideW, padH, padW, dilationH, dilationW, groups;
} HrrConvDesc;
typedef struct HrrPoolDesc {
  uint32_t kernel[2], stride[2], pad[2];
  bool ceilMode, countIncludePad;
} HrrPoolDesc;
/* images are NCHW */
HrrResult hrrConv2d(float *dst, const float *src, const float *weights, const float *biases, uint32_t batch,
                    uint32_t inChannels, uint32_t inHeight, uint32_t inWidth, uint32_t outChannels, uint32_t kernelH,
                    uint32_t kernelW, HrrConvDesc desc);
HrrResult hrrMaxPool2d(float *dst, const float *src, uint32_t batch, uint32_t channels, uint32_t height, uint32_t width,
                       const HrrPoolDesc *desc);
HrrResult hrrAvgPool2d(float *dst, const float *src, uint32_t batch, uint32_t channels, uint32_t height, uint32_t width,
                       const HrrPoolDesc *desc);

HrrResult hrrReduceSum(float *dst, const float *src, uint32_t outer, uint32_t axisSize, uint32_t inner, bool keepDims);
HrrResult hrrCumSum(float *dst, const float *src, uint32_t outer, uint32_t axisSize, uint32_t inner);
HrrResult hrrArgMax(int32_t *dst, const float *src, uint32_t outer, uint32_t axisSize, uint32_t inner);
HrrResult hrrArgMin(uint32_t *dst, const float *src, uint32_t outer, uint32_t axisSize, uint32_t inner);
HrrResult hrrMaxWithIndex(float *values, int32_t *indices, const float *src, uint32_t outer, uint32_t axisSize,
                          uint32_t inner);

HrrResult hrrEqual(uint8_t *dst, const float *lhs, const float *rhs, uint32_t count);
HrrResult hrrGreater(int32_t *dst, const float *lhs, const float *rhs, uint32_t count);
HrrResult hrrLess(float *dst, const float *lhs, const float *rhs, uint32_t count);
HrrResult hrrSelect(float *dst, const int32_t *mask, const float *src0, const float *src1, uint32_t count);

HrrResult hrrAttention(float *dst, const float *query, const float *key, const float *value, uint32_t batch,
                       uint32_t heads, uint32_t qLen, uint32_t kvLen, uint32_t headDim, float scale, bool isCausal);

#ifdef __cplusplus
}
#endif
#endif
