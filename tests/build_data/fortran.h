/* A BLAS as Fortran compilers make it: everything by address. */
#ifdef __cplusplus
extern "C" {
#endif
void saxpy_(const int *n, const float *alpha, const float *x, const int *incx, float *y, const int *incy);
void daxpy_(const int *n, const double *alpha, const double *x, const int *incx, double *y, const int *incy);
float snrm2_(const int *n, const float *x, const int *incx);
double dnrm2_(const int *n, const double *x, const int *incx);
#ifdef __cplusplus
}
#endif
