// What is put onto a barge is done when it is awaited, and not before.
#include "carriers.hpp"

#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

namespace wharf {

struct barge {
  std::vector<std::function<void()>> work;
};

code device_malloc(void **memory, std::size_t bytes) {
  *memory = bytes > (std::size_t{1} << 40) ? nullptr : std::malloc(bytes);
  return *memory != nullptr ? code::fine : code::no_room;
}
code device_free(void *memory) {
  std::free(memory);
  return code::fine;
}
static code copy(void *to, const void *from, std::size_t bytes) {
  if (to == nullptr || from == nullptr) return code::bad_size;
  std::memcpy(to, from, bytes);
  return code::fine;
}
code memcpy_host_to_device(void *to, const void *from, std::size_t bytes) { return copy(to, from, bytes); }
code memcpy_device_to_host(void *to, const void *from, std::size_t bytes) { return copy(to, from, bytes); }
code memcpy_device_to_device(void *to, const void *from, std::size_t bytes) { return copy(to, from, bytes); }

code barge_launch(barge **b) {
  *b = new barge;
  return code::fine;
}
code barge_scrap(barge *b) {
  delete b;
  return code::fine;
}
code barge_await(barge *b) {
  for (auto &task : b->work) task();
  b->work.clear();
  return code::fine;
}

namespace k {
namespace {
template <typename T, typename F>
code each(T *dst, count len, barge *b, F f) {
  if (b == nullptr || len < 0) return code::bad_size;
  b->work.push_back([=] {
    for (count i = 0; i < len; ++i) dst[i] = f(i);
  });
  return code::fine;
}
}  // namespace

template <typename T> code negate(const T *src, T *dst, count len, barge *b) {
  return each(dst, len, b, [=](count i) { return -src[i]; });
}
template <typename T> code relu(const T *src, T *dst, count len, barge *b) {
  return each(dst, len, b, [=](count i) { return src[i] < 0 ? T{0} : src[i]; });
}
template <typename T> code leaky_relu(const T *src, T *dst, count len, float slope, barge *b) {
  return each(dst, len, b, [=](count i) { return src[i] < 0 ? static_cast<T>(slope) * src[i] : src[i]; });
}
template <typename T> code add(const T *lhs, const T *rhs, T *dst, count len, barge *b) {
  return each(dst, len, b, [=](count i) { return lhs[i] + rhs[i]; });
}
template <typename T> code mul(const T *lhs, const T *rhs, T *dst, count len, barge *b) {
  return each(dst, len, b, [=](count i) { return lhs[i] * rhs[i]; });
}
template <typename T>
code matmul(const T *lhs, const T *rhs, T *dst, count rows, count inner, count cols, barge *b) {
  return each(dst, rows * cols, b, [=](count i) {
    T sum = 0;
    for (count j = 0; j < inner; ++j) sum += lhs[i / cols * inner + j] * rhs[j * cols + i % cols];
    return sum;
  });
}

#define FOR(T)                                                                            \
  template code negate<T>(const T *, T *, count, barge *);                                \
  template code relu<T>(const T *, T *, count, barge *);                                  \
  template code leaky_relu<T>(const T *, T *, count, float, barge *);                     \
  template code add<T>(const T *, const T *, T *, count, barge *);                        \
  template code mul<T>(const T *, const T *, T *, count, barge *);                        \
  template code matmul<T>(const T *, const T *, T *, count, count, count, barge *);
FOR(float)
#undef FOR
}  // namespace k
}  // namespace wharf
