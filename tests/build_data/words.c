#include "words.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct wd_card_s {
  int open;
};

/* What the card calls an address is the host's with one bit turned: whoever takes it for a pointer crashes. */
#define TURNED 0x4000000000000000ull
#define FLOATS(address) ((float *)(uintptr_t)((address) ^ TURNED))

wd_result_t wd_card_request(wd_card_t *card, int index) {
  if (index) return 1;
  *card = calloc(1, sizeof **card);
  if (*card) (*card)->open = 1;
  return *card ? 0 : 2;
}

void wd_card_free(wd_card_t card) { free(card); }

wd_result_t wd_get_card_count(int *count) {
  *count = 1;
  return 0;
}

wd_result_t wd_card_sync(wd_card_t card) { return card && card->open ? 0 : 1; }

wd_result_t wd_malloc_device(wd_card_t card, wd_devaddr_t *address, unsigned long long size) {
  void *made = wd_card_sync(card) == 0 ? malloc(size ? size : 1) : NULL;
  *address = made ? (uintptr_t)made ^ TURNED : 0;
  return made ? 0 : 2;
}

void wd_free_device(wd_card_t card, wd_devaddr_t address) {
  if (wd_card_sync(card) == 0) free(FLOATS(address));
}

wd_result_t wd_memcpy_h2d(wd_card_t card, wd_devaddr_t dst, void *src, unsigned long long size) {
  memcpy(FLOATS(dst), src, size);
  return wd_card_sync(card);
}

wd_result_t wd_memcpy_d2h(wd_card_t card, void *dst, wd_devaddr_t src, unsigned long long size) {
  memcpy(dst, FLOATS(src), size);
  return wd_card_sync(card);
}

wd_result_t wd_memcpy_d2d(wd_card_t card, wd_devaddr_t dst, unsigned int dst_offset, wd_devaddr_t src,
                          unsigned int src_offset, unsigned long long size) {
  memmove((char *)FLOATS(dst) + dst_offset, (char *)FLOATS(src) + src_offset, size);
  return wd_card_sync(card);
}

wd_result_t wd_conv2d(wd_card_t card, wd_devaddr_t input, wd_devaddr_t weight, wd_devaddr_t bias, wd_devaddr_t output,
                      int n, int c, int h, int w, int groups, int oc, int kh, int kw, int dh, int dw, int ph, int pw,
                      int sh, int sw, int has_bias, int with_relu) {
  if (wd_card_sync(card)) return 1;
  const int oh = (h + 2 * ph - dh * (kh - 1) - 1) / sh + 1, ow = (w + 2 * pw - dw * (kw - 1) - 1) / sw + 1;
  const int per = c / groups, opg = oc / groups;
  const float *x = FLOATS(input), *f = FLOATS(weight);
  float *y = FLOATS(output);
  for (int b = 0; b < n; ++b)
    for (int o = 0; o < oc; ++o)
      for (int i = 0; i < oh; ++i)
        for (int j = 0; j < ow; ++j) {
          double sum = has_bias ? FLOATS(bias)[o] : 0;
          for (int k = 0; k < per; ++k)
            for (int u = 0; u < kh; ++u)
              for (int v = 0; v < kw; ++v) {
                const int r = i * sh - ph + u * dh, s = j * sw - pw + v * dw;
                if (r < 0 || r >= h || s < 0 || s >= w) continue;
                const int channel = o / opg * per + k;
                sum += (double)x[((b * c + channel) * h + r) * w + s] * f[((o * per + k) * kh + u) * kw + v];
              }
          y[((b * oc + o) * oh + i) * ow + j] = with_relu && sum < 0 ? 0 : (float)sum;
        }
  return 0;
}

wd_result_t wd_softmax(wd_card_t card, wd_devaddr_t input, wd_devaddr_t output, int outer, int extent, int inner,
                       int log_) {
  if (wd_card_sync(card)) return 1;
  for (int o = 0; o < outer; ++o)
    for (int i = 0; i < inner; ++i) {
      const float *x = FLOATS(input) + o * extent * inner + i;
      float *y = FLOATS(output) + o * extent * inner + i;
      float most = -INFINITY;
      double sum = 0;
      for (int k = 0; k < extent; ++k) most = x[k * inner] > most || isnan(x[k * inner]) ? x[k * inner] : most;
      for (int k = 0; k < extent; ++k) sum += exp((double)x[k * inner] - most);
      for (int k = 0; k < extent; ++k) {
        const double value = (double)x[k * inner] - most;
        y[k * inner] = (float)(log_ ? value - log(sum) : exp(value) / sum);
      }
    }
  return 0;
}

wd_result_t wd_add(wd_card_t card, wd_devaddr_t a, wd_devaddr_t b, wd_devaddr_t out, unsigned long long length) {
  for (unsigned long long i = 0; i < length; ++i) FLOATS(out)[i] = FLOATS(a)[i] + FLOATS(b)[i];
  return wd_card_sync(card);
}

wd_result_t wd_max(wd_card_t card, wd_devaddr_t in0, wd_devaddr_t in1, wd_devaddr_t out, unsigned long long length) {
  for (unsigned long long i = 0; i < length; ++i) {
    const float a = FLOATS(in0)[i], b = FLOATS(in1)[i];
    FLOATS(out)[i] = isnan(a) || a > b ? a : b;
  }
  return wd_card_sync(card);
}
