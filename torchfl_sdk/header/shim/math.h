/* Read by libclang where no compiler's own headers are; declares only what vendor headers use in signatures. */
#ifndef TORCHFL_SHIM_MATH_H
#define TORCHFL_SHIM_MATH_H

#ifdef __cplusplus
extern "C" {
#endif

double sqrt(double x);
double exp(double x);
double log(double x);
double fabs(double x);
float sqrtf(float x);
float fabsf(float x);
#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))
#define M_PI 3.14159265358979323846

#ifdef __cplusplus
}
#endif

#endif
