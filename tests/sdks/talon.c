#include "talon.h"

#include <math.h>
#include <string.h>

#include "sim.h"

struct tlblasContext { tlStream_t stream; tlblasPointerMode_t mode; };

#define STEP() do { if (fails()) return TLBLAS_STATUS_NOT_SUPPORTED; } while (0)
#define REQUIRE(x) do { if (!(x)) return TLBLAS_STATUS_INVALID_VALUE; } while (0)
#define DONE return TLBLAS_STATUS_SUCCESS

tlblasStatus_t tlMalloc(void **ptr, size_t size) { return (*ptr = device_alloc(size)) ? TLBLAS_STATUS_SUCCESS : TLBLAS_STATUS_ALLOC_FAILED; }
tlblasStatus_t tlFree(void *ptr) { REQUIRE(device_free(ptr)); DONE; }
tlblasStatus_t tlMemcpy(void *dst, const void *src, size_t size, tlMemcpyKind_t kind) {
  STEP();
  REQUIRE(kind == TL_MEMCPY_DEVICE_TO_HOST || on_device(dst, size));
  REQUIRE(kind == TL_MEMCPY_HOST_TO_DEVICE || on_device(src, size));
  memmove(dst, src, size);
  DONE;
}
tlblasStatus_t tlDeviceSynchronize(void) { DONE; }

tlblasStatus_t tlblasCreate(tlblasHandle_t *handle) {
  STEP();
  *handle = (tlblasHandle_t)make(sizeof **handle);
  if (!*handle) return TLBLAS_STATUS_ALLOC_FAILED;
  (*handle)->mode = TLBLAS_POINTER_MODE_DEVICE; /* who wants numbers on the host has to say so */
  DONE;
}
tlblasStatus_t tlblasDestroy(tlblasHandle_t handle) { unmake(handle); DONE; }
tlblasStatus_t tlblasSetStream(tlblasHandle_t handle, tlStream_t stream) { STEP(); REQUIRE(handle); handle->stream = stream; DONE; }
tlblasStatus_t tlblasSetPointerMode(tlblasHandle_t handle, tlblasPointerMode_t mode) { STEP(); REQUIRE(handle); handle->mode = mode; DONE; }

/* A number where the handle's mode says that it is. */
static int placed(tlblasHandle_t handle, const void *number, size_t size) {
  return handle && number && on_device(number, size) == (handle->mode == TLBLAS_POINTER_MODE_DEVICE);
}

#define FUNCTIONS(T, L) \
  tlblasStatus_t tlblas##L##dot(tlblasHandle_t handle, int n, const T *x, int incx, const T *y, int incy, T *result) { \
    T sum = 0; \
    STEP(); \
    REQUIRE(placed(handle, result, sizeof(T)) && on_device(x, sizeof(T) * n) && on_device(y, sizeof(T) * n)); \
    for (int i = 0; i < n; ++i) sum += x[i * incx] * y[i * incy]; \
    *result = sum; \
    DONE; \
  } \
  tlblasStatus_t tlblas##L##nrm2(tlblasHandle_t handle, int n, const T *x, int incx, T *result) { \
    double sum = 0; \
    STEP(); \
    REQUIRE(placed(handle, result, sizeof(T)) && on_device(x, sizeof(T) * n)); \
    for (int i = 0; i < n; ++i) sum = hypot(sum, x[i * incx]); \
    *result = (T)sum; \
    DONE; \
  } \
  tlblasStatus_t tlblas##L##scal(tlblasHandle_t handle, int n, const T *alpha, T *x, int incx) { \
    STEP(); \
    REQUIRE(placed(handle, alpha, sizeof(T)) && on_device(x, sizeof(T) * n)); \
    for (int i = 0; i < n; ++i) x[i * incx] = *alpha == 0 ? 0 : *alpha * x[i * incx]; \
    DONE; \
  } \
  tlblasStatus_t tlblas##L##axpy(tlblasHandle_t handle, int n, const T *alpha, const T *x, int incx, T *y, int incy) { \
    STEP(); \
    REQUIRE(placed(handle, alpha, sizeof(T)) && on_device(x, sizeof(T) * n) && on_device(y, sizeof(T) * n)); \
    REQUIRE(x != y); \
    for (int i = 0; i < n; ++i) y[i * incy] += *alpha * x[i * incx]; \
    DONE; \
  } \
  tlblasStatus_t tlblas##L##gemv(tlblasHandle_t handle, tlblasOperation_t trans, int m, int n, const T *alpha, \
                                 const T *A, int lda, const T *x, int incx, const T *beta, T *y, int incy) { \
    const int rows = trans == TLBLAS_OP_N ? m : n, terms = trans == TLBLAS_OP_N ? n : m; \
    STEP(); \
    REQUIRE(placed(handle, alpha, sizeof(T)) && placed(handle, beta, sizeof(T)) && lda >= (m > 1 ? m : 1)); \
    for (int i = 0; i < rows; ++i) { \
      T sum = 0; \
      for (int j = 0; j < terms; ++j) sum += (trans == TLBLAS_OP_N ? A[j * lda + i] : A[i * lda + j]) * x[j * incx]; \
      y[i * incy] = *alpha * sum + (*beta == 0 ? 0 : *beta * y[i * incy]); \
    } \
    DONE; \
  } \
  tlblasStatus_t tlblas##L##ger(tlblasHandle_t handle, int m, int n, const T *alpha, const T *x, int incx, \
                                const T *y, int incy, T *A, int lda) { \
    STEP(); \
    REQUIRE(placed(handle, alpha, sizeof(T)) && lda >= (m > 1 ? m : 1)); \
    for (int j = 0; j < n; ++j) for (int i = 0; i < m; ++i) A[j * lda + i] += *alpha * x[i * incx] * y[j * incy]; \
    DONE; \
  } \
  tlblasStatus_t tlblas##L##gemm(tlblasHandle_t handle, tlblasOperation_t transa, tlblasOperation_t transb, int m, \
                                 int n, int k, const T *alpha, const T *A, int lda, const T *B, int ldb, \
                                 const T *beta, T *C, int ldc) { \
    STEP(); \
    REQUIRE(placed(handle, alpha, sizeof(T)) && placed(handle, beta, sizeof(T))); \
    REQUIRE(lda >= (transa == TLBLAS_OP_N ? m : k) && ldb >= (transb == TLBLAS_OP_N ? k : n) && ldc >= m); \
    for (int j = 0; j < n; ++j) for (int i = 0; i < m; ++i) { \
      T sum = 0; \
      for (int p = 0; p < k; ++p) sum += (transa == TLBLAS_OP_N ? A[p * lda + i] : A[i * lda + p]) * \
                                         (transb == TLBLAS_OP_N ? B[j * ldb + p] : B[p * ldb + j]); \
      C[j * ldc + i] = *alpha * sum + (*beta == 0 ? 0 : *beta * C[j * ldc + i]); \
    } \
    DONE; \
  } \
  tlblasStatus_t tlblas##L##gemmStridedBatched( \
      tlblasHandle_t handle, tlblasOperation_t transa, tlblasOperation_t transb, int m, int n, int k, const T *alpha, \
      const T *A, int lda, long long strideA, const T *B, int ldb, long long strideB, const T *beta, T *C, int ldc, \
      long long strideC, int batchCount) { \
    REQUIRE(batchCount >= 0); \
    for (int b = 0; b < batchCount; ++b) { \
      const tlblasStatus_t status = tlblas##L##gemm(handle, transa, transb, m, n, k, alpha, A + b * strideA, lda, \
                                                    B + b * strideB, ldb, beta, C + b * strideC, ldc); \
      if (status != TLBLAS_STATUS_SUCCESS) return status; \
    } \
    DONE; \
  }
FUNCTIONS(float, S)
FUNCTIONS(double, D)
