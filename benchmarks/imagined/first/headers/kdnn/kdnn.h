/******************************************************************************
 * An imagined vendor's header.
 *
 * kd_nnlib - low level neural network kernels for the KD8 / KD8-F vector DSP
 ******************************************************************************/
#ifndef __KDNN_H__
#define __KDNN_H__

#include <stdint.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int8_t   WORD8;
typedef uint8_t  UWORD8;
typedef int16_t  WORD16;
typedef int32_t  WORD32;
typedef uint32_t UWORD32;
typedef int64_t  WORD64;
typedef float    FLOAT32;
typedef void    *pVOID;

/* every kernel gives 0, or -1 for a bad argument */
#define KDNN_OK        0
#define KDNN_ERR_ARGS -1

typedef enum {
  kd_nn_fmt_nhwc = 0,
  kd_nn_fmt_nchw = 1
} kd_nn_fmt_t;

const char *kd_nnlib_get_lib_name_string(void);
const char *kd_nnlib_get_lib_version_string(void);
const char *kd_nnlib_get_lib_api_version_string(void);

/* ---- matrix X vector --------------------------------------------------- */

/* p_out[rows] = p_mat1[rows][cols1] * p_vec1[cols1] + p_mat2[rows][cols2] * p_vec2[cols2] + p_bias[rows] */
WORD32 kd_nn_matXvec_f32xf32_f32(
    FLOAT32 * __restrict__ p_out,
    const FLOAT32 * __restrict__ p_mat1,
    const FLOAT32 * __restrict__ p_mat2,
    const FLOAT32 * __restrict__ p_vec1,
    const FLOAT32 * __restrict__ p_vec2,
    const FLOAT32 * __restrict__ p_bias,
    WORD32 rows,
    WORD32 cols1,
    WORD32 cols2,
    WORD32 row_stride1,
    WORD32 row_stride2);

WORD32 kd_nn_matXvec_16x16_16(
    WORD16 * __restrict__ p_out,
    const WORD16 * __restrict__ p_mat1,
    const WORD16 * __restrict__ p_mat2,
    const WORD16 * __restrict__ p_vec1,
    const WORD16 * __restrict__ p_vec2,
    const WORD16 * __restrict__ p_bias,
    WORD32 rows, WORD32 cols1, WORD32 cols2,
    WORD32 row_stride1, WORD32 row_stride2,
    WORD32 acc_shift, WORD32 bias_shift);

WORD32 kd_nn_matXvec_8x8_8(
    WORD8 * __restrict__ p_out,
    const WORD8 * __restrict__ p_mat1,
    const WORD8 * __restrict__ p_mat2,
    const WORD8 * __restrict__ p_vec1,
    const WORD8 * __restrict__ p_vec2,
    const WORD8 * __restrict__ p_bias,
    WORD32 rows, WORD32 cols1, WORD32 cols2,
    WORD32 row_stride1, WORD32 row_stride2,
    WORD32 acc_shift, WORD32 bias_shift);

WORD32 kd_nn_matXvec_sym8sxasym8s_asym8s(
    WORD8 * __restrict__ p_out,
    const WORD8 * __restrict__ p_mat1,
    const WORD8 * __restrict__ p_vec1,
    const WORD32 * __restrict__ p_bias,
    WORD32 rows, WORD32 cols1, WORD32 row_stride1,
    WORD32 vec1_zero_bias,
    WORD32 out_multiplier, WORD32 out_shift, WORD32 out_zero_bias);

/* p_out[vec_count][rows] = p_vec1[vec_count][cols1] * transpose(p_mat1[rows][cols1]) + p_bias */
WORD32 kd_nn_matmul_f32xf32_f32(
    FLOAT32 * __restrict__ p_out,
    const FLOAT32 * __restrict__ p_mat1,
    const FLOAT32 * __restrict__ p_vec1,
    const FLOAT32 * __restrict__ p_bias,
    WORD32 rows,
    WORD32 cols1,
    WORD32 row_stride1,
    WORD32 vec_count,
    WORD32 vec_offset,
    WORD32 out_offset,
    WORD32 out_stride);

/* one frame through a dense layer: weight is [out_depth][weight_depth], bias may be NULL */
WORD32 kd_nn_fully_connected_f32(
    FLOAT32 * __restrict__ p_out,
    const FLOAT32 * __restrict__ p_weight,
    const FLOAT32 * __restrict__ p_inp,
    const FLOAT32 * __restrict__ p_bias,
    WORD32 weight_depth,
    WORD32 out_depth);

WORD32 kd_nn_fully_connected_sym8sxasym8s_asym8s(
    WORD8 * __restrict__ p_out,
    const WORD8 * __restrict__ p_weight,
    const WORD8 * __restrict__ p_inp,
    const WORD32 * __restrict__ p_bias,
    WORD32 weight_depth, WORD32 out_depth,
    WORD32 input_zero_bias,
    WORD32 out_multiplier, WORD32 out_shift, WORD32 out_zero_bias);

/* ---- activations ------------------------------------------------------- */

WORD32 kd_nn_vec_sigmoid_f32_f32(FLOAT32 * __restrict__ p_out, const FLOAT32 * __restrict__ p_vec, WORD32 vec_length);
WORD32 kd_nn_vec_tanh_f32_f32(FLOAT32 * __restrict__ p_out, const FLOAT32 * __restrict__ p_vec, WORD32 vec_length);
/* min(max(x, 0), threshold) */
WORD32 kd_nn_vec_relu_f32_f32(FLOAT32 * __restrict__ p_out, const FLOAT32 * __restrict__ p_vec, FLOAT32 threshold, WORD32 vec_length);
WORD32 kd_nn_vec_relu_std_f32_f32(FLOAT32 * __restrict__ p_out, const FLOAT32 * __restrict__ p_vec, WORD32 vec_length);
WORD32 kd_nn_vec_relu1_f32_f32(FLOAT32 * __restrict__ p_out, const FLOAT32 * __restrict__ p_vec, WORD32 vec_length);
WORD32 kd_nn_vec_relu6_f32_f32(FLOAT32 * __restrict__ p_out, const FLOAT32 * __restrict__ p_vec, WORD32 vec_length);
WORD32 kd_nn_vec_softmax_f32_f32(FLOAT32 * __restrict__ p_out, const FLOAT32 * __restrict__ p_vec, WORD32 vec_length);
WORD32 kd_nn_vec_activation_min_max_f32_f32(FLOAT32 * __restrict__ p_out, const FLOAT32 * __restrict__ p_vec,
                                            FLOAT32 activation_min, FLOAT32 activation_max, WORD32 vec_length);
WORD32 kd_nn_vec_leaky_relu_f32_f32(FLOAT32 * __restrict__ p_out, const FLOAT32 * __restrict__ p_vec, FLOAT32 alpha, WORD32 vec_length);
WORD32 kd_nn_vec_hard_swish_f32_f32(FLOAT32 * __restrict__ p_out, const FLOAT32 * __restrict__ p_vec, WORD32 vec_length);

WORD32 kd_nn_vec_sigmoid_32_16(WORD16 * __restrict__ p_out, const WORD32 * __restrict__ p_vec, WORD32 vec_length);
WORD32 kd_nn_vec_tanh_32_16(WORD16 * __restrict__ p_out, const WORD32 * __restrict__ p_vec, WORD32 vec_length);
WORD32 kd_nn_vec_sigmoid_asym8s_asym8s(WORD8 * __restrict__ p_out, const WORD8 * __restrict__ p_vec, WORD32 zero_point,
                                       WORD32 input_range_radius, WORD32 input_multiplier, WORD32 input_left_shift,
                                       WORD32 vec_length);
WORD32 kd_nn_vec_softmax_asym8s_16(WORD16 * __restrict__ p_out, const WORD8 * __restrict__ p_vec, WORD32 diffmin,
                                   WORD32 input_beta_left_shift, WORD32 input_beta_multiplier, WORD32 vec_length,
                                   pVOID p_scratch);
int get_softmax_scratch_size(int inp_precision, int out_precision, int length);

/* ---- elementwise ------------------------------------------------------- */

WORD32 kd_nn_elm_add_f32xf32_f32(FLOAT32 * __restrict__ p_out, const FLOAT32 * __restrict__ p_inp1, const FLOAT32 * __restrict__ p_inp2, WORD32 num_elm);
WORD32 kd_nn_elm_sub_f32xf32_f32(FLOAT32 * __restrict__ p_out, const FLOAT32 * __restrict__ p_inp1, const FLOAT32 * __restrict__ p_inp2, WORD32 num_elm);
WORD32 kd_nn_elm_mul_f32xf32_f32(FLOAT32 * __restrict__ p_out, const FLOAT32 * __restrict__ p_inp1, const FLOAT32 * __restrict__ p_inp2, WORD32 num_elm);
WORD32 kd_nn_elm_div_f32xf32_f32(FLOAT32 * __restrict__ p_out, const FLOAT32 * __restrict__ p_inp1, const FLOAT32 * __restrict__ p_inp2, WORD32 num_elm);
WORD32 kd_nn_elm_min_f32xf32_f32(FLOAT32 * __restrict__ p_out, const FLOAT32 * __restrict__ p_inp1, const FLOAT32 * __restrict__ p_inp2, WORD32 num_elm);
WORD32 kd_nn_elm_max_f32xf32_f32(FLOAT32 * __restrict__ p_out, const FLOAT32 * __restrict__ p_inp1, const FLOAT32 * __restrict__ p_inp2, WORD32 num_elm);
/* out += inp1 * inp2 */
WORD32 kd_nn_elm_mul_acc_f32xf32_f32(FLOAT32 * __restrict__ p_out, const FLOAT32 * __restrict__ p_inp1, const FLOAT32 * __restrict__ p_inp2, WORD32 num_elm);
WORD32 kd_nn_elm_sine_f32_f32(FLOAT32 * __restrict__ p_out, const FLOAT32 * __restrict__ p_inp, WORD32 num_elm);
WORD32 kd_nn_elm_cosine_f32_f32(FLOAT32 * __restrict__ p_out, const FLOAT32 * __restrict__ p_inp, WORD32 num_elm);
WORD32 kd_nn_elm_logn_f32_f32(FLOAT32 * __restrict__ p_out, const FLOAT32 * __restrict__ p_inp, WORD32 num_elm);
WORD32 kd_nn_elm_abs_f32_f32(FLOAT32 * __restrict__ p_out, const FLOAT32 * __restrict__ p_inp, WORD32 num_elm);
WORD32 kd_nn_elm_floor_f32_f32(FLOAT32 * __restrict__ p_out, const FLOAT32 * __restrict__ p_inp, WORD32 num_elm);
WORD32 kd_nn_elm_ceil_f32_f32(FLOAT32 * __restrict__ p_out, const FLOAT32 * __restrict__ p_inp, WORD32 num_elm);
WORD32 kd_nn_elm_round_f32_f32(FLOAT32 * __restrict__ p_out, const FLOAT32 * __restrict__ p_inp, WORD32 num_elm);
WORD32 kd_nn_elm_neg_f32_f32(FLOAT32 * __restrict__ p_out, const FLOAT32 * __restrict__ p_inp, WORD32 num_elm);
WORD32 kd_nn_elm_square_f32_f32(FLOAT32 * __restrict__ p_out, const FLOAT32 * __restrict__ p_inp, WORD32 num_elm);
WORD32 kd_nn_elm_sqrt_f32_f32(FLOAT32 * __restrict__ p_out, const FLOAT32 * __restrict__ p_inp, WORD32 num_elm);
WORD32 kd_nn_elm_rsqrt_f32_f32(FLOAT32 * __restrict__ p_out, const FLOAT32 * __restrict__ p_inp, WORD32 num_elm);

/* results are one byte each, 0 or 1 */
WORD32 kd_nn_elm_greater_lesser_equal_f32xf32_f32(WORD8 * __restrict__ p_out, const FLOAT32 * __restrict__ p_inp1,
                                                  const FLOAT32 * __restrict__ p_inp2, WORD32 kernel_type, WORD32 num_elm);
WORD32 kd_nn_elm_logicaland_boolxbool_bool(WORD8 * __restrict__ p_out, const WORD8 * __restrict__ p_inp1, const WORD8 * __restrict__ p_inp2, WORD32 num_elm);
WORD32 kd_nn_elm_logicalor_boolxbool_bool(WORD8 * __restrict__ p_out, const WORD8 * __restrict__ p_inp1, const WORD8 * __restrict__ p_inp2, WORD32 num_elm);
WORD32 kd_nn_elm_logicalnot_bool_bool(WORD8 * __restrict__ p_out, const WORD8 * __restrict__ p_inp, WORD32 num_elm);

WORD32 kd_nn_elm_add_asym8sxasym8s_asym8s(WORD8 * __restrict__ p_out, WORD32 out_zero_bias, WORD32 out_left_shift,
    WORD32 out_multiplier, WORD32 out_activation_min, WORD32 out_activation_max,
    const WORD8 * __restrict__ p_inp1, WORD32 inp1_zero_bias, WORD32 inp1_left_shift, WORD32 inp1_multiplier,
    const WORD8 * __restrict__ p_inp2, WORD32 inp2_zero_bias, WORD32 inp2_left_shift, WORD32 inp2_multiplier,
    WORD32 left_shift, WORD32 num_elm);
WORD32 kd_nn_elm_mul_asym8sxasym8s_asym8s(WORD8 * __restrict__ p_out, WORD32 out_zero_bias, WORD32 out_shift,
    WORD32 out_multiplier, WORD32 out_activation_min, WORD32 out_activation_max,
    const WORD8 * __restrict__ p_inp1, WORD32 inp1_zero_bias,
    const WORD8 * __restrict__ p_inp2, WORD32 inp2_zero_bias, WORD32 num_elm);
WORD32 kd_nn_elm_quantize_f32_asym8s(WORD8 * __restrict__ p_out, const FLOAT32 * __restrict__ p_inp, FLOAT32 out_scale, WORD32 out_zero_bias, WORD32 num_elm);
WORD32 kd_nn_elm_dequantize_asym8s_f32(FLOAT32 * __restrict__ p_out, const WORD8 * __restrict__ p_inp, WORD32 inp_zero_bias, FLOAT32 inp_scale, WORD32 num_elm);

/* ---- convolution and pooling ------------------------------------------- */

WORD32 kd_nn_conv2d_std_getsize(WORD32 input_height, WORD32 input_channels, WORD32 kernel_height, WORD32 kernel_width,
                                WORD32 y_stride, WORD32 y_padding, WORD32 out_height, WORD32 output_precision);

/* kernel: [out_channels][kernel_height][kernel_width][input_channels]; input is NHWC with one batch */
WORD32 kd_nn_conv2d_std_f32(
    FLOAT32 * __restrict__ p_out,
    const FLOAT32 * __restrict__ p_inp,
    const FLOAT32 * __restrict__ p_kernel,
    const FLOAT32 * __restrict__ p_bias,
    WORD32 input_height,
    WORD32 input_width,
    WORD32 input_channels,
    WORD32 kernel_height,
    WORD32 kernel_width,
    WORD32 out_channels,
    WORD32 x_stride,
    WORD32 y_stride,
    WORD32 x_padding,
    WORD32 y_padding,
    WORD32 out_height,
    WORD32 out_width,
    WORD32 out_data_format,
    pVOID p_scratch);

WORD32 kd_nn_conv2d_depthwise_f32(
    FLOAT32 * __restrict__ p_out,
    const FLOAT32 * __restrict__ p_kernel,
    const FLOAT32 * __restrict__ p_inp,
    const FLOAT32 * __restrict__ p_bias,
    WORD32 input_height,
    WORD32 input_width,
    WORD32 input_channels,
    WORD32 kernel_height,
    WORD32 kernel_width,
    WORD32 channels_multiplier,
    WORD32 x_stride,
    WORD32 y_stride,
    WORD32 x_padding,
    WORD32 y_padding,
    WORD32 out_height,
    WORD32 out_width,
    WORD32 inp_data_format,
    WORD32 out_data_format,
    pVOID p_scratch);

WORD32 kd_nn_avgpool_getsize(WORD32 input_channels, WORD32 inp_precision, WORD32 out_precision, WORD32 input_height,
    WORD32 input_width, WORD32 kernel_height, WORD32 kernel_width, WORD32 x_stride, WORD32 y_stride, WORD32 x_padding,
    WORD32 y_padding, WORD32 out_height, WORD32 out_width, WORD32 inp_data_format, WORD32 out_data_format);

WORD32 kd_nn_avgpool_f32(
    FLOAT32 * __restrict__ p_out,
    const FLOAT32 * __restrict__ p_inp,
    WORD32 input_height, WORD32 input_width, WORD32 input_channels,
    WORD32 kernel_height, WORD32 kernel_width,
    WORD32 x_stride, WORD32 y_stride, WORD32 x_padding, WORD32 y_padding,
    WORD32 out_height, WORD32 out_width,
    WORD32 inp_data_format, WORD32 out_data_format,
    pVOID p_scratch);

WORD32 kd_nn_maxpool_f32(
    FLOAT32 * __restrict__ p_out,
    const FLOAT32 * __restrict__ p_inp,
    WORD32 input_height, WORD32 input_width, WORD32 input_channels,
    WORD32 kernel_height, WORD32 kernel_width,
    WORD32 x_stride, WORD32 y_stride, WORD32 x_padding, WORD32 y_padding,
    WORD32 out_height, WORD32 out_width,
    WORD32 inp_data_format, WORD32 out_data_format,
    pVOID p_scratch);

/* ---- basic ------------------------------------------------------------- */

WORD32 kd_nn_dot_prod_f32xf32_f32(FLOAT32 * __restrict__ p_out, const FLOAT32 * __restrict__ p_inp1, const FLOAT32 * __restrict__ p_inp2, WORD32 vec_length, WORD32 num_vecs);
WORD32 kd_nn_reduce_max_4D_f32_f32(FLOAT32 * __restrict__ p_out, const WORD32 *const p_out_shape, const FLOAT32 * __restrict__ p_inp,
                                   const WORD32 *const p_inp_shape, const WORD32 * __restrict__ p_axis,
                                   WORD32 num_out_dims, WORD32 num_inp_dims, WORD32 num_axis_dims, pVOID p_scratch_in);
WORD32 kd_nn_reduce_mean_4D_f32_f32(FLOAT32 * __restrict__ p_out, const WORD32 *const p_out_shape, const FLOAT32 * __restrict__ p_inp,
                                    const WORD32 *const p_inp_shape, const WORD32 * __restrict__ p_axis,
                                    WORD32 num_out_dims, WORD32 num_inp_dims, WORD32 num_axis_dims, pVOID p_scratch_in);
WORD32 kd_nn_transpose_32_32(WORD32 * __restrict__ p_out, const WORD32 *const p_out_shape, const WORD32 * __restrict__ p_inp,
                             const WORD32 *const p_inp_shape, const WORD32 * __restrict__ p_permute_vec,
                             WORD32 num_out_dims, WORD32 num_inp_dims);
WORD32 kd_nn_memset_f32(FLOAT32 * __restrict__ p_out, FLOAT32 val, WORD32 num_elm);
WORD32 kd_nn_memmove_16(void *pdst, const void *psrc, WORD32 n);
WORD32 kd_nn_resize_bilinear_8_8(pVOID p_out, const void *p_inp, WORD32 input_batch, WORD32 input_height, WORD32 input_width,
    WORD32 input_channels, WORD32 out_batch, WORD32 out_height, WORD32 out_width, WORD32 out_channels,
    FLOAT32 height_scale, FLOAT32 width_scale, FLOAT32 height_shift, FLOAT32 width_shift);

#ifdef __cplusplus
}
#endif
#endif /* __KDNN_H__ */
