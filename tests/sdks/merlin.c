#include "merlin.h"

#include <math.h>
#include <string.h>

#include "sim.h"

#define STATUS bool
#define WORKED return true
#define FAILED return false
#define REQUIRE(x) do { if (fails() || !(x)) FAILED; } while (0)

/* Nothing works before the start, nor on a device that is not there. */
static int started, current;

STATUS ml_start(void) { REQUIRE(1); started = 1; WORKED; }
STATUS ml_stop(void) { started = 0; WORKED; }
STATUS ml_count(int *devices) { REQUIRE(started); *devices = 1; WORKED; }
STATUS ml_use(int device) { REQUIRE(started && device == 0); current = device; WORKED; }
STATUS ml_wait(void) { REQUIRE(started); WORKED; }

STATUS ml_reserve(size_t bytes, void **memory) { REQUIRE(started && (*memory = device_alloc(bytes)) != NULL); WORKED; }
STATUS ml_release(void *memory) { if (!device_free(memory)) FAILED; WORKED; }
STATUS ml_push(void *device, const void *host, size_t bytes) {
  REQUIRE(on_device(device, bytes) && !on_device(host, bytes));
  memcpy(device, host, bytes);
  WORKED;
}
STATUS ml_pull(void *host, const void *device, size_t bytes) {
  REQUIRE(on_device(device, bytes) && !on_device(host, bytes));
  memcpy(host, device, bytes);
  WORKED;
}

STATUS ml_elementwise2(ml_binary_kind op, const float *a, const float *b, float *out, size_t n) {
  REQUIRE(started && on_device(a, 4 * n) && on_device(b, 4 * n) && on_device(out, 4 * n));
  for (size_t i = 0; i < n; ++i)
    switch (op) {
      case ML_BINARY_ADD: out[i] = a[i] + b[i]; break;
      case ML_BINARY_SUB: out[i] = a[i] - b[i]; break;
      case ML_BINARY_MUL: out[i] = a[i] * b[i]; break;
      case ML_BINARY_DIV: out[i] = a[i] / b[i]; break;
      default: FAILED;
    }
  WORKED;
}
STATUS ml_activation(ml_act_kind kind, const float *x, float *y, size_t n, float slope) {
  REQUIRE(started && on_device(x, 4 * n) && on_device(y, 4 * n));
  for (size_t i = 0; i < n; ++i)
    switch (kind) {
      case ML_ACT_RELU: y[i] = x[i] < 0 ? 0 : x[i]; break;
      case ML_ACT_TANH: y[i] = tanhf(x[i]); break;
      case ML_ACT_LEAKY_RELU: y[i] = x[i] < 0 ? slope * x[i] : x[i]; break;
      default: FAILED;
    }
  WORKED;
}
STATUS ml_reduce_rows(ml_reduce_kind kind, const float *x, float *y, size_t rows, size_t cols) {
  REQUIRE(started && on_device(x, 4 * rows * cols) && on_device(y, 4 * rows));
  if (kind != ML_REDUCE_SUM && kind != ML_REDUCE_MEAN) FAILED;
  for (size_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (size_t c = 0; c < cols; ++c) sum += x[r * cols + c];
    y[r] = (float)(kind == ML_REDUCE_SUM ? sum : sum / (double)cols);
  }
  WORKED;
}
STATUS ml_unary(const float *x, float *y, size_t n, int op) {
  REQUIRE(started && on_device(x, 4 * n) && on_device(y, 4 * n));
  if (op < 0 || op > 2) FAILED;
  for (size_t i = 0; i < n; ++i) y[i] = op == 0 ? expf(x[i]) : op == 1 ? logf(x[i]) : sqrtf(x[i]);
  WORKED;
}

static size_t count(const ml_view *t) {
  size_t n = 1;
  for (int i = 0; i < t->rank; ++i) n *= (size_t)t->sizes[i];
  return n;
}
static int valid(const ml_view *t, size_t n) {
  return t->type == ML_FLOAT32 && count(t) == n && on_device(t->data, 4 * n);
}
STATUS ml_pointwise(ml_pointwise_kind kind, const ml_view *x, ml_view *y) {
  const size_t n = count(x);
  const float *from = (const float *)x->data;
  float *to = (float *)y->data;
  REQUIRE(started && valid(x, n) && valid(y, n));
  for (size_t i = 0; i < n; ++i)
    switch (kind) {
      case ML_POINTWISE_ABS: to[i] = fabsf(from[i]); break;
      case ML_POINTWISE_FLOOR: to[i] = floorf(from[i]); break;
      case ML_POINTWISE_NEG: to[i] = -from[i]; break;
      default: FAILED;
    }
  WORKED;
}
STATUS ml_tensor_op(ml_select_kind op, ml_view a, ml_view b, ml_view out) {
  const size_t n = count(&out);
  const float *one = (const float *)a.data, *other = (const float *)b.data;
  float *to = (float *)out.data;
  REQUIRE(started && valid(&a, n) && valid(&b, n) && valid(&out, n));
  if (op != ML_SELECT_MIN && op != ML_SELECT_MAX) FAILED;
  for (size_t i = 0; i < n; ++i) {
    const int first = isnan(one[i]) || (op == ML_SELECT_MIN ? one[i] < other[i] : one[i] > other[i]);
    to[i] = first ? one[i] : other[i];
  }
  WORKED;
}
