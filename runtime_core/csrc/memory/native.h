// The ops that the memory half serves itself on PrivateUse1: factories, copies, views, resizing.
#pragma once

#include <torch/library.h>

namespace torchfl {

// Registers them with `library`, an IMPL library of aten on PrivateUse1.
void register_memory_ops(torch::Library& library);

// `_has_compatible_shallow_copy_type` alone: autograd's key needs it too.
void register_shallow_copy(torch::Library& library);

}  // namespace torchfl
