// Output strides as PyTorch's element-wise CPU kernels choose them.
#pragma once

#include <ATen/core/Tensor.h>

#include "dispatch/op_spec.h"

namespace torchfl {

void contiguous_strides(const Shape& shape, int64_t* strides);

// Of images, of rank 4 and 5: the channels innermost; contiguous for any other rank.
void channels_last_strides(const Shape& shape, int64_t* strides);

// The strides that TensorIterator gives a new output: the common memory format where all tensors have the same shape
// and share one, else dense strides in the order of the inputs' own, earlier inputs first.
void elementwise_strides(const at::Tensor* const* tensors, int count, const Shape& shape, int64_t* strides);

}  // namespace torchfl
