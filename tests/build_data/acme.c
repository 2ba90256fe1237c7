#include "acme.h"

#include <stdlib.h>
#include <string.h>

acme_status_t acme_init(void) { return ACME_OK; }
acme_status_t acme_device_count(int *count) { *count = 1; return ACME_OK; }

acme_status_t acme_malloc(void **ptr, size_t bytes) {
    if (bytes > (size_t)1 << 40) return ACME_NO_MEMORY;
    *ptr = malloc(bytes);
    return *ptr ? ACME_OK : ACME_NO_MEMORY;
}

acme_status_t acme_free(void *ptr) { free(ptr); return ACME_OK; }

static acme_status_t copy(void *dst, const void *src, size_t bytes) { memcpy(dst, src, bytes); return ACME_OK; }
acme_status_t acme_memcpy_h2d(void *dst, const void *src, size_t bytes) { return copy(dst, src, bytes); }
acme_status_t acme_memcpy_d2h(void *dst, const void *src, size_t bytes) { return copy(dst, src, bytes); }
acme_status_t acme_memcpy_d2d(void *dst, const void *src, size_t bytes) { return copy(dst, src, bytes); }

const char *acme_error_string(acme_status_t status) {
    return status == ACME_BAD_PARAM ? "a parameter is bad" : "something else";
}

acme_status_t acme_add_f32(const float *a, const float *b, float *y, int n) {
    for (int i = 0; i < n; ++i) y[i] = a[i] + b[i];
    return ACME_OK;
}

acme_status_t acme_add_f64(const double *a, const double *b, double *y, int n) {
    for (int i = 0; i < n; ++i) y[i] = a[i] + b[i];
    return ACME_OK;
}

acme_status_t acme_leaky_relu_f32(const float *x, float *y, int64_t n, double slope) {
    if (slope < 0) return ACME_BAD_PARAM;
    for (int64_t i = 0; i < n; ++i) y[i] = x[i] > 0 ? x[i] : (float)(slope * x[i]);
    return ACME_OK;
}

acme_status_t acme_sgemm(char transa, char transb, int m, int n, int k, const float *alpha, const float *A, int lda,
                         const float *B, int ldb, const float *beta, float *C, int ldc) {
    if (lda < (transa == 'T' ? k : m) || ldb < (transb == 'T' ? n : k) || ldc < m) return ACME_BAD_PARAM;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            double sum = 0;
            for (int p = 0; p < k; ++p)
                sum += (double)(transa == 'T' ? A[i * lda + p] : A[p * lda + i]) *
                       (double)(transb == 'T' ? B[p * ldb + j] : B[j * ldb + p]);
            float *c = &C[j * ldc + i];
            *c = (float)(*alpha * sum) + (*beta == 0 ? 0 : *beta * *c);
        }
    return ACME_OK;
}

acme_status_t acme_abs(const acme_tensor_t *in, acme_tensor_t *out) {
    long n = 1;
    if (in->rank != out->rank || in->rank > 3) return ACME_NOT_SUPPORTED;
    for (int i = in->rank - 1; i >= 0; --i) {
        if (in->shape[i] != out->shape[i] || in->strides[i] != n) return ACME_BAD_PARAM;
        n *= in->shape[i];
    }
    for (long i = 0; i < n; ++i) {
        if (in->type == ACME_FLOAT) ((float *)out->ptr)[i] = ((float *)in->ptr)[i] < 0 ? -((float *)in->ptr)[i] : ((float *)in->ptr)[i];
        else ((int32_t *)out->ptr)[i] = abs(((int32_t *)in->ptr)[i]);
    }
    return ACME_OK;
}
