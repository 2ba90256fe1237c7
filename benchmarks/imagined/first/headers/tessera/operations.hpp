// An imagined vendor's header.
// An imagined vendor's header.

#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <tuple>
#include <variant>
#include <vector>

#include "tensor.hpp"

namespace tsr {

using QueueId = uint8_t;
constexpr QueueId DefaultQueueId = 0;

// ------------------------------------------------------------------------------------------------
// creation
// ------------------------------------------------------------------------------------------------
Tensor full(const Shape& shape, float fill_value, DataType dtype, Layout layout, Device* device,
            const std::optional<MemoryConfig>& memory_config = std::nullopt);
Tensor zeros(const Shape& shape, DataType dtype, Layout layout, Device* device,
             const std::optional<MemoryConfig>& memory_config = std::nullopt);
Tensor arange(int64_t start, int64_t stop, int64_t step, DataType dtype, Device* device);

// ------------------------------------------------------------------------------------------------
// unary: the result is a new tensor unless optional_output_tensor is given
// ------------------------------------------------------------------------------------------------
#define TSR_UNARY(op)                                                                              \
    Tensor op(const Tensor& input_tensor,                                                          \
              const std::optional<MemoryConfig>& memory_config = std::nullopt,                     \
              const std::optional<Tensor>& optional_output_tensor = std::nullopt,                  \
              QueueId queue_id = DefaultQueueId)

TSR_UNARY(abs);
TSR_UNARY(ceil);
TSR_UNARY(cos);
TSR_UNARY(erf);
TSR_UNARY(exp);
TSR_UNARY(floor);
TSR_UNARY(log);
TSR_UNARY(log1p);
TSR_UNARY(logical_not);
TSR_UNARY(neg);
TSR_UNARY(reciprocal);
TSR_UNARY(relu);
TSR_UNARY(relu6);
TSR_UNARY(rsqrt);
TSR_UNARY(sign);
TSR_UNARY(sin);
TSR_UNARY(sqrt);
TSR_UNARY(square);
TSR_UNARY(tanh);
#undef TSR_UNARY

Tensor gelu(const Tensor& input_tensor, bool fast_and_approximate_mode = true,
            const std::optional<MemoryConfig>& memory_config = std::nullopt,
            const std::optional<Tensor>& optional_output_tensor = std::nullopt);
Tensor leaky_relu(const Tensor& input_tensor, float slope,
                  const std::optional<MemoryConfig>& memory_config = std::nullopt);
Tensor elu(const Tensor& input_tensor, float alpha, const std::optional<MemoryConfig>& memory_config = std::nullopt);
Tensor softplus(const Tensor& input_tensor, float beta = 1.0f, float threshold = 20.0f,
                const std::optional<MemoryConfig>& memory_config = std::nullopt);
Tensor clip(const Tensor& input_tensor, std::optional<float> min, std::optional<float> max,
            const std::optional<MemoryConfig>& memory_config = std::nullopt);
Tensor typecast(const Tensor& input_tensor, DataType output_dtype,
                const std::optional<MemoryConfig>& memory_config = std::nullopt);
/// a * sigmoid(b) where a and b are halves of the last dimension
Tensor glu(const Tensor& input_tensor, int32_t dim = -1);
Tensor digamma(const Tensor& input_tensor, const std::optional<MemoryConfig>& memory_config = std::nullopt);

// ------------------------------------------------------------------------------------------------
// binary
// ------------------------------------------------------------------------------------------------
enum class UnaryOp { Relu, Gelu, Silu };
using FusedActivations = std::vector<UnaryOp>;

Tensor add(const Tensor& input_tensor_a, const Tensor& input_tensor_b,
           const std::optional<DataType>& dtype = std::nullopt,
           const std::optional<MemoryConfig>& memory_config = std::nullopt,
           const std::optional<Tensor>& optional_output_tensor = std::nullopt, const FusedActivations& activations = {});
Tensor add(const Tensor& input_tensor_a, float scalar, const std::optional<DataType>& dtype = std::nullopt,
           const std::optional<MemoryConfig>& memory_config = std::nullopt);
Tensor subtract(const Tensor& input_tensor_a, const Tensor& input_tensor_b,
                const std::optional<DataType>& dtype = std::nullopt,
                const std::optional<MemoryConfig>& memory_config = std::nullopt,
                const std::optional<Tensor>& optional_output_tensor = std::nullopt, const FusedActivations& activations = {});
Tensor multiply(const Tensor& input_tensor_a, const Tensor& input_tensor_b,
                const std::optional<DataType>& dtype = std::nullopt,
                const std::optional<MemoryConfig>& memory_config = std::nullopt,
                const std::optional<Tensor>& optional_output_tensor = std::nullopt, const FusedActivations& activations = {});
Tensor multiply(const Tensor& input_tensor_a, float scalar, const std::optional<DataType>& dtype = std::nullopt,
                const std::optional<MemoryConfig>& memory_config = std::nullopt);
Tensor divide(const Tensor& input_tensor_a, const Tensor& input_tensor_b,
              const std::optional<MemoryConfig>& memory_config = std::nullopt);
Tensor& add_(Tensor& input_tensor_a, const Tensor& input_tensor_b);
Tensor maximum(const Tensor& input_tensor_a, const Tensor& input_tensor_b);
Tensor minimum(const Tensor& input_tensor_a, const Tensor& input_tensor_b);
Tensor pow(const Tensor& input_tensor, float exponent, const std::optional<MemoryConfig>& memory_config = std::nullopt);
Tensor eq(const Tensor& input_tensor_a, const Tensor& input_tensor_b);
Tensor gt(const Tensor& input_tensor_a, const Tensor& input_tensor_b);
Tensor le(const Tensor& input_tensor_a, float scalar);
Tensor logical_and(const Tensor& input_tensor_a, const Tensor& input_tensor_b);
Tensor squared_difference(const Tensor& input_tensor_a, const Tensor& input_tensor_b);
Tensor bias_gelu(const Tensor& input_tensor_a, const Tensor& input_tensor_b);
/// predicate != 0 ? value_true : value_false
Tensor where(const Tensor& predicate, const Tensor& value_true, const Tensor& value_false,
             const std::optional<MemoryConfig>& memory_config = std::nullopt);
/// input_a + value * input_b * input_c
Tensor addcmul(const Tensor& input_a, const Tensor& input_b, const Tensor& input_c, float value);

// ------------------------------------------------------------------------------------------------
// matmul
// ------------------------------------------------------------------------------------------------
Tensor matmul(const Tensor& input_tensor_a, const Tensor& input_tensor_b, bool transpose_a = false, bool transpose_b = false,
              const std::optional<MemoryConfig>& memory_config = std::nullopt,
              std::optional<DataType> dtype = std::nullopt, std::optional<CoreGrid> core_grid = std::nullopt,
              const std::optional<ComputeKernelConfig>& compute_kernel_config = std::nullopt);
/// weights are (in, out); bias is (1, out)
Tensor linear(const Tensor& input_tensor_a, const Tensor& input_tensor_b, const std::optional<const Tensor>& bias = std::nullopt,
              const std::optional<std::string>& activation = std::nullopt,
              const std::optional<MemoryConfig>& memory_config = std::nullopt,
              std::optional<CoreGrid> core_grid = std::nullopt);

// ------------------------------------------------------------------------------------------------
// convolution and pooling, activations are NHWC flattened to (1, 1, N * H * W, C)
// ------------------------------------------------------------------------------------------------
std::tuple<Tensor, uint32_t, uint32_t> conv2d(
    const Tensor& input_tensor, const Tensor& weight_tensor, Device* device, uint32_t in_channels, uint32_t out_channels,
    uint32_t batch_size, uint32_t input_height, uint32_t input_width, std::array<uint32_t, 2> kernel_size,
    std::array<uint32_t, 2> stride, std::array<uint32_t, 2> padding, std::array<uint32_t, 2> dilation, uint32_t groups,
    const std::optional<const Tensor>& bias_tensor = std::nullopt,
    const std::optional<MemoryConfig>& memory_config = std::nullopt);
Tensor max_pool2d(const Tensor& input_tensor, uint32_t batch_size, uint32_t input_h, uint32_t input_w, uint32_t channels,
                  std::array<uint32_t, 2> kernel_size, std::array<uint32_t, 2> stride, std::array<uint32_t, 2> padding,
                  std::array<uint32_t, 2> dilation);
Tensor global_avg_pool2d(const Tensor& input_tensor);
Tensor upsample(const Tensor& input_tensor, uint32_t scale_factor);

// ------------------------------------------------------------------------------------------------
// reduction, normalization
// ------------------------------------------------------------------------------------------------
Tensor sum(const Tensor& input_tensor, const std::optional<std::vector<int>>& dim = std::nullopt, bool keepdim = true,
           const std::optional<MemoryConfig>& memory_config = std::nullopt);
Tensor mean(const Tensor& input_tensor, const std::optional<std::vector<int>>& dim = std::nullopt, bool keepdim = true,
            const std::optional<MemoryConfig>& memory_config = std::nullopt);
Tensor max(const Tensor& input_tensor, const std::optional<std::vector<int>>& dim = std::nullopt, bool keepdim = true,
           const std::optional<MemoryConfig>& memory_config = std::nullopt);
Tensor argmax(const Tensor& input_tensor, std::optional<int> dim = std::nullopt);
std::tuple<Tensor, Tensor> topk(const Tensor& input_tensor, uint32_t k, int dim = -1, bool largest = true, bool sorted = true);
Tensor cumsum(const Tensor& input_tensor, int dim);
Tensor softmax(const Tensor& input_tensor, int dim = -1, const std::optional<MemoryConfig>& memory_config = std::nullopt,
               bool numeric_stable = false);
Tensor scale_mask_softmax(const Tensor& input_tensor, std::optional<float> scale, const std::optional<const Tensor>& mask);
Tensor layer_norm(const Tensor& input_tensor, float epsilon = 1e-12, const std::optional<const Tensor>& weight = std::nullopt,
                  const std::optional<const Tensor>& bias = std::nullopt,
                  const std::optional<const Tensor>& residual_input_tensor = std::nullopt,
                  const std::optional<MemoryConfig>& memory_config = std::nullopt);
Tensor rms_norm(const Tensor& input_tensor, float epsilon = 1e-12, const std::optional<const Tensor>& weight = std::nullopt,
                const std::optional<MemoryConfig>& memory_config = std::nullopt);
Tensor embedding(const Tensor& input_tensor, const Tensor& weight, const std::optional<int>& pad_token = std::nullopt);

// ------------------------------------------------------------------------------------------------
// transformer
// ------------------------------------------------------------------------------------------------
namespace transformer {
Tensor scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                    const std::optional<Tensor>& attn_mask = std::nullopt, bool is_causal = true,
                                    std::optional<float> scale = std::nullopt);
std::tuple<Tensor, Tensor, Tensor> split_query_key_value_and_split_heads(const Tensor& input_tensor, uint32_t num_heads);
Tensor concatenate_heads(const Tensor& input_tensor);
Tensor rotary_embedding(const Tensor& input_tensor, const Tensor& cos_cache, const Tensor& sin_cache);
}  // namespace transformer

// ------------------------------------------------------------------------------------------------
// data movement
// ------------------------------------------------------------------------------------------------
Tensor permute(const Tensor& input_tensor, const std::vector<int64_t>& dims);
Tensor transpose(const Tensor& input_tensor, int64_t dim1, int64_t dim2);
Tensor reshape(const Tensor& input_tensor, const Shape& shape);
Tensor concat(const std::vector<Tensor>& input_tensors, int dim, const std::optional<MemoryConfig>& memory_config = std::nullopt);
Tensor repeat(const Tensor& input_tensor, const Shape& repeats);
Tensor pad(const Tensor& input_tensor, const std::vector<std::array<uint32_t, 2>>& padding, float value);
Tensor tilize(const Tensor& input_tensor);
Tensor untilize(const Tensor& input_tensor);
Tensor interleaved_to_sharded(const Tensor& input_tensor, const MemoryConfig& memory_config);
Tensor all_gather(const Tensor& input_tensor, int dim, uint32_t num_links);

}  // namespace tsr
