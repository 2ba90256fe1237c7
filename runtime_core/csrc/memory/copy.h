// Copies between CPU and device tensors, and between device tensors.
#pragma once

#include <ATen/core/Tensor.h>

namespace torchfl {

// self.copy_(src): any dtypes, layouts and broadcastable shapes. Complete on return.
at::Tensor& copy_into(at::Tensor& self, const at::Tensor& src);

// The one element of a device tensor, moved alone.
at::Scalar read_scalar(const at::Tensor& self);

}  // namespace torchfl
