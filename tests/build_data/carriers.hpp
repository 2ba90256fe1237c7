// Function templates that the library instantiates; the last argument carries the work in order, and has verbs of its own.
#pragma once
#include <cstddef>
#include <cstdint>

namespace wharf {

enum class [[nodiscard]] code : int { fine = 0, bad_size = 3, no_room = 7, lost = 9 };
using count = std::int64_t;

struct barge;  ///< carries work, in order

code device_malloc(void **memory, std::size_t bytes);
code device_free(void *memory);
code memcpy_host_to_device(void *to, const void *from, std::size_t bytes);
code memcpy_device_to_host(void *to, const void *from, std::size_t bytes);
code memcpy_device_to_device(void *to, const void *from, std::size_t bytes);

code barge_launch(barge **b);
code barge_scrap(barge *b);
code barge_await(barge *b);

namespace k {
template <typename T> code negate(const T *src, T *dst, count len, barge *b);
template <typename T> code relu(const T *src, T *dst, count len, barge *b);
template <typename T> code leaky_relu(const T *src, T *dst, count len, float slope, barge *b);
template <typename T> code add(const T *lhs, const T *rhs, T *dst, count len, barge *b);
template <typename T> code mul(const T *lhs, const T *rhs, T *dst, count len, barge *b);
/// dst (rows x cols) = lhs (rows x inner) times rhs (inner x cols)
template <typename T> code matmul(const T *lhs, const T *rhs, T *dst, count rows, count inner, count cols, barge *b);
}  // namespace k
}  // namespace wharf
