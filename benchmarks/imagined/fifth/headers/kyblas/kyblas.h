/*
 * Copyright (c) 2021-2025, Kunyuan Intelligent Technology. All rights reserved.
 *
 * kyblas.h - BLAS for KY1000 accelerators. Matrices are column major as in reference BLAS.
 */
#ifndef KYBLAS_H
#define KYBLAS_H

#include "kyblas_types.h"

#if defined(_WIN32)
#define KYBLASAPI __stdcall
#else
#define KYBLASAPI
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- helpers */
kyblasStatus_t KYBLASAPI kyblasCreate(kyblasHandle_t *handle);
kyblasStatus_t KYBLASAPI kyblasDestroy(kyblasHandle_t handle);
kyblasStatus_t KYBLASAPI kyblasSetStream(kyblasHandle_t handle, kyStream_t stream);
kyblasStatus_t KYBLASAPI kyblasGetStream(kyblasHandle_t handle, kyStream_t *stream);
kyblasStatus_t KYBLASAPI kyblasSetScalarMode(kyblasHandle_t handle, kyblasScalarMode_t mode);
kyblasStatus_t KYBLASAPI kyblasSetWorkspace(kyblasHandle_t handle, void *workspace, uint64_t bytes);
kyblasStatus_t KYBLASAPI kyblasGetVersion(kyblasHandle_t handle, int *version);
const char *KYBLASAPI kyblasStatusToString(kyblasStatus_t status);
/* copies a host matrix to the device, and back */
kyblasStatus_t KYBLASAPI kyblasSetMatrix(int rows, int cols, int elemSize, const void *A, int lda, void *B, int ldb);
kyblasStatus_t KYBLASAPI kyblasGetMatrix(int rows, int cols, int elemSize, const void *A, int lda, void *B, int ldb);

/* ---------------------------------------------------------------- level 1 */
kyblasStatus_t KYBLASAPI kyblasSaxpy(kyblasHandle_t handle, int n, const float *alpha, const float *x, int incx, float *y, int incy);
kyblasStatus_t KYBLASAPI kyblasDaxpy(kyblasHandle_t handle, int n, const double *alpha, const double *x, int incx, double *y, int incy);
kyblasStatus_t KYBLASAPI kyblasSscal(kyblasHandle_t handle, int n, const float *alpha, float *x, int incx);
kyblasStatus_t KYBLASAPI kyblasDscal(kyblasHandle_t handle, int n, const double *alpha, double *x, int incx);
kyblasStatus_t KYBLASAPI kyblasScopy(kyblasHandle_t handle, int n, const float *x, int incx, float *y, int incy);
kyblasStatus_t KYBLASAPI kyblasDcopy(kyblasHandle_t handle, int n, const double *x, int incx, double *y, int incy);
kyblasStatus_t KYBLASAPI kyblasSswap(kyblasHandle_t handle, int n, float *x, int incx, float *y, int incy);
kyblasStatus_t KYBLASAPI kyblasSdot(kyblasHandle_t handle, int n, const float *x, int incx, const float *y, int incy, float *result);
kyblasStatus_t KYBLASAPI kyblasDdot(kyblasHandle_t handle, int n, const double *x, int incx, const double *y, int incy, double *result);
kyblasStatus_t KYBLASAPI kyblasSnrm2(kyblasHandle_t handle, int n, const float *x, int incx, float *result);
kyblasStatus_t KYBLASAPI kyblasDnrm2(kyblasHandle_t handle, int n, const double *x, int incx, double *result);
/* sum of magnitudes */
kyblasStatus_t KYBLASAPI kyblasSasum(kyblasHandle_t handle, int n, const float *x, int incx, float *result);
/* 1-based index of the largest magnitude */
kyblasStatus_t KYBLASAPI kyblasIsamax(kyblasHandle_t handle, int n, const float *x, int incx, int *result);
kyblasStatus_t KYBLASAPI kyblasSrot(kyblasHandle_t handle, int n, float *x, int incx, float *y, int incy, const float *c, const float *s);

/* ---------------------------------------------------------------- level 2 */
kyblasStatus_t KYBLASAPI kyblasSgemv(kyblasHandle_t handle, kyblasTranspose_t trans, int m, int n, const float *alpha, const float *A,
                                     int lda, const float *x, int incx, const float *beta, float *y, int incy);
kyblasStatus_t KYBLASAPI kyblasDgemv(kyblasHandle_t handle, kyblasTranspose_t trans, int m, int n, const double *alpha, const double *A,
                                     int lda, const double *x, int incx, const double *beta, double *y, int incy);
kyblasStatus_t KYBLASAPI kyblasSger(kyblasHandle_t handle, int m, int n, const float *alpha, const float *x, int incx, const float *y,
                                    int incy, float *A, int lda);
kyblasStatus_t KYBLASAPI kyblasStrsv(kyblasHandle_t handle, kyblasFill_t uplo, kyblasTranspose_t trans, kyblasDiag_t diag, int n,
                                     const float *A, int lda, float *x, int incx);

/* ---------------------------------------------------------------- level 3 */
kyblasStatus_t KYBLASAPI kyblasSgemm(kyblasHandle_t handle, kyblasTranspose_t transA, kyblasTranspose_t transB, int m, int n, int k,
                                     const float *alpha, const float *A, int lda, const float *B, int ldb, const float *beta, float *C,
                                     int ldc);
kyblasStatus_t KYBLASAPI kyblasDgemm(kyblasHandle_t handle, kyblasTranspose_t transA, kyblasTranspose_t transB, int m, int n, int k,
                                     const double *alpha, const double *A, int lda, const double *B, int ldb, const double *beta,
                                     double *C, int ldc);
kyblasStatus_t KYBLASAPI kyblasHgemm(kyblasHandle_t handle, kyblasTranspose_t transA, kyblasTranspose_t transB, int m, int n, int k,
                                     const kyHalf *alpha, const kyHalf *A, int lda, const kyHalf *B, int ldb, const kyHalf *beta,
                                     kyHalf *C, int ldc);
kyblasStatus_t KYBLASAPI kyblasGemmEx(kyblasHandle_t handle, kyblasTranspose_t transA, kyblasTranspose_t transB, int m, int n, int k,
                                      const void *alpha, const void *A, kyDataType_t Atype, int lda, const void *B, kyDataType_t Btype,
                                      int ldb, const void *beta, void *C, kyDataType_t Ctype, int ldc, kyblasCompute_t compute);
kyblasStatus_t KYBLASAPI kyblasSgemmStridedBatched(kyblasHandle_t handle, kyblasTranspose_t transA, kyblasTranspose_t transB, int m, int n,
                                                   int k, const float *alpha, const float *A, int lda, int64_t strideA, const float *B,
                                                   int ldb, int64_t strideB, const float *beta, float *C, int ldc, int64_t strideC,
                                                   int batchCount);
kyblasStatus_t KYBLASAPI kyblasSgemmBatched(kyblasHandle_t handle, kyblasTranspose_t transA, kyblasTranspose_t transB, int m, int n, int k,
                                            const float *alpha, const float *const Aarray[], int lda, const float *const Barray[], int ldb,
                                            const float *beta, float *const Carray[], int ldc, int batchCount);
kyblasStatus_t KYBLASAPI kyblasSsymm(kyblasHandle_t handle, kyblasSide_t side, kyblasFill_t uplo, int m, int n, const float *alpha,
                                     const float *A, int lda, const float *B, int ldb, const float *beta, float *C, int ldc);
kyblasStatus_t KYBLASAPI kyblasSsyrk(kyblasHandle_t handle, kyblasFill_t uplo, kyblasTranspose_t trans, int n, int k, const float *alpha,
                                     const float *A, int lda, const float *beta, float *C, int ldc);
kyblasStatus_t KYBLASAPI kyblasStrsm(kyblasHandle_t handle, kyblasSide_t side, kyblasFill_t uplo, kyblasTranspose_t transA,
                                     kyblasDiag_t diag, int m, int n, const float *alpha, const float *A, int lda, float *B, int ldb);
/* C = alpha * op(A) + beta * op(B) */
kyblasStatus_t KYBLASAPI kyblasSgeam(kyblasHandle_t handle, kyblasTranspose_t transA, kyblasTranspose_t transB, int m, int n,
                                     const float *alpha, const float *A, int lda, const float *beta, const float *B, int ldb, float *C,
                                     int ldc);
/* C = diag(x) * A or A * diag(x) */
kyblasStatus_t KYBLASAPI kyblasSdgmm(kyblasHandle_t handle, kyblasSide_t side, int m, int n, const float *A, int lda, const float *x,
                                     int incx, float *C, int ldc);

/* ---------------------------------------------------------------- Kunyuan extensions
 * Elementwise functions on n contiguous elements, out of place (z may be x or y).
 */
kyblasStatus_t KYBLASAPI kyblasSvadd(kyblasHandle_t handle, int64_t n, const float *x, const float *y, float *z);
kyblasStatus_t KYBLASAPI kyblasHvadd(kyblasHandle_t handle, int64_t n, const kyHalf *x, const kyHalf *y, kyHalf *z);
kyblasStatus_t KYBLASAPI kyblasSvsub(kyblasHandle_t handle, int64_t n, const float *x, const float *y, float *z);
kyblasStatus_t KYBLASAPI kyblasSvmul(kyblasHandle_t handle, int64_t n, const float *x, const float *y, float *z);
kyblasStatus_t KYBLASAPI kyblasHvmul(kyblasHandle_t handle, int64_t n, const kyHalf *x, const kyHalf *y, kyHalf *z);
kyblasStatus_t KYBLASAPI kyblasSvdiv(kyblasHandle_t handle, int64_t n, const float *x, const float *y, float *z);
kyblasStatus_t KYBLASAPI kyblasSvmax(kyblasHandle_t handle, int64_t n, const float *x, const float *y, float *z);
kyblasStatus_t KYBLASAPI kyblasSvmin(kyblasHandle_t handle, int64_t n, const float *x, const float *y, float *z);
kyblasStatus_t KYBLASAPI kyblasSvpow(kyblasHandle_t handle, int64_t n, const float *x, const float *y, float *z);
/* z = x ^ p */
kyblasStatus_t KYBLASAPI kyblasSvpowx(kyblasHandle_t handle, int64_t n, const float *x, float p, float *z);
kyblasStatus_t KYBLASAPI kyblasSvadds(kyblasHandle_t handle, int64_t n, const float *x, float a, float *z);
kyblasStatus_t KYBLASAPI kyblasSvabs(kyblasHandle_t handle, int64_t n, const float *x, float *z);
kyblasStatus_t KYBLASAPI kyblasSvneg(kyblasHandle_t handle, int64_t n, const float *x, float *z);
kyblasStatus_t KYBLASAPI kyblasSvinv(kyblasHandle_t handle, int64_t n, const float *x, float *z);      /* 1 / x */
kyblasStatus_t KYBLASAPI kyblasSvsqr(kyblasHandle_t handle, int64_t n, const float *x, float *z);
kyblasStatus_t KYBLASAPI kyblasSvsqrt(kyblasHandle_t handle, int64_t n, const float *x, float *z);
kyblasStatus_t KYBLASAPI kyblasSvinvsqrt(kyblasHandle_t handle, int64_t n, const float *x, float *z);
kyblasStatus_t KYBLASAPI kyblasSvexp(kyblasHandle_t handle, int64_t n, const float *x, float *z);
kyblasStatus_t KYBLASAPI kyblasSvln(kyblasHandle_t handle, int64_t n, const float *x, float *z);
kyblasStatus_t KYBLASAPI kyblasSvlog1p(kyblasHandle_t handle, int64_t n, const float *x, float *z);
kyblasStatus_t KYBLASAPI kyblasSvsin(kyblasHandle_t handle, int64_t n, const float *x, float *z);
kyblasStatus_t KYBLASAPI kyblasSvtanh(kyblasHandle_t handle, int64_t n, const float *x, float *z);
kyblasStatus_t KYBLASAPI kyblasSverf(kyblasHandle_t handle, int64_t n, const float *x, float *z);
kyblasStatus_t KYBLASAPI kyblasSvrelu(kyblasHandle_t handle, int64_t n, const float *x, float *z);
kyblasStatus_t KYBLASAPI kyblasSvsigmoid(kyblasHandle_t handle, int64_t n, const float *x, float *z);
kyblasStatus_t KYBLASAPI kyblasSvset(kyblasHandle_t handle, int64_t n, float a, float *z);
/* any two of the real types */
kyblasStatus_t KYBLASAPI kyblasConvert(kyblasHandle_t handle, int64_t n, const void *x, kyDataType_t xType, void *z, kyDataType_t zType);
/* plain sum, signs kept */
kyblasStatus_t KYBLASAPI kyblasSsum(kyblasHandle_t handle, int64_t n, const float *x, float *result);
kyblasStatus_t KYBLASAPI kyblasSmaxval(kyblasHandle_t handle, int64_t n, const float *x, float *result);
/* B = alpha * op(A), out of place */
kyblasStatus_t KYBLASAPI kyblasSomatcopy(kyblasHandle_t handle, kyblasTranspose_t trans, int rows, int cols, const float *alpha,
                                         const float *A, int lda, float *B, int ldb);
/* C = relu(alpha * A * B + bias) */
kyblasStatus_t KYBLASAPI kyblasSgemmBiasRelu(kyblasHandle_t handle, int m, int n, int k, const float *alpha, const float *A, int lda,
                                             const float *B, int ldb, const float *bias, float *C, int ldc);
/* LU with partial pivoting, in place */
kyblasStatus_t KYBLASAPI kyblasSgetrf(kyblasHandle_t handle, int n, float *A, int lda, int *pivot, int *info);

#ifdef __cplusplus
}
#endif
#endif /* KYBLAS_H */
