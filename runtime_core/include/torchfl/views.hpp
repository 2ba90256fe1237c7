// Tensors under other extents, over the same memory: for vendors whose tensors are structs that say the extents.
//
// Used by generated kernels and meant for hand-written ones too. C++17, no torch, no Python.
#ifndef TORCHFL_VIEWS_HPP
#define TORCHFL_VIEWS_HPP

#include <cstdint>
#include <initializer_list>

#include "torchfl/chip.hpp"
#include "torchfl/extents.hpp"

namespace torchfl {

// The entry `i` along the first dimension, as a view of the same memory.
inline tfl_tensor entry(const tfl_tensor& t, int64_t i) {
  tfl_tensor view = t;
  view.byte_offset += static_cast<uint64_t>(i * t.strides[0]) * element_size(t.dtype);
  view.rank = t.rank - 1;
  view.numel = t.sizes[0] > 0 ? t.numel / t.sizes[0] : 0;
  view.sizes = t.sizes + 1;
  view.strides = t.strides + 1;
  return view;
}

// An image that lies channels-last, with its extents in the order of memory: batch, height, width, channels. Of what has
// not four dimensions nothing changes. Lives as long as the expression that it stands in.
class Stored {
 public:
  explicit Stored(const tfl_tensor& t) : t_(t) {
    if (t.rank != 4) return;
    constexpr int32_t order[] = {0, 2, 3, 1};
    for (int32_t i = 0; i < 4; ++i) {
      sizes_[i] = t.sizes[order[i]];
      strides_[i] = t.strides[order[i]];
    }
    t_.sizes = sizes_;
    t_.strides = strides_;
  }
  Stored(const Stored&) = delete;
  Stored& operator=(const Stored&) = delete;
  operator const tfl_tensor&() const { return t_; }

 private:
  tfl_tensor t_;
  int64_t sizes_[4], strides_[4];
};

// A contiguous tensor, as it is or under other sizes. Lives as long as what is told about it is used.
class Reshaped {
 public:
  static constexpr int32_t max_rank = 4;

  explicit Reshaped(const tfl_tensor& t) : t_(t) {}
  Reshaped(const Reshaped&) = delete;
  Reshaped& operator=(const Reshaped&) = delete;

  // Sees it under these sizes, of which there are at most `max_rank` and whose product is its number of elements. An
  // optional tensor that was not given stays absent.
  void as(std::initializer_list<int64_t> sizes) {
    if (!present(t_)) return;
    int32_t rank = 0;
    for (const int64_t size : sizes) sizes_[rank++] = size;
    int64_t step = 1;
    for (int32_t i = rank - 1; i >= 0; --i) {
      strides_[i] = step;
      step *= sizes_[i];
    }
    t_.rank = rank;
    t_.sizes = sizes_;
    t_.strides = strides_;
  }
  operator const tfl_tensor&() const { return t_; }

 private:
  tfl_tensor t_;
  int64_t sizes_[max_rank] = {}, strides_[max_rank] = {};
};

// The two tensors of a reduction as a function sees them that works along one dimension: as they are where PyTorch reduces
// one too, else with what lies outside, along and inside the dimensions as one each. Such tensors have a dimension or more
// also where PyTorch's have none.
class AlongOne {
 public:
  AlongOne(const tfl_tensor& from, const tfl_tensor& to) : from_(from), to_(to) {}

  // `keep`: the result has 1 where the dimension was. False where the dimensions lie apart, which is no one dimension.
  bool set(const tfl_attr& dim, bool keep) {
    const tfl_tensor &from = from_, &to = to_;
    Along found;
    uint64_t mask = 0;
    if (!dimension_mask(from.rank, dim, &mask) || !along(from, dim, &found) || found.spans != 1) return false;
    if ((mask & (mask - 1)) == 0 && to.rank > 0) {
      while ((mask >> dim_ & 1u) == 0) ++dim_;
      return true;
    }
    dim_ = 1;
    if (found.inner == 1) {
      from_.as({found.outer, found.extent});
      keep ? to_.as({found.outer, 1}) : to_.as({found.outer});
    } else {
      from_.as({found.outer, found.extent, found.inner});
      keep ? to_.as({found.outer, 1, found.inner}) : to_.as({found.outer, found.inner});
    }
    return true;
  }
  const tfl_tensor& from() const { return from_; }
  const tfl_tensor& to() const { return to_; }
  int64_t dim() const { return dim_; }

 private:
  Reshaped from_, to_;
  int64_t dim_ = 0;
};

}  // namespace torchfl

#endif
