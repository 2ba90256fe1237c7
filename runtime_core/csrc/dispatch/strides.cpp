#include "dispatch/strides.h"

#include <utility>

namespace torchfl {
namespace {

bool same_shape(const at::Tensor& t, const Shape& shape) {
  return t.sizes() == at::IntArrayRef(shape.sizes, static_cast<size_t>(shape.rank));
}

// The stride of dimension `dim` of the broadcast tensor; 0 where it is repeated.
int64_t broadcast_stride(const at::Tensor& t, const Shape& shape, int dim) {
  const int64_t own = dim - (shape.rank - t.dim());
  if (own < 0) return 0;
  return t.size(own) == 1 && shape.sizes[dim] != 1 ? 0 : t.stride(own);
}

// Whether dimension `a` should lie outside (1) or inside (-1) dimension `b` in memory; 0 if the inputs do not say.
int compare(const at::Tensor* const* tensors, int count, const Shape& shape, int a, int b) {
  for (int i = 0; i < count; ++i) {
    const int64_t left = broadcast_stride(*tensors[i], shape, a), right = broadcast_stride(*tensors[i], shape, b);
    if (left == 0 || right == 0) continue;
    if (left != right) return left < right ? -1 : 1;
    if (shape.sizes[a] > shape.sizes[b]) return 1;
  }
  return 0;
}

}  // namespace

void contiguous_strides(const Shape& shape, int64_t* strides) {
  int64_t step = 1;
  for (int i = shape.rank - 1; i >= 0; --i) {
    strides[i] = step;
    step *= shape.sizes[i] > 1 ? shape.sizes[i] : 1;
  }
}

void channels_last_strides(const Shape& shape, int64_t* strides) {
  if (shape.rank != 4 && shape.rank != 5) return contiguous_strides(shape, strides);
  int64_t step = 1;
  const auto place = [&](int dim) {
    strides[dim] = step;
    step *= shape.sizes[dim] > 1 ? shape.sizes[dim] : 1;
  };
  place(1);
  for (int dim = shape.rank - 1; dim > 1; --dim) place(dim);
  place(0);
}

bool same_order(const Shape& shape, const int64_t* a, const int64_t* b) {
  for (int i = 0; i < shape.rank; ++i)
    if (shape.sizes[i] != 1 && a[i] != b[i]) return false;
  return true;
}

bool gives_channels_last(const OpSpec& spec, const at::Tensor* const* inputs, size_t num_inputs) {
  const auto last = [&](size_t i) { return inputs[i]->suggest_memory_format() != at::MemoryFormat::Contiguous; };
  if (num_inputs == 0 || inputs[0] == nullptr || inputs[0]->dim() < 4) return false;
  if (spec.shape_rule == ShapeRule::conv)  // in double precision PyTorch has no such volumes
    return (last(0) || last(1)) && !(inputs[0]->dim() == 5 && inputs[0]->scalar_type() == at::kDouble);
  if (spec.of_images()) return last(0);
  if (spec.shape_rule != ShapeRule::cat) return false;
  for (size_t i = 0; i < num_inputs; ++i)
    if (inputs[i]->dim() != inputs[0]->dim() || !last(i)) return false;
  return true;
}

void elementwise_strides(const at::Tensor* const* tensors, int count, const Shape& shape, int64_t* strides) {
  bool one_shape = true, all_contiguous = true, all_dense = true;
  bool channels_last = shape.rank == 4;
  for (int i = 0; i < count; ++i) {
    const at::Tensor& t = *tensors[i];
    one_shape = one_shape && same_shape(t, shape);
    if (!one_shape) break;
    all_contiguous = all_contiguous && t.is_contiguous();
    all_dense = all_dense && t.is_non_overlapping_and_dense() && t.strides() == tensors[0]->strides();
    channels_last = channels_last && t.is_contiguous(at::MemoryFormat::ChannelsLast);
  }
  if (one_shape && all_contiguous) return contiguous_strides(shape, strides);
  if (one_shape && channels_last) return channels_last_strides(shape, strides);
  if (one_shape && all_dense) {
    for (int i = 0; i < shape.rank; ++i) strides[i] = tensors[0]->strides()[static_cast<size_t>(i)];
    return;
  }
  // Insertion sort from the innermost dimension outwards, leaving ties in their place.
  int order[kMaxRank];  // order[0] is the innermost
  for (int i = 0; i < shape.rank; ++i) order[i] = shape.rank - 1 - i;
  for (int i = 1; i < shape.rank; ++i) {
    int moving = i;
    for (int below = i - 1; below >= 0; --below) {
      const int verdict = compare(tensors, count, shape, order[below], order[moving]);
      if (verdict < 0) break;
      if (verdict > 0) {
        std::swap(order[below], order[moving]);
        moving = below;
      }
    }
  }
  int64_t step = 1;
  for (int i = 0; i < shape.rank; ++i) {
    strides[order[i]] = step;
    step *= shape.sizes[order[i]];
  }
}

}  // namespace torchfl
