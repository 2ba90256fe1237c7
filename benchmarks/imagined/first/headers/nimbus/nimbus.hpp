// Nimbus vector engine - C++ operator templates
// An imagined vendor's header.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace nimbus {

/// A view of device memory; it owns nothing.
template <typename T>
class span {
 public:
  constexpr span() = default;
  constexpr span(T* data, std::size_t size) : data_(data), size_(size) {}
  template <typename U, typename = std::enable_if_t<std::is_same_v<const U, T>>>
  constexpr span(span<U> o) : data_(o.data()), size_(o.size()) {}
  constexpr T* data() const { return data_; }
  constexpr std::size_t size() const { return size_; }
  constexpr span subspan(std::size_t at, std::size_t n) const { return {data_ + at, n}; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Row-major matrix view; `pitch` counts elements from one row to the next.
template <typename T>
struct mat {
  T* data;
  std::size_t rows;
  std::size_t cols;
  std::size_t pitch;
};

struct half { std::uint16_t bits; };
struct bfloat { std::uint16_t bits; };

class error : public std::exception {
 public:
  explicit error(int code);
  const char* what() const noexcept override;
  int code() const noexcept;

 private:
  int code_;
  std::string text_;
};

class queue {
 public:
  explicit queue(int device = 0);
  ~queue();
  queue(const queue&) = delete;
  queue& operator=(const queue&) = delete;
  void wait();
  bool idle() const;
  int device() const noexcept;
  void* native() const noexcept;

 private:
  struct impl;
  std::unique_ptr<impl> p_;
};

class event {
 public:
  event();
  ~event();
  void record(queue& q);
  void wait() const;
  double ms_since(const event& start) const;

 private:
  std::shared_ptr<void> p_;
};

int device_count() noexcept;
std::string device_name(int device);

template <typename T>
span<T> allocate(std::size_t n, int device = 0);
template <typename T>
void release(span<T> s) noexcept;
template <typename T>
void upload(const T* host, span<T> dev, queue& q);
template <typename T>
void download(span<const T> dev, T* host, queue& q);

// All operators are asynchronous and throw nimbus::error. Spans of one call have one size, checked at run time.

namespace ops {

template <typename T> void copy(span<const T> in, span<T> out, queue& q);
template <typename T> void fill(span<T> out, T value, queue& q);
template <typename T> void iota(span<T> out, T first, T step, queue& q);
template <typename To, typename From> void convert(span<const From> in, span<To> out, queue& q);

template <typename T> void negate(span<const T> in, span<T> out, queue& q);
template <typename T> void absolute(span<const T> in, span<T> out, queue& q);
template <typename T> void square_root(span<const T> in, span<T> out, queue& q);
template <typename T> void inverse_square_root(span<const T> in, span<T> out, queue& q);
template <typename T> void exponential(span<const T> in, span<T> out, queue& q);
template <typename T> void natural_log(span<const T> in, span<T> out, queue& q);
template <typename T> void sine(span<const T> in, span<T> out, queue& q);
template <typename T> void cosine(span<const T> in, span<T> out, queue& q);
template <typename T> void hyperbolic_tangent(span<const T> in, span<T> out, queue& q);
template <typename T> void logistic(span<const T> in, span<T> out, queue& q);
template <typename T> void rectify(span<const T> in, span<T> out, queue& q);
template <typename T> void leaky_rectify(span<const T> in, span<T> out, T slope, queue& q);
template <typename T> void clamp(span<const T> in, span<T> out, T lo, T hi, queue& q);

template <typename T> void plus(span<const T> lhs, span<const T> rhs, span<T> out, queue& q);
template <typename T> void minus(span<const T> lhs, span<const T> rhs, span<T> out, queue& q);
template <typename T> void multiplies(span<const T> lhs, span<const T> rhs, span<T> out, queue& q);
template <typename T> void divides(span<const T> lhs, span<const T> rhs, span<T> out, queue& q);
template <typename T> void power(span<const T> base, span<const T> exponent, span<T> out, queue& q);
template <typename T> void minimum(span<const T> lhs, span<const T> rhs, span<T> out, queue& q);
template <typename T> void maximum(span<const T> lhs, span<const T> rhs, span<T> out, queue& q);
template <typename T> void plus(span<const T> lhs, T rhs, span<T> out, queue& q);
template <typename T> void multiplies(span<const T> lhs, T rhs, span<T> out, queue& q);
/// out = a * b + c
template <typename T> void fused_multiply_add(span<const T> a, span<const T> b, span<const T> c, span<T> out, queue& q);

template <typename T> void less(span<const T> lhs, span<const T> rhs, span<bool> out, queue& q);
template <typename T> void equal_to(span<const T> lhs, span<const T> rhs, span<bool> out, queue& q);
template <typename T> void select(span<const bool> mask, span<const T> if_true, span<const T> if_false, span<T> out, queue& q);

// One number, left in out[0].
template <typename T> void sum(span<const T> in, span<T> out, queue& q);
template <typename T> void largest(span<const T> in, span<T> out, queue& q);
template <typename T> void smallest(span<const T> in, span<T> out, queue& q);
template <typename T> void index_of_largest(span<const T> in, span<std::int64_t> out, queue& q);
template <typename T> void inclusive_scan(span<const T> in, span<T> out, queue& q);
template <typename T> void exclusive_scan(span<const T> in, span<T> out, queue& q);
template <typename T> void sort(span<T> data, bool descending, queue& q);
template <typename K, typename V> void sort_by_key(span<K> keys, span<V> values, bool descending, queue& q);
template <typename T> std::size_t unique(span<T> data, queue& q);

template <typename T> void matmul(mat<const T> a, mat<const T> b, mat<T> c, queue& q);
/// c = alpha * a * b + beta * c
template <typename T> void gemm(T alpha, mat<const T> a, mat<const T> b, T beta, mat<T> c, queue& q);
template <typename T> void matvec(mat<const T> a, span<const T> x, span<T> y, queue& q);
template <typename T> void transpose(mat<const T> in, mat<T> out, queue& q);
template <typename T> void row_softmax(mat<const T> in, mat<T> out, queue& q);
template <typename T> void row_sum(mat<const T> in, span<T> out, queue& q);
template <typename T> void row_layer_norm(mat<const T> in, span<const T> gamma, span<const T> beta, T eps, mat<T> out, queue& q);
template <typename T> void gather_rows(mat<const T> table, span<const std::int32_t> rows, mat<T> out, queue& q);

}  // namespace ops

namespace random {
class engine {
 public:
  explicit engine(std::uint64_t seed);
  void uniform(span<float> out, float lo, float hi, queue& q);
  void normal(span<float> out, float mean, float stddev, queue& q);
  void seed(std::uint64_t s);
};
}  // namespace random

namespace debug {
void enable_checks(bool on);
std::string describe(const queue& q);
template <typename T> bool has_nan(span<const T> in, queue& q);
}  // namespace debug

}  // namespace nimbus
