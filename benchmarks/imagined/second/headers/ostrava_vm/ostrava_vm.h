/*******************************************************************************
 *  OSTRAVA VM - vector mathematical functions and level 1/2/3 routines
 *  for the OS-2200 vector engine card
 *
 *  Naming:  v<type><Name>   element by element, n values
 *           <type>v<name>_  FORTRAN 77 callable, everything by reference
 *           s = single, d = double, c = single complex, z = double complex,
 *           i = 32-bit integer
 *
 *  Arrays live in the shared window of the card; allocate with vmwalloc().
 ******************************************************************************/
#ifndef _OSTRAVA_VM_H
#define _OSTRAVA_VM_H 1

#ifdef __cplusplus
extern "C" {
#endif

#ifdef OVM_ILP64
typedef long long OVM_INT;
#else
typedef int OVM_INT;
#endif

typedef struct { float  re, im; } OVM_Complex8;
typedef struct { double re, im; } OVM_Complex16;

#define VM_HA 0x1   /* high accuracy */
#define VM_LA 0x2
#define VM_EP 0x3

/* window memory */
int   vmopen(const char *card);
void  vmclose(void);
void *vmwalloc(unsigned long nbytes);
void  vmwfree(void *p);
void  vmwput(void *win, const void *host, unsigned long nbytes);
void  vmwget(void *host, const void *win, unsigned long nbytes);
void  vmwait(void);

/* mode and error status */
unsigned int vmSetMode(unsigned int mode);
unsigned int vmGetMode(void);
int  vmGetErrStatus(void);
int  vmClearErrStatus(void);
void vmGetVersionString(char *buf, int len);

/* r[i] = f(a[i]) */
#define OVM_UNARY(Name)                                                   \
  void vs##Name(const OVM_INT n, const float a[], float r[]);             \
  void vd##Name(const OVM_INT n, const double a[], double r[]);

OVM_UNARY(Abs)
OVM_UNARY(Inv)
OVM_UNARY(Sqrt)
OVM_UNARY(InvSqrt)
OVM_UNARY(Cbrt)
OVM_UNARY(Exp)
OVM_UNARY(Ln)
OVM_UNARY(Tanh)
OVM_UNARY(CdfNorm)
OVM_UNARY(Rint)
#undef OVM_UNARY

/* r[i] = f(a[i], b[i]) */
#define OVM_BINARY(Name)                                                       \
  void vs##Name(const OVM_INT n, const float a[], const float b[], float r[]); \
  void vd##Name(const OVM_INT n, const double a[], const double b[], double r[]);

OVM_BINARY(Add)
OVM_BINARY(Sub)
OVM_BINARY(Mul)
OVM_BINARY(Div)
OVM_BINARY(Pow)
OVM_BINARY(Atan2)
OVM_BINARY(Fmax)
OVM_BINARY(MaxMag)
#undef OVM_BINARY

void vsPowx(const OVM_INT n, const float a[], const float b, float r[]);
void vsSinCos(const OVM_INT n, const float a[], float r1[], float r2[]);
void vsModf(const OVM_INT n, const float a[], float r1[], float r2[]);
void vcMul(const OVM_INT n, const OVM_Complex8 a[], const OVM_Complex8 b[], OVM_Complex8 r[]);
void vcAbs(const OVM_INT n, const OVM_Complex8 a[], float r[]);
/* (scalea*a + shifta) / (scaleb*b + shiftb) */
void vsLinearFrac(const OVM_INT n, const float a[], const float b[], const float scalea, const float shifta, const float scaleb, const float shiftb, float r[]);
void vsPackI(const OVM_INT n, const float a[], const OVM_INT incra, float y[]);
void vsUnpackI(const OVM_INT n, const float a[], float y[], const OVM_INT incry);

/* FORTRAN 77 */
void  svfill_(const int *n, const float *val, float *x, const int *incx);
void  svscal_(const int *n, const float *fact, float *x, const int *incx);
void  svaxpy_(const int *n, const float *fact, const float *x, const int *incx, float *y, const int *incy);
void  svaxpby_(const int *n, const float *fact, const float *x, const int *incx, const float *fact2, float *y, const int *incy);
void  svcopy_(const int *n, const float *x, const int *incx, float *y, const int *incy);
void  svswap_(const int *n, float *x, const int *incx, float *y, const int *incy);
float svdot_(const int *n, const float *x, const int *incx, const float *y, const int *incy);
float svnrm2_(const int *n, const float *x, const int *incx);
float svasum_(const int *n, const float *x, const int *incx);
float svsum_(const int *n, const float *x, const int *incx);
int   isvamax_(const int *n, const float *x, const int *incx);
void  svrot_(const int *n, float *x, const int *incx, float *y, const int *incy, const float *c, const float *s);
void  sgemv_(const char *trans, const int *m, const int *n, const float *alpha, const float *a, const int *lda, const float *x, const int *incx, const float *beta, float *y, const int *incy);
void  sgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const float *alpha, const float *a, const int *lda, const float *b, const int *ldb, const float *beta, float *c, const int *ldc);
void  dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha, const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c, const int *ldc);
void  zgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const OVM_Complex16 *alpha, const OVM_Complex16 *a, const int *lda, const OVM_Complex16 *b, const int *ldb, const OVM_Complex16 *beta, OVM_Complex16 *c, const int *ldc);
void  xerbla_(const char *srname, const int *info, int len);

#ifdef __cplusplus
}
#endif
#endif
