/*
 * An imagined vendor's header.
 *
 * fennec_nn.h
 * Neural network kernels for FM4 cores with the FVX vector unit
 *
 * $Date:      14 March 2023
 * $Revision:  V2.1.3
 *
 * Activations are NHWC. All functions run to completion on the calling core.
 */
#ifndef FENNEC_NN_H
#define FENNEC_NN_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    FNN_SUCCESS = 0,
    FNN_ARG_ERROR = -1,
    FNN_NO_IMPL_ERROR = -2
} fnn_status;

typedef struct { int32_t n, h, w, c; } fnn_dims;
typedef struct { int32_t w, h; } fnn_tile;
typedef struct { int32_t min, max; } fnn_act_range;
typedef struct { float min, max; } fnn_act_range_f32;
typedef struct { void *buf; int32_t size; } fnn_context;
typedef struct { int32_t *multiplier; int32_t *shift; } fnn_per_channel_quant_params;
typedef struct { int32_t multiplier, shift; } fnn_per_tensor_quant_params;

typedef struct {
    int32_t input_offset, output_offset;
    fnn_tile stride, padding, dilation;
    fnn_act_range activation;
} fnn_conv_params;

typedef struct {
    fnn_tile stride, padding, dilation;
    fnn_act_range_f32 activation;
} fnn_conv_params_f32;

typedef struct {
    fnn_tile stride, padding;
    fnn_act_range activation;
} fnn_pool_params;

typedef struct {
    int32_t input_offset, filter_offset, output_offset;
    fnn_act_range activation;
} fnn_fc_params;

/* ------------------------------------------------------------------ */
/* quantised: int8 data with offsets, multipliers and shifts            */
/* ------------------------------------------------------------------ */
int32_t fnn_convolve_wrapper_s8_get_buffer_size(const fnn_conv_params *conv_params, const fnn_dims *input_dims, const fnn_dims *filter_dims, const fnn_dims *output_dims);
fnn_status fnn_convolve_wrapper_s8(const fnn_context *ctx, const fnn_conv_params *conv_params, const fnn_per_channel_quant_params *quant_params, const fnn_dims *input_dims, const int8_t *input_data, const fnn_dims *filter_dims, const int8_t *filter_data, const fnn_dims *bias_dims, const int32_t *bias_data, const fnn_dims *output_dims, int8_t *output_data);
fnn_status fnn_depthwise_conv_s8(const fnn_context *ctx, const fnn_conv_params *conv_params, int32_t ch_mult, const fnn_per_channel_quant_params *quant_params, const fnn_dims *input_dims, const int8_t *input_data, const fnn_dims *filter_dims, const int8_t *filter_data, const int32_t *bias_data, const fnn_dims *output_dims, int8_t *output_data);
fnn_status fnn_fully_connected_s8(const fnn_context *ctx, const fnn_fc_params *fc_params, const fnn_per_tensor_quant_params *quant_params, const fnn_dims *input_dims, const int8_t *input_data, const fnn_dims *filter_dims, const int8_t *filter_data, const int32_t *bias_data, const fnn_dims *output_dims, int8_t *output_data);
fnn_status fnn_elementwise_add_s8(const int8_t *input_1_vect, const int8_t *input_2_vect, int32_t input_1_offset, int32_t input_1_mult, int32_t input_1_shift, int32_t input_2_offset, int32_t input_2_mult, int32_t input_2_shift, int32_t left_shift, int8_t *output, int32_t out_offset, int32_t out_mult, int32_t out_shift, int32_t block_size);
fnn_status fnn_elementwise_mul_s8(const int8_t *input_1_vect, const int8_t *input_2_vect, int32_t input_1_offset, int32_t input_2_offset, int8_t *output, int32_t out_offset, int32_t out_mult, int32_t out_shift, int32_t block_size);
void fnn_softmax_s8(const int8_t *input, int32_t num_rows, int32_t row_size, int32_t mult, int32_t shift, int32_t diff_min, int8_t *output);
void fnn_requantize_s32_s8(const int32_t *src, int8_t *dst, int32_t mult, int32_t shift, int32_t offset, int32_t size);
fnn_status fnn_svdf_s8(const fnn_context *input_ctx, const int8_t *input_data, int8_t *state_data, const int8_t *weights_feature_data, const int8_t *weights_time_data, const int32_t *bias_data, int8_t *output_data, int32_t rank, int32_t units);

/* element type only */
fnn_status fnn_max_pool_s8(const fnn_context *ctx, const fnn_pool_params *pool_params, const fnn_dims *input_dims, const int8_t *src, const fnn_dims *filter_dims, const fnn_dims *output_dims, int8_t *dst);
fnn_status fnn_avgpool_s8(const fnn_context *ctx, const fnn_pool_params *pool_params, const fnn_dims *input_dims, const int8_t *src, const fnn_dims *filter_dims, const fnn_dims *output_dims, int8_t *dst);
int32_t fnn_avgpool_s8_get_buffer_size(int32_t dim_dst_width, int32_t ch_src);
void fnn_relu_q7(int8_t *data, uint16_t size);
void fnn_relu6_s8(int8_t *data, uint16_t size);
void fnn_relu_q15(int16_t *data, uint16_t size);
void fnn_activations_direct_q15(int16_t *data, uint16_t size, uint16_t int_width, int type);
void fnn_reshape_s8(const int8_t *input, int8_t *output, uint32_t total_size);
void fnn_concatenation_s8_x(const int8_t *input, uint16_t input_x, uint16_t input_y, uint16_t input_z, uint16_t input_w, int8_t *output, uint16_t output_x, uint32_t offset_x);

/* ------------------------------------------------------------------ */
/* floating point (cores with FVX-F only)                               */
/* ------------------------------------------------------------------ */
/**
 * @brief        2D convolution, clamped to the activation range
 * @param[in]    p           stride, padding, dilation and range
 * @param[in]    in_dims     N H W C_IN
 * @param[in]    in          input
 * @param[in]    f_dims      C_OUT HK WK C_IN
 * @param[in]    filt        filter
 * @param[in]    bias        C_OUT values or NULL
 * @param[out]   out         output
 */
fnn_status fnn_conv2d_f32(const fnn_conv_params_f32 *p, const fnn_dims *in_dims, const float *in, const fnn_dims *f_dims, const float *filt, const float *bias, const fnn_dims *out_dims, float *out);
fnn_status fnn_dwconv2d_f32(const fnn_conv_params_f32 *p, const fnn_dims *in_dims, const float *in, const fnn_dims *f_dims, const float *filt, const float *bias, const fnn_dims *out_dims, float *out);
fnn_status fnn_dense_f32(const float *in, const float *weights, const float *bias, float *out, int32_t rows, int32_t in_len, int32_t out_len);
fnn_status fnn_maxpool2d_f32(const float *in, float *out, int32_t h, int32_t w, int32_t c, int32_t kh, int32_t kw, int32_t sh, int32_t sw, int32_t pt, int32_t pl);
fnn_status fnn_global_avgpool_f32(const float *in, float *out, int32_t h, int32_t w, int32_t c);
void fnn_relu_f32(float *data, uint32_t size);
void fnn_leaky_relu_f32(const float *in, float slope, float *out, uint32_t size);
void fnn_sigmoid_f32(const float *in, float *out, uint32_t size);
void fnn_hswish_f32(const float *in, float *out, uint32_t size);
void fnn_softmax_f32(const float *in, float *out, int32_t rows, int32_t cols);
fnn_status fnn_batchnorm_f32(const float *in, float *out, const float *mul, const float *add, int32_t pixels, int32_t c);
void fnn_add_f32(const float *a, const float *b, float *out, uint32_t size);
void fnn_add_relu_f32(const float *a, const float *b, float *out, uint32_t size);
void fnn_upsample2x_nearest_f32(const float *in, float *out, int32_t h, int32_t w, int32_t c);

/* support */
uint32_t fnn_read_cycle_counter(void);
const char *fnn_version(void);
bool fnn_has_fvx_f(void);

#ifdef __cplusplus
}
#endif
#endif
