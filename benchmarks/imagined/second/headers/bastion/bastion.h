#ifndef BASTION_KERNELS_H
#define BASTION_KERNELS_H
/* Bastion BT1 host kernels, generated from kernels.toml by tools/gen_api.py
 * DO NOT EDIT */

#include "bst_common.h" /* in the SDK's driver package: bst_handle_t, bst_status_t, gaddr_t, dtype_t */
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

#ifndef BST_COMMON_H
typedef struct bst_context *bst_handle_t;
typedef int bst_status_t;
typedef unsigned long long gaddr_t;
typedef int dtype_t;
#endif

typedef struct {
  int pad_h_t, pad_h_b, pad_w_l, pad_w_r;
  int stride_h, stride_w;
  int dh, dw;
} bst_conv_geom_t;

typedef enum { BST_ACTIVE_TANH = 0, BST_ACTIVE_SIGMOID = 1, BST_ACTIVE_RELU = 2, BST_ACTIVE_EXP = 3, BST_ACTIVE_ELU = 4, BST_ACTIVE_SQRT = 5, BST_ACTIVE_ABS = 7 } bst_active_type_t;

/* driver */
bst_status_t bst_dev_request(bst_handle_t *handle, int devid);
void bst_dev_free(bst_handle_t handle);
bst_status_t bst_get_device_num(int *count);
bst_status_t bst_malloc_device_byte(bst_handle_t handle, gaddr_t *paddr, unsigned int size);
void bst_free_device(bst_handle_t handle, gaddr_t addr);
bst_status_t bst_memcpy_s2d(bst_handle_t handle, gaddr_t dst, void *src, unsigned int size);
bst_status_t bst_memcpy_d2s(bst_handle_t handle, void *dst, gaddr_t src, unsigned int size);
bst_status_t bst_memcpy_d2d_byte(bst_handle_t handle, gaddr_t dst, unsigned int dst_offset, gaddr_t src, unsigned int src_offset, unsigned int size);
bst_status_t bst_memset_device(bst_handle_t handle, int value, gaddr_t mem, unsigned int size);
bst_status_t bst_thread_sync(bst_handle_t handle);
void bst_trace_enable(bst_handle_t handle);

/* layers, NCHW, f32 unless dtype is given */
bst_status_t bstk_conv_forward(bst_handle_t handle, gaddr_t bottom, gaddr_t weight, gaddr_t bias, gaddr_t top, int input_n, int input_c, int input_h, int input_w, int groups, int output_c, int kh, int kw, int dh, int dw, int pad_h, int pad_w, int stride_h, int stride_w, int using_bias, int if_relu);
bst_status_t bstk_conv_forward_geom(bst_handle_t handle, gaddr_t bottom, gaddr_t weight, gaddr_t bias, gaddr_t top, const int ishape[4], int output_c, const int kernel[2], int groups, const bst_conv_geom_t *geom, dtype_t dtype);
bst_status_t bstk_conv_fix8b(bst_handle_t handle, gaddr_t bottom, gaddr_t weight, gaddr_t bias, gaddr_t top, const int ishape[4], int output_c, const int kernel[2], int groups, const bst_conv_geom_t *geom, int rshift, int opd0_sign, int res_sign);
bst_status_t bstk_pooling_forward(bst_handle_t handle, gaddr_t bottom, gaddr_t top, int n, int c, int h, int w, int kh, int kw, int pad_h, int pad_w, int stride_h, int stride_w, int is_avg_pooling, int avg_pooling_mode, int if_relu);
bst_status_t bstk_fc_forward(bst_handle_t handle, gaddr_t L, gaddr_t R, gaddr_t bias, gaddr_t Y, int L_row_num, int L_col_num, int R_col_num, int transpose, int have_bias);
bst_status_t bstk_batchnorm_forward_inference(bst_handle_t handle, gaddr_t bottom, gaddr_t mean, gaddr_t variance, float scale, float eps, gaddr_t top, int n, int c, int h, int w);
bst_status_t bstk_scale_forward(bst_handle_t handle, gaddr_t bottom, gaddr_t scale, gaddr_t bias, gaddr_t top, int n, int c, int h, int w, int have_bias);
bst_status_t bstk_lrn_forward(bst_handle_t handle, gaddr_t bottom, gaddr_t top, int n, int c, int h, int w, float alpha, int size, float beta, float k);
bst_status_t bstk_softmax_forward(bst_handle_t handle, gaddr_t bottom, gaddr_t top, int outer, int axis_len, int inner, int log);
bst_status_t bstk_lstm_forward(bst_handle_t handle, gaddr_t x, gaddr_t h0, gaddr_t c0, gaddr_t y, gaddr_t weight, gaddr_t scratch, int seq, int batch, int in_size, int hidden, int bidirectional);

/* pointwise; a_is_coeff: the operand is one value per channel */
bst_status_t bstk_active_forward(bst_handle_t handle, gaddr_t in_global_addr, gaddr_t out_global_addr, const int *shape, int dims, bst_active_type_t active_type, dtype_t dtype);
bst_status_t bstk_relu_forward(bst_handle_t handle, gaddr_t bottom, float negative_slope, gaddr_t top, int n, int c, int h, int w, float upper_limit);
bst_status_t bstk_prelu_forward(bst_handle_t handle, gaddr_t bottom, gaddr_t slope, gaddr_t top, int channel_shared, int n, int c, int h, int w);
bst_status_t bstk_eltwise_add(bst_handle_t handle, gaddr_t in0, gaddr_t in1, gaddr_t out, unsigned long long length);
bst_status_t bstk_eltwise_max(bst_handle_t handle, gaddr_t in0, gaddr_t in1, gaddr_t out, unsigned long long length);
bst_status_t bstk_eltwise_blend(bst_handle_t handle, gaddr_t in0, gaddr_t in1, gaddr_t out, unsigned long long length, float coeff0, float coeff1);
bst_status_t bstk_const_fill(bst_handle_t handle, gaddr_t out_global_addr, const int *shape, int dims, const void *value, dtype_t dtype);
bst_status_t bstk_cast(bst_handle_t handle, gaddr_t in_global_addr, gaddr_t out_global_addr, unsigned long long length, dtype_t src_dtype, dtype_t dst_dtype);
bst_status_t bstk_clip(bst_handle_t handle, gaddr_t in_global_addr, gaddr_t out_global_addr, const int *shape, int dims, float min, float max, dtype_t dtype);
bst_status_t bstk_select(bst_handle_t handle, gaddr_t cond_global_addr, gaddr_t s0_global_addr, gaddr_t s1_global_addr, gaddr_t out_global_addr, const int *shape, int dims, dtype_t dtype);
bst_status_t bstk_mask_fill(bst_handle_t handle, gaddr_t in_global_addr, gaddr_t mask_global_addr, gaddr_t out_global_addr, const int *shape, int dims, float value, dtype_t dtype);

/* shapes and indices */
bst_status_t bstk_permute(bst_handle_t handle, gaddr_t in_global_addr, gaddr_t out_global_addr, const int *shape, int dims, const int *order, dtype_t dtype);
bst_status_t bstk_concat(bst_handle_t handle, const gaddr_t *in_global_addrs, gaddr_t out_global_addr, const int *const *in_shapes, int in_num, int dims, int axis, dtype_t dtype);
bst_status_t bstk_arg(bst_handle_t handle, gaddr_t in_global_addr, gaddr_t idx_global_addr, gaddr_t val_global_addr, const int *shape, int dims, int axis, int method, dtype_t dtype);
bst_status_t bstk_topk(bst_handle_t handle, gaddr_t in_global_addr, gaddr_t val_global_addr, gaddr_t idx_global_addr, gaddr_t buf_global_addr, int k, int descending, int batch, int batch_len);
bst_status_t bstk_index_select(bst_handle_t handle, gaddr_t in_global_addr, gaddr_t idx_global_addr, gaddr_t out_global_addr, const int *shape, int dims, int axis, int idx_num, dtype_t dtype);
bst_status_t bstk_cumsum(bst_handle_t handle, gaddr_t in_global_addr, gaddr_t out_global_addr, const int *shape, int dims, int axis, dtype_t dtype);
bst_status_t bstk_reduce_mean(bst_handle_t handle, gaddr_t in_global_addr, gaddr_t out_global_addr, gaddr_t buf_global_addr, const int *shape, int dims, const int *axis_list, int axis_num, dtype_t dtype);
bst_status_t bstk_upsample_nearest(bst_handle_t handle, gaddr_t bottom, gaddr_t top, int n, int c, int h, int w, int size);
bst_status_t bstk_interp_bilinear(bst_handle_t handle, gaddr_t bottom, gaddr_t top, int n, int c, int ih, int iw, int oh, int ow, int align_corners, int half_pixel_centers);
bst_status_t bstk_batch_matmul(bst_handle_t handle, gaddr_t L, gaddr_t R, gaddr_t Y, int batch_num, int L_row_num, int L_col_num, int R_col_num, int L_trans, int R_trans, dtype_t dtype);

/* images and boxes */
bst_status_t bstk_nms(bst_handle_t handle, gaddr_t boxes, gaddr_t out, int num, float threshold, int *kept);
bst_status_t bstk_roi_align(bst_handle_t handle, gaddr_t bottom, gaddr_t rois, gaddr_t top, int n, int c, int h, int w, int roi_num, int ph, int pw, float spatial_scale, int sampling_ratio);
bst_status_t bstk_yuv2rgb(bst_handle_t handle, gaddr_t yuv, gaddr_t rgb, int w, int h, int csc);
bst_status_t bstk_requant_i32_i8(bst_handle_t handle, gaddr_t in_global_addr, gaddr_t out_global_addr, unsigned long long length, int multiplier, int rshift, int zero_point);
bst_status_t bstk_sha256(bst_handle_t handle, gaddr_t msg, unsigned int bytes, unsigned char digest[32]);

#if defined(__cplusplus)
}
#endif
#endif
