/* An imagined vendor's header.
 *
 * lyra.h - build a graph of operands, compile it for a Lyra NPU, dispatch it.
 *
 *   LyraBuilder b   = lyra_builder_new(device);
 *   LyraOperand x   = lyra_builder_input(b, "x", &desc);
 *   LyraOperand y   = lyra_builder_relu(b, x);
 *   LyraGraph g     = lyra_builder_build(b, &y, 1, &err);
 *
 * Every lyra_builder_* that returns an operand returns LYRA_NO_OPERAND on
 * failure; the reason is in lyra_builder_error().
 */
#ifndef LYRA_H
#define LYRA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lyra_device_t*  LyraDevice;
typedef struct lyra_builder_t* LyraBuilder;
typedef struct lyra_graph_t*   LyraGraph;
typedef struct lyra_tensor_t*  LyraTensor;
typedef uint32_t               LyraOperand;

#define LYRA_NO_OPERAND ((LyraOperand)0)

typedef enum { LYRA_FLOAT32, LYRA_FLOAT16, LYRA_INT32, LYRA_UINT8, LYRA_INT8, LYRA_INT4 } LyraDataType;
typedef enum { LYRA_LAYOUT_NCHW, LYRA_LAYOUT_NHWC } LyraInputLayout;
typedef enum { LYRA_NEAREST, LYRA_LINEAR } LyraInterpolation;
typedef enum { LYRA_PAD_CONSTANT, LYRA_PAD_EDGE, LYRA_PAD_REFLECTION } LyraPaddingMode;

typedef struct {
  LyraDataType data_type;
  uint32_t     rank;
  const uint32_t* shape;
} LyraOperandDesc;

typedef struct {
  uint32_t padding[4];   /* top, bottom, left, right */
  uint32_t strides[2];
  uint32_t dilations[2];
  uint32_t groups;
  LyraInputLayout input_layout;
  LyraOperand bias;      /* or LYRA_NO_OPERAND */
} LyraConv2dOptions;

typedef struct {
  uint32_t window[2];
  uint32_t padding[4];
  uint32_t strides[2];
  uint32_t dilations[2];
  LyraInputLayout layout;
  bool round_up;
} LyraPool2dOptions;

typedef struct {
  LyraOperand scale, bias;
  const uint32_t* axes;
  uint32_t num_axes;
  float epsilon;
} LyraNormOptions;

typedef struct {
  LyraOperand c;
  float alpha, beta;
  bool a_transpose, b_transpose;
} LyraGemmOptions;

typedef struct { const uint32_t* axes; uint32_t num_axes; bool keep_dimensions; } LyraReduceOptions;

/* device */
uint32_t    lyra_device_enumerate(LyraDevice* out, uint32_t max);
LyraDevice  lyra_device_open(uint32_t index);
void        lyra_device_close(LyraDevice device);
const char* lyra_device_driver_version(LyraDevice device);
bool        lyra_device_supports(LyraDevice device, const char* op, LyraDataType type);

/* tensors of the device */
LyraTensor lyra_tensor_create(LyraDevice device, const LyraOperandDesc* desc, bool readable, bool writable);
void       lyra_tensor_destroy(LyraTensor tensor);
bool       lyra_tensor_write(LyraTensor tensor, const void* src, size_t bytes);
bool       lyra_tensor_read(LyraTensor tensor, void* dst, size_t bytes);

/* graph */
LyraBuilder lyra_builder_new(LyraDevice device);
void        lyra_builder_free(LyraBuilder builder);
const char* lyra_builder_error(LyraBuilder builder);
LyraOperand lyra_builder_input(LyraBuilder builder, const char* name, const LyraOperandDesc* desc);
LyraOperand lyra_builder_constant(LyraBuilder builder, const LyraOperandDesc* desc, const void* data, size_t bytes);
LyraGraph   lyra_builder_build(LyraBuilder builder, const char* const* names, const LyraOperand* outputs, uint32_t count);
bool        lyra_graph_dispatch(LyraGraph graph, const char* const* names, const LyraTensor* tensors, uint32_t count);
bool        lyra_graph_save(LyraGraph graph, const char* path);
LyraGraph   lyra_graph_load(LyraDevice device, const char* path);
void        lyra_graph_free(LyraGraph graph);

/* binary, with broadcast */
LyraOperand lyra_builder_add(LyraBuilder builder, LyraOperand a, LyraOperand b);
LyraOperand lyra_builder_sub(LyraBuilder builder, LyraOperand a, LyraOperand b);
LyraOperand lyra_builder_mul(LyraBuilder builder, LyraOperand a, LyraOperand b);
LyraOperand lyra_builder_div(LyraBuilder builder, LyraOperand a, LyraOperand b);
LyraOperand lyra_builder_pow(LyraBuilder builder, LyraOperand a, LyraOperand b);
LyraOperand lyra_builder_equal(LyraBuilder builder, LyraOperand a, LyraOperand b);
LyraOperand lyra_builder_lesser(LyraBuilder builder, LyraOperand a, LyraOperand b);

/* unary */
LyraOperand lyra_builder_ceil(LyraBuilder builder, LyraOperand x);
LyraOperand lyra_builder_cos(LyraBuilder builder, LyraOperand x);
LyraOperand lyra_builder_erf(LyraBuilder builder, LyraOperand x);
LyraOperand lyra_builder_identity(LyraBuilder builder, LyraOperand x);
LyraOperand lyra_builder_relu(LyraBuilder builder, LyraOperand x);
LyraOperand lyra_builder_hard_swish(LyraBuilder builder, LyraOperand x);
LyraOperand lyra_builder_leaky_relu(LyraBuilder builder, LyraOperand x, float alpha);
LyraOperand lyra_builder_clamp(LyraBuilder builder, LyraOperand x, float min_value, float max_value);
/* alpha * x + beta */
LyraOperand lyra_builder_linear(LyraBuilder builder, LyraOperand x, float alpha, float beta);
LyraOperand lyra_builder_cast(LyraBuilder builder, LyraOperand x, LyraDataType type);
LyraOperand lyra_builder_dequantize_linear(LyraBuilder builder, LyraOperand x, LyraOperand scale, LyraOperand zero_point);
LyraOperand lyra_builder_quantize_linear(LyraBuilder builder, LyraOperand x, LyraOperand scale, LyraOperand zero_point);

/* nn */
LyraOperand lyra_builder_conv2d(LyraBuilder builder, LyraOperand input, LyraOperand filter, const LyraConv2dOptions* options);
LyraOperand lyra_builder_average_pool2d(LyraBuilder builder, LyraOperand input, const LyraPool2dOptions* options);
LyraOperand lyra_builder_max_pool2d(LyraBuilder builder, LyraOperand input, const LyraPool2dOptions* options);
LyraOperand lyra_builder_gemm(LyraBuilder builder, LyraOperand a, LyraOperand b, const LyraGemmOptions* options);
LyraOperand lyra_builder_matmul(LyraBuilder builder, LyraOperand a, LyraOperand b);
LyraOperand lyra_builder_layer_normalization(LyraBuilder builder, LyraOperand input, const LyraNormOptions* options);
LyraOperand lyra_builder_softmax(LyraBuilder builder, LyraOperand input, uint32_t axis);
LyraOperand lyra_builder_reduce_mean(LyraBuilder builder, LyraOperand input, const LyraReduceOptions* options);
LyraOperand lyra_builder_reduce_l1(LyraBuilder builder, LyraOperand input, const LyraReduceOptions* options);
LyraOperand lyra_builder_reduce_sum_square(LyraBuilder builder, LyraOperand input, const LyraReduceOptions* options);
bool        lyra_builder_lstm(LyraBuilder builder, LyraOperand input, LyraOperand weight, LyraOperand recurrent_weight, uint32_t steps, uint32_t hidden_size, LyraOperand outputs[2]);

/* data movement */
LyraOperand lyra_builder_concat(LyraBuilder builder, const LyraOperand* inputs, uint32_t count, uint32_t axis);
LyraOperand lyra_builder_reshape(LyraBuilder builder, LyraOperand input, const uint32_t* new_shape, uint32_t rank);
LyraOperand lyra_builder_transpose(LyraBuilder builder, LyraOperand input, const uint32_t* permutation, uint32_t rank);
LyraOperand lyra_builder_expand(LyraBuilder builder, LyraOperand input, const uint32_t* new_shape, uint32_t rank);
LyraOperand lyra_builder_gather(LyraBuilder builder, LyraOperand input, LyraOperand indices, uint32_t axis);
LyraOperand lyra_builder_where(LyraBuilder builder, LyraOperand condition, LyraOperand true_value, LyraOperand false_value);
LyraOperand lyra_builder_resample2d(LyraBuilder builder, LyraOperand input, LyraInterpolation mode, float scale_h, float scale_w);
LyraOperand lyra_builder_pad(LyraBuilder builder, LyraOperand input, const uint32_t* before, const uint32_t* after, LyraPaddingMode mode, float value);
LyraOperand lyra_builder_triangular(LyraBuilder builder, LyraOperand input, bool upper, int32_t diagonal);

#ifdef __cplusplus
}
#endif
#endif /* LYRA_H */
