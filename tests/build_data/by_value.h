/* An SDK whose tensors are structs, passed by value. */
#ifndef BV_BY_VALUE_H
#define BV_BY_VALUE_H

#include <stddef.h>
#include <stdint.h>

typedef enum bv_status { BV_OK = 0, BV_ERR_NO_MEMORY = -1, BV_ERR_NOT_SUPPORTED = -2 } bv_status;
typedef enum bv_dtype { BV_FLOAT32 = 0, BV_FLOAT64 = 1, BV_INT32 = 2 } bv_dtype;

typedef struct bv_tensor {
  void *data;
  bv_dtype dtype;
  int32_t ndim;
  int64_t shape[6];
  int64_t strides[6];
} bv_tensor;

bv_status bv_malloc(void **ptr, size_t bytes);
bv_status bv_free(void *ptr);
bv_status bv_memcpy_h2d(void *dst, const void *src, size_t bytes);
bv_status bv_memcpy_d2h(void *dst, const void *src, size_t bytes);

bv_status bv_add(bv_tensor a, bv_tensor b, bv_tensor out);
bv_status bv_mul(const bv_tensor a, const bv_tensor b, const bv_tensor out);
bv_status bv_neg(bv_tensor in, bv_tensor out);

#endif
