// Linnet: an invented accelerator whose tensors are objects of a class over the card's memory. Functions return new
// tensors, whose memory is their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

namespace linnet {

enum class Status { ok = 0, bad_argument = 1, out_of_memory = 2, failed = 3 };
enum class DType { f32, f16, i32, i64, boolean };

Status device_malloc(void** address, std::size_t bytes);
Status device_free(void* address);
Status memcpy_host_to_device(void* to, const void* from, std::size_t bytes);
Status memcpy_device_to_host(void* to, const void* from, std::size_t bytes);
Status memcpy_device_to_device(void* to, const void* from, std::size_t bytes);
Status device_synchronize();

using Extents = std::vector<int32_t>;
using Lane = unsigned char;
constexpr Lane main_lane = 0;

class Tensor {
 public:
  /// Over memory of the card that stays the caller's.
  Tensor(void* address, const Extents& extents, DType dtype);
  Tensor(const Tensor& other);
  Tensor(Tensor&& other) noexcept;
  Tensor& operator=(const Tensor& other);
  ~Tensor();

  const Extents& extents() const;
  DType dtype() const;
  void* data() const;
  void eval();

 private:
  struct Impl;
  explicit Tensor(Impl* impl);
  Impl* impl_;
  friend struct Access;
};

struct Tuning {
  int tile = 16;
  bool exact = true;
};

#define LINNET_UNARY(op) Tensor op(const Tensor& x, const std::optional<Tuning>& tuning = std::nullopt, Lane lane = main_lane)
LINNET_UNARY(relu);
LINNET_UNARY(sigmoid);
LINNET_UNARY(neg);
#undef LINNET_UNARY
Tensor gelu(const Tensor& x, bool fast_approximate = true);
Tensor leaky_relu(const Tensor& x, float slope);
Tensor clip(const Tensor& x, std::optional<float> min, std::optional<float> max);

Tensor add(const Tensor& a, const Tensor& b, Lane lane = main_lane);
Tensor add(const Tensor& a, float b);
Tensor mul(const Tensor& a, const Tensor& b, Lane lane = main_lane);
Tensor greater(const Tensor& a, const Tensor& b);
Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);

Tensor sum(const Tensor& x, const std::vector<int>& dims, bool keepdims = false);
Tensor mean(const Tensor& x, const std::optional<std::vector<int>>& dims = std::nullopt, bool keepdims = true);
Tensor softmax(const Tensor& x, int axis);
Tensor permute(const Tensor& x, const std::vector<int64_t>& dims);
Tensor concat(const std::vector<Tensor>& tensors, int axis);
Tensor matmul(const Tensor& a, const Tensor& b, bool transpose_a = false, bool transpose_b = false);
Tensor take(const Tensor& x, const Tensor& indices, int axis);
/// The normalised rows, their means and the reciprocals of their deviations.
std::tuple<Tensor, Tensor, Tensor> layer_norm(const Tensor& x, float eps, const std::optional<Tensor>& weight = std::nullopt,
                                              const std::optional<Tensor>& bias = std::nullopt);

}  // namespace linnet
