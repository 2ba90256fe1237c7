#include "by_value.h"

#include <stdlib.h>
#include <string.h>

bv_status bv_malloc(void **ptr, size_t bytes) {
  *ptr = bytes > (size_t)1 << 40 ? NULL : malloc(bytes);
  return *ptr != NULL ? BV_OK : BV_ERR_NO_MEMORY;
}

bv_status bv_free(void *ptr) {
  free(ptr);
  return BV_OK;
}

static bv_status copy(void *dst, const void *src, size_t bytes) {
  memcpy(dst, src, bytes);
  return BV_OK;
}

bv_status bv_memcpy_h2d(void *dst, const void *src, size_t bytes) { return copy(dst, src, bytes); }
bv_status bv_memcpy_d2h(void *dst, const void *src, size_t bytes) { return copy(dst, src, bytes); }

/* Elements of a dense tensor; -1 for strides that are not those of its shape. */
static int64_t count(const bv_tensor *t) {
  int64_t n = 1;
  for (int32_t i = t->ndim - 1; i >= 0; --i) {
    if (t->shape[i] != 1 && t->strides[i] != n) return -1;
    n *= t->shape[i];
  }
  return n;
}

#define ELEMENTWISE(type, expression)                                                \
  do {                                                                               \
    const type *x = a.data, *y = b.data;                                             \
    type *z = out.data;                                                              \
    for (int64_t i = 0; i < n; ++i) z[i] = (expression);                             \
  } while (0)

#define OP(name, expression)                                                         \
  bv_status name {                                                                   \
    int64_t n = count(&out);                                                         \
    if (a.dtype != out.dtype || b.dtype != out.dtype || n < 0) return BV_ERR_NOT_SUPPORTED; \
    if (count(&a) != n || count(&b) != n) return BV_ERR_NOT_SUPPORTED;               \
    switch (out.dtype) {                                                             \
      case BV_FLOAT32: ELEMENTWISE(float, expression); return BV_OK;                 \
      case BV_FLOAT64: ELEMENTWISE(double, expression); return BV_OK;                \
      case BV_INT32: return BV_ERR_NOT_SUPPORTED;                                    \
    }                                                                                \
    return BV_ERR_NOT_SUPPORTED;                                                     \
  }

OP(bv_add(bv_tensor a, bv_tensor b, bv_tensor out), x[i] + y[i])
OP(bv_mul(const bv_tensor a, const bv_tensor b, const bv_tensor out), x[i] * y[i])

bv_status bv_neg(bv_tensor in, bv_tensor out) {
  int64_t n = count(&out);
  if (in.dtype != out.dtype || count(&in) != n || n < 0) return BV_ERR_NOT_SUPPORTED;
  if (out.dtype == BV_FLOAT32) {
    for (int64_t i = 0; i < n; ++i) ((float *)out.data)[i] = -((const float *)in.data)[i];
    return BV_OK;
  }
  if (out.dtype == BV_FLOAT64) {
    for (int64_t i = 0; i < n; ++i) ((double *)out.data)[i] = -((const double *)in.data)[i];
    return BV_OK;
  }
  return BV_ERR_NOT_SUPPORTED;
}
