// How dimensions fall into extents: what lies outside, along and inside the dimensions that an op works along. Used
// by kernels and by the core alike, so that a profile's limits and a kernel's arguments speak of the same numbers.
#ifndef TORCHFL_EXTENTS_HPP
#define TORCHFL_EXTENTS_HPP

#include <cstdint>

#include "torchfl/chip.h"

namespace torchfl {

// `spans`: in how many separate runs the dimensions lie; with one, element (o, e, i) is at (o * extent + e) * inner + i.
// Dimensions of size 1 separate nothing.
struct Along {
  int64_t outer = 1, extent = 1, inner = 1, spans = 1;
};

// Bit i: dimension i is among those of `dim`, an int or an int list that counts negative ones from the end; all of
// them where it is absent or empty. False for a dimension that does not exist or stands twice. A tensor without
// dimensions counts as one with a single element.
inline bool dimension_mask(int32_t rank, const tfl_attr& dim, uint64_t* mask) {
  const int32_t dims = rank > 0 ? rank : 1;
  const bool list = dim.kind == TFL_ATTR_INT_LIST;
  const int64_t count = list ? dim.count : dim.kind == TFL_ATTR_NONE ? 0 : 1;
  *mask = count == 0 ? (uint64_t{1} << dims) - 1 : 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t given = list ? dim.list[i] : dim.i, wrapped = given < 0 ? given + dims : given;
    if (wrapped < 0 || wrapped >= dims || (*mask >> wrapped & 1u)) return false;
    *mask |= uint64_t{1} << wrapped;
  }
  return true;
}

inline bool along(int32_t rank, const int64_t* sizes, const tfl_attr& dim, Along* to) {
  uint64_t mask = 0;
  if (!dimension_mask(rank, dim, &mask)) return false;
  *to = {};
  int64_t runs = 0;
  bool inside = false;
  for (int32_t i = 0; i < rank; ++i) {
    const bool among = mask >> i & 1u;
    if (among) {
      to->extent *= sizes[i];
      if (sizes[i] == 1) continue;
      if (!inside) ++runs;
      inside = true;
    } else if (sizes[i] != 1) {
      inside = false;
      (runs == 0 ? to->outer : to->inner) *= sizes[i];
    }
  }
  to->spans = runs > 1 ? runs : 1;
  return true;
}

inline bool along(const tfl_tensor& t, const tfl_attr& dim, Along* to) { return along(t.rank, t.sizes, dim, to); }

// Rows and columns of an op over the last `count` dimensions.
inline bool rows_and_cols(int32_t rank, const int64_t* sizes, int64_t count, int64_t* rows, int64_t* cols) {
  if (count < 1 || count > rank) return false;
  *rows = *cols = 1;
  for (int32_t i = 0; i < rank; ++i) *(i < rank - count ? rows : cols) *= sizes[i];
  return true;
}

inline bool rows_and_cols(const tfl_tensor& t, int64_t count, int64_t* rows, int64_t* cols) {
  return rows_and_cols(t.rank, t.sizes, count, rows, cols);
}

// Images that an op over the last two dimensions sees one by one.
inline int64_t planes(const tfl_tensor& t) {
  int64_t n = 1;
  for (int32_t i = 0; i + 2 < t.rank; ++i) n *= t.sizes[i];
  return n;
}

// What is left of a channel behind its first dimension.
inline int64_t per_row(const tfl_tensor& t) {
  int64_t n = 1;
  for (int32_t i = 3; i < t.rank; ++i) n *= t.sizes[i];
  return n;
}

// Elements of one channel of one image, [N, C, *].
inline int64_t per_channel(int32_t rank, const int64_t* sizes) {
  int64_t n = 1;
  for (int32_t i = 2; i < rank; ++i) n *= sizes[i];
  return n;
}

}  // namespace torchfl

#endif
