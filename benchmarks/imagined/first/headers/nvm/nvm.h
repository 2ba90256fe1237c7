/* file: nvm.h
 * Novum Vector Math for Novum HPC accelerators (NX series).
 * Functions are asynchronous with respect to the host, in the order of their stream.
 */
#ifndef NVM_H
#define NVM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(NVM_ILP64)
typedef int64_t nvm_int;
#else
typedef int32_t nvm_int;
#endif

/* the unsuffixed names are those of the current interface */
#define nvmInit      nvmInit_v2
#define nvmMemcpy    nvmMemcpy_v2
#define nvmSetMode   nvmSetMode_v2
#define nvsPowx      nvsPowx_v2

typedef struct nvm_stream_rec *nvm_stream;
typedef void (*nvm_error_handler)(int code, const char *function, nvm_int index);

#define NVM_LA 0x1   /* low accuracy */
#define NVM_HA 0x2   /* high accuracy */
#define NVM_EP 0x3   /* enhanced performance */
#define NVM_FTZ 0x280000

#define NVM_H2D 1
#define NVM_D2H 2
#define NVM_D2D 3

/* runtime: 0 for success */
int nvmInit_v2(int device, unsigned flags);
int nvmExit(void);
int nvmDevices(int *n);
int nvmAlloc(void **p, size_t n);
int nvmDealloc(void *p);
int nvmMemcpy_v2(int kind, size_t n, const void *from, void *to, nvm_stream s);
int nvmStreamOpen(nvm_stream *s);
int nvmStreamClose(nvm_stream s);
int nvmStreamWait(nvm_stream s);
void nvmUseStream(nvm_stream s);          /* for all that follows in this thread */
unsigned nvmSetMode_v2(unsigned mode);
unsigned nvmGetMode(void);
nvm_error_handler nvmSetErrorHandler(nvm_error_handler h);
void nvmClearErrStatus(void);

/* one operand: y[i] = f(a[i]), 0 <= i < n */
void nvsAbs(nvm_int n, const float *a, float *y);
void nvdAbs(nvm_int n, const double *a, double *y);
void nvsSqr(nvm_int n, const float *a, float *y);
void nvdSqr(nvm_int n, const double *a, double *y);
void nvsInv(nvm_int n, const float *a, float *y);
void nvdInv(nvm_int n, const double *a, double *y);
void nvsSqrt(nvm_int n, const float *a, float *y);
void nvdSqrt(nvm_int n, const double *a, double *y);
void nvsInvSqrt(nvm_int n, const float *a, float *y);
void nvdInvSqrt(nvm_int n, const double *a, double *y);
void nvsCbrt(nvm_int n, const float *a, float *y);
void nvsExp(nvm_int n, const float *a, float *y);
void nvdExp(nvm_int n, const double *a, double *y);
void nvsExpm1(nvm_int n, const float *a, float *y);
void nvsExp2(nvm_int n, const float *a, float *y);
void nvsLn(nvm_int n, const float *a, float *y);
void nvdLn(nvm_int n, const double *a, double *y);
void nvsLog2(nvm_int n, const float *a, float *y);
void nvsLog10(nvm_int n, const float *a, float *y);
void nvsLog1p(nvm_int n, const float *a, float *y);
void nvsSin(nvm_int n, const float *a, float *y);
void nvdSin(nvm_int n, const double *a, double *y);
void nvsCos(nvm_int n, const float *a, float *y);
void nvsTan(nvm_int n, const float *a, float *y);
void nvsAsin(nvm_int n, const float *a, float *y);
void nvsAcos(nvm_int n, const float *a, float *y);
void nvsAtan(nvm_int n, const float *a, float *y);
void nvsTanh(nvm_int n, const float *a, float *y);
void nvsErf(nvm_int n, const float *a, float *y);
void nvsErfc(nvm_int n, const float *a, float *y);
void nvsErfInv(nvm_int n, const float *a, float *y);
void nvsCdfNorm(nvm_int n, const float *a, float *y);
void nvsLGamma(nvm_int n, const float *a, float *y);
void nvsFloor(nvm_int n, const float *a, float *y);
void nvsCeil(nvm_int n, const float *a, float *y);
void nvsTrunc(nvm_int n, const float *a, float *y);
void nvsNearbyInt(nvm_int n, const float *a, float *y);
void nvsRound(nvm_int n, const float *a, float *y);   /* halves go away from zero */

/* two results */
void nvsSinCos(nvm_int n, const float *a, float *y, float *z);
void nvsModf(nvm_int n, const float *a, float *y, float *z);

/* two operands */
void nvsAdd(nvm_int n, const float *a, const float *b, float *y);
void nvdAdd(nvm_int n, const double *a, const double *b, double *y);
void nvsSub(nvm_int n, const float *a, const float *b, float *y);
void nvdSub(nvm_int n, const double *a, const double *b, double *y);
void nvsMul(nvm_int n, const float *a, const float *b, float *y);
void nvdMul(nvm_int n, const double *a, const double *b, double *y);
void nvsDiv(nvm_int n, const float *a, const float *b, float *y);
void nvdDiv(nvm_int n, const double *a, const double *b, double *y);
void nvsPow(nvm_int n, const float *a, const float *b, float *y);
void nvsPowx_v2(nvm_int n, const float *a, float b, float *y);
void nvsHypot(nvm_int n, const float *a, const float *b, float *y);
void nvsAtan2(nvm_int n, const float *a, const float *b, float *y);
void nvsFmod(nvm_int n, const float *a, const float *b, float *y);
void nvsRemainder(nvm_int n, const float *a, const float *b, float *y);   /* IEEE remainder */
void nvsCopySign(nvm_int n, const float *a, const float *b, float *y);
void nvsNextAfter(nvm_int n, const float *a, const float *b, float *y);
void nvsFmax(nvm_int n, const float *a, const float *b, float *y);
void nvsFmin(nvm_int n, const float *a, const float *b, float *y);
void nvsMaxMag(nvm_int n, const float *a, const float *b, float *y);
/* (scalea * a + shifta) / (scaleb * b + shiftb) */
void nvsLinearFrac(nvm_int n, const float *a, const float *b, float scalea, float shifta, float scaleb, float shiftb, float *y);

/* strided: increments count elements */
void nvsAddI(nvm_int n, const float *a, nvm_int inca, const float *b, nvm_int incb, float *y, nvm_int incy);
void nvsMulI(nvm_int n, const float *a, nvm_int inca, const float *b, nvm_int incb, float *y, nvm_int incy);
void nvsExpI(nvm_int n, const float *a, nvm_int inca, float *y, nvm_int incy);
void nvsTanhI(nvm_int n, const float *a, nvm_int inca, float *y, nvm_int incy);

/* with a mode of this call only */
void nvmsExp(nvm_int n, const float *a, float *y, int64_t mode);
void nvmsTanh(nvm_int n, const float *a, float *y, int64_t mode);
void nvmsDiv(nvm_int n, const float *a, const float *b, float *y, int64_t mode);

/* gathers with an increment or by index */
void nvsPackI(nvm_int n, const float *a, nvm_int inca, float *y);
void nvsPackV(nvm_int n, const float *a, const nvm_int *ia, float *y);
void nvsUnpackV(nvm_int n, const float *a, float *y, const nvm_int *iy);

/* sums: the result is in device memory */
void nvsSum(nvm_int n, const float *a, float *r);
void nvsDot(nvm_int n, const float *a, const float *b, float *r);
void nvsMinMax(nvm_int n, const float *a, float *lo, float *hi);

#ifdef __cplusplus
}
#endif
#endif
