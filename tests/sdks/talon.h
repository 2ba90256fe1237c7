/* Talon: an invented BLAS for an accelerator. A handle, column-major matrices, factors by pointer, numbers to the host
 * or to the device as a mode of the handle says. */
#ifndef TALON_H
#define TALON_H
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  TLBLAS_STATUS_SUCCESS = 0,
  TLBLAS_STATUS_NOT_INITIALIZED = 1,
  TLBLAS_STATUS_ALLOC_FAILED = 2,
  TLBLAS_STATUS_INVALID_VALUE = 3,
  TLBLAS_STATUS_NOT_SUPPORTED = 4
} tlblasStatus_t;
typedef enum { TLBLAS_OP_N = 0, TLBLAS_OP_T = 1, TLBLAS_OP_C = 2 } tlblasOperation_t;
typedef enum { TLBLAS_POINTER_MODE_HOST = 0, TLBLAS_POINTER_MODE_DEVICE = 1 } tlblasPointerMode_t;
typedef enum { TL_MEMCPY_HOST_TO_DEVICE = 1, TL_MEMCPY_DEVICE_TO_HOST = 2, TL_MEMCPY_DEVICE_TO_DEVICE = 3 } tlMemcpyKind_t;
typedef struct tlblasContext *tlblasHandle_t;
typedef struct tlQueue *tlStream_t;

/* The runtime. */
tlblasStatus_t tlMalloc(void **ptr, size_t size);
tlblasStatus_t tlFree(void *ptr);
tlblasStatus_t tlMemcpy(void *dst, const void *src, size_t size, tlMemcpyKind_t kind);
tlblasStatus_t tlDeviceSynchronize(void);

/* Handles. */
tlblasStatus_t tlblasCreate(tlblasHandle_t *handle);
tlblasStatus_t tlblasDestroy(tlblasHandle_t handle);
tlblasStatus_t tlblasSetStream(tlblasHandle_t handle, tlStream_t streamId);
tlblasStatus_t tlblasSetPointerMode(tlblasHandle_t handle, tlblasPointerMode_t mode);

/* Functions. */
#define TALON_FUNCTIONS(T, L) \
  tlblasStatus_t tlblas##L##dot(tlblasHandle_t handle, int n, const T *x, int incx, const T *y, int incy, T *result); \
  tlblasStatus_t tlblas##L##nrm2(tlblasHandle_t handle, int n, const T *x, int incx, T *result); \
  tlblasStatus_t tlblas##L##scal(tlblasHandle_t handle, int n, const T *alpha, T *x, int incx); \
  tlblasStatus_t tlblas##L##axpy(tlblasHandle_t handle, int n, const T *alpha, const T *x, int incx, T *y, int incy); \
  tlblasStatus_t tlblas##L##gemv(tlblasHandle_t handle, tlblasOperation_t trans, int m, int n, const T *alpha, \
                                 const T *A, int lda, const T *x, int incx, const T *beta, T *y, int incy); \
  tlblasStatus_t tlblas##L##ger(tlblasHandle_t handle, int m, int n, const T *alpha, const T *x, int incx, \
                                const T *y, int incy, T *A, int lda); \
  tlblasStatus_t tlblas##L##gemm(tlblasHandle_t handle, tlblasOperation_t transa, tlblasOperation_t transb, int m, \
                                 int n, int k, const T *alpha, const T *A, int lda, const T *B, int ldb, \
                                 const T *beta, T *C, int ldc); \
  tlblasStatus_t tlblas##L##gemmStridedBatched(tlblasHandle_t handle, tlblasOperation_t transa, \
                                               tlblasOperation_t transb, int m, int n, int k, const T *alpha, \
                                               const T *A, int lda, long long strideA, const T *B, int ldb, \
                                               long long strideB, const T *beta, T *C, int ldc, long long strideC, \
                                               int batchCount);
TALON_FUNCTIONS(float, S)
TALON_FUNCTIONS(double, D)

#ifdef __cplusplus
}
#endif
#endif
