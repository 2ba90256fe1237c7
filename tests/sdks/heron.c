#include "heron.h"

#include <string.h>

#include "sim.h"

#define REQUIRE(x) do { if (!(x)) return HN_ERROR_INVALID_VALUE; } while (0)
#define SUPPORT(x) do { if (fails() || !(x)) return HN_ERROR_NOT_SUPPORTED; } while (0)

hn_status_t hn_malloc(void **ptr, size_t size) { return (*ptr = device_alloc(size)) ? HN_SUCCESS : HN_ERROR_OUT_OF_MEMORY; }
hn_status_t hn_free(void *ptr) { REQUIRE(device_free(ptr)); return HN_SUCCESS; }
hn_status_t hn_memcpy(void *dst, const void *src, size_t size, hn_copy_t kind) {
  SUPPORT(1);
  REQUIRE(kind == HN_DEVICE_TO_HOST || on_device(dst, size));
  REQUIRE(kind == HN_HOST_TO_DEVICE || on_device(src, size));
  memmove(dst, src, size);
  return HN_SUCCESS;
}
hn_status_t hn_synchronize(void) { return HN_SUCCESS; }

/* Offsets count from the allocation: what calloc() aligns by itself says nothing about a board's memory. */
static int aligned(const void *p) {
  int i, found = 0;
  enter();
  for (i = 0; i < BUFFERS && !found; ++i) {
    found = buffers[i].base && (const char *)p >= buffers[i].base && (const char *)p < buffers[i].base + buffers[i].size &&
            ((const char *)p - buffers[i].base) % 64 == 0;
  }
  leave();
  return found;
}

static size_t count(const hn_tensor_t *t) {
  size_t n = 1;
  for (int i = 0; i < t->ndim; ++i) n *= (size_t)t->dims[i];
  return n;
}
static int valid(const hn_tensor_t *t, int ndim) {
  return t->dtype == HN_FLOAT32 && t->layout == HN_LAYOUT_NHWC && t->ndim == ndim && aligned(t->data) &&
         on_device(t->data, 4 * count(t));
}
/* Element n, y, x, c of an image. */
static float *at(const hn_tensor_t *t, int n, int y, int x, int c) {
  return (float *)t->data + ((n * t->dims[1] + y) * t->dims[2] + x) * t->dims[3] + c;
}

hn_status_t hn_conv2d(const hn_tensor_t *input, const hn_tensor_t *weight, const hn_tensor_t *bias, hn_tensor_t *output,
                      const int stride[2], const int padding[2], const int dilation[2], int groups) {
  SUPPORT(valid(input, 4) && valid(weight, 4) && valid(output, 4) && groups == 1 && (!bias || valid(bias, 1)));
  SUPPORT(input->dims[3] % 8 == 0 && output->dims[3] % 8 == 0);
  REQUIRE(weight->dims[0] == output->dims[3] && weight->dims[3] == input->dims[3]);
  for (int n = 0; n < output->dims[0]; ++n)
    for (int y = 0; y < output->dims[1]; ++y)
      for (int x = 0; x < output->dims[2]; ++x)
        for (int o = 0; o < output->dims[3]; ++o) {
          float sum = bias ? ((const float *)bias->data)[o] : 0;
          for (int i = 0; i < weight->dims[1]; ++i)
            for (int j = 0; j < weight->dims[2]; ++j) {
              const int v = y * stride[0] - padding[0] + i * dilation[0], u = x * stride[1] - padding[1] + j * dilation[1];
              if (v < 0 || u < 0 || v >= input->dims[1] || u >= input->dims[2]) continue;
              for (int c = 0; c < input->dims[3]; ++c) sum += *at(input, n, v, u, c) * *at(weight, o, i, j, c);
            }
          *at(output, n, y, x, o) = sum;
        }
  return HN_SUCCESS;
}

hn_status_t hn_avg_pool2d(const hn_tensor_t *input, hn_tensor_t *output, const int kernel[2], const int stride[2],
                          const int padding[2]) {
  SUPPORT(valid(input, 4) && valid(output, 4));
  for (int n = 0; n < output->dims[0]; ++n)
    for (int y = 0; y < output->dims[1]; ++y)
      for (int x = 0; x < output->dims[2]; ++x)
        for (int c = 0; c < output->dims[3]; ++c) {
          float sum = 0;
          for (int i = 0; i < kernel[0]; ++i)
            for (int j = 0; j < kernel[1]; ++j) {
              const int v = y * stride[0] - padding[0] + i, u = x * stride[1] - padding[1] + j;
              if (v >= 0 && u >= 0 && v < input->dims[1] && u < input->dims[2]) sum += *at(input, n, v, u, c);
            }
          *at(output, n, y, x, c) = sum / (float)(kernel[0] * kernel[1]);
        }
  return HN_SUCCESS;
}

hn_status_t hn_matmul(const float *a, const float *b, float *c, int m, int n, int k) {
  SUPPORT(m % 16 == 0 && n % 16 == 0 && k % 16 == 0);
  REQUIRE(on_device(a, 4ul * m * k) && on_device(b, 4ul * k * n) && on_device(c, 4ul * m * n));
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
      c[i * n + j] = sum;
    }
  return HN_SUCCESS;
}

hn_status_t hn_relu(const float *in, float *out, size_t n) {
  SUPPORT(n % HN_LANES == 0);
  REQUIRE(on_device(in, 4 * n) && on_device(out, 4 * n));
  for (size_t i = 0; i < n; ++i) out[i] = in[i] < 0 ? 0 : in[i];
  return HN_SUCCESS;
}
hn_status_t hn_mul(const float *a, const float *b, float *out, size_t n) {
  SUPPORT(n % HN_LANES == 0);
  REQUIRE(on_device(a, 4 * n) && on_device(b, 4 * n) && on_device(out, 4 * n));
  for (size_t i = 0; i < n; ++i) out[i] = a[i] * b[i];
  return HN_SUCCESS;
}

static uint8_t saturated(int v) { return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v); }

hn_status_t hn_add(const uint8_t *a, const uint8_t *b, uint8_t *out, size_t n, int32_t a_zero_point,
                   int32_t b_zero_point, int32_t out_zero_point) {
  SUPPORT(on_device(a, n) && on_device(b, n) && on_device(out, n));
  for (size_t i = 0; i < n; ++i) out[i] = saturated(a[i] - a_zero_point + b[i] - b_zero_point + out_zero_point);
  return HN_SUCCESS;
}
hn_status_t hn_maximum(const uint8_t *a, const uint8_t *b, uint8_t *out, size_t n, int32_t zero_point) {
  SUPPORT(zero_point >= 0 && on_device(a, n) && on_device(b, n) && on_device(out, n));
  for (size_t i = 0; i < n; ++i) out[i] = a[i] > b[i] ? a[i] : b[i];
  return HN_SUCCESS;
}
