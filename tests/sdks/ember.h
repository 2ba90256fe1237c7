/* Ember: an invented library for processors. Operators are created, given shapes and pointers, and run. */
#ifndef EMBER_H
#define EMBER_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

enum em_status {
  em_status_success = 0,
  em_status_uninitialized = 1,
  em_status_invalid_parameter = 2,
  em_status_unsupported_parameter = 3,
  em_status_out_of_memory = 4
};
typedef struct em_operator *em_operator_t;
typedef struct em_threadpool *em_threadpool_t;

enum em_status em_initialize(void);
enum em_status em_deinitialize(void);
enum em_status em_run_operator(em_operator_t op, em_threadpool_t threadpool);
enum em_status em_delete_operator(em_operator_t op);

enum em_status em_create_abs_nc_f32(size_t channels, size_t input_stride, size_t output_stride, uint32_t flags,
                                    em_operator_t *abs_op_out);
enum em_status em_setup_abs_nc_f32(em_operator_t abs_op, size_t batch_size, const float *input, float *output,
                                   em_threadpool_t threadpool);
enum em_status em_create_floor_nc_f32(size_t channels, size_t input_stride, size_t output_stride, uint32_t flags,
                                      em_operator_t *floor_op_out);
enum em_status em_setup_floor_nc_f32(em_operator_t floor_op, size_t batch_size, const float *input, float *output,
                                     em_threadpool_t threadpool);
enum em_status em_create_leaky_relu_nc_f32(size_t channels, size_t input_stride, size_t output_stride,
                                           float negative_slope, uint32_t flags, em_operator_t *leaky_relu_op_out);
enum em_status em_setup_leaky_relu_nc_f32(em_operator_t leaky_relu_op, size_t batch_size, const float *input,
                                          float *output, em_threadpool_t threadpool);
enum em_status em_create_tanh_nc_f32(size_t channels, size_t input_stride, size_t output_stride, uint32_t flags,
                                        em_operator_t *tanh_op_out);
enum em_status em_setup_tanh_nc_f32(em_operator_t tanh_op, size_t batch_size, const float *input, float *output,
                                       em_threadpool_t threadpool);

/* In three steps: shapes first, then pointers. */
enum em_status em_create_sigmoid_nc_f32(uint32_t flags, em_operator_t *sigmoid_op_out);
enum em_status em_reshape_sigmoid_nc_f32(em_operator_t sigmoid_op, size_t batch_size, size_t channels,
                                         size_t input_stride, size_t output_stride, em_threadpool_t threadpool);
enum em_status em_setup_sigmoid_nc_f32(em_operator_t sigmoid_op, const float *input, float *output);

enum em_status em_create_multiply_nd_f32(float output_min, float output_max, uint32_t flags,
                                         em_operator_t *multiply_op_out);
enum em_status em_setup_multiply_nd_f32(em_operator_t multiply_op, size_t num_input1_dims, const size_t *input1_shape,
                                        size_t num_input2_dims, const size_t *input2_shape, const float *input1,
                                        const float *input2, float *output, em_threadpool_t threadpool);
enum em_status em_create_subtract_nd_f32(float output_min, float output_max, uint32_t flags,
                                         em_operator_t *subtract_op_out);
enum em_status em_setup_subtract_nd_f32(em_operator_t subtract_op, size_t num_input1_dims, const size_t *input1_shape,
                                        size_t num_input2_dims, const size_t *input2_shape, const float *input1,
                                        const float *input2, float *output, em_threadpool_t threadpool);

/* The kernel and the bias, which may be null, are read when the operator is run. */
enum em_status em_create_convolution2d_nchw_f32(
    uint32_t input_padding_top, uint32_t input_padding_right, uint32_t input_padding_bottom,
    uint32_t input_padding_left, uint32_t kernel_height, uint32_t kernel_width, uint32_t subsampling_height,
    uint32_t subsampling_width, uint32_t dilation_height, uint32_t dilation_width, uint32_t groups,
    size_t group_input_channels, size_t group_output_channels, const float *kernel, const float *bias,
    float output_min, float output_max, uint32_t flags, em_operator_t *convolution_op_out);
enum em_status em_setup_convolution2d_nchw_f32(em_operator_t convolution_op, size_t batch_size, size_t input_height,
                                               size_t input_width, const float *input, float *output,
                                               em_threadpool_t threadpool);

/* Images have their channels innermost; the padded border counts. */
enum em_status em_create_average_pooling2d_nhwc_f32(
    uint32_t input_padding_top, uint32_t input_padding_right, uint32_t input_padding_bottom,
    uint32_t input_padding_left, uint32_t pooling_height, uint32_t pooling_width, uint32_t stride_height,
    uint32_t stride_width, size_t channels, size_t input_pixel_stride, size_t output_pixel_stride, float output_min,
    float output_max, uint32_t flags, em_operator_t *average_pooling_op_out);
enum em_status em_setup_average_pooling2d_nhwc_f32(em_operator_t average_pooling_op, size_t batch_size,
                                                   size_t input_height, size_t input_width, const float *input,
                                                   float *output, em_threadpool_t threadpool);

#ifdef __cplusplus
}
#endif
#endif
