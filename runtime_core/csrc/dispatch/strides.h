// Output strides as PyTorch's element-wise CPU kernels choose them.
#pragma once

#include <ATen/core/Tensor.h>

#include "dispatch/op_spec.h"

namespace torchfl {

void contiguous_strides(const Shape& shape, int64_t* strides);

// Of images, of rank 4 and 5: the channels innermost; contiguous for any other rank.
void channels_last_strides(const Shape& shape, int64_t* strides);

// `last` says whether images lie channels-last.
inline void image_strides(const Shape& shape, bool last, int64_t* strides) {
  last ? channels_last_strides(shape, strides) : contiguous_strides(shape, strides);
}

// Whether elements with these strides lie in the same order of memory: that of a dimension of one element says nothing.
bool same_order(const Shape& shape, const int64_t* a, const int64_t* b);

// Whether PyTorch's CPU kernels give a channels-last result: of an op that is not element-wise.
bool gives_channels_last(const OpSpec& spec, const at::Tensor* const* inputs, size_t num_inputs);

// The strides that TensorIterator gives a new output: the common memory format where all tensors have the same shape
// and share one, else dense strides in the order of the inputs' own, earlier inputs first.
void elementwise_strides(const at::Tensor* const* tensors, int count, const Shape& shape, int64_t* strides);

}  // namespace torchfl
