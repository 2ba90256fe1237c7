/* Ridge: an invented accelerator. This is the runtime; ridge_ops.h is the library on top of it. */
#ifndef RIDGE_RT_H
#define RIDGE_RT_H
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
typedef enum { RIDGE_RT_OK = 0, RIDGE_RT_OUT_OF_MEMORY = 3, RIDGE_RT_INVALID_VALUE = 7 } ridgeRtError_t;
typedef enum { RIDGE_HOST_TO_DEVICE = 1, RIDGE_DEVICE_TO_HOST = 2, RIDGE_DEVICE_TO_DEVICE = 3 } ridgeCopy_t;
typedef struct ridgeStreamState *ridgeStream_t;

ridgeRtError_t ridgeMalloc(void **ptr, size_t size);
ridgeRtError_t ridgeFree(void *ptr);
ridgeRtError_t ridgeMemcpy(void *dst, const void *src, size_t size, ridgeCopy_t kind);
ridgeRtError_t ridgeDeviceSynchronize(void);
const char *ridgeGetErrorString(ridgeRtError_t error);
#ifdef __cplusplus
}
#endif
#endif
