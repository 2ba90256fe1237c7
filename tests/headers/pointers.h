/* Raw pointers in every order; strides; a plain int that chooses the op; names that only look plain. */
#include <stddef.h>
#include <stdint.h>
void pt_vadd(const float *A, long IA, const float *B, long IB, float *C, long IC, unsigned long N);
/** C[n] = A[n] - B[n]: note that B is the first argument. */
void pt_vsub(const float *B, long IB, const float *A, long IA, float *C, long IC, unsigned long N);
void pt_layernorm(float *out, const float *x, const float *gamma, const float *beta, float eps, int n, int d);
void pt_softmax(float *x, int n);
void pt_scale(float *x, float s, int n);
int pt_argmax(const float *x, int n);
float pt_dot(const float *a, const float *b, int n);
void pt_ew(int op, const float *a, const float *b, float *c, int n); /* op: 0=add, 1=sub, 2=mul */
void pt_conv2d_bias_relu(const float *x, const float *w, const float *b, float *y, int n);
void pt_where(const uint8_t *cond, const float *a, const float *b, float *out, int n);
void pt_max(const float *x, float *out, int n);
void pt_maximum(const float *a, const float *b, float *out, int n);
float pt_sasum(const float *x, int n, int incx);
void pt_transpose(const float *in, float *out, int rows, int cols);
void pt_uniform(float *out, int n, float lo, float hi, uint64_t seed);
void pt_add_q8(const int8_t *a, const int8_t *b, int8_t *c, float scale, int zero_point, int n);
void pt_caxpy(int n, const float _Complex *alpha, const float _Complex *x, int incx, float _Complex *y, int incy);
void *pt_malloc(size_t bytes);
void pt_free(void *p);
void pt_copy(void *dst, const void *src, size_t bytes);
