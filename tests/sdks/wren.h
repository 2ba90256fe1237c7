/* Wren: an invented accelerator for linear algebra. Vectors and matrices are structs of the caller over device memory.
 */
#ifndef WREN_H
#define WREN_H
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef enum wren_status {
  WREN_SUCCESS = 0,
  WREN_NOT_SUPPORTED = 1,
  WREN_INVALID_ARGUMENT = 2,
  WREN_OUT_OF_MEMORY = 3
} wren_status;
typedef enum { WREN_NO_TRANS = 0, WREN_TRANS = 1 } wren_trans;
typedef enum { WREN_HOST_TO_DEVICE = 0, WREN_DEVICE_TO_HOST = 1, WREN_DEVICE_TO_DEVICE = 2 } wren_direction;

struct wren_pool;

/* Every stride-th element. */
typedef struct wren_vector {
  size_t len;
  size_t stride;
  float *data;
  struct wren_pool *pool;
  int owned;
} wren_vector;

/* Row-major; ld elements from one row to the next. */
typedef struct wren_matrix {
  size_t rows, cols;
  size_t ld;
  float *data;
  struct wren_pool *pool;
  int owned;
} wren_matrix;

/* Double precision, and extents of 32 bits. */
typedef struct wren_vector_f64 {
  int n;
  int inc;
  double *elements;
} wren_vector_f64;

wren_status wren_malloc(void **ptr, size_t bytes);
wren_status wren_free(void *ptr);
wren_status wren_memcpy(void *dst, const void *src, size_t bytes, wren_direction direction);
wren_status wren_device_synchronize(void);

/* a = a op b, element by element; the lengths are the same. */
wren_status wren_vector_add(wren_vector *a, const wren_vector *b);
wren_status wren_vector_mul(wren_vector *a, const wren_vector *b);
wren_status wren_vector_div(wren_vector *a, const wren_vector *b);
wren_status wren_vector_f64_mul(wren_vector_f64 *a, const wren_vector_f64 *b);
/* The number comes back by value. */
float wren_vector_sum(const wren_vector *a);
float wren_vector_max(const wren_vector *v);
float wren_blas_snrm2(const wren_vector *X);
/* The result is written to device memory. */
wren_status wren_blas_sdot(const wren_vector *X, const wren_vector *Y, float *result);
/* The least of n numbers that lie side by side, to device memory. */
wren_status wren_min_f32(const float *src, size_t n, float *result);
wren_status wren_blas_saxpy(float alpha, const wren_vector *X, wren_vector *Y);
/* Y = alpha op(A) X + beta Y */
wren_status wren_blas_sgemv(wren_trans TransA, float alpha, const wren_matrix *A, const wren_vector *X, float beta,
                            wren_vector *Y);
/* A = alpha X Y^T + A */
wren_status wren_blas_sger(float alpha, const wren_vector *X, const wren_vector *Y, wren_matrix *A);
/* C = alpha op(A) op(B) + beta C */
wren_status wren_blas_sgemm(wren_trans TransA, wren_trans TransB, float alpha, const wren_matrix *A,
                            const wren_matrix *B, float beta, wren_matrix *C);

#ifdef __cplusplus
}
#endif
#endif
