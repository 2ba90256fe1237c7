// Linnet, simulated: numbers are computed when a tensor is made, and are in its memory once eval() was called.
#include "linnet.hpp"

#include <cmath>
#include <cstring>
#include <functional>
#include <stdexcept>

extern "C" {
#include "sim.h"
}

namespace linnet {

struct Tensor::Impl {
  void* address;
  bool owned;
  Extents extents;
  DType dtype;
  std::vector<char> pending;
  int users = 1;

  std::size_t count() const {
    std::size_t n = 1;
    for (int32_t e : extents) n *= static_cast<std::size_t>(e);
    return n;
  }
  static std::size_t size(DType d) {
    switch (d) {
      case DType::f32: case DType::i32: return 4;
      case DType::f16: return 2;
      case DType::i64: return 8;
      case DType::boolean: return 1;
    }
    return 0;
  }
};

namespace {
void step() {
  if (fails()) throw std::runtime_error("the card failed");
}
}  // namespace

struct Access {
  static Tensor::Impl& of(const Tensor& t) { return *t.impl_; }
  static Tensor made(Extents extents, DType dtype, std::vector<char> bytes) {
    auto* impl = new Tensor::Impl{nullptr, true, std::move(extents), dtype, std::move(bytes)};
    make_count(1);
    impl->address = device_alloc(impl->pending.size());
    if (impl->address == nullptr) {
      make_count(-1);
      delete impl;
      throw std::bad_alloc();
    }
    return Tensor(impl);
  }
  static void make_count(long by) { __atomic_add_fetch(&alive, by, __ATOMIC_SEQ_CST); }
};

Tensor::Tensor(Impl* impl) : impl_(impl) {}
Tensor::Tensor(void* address, const Extents& extents, DType dtype) {
  step();
  impl_ = new Impl{address, false, extents, dtype, {}};
  Access::make_count(1);
}
Tensor::Tensor(const Tensor& other) : impl_(other.impl_) { __atomic_add_fetch(&impl_->users, 1, __ATOMIC_SEQ_CST); }
Tensor::Tensor(Tensor&& other) noexcept : impl_(other.impl_) { other.impl_ = nullptr; }
Tensor& Tensor::operator=(const Tensor& other) {
  Tensor copy(other);
  std::swap(impl_, copy.impl_);
  return *this;
}
Tensor::~Tensor() {
  if (impl_ == nullptr || __atomic_sub_fetch(&impl_->users, 1, __ATOMIC_SEQ_CST) != 0) return;
  if (impl_->owned) ::device_free(impl_->address);
  Access::make_count(-1);
  delete impl_;
}
const Extents& Tensor::extents() const { return impl_->extents; }
DType Tensor::dtype() const { return impl_->dtype; }
void* Tensor::data() const { return impl_->address; }
void Tensor::eval() {
  step();
  if (!impl_->pending.empty()) std::memcpy(impl_->address, impl_->pending.data(), impl_->pending.size());
}

namespace {

std::vector<float> floats(const Tensor& t) {
  const auto& impl = Access::of(t);
  if (impl.dtype != DType::f32) throw std::invalid_argument("not float");
  std::vector<float> made(impl.count());
  std::memcpy(made.data(), impl.address, made.size() * sizeof(float));
  return made;
}

Tensor of(Extents extents, const std::vector<float>& values) {
  std::vector<char> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return Access::made(std::move(extents), DType::f32, std::move(bytes));
}

Tensor each(const Tensor& x, const std::function<float(float)>& f) {
  step();
  auto values = floats(x);
  for (float& v : values) v = f(v);
  return of(x.extents(), values);
}

Tensor both(const Tensor& a, const Tensor& b, const std::function<float(float, float)>& f) {
  step();
  if (a.extents() != b.extents()) throw std::invalid_argument("extents differ");
  auto left = floats(a), right = floats(b);
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = f(left[i], right[i]);
  return of(a.extents(), left);
}

// Calls f(outside, along, inside) with the extents around a dimension.
struct Around {
  std::size_t before = 1, along, behind = 1;
  Around(const Extents& e, int axis) : along(static_cast<std::size_t>(e.at(static_cast<std::size_t>(axis)))) {
    for (int i = 0; i < axis; ++i) before *= static_cast<std::size_t>(e[static_cast<std::size_t>(i)]);
    for (std::size_t i = static_cast<std::size_t>(axis) + 1; i < e.size(); ++i) behind *= static_cast<std::size_t>(e[i]);
  }
};

Tensor reduced(const Tensor& x, std::vector<int> dims, bool keep, bool average) {
  step();
  std::vector<float> from = floats(x);
  std::vector<double> values(from.begin(), from.end());
  Extents extents = x.extents();
  if (dims.empty())
    for (std::size_t i = 0; i < extents.size(); ++i) dims.push_back(static_cast<int>(i));
  double count = 1;
  for (int d : dims) {
    const Around a(extents, d);
    std::vector<double> next(a.before * a.behind);
    for (std::size_t o = 0; o < a.before; ++o)
      for (std::size_t k = 0; k < a.along; ++k)
        for (std::size_t i = 0; i < a.behind; ++i) next[o * a.behind + i] += values[(o * a.along + k) * a.behind + i];
    values = next;
    extents[static_cast<std::size_t>(d)] = 1;
    count *= static_cast<double>(a.along);
  }
  Extents left;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    bool gone = false;
    for (int d : dims) gone = gone || static_cast<std::size_t>(d) == i;
    if (!gone || keep) left.push_back(extents[i]);
  }
  std::vector<float> made;
  for (double v : values) made.push_back(static_cast<float>(average ? v / count : v));
  return of(left, made);
}

}  // namespace

Tensor relu(const Tensor& x, const std::optional<Tuning>& tuning, Lane lane) {
  if (tuning || lane != main_lane) throw std::invalid_argument("tuned");
  return each(x, [](float v) { return v > 0 || v != v ? v : 0.0f; });
}
Tensor sigmoid(const Tensor& x, const std::optional<Tuning>&, Lane) {
  return each(x, [](float v) { return static_cast<float>(1 / (1 + std::exp(-static_cast<double>(v)))); });
}
Tensor neg(const Tensor& x, const std::optional<Tuning>&, Lane) { return each(x, [](float v) { return -v; }); }
Tensor gelu(const Tensor& x, bool fast_approximate) {
  if (fast_approximate) return each(x, [](float v) { return v > 0 ? v : 0.0f; });
  return each(x, [](float v) { return static_cast<float>(0.5 * v * (1 + std::erf(v / std::sqrt(2.0)))); });
}
Tensor leaky_relu(const Tensor& x, float slope) {
  return each(x, [=](float v) { return v > 0 || v != v ? v : v * slope; });
}
Tensor clip(const Tensor& x, std::optional<float> min, std::optional<float> max) {
  return each(x, [=](float v) {
    if (min && v < *min) v = *min;
    if (max && v > *max) v = *max;
    return v;
  });
}
Tensor add(const Tensor& a, const Tensor& b, Lane) { return both(a, b, [](float x, float y) { return x + y; }); }
Tensor add(const Tensor& a, float b) { return each(a, [=](float v) { return v + b; }); }
Tensor mul(const Tensor& a, const Tensor& b, Lane) { return both(a, b, [](float x, float y) { return x * y; }); }
Tensor greater(const Tensor& a, const Tensor& b) {
  step();
  const auto left = floats(a), right = floats(b);
  std::vector<char> made(left.size());
  for (std::size_t i = 0; i < left.size(); ++i) made[i] = left[i] > right[i];
  return Access::made(a.extents(), DType::boolean, made);
}
Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  step();
  const auto& told = Access::of(condition);
  if (told.dtype != DType::boolean) throw std::invalid_argument("no condition");
  auto left = floats(a);
  const auto right = floats(b);
  for (std::size_t i = 0; i < left.size(); ++i)
    if (!static_cast<const char*>(told.address)[i]) left[i] = right[i];
  return of(a.extents(), left);
}
Tensor sum(const Tensor& x, const std::vector<int>& dims, bool keepdims) { return reduced(x, dims, keepdims, false); }
Tensor mean(const Tensor& x, const std::optional<std::vector<int>>& dims, bool keepdims) {
  return reduced(x, dims.value_or(std::vector<int>()), keepdims, true);
}
Tensor softmax(const Tensor& x, int axis) {
  step();
  auto values = floats(x);
  const Around a(x.extents(), axis);
  for (std::size_t o = 0; o < a.before; ++o)
    for (std::size_t i = 0; i < a.behind; ++i) {
      const auto at = [&](std::size_t k) -> float& { return values[(o * a.along + k) * a.behind + i]; };
      float most = at(0);
      double all = 0;
      for (std::size_t k = 0; k < a.along; ++k) most = std::fmax(most, at(k));
      for (std::size_t k = 0; k < a.along; ++k) all += std::exp(static_cast<double>(at(k)) - most);
      for (std::size_t k = 0; k < a.along; ++k) at(k) = static_cast<float>(std::exp(static_cast<double>(at(k)) - most) / all);
    }
  return of(x.extents(), values);
}
Tensor permute(const Tensor& x, const std::vector<int64_t>& dims) {
  step();
  const auto from = floats(x);
  const Extents& e = x.extents();
  Extents to;
  for (int64_t d : dims) to.push_back(e[static_cast<std::size_t>(d)]);
  std::vector<float> made(from.size());
  for (std::size_t i = 0; i < made.size(); ++i) {
    std::size_t rest = i, at = 0;
    std::vector<std::size_t> index(e.size());
    for (std::size_t d = to.size(); d-- > 0;) {
      index[static_cast<std::size_t>(dims[d])] = rest % static_cast<std::size_t>(to[d]);
      rest /= static_cast<std::size_t>(to[d]);
    }
    for (std::size_t d = 0; d < e.size(); ++d) at = at * static_cast<std::size_t>(e[d]) + index[d];
    made[i] = from[at];
  }
  return of(to, made);
}
Tensor concat(const std::vector<Tensor>& tensors, int axis) {
  step();
  Extents extents = tensors.at(0).extents();
  extents[static_cast<std::size_t>(axis)] = 0;
  for (const Tensor& t : tensors) extents[static_cast<std::size_t>(axis)] += t.extents()[static_cast<std::size_t>(axis)];
  const Around a(extents, axis);
  std::vector<float> made;
  std::vector<std::vector<float>> parts;
  for (const Tensor& t : tensors) parts.push_back(floats(t));
  for (std::size_t o = 0; o < a.before; ++o)
    for (std::size_t n = 0; n < parts.size(); ++n) {
      const std::size_t run = Around(tensors[n].extents(), axis).along * a.behind;
      made.insert(made.end(), parts[n].begin() + static_cast<std::ptrdiff_t>(o * run),
                  parts[n].begin() + static_cast<std::ptrdiff_t>((o + 1) * run));
    }
  return of(extents, made);
}
Tensor matmul(const Tensor& a, const Tensor& b, bool transpose_a, bool transpose_b) {
  step();
  if (transpose_a || transpose_b) throw std::invalid_argument("transposed");
  const auto left = floats(a), right = floats(b);
  const Extents &ae = a.extents(), &be = b.extents();
  const std::size_t r = ae.size(), m = static_cast<std::size_t>(ae[r - 2]), k = static_cast<std::size_t>(ae[r - 1]);
  const std::size_t n = static_cast<std::size_t>(be[r - 1]), batch = left.size() / (m * k != 0 ? m * k : 1);
  std::vector<float> made(batch * m * n);
  for (std::size_t c = 0; c < batch; ++c)
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        double all = 0;
        for (std::size_t q = 0; q < k; ++q)
          all += static_cast<double>(left[(c * m + i) * k + q]) * right[(c * k + q) * n + j];
        made[(c * m + i) * n + j] = static_cast<float>(all);
      }
  Extents extents = ae;
  extents[r - 1] = static_cast<int32_t>(n);
  return of(extents, made);
}
Tensor take(const Tensor& x, const Tensor& indices, int axis) {
  step();
  const auto& told = Access::of(indices);
  if (told.dtype != DType::i64) throw std::invalid_argument("no indices");
  const auto from = floats(x);
  const Around a(x.extents(), axis);
  const auto* index = static_cast<const int64_t*>(told.address);
  std::vector<float> made;
  for (std::size_t o = 0; o < a.before; ++o)
    for (std::size_t n = 0; n < told.count(); ++n)
      for (std::size_t i = 0; i < a.behind; ++i)
        made.push_back(from[(o * a.along + static_cast<std::size_t>(index[n])) * a.behind + i]);
  Extents extents = x.extents();
  extents[static_cast<std::size_t>(axis)] = static_cast<int32_t>(told.count());
  return of(extents, made);
}
std::tuple<Tensor, Tensor, Tensor> layer_norm(const Tensor& x, float eps, const std::optional<Tensor>& weight,
                                              const std::optional<Tensor>& bias) {
  step();
  auto values = floats(x);
  const Extents& e = x.extents();
  const std::size_t n = static_cast<std::size_t>(e.back()), rows = values.size() / n;
  std::vector<float> means, deviations, w, b;
  if (weight) w = floats(*weight);
  if (bias) b = floats(*bias);
  for (std::size_t r = 0; r < rows; ++r) {
    double mean = 0, square = 0;
    for (std::size_t i = 0; i < n; ++i) mean += values[r * n + i] / static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) square += (values[r * n + i] - mean) * (values[r * n + i] - mean) / static_cast<double>(n);
    const double scale = 1 / std::sqrt(square + eps);
    for (std::size_t i = 0; i < n; ++i) {
      double v = (values[r * n + i] - mean) * scale;
      if (weight) v *= w[i];
      if (bias) v += b[i];
      values[r * n + i] = static_cast<float>(v);
    }
    means.push_back(static_cast<float>(mean));
    deviations.push_back(static_cast<float>(scale));
  }
  const Extents per_row(e.begin(), e.end() - 1);
  return {of(e, values), of(per_row, means), of(per_row, deviations)};
}

Status device_malloc(void** address, std::size_t bytes) {
  *address = device_alloc(bytes);
  return *address ? Status::ok : Status::out_of_memory;
}
Status device_free(void* address) { return ::device_free(address) ? Status::ok : Status::bad_argument; }
static Status moved(void* to, const void* from, std::size_t bytes) {
  if (fails()) return Status::failed;
  std::memcpy(to, from, bytes);
  return Status::ok;
}
Status memcpy_host_to_device(void* to, const void* from, std::size_t bytes) { return moved(to, from, bytes); }
Status memcpy_device_to_host(void* to, const void* from, std::size_t bytes) { return moved(to, from, bytes); }
Status memcpy_device_to_device(void* to, const void* from, std::size_t bytes) { return moved(to, from, bytes); }
Status device_synchronize() { return Status::ok; }

}  // namespace linnet
