// An imagined vendor's header.
//
// An imagined vendor's header.
// An imagined vendor's header.
//
// Ember: operators for the EX matrix extension. An operator is created with its
// static data, reshaped when its input's size changes, set up with pointers,
// and run on a thread pool. Deleted with em_delete_operator.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pthreadpool* pthreadpool_t;

/// The number of bytes that may be read beyond the end of any array.
#define EM_EXTRA_BYTES 16

#define EM_FLAG_DEPTHWISE_CONVOLUTION 0x00000001
#define EM_FLAG_TRANSPOSE_WEIGHTS     0x00000001
#define EM_FLAG_TENSORFLOW_SAME_PADDING 0x00000004

enum em_status {
  em_status_success = 0,
  em_status_uninitialized = 1,
  em_status_invalid_parameter = 2,
  em_status_invalid_state = 3,
  em_status_unsupported_parameter = 4,
  em_status_unsupported_hardware = 5,
  em_status_out_of_memory = 6,
};

struct em_allocator {
  void* context;
  void* (*allocate)(void* context, size_t size);
  void (*deallocate)(void* context, void* pointer);
};

typedef struct em_operator* em_operator_t;
typedef struct em_weights_cache* em_weights_cache_t;

enum em_status em_initialize(const struct em_allocator* allocator);
enum em_status em_deinitialize(void);
enum em_status em_create_weights_cache(em_weights_cache_t* weights_cache_out, size_t size);
enum em_status em_delete_weights_cache(em_weights_cache_t weights_cache);

enum em_status em_run_operator(em_operator_t op, pthreadpool_t threadpool);
enum em_status em_delete_operator(em_operator_t op);
enum em_status em_get_operator_info(em_operator_t op, char* text, size_t capacity);

// ---- convolution --------------------------------------------------------------

enum em_status em_create_convolution2d_nhwc_f32(
    uint32_t input_padding_top, uint32_t input_padding_right, uint32_t input_padding_bottom, uint32_t input_padding_left,
    uint32_t kernel_height, uint32_t kernel_width,
    uint32_t subsampling_height, uint32_t subsampling_width,
    uint32_t dilation_height, uint32_t dilation_width,
    uint32_t groups, size_t group_input_channels, size_t group_output_channels,
    size_t input_channel_stride, size_t output_channel_stride,
    const float* kernel, const float* bias,
    float output_min, float output_max,
    uint32_t flags, em_weights_cache_t weights_cache, em_operator_t* convolution_op_out);

enum em_status em_reshape_convolution2d_nhwc_f32(
    em_operator_t convolution_op, size_t batch_size, size_t input_height, size_t input_width,
    size_t* workspace_size, size_t* workspace_alignment,
    size_t* output_height_out, size_t* output_width_out, pthreadpool_t threadpool);

enum em_status em_setup_convolution2d_nhwc_f32(em_operator_t convolution_op, void* workspace, const float* input, float* output);

enum em_status em_create_convolution2d_nhwc_qs8(
    uint32_t input_padding_top, uint32_t input_padding_right, uint32_t input_padding_bottom, uint32_t input_padding_left,
    uint32_t kernel_height, uint32_t kernel_width,
    uint32_t subsampling_height, uint32_t subsampling_width,
    uint32_t groups, size_t group_input_channels, size_t group_output_channels,
    int8_t input_zero_point, float input_scale, float kernel_scale,
    const int8_t* kernel, const int32_t* bias,
    int8_t output_zero_point, float output_scale, int8_t output_min, int8_t output_max,
    uint32_t flags, em_weights_cache_t weights_cache, em_operator_t* convolution_op_out);

enum em_status em_setup_convolution2d_nhwc_qs8(em_operator_t convolution_op, void* workspace, const int8_t* input, int8_t* output);

// ---- fully connected, batched matrix product -------------------------------------

enum em_status em_create_fully_connected_nc_f32(
    size_t input_channels, size_t output_channels, size_t input_stride, size_t output_stride,
    const float* kernel, const float* bias, float output_min, float output_max,
    uint32_t flags, em_weights_cache_t weights_cache, em_operator_t* fully_connected_op_out);
enum em_status em_reshape_fully_connected_nc_f32(em_operator_t fully_connected_op, size_t batch_size, pthreadpool_t threadpool);
enum em_status em_setup_fully_connected_nc_f32(em_operator_t fully_connected_op, const float* input, float* output);

enum em_status em_create_batch_matrix_multiply_nc_f32(uint32_t flags, em_operator_t* batch_matrix_multiply_op_out);
enum em_status em_reshape_batch_matrix_multiply_nc_f32(em_operator_t batch_matrix_multiply_op, size_t batch_size, size_t m, size_t k, size_t n, size_t* workspace_size, pthreadpool_t threadpool);
enum em_status em_setup_batch_matrix_multiply_nc_f32(em_operator_t batch_matrix_multiply_op, void* workspace, const float* lhs_input, const float* rhs_input, float* output);

// ---- pooling -----------------------------------------------------------------------

enum em_status em_create_max_pooling2d_nhwc_f16(
    uint32_t input_padding_top, uint32_t input_padding_right, uint32_t input_padding_bottom, uint32_t input_padding_left,
    uint32_t pooling_height, uint32_t pooling_width, uint32_t stride_height, uint32_t stride_width,
    uint32_t dilation_height, uint32_t dilation_width,
    float output_min, float output_max, uint32_t flags, em_operator_t* max_pooling_op_out);
enum em_status em_reshape_max_pooling2d_nhwc_f16(em_operator_t max_pooling_op, size_t batch_size, size_t input_height, size_t input_width, size_t channels, size_t input_pixel_stride, size_t output_pixel_stride, size_t* output_height_out, size_t* output_width_out, pthreadpool_t threadpool);
enum em_status em_setup_max_pooling2d_nhwc_f16(em_operator_t max_pooling_op, const void* input, void* output);

// ---- element by element ---------------------------------------------------------------

enum em_status em_create_hardswish_nc_f32(uint32_t flags, em_operator_t* hardswish_op_out);
enum em_status em_reshape_hardswish_nc_f32(em_operator_t hardswish_op, size_t batch_size, size_t channels, size_t input_stride, size_t output_stride, pthreadpool_t threadpool);
enum em_status em_setup_hardswish_nc_f32(em_operator_t hardswish_op, const float* input, float* output);

enum em_status em_create_leaky_relu_nc_f32(float negative_slope, uint32_t flags, em_operator_t* leaky_relu_op_out);
enum em_status em_setup_leaky_relu_nc_f32(em_operator_t leaky_relu_op, const float* input, float* output);

enum em_status em_create_convert_nc_f32_qd8(uint32_t flags, em_operator_t* convert_op_out);
enum em_status em_setup_convert_nc_f32_qd8(em_operator_t convert_op, const float* input, int8_t* output, float* scales);

enum em_status em_create_softmax_nc_f32(uint32_t flags, em_operator_t* softmax_op_out);
enum em_status em_setup_softmax_nc_f32(em_operator_t softmax_op, const float* input, float* output);

enum em_status em_create_transpose_nd_x32(uint32_t flags, em_operator_t* transpose_op_out);
enum em_status em_reshape_transpose_nd_x32(em_operator_t transpose_op, size_t num_dims, const size_t* shape, const size_t* perm, pthreadpool_t threadpool);
enum em_status em_setup_transpose_nd_x32(em_operator_t transpose_op, const void* input, void* output);

// ---- without an operator object ------------------------------------------------------------

enum em_status em_run_subtract_nd_f32(
    size_t num_input1_dims, const size_t* input1_shape,
    size_t num_input2_dims, const size_t* input2_shape,
    const float* input1, const float* input2, float* output,
    float output_min, float output_max, uint32_t flags, pthreadpool_t threadpool);
enum em_status em_run_multiply_nd_s32(
    size_t num_input1_dims, const size_t* input1_shape,
    size_t num_input2_dims, const size_t* input2_shape,
    const int32_t* input1, const int32_t* input2, int32_t* output,
    uint32_t flags, pthreadpool_t threadpool);
enum em_status em_run_multiply_nd_qs8(
    size_t num_input1_dims, const size_t* input1_shape, int8_t input1_zero_point, float input1_scale,
    size_t num_input2_dims, const size_t* input2_shape, int8_t input2_zero_point, float input2_scale,
    const int8_t* input1, const int8_t* input2, int8_t* output,
    int8_t output_zero_point, float output_scale, uint32_t flags, pthreadpool_t threadpool);
enum em_status em_run_square_root_nc_f32(size_t channels, size_t input_stride, size_t output_stride, size_t batch_size, const float* input, float* output, uint32_t flags, pthreadpool_t threadpool);
enum em_status em_run_constant_fill_nc_x32(size_t channels, size_t output_stride, size_t batch_size, uint32_t value, void* output, uint32_t flags, pthreadpool_t threadpool);

#ifdef __cplusplus
}  // extern "C"
#endif
