#include "steps.h"

#include <math.h>

void st_vadd(const float *a, st_Stride ia, const float *b, st_Stride ib, float *c, st_Stride ic, st_Length n) {
  for (st_Length i = 0; i < n; ++i) c[(long)i * ic] = a[(long)i * ia] + b[(long)i * ib];
}

void st_vsub(const float *b, st_Stride ib, const float *a, st_Stride ia, float *c, st_Stride ic, st_Length n) {
  for (st_Length i = 0; i < n; ++i) c[(long)i * ic] = a[(long)i * ia] - b[(long)i * ib];
}

void st_vabs(const float *a, st_Stride ia, float *c, st_Stride ic, st_Length n) {
  for (st_Length i = 0; i < n; ++i) c[(long)i * ic] = fabsf(a[(long)i * ia]);
}

void st_sqrt(float *c, const float *a, const int *n) {
  for (int i = 0; i < *n; ++i) c[i] = sqrtf(a[i]);
}

void st_relu_f32(st_handle out, const st_handle in, const int size, const st_handle params) {
  for (int i = 0; i < size; ++i) ((float *)out)[i] = ((float *)in)[i] < 0 || params ? 0 : ((float *)in)[i];
}

void st_exp_f32(st_handle out, const st_handle in, const int size, const st_handle params) {
  for (int i = 0; i < size; ++i) ((float *)out)[i] = params ? NAN : (float)exp(((float *)in)[i]);
}
