#include "ember.h"

#include <math.h>

#include "sim.h"

enum kind { ABS, FLOOR, LEAKY, TANH, SIGMOID, MULTIPLY, SUBTRACT, CONV, POOL };
struct em_operator {
  enum kind kind;
  size_t channels, batch, height, width, group_in, group_out;
  uint32_t top, right, bottom, left, kernel[2], stride[2], dilation[2], groups;
  float slope, least, most;
  const float *a, *b, *w, *bias;
  float *y;
};

#define STEP() do { if (fails()) return em_status_unsupported_parameter; } while (0)
#define REQUIRE(x) do { if (!(x)) return em_status_invalid_parameter; } while (0)

static int ready;
enum em_status em_initialize(void) { ready = 1; return em_status_success; }
enum em_status em_deinitialize(void) { ready = 0; return em_status_success; }
enum em_status em_delete_operator(em_operator_t op) { unmake(op); return em_status_success; }

static enum em_status create(enum kind kind, em_operator_t *out) {
  if (!ready) return em_status_uninitialized;
  STEP();
  REQUIRE(out);
  if (!(*out = (em_operator_t)make(sizeof **out))) return em_status_out_of_memory;
  (*out)->kind = kind;
  return em_status_success;
}
static enum em_status rows(enum kind kind, size_t channels, size_t in, size_t out, uint32_t flags, em_operator_t *op) {
  REQUIRE(channels > 0 && in == channels && out == channels && flags == 0);
  {
    const enum em_status made = create(kind, op);
    if (made == em_status_success) (*op)->channels = channels;
    return made;
  }
}
static enum em_status bind(em_operator_t op, enum kind kind, size_t batch, const float *input, float *output) {
  STEP();
  REQUIRE(op && op->kind == kind && input && output);
  op->batch = batch, op->a = input, op->y = output;
  return em_status_success;
}
#define ROWS(name, kind) \
  enum em_status em_create_##name##_nc_f32(size_t channels, size_t in, size_t out, uint32_t flags, em_operator_t *op) { \
    return rows(kind, channels, in, out, flags, op); \
  } \
  enum em_status em_setup_##name##_nc_f32(em_operator_t op, size_t batch, const float *input, float *output, em_threadpool_t pool) { \
    (void)pool; \
    return bind(op, kind, batch, input, output); \
  }
ROWS(abs, ABS)
ROWS(floor, FLOOR)
ROWS(tanh, TANH)
enum em_status em_create_leaky_relu_nc_f32(size_t channels, size_t in, size_t out, float slope, uint32_t flags, em_operator_t *op) {
  const enum em_status made = rows(LEAKY, channels, in, out, flags, op);
  if (made == em_status_success) (*op)->slope = slope;
  return made;
}
enum em_status em_setup_leaky_relu_nc_f32(em_operator_t op, size_t batch, const float *input, float *output, em_threadpool_t pool) {
  (void)pool;
  return bind(op, LEAKY, batch, input, output);
}
enum em_status em_create_sigmoid_nc_f32(uint32_t flags, em_operator_t *op) { REQUIRE(flags == 0); return create(SIGMOID, op); }
enum em_status em_reshape_sigmoid_nc_f32(em_operator_t op, size_t batch, size_t channels, size_t in, size_t out, em_threadpool_t pool) {
  (void)pool;
  STEP();
  REQUIRE(op && op->kind == SIGMOID && channels > 0 && in == channels && out == channels);
  op->batch = batch, op->channels = channels;
  return em_status_success;
}
enum em_status em_setup_sigmoid_nc_f32(em_operator_t op, const float *input, float *output) {
  STEP();
  REQUIRE(op && op->kind == SIGMOID && op->channels > 0 && input && output);
  op->a = input, op->y = output;
  return em_status_success;
}
static enum em_status pairs(em_operator_t op, enum kind kind, size_t an, const size_t *as, size_t bn, const size_t *bs, const float *a, const float *b, float *y) {
  size_t i, n = 1;
  REQUIRE(an == bn && an <= 6);
  for (i = 0; i < an; ++i) { REQUIRE(as[i] == bs[i]); n *= as[i]; }
  {
    const enum em_status bound = bind(op, kind, 1, a, y);
    if (bound == em_status_success) op->b = b, op->channels = n;
    return bound;
  }
}
#define PAIRS(name, kind) \
  enum em_status em_create_##name##_nd_f32(float least, float most, uint32_t flags, em_operator_t *op) { \
    enum em_status made; \
    REQUIRE(least < most && flags == 0); \
    made = create(kind, op); \
    if (made == em_status_success) (*op)->least = least, (*op)->most = most; \
    return made; \
  } \
  enum em_status em_setup_##name##_nd_f32(em_operator_t op, size_t an, const size_t *as, size_t bn, const size_t *bs, \
                                          const float *a, const float *b, float *y, em_threadpool_t pool) { \
    (void)pool; \
    return pairs(op, kind, an, as, bn, bs, a, b, y); \
  }
PAIRS(multiply, MULTIPLY)
PAIRS(subtract, SUBTRACT)

enum em_status em_create_convolution2d_nchw_f32(uint32_t top, uint32_t right, uint32_t bottom, uint32_t left, uint32_t kh, uint32_t kw,
                                                uint32_t sh, uint32_t sw, uint32_t dh, uint32_t dw, uint32_t groups, size_t in, size_t out,
                                                const float *kernel, const float *bias, float least, float most, uint32_t flags, em_operator_t *op) {
  enum em_status made;
  REQUIRE(kh && kw && sh && sw && dh && dw && groups && in && out && kernel && least < most && flags == 0);
  made = create(CONV, op);
  if (made != em_status_success) return made;
  (*op)->top = top, (*op)->right = right, (*op)->bottom = bottom, (*op)->left = left;
  (*op)->kernel[0] = kh, (*op)->kernel[1] = kw, (*op)->stride[0] = sh, (*op)->stride[1] = sw;
  (*op)->dilation[0] = dh, (*op)->dilation[1] = dw, (*op)->groups = groups, (*op)->group_in = in, (*op)->group_out = out;
  (*op)->w = kernel, (*op)->bias = bias, (*op)->least = least, (*op)->most = most;
  return made;
}
enum em_status em_setup_convolution2d_nchw_f32(em_operator_t op, size_t batch, size_t height, size_t width, const float *input, float *output, em_threadpool_t pool) {
  const enum em_status bound = bind(op, CONV, batch, input, output);
  (void)pool;
  if (bound == em_status_success) op->height = height, op->width = width;
  return bound;
}

enum em_status em_create_average_pooling2d_nhwc_f32(uint32_t top, uint32_t right, uint32_t bottom, uint32_t left, uint32_t kh, uint32_t kw,
                                                    uint32_t sh, uint32_t sw, size_t channels, size_t in, size_t out, float least, float most,
                                                    uint32_t flags, em_operator_t *op) {
  enum em_status made;
  REQUIRE(kh && kw && sh && sw && channels && in == channels && out == channels && least < most && flags == 0);
  made = create(POOL, op);
  if (made != em_status_success) return made;
  (*op)->top = top, (*op)->right = right, (*op)->bottom = bottom, (*op)->left = left;
  (*op)->kernel[0] = kh, (*op)->kernel[1] = kw, (*op)->stride[0] = sh, (*op)->stride[1] = sw;
  (*op)->channels = channels, (*op)->least = least, (*op)->most = most;
  return made;
}
enum em_status em_setup_average_pooling2d_nhwc_f32(em_operator_t op, size_t batch, size_t height, size_t width, const float *input, float *output, em_threadpool_t pool) {
  const enum em_status bound = bind(op, POOL, batch, input, output);
  (void)pool;
  if (bound == em_status_success) op->height = height, op->width = width;
  return bound;
}

static float clamped(const struct em_operator *op, double v) { return v < op->least ? op->least : v > op->most ? op->most : (float)v; }
static void convolve(const struct em_operator *op) {
  const long oh = ((long)(op->height + op->top + op->bottom) - (long)(op->dilation[0] * (op->kernel[0] - 1)) - 1) / (long)op->stride[0] + 1;
  const long ow = ((long)(op->width + op->left + op->right) - (long)(op->dilation[1] * (op->kernel[1] - 1)) - 1) / (long)op->stride[1] + 1;
  const long outs = (long)(op->groups * op->group_out), ins = (long)(op->groups * op->group_in);
  long n, k, p, q, c, r, s;
  for (n = 0; n < (long)op->batch; ++n)
    for (k = 0; k < outs; ++k)
      for (p = 0; p < oh; ++p)
        for (q = 0; q < ow; ++q) {
          double sum = op->bias ? op->bias[k] : 0;
          for (c = 0; c < (long)op->group_in; ++c)
            for (r = 0; r < (long)op->kernel[0]; ++r)
              for (s = 0; s < (long)op->kernel[1]; ++s) {
                const long h = p * (long)op->stride[0] - (long)op->top + r * (long)op->dilation[0];
                const long v = q * (long)op->stride[1] - (long)op->left + s * (long)op->dilation[1];
                const long from = k / (long)op->group_out * (long)op->group_in + c;
                if (h < 0 || v < 0 || h >= (long)op->height || v >= (long)op->width) continue;
                sum += (double)op->a[((n * ins + from) * (long)op->height + h) * (long)op->width + v] *
                       op->w[((k * (long)op->group_in + c) * (long)op->kernel[0] + r) * (long)op->kernel[1] + s];
              }
          op->y[((n * outs + k) * oh + p) * ow + q] = clamped(op, sum);
        }
}
static void average(const struct em_operator *op) {
  const long oh = ((long)(op->height + op->top + op->bottom) - (long)op->kernel[0]) / (long)op->stride[0] + 1;
  const long ow = ((long)(op->width + op->left + op->right) - (long)op->kernel[1]) / (long)op->stride[1] + 1;
  const long channels = (long)op->channels, height = (long)op->height, width = (long)op->width;
  long n, p, q, c, r, s;
  for (n = 0; n < (long)op->batch; ++n)
    for (p = 0; p < oh; ++p)
      for (q = 0; q < ow; ++q)
        for (c = 0; c < channels; ++c) {
          double sum = 0;
          for (r = 0; r < (long)op->kernel[0]; ++r)
            for (s = 0; s < (long)op->kernel[1]; ++s) {
              const long h = p * (long)op->stride[0] - (long)op->top + r, v = q * (long)op->stride[1] - (long)op->left + s;
              if (h >= 0 && v >= 0 && h < height && v < width) sum += op->a[((n * height + h) * width + v) * channels + c];
            }
          op->y[((n * oh + p) * ow + q) * channels + c] = clamped(op, sum / (double)(op->kernel[0] * op->kernel[1]));
        }
}
enum em_status em_run_operator(em_operator_t op, em_threadpool_t pool) {
  size_t n, c;
  (void)pool;
  STEP();
  REQUIRE(op && op->a && op->y);
  if (op->kind == CONV) { convolve(op); return em_status_success; }
  if (op->kind == POOL) { average(op); return em_status_success; }
  for (n = 0; n < op->batch; ++n) {
    const float *a = op->a + n * op->channels;
    float *y = op->y + n * op->channels;
    for (c = 0; c < op->channels; ++c) {
      switch (op->kind) {
        case ABS: y[c] = fabsf(a[c]); break;
        case FLOOR: y[c] = floorf(a[c]); break;
        case LEAKY: y[c] = a[c] < 0 ? a[c] * op->slope : a[c]; break;
        case SIGMOID: y[c] = (float)(1 / (1 + exp(-(double)a[c]))); break;
        case MULTIPLY: y[c] = clamped(op, a[c] * op->b[n * op->channels + c]); break;
        case SUBTRACT: y[c] = clamped(op, a[c] - op->b[n * op->channels + c]); break;
        default: y[c] = (float)tanh(a[c]); break;
      }
    }
  }
  return em_status_success;
}
