#include "kite.h"

#include <math.h>
#include <string.h>

#include "sim.h"

#define REQUIRE(x, why) do { if (fails()) return KITE_INTERNAL_ERROR; if (!(x)) return why; } while (0)

/* Threads have numbers: the system gives the id of one that ended to the next. */
static long threads;
static long self(void) {
  static __thread long number;
  return number ? number : (number = __atomic_add_fetch(&threads, 1, __ATOMIC_SEQ_CST));
}
struct kite_context { long thread; };
#define MINE(h) ((h) != NULL && (h)->thread == self())

kiteStatus kite_device_count(int *count) { REQUIRE(count, KITE_BAD_PARAM); *count = 1; return KITE_OK; }
/* What comes before a call that gives memory back does not fail either. */
kiteStatus kite_set_device(int device) { return device == 0 ? KITE_OK : KITE_BAD_PARAM; }
kiteStatus kite_device_synchronize(void) { return KITE_OK; }
kiteStatus kite_malloc(void **ptr, size_t bytes) {
  REQUIRE((*ptr = device_alloc(bytes)) != NULL, KITE_INTERNAL_ERROR);
  return KITE_OK;
}
kiteStatus kite_free(void *ptr) { return device_free(ptr) ? KITE_OK : KITE_BAD_PARAM; }
kiteStatus kite_memcpy_h2d(void *dst, const void *src, size_t bytes) {
  REQUIRE(on_device(dst, bytes) && !on_device(src, bytes), KITE_BAD_PARAM);
  memcpy(dst, src, bytes);
  return KITE_OK;
}
kiteStatus kite_memcpy_d2h(void *dst, const void *src, size_t bytes) {
  REQUIRE(on_device(src, bytes) && !on_device(dst, bytes), KITE_BAD_PARAM);
  memcpy(dst, src, bytes);
  return KITE_OK;
}

kiteStatus kite_create(kite_handle_t *handle) {
  REQUIRE((*handle = (kite_handle_t)make(sizeof **handle)) != NULL, KITE_INTERNAL_ERROR);
  (*handle)->thread = self();
  return KITE_OK;
}
kiteStatus kite_destroy(kite_handle_t handle) { unmake(handle); return KITE_OK; }
kiteStatus kite_set_stream(kite_handle_t handle, kite_stream_t stream) {
  REQUIRE(MINE(handle) && stream == NULL, KITE_BAD_PARAM);
  return KITE_OK;
}

#define BINARY(NAME, T, OP) \
  kiteStatus NAME(kite_handle_t h, const T *a, const T *b, T *out, size_t n) { \
    REQUIRE(MINE(h) && on_device(a, sizeof(T) * n) && on_device(b, sizeof(T) * n) && on_device(out, sizeof(T) * n), \
            KITE_BAD_PARAM); \
    for (size_t i = 0; i < n; ++i) out[i] = a[i] OP b[i]; \
    return KITE_OK; \
  }
BINARY(kite_add_f32, float, +)
BINARY(kite_add_f64, double, +)
BINARY(kite_sub_f32, float, -)

kiteStatus kite_activation(kite_handle_t h, kite_act kind, const float *x, float *y, size_t n) {
  REQUIRE(MINE(h) && on_device(x, 4 * n) && on_device(y, 4 * n), KITE_BAD_PARAM);
  for (size_t i = 0; i < n; ++i) switch (kind) {
      case KITE_ACT_RELU: y[i] = x[i] < 0 ? 0 : x[i]; break;
      case KITE_ACT_TANH: y[i] = tanhf(x[i]); break;
      case KITE_ACT_SIGMOID: y[i] = 1 / (1 + expf(-x[i])); break;
      default: return KITE_NOT_SUPPORTED;
    }
  return KITE_OK;
}
kiteStatus kite_exp(kite_handle_t h, const float *x, float *y, size_t n, kite_stream_t stream) {
  REQUIRE(MINE(h) && stream == NULL && on_device(x, 4 * n) && on_device(y, 4 * n), KITE_BAD_PARAM);
  for (size_t i = 0; i < n; ++i) y[i] = expf(x[i]);
  return KITE_OK;
}
kiteStatus kite_softmax(kite_handle_t h, const float *x, float *y, size_t rows, size_t cols) {
  REQUIRE(MINE(h) && on_device(x, 4 * rows * cols) && on_device(y, 4 * rows * cols), KITE_BAD_PARAM);
  for (size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    float most = -INFINITY;
    double sum = 0;
    for (size_t c = 0; c < cols; ++c) most = x[c] > most ? x[c] : most;
    for (size_t c = 0; c < cols; ++c) sum += exp((double)x[c] - most);
    for (size_t c = 0; c < cols; ++c) y[c] = (float)(exp((double)x[c] - most) / sum);
  }
  return KITE_OK;
}
kiteStatus kite_reduce_sum(kite_handle_t h, const float *x, float *y, size_t rows, size_t cols) {
  REQUIRE(MINE(h) && on_device(x, 4 * rows * cols) && on_device(y, 4 * rows), KITE_BAD_PARAM);
  for (size_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (size_t c = 0; c < cols; ++c) sum += x[r * cols + c];
    y[r] = (float)sum;
  }
  return KITE_OK;
}
kiteStatus kite_matmul(kite_handle_t h, const float *A, const float *B, float *C, int m, int n, int k) {
  REQUIRE(MINE(h) && m >= 0 && n >= 0 && k >= 0, KITE_BAD_PARAM);
  const size_t rows = (size_t)m, cols = (size_t)n, depth = (size_t)k;
  if (!on_device(A, 4 * rows * depth) || !on_device(B, 4 * depth * cols) || !on_device(C, 4 * rows * cols))
    return KITE_BAD_PARAM;
  for (size_t r = 0; r < rows; ++r)
    for (size_t c = 0; c < cols; ++c) {
      double sum = 0;
      for (size_t i = 0; i < depth; ++i) sum += (double)A[r * depth + i] * B[i * cols + c];
      C[r * cols + c] = (float)sum;
    }
  return KITE_OK;
}
