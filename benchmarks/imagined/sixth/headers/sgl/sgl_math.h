#ifndef SGL_MATH_H_INCLUDED
#define SGL_MATH_H_INCLUDED

#include "sgl_defs.h"
#include "sgl_rt.h"

#define sglCreate sglCreate_v2
#define sglDestroy sglDestroy_v2
#define sglSetStream sglSetStream_v2
#define sglSgemm sglSgemm_v2
#define sglDgemm sglDgemm_v2
#define sglSgemv sglSgemv_v2
#define sglDgemv sglDgemv_v2
#define sglSaxpy sglSaxpy_v2
#define sglDaxpy sglDaxpy_v2
#define sglSdot sglSdot_v2
#define sglDdot sglDdot_v2
#define sglSnrm2 sglSnrm2_v2
#define sglSasum sglSasum_v2
#define sglIsamax sglIsamax_v2

SGL_API(sglStatus) sglCreate_v2 (sglHandle *handle);
SGL_API(sglStatus) sglDestroy_v2 (sglHandle handle);
SGL_API(sglStatus) sglSetStream_v2 (sglHandle handle, sglStream stream);
SGL_API(sglStatus) sglGetStream (sglHandle handle, sglStream *stream);
SGL_API(sglStatus) sglSetWorkspace (sglHandle handle, void *workspace, size_t bytes);

SGL_API(sglStatus) sglSaxpy_v2 (sglHandle handle, int n, const float *alpha, const float *x, int incx, float *y, int incy);
SGL_API(sglStatus) sglDaxpy_v2 (sglHandle handle, int n, const double *alpha, const double *x, int incx, double *y, int incy);
SGL_API(sglStatus) sglSaxpby (sglHandle handle, int n, const float *alpha, const float *x, int incx, const float *beta, float *y, int incy);
SGL_API(sglStatus) sglSscal (sglHandle handle, int n, const float *alpha, float *x, int incx);
SGL_API(sglStatus) sglDscal (sglHandle handle, int n, const double *alpha, double *x, int incx);
SGL_API(sglStatus) sglScopy (sglHandle handle, int n, const float *x, int incx, float *y, int incy);
SGL_API(sglStatus) sglDcopy (sglHandle handle, int n, const double *x, int incx, double *y, int incy);
SGL_API(sglStatus) sglSswap (sglHandle handle, int n, float *x, int incx, float *y, int incy);
SGL_API(sglStatus) sglSdot_v2 (sglHandle handle, int n, const float *x, int incx, const float *y, int incy, float *result);
SGL_API(sglStatus) sglDdot_v2 (sglHandle handle, int n, const double *x, int incx, const double *y, int incy, double *result);
SGL_API(sglStatus) sglSnrm2_v2 (sglHandle handle, int n, const float *x, int incx, float *result);
SGL_API(sglStatus) sglSasum_v2 (sglHandle handle, int n, const float *x, int incx, float *result);
SGL_API(sglStatus) sglIsamax_v2 (sglHandle handle, int n, const float *x, int incx, int *result);
SGL_API(sglStatus) sglSrot (sglHandle handle, int n, float *x, int incx, float *y, int incy, const float *c, const float *s);

SGL_API(sglStatus) sglSgemv_v2 (sglHandle handle, sglOperation trans, int m, int n, const float *alpha, const float *A, int lda, const float *x, int incx, const float *beta, float *y, int incy);
SGL_API(sglStatus) sglDgemv_v2 (sglHandle handle, sglOperation trans, int m, int n, const double *alpha, const double *A, int lda, const double *x, int incx, const double *beta, double *y, int incy);
SGL_API(sglStatus) sglSger (sglHandle handle, int m, int n, const float *alpha, const float *x, int incx, const float *y, int incy, float *A, int lda);
SGL_API(sglStatus) sglStrsv (sglHandle handle, sglFill uplo, sglOperation trans, sglDiag diag, int n, const float *A, int lda, float *x, int incx);

SGL_API(sglStatus) sglSgemm_v2 (sglHandle handle, sglOperation transa, sglOperation transb, int m, int n, int k, const float *alpha, const float *A, int lda, const float *B, int ldb, const float *beta, float *C, int ldc);
SGL_API(sglStatus) sglDgemm_v2 (sglHandle handle, sglOperation transa, sglOperation transb, int m, int n, int k, const double *alpha, const double *A, int lda, const double *B, int ldb, const double *beta, double *C, int ldc);
SGL_API(sglStatus) sglHgemm (sglHandle handle, sglOperation transa, sglOperation transb, int m, int n, int k, const sglHalf *alpha, const sglHalf *A, int lda, const sglHalf *B, int ldb, const sglHalf *beta, sglHalf *C, int ldc);
SGL_API(sglStatus) sglCgemm (sglHandle handle, sglOperation transa, sglOperation transb, int m, int n, int k, const sglComplex *alpha, const sglComplex *A, int lda, const sglComplex *B, int ldb, const sglComplex *beta, sglComplex *C, int ldc);
SGL_API(sglStatus) sglSgemmStrided (sglHandle handle, sglOperation transa, sglOperation transb, int m, int n, int k, const float *alpha, const float *A, int lda, int64_t strideA, const float *B, int ldb, int64_t strideB, const float *beta, float *C, int ldc, int64_t strideC, int batch);
SGL_API(sglStatus) sglGemmI8 (sglHandle handle, sglOperation transa, sglOperation transb, int m, int n, int k, const int8_t *A, int lda, const float *scaleA, const int8_t *B, int ldb, const float *scaleB, int8_t *C, int ldc, const float *scaleC);
SGL_API(sglStatus) sglSsyrk (sglHandle handle, sglFill uplo, sglOperation trans, int n, int k, const float *alpha, const float *A, int lda, const float *beta, float *C, int ldc);
SGL_API(sglStatus) sglStrsm (sglHandle handle, sglSide side, sglFill uplo, sglOperation trans, sglDiag diag, int m, int n, const float *alpha, const float *A, int lda, float *B, int ldb);
SGL_API(sglStatus) sglSomatcopy (sglHandle handle, sglOperation trans, int rows, int cols, const float *alpha, const float *A, int lda, float *B, int ldb);

#define SGL_DECLARE_UNARY(name) \
    SGL_API(sglStatus) sglVs##name (sglHandle handle, int n, const float *a, float *y); \
    SGL_API(sglStatus) sglVd##name (sglHandle handle, int n, const double *a, double *y)

#define SGL_DECLARE_BINARY(name) \
    SGL_API(sglStatus) sglVs##name (sglHandle handle, int n, const float *a, const float *b, float *y); \
    SGL_API(sglStatus) sglVd##name (sglHandle handle, int n, const double *a, const double *b, double *y)

SGL_DECLARE_UNARY(Abs);
SGL_DECLARE_UNARY(Inv);
SGL_DECLARE_UNARY(Sqrt);
SGL_DECLARE_UNARY(InvSqrt);
SGL_DECLARE_UNARY(Exp);
SGL_DECLARE_UNARY(Expm1);
SGL_DECLARE_UNARY(Ln);
SGL_DECLARE_UNARY(Log10);
SGL_DECLARE_UNARY(Log1p);
SGL_DECLARE_UNARY(Sin);
SGL_DECLARE_UNARY(Cos);
SGL_DECLARE_UNARY(Tan);
SGL_DECLARE_UNARY(Atan);
SGL_DECLARE_UNARY(Tanh);
SGL_DECLARE_UNARY(Asinh);
SGL_DECLARE_UNARY(Erf);
SGL_DECLARE_UNARY(Floor);
SGL_DECLARE_UNARY(Ceil);
SGL_DECLARE_UNARY(Trunc);
SGL_DECLARE_UNARY(Frac);
SGL_DECLARE_UNARY(CdfNorm);
SGL_DECLARE_UNARY(Cbrt);

SGL_DECLARE_BINARY(Add);
SGL_DECLARE_BINARY(Sub);
SGL_DECLARE_BINARY(Mul);
SGL_DECLARE_BINARY(Div);
SGL_DECLARE_BINARY(Pow);
SGL_DECLARE_BINARY(Fmod);
SGL_DECLARE_BINARY(Atan2);
SGL_DECLARE_BINARY(Hypot);
SGL_DECLARE_BINARY(Fmax);
SGL_DECLARE_BINARY(Fmin);

SGL_API(sglStatus) sglVsPowx (sglHandle handle, int n, const float *a, float b, float *y);
SGL_API(sglStatus) sglVsSinCos (sglHandle handle, int n, const float *a, float *s, float *c);
SGL_API(sglStatus) sglVsLinearFrac (sglHandle handle, int n, const float *a, const float *b, float sa, float ta, float sb, float tb, float *y);
SGL_API(sglStatus) sglVhAdd (sglHandle handle, int n, const sglHalf *a, const sglHalf *b, sglHalf *y);
SGL_API(sglStatus) sglVhMul (sglHandle handle, int n, const sglHalf *a, const sglHalf *b, sglHalf *y);
SGL_API(sglStatus) sglVcMulByConj (sglHandle handle, int n, const sglComplex *a, const sglComplex *b, sglComplex *y);
SGL_API(sglStatus) sglVcvtS2H (sglHandle handle, int n, const float *a, sglHalf *y);
SGL_API(sglStatus) sglVcvtH2S (sglHandle handle, int n, const sglHalf *a, float *y);
SGL_API(sglStatus) sglVsRngUniform (sglHandle handle, int n, float lo, float hi, uint64_t seed, float *y);

#endif
