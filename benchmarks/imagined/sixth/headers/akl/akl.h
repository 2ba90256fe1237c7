// Copyright 2020-2025 Alder Silicon, Inc.
//
// This file is part of the Alder Kernel Library (AKL), float and quantized
// operators for Alder A7x vector cores. See LICENSE.txt.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AKL_MAX_TENSOR_DIMS 6
#define AKL_EXTRA_BYTES     16   /* all inputs must be readable that much past the end */

#define AKL_FLAG_NONE             0x0u
#define AKL_FLAG_TRANSPOSE_WEIGHT 0x1u   /* weights are [in, out] instead of [out, in] */
#define AKL_FLAG_SAME_PADDING     0x4u
#define AKL_FLAG_KEEP_DIMS        0x8u

enum akl_status {
  akl_status_success = 0,
  akl_status_uninitialized,
  akl_status_invalid_parameter,
  akl_status_invalid_state,
  akl_status_unsupported_parameter,
  akl_status_unsupported_hardware,
  akl_status_out_of_memory
};

enum akl_unary_op {
  akl_unary_negate,
  akl_unary_exp,
  akl_unary_log,
  akl_unary_square_root,
  akl_unary_reciprocal_square_root,
  akl_unary_tanh,
  akl_unary_sine,
  akl_unary_cosine,
  akl_unary_floor,
  akl_unary_ceiling,
  akl_unary_bankers_rounding,
  akl_unary_gelu
};

enum akl_reduce_op {
  akl_reduce_sum,
  akl_reduce_mean,
  akl_reduce_max,
  akl_reduce_min
};

struct akl_allocator {
  void* context;
  void* (*allocate)(void* context, size_t size);
  void (*deallocate)(void* context, void* pointer);
};

struct akl_conv2d_geometry {
  uint32_t pad_top, pad_right, pad_bottom, pad_left;
  uint32_t kernel_height, kernel_width;
  uint32_t stride_height, stride_width;
  uint32_t dilation_height, dilation_width;
};

typedef struct akl_operator* akl_operator_t;
typedef struct akl_workers* akl_workers_t;

/// Detects the core and fills the dispatch tables. Thread safe, may be called again.
enum akl_status akl_initialize(const struct akl_allocator* allocator);
enum akl_status akl_deinitialize(void);
const char* akl_status_to_string(enum akl_status status);

akl_workers_t akl_create_workers(size_t num_threads);
void akl_delete_workers(akl_workers_t workers);

/// Runs an operator which has been set up. Blocks. workers may be NULL (caller's thread).
enum akl_status akl_run_operator(akl_operator_t op, akl_workers_t workers);
enum akl_status akl_delete_operator(akl_operator_t op);

// -- binary elementwise, numpy broadcasting ---------------------------------

enum akl_status akl_create_add_f32(uint32_t flags, akl_operator_t* op_out);
enum akl_status akl_setup_add_f32(akl_operator_t op, size_t num_dims_a, const size_t* shape_a, size_t num_dims_b,
                                  const size_t* shape_b, const float* a, const float* b, float* output);

enum akl_status akl_create_subtract_f32(uint32_t flags, akl_operator_t* op_out);
enum akl_status akl_setup_subtract_f32(akl_operator_t op, size_t num_dims_a, const size_t* shape_a, size_t num_dims_b,
                                       const size_t* shape_b, const float* a, const float* b, float* output);

enum akl_status akl_create_multiply_f32(uint32_t flags, akl_operator_t* op_out);
enum akl_status akl_setup_multiply_f32(akl_operator_t op, size_t num_dims_a, const size_t* shape_a, size_t num_dims_b,
                                       const size_t* shape_b, const float* a, const float* b, float* output);

enum akl_status akl_create_divide_f32(uint32_t flags, akl_operator_t* op_out);
enum akl_status akl_setup_divide_f32(akl_operator_t op, size_t num_dims_a, const size_t* shape_a, size_t num_dims_b,
                                     const size_t* shape_b, const float* a, const float* b, float* output);

enum akl_status akl_create_maximum_f32(uint32_t flags, akl_operator_t* op_out);
enum akl_status akl_setup_maximum_f32(akl_operator_t op, size_t num_dims_a, const size_t* shape_a, size_t num_dims_b,
                                      const size_t* shape_b, const float* a, const float* b, float* output);

/// (a - b) * (a - b)
enum akl_status akl_create_squared_difference_f32(uint32_t flags, akl_operator_t* op_out);
enum akl_status akl_setup_squared_difference_f32(akl_operator_t op, size_t num_dims_a, const size_t* shape_a,
                                                 size_t num_dims_b, const size_t* shape_b, const float* a,
                                                 const float* b, float* output);

enum akl_status akl_create_add_qs8(int8_t a_zero_point, float a_scale, int8_t b_zero_point, float b_scale,
                                   int8_t output_zero_point, float output_scale, uint32_t flags,
                                   akl_operator_t* op_out);
enum akl_status akl_setup_add_qs8(akl_operator_t op, size_t num_dims_a, const size_t* shape_a, size_t num_dims_b,
                                  const size_t* shape_b, const int8_t* a, const int8_t* b, int8_t* output);

// -- unary. "nc": batch_size rows of channels elements, rows are x_stride elements apart --

enum akl_status akl_create_unary_f32(enum akl_unary_op type, uint32_t flags, akl_operator_t* op_out);
enum akl_status akl_setup_unary_f32(akl_operator_t op, size_t count, const float* input, float* output);

enum akl_status akl_create_abs_nc_f32(size_t channels, size_t input_stride, size_t output_stride, uint32_t flags,
                                      akl_operator_t* op_out);
enum akl_status akl_setup_abs_nc_f32(akl_operator_t op, size_t batch_size, const float* input, float* output);

enum akl_status akl_create_sigmoid_nc_f32(size_t channels, size_t input_stride, size_t output_stride, uint32_t flags,
                                          akl_operator_t* op_out);
enum akl_status akl_setup_sigmoid_nc_f32(akl_operator_t op, size_t batch_size, const float* input, float* output);

enum akl_status akl_create_clamp_nc_f32(size_t channels, size_t input_stride, size_t output_stride, float output_min,
                                        float output_max, uint32_t flags, akl_operator_t* op_out);
enum akl_status akl_setup_clamp_nc_f32(akl_operator_t op, size_t batch_size, const float* input, float* output);

enum akl_status akl_create_leaky_relu_nc_f32(size_t channels, size_t input_stride, size_t output_stride,
                                             float negative_slope, uint32_t flags, akl_operator_t* op_out);
enum akl_status akl_setup_leaky_relu_nc_f32(akl_operator_t op, size_t batch_size, const float* input, float* output);

enum akl_status akl_create_elu_nc_f32(size_t channels, size_t input_stride, size_t output_stride, float alpha,
                                      uint32_t flags, akl_operator_t* op_out);
enum akl_status akl_setup_elu_nc_f32(akl_operator_t op, size_t batch_size, const float* input, float* output);

enum akl_status akl_create_hardswish_nc_f32(size_t channels, size_t input_stride, size_t output_stride, uint32_t flags,
                                            akl_operator_t* op_out);
enum akl_status akl_setup_hardswish_nc_f32(akl_operator_t op, size_t batch_size, const float* input, float* output);

/// over the channels of every row
enum akl_status akl_create_softmax_nc_f32(size_t channels, size_t input_stride, size_t output_stride, uint32_t flags,
                                          akl_operator_t* op_out);
enum akl_status akl_setup_softmax_nc_f32(akl_operator_t op, size_t batch_size, const float* input, float* output);

enum akl_status akl_create_convert_nc_f16_f32(size_t channels, size_t input_stride, size_t output_stride,
                                              uint32_t flags, akl_operator_t* op_out);
enum akl_status akl_setup_convert_nc_f16_f32(akl_operator_t op, size_t batch_size, const void* input, float* output);

// -- convolution, linear ----------------------------------------------------

/// Weights are packed at creation: [groups * group_output_channels, kh, kw, group_input_channels].
enum akl_status akl_create_convolution2d_nhwc_f32(const struct akl_conv2d_geometry* geometry, uint32_t groups,
                                                  size_t group_input_channels, size_t group_output_channels,
                                                  const float* kernel, const float* bias, uint32_t flags,
                                                  akl_operator_t* op_out);
enum akl_status akl_setup_convolution2d_nhwc_f32(akl_operator_t op, size_t batch_size, size_t input_height,
                                                 size_t input_width, const float* input, float* output);

enum akl_status akl_create_convolution2d_nhwc_qs8(const struct akl_conv2d_geometry* geometry, uint32_t groups,
                                                  size_t group_input_channels, size_t group_output_channels,
                                                  int8_t input_zero_point, float input_scale,
                                                  const float* kernel_scales, const int8_t* kernel,
                                                  const int32_t* bias, int8_t output_zero_point, float output_scale,
                                                  uint32_t flags, akl_operator_t* op_out);
enum akl_status akl_setup_convolution2d_nhwc_qs8(akl_operator_t op, size_t batch_size, size_t input_height,
                                                 size_t input_width, const int8_t* input, int8_t* output);

enum akl_status akl_create_fully_connected_nc_f32(size_t input_channels, size_t output_channels, size_t input_stride,
                                                  size_t output_stride, const float* kernel, const float* bias,
                                                  uint32_t flags, akl_operator_t* op_out);
enum akl_status akl_setup_fully_connected_nc_f32(akl_operator_t op, size_t batch_size, const float* input,
                                                 float* output);

/// c[i] = a[i] * b[i], both operands are activations
enum akl_status akl_create_batch_matrix_multiply_f32(uint32_t flags, akl_operator_t* op_out);
enum akl_status akl_setup_batch_matrix_multiply_f32(akl_operator_t op, size_t batch_size, size_t m, size_t k, size_t n,
                                                    const float* a, const float* b, float* c);

/// softmax(q * k^T / sqrt(head_dim) + mask) * v, mask may be NULL
enum akl_status akl_create_scaled_dot_attention_nhtc_f32(uint32_t flags, akl_operator_t* op_out);
enum akl_status akl_setup_scaled_dot_attention_nhtc_f32(akl_operator_t op, size_t batch_size, size_t heads,
                                                        size_t query_tokens, size_t kv_tokens, size_t head_dim,
                                                        const float* query, const float* key, const float* value,
                                                        const float* mask, float* output);

// -- pooling, resampling ----------------------------------------------------

enum akl_status akl_create_max_pooling2d_nhwc_f32(uint32_t pad_top, uint32_t pad_right, uint32_t pad_bottom,
                                                  uint32_t pad_left, uint32_t pooling_height, uint32_t pooling_width,
                                                  uint32_t stride_height, uint32_t stride_width, size_t channels,
                                                  uint32_t flags, akl_operator_t* op_out);
enum akl_status akl_setup_max_pooling2d_nhwc_f32(akl_operator_t op, size_t batch_size, size_t input_height,
                                                 size_t input_width, const float* input, float* output);

enum akl_status akl_create_average_pooling2d_nhwc_f32(uint32_t pad_top, uint32_t pad_right, uint32_t pad_bottom,
                                                      uint32_t pad_left, uint32_t pooling_height,
                                                      uint32_t pooling_width, uint32_t stride_height,
                                                      uint32_t stride_width, size_t channels, uint32_t flags,
                                                      akl_operator_t* op_out);
enum akl_status akl_setup_average_pooling2d_nhwc_f32(akl_operator_t op, size_t batch_size, size_t input_height,
                                                     size_t input_width, const float* input, float* output);

/// average of width consecutive rows, i.e. of all pixels when width = height * width of the image
enum akl_status akl_create_global_average_pooling_nwc_f32(size_t channels, uint32_t flags, akl_operator_t* op_out);
enum akl_status akl_setup_global_average_pooling_nwc_f32(akl_operator_t op, size_t batch_size, size_t width,
                                                         const float* input, float* output);

enum akl_status akl_create_resize_bilinear2d_nhwc_f32(size_t channels, uint32_t flags, akl_operator_t* op_out);
enum akl_status akl_setup_resize_bilinear2d_nhwc_f32(akl_operator_t op, size_t batch_size, size_t input_height,
                                                     size_t input_width, size_t output_height, size_t output_width,
                                                     const float* input, float* output);

// -- norm, reduction, movement ----------------------------------------------

enum akl_status akl_create_layer_norm_nc_f32(size_t channels, const float* gamma, const float* beta, float epsilon,
                                             uint32_t flags, akl_operator_t* op_out);
enum akl_status akl_setup_layer_norm_nc_f32(akl_operator_t op, size_t batch_size, const float* input, float* output);

enum akl_status akl_create_reduce_f32(enum akl_reduce_op type, uint32_t flags, akl_operator_t* op_out);
enum akl_status akl_setup_reduce_f32(akl_operator_t op, size_t num_axes, const size_t* axes, size_t num_dims,
                                     const size_t* shape, const float* input, float* output);

/// perm like numpy.transpose
enum akl_status akl_create_transpose_nd_x32(uint32_t flags, akl_operator_t* op_out);
enum akl_status akl_setup_transpose_nd_x32(akl_operator_t op, size_t num_dims, const size_t* shape, const size_t* perm,
                                           const void* input, void* output);

/// Looks up rows of a table. Index out of range is undefined.
enum akl_status akl_create_embedding_lookup_x32(size_t num_rows, size_t row_size, const void* table, uint32_t flags,
                                                akl_operator_t* op_out);
enum akl_status akl_setup_embedding_lookup_x32(akl_operator_t op, size_t num_ids, const int32_t* ids, void* output);

enum akl_status akl_create_depth_to_space_nhwc_x32(uint32_t block_size, size_t channels, uint32_t flags,
                                                   akl_operator_t* op_out);
enum akl_status akl_setup_depth_to_space_nhwc_x32(akl_operator_t op, size_t batch_size, size_t input_height,
                                                  size_t input_width, const void* input, void* output);

#ifdef __cplusplus
}  // extern "C"
#endif
