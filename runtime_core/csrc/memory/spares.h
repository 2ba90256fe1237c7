// What the calling thread has made for ops that the CPU served and that is free again, kept for the next such op: boxes
// without a device side, with the address that they reserved, and CPU tensors that showed a host side. Making these anew is
// most of what such an op allocates.
#pragma once

#include <ATen/core/Tensor.h>

namespace torchfl {

class Box;

// A box of that size without content.
Box* new_box(size_t nbytes, c10::DeviceIndex device);
// Takes a box that nobody refers to any more. False: it has to be deleted.
bool keep_box(Box& box) noexcept;

// A CPU tensor that nobody else refers to, with some dtype, sizes and strides but without a storage, and with none of the
// bits that a view may have; undefined where there is none.
at::Tensor spare_view() noexcept;
// Drops a CPU tensor, or keeps it to be that.
void keep_view(at::Tensor view) noexcept;

}  // namespace torchfl
