// Avocet, simulated: every op checks the types and shapes that it is given, and works on floats.
#include "avocet.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <stdexcept>

extern "C" {
#include "sim.h"
}

namespace avocet {

struct Tensor::Impl {
  void* address;
  DataType type;
  Shape shape;
  Impl(void* a, DataType t, const Shape& s) : address(a), type(t), shape(s) {
    __atomic_add_fetch(&alive, 1, __ATOMIC_SEQ_CST);
  }
  ~Impl() { __atomic_sub_fetch(&alive, 1, __ATOMIC_SEQ_CST); }
};

Shape::Shape(std::initializer_list<int32_t> dims) : dims_(dims) {}
Tensor::Tensor(void* address, DataType type, const Shape& shape) {
  if (fails()) throw std::runtime_error("no room for a tensor");
  impl_ = std::make_shared<Impl>(address, type, shape);
}
void* Tensor::address() const { return impl_->address; }
DataType Tensor::type() const { return impl_->type; }
const Shape& Tensor::shape() const { return impl_->shape; }

Status device_malloc(void** address, std::size_t bytes) {
  *address = device_alloc(bytes);
  return *address ? Status::Ok : Status::OutOfMemory;
}
Status device_free(void* address) { return ::device_free(address) ? Status::Ok : Status::InvalidArgument; }
static Status moved(void* to, const void* from, std::size_t bytes) {
  if (fails()) return Status::DeviceLost;
  std::memcpy(to, from, bytes);
  return Status::Ok;
}
Status memcpy_host_to_device(void* to, const void* from, std::size_t bytes) { return moved(to, from, bytes); }
Status memcpy_device_to_host(void* to, const void* from, std::size_t bytes) { return moved(to, from, bytes); }
Status memcpy_device_to_device(void* to, const void* from, std::size_t bytes) { return moved(to, from, bytes); }
Status device_synchronize() { return Status::Ok; }

namespace {

using Dims = std::vector<int32_t>;

const Dims& dims(const Tensor& t) { return t.shape().dims(); }
float* floats(const Tensor& t) { return static_cast<float*>(t.address()); }
std::size_t count(const Dims& d) {
  std::size_t n = 1;
  for (int32_t e : d) n *= static_cast<std::size_t>(e);
  return n;
}
bool plain(std::initializer_list<const Tensor*> tensors) {
  for (const Tensor* t : tensors)
    if (t != nullptr && t->type() != DataType::Float32) return false;
  return true;
}

// The extents around a dimension.
struct Around {
  std::size_t before = 1, along, behind = 1;
  Around(const Dims& d, int32_t axis) : along(static_cast<std::size_t>(d.at(static_cast<std::size_t>(axis)))) {
    for (int32_t i = 0; i < axis; ++i) before *= static_cast<std::size_t>(d[static_cast<std::size_t>(i)]);
    for (std::size_t i = static_cast<std::size_t>(axis) + 1; i < d.size(); ++i) behind *= static_cast<std::size_t>(d[i]);
  }
};

}  // namespace

void Operator::setProfiling(bool on) { profiling_ = on; }

Activation::Activation(Function function) : function_(function) {}
const char* Activation::name() const { return "Activation"; }
void Activation::setSlope(float slope) { slope_ = slope; }
Status Activation::run(const Tensor& input, Tensor& output) {
  if (fails()) return Status::DeviceLost;
  if (!plain({&input, &output}) || dims(input) != dims(output)) return Status::InvalidArgument;
  for (std::size_t i = 0, n = count(dims(input)); i < n; ++i) {
    const float v = floats(input)[i];
    switch (function_) {
      case Function::Relu: floats(output)[i] = v < 0 ? 0 : v; break;
      case Function::Sigmoid: floats(output)[i] = 1 / (1 + std::exp(-v)); break;
      case Function::Tanh: floats(output)[i] = std::tanh(v); break;
      case Function::LeakyRelu: floats(output)[i] = v < 0 ? slope_ * v : v; break;
    }
  }
  return Status::Ok;
}
Status Activation::runInPlace(Tensor& data) { return run(data, data); }

Elementwise::Elementwise(Function function) : function_(function) {}
const char* Elementwise::name() const { return "Elementwise"; }
size_t Elementwise::scratchSize() const { return 64; }
void Elementwise::setScratch(void* address, size_t bytes) {
  scratch_ = address;
  bytes_ = bytes;
}
Status Elementwise::run(const Tensor& first, const Tensor& second, Tensor& output) {
  if (fails()) return Status::DeviceLost;
  if (scratch_ == nullptr || bytes_ < scratchSize()) return Status::InvalidArgument;
  if (!plain({&first, &second, &output}) || dims(first) != dims(second)) return Status::InvalidArgument;
  for (std::size_t i = 0, n = count(dims(output)); i < n; ++i) {
    const float a = floats(first)[i], b = floats(second)[i];
    floats(output)[i] = function_ == Function::Add        ? a + b
                        : function_ == Function::Multiply ? a * b
                        : std::isnan(a) || std::isnan(b)  ? std::numeric_limits<float>::quiet_NaN()
                                                          : std::max(a, b);
  }
  return Status::Ok;
}

const char* Softmax::name() const { return "Softmax"; }
void Softmax::setAxis(int32_t axis) { axis_ = axis; }
Status Softmax::run(const Tensor& input, Tensor& output) {
  if (fails()) return Status::DeviceLost;
  if (!plain({&input, &output}) || dims(input) != dims(output)) return Status::InvalidArgument;
  const Around a(dims(input), axis_);
  for (std::size_t o = 0; o < a.before; ++o)
    for (std::size_t i = 0; i < a.behind; ++i) {
      const float* from = floats(input) + o * a.along * a.behind + i;
      float* to = floats(output) + o * a.along * a.behind + i;
      float most = -std::numeric_limits<float>::infinity();
      double sum = 0;
      for (std::size_t k = 0; k < a.along; ++k) most = std::max(most, from[k * a.behind]);
      for (std::size_t k = 0; k < a.along; ++k) sum += std::exp(static_cast<double>(from[k * a.behind]) - most);
      for (std::size_t k = 0; k < a.along; ++k)
        to[k * a.behind] = static_cast<float>(std::exp(static_cast<double>(from[k * a.behind]) - most) / sum);
    }
  return Status::Ok;
}

Status MatrixMultiply::run(const Tensor& left, const Tensor& right, Tensor& output) {
  if (fails()) return Status::DeviceLost;
  const Dims &l = dims(left), &r = dims(right);
  if (!plain({&left, &right, &output}) || l.size() != r.size() || l.size() < 2) return Status::InvalidArgument;
  const std::size_t d = l.size(), m = static_cast<std::size_t>(l[d - 2]), k = static_cast<std::size_t>(l[d - 1]);
  const std::size_t n = static_cast<std::size_t>(r[d - 1]), stack = d == 3 ? static_cast<std::size_t>(l[0]) : 1;
  if (d > 3 || static_cast<std::size_t>(r[d - 2]) != k) return Status::InvalidArgument;
  for (std::size_t s = 0; s < stack; ++s)
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        float sum = 0;
        for (std::size_t x = 0; x < k; ++x)
          sum += floats(left)[(s * m + i) * k + x] * floats(right)[(s * k + x) * n + j];
        floats(output)[(s * m + i) * n + j] = sum;
      }
  return Status::Ok;
}

Reduction::Reduction(Function function) : function_(function) {}
const char* Reduction::name() const { return "Reduction"; }
void Reduction::setAxes(const std::vector<int32_t>& axes) { axes_ = axes; }
void Reduction::setKeepDimensions(bool on) { keep_ = on; }
Status Reduction::run(const Tensor& input, Tensor& output) {
  if (fails()) return Status::DeviceLost;
  if (!plain({&input, &output})) return Status::InvalidArgument;
  std::vector<double> values(floats(input), floats(input) + count(dims(input)));
  Dims extents = dims(input);
  double divisor = 1;
  for (int32_t axis : axes_) {
    const Around a(extents, axis);
    std::vector<double> next(a.before * a.behind, function_ == Function::Max ? -std::numeric_limits<double>::infinity() : 0);
    for (std::size_t o = 0; o < a.before; ++o)
      for (std::size_t k = 0; k < a.along; ++k)
        for (std::size_t i = 0; i < a.behind; ++i) {
          double& to = next[o * a.behind + i];
          const double v = values[(o * a.along + k) * a.behind + i];
          to = function_ != Function::Max ? to + v : std::isnan(to) || std::isnan(v) ? std::nan("") : std::max(to, v);
        }
    values = next;
    extents[static_cast<std::size_t>(axis)] = 1;
    divisor *= static_cast<double>(a.along);
  }
  Dims left;
  for (std::size_t i = 0; i < extents.size(); ++i)
    if (keep_ || std::find(axes_.begin(), axes_.end(), static_cast<int32_t>(i)) == axes_.end()) left.push_back(extents[i]);
  if (left.empty()) left.push_back(1);
  if (left != dims(output)) return Status::InvalidArgument;
  for (std::size_t i = 0; i < values.size(); ++i)
    floats(output)[i] = static_cast<float>(function_ == Function::Mean ? values[i] / divisor : values[i]);
  return Status::Ok;
}

Pooling2d::Pooling2d(Mode mode) : mode_(mode) {}
const char* Pooling2d::name() const { return "Pooling2d"; }
void Pooling2d::setWindow(int32_t y, int32_t x) { window_[0] = y, window_[1] = x; }
void Pooling2d::setStride(int32_t y, int32_t x) { stride_[0] = y, stride_[1] = x; }
void Pooling2d::setPadding(int32_t y, int32_t x) { padding_[0] = y, padding_[1] = x; }
void Pooling2d::setCountPadding(bool on) { count_ = on; }
Status Pooling2d::run(const Tensor& input, Tensor& output) {
  if (fails()) return Status::DeviceLost;
  if (!plain({&input, &output}) || dims(input).size() != 4 || dims(output).size() != 4) return Status::InvalidArgument;
  const Dims &from = dims(input), &to = dims(output);
  for (int32_t plane = 0; plane < from[0] * from[1]; ++plane)
    for (int32_t y = 0; y < to[2]; ++y)
      for (int32_t x = 0; x < to[3]; ++x) {
        float most = -std::numeric_limits<float>::infinity();
        double sum = 0;
        int32_t inside = 0;
        for (int32_t wy = 0; wy < window_[0]; ++wy)
          for (int32_t wx = 0; wx < window_[1]; ++wx) {
            const int32_t sy = y * stride_[0] - padding_[0] + wy, sx = x * stride_[1] - padding_[1] + wx;
            if (sy < 0 || sx < 0 || sy >= from[2] || sx >= from[3]) continue;
            const float v = floats(input)[(plane * from[2] + sy) * from[3] + sx];
            most = std::isnan(v) || std::isnan(most) ? std::numeric_limits<float>::quiet_NaN() : std::max(most, v);
            sum += v;
            ++inside;
          }
        const int32_t divisor = count_ ? window_[0] * window_[1] : inside;
        floats(output)[(plane * to[2] + y) * to[3] + x] = mode_ == Mode::Max ? most : static_cast<float>(sum / divisor);
      }
  return Status::Ok;
}

const char* LayerNormalization::name() const { return "LayerNormalization"; }
void LayerNormalization::setEpsilon(float epsilon) { epsilon_ = epsilon; }
void LayerNormalization::setFirstAxis(int32_t axis) { first_ = axis; }
Status LayerNormalization::run(const Tensor& input, const Tensor* gamma, const Tensor* beta, Tensor& output) {
  if (fails()) return Status::DeviceLost;
  const Dims& d = dims(input);
  if (!plain({&input, gamma, beta, &output}) || d != dims(output)) return Status::InvalidArgument;
  std::size_t columns = 1;
  for (std::size_t i = static_cast<std::size_t>(first_); i < d.size(); ++i) columns *= static_cast<std::size_t>(d[i]);
  for (std::size_t r = 0; r < count(d) / columns; ++r) {
    double mean = 0, square = 0;
    const float* from = floats(input) + r * columns;
    for (std::size_t i = 0; i < columns; ++i) mean += from[i] / static_cast<double>(columns);
    for (std::size_t i = 0; i < columns; ++i) square += (from[i] - mean) * (from[i] - mean) / static_cast<double>(columns);
    for (std::size_t i = 0; i < columns; ++i) {
      double v = (from[i] - mean) / std::sqrt(square + epsilon_);
      if (gamma != nullptr) v *= floats(*gamma)[i];
      if (beta != nullptr) v += floats(*beta)[i];
      floats(output)[r * columns + i] = static_cast<float>(v);
    }
  }
  return Status::Ok;
}

const char* Concatenation::name() const { return "Concatenation"; }
void Concatenation::setAxis(int32_t axis) { axis_ = axis; }
Status Concatenation::run(const std::vector<Tensor>& inputs, Tensor& output) {
  if (fails()) return Status::DeviceLost;
  if (!plain({&output})) return Status::InvalidArgument;
  const Around all(dims(output), axis_);
  std::size_t at = 0;
  for (const Tensor& t : inputs) {
    if (!plain({&t})) return Status::InvalidArgument;
    const Around a(dims(t), axis_);
    for (std::size_t o = 0; o < a.before; ++o)
      std::memcpy(floats(output) + (o * all.along + at) * all.behind, floats(t) + o * a.along * a.behind,
                  a.along * a.behind * sizeof(float));
    at += a.along;
  }
  return Status::Ok;
}

const char* Permutation::name() const { return "Permutation"; }
void Permutation::setOrder(const std::vector<int32_t>& order) { order_ = order; }
Status Permutation::run(const Tensor& input, Tensor& output) {
  if (fails()) return Status::DeviceLost;
  const Dims &from = dims(input), &to = dims(output);
  if (!plain({&input, &output}) || from.size() != order_.size()) return Status::InvalidArgument;
  for (std::size_t i = 0, n = count(to); i < n; ++i) {
    std::size_t left = i, place = 0;
    for (std::size_t d = to.size(); d-- > 0;) {
      std::size_t step = 1;
      for (std::size_t e = static_cast<std::size_t>(order_[d]) + 1; e < from.size(); ++e) step *= static_cast<std::size_t>(from[e]);
      place += left % static_cast<std::size_t>(to[d]) * step;
      left /= static_cast<std::size_t>(to[d]);
    }
    floats(output)[i] = floats(input)[place];
  }
  return Status::Ok;
}

}  // namespace avocet
