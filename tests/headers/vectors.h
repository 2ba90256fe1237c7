/* Vector libraries in several manners: steps, fixed point, objects, structs, pointers to functions. */
#ifndef VECTORS_H
#define VECTORS_H
#include <stddef.h>
#include <stdint.h>

typedef long vk_stride;
typedef unsigned long vk_length;

/* for (n = 0; n < N; ++n) C[n] = A[n] - B[n]; */
void vk_vsub(const float *__B, vk_stride __IB, const float *__A, vk_stride __IA, float *__C, vk_stride __IC, vk_length __N);
void vk_vsmul(const float *__A, vk_stride __IA, const float *__B, float *__C, vk_stride __IC, vk_length __N);
void vk_vclip(const float *__A, vk_stride __IA, const float *__B, const float *__C, float *__D, vk_stride __ID, vk_length __N);
void vk_vflt32(const int *__A, vk_stride __IA, float *__C, vk_stride __IC, vk_length __N);
void vk_vsort(float *__C, vk_length __N);
void vk_vsaddsq(const float *__A, vk_stride __IA, float *__C, vk_length __N);

typedef struct { void *buf; int32_t size; } mc_context;
typedef struct { int32_t n, h, w, c; } mc_dims;
typedef struct { int32_t stride_w, stride_h, pad_w, pad_h; } mc_params;
int mc_conv_1x1_s8_zx9(const mc_context *ctx, const mc_params *params, const mc_dims *input_dims, const int8_t *input,
                       const mc_dims *filter_dims, const int8_t *filter, const mc_dims *output_dims, int8_t *output);
void mc_relu_q7_zx9(int8_t *data, uint16_t size);
int mc_add_s8_zx9(const int8_t *input_1_vect, const int8_t *input_2_vect, int8_t *output, int32_t block_size);
int mc_conv_1x1_s8_get_buffer_size_zx9(const mc_dims *input_dims);

void gl_vecadd_sp(const float *x1, const float *x2, float *y, int n);
void gl_expsp_v(float *a, float *output, int size);
int gl_addc_float(float *dst, float *src, const float cst, unsigned count);
int gl_elm_mul_f32xf32_f32(float *p_out, const float *p_inp1, const float *p_inp2, int num_elm);
void gl_sigmoid_qp2_thing(const float *in, float *out, int n);
void gl_sigmoid_spectrum_thing(const float *in, float *out, int n);
void gl_add_conj_thing(const float *a, const float *b, float *out, int n);
void gl_copy_odd_thing(const float *in, float *out, int n);
void gl_swi_glu(const float *in, float *out, int n);
int gl_avgpool_f32(float *p_out, const float *p_inp, int input_height, int input_width, int input_channels,
                   int kernel_height, int kernel_width, int x_stride, int y_stride, int x_padding, int y_padding,
                   int out_height, int out_width, void *p_scratch);

/* of matrices, not of their elements */
void gl_matrixf_mul(float *x, int xr, int xc, float *y, int yr, int yc, float *z, int zr, int zc);
void gl_matrixf_inv(float *x, int r, int c);
void gl_matrixf_div(float *x, float *y, float *z, int r, int c);
int gl_polyf_mul(float *a, int na, float *b, int nb, float *c);
void gl_matrixf_mul_elements(const float *x, const float *y, float *z, int n);

typedef void *oh_array;
int oh_add(oh_array *out, const oh_array lhs, const oh_array rhs);
int oh_exp(oh_array *out, const oh_array in);
int oh_product(oh_array *out, const oh_array in, const int dim);

typedef struct { size_t size; size_t stride; float *data; int owner; } vg_vec;
typedef struct { size_t size1; size_t size2; size_t tda; float *data; int owner; } vg_mat;
typedef enum { VgNoTrans = 111, VgTrans = 112 } VG_TRANSPOSE;
int vg_blas_sgemm(VG_TRANSPOSE TransA, VG_TRANSPOSE TransB, float alpha, const vg_mat *A, const vg_mat *B, float beta,
                  vg_mat *C);
int vg_blas_sdot(const vg_vec *X, const vg_vec *Y, float *result);
int vg_blas_saxpy(float alpha, const vg_vec *X, vg_vec *Y);
int vg_vec_add(vg_vec *a, const vg_vec *b);

typedef void (*pf_binary)(float *out, const float *a, const float *b, unsigned count);
extern pf_binary pf_add_f32;
extern pf_binary pf_mul_f32;
typedef struct pf_table {
  void (*exp)(float *out, const float *in, size_t n);
  void (*relu)(float *out, const float *in, size_t n);
  void (*sqrt)(float *out, const float *in, size_t n);
} pf_table;
const pf_table *pf_get_table(void);

#endif
