#include "pipit.h"

#include <math.h>
#include <string.h>

#include "sim.h"

#define STEP() do { if (fails()) return PT_NOT_SUPPORTED; } while (0)
#define REQUIRE(x) do { if (!(x)) return PT_ERR_ARGUMENT; } while (0)
#define OF(p, T) do { if ((p)->type != (T)) return PT_NOT_SUPPORTED; } while (0)

ptCode ptDeviceCount(int32_t *n) { *n = 1; return PT_SUCCESS; }
ptCode ptDeviceSelect(int32_t ordinal) { REQUIRE(ordinal == 0); return PT_SUCCESS; }
ptCode ptDeviceWaitIdle(void) { return PT_SUCCESS; }
ptCode ptMemAlloc(void **p, size_t size) { return (*p = device_alloc(size)) ? PT_SUCCESS : PT_ERR_NO_MEMORY; }
ptCode ptMemFree(void *p) { return device_free(p) ? PT_SUCCESS : PT_ERR_ARGUMENT; }
ptCode ptMemUpload(void *dst, const void *src, size_t size, ptStream stream) {
  STEP();
  REQUIRE(!stream && on_device(dst, size));
  memcpy(dst, src, size);
  return PT_SUCCESS;
}
ptCode ptMemDownload(void *dst, const void *src, size_t size, ptStream stream) {
  STEP();
  REQUIRE(!stream && on_device(src, size));
  memcpy(dst, src, size);
  return PT_SUCCESS;
}

static size_t width(const ptPane *p) { return p->type == PT_INT64 ? 8 : p->type == PT_BOOL ? 1 : p->type == PT_FLOAT16 ? 2 : 4; }
static int64_t count(const ptPane *p) {
  int64_t n = 1;
  for (int i = 0; i < p->rank; ++i) n *= p->size[i];
  return n;
}
static int valid(const ptPane *p) {
  if (!p || p->rank < 1 || p->rank > 6 || p->offset) return 0;
  for (int i = 0; i < p->rank; ++i) if (p->size[i] < 0) return 0;
  return on_device(p->base, (size_t)count(p) * width(p));
}
/* The place of the i-th element in row-major order. */
static int64_t spot(const ptPane *p, int64_t i) {
  int64_t at = 0;
  for (int d = p->rank - 1; d >= 0; --d) { at += i % p->size[d] * p->stride[d]; i /= p->size[d]; }
  return at;
}
static float *f32(const ptPane *p, int64_t i) { return (float *)p->base + spot(p, i); }
static int64_t *i64(const ptPane *p, int64_t i) { return (int64_t *)p->base + spot(p, i); }
static int same(const ptPane *a, const ptPane *b) {
  if (a->rank != b->rank) return 0;
  for (int i = 0; i < a->rank; ++i) if (a->size[i] != b->size[i]) return 0;
  return 1;
}
/* As much as was asked for, on the device. */
static ptCode room(const void *scratch, size_t given, size_t needed) {
  return given == needed && on_device(scratch, needed) ? PT_SUCCESS : PT_ERR_SCRATCH;
}
#define ROOM(n) do { STEP(); REQUIRE(!stream); if (room(scratch, bytes, n) != PT_SUCCESS) return PT_ERR_SCRATCH; } while (0)
#define RUN void *scratch, size_t bytes, ptStream stream

ptCode ptBinaryScratchQuery(const ptPane *a, const ptPane *b, const ptPane *out, size_t *bytes) {
  STEP();
  REQUIRE(valid(a) && valid(b) && valid(out));
  *bytes = 48;
  return PT_SUCCESS;
}
#define ALIKE() REQUIRE(valid(a) && valid(b) && valid(out) && same(a, out) && same(b, out) && a->type == b->type); ROOM(48)
#define BINARY(NAME, OP) \
  ptCode NAME(const ptPane *a, const ptPane *b, const ptPane *out, RUN) { \
    ALIKE(); \
    OF(out, a->type); \
    for (int64_t i = 0; i < count(out); ++i) { \
      if (a->type == PT_FLOAT32) { const float x = *f32(a, i), y = *f32(b, i); *f32(out, i) = OP; } \
      else if (a->type == PT_INT64) { const int64_t x = *i64(a, i), y = *i64(b, i); *i64(out, i) = OP; } \
      else return PT_NOT_SUPPORTED; \
    } \
    return PT_SUCCESS; \
  }
BINARY(ptMulLaunch, x * y)
BINARY(ptMaximumLaunch, x > y || x != x ? x : y)
ptCode ptLessLaunch(const ptPane *a, const ptPane *b, const ptPane *out, RUN) {
  ALIKE();
  OF(a, PT_FLOAT32);
  OF(out, PT_BOOL);
  for (int64_t i = 0; i < count(out); ++i) ((bool *)out->base)[spot(out, i)] = *f32(a, i) < *f32(b, i);
  return PT_SUCCESS;
}
ptCode ptAddLaunch(const ptPane *a, const ptPane *b, ptNumber alpha, const ptPane *out, RUN) {
  ALIKE();
  OF(out, a->type);
  OF(&alpha, out->type);
  for (int64_t i = 0; i < count(out); ++i) {
    if (out->type == PT_FLOAT32) *f32(out, i) = *f32(a, i) + (float)alpha.as.real * *f32(b, i);
    else if (out->type == PT_INT64) *i64(out, i) = *i64(a, i) + alpha.as.whole * *i64(b, i);
    else return PT_NOT_SUPPORTED;
  }
  return PT_SUCCESS;
}

ptCode ptUnaryScratchQuery(const ptPane *in, const ptPane *out, size_t *bytes) {
  STEP();
  REQUIRE(valid(in) && valid(out));
  *bytes = 16;
  return PT_SUCCESS;
}
#define UNARY(EXPRESSION) \
  REQUIRE(valid(in) && valid(out) && same(in, out)); \
  OF(in, PT_FLOAT32); \
  OF(out, PT_FLOAT32); \
  ROOM(16); \
  for (int64_t i = 0; i < count(out); ++i) { const float x = *f32(in, i); *f32(out, i) = EXPRESSION; } \
  return PT_SUCCESS;
ptCode ptExpLaunch(const ptPane *in, const ptPane *out, RUN) { UNARY(expf(x)) }
ptCode ptReluLaunch(const ptPane *in, const ptPane *out, RUN) { UNARY(x < 0 ? 0 : x) }
ptCode ptLeakyReluLaunch(const ptPane *in, float slope, const ptPane *out, RUN) { UNARY(x > 0 ? x : slope * x) }
ptCode ptClampLaunch(const ptPane *in, const ptNumber *lo, const ptNumber *hi, const ptPane *out, RUN) {
  if (lo) OF(lo, PT_FLOAT32);
  if (hi) OF(hi, PT_FLOAT32);
  const float low = lo ? (float)lo->as.real : -INFINITY, high = hi ? (float)hi->as.real : INFINITY;
  UNARY((x < low ? low : x) > high ? high : x < low ? low : x)
}

ptCode ptReduceScratchQuery(const ptPane *in, const int32_t *axes, int32_t naxes, const ptPane *out, size_t *bytes) {
  STEP();
  REQUIRE(valid(in) && valid(out) && axes && naxes > 0);
  *bytes = 64;
  return PT_SUCCESS;
}
static ptCode reduced(const ptPane *in, const int32_t *axes, int32_t naxes, bool keep, const ptPane *out, int most) {
  bool gone[6] = {false};
  REQUIRE(valid(in) && valid(out) && naxes > 0 && keep && out->rank == in->rank);
  OF(in, PT_FLOAT32);
  OF(out, PT_FLOAT32);
  for (int i = 0; i < naxes; ++i) { REQUIRE(axes[i] >= 0 && axes[i] < in->rank); gone[axes[i]] = true; }
  for (int d = 0; d < in->rank; ++d) REQUIRE(out->size[d] == (gone[d] ? 1 : in->size[d]));
  for (int64_t i = 0; i < count(out); ++i) {
    double sum = 0;
    int64_t taken = 0;
    for (int64_t j = 0; j < count(in); ++j) {
      int64_t rest = j, to = 0, step = 1;
      for (int d = in->rank - 1; d >= 0; --d) {
        if (!gone[d]) { to += rest % in->size[d] * step; step *= in->size[d]; }
        rest /= in->size[d];
      }
      if (to != i) continue;
      const double x = *f32(in, j);
      sum = most ? (!taken || x > sum || x != x ? x : sum) : sum + x;
      ++taken;
    }
    *f32(out, i) = (float)sum;
  }
  return PT_SUCCESS;
}
ptCode ptReduceSumLaunch(const ptPane *in, const int32_t *axes, int32_t naxes, bool keep, const ptPane *out, RUN) {
  ROOM(64);
  return reduced(in, axes, naxes, keep, out, 0);
}
ptCode ptReduceMaxLaunch(const ptPane *in, const int32_t *axes, int32_t naxes, bool keep, const ptPane *out, RUN) {
  ROOM(64);
  return reduced(in, axes, naxes, keep, out, 1);
}

ptCode ptMatMulScratchQuery(const ptPane *a, const ptPane *b, const ptPane *out, size_t *bytes) {
  STEP();
  REQUIRE(valid(a) && valid(b) && valid(out));
  *bytes = 80;
  return PT_SUCCESS;
}
ptCode ptMatMulLaunch(const ptPane *a, const ptPane *b, const ptPane *out, RUN) {
  int64_t batch = 1, m, n, k;
  const int r = out->rank;
  REQUIRE(valid(a) && valid(b) && valid(out) && r >= 2 && a->rank == r && b->rank == r);
  OF(a, PT_FLOAT32);
  OF(b, PT_FLOAT32);
  OF(out, PT_FLOAT32);
  for (int d = 0; d < r - 2; ++d) { REQUIRE(a->size[d] == out->size[d] && b->size[d] == out->size[d]); batch *= out->size[d]; }
  m = a->size[r - 2], k = a->size[r - 1], n = b->size[r - 1];
  REQUIRE(b->size[r - 2] == k && out->size[r - 2] == m && out->size[r - 1] == n);
  ROOM(80);
  for (int64_t e = 0; e < batch * m * n; ++e) {
    const int64_t at = e / (m * n), i = e / n % m, j = e % n;
    double sum = 0;
    for (int64_t l = 0; l < k; ++l) sum += (double)*f32(a, (at * m + i) * k + l) * *f32(b, (at * k + l) * n + j);
    *f32(out, e) = (float)sum;
  }
  return PT_SUCCESS;
}

ptCode ptConvolutionScratchQuery(const ptPane *in, const ptPane *weight, const ptConvAttr *attr, const ptPane *out, size_t *bytes) {
  STEP();
  REQUIRE(valid(in) && valid(weight) && valid(out) && attr && attr->nspatial == 2);
  *bytes = 96;
  return PT_SUCCESS;
}
ptCode ptConvolutionLaunch(const ptPane *in, const ptPane *weight, const ptPane *bias, const ptConvAttr *attr, const ptPane *out, RUN) {
  REQUIRE(valid(in) && valid(weight) && valid(out) && attr && attr->nspatial == 2 && !attr->transposed);
  REQUIRE(in->rank == 4 && weight->rank == 4 && out->rank == 4 && attr->group > 0 && attr->stride[2] == 0);
  for (int d = 0; d < 2; ++d) REQUIRE(attr->pad_lo[d] == attr->pad_hi[d] && attr->stride[d] > 0 && attr->dilation[d] > 0);
  OF(in, PT_FLOAT32);
  OF(weight, PT_FLOAT32);
  OF(out, PT_FLOAT32);
  REQUIRE(!bias || (valid(bias) && count(bias) == weight->size[0]));
  ROOM(96);
  const int64_t *x = in->size, *w = weight->size, *y = out->size, each = w[0] / attr->group;
  REQUIRE(x[1] == w[1] * attr->group && y[1] == w[0] && y[0] == x[0]);
  for (int64_t e = 0; e < count(out); ++e) {
    const int64_t q = e % y[3], p = e / y[3] % y[2], c = e / (y[3] * y[2]) % y[1], b = e / (y[3] * y[2] * y[1]);
    double sum = bias ? *f32(bias, c) : 0;
    for (int64_t i = 0; i < w[1]; ++i) for (int64_t r = 0; r < w[2]; ++r) for (int64_t s = 0; s < w[3]; ++s) {
      const int64_t h = p * attr->stride[0] - attr->pad_lo[0] + r * attr->dilation[0];
      const int64_t v = q * attr->stride[1] - attr->pad_lo[1] + s * attr->dilation[1];
      if (h < 0 || h >= x[2] || v < 0 || v >= x[3]) continue;
      sum += (double)*f32(in, ((b * x[1] + c / each * w[1] + i) * x[2] + h) * x[3] + v) *
             *f32(weight, ((c * w[1] + i) * w[2] + r) * w[3] + s);
    }
    *f32(out, e) = (float)sum;
  }
  return PT_SUCCESS;
}

ptCode ptSoftmaxScratchQuery(const ptPane *in, int32_t axis, size_t *bytes) {
  STEP();
  REQUIRE(valid(in) && axis >= 0 && axis < in->rank);
  *bytes = 112;
  return PT_SUCCESS;
}
ptCode ptSoftmaxLaunch(const ptPane *in, int32_t axis, const ptPane *out, RUN) {
  int64_t inner = 1;
  REQUIRE(valid(in) && valid(out) && same(in, out) && axis >= 0 && axis < in->rank);
  OF(in, PT_FLOAT32);
  OF(out, PT_FLOAT32);
  ROOM(112);
  for (int d = axis + 1; d < in->rank; ++d) inner *= in->size[d];
  const int64_t n = in->size[axis];
  for (int64_t e = 0; n && e < count(in) / n; ++e) {
    const int64_t start = e / inner * n * inner + e % inner;
    double most = -INFINITY, sum = 0;
    for (int64_t i = 0; i < n; ++i) most = fmax(most, *f32(in, start + i * inner));
    for (int64_t i = 0; i < n; ++i) sum += exp(*f32(in, start + i * inner) - most);
    for (int64_t i = 0; i < n; ++i) *f32(out, start + i * inner) = (float)(exp(*f32(in, start + i * inner) - most) / sum);
  }
  return PT_SUCCESS;
}

ptCode ptConcatLaunch(const ptPane *const *ins, int32_t nins, int32_t axis, const ptPane *out, ptStream stream) {
  int64_t inner = 1, outer = 1, at = 0;
  REQUIRE(ins && nins > 0 && valid(out) && axis >= 0 && axis < out->rank);
  OF(out, PT_FLOAT32);
  STEP();
  REQUIRE(!stream);
  for (int d = 0; d < axis; ++d) outer *= out->size[d];
  for (int d = axis + 1; d < out->rank; ++d) inner *= out->size[d];
  for (int32_t t = 0; t < nins; ++t) {
    REQUIRE(valid(ins[t]) && ins[t]->rank == out->rank);
    OF(ins[t], PT_FLOAT32);
    const int64_t own = ins[t]->size[axis];
    for (int64_t o = 0; o < outer; ++o) for (int64_t i = 0; i < own * inner; ++i) {
      *f32(out, (o * out->size[axis] + at) * inner + i) = *f32(ins[t], o * own * inner + i);
    }
    at += own;
  }
  return PT_SUCCESS;
}
ptCode ptPermuteLaunch(const ptPane *in, const int32_t *order, const ptPane *out, ptStream stream) {
  ptPane turned;
  REQUIRE(valid(in) && valid(out) && in->rank == out->rank);
  OF(in, PT_FLOAT32);
  OF(out, PT_FLOAT32);
  STEP();
  REQUIRE(!stream);
  turned = *in;
  for (int d = 0; d < in->rank; ++d) {
    REQUIRE(order[d] >= 0 && order[d] < in->rank && out->size[d] == in->size[order[d]]);
    turned.size[d] = in->size[order[d]], turned.stride[d] = in->stride[order[d]];
  }
  for (int64_t i = 0; i < count(out); ++i) *f32(out, i) = *f32(&turned, i);
  return PT_SUCCESS;
}
