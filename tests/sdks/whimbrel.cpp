// Whimbrel, simulated: work waits in a queue until it is finished.
#include "whimbrel.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

extern "C" {
#include "sim.h"
}

namespace whimbrel {

struct queue::impl {
  std::vector<std::function<void()>> work;
};
struct access {
  static void put(queue& q, std::function<void()> task) {
    if (fails()) throw error("the card failed");
    q.impl_->work.push_back(std::move(task));
  }
};
queue::queue(std::size_t) : impl_(new impl) { __atomic_add_fetch(&alive, 1, __ATOMIC_SEQ_CST); }
queue::~queue() {
  __atomic_sub_fetch(&alive, 1, __ATOMIC_SEQ_CST);
  delete impl_;
}
void queue::finish() {
  for (auto& task : impl_->work) task();
  impl_->work.clear();
  if (fails()) throw error("the queue failed");
}

Status device_malloc(void** address, std::size_t bytes) {
  *address = device_alloc(bytes);
  return *address ? Status::Ok : Status::OutOfMemory;
}
Status device_free(void* address) { return ::device_free(address) ? Status::Ok : Status::Failed; }
static Status moved(void* to, const void* from, std::size_t bytes) {
  if (fails()) return Status::Failed;
  std::memcpy(to, from, bytes);
  return Status::Ok;
}
Status memcpy_host_to_device(void* to, const void* from, std::size_t bytes) { return moved(to, from, bytes); }
Status memcpy_device_to_host(void* to, const void* from, std::size_t bytes) { return moved(to, from, bytes); }
Status memcpy_device_to_device(void* to, const void* from, std::size_t bytes) { return moved(to, from, bytes); }

namespace kernels {
namespace {
void same(std::size_t a, std::size_t b) {
  if (a != b) throw error("spans of different sizes");
}
template <typename T>
T& at(const mat<T>& m, std::int64_t r, std::int64_t c) {
  return m.data[r * m.stride[0] + c * m.stride[1]];
}
}  // namespace

template <typename T> void negate(queue& q, span<T> to, span<const T> from) {
  same(to.size(), from.size());
  access::put(q, [=] {
    for (std::size_t i = 0; i < to.size(); ++i) to.data()[i] = -from.data()[i];
  });
}
template <typename T> void rectify(queue& q, span<T> to, span<const T> from) {
  same(to.size(), from.size());
  access::put(q, [=] {
    for (std::size_t i = 0; i < to.size(); ++i) to.data()[i] = from.data()[i] < 0 ? 0 : from.data()[i];
  });
}
template <typename T> void saturate(queue& q, T lowest, T highest, span<T> to, span<const T> from) {
  same(to.size(), from.size());
  access::put(q, [=] {
    for (std::size_t i = 0; i < to.size(); ++i) {
      const T v = from.data()[i], low = v < lowest ? lowest : v;
      to.data()[i] = low > highest ? highest : low;
    }
  });
}
template <typename T> void sum_of(queue& q, span<T> to, span<const T> lhs, span<const T> rhs) {
  same(to.size(), lhs.size());
  same(to.size(), rhs.size());
  access::put(q, [=] {
    for (std::size_t i = 0; i < to.size(); ++i) to.data()[i] = lhs.data()[i] + rhs.data()[i];
  });
}
template <typename T> void product_of(queue& q, span<T> to, span<const T> lhs, span<const T> rhs) {
  same(to.size(), lhs.size());
  same(to.size(), rhs.size());
  access::put(q, [=] {
    for (std::size_t i = 0; i < to.size(); ++i) to.data()[i] = lhs.data()[i] * rhs.data()[i];
  });
}
template <typename T> void choose(queue& q, span<T> to, span<const bool> which, span<const T> yes, span<const T> no) {
  same(to.size(), which.size());
  access::put(q, [=] {
    for (std::size_t i = 0; i < to.size(); ++i) to.data()[i] = which.data()[i] ? yes.data()[i] : no.data()[i];
  });
}
template <typename T> void matmul(queue& q, mat<T> to, mat<const T> lhs, mat<const T> rhs) {
  if (lhs.extent[1] != rhs.extent[0] || to.extent[0] != lhs.extent[0] || to.extent[1] != rhs.extent[1])
    throw error("matrices that do not fit");
  access::put(q, [=] {
    for (std::int64_t r = 0; r < to.extent[0]; ++r)
      for (std::int64_t c = 0; c < to.extent[1]; ++c) {
        T sum = 0;
        for (std::int64_t k = 0; k < lhs.extent[1]; ++k) sum += at(lhs, r, k) * at(rhs, k, c);
        at(to, r, c) = sum;
      }
  });
}
template <typename T> void softmax_rows(queue& q, mat<T> to, mat<const T> from) {
  if (to.extent != from.extent) throw error("matrices of different extents");
  access::put(q, [=] {
    for (std::int64_t r = 0; r < to.extent[0]; ++r) {
      double most = -std::numeric_limits<double>::infinity(), sum = 0;
      for (std::int64_t c = 0; c < to.extent[1]; ++c) most = std::max(most, static_cast<double>(at(from, r, c)));
      for (std::int64_t c = 0; c < to.extent[1]; ++c) sum += std::exp(at(from, r, c) - most);
      for (std::int64_t c = 0; c < to.extent[1]; ++c) at(to, r, c) = static_cast<T>(std::exp(at(from, r, c) - most) / sum);
    }
  });
}
template <typename T>
void layer_norm(queue& q, mat<T> to, mat<const T> from, span<const T> weight, std::optional<span<const T>> bias, float eps) {
  same(static_cast<std::size_t>(to.extent[1]), weight.size());
  access::put(q, [=] {
    const std::int64_t n = to.extent[1];
    for (std::int64_t r = 0; r < to.extent[0]; ++r) {
      double mean = 0, square = 0;
      for (std::int64_t c = 0; c < n; ++c) mean += at(from, r, c) / static_cast<double>(n);
      for (std::int64_t c = 0; c < n; ++c) square += (at(from, r, c) - mean) * (at(from, r, c) - mean) / static_cast<double>(n);
      for (std::int64_t c = 0; c < n; ++c) {
        const double v = (at(from, r, c) - mean) / std::sqrt(square + eps) * weight.data()[c];
        at(to, r, c) = static_cast<T>(bias ? v + bias->data()[c] : v);
      }
    }
  });
}

#define FOR(T)                                                                                                        \
  template void negate<T>(queue&, span<T>, span<const T>);                                                            \
  template void rectify<T>(queue&, span<T>, span<const T>);                                                           \
  template void saturate<T>(queue&, T, T, span<T>, span<const T>);                                                    \
  template void sum_of<T>(queue&, span<T>, span<const T>, span<const T>);                                             \
  template void product_of<T>(queue&, span<T>, span<const T>, span<const T>);                                         \
  template void choose<T>(queue&, span<T>, span<const bool>, span<const T>, span<const T>);                           \
  template void matmul<T>(queue&, mat<T>, mat<const T>, mat<const T>);                                                \
  template void softmax_rows<T>(queue&, mat<T>, mat<const T>);                                                        \
  template void layer_norm<T>(queue&, mat<T>, mat<const T>, span<const T>, std::optional<span<const T>>, float);
FOR(float)
#undef FOR
}  // namespace kernels
}  // namespace whimbrel
