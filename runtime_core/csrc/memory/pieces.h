// Strided copies within a device, by the chip's plain copy: where the elements lie in few pieces on both sides.
#pragma once

#include <ATen/core/Tensor.h>

namespace torchfl {

// Copies `sizes` elements from the start of `from` to the start of `to`, a new tensor of the same device and dtype, both
// walked with the strides given. `clear`: sets the rest of `to` to zero. False, and nothing done: the bytes of `from` are
// not on the device, the chip cannot copy or fill there, or it would take too many copies to be a gain.
bool copy_in_pieces(const at::Tensor& from, at::IntArrayRef from_strides, const at::Tensor& to, at::IntArrayRef to_strides,
                    at::IntArrayRef sizes, bool clear);

// The same elements in another order of memory, as dispatch/rearrange.h says. Undefined, too, while nobody has told how.
at::Tensor rearrange(const at::Tensor& from, at::IntArrayRef strides);
void set_rearrange(at::Tensor (*how)(const at::Tensor& from, at::IntArrayRef strides)) noexcept;

}  // namespace torchfl
