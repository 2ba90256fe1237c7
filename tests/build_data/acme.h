/* A small vendor SDK for tests of new-chip and torchfl-build: styles that x1 does not have.
 * Statuses are ints with macros, copies have one function per direction, kernels come once per element type,
 * the matrix product is column-major, and tensors point to their extents. */
#ifndef ACME_H
#define ACME_H
#include <stddef.h>
#include <stdint.h>

typedef int acme_status_t;
#define ACME_OK 0
#define ACME_NO_MEMORY 7
#define ACME_NOT_SUPPORTED 8
#define ACME_BAD_PARAM 9

typedef enum { ACME_FLOAT = 1, ACME_INT32 = 5 } acme_type_t;

typedef struct {
    acme_type_t type;
    int rank;
    const int32_t *shape;
    const int32_t *strides;
    void *ptr;
} acme_tensor_t;

acme_status_t acme_init(void);
acme_status_t acme_device_count(int *count);
acme_status_t acme_malloc(void **ptr, size_t bytes);
acme_status_t acme_free(void *ptr);
acme_status_t acme_memcpy_h2d(void *dst, const void *src, size_t bytes);
acme_status_t acme_memcpy_d2h(void *dst, const void *src, size_t bytes);
acme_status_t acme_memcpy_d2d(void *dst, const void *src, size_t bytes);
const char *acme_error_string(acme_status_t status);

/* y = a + b, n elements */
acme_status_t acme_add_f32(const float *a, const float *b, float *y, int n);
acme_status_t acme_add_f64(const double *a, const double *b, double *y, int n);

/* y = x > 0 ? x : slope * x */
acme_status_t acme_leaky_relu_f32(const float *restrict x, float *restrict y, int64_t n, double slope);

/* Column-major: C = alpha * A * B + beta * C. */
acme_status_t acme_sgemm(char transa, char transb, int m, int n, int k, const float *alpha, const float *A, int lda,
                         const float *B, int ldb, const float *beta, float *C, int ldc);

/* out = |in| */
acme_status_t acme_abs(const acme_tensor_t *in, acme_tensor_t *out);

/* In no library of the test: costs one op. */
acme_status_t acme_exp_f32(const float *x, float *y, int n);
#endif
