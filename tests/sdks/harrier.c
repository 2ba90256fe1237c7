#include "harrier.h"

#include <math.h>
#include <string.h>

#include "sim.h"

/* Device memory belongs to all; the n-th call fails for tests. */
#define REQUIRE(x, why) do { if (fails()) return HRR_ERROR_DEVICE; if (!(x)) return why; } while (0)
#define BYTES(p, n) on_device(p, sizeof *(p) * (size_t)(n))
#define CHECK(x) REQUIRE(x, HRR_ERROR_INVALID_ARGUMENT)
#define EACH(i, n) for (size_t i = 0; i < (size_t)(n); ++i)

HrrResult hrrMalloc(void **ptr, size_t bytes) {
  REQUIRE(ptr != NULL && bytes < (1u << 30), HRR_ERROR_OUT_OF_MEMORY);
  return (*ptr = device_alloc(bytes)) ? HRR_SUCCESS : HRR_ERROR_OUT_OF_MEMORY;
}
HrrResult hrrFree(void *ptr) { return device_free(ptr) ? HRR_SUCCESS : HRR_ERROR_INVALID_ARGUMENT; }
HrrResult hrrCopyToDevice(void *dst, const void *src, size_t bytes) {
  CHECK(on_device(dst, bytes) && !on_device(src, bytes));
  memcpy(dst, src, bytes);
  return HRR_SUCCESS;
}
HrrResult hrrCopyToHost(void *dst, const void *src, size_t bytes) {
  CHECK(on_device(src, bytes) && !on_device(dst, bytes));
  memcpy(dst, src, bytes);
  return HRR_SUCCESS;
}
HrrResult hrrSynchronize(void) { return HRR_SUCCESS; }

HrrResult hrrFullyConnected(float *dst, const float *src, const float *weights, const float *biases, uint32_t inputSize,
                            uint32_t outputSize, uint32_t batchSize) {
  const size_t k = inputSize, n = outputSize, m = batchSize;
  CHECK(BYTES(dst, m * n) && BYTES(src, m * k) && BYTES(weights, n * k) && BYTES(biases, n));
  EACH(i, m) EACH(j, n) {
    double sum = biases[j];
    EACH(t, k) sum += (double)src[i * k + t] * weights[j * k + t];
    dst[i * n + j] = (float)sum;
  }
  return HRR_SUCCESS;
}
HrrResult hrrBatchMatMul(float *dst, const float *lhs, const float *rhs, uint32_t m, uint32_t n, uint32_t k,
                         uint32_t batchCount) {
  CHECK(BYTES(dst, batchCount * m * n) && BYTES(lhs, batchCount * m * k) && BYTES(rhs, batchCount * k * n));
  EACH(b, batchCount) EACH(i, m) EACH(j, n) {
    double sum = 0;
    EACH(t, k) sum += (double)lhs[(b * m + i) * k + t] * rhs[(b * k + t) * n + j];
    dst[(b * m + i) * n + j] = (float)sum;
  }
  return HRR_SUCCESS;
}
HrrResult hrrTranspose2d(float *dst, const float *src, uint32_t height, uint32_t width) {
  CHECK(BYTES(dst, height * width) && BYTES(src, height * width));
  EACH(i, height) EACH(j, width) dst[j * height + i] = src[i * width + j];
  return HRR_SUCCESS;
}
HrrResult hrrConcat(float *dst, const float *const *srcs, const uint32_t *widths, uint32_t numInputs, uint32_t outer) {
  size_t total = 0, at = 0;
  CHECK(!on_device(srcs, sizeof *srcs) && !on_device(widths, sizeof *widths));
  EACH(i, numInputs) {
    if (widths[i] && !BYTES(srcs[i], outer * widths[i])) return HRR_ERROR_INVALID_ARGUMENT;
    total += widths[i];
  }
  if (!BYTES(dst, outer * total)) return HRR_ERROR_INVALID_ARGUMENT;
  EACH(i, numInputs) {
    EACH(row, outer) if (widths[i]) memcpy(dst + row * total + at, srcs[i] + row * widths[i], sizeof(float) * widths[i]);
    at += widths[i];
  }
  return HRR_SUCCESS;
}

static float half_value(uint16_t h) {
  const int e = h >> 10 & 31, m = h & 1023;
  const double size = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp(m + 1024, e - 25) : ldexp(m, -24);
  return (float)(h & 0x8000 ? -size : size);
}
static uint16_t half_bits(float x) {
  const uint16_t sign = signbit(x) ? 0x8000 : 0;
  const double size = fabs((double)x);
  int e = 0;
  if (isnan(x)) return sign | 0x7e00;
  if (size >= 65520) return sign | 0x7c00;
  if (size == 0) return sign;
  frexp(size, &e);
  if (e < -13) e = -13;
  return (uint16_t)(sign | (((e + 13) << 10) + (int)nearbyint(ldexp(size, 11 - e))));
}
HrrResult hrrCastF32ToF16(HrrHalf *dst, const float *src, uint32_t count) {
  CHECK(BYTES(dst, count) && BYTES(src, count));
  EACH(i, count) dst[i] = half_bits(src[i]);
  return HRR_SUCCESS;
}
HrrResult hrrCastF16ToF32(float *dst, const HrrHalf *src, uint32_t count) {
  CHECK(BYTES(dst, count) && BYTES(src, count));
  EACH(i, count) dst[i] = half_value(src[i]);
  return HRR_SUCCESS;
}
HrrResult hrrConvertInt8ToFloat(float *dst, const int8_t *src, uint32_t count) {
  CHECK(BYTES(dst, count) && BYTES(src, count));
  EACH(i, count) dst[i] = src[i];
  return HRR_SUCCESS;
}

/* VALUE of x and of what follows the source */
#define UNARY(NAME, VALUE, ...) \
  HrrResult NAME(float *dst, const float *src, __VA_ARGS__) { \
    CHECK(BYTES(dst, count) && BYTES(src, count)); \
    EACH(i, count) { const double x = src[i]; dst[i] = (float)(VALUE); } \
    return HRR_SUCCESS; \
  }
UNARY(hrrAddScalar, x + scalar, float scalar, uint32_t count)
UNARY(hrrSubScalar, x - scalar, float scalar, uint32_t count)
UNARY(hrrMulScalar, x * scalar, float scalar, uint32_t count)
UNARY(hrrDivScalar, x / scalar, float scalar, uint32_t count)
UNARY(hrrPowScalar, pow(x, scalar), float scalar, uint32_t count)
UNARY(hrrClip, x < minValue ? minValue : x > maxValue ? maxValue : x, float minValue, float maxValue, uint32_t count)
UNARY(hrrLeakyRelu, x > 0 ? x : x * alpha, float alpha, uint32_t count)
#define IN_PLACE(NAME, VALUE) \
  HrrResult NAME(float *data, uint32_t count) { \
    CHECK(BYTES(data, count)); \
    EACH(i, count) { const float x = data[i]; data[i] = (VALUE); } \
    return HRR_SUCCESS; \
  }
IN_PLACE(hrrReluInPlace, x < 0 ? 0 : x)
IN_PLACE(hrrFloorInPlace, floorf(x))
UNARY(hrrGelu, 0.5 * x * (1 + (useTanh ? tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)) : erf(x * M_SQRT1_2))),
      uint32_t count, bool useTanh)

HrrResult hrrConv2d(float *dst, const float *src, const float *weights, const float *biases, uint32_t batch,
                    uint32_t inChannels, uint32_t inHeight, uint32_t inWidth, uint32_t outChannels, uint32_t kernelH,
                    uint32_t kernelW, HrrConvDesc d) {
  const long oh = ((long)inHeight + 2 * d.padH - (long)d.dilationH * (kernelH - 1) - 1) / (long)d.strideH + 1;
  const long ow = ((long)inWidth + 2 * d.padW - (long)d.dilationW * (kernelW - 1) - 1) / (long)d.strideW + 1;
  const long ic = inChannels / d.groups, oc = outChannels / d.groups;
  CHECK(oh > 0 && ow > 0 && BYTES(dst, batch * outChannels * oh * ow) && BYTES(biases, outChannels) &&
        BYTES(src, batch * inChannels * inHeight * inWidth) && BYTES(weights, outChannels * ic * kernelH * kernelW));
  EACH(o, batch * outChannels * oh * ow) {
    const long x = (long)o % ow, y = (long)o / ow % oh, k = (long)o / (ow * oh) % outChannels, b = (long)o / (ow * oh * outChannels);
    double sum = biases[k];
    EACH(c, ic) EACH(i, kernelH) EACH(j, kernelW) {
      const long r = y * d.strideH - d.padH + (long)i * d.dilationH, s = x * d.strideW - d.padW + (long)j * d.dilationW;
      if (r < 0 || r >= (long)inHeight || s < 0 || s >= (long)inWidth) continue;
      sum += (double)src[((b * inChannels + k / oc * ic + (long)c) * inHeight + r) * inWidth + s] *
             weights[((k * ic + (long)c) * kernelH + (long)i) * kernelW + (long)j];
    }
    dst[o] = (float)sum;
  }
  return HRR_SUCCESS;
}

static long windows(long size, long kernel, long stride, long pad, bool up) {
  long n = (size + 2 * pad - kernel + (up ? stride - 1 : 0)) / stride + 1;
  return up && (n - 1) * stride >= size + pad ? n - 1 : n;
}
static HrrResult pool(float *dst, const float *src, long planes, long h, long w, const HrrPoolDesc *d, bool mean) {
  const long kh = d->kernel[0], kw = d->kernel[1], sh = d->stride[0], sw = d->stride[1], ph = d->pad[0], pw = d->pad[1];
  const long oh = windows(h, kh, sh, ph, d->ceilMode), ow = windows(w, kw, sw, pw, d->ceilMode);
  CHECK(oh > 0 && ow > 0 && BYTES(src, planes * h * w) && BYTES(dst, planes * oh * ow));
  EACH(o, planes * oh * ow) {
    const float *plane = src + (long)o / (ow * oh) * h * w;
    const long top = (long)o / ow % oh * sh - ph, left = (long)o % ow * sw - pw;
    const long end_r = top + kh < h + ph ? top + kh : h + ph, end_s = left + kw < w + pw ? left + kw : w + pw;
    const long whole = (end_r - top) * (end_s - left);
    double sum = 0, most = -INFINITY;
    long count = 0;
    for (long r = top < 0 ? 0 : top; r < end_r && r < h; ++r) {
      for (long s = left < 0 ? 0 : left; s < end_s && s < w; ++s) {
        const double x = plane[r * w + s];
        sum += x;
        if (x > most || isnan(x)) most = x;
        ++count;
      }
    }
    dst[o] = (float)(mean ? sum / (double)(d->countIncludePad ? whole : count) : most);
  }
  return HRR_SUCCESS;
}
HrrResult hrrMaxPool2d(float *dst, const float *src, uint32_t batch, uint32_t channels, uint32_t height, uint32_t width,
                       const HrrPoolDesc *desc) {
  return pool(dst, src, (long)batch * channels, height, width, desc, false);
}
HrrResult hrrAvgPool2d(float *dst, const float *src, uint32_t batch, uint32_t channels, uint32_t height, uint32_t width,
                       const HrrPoolDesc *desc) {
  return pool(dst, src, (long)batch * channels, height, width, desc, true);
}

HrrResult hrrReduceSum(float *dst, const float *src, uint32_t outer, uint32_t axisSize, uint32_t inner, bool keepDims) {
  (void)keepDims;
  CHECK(BYTES(dst, outer * inner) && BYTES(src, outer * axisSize * inner));
  EACH(o, outer) EACH(i, inner) {
    double sum = 0;
    EACH(e, axisSize) sum += src[(o * axisSize + e) * inner + i];
    dst[o * inner + i] = (float)sum;
  }
  return HRR_SUCCESS;
}
HrrResult hrrCumSum(float *dst, const float *src, uint32_t outer, uint32_t axisSize, uint32_t inner) {
  CHECK(BYTES(dst, outer * axisSize * inner) && BYTES(src, outer * axisSize * inner));
  EACH(o, outer) EACH(i, inner) {
    double sum = 0;
    EACH(e, axisSize) dst[(o * axisSize + e) * inner + i] = (float)(sum += src[(o * axisSize + e) * inner + i]);
  }
  return HRR_SUCCESS;
}
/* The place of the first extreme of each run; NaN is one. */
static size_t extreme(const float *run, size_t extent, size_t step, int sign) {
  size_t best = 0;
  for (size_t e = 1; e < extent && !isnan(run[best * step]); ++e) {
    if (isnan(run[e * step]) || (float)sign * run[e * step] > (float)sign * run[best * step]) best = e;
  }
  return best;
}
#define ARG(NAME, INDEX, SIGN) \
  HrrResult NAME(INDEX *dst, const float *src, uint32_t outer, uint32_t axisSize, uint32_t inner) { \
    CHECK(BYTES(dst, outer * inner) && BYTES(src, outer * axisSize * inner)); \
    EACH(o, outer) EACH(i, inner) dst[o * inner + i] = (INDEX)extreme(src + o * axisSize * inner + i, axisSize, inner, SIGN); \
    return HRR_SUCCESS; \
  }
ARG(hrrArgMax, int32_t, 1)
ARG(hrrArgMin, uint32_t, -1)
HrrResult hrrMaxWithIndex(float *values, int32_t *indices, const float *src, uint32_t outer, uint32_t axisSize,
                          uint32_t inner) {
  CHECK(BYTES(values, outer * inner) && BYTES(indices, outer * inner) && BYTES(src, outer * axisSize * inner));
  EACH(o, outer) EACH(i, inner) {
    const float *run = src + o * axisSize * inner + i;
    const size_t best = extreme(run, axisSize, inner, 1);
    indices[o * inner + i] = (int32_t)best;
    values[o * inner + i] = run[best * inner];
  }
  return HRR_SUCCESS;
}

#define COMPARE(NAME, MASK, OP) \
  HrrResult NAME(MASK *dst, const float *lhs, const float *rhs, uint32_t count) { \
    CHECK(BYTES(dst, count) && BYTES(lhs, count) && BYTES(rhs, count)); \
    EACH(i, count) dst[i] = (MASK)(lhs[i] OP rhs[i]); \
    return HRR_SUCCESS; \
  }
COMPARE(hrrEqual, uint8_t, ==)
COMPARE(hrrGreater, int32_t, >)
COMPARE(hrrLess, float, <)
HrrResult hrrSelect(float *dst, const int32_t *mask, const float *src0, const float *src1, uint32_t count) {
  CHECK(BYTES(dst, count) && BYTES(mask, count) && BYTES(src0, count) && BYTES(src1, count));
  EACH(i, count) dst[i] = mask[i] ? src0[i] : src1[i];
  return HRR_SUCCESS;
}

HrrResult hrrAttention(float *dst, const float *query, const float *key, const float *value, uint32_t batch,
                       uint32_t heads, uint32_t qLen, uint32_t kvLen, uint32_t headDim, float scale, bool isCausal) {
  const size_t all = (size_t)batch * heads, d = headDim;
  CHECK(BYTES(dst, all * qLen * d) && BYTES(query, all * qLen * d) && BYTES(key, all * kvLen * d) &&
        BYTES(value, all * kvLen * d));
  EACH(row, all * qLen) {
    const float *q = query + row * d, *k = key + row / qLen * kvLen * d, *v = value + row / qLen * kvLen * d;
    const size_t last = isCausal && row % qLen + 1 < kvLen ? row % qLen + 1 : kvLen;
    double top = -INFINITY, sum = 0;
    for (int pass = 0; pass < 3; ++pass) EACH(t, last) {
      double score = 0;
      EACH(e, d) score += (double)q[e] * k[t * d + e];
      score *= scale;
      if (pass == 0) top = score > top ? score : top;
      else if (pass == 1) sum += exp(score - top);
      else EACH(e, d) dst[row * d + e] = (float)((t ? (double)dst[row * d + e] : 0) + exp(score - top) / sum * v[t * d + e]);
    }
  }
  return HRR_SUCCESS;
}
