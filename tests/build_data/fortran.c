#include "fortran.h"

#include <math.h>

#define AXPY(name, T)                                                                                     \
  void name(const int *n, const T *alpha, const T *x, const int *incx, T *y, const int *incy) {           \
    for (int i = 0; i < *n; ++i) y[i * *incy] += *alpha * x[i * *incx];                                   \
  }
#define NRM2(name, T)                                   \
  T name(const int *n, const T *x, const int *incx) {   \
    T sum = 0;                                          \
    for (int i = 0; i < *n; ++i) sum += x[i * *incx] * x[i * *incx]; \
    return (T)sqrt((double)sum);                        \
  }
AXPY(saxpy_, float)
AXPY(daxpy_, double)
NRM2(snrm2_, float)
NRM2(dnrm2_, double)
