#include "templates.hpp"

#include <cstdlib>
#include <cstring>

namespace tp {

Status allocate(void **pointer, std::size_t bytes) {
  *pointer = bytes > (std::size_t{1} << 40) ? nullptr : std::malloc(bytes);
  return *pointer != nullptr ? Status::Success : Status::OutOfMemory;
}

Status deallocate(void *pointer) {
  std::free(pointer);
  return Status::Success;
}

static Status copy(void *dst, const void *src, std::size_t bytes) {
  if (dst == nullptr || src == nullptr) return Status::InvalidValue;
  std::memcpy(dst, src, bytes);
  return Status::Success;
}

Status memcpyHostToDevice(void *dst, const void *src, std::size_t bytes) { return copy(dst, src, bytes); }
Status memcpyDeviceToHost(void *dst, const void *src, std::size_t bytes) { return copy(dst, src, bytes); }
Status memcpyDeviceToDevice(void *dst, const void *src, std::size_t bytes) { return copy(dst, src, bytes); }

template <typename T>
Status add(const T *x, const T *y, T *z, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) z[i] = static_cast<T>(x[i] + y[i]);
  return Status::Success;
}
template Status add<float>(const float *, const float *, float *, std::size_t);
template Status add<double>(const double *, const double *, double *, std::size_t);
template Status add<std::int32_t>(const std::int32_t *, const std::int32_t *, std::int32_t *, std::size_t);

template <class T>
Status gemm(Layout layout, Transpose trans_a, Transpose trans_b, std::int64_t m, std::int64_t n, std::int64_t k, T alpha,
            const T *a, std::int64_t lda, const T *b, std::int64_t ldb, T beta, T *c, std::int64_t ldc) {
  if (layout != Layout::RowMajor) return Status::InvalidValue;
  for (std::int64_t r = 0; r < m; ++r) {
    for (std::int64_t s = 0; s < n; ++s) {
      T sum = 0;
      for (std::int64_t i = 0; i < k; ++i) {
        sum += a[trans_a == Transpose::Yes ? i * lda + r : r * lda + i] *
               b[trans_b == Transpose::Yes ? s * ldb + i : i * ldb + s];
      }
      c[r * ldc + s] = alpha * sum + (beta == 0 ? 0 : beta * c[r * ldc + s]);
    }
  }
  return Status::Success;
}
// The header does not say so, and double is not among them.
template Status gemm<float>(Layout, Transpose, Transpose, std::int64_t, std::int64_t, std::int64_t, float, const float *,
                            std::int64_t, const float *, std::int64_t, float, float *, std::int64_t);

template <typename T>
static Status rectify(const T *x, T *y, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) y[i] = x[i] < 0 ? 0 : x[i];
  return Status::Success;
}
Status relu(const float *x, float *y, std::size_t n) { return rectify(x, y, n); }
Status relu(const double *x, double *y, std::size_t n) { return rectify(x, y, n); }

}  // namespace tp
