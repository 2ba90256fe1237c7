/* An SDK whose functions take one struct of parameters each. */
#ifndef PK_PARAMS_H
#define PK_PARAMS_H

#include <stddef.h>
#include <stdint.h>

typedef enum pk_status { PK_OK = 0, PK_ERROR_NO_MEMORY = 1, PK_ERROR_INVALID = 2, PK_ERROR_UNSUPPORTED = 3 } pk_status;
typedef enum pk_trans { PK_NO_TRANS = 'n', PK_TRANS = 't' } pk_trans;

pk_status pk_malloc(void **ptr, size_t bytes);
pk_status pk_free(void *ptr);
pk_status pk_memcpy_h2d(void *dst, const void *src, size_t bytes);
pk_status pk_memcpy_d2h(void *dst, const void *src, size_t bytes);
pk_status pk_memcpy_d2d(void *dst, const void *src, size_t bytes);

typedef struct pk_binary_params {
  uint32_t struct_size; /* sizeof(pk_binary_params) */
  const float *a;
  const float *b;
  float *out;
  int64_t n;
} pk_binary_params;

typedef struct pk_scaled_params {
  const float *a;
  const float *b;
  float *out;
  int32_t n;
  float alpha;
} pk_scaled_params;

typedef struct pk_unary_params {
  const float *in;
  float *out;
  uint64_t count;
  float negative_slope;
  void *reserved;
} pk_unary_params;

typedef struct pk_gemm_params {
  pk_trans trans_a, trans_b;
  int32_t m, n, k;
  float alpha;
  const float *a;
  int32_t lda;
  const float *b;
  int32_t ldb;
  float beta;
  float *c;
  int32_t ldc;
} pk_gemm_params;

/* out = a * b */
pk_status pk_mul_f32(const pk_binary_params *params);
/* out = a + alpha * b */
pk_status pk_add_f32(const pk_scaled_params *params);
pk_status pk_leaky_relu_f32(const pk_unary_params *p);
/* C = alpha * op(A) * op(B) + beta * C, all row-major */
pk_status pk_gemm_f32(const pk_gemm_params *gemm);

#endif
