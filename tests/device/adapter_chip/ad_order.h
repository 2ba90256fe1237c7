// Vendor functions that move elements or go along a dimension, for the profile ad-order: contiguous float tensors only.
// The permutation takes three axes, as many NPUs do.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "../router_chip/rt_chip.h"

// Whether this is the chip that is wrong in a named way, or in which part of it: AD_WRONG names one.
inline bool wrong(const char* name) {
  static const char* named = std::getenv("AD_WRONG");
  return named != nullptr && std::strcmp(named, name) == 0;
}

RT_API int ad_permute_f32(const float* x, float* y, const int64_t* sizes, const int64_t* order, int64_t rank) {
  if (rank > 3) return 1;
  int64_t n[3] = {1, 1, 1}, step[3] = {0, 0, 0}, own[3] = {1, 1, 1};
  for (int64_t i = rank - 2; i >= 0; --i) own[i] = own[i + 1] * sizes[i + 1];
  for (int64_t i = 0; i < rank; ++i) n[i] = sizes[order[i]], step[i] = own[order[i]];
  if (wrong("last_axes_stay") && rank == 3) std::swap(step[1], step[2]);
  for (int64_t i = 0; i < n[0]; ++i)
    for (int64_t j = 0; j < n[1]; ++j)
      for (int64_t k = 0; k < n[2]; ++k) *y++ = x[i * step[0] + j * step[1] + k * step[2]];
  return 0;
}

// Writes rows of `count` elements into rows of `stride`.
RT_API int ad_place_f32(const float* x, float* y, int64_t rows, int64_t count, int64_t stride) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t k = 0; k < count; ++k) y[i * stride + k] = x[(wrong("first_row") ? 0 : i) * count + k];
  return 0;
}

// Along the middle of [outer, extent, inner].
RT_API int ad_softmax_f32(const float* x, float* y, int64_t outer, int64_t extent, int64_t inner) {
  if (wrong("last_axis")) std::swap(extent, inner);
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) {
      const float *from = x + o * extent * inner + i;
      float* to = y + o * extent * inner + i;
      double most = -INFINITY, sum = 0;
      for (int64_t e = 0; e < extent; ++e) most = std::fmax(most, static_cast<double>(from[e * inner]));
      for (int64_t e = 0; e < extent; ++e) sum += std::exp(static_cast<double>(from[e * inner]) - most);
      for (int64_t e = 0; e < extent; ++e)
        to[e * inner] = static_cast<float>(std::exp(static_cast<double>(from[e * inner]) - most) / sum);
    }
  return 0;
}

RT_API int ad_max_f32(const float* x, float* y, int64_t outer, int64_t extent, int64_t inner) {
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) {
      const int64_t step = wrong("last_axis") ? 1 : inner;
      const float* from = x + o * extent * inner + (wrong("last_axis") ? i * extent : i);
      float most = *from;
      for (int64_t e = 1; e < extent; ++e) most = std::max(most, from[e * step]);
      y[o * inner + i] = most;
    }
  return 0;
}
