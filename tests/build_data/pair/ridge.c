/* Ridge's library. Its memory is no memory of the host: what malloc gives is one page off, so that a plain pointer
 * given to an op is refused, and one that the host reads would show other bytes. */
#include "ridge_ops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AWAY = 4096, MOST = 1024 };
static struct { char *base; size_t size; } made[MOST];

static void *own(const void *ptr, size_t size) {
  for (int i = 0; i < MOST; ++i) {
    char *first = made[i].base + AWAY;
    if (made[i].base && (char *)ptr >= first && (char *)ptr + size <= first + made[i].size) return (char *)ptr - AWAY;
  }
  return NULL;
}

ridgeRtError_t ridgeMalloc(void **ptr, size_t size) {
  if (size > (size_t)1 << 30) return RIDGE_RT_OUT_OF_MEMORY;
  for (int i = 0; i < MOST; ++i) {
    if (made[i].base) continue;
    made[i].base = calloc(1, size + AWAY);
    made[i].size = size;
    *ptr = made[i].base + AWAY;
    return RIDGE_RT_OK;
  }
  return RIDGE_RT_OUT_OF_MEMORY;
}

ridgeRtError_t ridgeFree(void *ptr) {
  for (int i = 0; i < MOST; ++i) {
    if (!made[i].base || made[i].base + AWAY != (char *)ptr) continue;
    free(made[i].base);
    made[i].base = NULL;
    return RIDGE_RT_OK;
  }
  return RIDGE_RT_INVALID_VALUE;
}

ridgeRtError_t ridgeMemcpy(void *dst, const void *src, size_t size, ridgeCopy_t kind) {
  void *to = kind == RIDGE_DEVICE_TO_HOST ? dst : own(dst, size);
  const void *from = kind == RIDGE_HOST_TO_DEVICE ? src : own(src, size);
  if (!to || !from) return RIDGE_RT_INVALID_VALUE;
  memmove(to, from, size);
  return RIDGE_RT_OK;
}

ridgeRtError_t ridgeDeviceSynchronize(void) { return RIDGE_RT_OK; }

const char *ridgeGetErrorString(ridgeRtError_t error) {
  return error == RIDGE_RT_OUT_OF_MEMORY ? "the runtime is out of memory" : "the runtime was given a bad value";
}

ridgeOpsStatus_t ridgeOpsCreate(ridgeOpsHandle_t *handle) { return *handle = malloc(1), RIDGE_OPS_SUCCESS; }
ridgeOpsStatus_t ridgeOpsDestroy(ridgeOpsHandle_t handle) { return free(handle), RIDGE_OPS_SUCCESS; }
ridgeOpsStatus_t ridgeOpsSetStream(ridgeOpsHandle_t handle, ridgeStream_t stream) {
  (void)stream;
  return handle ? RIDGE_OPS_SUCCESS : RIDGE_OPS_NOT_SUPPORTED;
}

static ridgeOpsStatus_t each(int op, const float *a, const float *b, float *out, size_t count) {
  const float *x = own(a, count * sizeof *a), *y = own(b, count * sizeof *b);
  float *z = own(out, count * sizeof *out);
  if (!x || !y || !z) return RIDGE_OPS_ALLOC_FAILED; /* not the device's memory */
  if (count > 1000) return RIDGE_OPS_NOT_SUPPORTED;
  for (size_t i = 0; i < count; ++i) {
    z[i] = op == 0 ? x[i] + y[i] : op == 1 ? x[i] - y[i] : op == 2 ? expf(x[i]) : sqrtf(x[i]);
  }
  return RIDGE_OPS_SUCCESS;
}

ridgeOpsStatus_t ridgeOpsAddF32(const float *a, const float *b, float *out, size_t n) { return each(0, a, b, out, n); }
ridgeOpsStatus_t ridgeOpsSubF32(const float *a, const float *b, float *out, size_t n) { return each(1, a, b, out, n); }
ridgeOpsStatus_t ridgeOpsExpF32(const float *in, float *out, size_t n) { return each(2, in, in, out, n); }
ridgeOpsStatus_t ridgeOpsSqrtF32(const float *in, float *out, size_t n) { return each(3, in, in, out, n); }
