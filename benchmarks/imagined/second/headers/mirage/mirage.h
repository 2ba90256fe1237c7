// An imagined vendor's header.
#pragma once

#include <optional>
#include <tuple>

#include "mirage/array.h"

namespace mirage {

/** Creation */
array full(Shape shape, array vals, Dtype dtype, Where w = {});
array zeros(const Shape& shape, Dtype dtype, Where w = {});
array arange(double start, double stop, double step, Dtype dtype, Where w = {});
array astype(array a, Dtype dtype, Where w = {});
array copy(array a, Where w = {});

/** Shape */
array reshape(const array& a, Shape shape, Where w = {});
array squeeze(const array& a, int axis, Where w = {});
array expand_dims(const array& a, int axis, Where w = {});
array broadcast_to(const array& a, const Shape& shape, Where w = {});
array transpose(const array& a, std::vector<int> axes, Where w = {});
array concatenate(std::vector<array> arrays, int axis, Where w = {});
std::vector<array> split(const array& a, int num_splits, int axis, Where w = {});

/** Arithmetic, with broadcasting */
array add(const array& a, const array& b, Where w = {});
array subtract(const array& a, const array& b, Where w = {});
array multiply(const array& a, const array& b, Where w = {});
array divide(const array& a, const array& b, Where w = {});
array power(const array& a, const array& b, Where w = {});
array greater_equal(const array& a, const array& b, Where w = {});
array operator+(const array& a, const array& b);
array operator*(const array& a, const array& b);
array operator-(const array& a);

array negative(const array& a, Where w = {});
array absolute(const array& a, Where w = {});
array arctan(const array& a, Where w = {});
array sigmoid(const array& a, Where w = {});
array stop_gradient(const array& a, Where w = {});
array round(const array& a, int decimals, Where w = {});
array clip(const array& a, const std::optional<array>& a_min, const std::optional<array>& a_max, Where w = {});
array select(const array& condition, const array& x, const array& y, Where w = {});
std::pair<array, array> divmod(const array& a, const array& b, Where w = {});
bool allclose(const array& a, const array& b, double rtol, double atol);

/** Reductions */
array sum(const array& a, const std::vector<int>& axes, bool keepdims = false, Where w = {});
array mean(const array& a, const std::vector<int>& axes, bool keepdims = false, Where w = {});
array var(const array& a, const std::vector<int>& axes, bool keepdims = false, int ddof = 0, Where w = {});
array max(const array& a, const std::vector<int>& axes, bool keepdims = false, Where w = {});
array argmin(const array& a, int axis, bool keepdims = false, Where w = {});
array softmax(const array& a, int axis, bool precise = false, Where w = {});
array sort(const array& a, int axis, Where w = {});

/** Linear algebra, indexing, convolution */
array matmul(const array& a, const array& b, Where w = {});
array addmm(array c, array a, array b, const float& alpha = 1.f, const float& beta = 1.f, Where w = {});
array take(const array& a, const array& indices, int axis, Where w = {});
array take_along_axis(const array& a, const array& indices, int axis, Where w = {});
array scatter_add(const array& a, const std::vector<array>& indices, const array& updates, const std::vector<int>& axes, Where w = {});
array conv2d(const array& input, const array& weight, const std::pair<int, int>& stride = {1, 1}, const std::pair<int, int>& padding = {0, 0}, const std::pair<int, int>& dilation = {1, 1}, int groups = 1, Where w = {});
std::tuple<array, array, array> quantize(const array& m, int group_size = 64, int bits = 4, Where w = {});
array quantized_matmul(array x, array m, array scales, array biases, bool transpose = true, int group_size = 64, int bits = 4, Where w = {});

namespace fast {
array rms_norm(const array& x, const std::optional<array>& weight, float eps, Where w = {});
array layer_norm(const array& x, const std::optional<array>& weight, const std::optional<array>& bias, float eps, Where w = {});
array rope(const array& x, int dims, bool traditional, std::optional<float> base, float scale, int offset, Where w = {});
array scaled_dot_product_attention(const array& queries, const array& keys, const array& values, const float scale, const std::optional<array>& mask = std::nullopt, Where w = {});
}  // namespace fast

namespace io {
void save(const std::string& file, array a);
array load(const std::string& file, Where w = {});
}  // namespace io

}  // namespace mirage
