/*
 * hBLAS - basic linear algebra for Hadron accelerators
 *
 * Matrices are column-major, vectors are device memory. Scalars are read from the host unless the pointer mode says
 * otherwise. All calls are asynchronous on the queue of the handle.
 */
#ifndef HBLAS_H
#define HBLAS_H

#include "hblas_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define HBAPI __declspec(dllimport)
#else
#define HBAPI __attribute__((visibility("default")))
#endif

/* --- device --- */
HBAPI hbResult hbStartup(int card);
HBAPI void     hbShutdown(void);
HBAPI int      hbNumCards(void);
HBAPI hbResult hbGetCardName(int card, char *name, int len);
HBAPI void    *hbMalloc(size_t bytes);
HBAPI void     hbFree(void *p);
/* copies go from src to dst; the pointers tell which side each is on */
HBAPI hbResult hbMemcpy(const void *src, void *dst, size_t bytes);
HBAPI hbResult hbMemcpyAsync(const void *src, void *dst, size_t bytes, hbQueue q);
HBAPI hbResult hbMemset(void *dst, int value, size_t bytes);
HBAPI hbResult hbQueueCreate(hbQueue *q);
HBAPI hbResult hbQueueDestroy(hbQueue q);
HBAPI hbResult hbQueueWait(hbQueue q);
HBAPI hbResult hbMarkerCreate(hbMarker *m);
HBAPI hbResult hbMarkerPut(hbMarker m, hbQueue q);
HBAPI hbResult hbMarkerWait(hbMarker m);
HBAPI hbResult hbMarkerElapsed(hbMarker begin, hbMarker end, float *ms);
HBAPI hbResult hbMarkerDestroy(hbMarker m);

/* --- handle --- */
HBAPI hbResult hbCreate(hbHandle *h);
HBAPI hbResult hbDestroy(hbHandle h);
HBAPI hbResult hbSetQueue(hbHandle h, hbQueue q);
HBAPI hbResult hbGetQueue(hbHandle h, hbQueue *q);
HBAPI hbResult hbSetPointerMode(hbHandle h, hbPointerMode mode);
HBAPI hbResult hbSetWorkspace(hbHandle h, void *ws, size_t bytes);
HBAPI hbResult hbGetVersion(hbHandle h, int *version);
HBAPI const char *hbResultString(hbResult r);
HBAPI hbResult hbSetVector(int n, int elemSize, const void *hostX, int incx, void *devY, int incy);
HBAPI hbResult hbGetVector(int n, int elemSize, const void *devX, int incx, void *hostY, int incy);
HBAPI hbResult hbSetMatrix(int rows, int cols, int elemSize, const void *hostA, int lda, void *devB, int ldb);
HBAPI hbResult hbGetMatrix(int rows, int cols, int elemSize, const void *devA, int lda, void *hostB, int ldb);

/* --- level 1 --- */
HBAPI hbResult hbIsamax(hbHandle h, int n, const float *x, int incx, int *result);
HBAPI hbResult hbIsamin(hbHandle h, int n, const float *x, int incx, int *result);
HBAPI hbResult hbSasum(hbHandle h, int n, const float *x, int incx, float *result);
HBAPI hbResult hbDasum(hbHandle h, int n, const double *x, int incx, double *result);
HBAPI hbResult hbSaxpy(hbHandle h, int n, const float *alpha, const float *x, int incx, float *y, int incy);
HBAPI hbResult hbDaxpy(hbHandle h, int n, const double *alpha, const double *x, int incx, double *y, int incy);
HBAPI hbResult hbHaxpy(hbHandle h, int n, const hbHalf *alpha, const hbHalf *x, int incx, hbHalf *y, int incy);
HBAPI hbResult hbScopy(hbHandle h, int n, const float *x, int incx, float *y, int incy);
HBAPI hbResult hbDcopy(hbHandle h, int n, const double *x, int incx, double *y, int incy);
HBAPI hbResult hbSdot(hbHandle h, int n, const float *x, int incx, const float *y, int incy, float *result);
HBAPI hbResult hbDdot(hbHandle h, int n, const double *x, int incx, const double *y, int incy, double *result);
HBAPI hbResult hbCdotc(hbHandle h, int n, const hbComplex *x, int incx, const hbComplex *y, int incy, hbComplex *result);
HBAPI hbResult hbSnrm2(hbHandle h, int n, const float *x, int incx, float *result);
HBAPI hbResult hbDnrm2(hbHandle h, int n, const double *x, int incx, double *result);
HBAPI hbResult hbSscal(hbHandle h, int n, const float *alpha, float *x, int incx);
HBAPI hbResult hbDscal(hbHandle h, int n, const double *alpha, double *x, int incx);
HBAPI hbResult hbSswap(hbHandle h, int n, float *x, int incx, float *y, int incy);
HBAPI hbResult hbSrot(hbHandle h, int n, float *x, int incx, float *y, int incy, const float *c, const float *s);
HBAPI hbResult hbSrotg(hbHandle h, float *a, float *b, float *c, float *s);

/* --- level 2 --- */
HBAPI hbResult hbSgemv(hbHandle h, hbOp trans, int m, int n, const float *alpha, const float *A, int lda,
                       const float *x, int incx, const float *beta, float *y, int incy);
HBAPI hbResult hbDgemv(hbHandle h, hbOp trans, int m, int n, const double *alpha, const double *A, int lda,
                       const double *x, int incx, const double *beta, double *y, int incy);
HBAPI hbResult hbSger(hbHandle h, int m, int n, const float *alpha, const float *x, int incx, const float *y, int incy,
                      float *A, int lda);
HBAPI hbResult hbSsymv(hbHandle h, hbFill uplo, int n, const float *alpha, const float *A, int lda, const float *x,
                       int incx, const float *beta, float *y, int incy);
HBAPI hbResult hbStrsv(hbHandle h, hbFill uplo, hbOp trans, hbDiag diag, int n, const float *A, int lda, float *x, int incx);

/* --- level 3: C = alpha * op(A) * op(B) + beta * C --- */
HBAPI hbResult hbSgemm(hbHandle h, hbOp transA, hbOp transB, int m, int n, int k, const float *alpha, const float *A,
                       int lda, const float *B, int ldb, const float *beta, float *C, int ldc);
HBAPI hbResult hbDgemm(hbHandle h, hbOp transA, hbOp transB, int m, int n, int k, const double *alpha, const double *A,
                       int lda, const double *B, int ldb, const double *beta, double *C, int ldc);
HBAPI hbResult hbHgemm(hbHandle h, hbOp transA, hbOp transB, int m, int n, int k, const hbHalf *alpha, const hbHalf *A,
                       int lda, const hbHalf *B, int ldb, const hbHalf *beta, hbHalf *C, int ldc);
HBAPI hbResult hbCgemm(hbHandle h, hbOp transA, hbOp transB, int m, int n, int k, const hbComplex *alpha,
                       const hbComplex *A, int lda, const hbComplex *B, int ldb, const hbComplex *beta, hbComplex *C, int ldc);
HBAPI hbResult hbSgemmBatched(hbHandle h, hbOp transA, hbOp transB, int m, int n, int k, const float *alpha,
                              const float *const Aarray[], int lda, const float *const Barray[], int ldb,
                              const float *beta, float *const Carray[], int ldc, int batchCount);
HBAPI hbResult hbSgemmStridedBatched(hbHandle h, hbOp transA, hbOp transB, int m, int n, int k, const float *alpha,
                                     const float *A, int lda, int64_t strideA, const float *B, int ldb, int64_t strideB,
                                     const float *beta, float *C, int ldc, int64_t strideC, int batchCount);
HBAPI hbResult hbHgemmStridedBatched(hbHandle h, hbOp transA, hbOp transB, int m, int n, int k, const hbHalf *alpha,
                                     const hbHalf *A, int lda, int64_t strideA, const hbHalf *B, int ldb, int64_t strideB,
                                     const hbHalf *beta, hbHalf *C, int ldc, int64_t strideC, int batchCount);
/* operands of any type, the product accumulates in computeType */
HBAPI hbResult hbGemmEx(hbHandle h, hbOp transA, hbOp transB, int m, int n, int k, const void *alpha, const void *A,
                        hbDataType typeA, int lda, const void *B, hbDataType typeB, int ldb, const void *beta, void *C,
                        hbDataType typeC, int ldc, hbDataType computeType);
HBAPI hbResult hbSsyrk(hbHandle h, hbFill uplo, hbOp trans, int n, int k, const float *alpha, const float *A, int lda,
                       const float *beta, float *C, int ldc);
HBAPI hbResult hbSsymm(hbHandle h, hbSide side, hbFill uplo, int m, int n, const float *alpha, const float *A, int lda,
                       const float *B, int ldb, const float *beta, float *C, int ldc);
HBAPI hbResult hbStrsm(hbHandle h, hbSide side, hbFill uplo, hbOp trans, hbDiag diag, int m, int n, const float *alpha,
                       const float *A, int lda, float *B, int ldb);
/* C = alpha * op(A) + beta * op(B) */
HBAPI hbResult hbSgeam(hbHandle h, hbOp transA, hbOp transB, int m, int n, const float *alpha, const float *A, int lda,
                       const float *beta, const float *B, int ldb, float *C, int ldc);
/* C = diag(x) * A or A * diag(x) */
HBAPI hbResult hbSdgmm(hbHandle h, hbSide side, int m, int n, const float *A, int lda, const float *x, int incx,
                       float *C, int ldc);

/* --- tracing --- */
HBAPI hbResult hbLoggerOpen(const char *path);
HBAPI hbResult hbLoggerLevel(int level);
HBAPI uint64_t hbFlopCount(hbHandle h);

#ifdef __cplusplus
}
#endif
#endif
