/* The ops of Ridge, on memory of its runtime. */
#ifndef RIDGE_OPS_H
#define RIDGE_OPS_H
#include "ridge_rt.h"
#ifdef __cplusplus
extern "C" {
#endif
typedef enum { RIDGE_OPS_SUCCESS = 0, RIDGE_OPS_NOT_SUPPORTED = 3, RIDGE_OPS_ALLOC_FAILED = 7 } ridgeOpsStatus_t;
typedef struct ridgeOpsContext *ridgeOpsHandle_t;

ridgeOpsStatus_t ridgeOpsCreate(ridgeOpsHandle_t *handle);
ridgeOpsStatus_t ridgeOpsDestroy(ridgeOpsHandle_t handle);
ridgeOpsStatus_t ridgeOpsSetStream(ridgeOpsHandle_t handle, ridgeStream_t stream);

ridgeOpsStatus_t ridgeOpsAddF32(const float *a, const float *b, float *out, size_t count);
/* The result is minuend[i] - subtrahend[i]. */
ridgeOpsStatus_t ridgeOpsSubF32(const float *minuend, const float *subtrahend, float *out, size_t count);
ridgeOpsStatus_t ridgeOpsExpF32(const float *in, float *out, size_t count);
ridgeOpsStatus_t ridgeOpsSqrtF32(const float *in, float *out, size_t count);
#ifdef __cplusplus
}
#endif
#endif
