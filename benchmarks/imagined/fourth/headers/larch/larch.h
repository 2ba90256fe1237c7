/*
 * larch.h
 *
 * Part of LARCH, the Linear Algebra Routines of the C-Hawk accelerators.
 * Copyright (c) 2018-2026, C-Hawk Systems AB.  All rights reserved.
 *
 * Matrices are stored by columns, as the Fortran BLAS has them; the routines are C all the same: numbers
 * are passed by value (complex ones by pointer), and there are no trailing underscores. Everything that is
 * an array lies in the card's memory, scalars that come out included.
 */
#ifndef LARCH_H
#define LARCH_H

#include "larch_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -------------------------------------------------------------------------------------- housekeeping */
LARCH_EXTERN larch_verdict LARCH_CALL larch_begin(void);
LARCH_EXTERN larch_verdict LARCH_CALL larch_end(void);
LARCH_EXTERN larch_int     LARCH_CALL larch_cards(void);
LARCH_EXTERN larch_verdict LARCH_CALL larch_card(larch_int which);
LARCH_EXTERN larch_verdict LARCH_CALL larch_bench_set_up(larch_bench *bench);
LARCH_EXTERN larch_verdict LARCH_CALL larch_bench_take_down(larch_bench bench);
LARCH_EXTERN larch_verdict LARCH_CALL larch_bench_crew(larch_bench bench, larch_crew crew);
LARCH_EXTERN larch_verdict LARCH_CALL larch_crew_hire(larch_crew *crew);
LARCH_EXTERN larch_verdict LARCH_CALL larch_crew_dismiss(larch_crew crew);
LARCH_EXTERN larch_verdict LARCH_CALL larch_crew_finish(larch_crew crew);
LARCH_EXTERN larch_verdict LARCH_CALL larch_bell_cast(larch_bell *bell);
LARCH_EXTERN larch_verdict LARCH_CALL larch_bell_ring(larch_bell bell, larch_crew crew);
LARCH_EXTERN larch_verdict LARCH_CALL larch_bell_listen(larch_bell bell);
LARCH_EXTERN larch_verdict LARCH_CALL larch_bell_melt(larch_bell bell);
LARCH_EXTERN larch_verdict LARCH_CALL larch_store(void **at, size_t bytes);
LARCH_EXTERN larch_verdict LARCH_CALL larch_unstore(void *at);
LARCH_EXTERN larch_verdict LARCH_CALL larch_carry(const void *from, void *to, size_t bytes);   /* any direction */
LARCH_EXTERN larch_verdict LARCH_CALL larch_carry_matrix_in(larch_int rows, larch_int cols, size_t elem, const void *host, larch_int ldh, void *card, larch_int ldc);
LARCH_EXTERN larch_verdict LARCH_CALL larch_carry_matrix_out(larch_int rows, larch_int cols, size_t elem, const void *card, larch_int ldc, void *host, larch_int ldh);
LARCH_EXTERN const char *  LARCH_CALL larch_verdict_text(larch_verdict v);

/* ------------------------------------------------------------------------------------------- level 1 */
/* y := x */
LARCH_EXTERN larch_verdict LARCH_CALL larch_scopy(larch_bench bench, larch_int n, const float *x, larch_int incx, float *y, larch_int incy);
LARCH_EXTERN larch_verdict LARCH_CALL larch_dcopy(larch_bench bench, larch_int n, const double *x, larch_int incx, double *y, larch_int incy);
LARCH_EXTERN larch_verdict LARCH_CALL larch_sswap(larch_bench bench, larch_int n, float *x, larch_int incx, float *y, larch_int incy);
/* y := a x + y */
LARCH_EXTERN larch_verdict LARCH_CALL larch_saxpy(larch_bench bench, larch_int n, float a, const float *x, larch_int incx, float *y, larch_int incy);
LARCH_EXTERN larch_verdict LARCH_CALL larch_daxpy(larch_bench bench, larch_int n, double a, const double *x, larch_int incx, double *y, larch_int incy);
LARCH_EXTERN larch_verdict LARCH_CALL larch_haxpy(larch_bench bench, larch_int n, float a, const larch_h2 *x, larch_int incx, larch_h2 *y, larch_int incy);
/* z := a x + b y; an extension */
LARCH_EXTERN larch_verdict LARCH_CALL larch_swaxpby(larch_bench bench, larch_int n, float a, const float *x, larch_int incx, float b, const float *y, larch_int incy, float *z, larch_int incz);
/* w := a x + y; an extension */
LARCH_EXTERN larch_verdict LARCH_CALL larch_swaxpy(larch_bench bench, larch_int n, float a, const float *x, larch_int incx, const float *y, larch_int incy, float *w, larch_int incw);
LARCH_EXTERN larch_verdict LARCH_CALL larch_sscal(larch_bench bench, larch_int n, float a, float *x, larch_int incx);
LARCH_EXTERN larch_verdict LARCH_CALL larch_dscal(larch_bench bench, larch_int n, double a, double *x, larch_int incx);
LARCH_EXTERN larch_verdict LARCH_CALL larch_sdot(larch_bench bench, larch_int n, const float *x, larch_int incx, const float *y, larch_int incy, float *r);
LARCH_EXTERN larch_verdict LARCH_CALL larch_ddot(larch_bench bench, larch_int n, const double *x, larch_int incx, const double *y, larch_int incy, double *r);
/* the left one is conjugated */
LARCH_EXTERN larch_verdict LARCH_CALL larch_cdotc(larch_bench bench, larch_int n, const larch_c8 *x, larch_int incx, const larch_c8 *y, larch_int incy, larch_c8 *r);
LARCH_EXTERN larch_verdict LARCH_CALL larch_snrm2(larch_bench bench, larch_int n, const float *x, larch_int incx, float *r);
LARCH_EXTERN larch_verdict LARCH_CALL larch_dnrm2(larch_bench bench, larch_int n, const double *x, larch_int incx, double *r);
LARCH_EXTERN larch_verdict LARCH_CALL larch_sasum(larch_bench bench, larch_int n, const float *x, larch_int incx, float *r);
/* counts from 1 */
LARCH_EXTERN larch_verdict LARCH_CALL larch_isamax(larch_bench bench, larch_int n, const float *x, larch_int incx, larch_int *r);
LARCH_EXTERN larch_verdict LARCH_CALL larch_srot(larch_bench bench, larch_int n, float *x, larch_int incx, float *y, larch_int incy, float c, float s);
/* y[i] := a[i] x[i] + beta y[i] */
LARCH_EXTERN larch_verdict LARCH_CALL larch_ssbmv0(larch_bench bench, larch_int n, const float *a, larch_int inca, const float *x, larch_int incx, float beta, float *y, larch_int incy);

/* ------------------------------------------------------------------------------------------- level 2 */
/* y := alpha op(A) x + beta y */
LARCH_EXTERN larch_verdict LARCH_CALL larch_sgemv(larch_bench bench, larch_flip flipa, larch_int m, larch_int n, float alpha, const float *a, larch_int lda, const float *x, larch_int incx, float beta, float *y, larch_int incy);
LARCH_EXTERN larch_verdict LARCH_CALL larch_dgemv(larch_bench bench, larch_flip flipa, larch_int m, larch_int n, double alpha, const double *a, larch_int lda, const double *x, larch_int incx, double beta, double *y, larch_int incy);
/* A := alpha x y' + A */
LARCH_EXTERN larch_verdict LARCH_CALL larch_sger(larch_bench bench, larch_int m, larch_int n, float alpha, const float *x, larch_int incx, const float *y, larch_int incy, float *a, larch_int lda);
LARCH_EXTERN larch_verdict LARCH_CALL larch_dger(larch_bench bench, larch_int m, larch_int n, double alpha, const double *x, larch_int incx, const double *y, larch_int incy, double *a, larch_int lda);
LARCH_EXTERN larch_verdict LARCH_CALL larch_ssymv(larch_bench bench, larch_half half, larch_int n, float alpha, const float *a, larch_int lda, const float *x, larch_int incx, float beta, float *y, larch_int incy);
LARCH_EXTERN larch_verdict LARCH_CALL larch_strmv(larch_bench bench, larch_half half, larch_flip flipa, larch_unit unit, larch_int n, const float *a, larch_int lda, float *x, larch_int incx);
LARCH_EXTERN larch_verdict LARCH_CALL larch_sgbmv(larch_bench bench, larch_flip flipa, larch_int m, larch_int n, larch_int kl, larch_int ku, float alpha, const float *a, larch_int lda, const float *x, larch_int incx, float beta, float *y, larch_int incy);

/* ------------------------------------------------------------------------------------------- level 3 */
/* C := alpha op(A) op(B) + beta C */
LARCH_EXTERN larch_verdict LARCH_CALL larch_sgemm(larch_bench bench, larch_flip flipa, larch_flip flipb, larch_int m, larch_int n, larch_int k, float alpha, const float *a, larch_int lda, const float *b, larch_int ldb, float beta, float *c, larch_int ldc);
LARCH_EXTERN larch_verdict LARCH_CALL larch_dgemm(larch_bench bench, larch_flip flipa, larch_flip flipb, larch_int m, larch_int n, larch_int k, double alpha, const double *a, larch_int lda, const double *b, larch_int ldb, double beta, double *c, larch_int ldc);
LARCH_EXTERN larch_verdict LARCH_CALL larch_cgemm(larch_bench bench, larch_flip flipa, larch_flip flipb, larch_int m, larch_int n, larch_int k, const larch_c8 *alpha, const larch_c8 *a, larch_int lda, const larch_c8 *b, larch_int ldb, const larch_c8 *beta, larch_c8 *c, larch_int ldc);
LARCH_EXTERN larch_verdict LARCH_CALL larch_zgemm(larch_bench bench, larch_flip flipa, larch_flip flipb, larch_int m, larch_int n, larch_int k, const larch_c16 *alpha, const larch_c16 *a, larch_int lda, const larch_c16 *b, larch_int ldb, const larch_c16 *beta, larch_c16 *c, larch_int ldc);
LARCH_EXTERN larch_verdict LARCH_CALL larch_hgemm(larch_bench bench, larch_flip flipa, larch_flip flipb, larch_int m, larch_int n, larch_int k, float alpha, const larch_h2 *a, larch_int lda, const larch_h2 *b, larch_int ldb, float beta, larch_h2 *c, larch_int ldc);
/* matrix i starts jump_ elements after matrix i-1 */
LARCH_EXTERN larch_verdict LARCH_CALL larch_sgemm_run(larch_bench bench, larch_flip flipa, larch_flip flipb, larch_int m, larch_int n, larch_int k, float alpha, const float *a, larch_int lda, int64_t jumpa, const float *b, larch_int ldb, int64_t jumpb, float beta, float *c, larch_int ldc, int64_t jumpc, larch_int many);
LARCH_EXTERN larch_verdict LARCH_CALL larch_hgemm_run(larch_bench bench, larch_flip flipa, larch_flip flipb, larch_int m, larch_int n, larch_int k, float alpha, const larch_h2 *a, larch_int lda, int64_t jumpa, const larch_h2 *b, larch_int ldb, int64_t jumpb, float beta, larch_h2 *c, larch_int ldc, int64_t jumpc, larch_int many);
LARCH_EXTERN larch_verdict LARCH_CALL larch_ssyrk(larch_bench bench, larch_half half, larch_flip flipa, larch_int n, larch_int k, float alpha, const float *a, larch_int lda, float beta, float *c, larch_int ldc);
LARCH_EXTERN larch_verdict LARCH_CALL larch_strmm(larch_bench bench, larch_hand hand, larch_half half, larch_flip flipa, larch_unit unit, larch_int m, larch_int n, float alpha, const float *a, larch_int lda, float *b, larch_int ldb);
/* op(A) X = alpha B or X op(A) = alpha B, X is written over B */
LARCH_EXTERN larch_verdict LARCH_CALL larch_strsm(larch_bench bench, larch_hand hand, larch_half half, larch_flip flipa, larch_unit unit, larch_int m, larch_int n, float alpha, const float *a, larch_int lda, float *b, larch_int ldb);
LARCH_EXTERN larch_verdict LARCH_CALL larch_dtrsm(larch_bench bench, larch_hand hand, larch_half half, larch_flip flipa, larch_unit unit, larch_int m, larch_int n, double alpha, const double *a, larch_int lda, double *b, larch_int ldb);
/* B := A', out of place (m and n are A's) */
LARCH_EXTERN larch_verdict LARCH_CALL larch_somatt(larch_bench bench, larch_int m, larch_int n, const float *a, larch_int lda, float *b, larch_int ldb);
/* C := alpha A + beta B */
LARCH_EXTERN larch_verdict LARCH_CALL larch_sgeaddx(larch_bench bench, larch_int m, larch_int n, float alpha, const float *a, larch_int lda, float beta, const float *b, larch_int ldb, float *c, larch_int ldc);
/* C := A diag(x) or diag(x) A */
LARCH_EXTERN larch_verdict LARCH_CALL larch_sdgmm(larch_bench bench, larch_hand hand, larch_int m, larch_int n, const float *a, larch_int lda, const float *x, larch_int incx, float *c, larch_int ldc);

/* ------------------------------------------------------------------------------- factors and solutions */
/* Scratch, in bytes, of any of the routines below, by its name without "larch_" */
LARCH_EXTERN larch_verdict LARCH_CALL larch_scratch_of(larch_bench bench, const char *routine, larch_int m, larch_int n, size_t *bytes);

/* P L U = A; piv counts from 1. sick > 0: a zero pivot */
LARCH_EXTERN larch_verdict LARCH_CALL larch_sgetrf(larch_bench bench, larch_int m, larch_int n, float *a, larch_int lda, larch_int *piv, void *scratch, larch_int *sick);
LARCH_EXTERN larch_verdict LARCH_CALL larch_dgetrf(larch_bench bench, larch_int m, larch_int n, double *a, larch_int lda, larch_int *piv, void *scratch, larch_int *sick);
LARCH_EXTERN larch_verdict LARCH_CALL larch_sgetrs(larch_bench bench, larch_flip flipa, larch_int n, larch_int nrhs, const float *a, larch_int lda, const larch_int *piv, float *b, larch_int ldb, larch_int *sick);
/* A X = B; A is overwritten with its factors, B with X */
LARCH_EXTERN larch_verdict LARCH_CALL larch_sgesv(larch_bench bench, larch_int n, larch_int nrhs, float *a, larch_int lda, larch_int *piv, float *b, larch_int ldb, void *scratch, larch_int *sick);
LARCH_EXTERN larch_verdict LARCH_CALL larch_dgesv(larch_bench bench, larch_int n, larch_int nrhs, double *a, larch_int lda, larch_int *piv, double *b, larch_int ldb, void *scratch, larch_int *sick);
LARCH_EXTERN larch_verdict LARCH_CALL larch_spotrf(larch_bench bench, larch_half half, larch_int n, float *a, larch_int lda, void *scratch, larch_int *sick);
LARCH_EXTERN larch_verdict LARCH_CALL larch_dpotrf(larch_bench bench, larch_half half, larch_int n, double *a, larch_int lda, void *scratch, larch_int *sick);
LARCH_EXTERN larch_verdict LARCH_CALL larch_spotrs(larch_bench bench, larch_half half, larch_int n, larch_int nrhs, const float *a, larch_int lda, float *b, larch_int ldb, larch_int *sick);
LARCH_EXTERN larch_verdict LARCH_CALL larch_spotri(larch_bench bench, larch_half half, larch_int n, float *a, larch_int lda, larch_int *sick);
/* inverse from getrf's factors */
LARCH_EXTERN larch_verdict LARCH_CALL larch_sgetri(larch_bench bench, larch_int n, float *a, larch_int lda, const larch_int *piv, void *scratch, larch_int *sick);
LARCH_EXTERN larch_verdict LARCH_CALL larch_sgeqrf(larch_bench bench, larch_int m, larch_int n, float *a, larch_int lda, float *tau, void *scratch, larch_int *sick);
LARCH_EXTERN larch_verdict LARCH_CALL larch_sorgqr(larch_bench bench, larch_int m, larch_int n, larch_int k, float *a, larch_int lda, const float *tau, void *scratch, larch_int *sick);
LARCH_EXTERN larch_verdict LARCH_CALL larch_sormqr(larch_bench bench, larch_hand hand, larch_flip flipq, larch_int m, larch_int n, larch_int k, const float *a, larch_int lda, const float *tau, float *c, larch_int ldc, void *scratch, larch_int *sick);
/* eigenvalues w, rising, and vectors (over A) of a symmetric A; job 'N' or 'V' */
LARCH_EXTERN larch_verdict LARCH_CALL larch_ssyevd(larch_bench bench, char job, larch_half half, larch_int n, float *a, larch_int lda, float *w, void *scratch, larch_int *sick);
LARCH_EXTERN larch_verdict LARCH_CALL larch_sgesdd(larch_bench bench, char job, larch_int m, larch_int n, float *a, larch_int lda, float *s, float *u, larch_int ldu, float *vt, larch_int ldvt, void *scratch, larch_int *sick);
LARCH_EXTERN larch_verdict LARCH_CALL larch_sgels(larch_bench bench, larch_flip flipa, larch_int m, larch_int n, larch_int nrhs, float *a, larch_int lda, float *b, larch_int ldb, void *scratch, larch_int *sick);
/* A := the unit matrix times b, off the diagonal a */
LARCH_EXTERN larch_verdict LARCH_CALL larch_slaset(larch_bench bench, larch_half half, larch_int m, larch_int n, float offd, float diag, float *a, larch_int lda);
LARCH_EXTERN larch_verdict LARCH_CALL larch_slaswp(larch_bench bench, larch_int n, float *a, larch_int lda, larch_int k1, larch_int k2, const larch_int *piv, larch_int incp);

#ifdef __cplusplus
}
#endif
#endif /* LARCH_H */
