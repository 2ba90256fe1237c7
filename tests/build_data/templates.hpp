// A C++ SDK: function templates that its library instantiates, overloads, and templates that live in the header.
#pragma once
#include <cstddef>
#include <cstdint>

namespace tp {

enum class Status { Success = 0, OutOfMemory = 1, InvalidValue = 2 };
enum class Layout { RowMajor, ColumnMajor };
enum class Transpose { No, Yes };

Status allocate(void **pointer, std::size_t bytes);
Status deallocate(void *pointer);
Status memcpyHostToDevice(void *dst, const void *src, std::size_t bytes);
Status memcpyDeviceToHost(void *dst, const void *src, std::size_t bytes);
Status memcpyDeviceToDevice(void *dst, const void *src, std::size_t bytes);

// z = x + y
template <typename T>
Status add(const T *x, const T *y, T *z, std::size_t n);
extern template Status add<float>(const float *, const float *, float *, std::size_t);
extern template Status add<double>(const double *, const double *, double *, std::size_t);
extern template Status add<std::int32_t>(const std::int32_t *, const std::int32_t *, std::int32_t *, std::size_t);

// C = alpha * op(A) * op(B) + beta * C; instantiated by the library
template <class T>
Status gemm(Layout layout, Transpose trans_a, Transpose trans_b, std::int64_t m, std::int64_t n, std::int64_t k, T alpha,
            const T *a, std::int64_t lda, const T *b, std::int64_t ldb, T beta, T *c, std::int64_t ldc);

Status relu(const float *x, float *y, std::size_t n);
Status relu(const double *x, double *y, std::size_t n);

// y = -x, compiled by whoever calls it
template <typename T>
inline Status neg(const T *x, T *y, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) y[i] = -x[i];
  return Status::Success;
}

}  // namespace tp
