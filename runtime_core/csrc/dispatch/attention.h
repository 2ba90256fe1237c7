// PyTorch's hooks for a device's own attention kernel.
#pragma once

#include <torch/library.h>

namespace torchfl {

// Registers, on PrivateUse1, which implementation scaled_dot_product_attention takes, and the device's own one.
void register_attention(torch::Library& aten);

}  // namespace torchfl
