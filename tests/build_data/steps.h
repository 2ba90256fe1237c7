/* A library on the host's memory: steps behind every pointer, pointers that a name hides, counts by their address. */
#ifndef ST_STEPS_H
#define ST_STEPS_H

typedef long st_Stride;
typedef unsigned long st_Length;
typedef void *st_handle;

/*  C[n] = A[n] + B[n]  */
extern void st_vadd(const float *__A, st_Stride __IA, const float *__B, st_Stride __IB, float *__C, st_Stride __IC, st_Length __N);
/*  C[n] = A[n] - B[n]; mind the order.  */
extern void st_vsub(const float *__B, st_Stride __IB, const float *__A, st_Stride __IA, float *__C, st_Stride __IC, st_Length __N);
/*  C[n] = |A[n]|  */
extern void st_vabs(const float *__A, st_Stride __IA, float *__C, st_Stride __IC, st_Length __N);
extern void st_sqrt(float *__C, const float *__A, const int *__N);

void st_relu_f32(st_handle out_ptr, const st_handle in_ptr, const int in_size, const st_handle params);
void st_exp_f32(st_handle out_ptr, const st_handle in_ptr, const int in_size, const st_handle params);

#endif
