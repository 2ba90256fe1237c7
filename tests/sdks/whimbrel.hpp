// Whimbrel: an invented accelerator whose functions are templates over views of its memory and put work into a queue.
// They throw what goes wrong.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>

namespace whimbrel {

enum class Status : int { Ok = 0, OutOfMemory = 1, Failed = 2 };

Status device_malloc(void** address, std::size_t bytes);
Status device_free(void* address);
Status memcpy_host_to_device(void* to, const void* from, std::size_t bytes);
Status memcpy_device_to_host(void* to, const void* from, std::size_t bytes);
Status memcpy_device_to_device(void* to, const void* from, std::size_t bytes);

class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An in-order queue of one card.
class queue {
 public:
  explicit queue(std::size_t ordinal = 0);
  ~queue();
  queue(const queue&) = delete;
  queue& operator=(const queue&) = delete;
  void finish();

 private:
  struct impl;
  impl* impl_;
  friend struct access;
};

/// A view of device memory; it owns nothing.
template <typename T>
class span {
 public:
  span() = default;
  span(T* data, std::size_t size) : data_(data), size_(size) {}
  T* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// A view of rank R; strides are counted in elements.
template <typename T, std::size_t R>
struct view {
  T* data = nullptr;
  std::array<std::int64_t, R> extent{};
  std::array<std::int64_t, R> stride{};
};
template <typename T>
using mat = view<T, 2>;

namespace kernels {
template <typename T> void negate(queue& q, span<T> to, span<const T> from);
template <typename T> void rectify(queue& q, span<T> to, span<const T> from);
template <typename T> void saturate(queue& q, T lowest, T highest, span<T> to, span<const T> from);
template <typename T> void sum_of(queue& q, span<T> to, span<const T> lhs, span<const T> rhs);
template <typename T> void product_of(queue& q, span<T> to, span<const T> lhs, span<const T> rhs);
template <typename T> void choose(queue& q, span<T> to, span<const bool> which, span<const T> yes, span<const T> no);
/// to = lhs x rhs
template <typename T> void matmul(queue& q, mat<T> to, mat<const T> lhs, mat<const T> rhs);
template <typename T> void softmax_rows(queue& q, mat<T> to, mat<const T> from);
template <typename T>
void layer_norm(queue& q, mat<T> to, mat<const T> from, span<const T> weight, std::optional<span<const T>> bias, float eps);
}  // namespace kernels
}  // namespace whimbrel
