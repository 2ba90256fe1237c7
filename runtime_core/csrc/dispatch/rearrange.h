// Another order of a tensor's elements, within the device: by the chip's own kernel for aten::permute_copy, or by copies
// of whole pieces (memory/pieces.h).
#pragma once

#include <ATen/core/Tensor.h>

#include "dispatch/binding.h"

namespace torchfl {

// The elements of `from`, a tensor without gaps, in a new tensor of the same sizes and dtype with these strides, without
// gaps too. Undefined, and nothing done: the bytes are not on the device, neither way serves this dtype and rank, or the
// device is full. In mapped memory the host could do it too, but would have to wait for the kernels before.
at::Tensor rearranged(const at::Tensor& from, at::IntArrayRef strides);

// The chip's kernel that would make it, wherever the bytes are; nullptr where none would.
const Binding* rearranging_kernel(const at::Tensor& from, at::IntArrayRef strides);

// The strides of a tensor of `sizes` without gaps whose dimensions lie in the same order as those of `like`.
c10::SmallVector<int64_t, 8> strides_in_order(at::IntArrayRef sizes, at::IntArrayRef like);

}  // namespace torchfl
