/*
     File:       acx/acx.h

     Contains:   Vector and matrix arithmetic of the Acx accelerator framework

     An imagined vendor's header.

     Notation:   Pseudocode above each routine says what it computes for
                 0 <= n < N. Strides are in elements. A trailing D is double.
*/
#ifndef __ACX__
#define __ACX__

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__has_feature)
#if __has_feature(assume_nonnull)
#pragma clang assume_nonnull begin
#endif
#endif

typedef unsigned long acx_Length;
typedef long          acx_Stride;

typedef struct acx_SplitComplex { float *realp; float *imagp; } acx_SplitComplex;
typedef struct acx_opaque_fft *acx_FFTSetup;

/* Unified memory; ordinary pointers work, these are faster. */
extern void *acx_map(size_t size);
extern void acx_unmap(void *p);
extern void acx_fence(void);
extern int acx_unit_count(void);

/*  C[n] = A[n] + B[n]  */
extern void acx_vadd(const float *__A, acx_Stride __IA, const float *__B, acx_Stride __IB, float *__C, acx_Stride __IC, acx_Length __N);
extern void acx_vaddD(const double *__A, acx_Stride __IA, const double *__B, acx_Stride __IB, double *__C, acx_Stride __IC, acx_Length __N);
/*  C[n] = A[n] - B[n]; mind the order.  */
extern void acx_vsub(const float *__B, acx_Stride __IB, const float *__A, acx_Stride __IA, float *__C, acx_Stride __IC, acx_Length __N);
/*  C[n] = A[n] * B[n]  */
extern void acx_vmul(const float *__A, acx_Stride __IA, const float *__B, acx_Stride __IB, float *__C, acx_Stride __IC, acx_Length __N);
/*  C[n] = A[n] / B[n]; mind the order.  */
extern void acx_vdiv(const float *__B, acx_Stride __IB, const float *__A, acx_Stride __IA, float *__C, acx_Stride __IC, acx_Length __N);
/*  C[n] = A[n] + B[0]  */
extern void acx_vsadd(const float *__A, acx_Stride __IA, const float *__B, float *__C, acx_Stride __IC, acx_Length __N);
/*  C[n] = A[n] * B[0]  */
extern void acx_vsmul(const float *__A, acx_Stride __IA, const float *__B, float *__C, acx_Stride __IC, acx_Length __N);
/*  C[n] = A[n] / B[0]  */
extern void acx_vsdiv(const float *__A, acx_Stride __IA, const float *__B, float *__C, acx_Stride __IC, acx_Length __N);
/*  D[n] = A[n]*B[n] + C[n]  */
extern void acx_vma(const float *__A, acx_Stride __IA, const float *__B, acx_Stride __IB, const float *__C, acx_Stride __IC, float *__D, acx_Stride __ID, acx_Length __N);
/*  D[n] = A[n]*B[0] + C[0]  */
extern void acx_vsmsa(const float *__A, acx_Stride __IA, const float *__B, const float *__C, float *__D, acx_Stride __ID, acx_Length __N);
/*  D[n] = (A[n] + B[n]) * C[n]  */
extern void acx_vam(const float *__A, acx_Stride __IA, const float *__B, acx_Stride __IB, const float *__C, acx_Stride __IC, float *__D, acx_Stride __ID, acx_Length __N);
/*  C[n] = |A[n]|  */
extern void acx_vabs(const float *__A, acx_Stride __IA, float *__C, acx_Stride __IC, acx_Length __N);
/*  C[n] = -|A[n]|  */
extern void acx_vnabs(const float *__A, acx_Stride __IA, float *__C, acx_Stride __IC, acx_Length __N);
extern void acx_vneg(const float *__A, acx_Stride __IA, float *__C, acx_Stride __IC, acx_Length __N);
/*  C[n] = A[n]**2  */
extern void acx_vsq(const float *__A, acx_Stride __IA, float *__C, acx_Stride __IC, acx_Length __N);
/*  C[n] = A[n] * |A[n]|  */
extern void acx_vssq(const float *__A, acx_Stride __IA, float *__C, acx_Stride __IC, acx_Length __N);
/*  C[n] = A[n] - trunc(A[n])  */
extern void acx_vfrac(const float *__A, acx_Stride __IA, float *__C, acx_Stride __IC, acx_Length __N);
/*  D[n] = A[n] below B[0], above C[0], or in between  */
extern void acx_vclip(const float *__A, acx_Stride __IA, const float *__B, const float *__C, float *__D, acx_Stride __ID, acx_Length __N);
/*  C[n] = B[0] <= A[n] ? A[n] : B[0]  */
extern void acx_vthr(const float *__A, acx_Stride __IA, const float *__B, float *__C, acx_Stride __IC, acx_Length __N);
/*  D[n] = B[0] <= A[n] ? C[0] : -C[0]  */
extern void acx_vlim(const float *__A, acx_Stride __IA, const float *__B, const float *__C, float *__D, acx_Stride __ID, acx_Length __N);
extern void acx_vmax(const float *__A, acx_Stride __IA, const float *__B, acx_Stride __IB, float *__C, acx_Stride __IC, acx_Length __N);
extern void acx_vmaxmg(const float *__A, acx_Stride __IA, const float *__B, acx_Stride __IB, float *__C, acx_Stride __IC, acx_Length __N);
extern void acx_vmin(const float *__A, acx_Stride __IA, const float *__B, acx_Stride __IB, float *__C, acx_Stride __IC, acx_Length __N);
extern void acx_vfill(const float *__A, float *__C, acx_Stride __IC, acx_Length __N);
extern void acx_vclr(float *__C, acx_Stride __IC, acx_Length __N);
/*  C[n] = A[0] + n*B[0]  */
extern void acx_vramp(const float *__A, const float *__B, float *__C, acx_Stride __IC, acx_Length __N);
extern void acx_vrvrs(float *__C, acx_Stride __IC, acx_Length __N);
extern void acx_vfltu8(const unsigned char *__A, acx_Stride __IA, float *__C, acx_Stride __IC, acx_Length __N);
/*  C[n] = A[B[n] - 1]  */
extern void acx_vgathr(const float *__A, const acx_Length *__B, acx_Stride __IB, float *__C, acx_Stride __IC, acx_Length __N);
/*  C[0] = sum of A  */
extern void acx_sve(const float *__A, acx_Stride __IA, float *__C, acx_Length __N);
extern void acx_svemg(const float *__A, acx_Stride __IA, float *__C, acx_Length __N);
extern void acx_svesq(const float *__A, acx_Stride __IA, float *__C, acx_Length __N);
extern void acx_meanv(const float *__A, acx_Stride __IA, float *__C, acx_Length __N);
extern void acx_rmsqv(const float *__A, acx_Stride __IA, float *__C, acx_Length __N);
extern void acx_maxv(const float *__A, acx_Stride __IA, float *__C, acx_Length __N);
extern void acx_maxvi(const float *__A, acx_Stride __IA, float *__C, acx_Length *__I, acx_Length __N);
extern void acx_maxmgv(const float *__A, acx_Stride __IA, float *__C, acx_Length __N);
extern void acx_minv(const float *__A, acx_Stride __IA, float *__C, acx_Length __N);
extern void acx_dotpr(const float *__A, acx_Stride __IA, const float *__B, acx_Stride __IB, float *__C, acx_Length __N);
/*  sorts in place; order 1 ascending, -1 descending  */
extern void acx_vsort(float *__C, acx_Length __N, int __Order);
/*  C[n] = sum of A[0..n], times S[0]  */
extern void acx_vrsum(const float *__A, acx_Stride __IA, const float *__S, float *__C, acx_Stride __IC, acx_Length __N);
/*  C is M by N, A is M by P, B is P by N  */
extern void acx_mmul(const float *__A, acx_Stride __IA, const float *__B, acx_Stride __IB, float *__C, acx_Stride __IC, acx_Length __M, acx_Length __N, acx_Length __P);
extern void acx_mtrans(const float *__A, acx_Stride __IA, float *__C, acx_Stride __IC, acx_Length __M, acx_Length __N);
extern void acx_mmov(const float *__A, float *__C, acx_Length __M, acx_Length __N, acx_Length __TA, acx_Length __TC);
extern void acx_conv(const float *__A, acx_Stride __IA, const float *__F, acx_Stride __IF, float *__C, acx_Stride __IC, acx_Length __N, acx_Length __P);
extern void acx_desamp(const float *__A, acx_Stride __DF, const float *__F, float *__C, acx_Length __N, acx_Length __P);
extern void acx_zvmul(const acx_SplitComplex *__A, acx_Stride __IA, const acx_SplitComplex *__B, acx_Stride __IB, const acx_SplitComplex *__C, acx_Stride __IC, acx_Length __N, int __Conjugate);
extern acx_FFTSetup acx_create_fftsetup(acx_Length __Log2n, int __Radix);
extern void acx_fft_zip(acx_FFTSetup __Setup, const acx_SplitComplex *__C, acx_Stride __IC, acx_Length __Log2N, int __Direction);

/* whole arrays, count by reference, result first */
extern void acxf_exp(float *, const float *, const int *);
extern void acxf_log(float *, const float *, const int *);
extern void acxf_tanh(float *, const float *, const int *);
extern void acxf_rsqrt(float *, const float *, const int *);
extern void acxf_sincos(float *, float *, const float *, const int *);
extern void acxf_pow(float *, const float *, const float *, const int *);

#if defined(__has_feature)
#if __has_feature(assume_nonnull)
#pragma clang assume_nonnull end
#endif
#endif

#ifdef __cplusplus
}
#endif
#endif /* __ACX__ */
